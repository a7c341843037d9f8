"""The colours of devices: a device has the same colour wherever it appears.

The hue says where a device stands along the last axis of its mesh, the shade where along the others. So the order in
which axes split, axes that are exchanged and devices that are copies are seen before a number is read.

Found by search, not by eye: in each theme any two of the 32 differ for protan, deutan and tritan sight too, and the ink
reads on all of them at 4.5:1 or better. ``tests/test_show.py`` measures both. ``figure.css`` repeats the numbers.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple


class Colour(NamedTuple):
    """A place in the palette."""

    hue: int
    shade: int


HUES = (
    (235, 0.06, -0.005), (90, 0.11, -0.03), (138, 0.084, 0.029), (346, 0.062, -0.034),
    (23, 0.076, -0.045), (192, 0.1, 0.029), (103, 0.089, -0.045), (271, 0.071, -0.045),
)  # fmt: skip
"""In OKLCH: hue in degrees, chroma, and what is added to the lightness of a shade."""
LIGHT = (0.9, 0.8, 0.71, 0.63)
"""Lightness of the shades on a light page and in terminals."""
DARK = (0.83, 0.755, 0.683, 0.615)
"""The same on a dark page."""
INK = "#000000"
"""What is written on any of them."""
SIXTEEN = ("blue", "yellow", "green", "magenta", "red", "cyan", "white", "white")
"""The hues where a terminal has sixteen colours; the first half of the shades is bright."""


def colour(position: int, sizes: Sequence[int]) -> Colour:
    """Choose the colour of the device at a row-major position in a mesh of these sizes.

    Eight devices along the last axis have a hue of their own, four along the others a shade; if there are more,
    neighbours share.

    >>> [tuple(colour(position, (2, 3))) for position in range(6)]
    [(0, 0), (1, 0), (2, 0), (0, 2), (1, 2), (2, 2)]
    >>> colour(13, (16,)), colour(13, (2, 2, 2, 2))
    (Colour(hue=6, shade=0), Colour(hue=1, shade=3))
    """
    last = next((size for size in reversed(sizes) if size > 1), 1)
    before, along = divmod(position, last)
    hue = along if last <= len(HUES) else along * len(HUES) // last
    return Colour(hue, before * len(LIGHT) // (math.prod(sizes) // last))


def rgb(colour: Colour, shades: Sequence[float] = LIGHT) -> str:
    """Return a colour as a terminal knows it.

    The formula is Björn Ottosson's, https://bottosson.github.io/posts/oklab/.

    >>> rgb(Colour(0, 0))
    '#b7e4ff'
    """
    hue, chroma, offset = HUES[colour.hue]
    lightness = shades[colour.shade] + offset
    a, b = chroma * math.cos(math.radians(hue)), chroma * math.sin(math.radians(hue))
    long = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3
    medium = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3
    short = (lightness - 0.0894841775 * a - 1.2914855480 * b) ** 3
    linear = (
        4.0767416621 * long - 3.3077115913 * medium + 0.2309699292 * short,
        -1.2684380046 * long + 2.6097574011 * medium - 0.3413193965 * short,
        -0.0041960863 * long - 0.7034186147 * medium + 1.7076147010 * short,
    )
    return "#" + "".join(f"{_byte(part):02x}" for part in linear)


def _byte(linear: float) -> int:
    """The byte of a channel in sRGB."""
    part = min(max(linear, 0.0), 1.0)
    return round(255 * (12.92 * part if part <= 0.0031308 else 1.055 * part ** (1 / 2.4) - 0.055))
