"""The colours of pieces: the same piece has the same colour in every figure.

Found by search, not by eye: within each theme any two differ for protan, deutan and tritan sight too, and the ink
reads on all of them at 4.5:1 or better. ``tests/test_show.py`` measures both. ``figure.css`` repeats the values.
"""

from collections.abc import Sequence

LIGHT = (
    "#91b9f0", "#ffe99c", "#c6add5", "#c8d28f", "#f5bbb1", "#9dcdcc",
    "#e1f0ca", "#cbb48c", "#c1e7ff", "#ed9cb3", "#cefab7", "#a9faee",
)  # fmt: skip
DARK = (
    "#0a2e5a", "#746005", "#3a2645", "#414700", "#61352e", "#194141",
    "#5b6648", "#3e2c08", "#3f5d6f", "#54112b", "#496f32", "#176e65",
)  # fmt: skip
ANSI = (
    "blue", "yellow", "magenta", "green", "bright_red", "cyan",
    "bright_green", "red", "bright_cyan", "bright_magenta", "bright_yellow", "bright_blue",
)  # fmt: skip
"""The same twelve where a terminal has sixteen colours."""
LIGHT_INK = "#14171c"
DARK_INK = "#f3f4f6"


def colour(place: Sequence[int], grid: Sequence[int]) -> int:
    """Choose the palette entry of the piece at ``place`` in a grid of pieces.

    Pieces are coloured in row-major order; where that would give two neighbours along a dimension the same colour,
    that dimension advances by one more.

    >>> [colour((row, column), (2, 12)) for row, column in ((0, 0), (0, 11), (1, 0), (1, 11))]
    [0, 11, 1, 0]
    """
    total, stride = 0, 1
    for at, count in zip(reversed(place), reversed(grid), strict=True):
        step = stride if stride % len(LIGHT) else stride + 1
        total += at * step
        stride *= count
    return total % len(LIGHT)
