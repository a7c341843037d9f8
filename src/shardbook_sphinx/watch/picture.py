"""Draw a step: a row a device, a box a slot of its memory, in the colours of the devices whose numbers lie in it.

Boxes, colours and hatching are those of the helper's own figures.
"""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from shardbook import _notation
from shardbook._palette import colour
from shardbook._svg import LINE, NUMBER, SEAT, SMALLEST_TEXT, _hatch, _label, _n

if TYPE_CHECKING:
    from shardbook_sphinx.watch.model import Film, Frame, Term

PITCH = SEAT + 8
"""From a device's row to the next one."""
GAP = 6
"""Between two boxes of a row."""
Box = tuple[str, tuple[float, float, float, float]]
"""The classes of a box, and its place and size."""
PARTIAL = "sb-partial"
INK, HEAD = "watch-ink", "watch-ink watch-head"
"""The classes of what stands in a box and above one."""
MOST_NAMED = 4
"""A sum of more terms is written as runs."""


def written(film: Film, terms: frozenset[Term]) -> str:
    """What stands in a box.

    >>> from shardbook_sphinx.watch.model import FILMS
    >>> written(FILMS["all-gather"](4), frozenset({(2, 0)})), written(FILMS["all-to-all"](4), frozenset({(2, 1)}))
    ('2', '2b')
    >>> written(FILMS["all-reduce"](8), frozenset((device, 0) for device in (6, 7, 0, 1, 2, 3)))
    '0–3+6–7'
    """
    devices = sorted(device for device, _ in terms)
    if film.summed:
        if len(devices) <= MOST_NAMED:
            return "+".join(map(str, devices))
        return "+".join(str(one) if one == last else f"{one}–{last}" for one, last in _notation.runs(devices))
    ((device, part),) = terms
    return f"{device}{chr(ord('a') + part)}" if film.name == "all-to-all" else str(device)


def label(film: Film, slot: int, terms: frozenset[Term]) -> str:
    """What stands in a slot: in that of a product the rows and the columns that were multiplied."""
    if film.name == "collective-matmul" and slot:
        ((rows, columns),) = terms
        return f"{rows}·{columns}"
    return written(film, terms)


def draw_step(film: Film, step: Frame) -> str:
    """One step as an ``<svg>`` element; what has just arrived has a thick edge, and knows from where it came."""
    names = [label(film, slot, terms) for each in film.steps for held in each.state for slot, terms in held.items()]
    width = max(34.0, max(map(len, names)) * NUMBER + 10)
    matmul = film.name == "collective-matmul"
    top = LINE + 2.0 if matmul else 1.0
    left = SEAT + 14.0

    def place(device: int, slot: int) -> tuple[float, float]:
        # The products stand apart from the block that goes round.
        return left + slot * (width + GAP) + (2 * GAP if matmul and slot else 0), top + device * PITCH

    arrived = {(send.to, send.into): (send.source, send.slot) for send in step.sends}
    seats: list[Box] = []
    resting: list[Box] = []
    flying: list[str] = []
    texts: list[str] = []
    for device, held in enumerate(step.state):
        y = top + device * PITCH
        seats.append((kind(film, device), (1, y, SEAT, SEAT)))
        texts.append(_label(1 + SEAT / 2, y + SEAT / 2 + 4.5, str(device), INK))
        for slot in range(film.slots):
            x, y = place(device, slot)
            at = (x, y, width, SEAT)
            if slot not in held:
                resting.append(("sb-empty", at))
                continue
            text = _label(x + width / 2, y + SEAT / 2 + 4.5, label(film, slot, held[slot]), INK)
            if origin := arrived.get((device, slot)):
                before = place(*origin)
                style = f"--x:{_n(before[0] - x)}px;--y:{_n(before[1] - y)}px"
                edge = paths([("sb-lit", at)])
                flying.append(
                    f'<g class="watch-new" style="{style}">{paths(boxes(film, held[slot], at))}{text}{edge}</g>'
                )
            else:
                resting += boxes(film, held[slot], at)
                texts.append(text)
    if matmul:
        texts += [_label(place(0, slot)[0] + width / 2, 12, text, HEAD) for slot, text in ((0, "A"), (1, "A·B"))]
    total = place(0, film.slots - 1)[0] + width + 2, top + film.devices * PITCH - 6
    return (
        f'<svg viewBox="0 0 {_n(total[0])} {_n(total[1])}" width="{_n(total[0])}" '
        f'style="min-width:{total[0] * SMALLEST_TEXT / 13:.0f}px" fill="none" stroke="currentColor" '
        f'aria-hidden="true">{paths(seats + resting)}{"".join(texts)}{"".join(flying)}</svg>'
    )


def boxes(film: Film, terms: frozenset[Term], at: tuple[float, float, float, float]) -> list[Box]:
    """A box: in one colour, or in a strip for each term of a sum, hatched while some are missing."""
    x, y, width, height = at
    if not film.summed:
        ((device, _),) = terms
        return [(kind(film, device), at)]
    strip = width / film.devices
    strips = [(kind(film, device), (x + device * strip, y, strip, height)) for device, _ in sorted(terms)]
    return strips if len(terms) == film.devices else [("watch-part", at), *strips, (PARTIAL, at)]


def paths(drawn: list[Box]) -> str:
    """Boxes as one element a class: a page must not have too many. Grey ones lie below, hatching on top."""
    found: dict[str, list[str]] = {}
    for name, (x, y, width, height) in sorted(drawn, key=lambda box: (box[0] == PARTIAL, box[0] != "watch-part")):
        outline = f"M{_n(x)} {_n(y)}h{_n(width)}v{_n(height)}h-{_n(width)}z"
        found.setdefault(name, []).append("".join(_hatch(x, y, width, height)) if name == PARTIAL else outline)
    return "".join(f'<path class="{name}" d="{"".join(parts)}"/>' for name, parts in found.items())


def kind(film: Film, device: int) -> str:
    """The classes of what comes from a device: its colour, and that it lights up with it."""
    hue, shade = colour(device, (film.devices,))
    return f"sb-h{hue} sb-s{shade} sb-p{device}"


def spoken(film: Film, step: Frame, words: dict[str, str]) -> str:
    """The picture's text equivalent: what each device holds."""
    told = []
    for device, held in enumerate(step.state):
        contents = words["list"].join(label(film, slot, terms) for slot, terms in sorted(held.items()))
        told.append(words["holds"].format(device=device, contents=contents or words["nothing"]))
    return escape(words["clause"].join(told) + words["stop"])
