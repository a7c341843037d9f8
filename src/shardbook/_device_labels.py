"""Who holds a piece, written so that it fits into its box."""

from collections.abc import Iterable, Sequence

from shardbook import _notation
from shardbook._layout import Layout, Piece

Lines = tuple[str, ...]


def tokens(layout: Layout, piece: Piece) -> tuple[str, ...]:
    """Write a piece's devices, one token each, with what follows it: a space, or the sign of a partial result.

    >>> from jax.sharding import AbstractMesh, NamedSharding, PartitionSpec as P
    >>> from shardbook import layout
    >>> four = layout(NamedSharding(AbstractMesh((4,), ("x",)), P()), (8,))
    >>> tokens(four, four.pieces[0])
    ('0 ', '1 ', '2 ', '3 ')
    """
    between = "+" if layout.reduction == "sum" else ","
    written: list[str] = []
    for group in layout.terms(piece):
        names = [f"{device}{between}" for device in _named(layout, group)]
        names[-1] = names[-1][: -len(between)]
        if between == "," and len(names) > 1:
            names[0] = f"{layout.reduction}({names[0]}"
            names[-1] += ")"
        names[-1] += " "
        written += names
    return tuple(written)


def short_tokens(layout: Layout, piece: Piece) -> tuple[str, ...]:
    """Write a piece's devices as runs of consecutive ones.

    >>> from jax.sharding import AbstractMesh, NamedSharding, PartitionSpec as P
    >>> from shardbook import layout
    >>> many = layout(NamedSharding(AbstractMesh((512,), ("x",)), P()), (8,))
    >>> short_tokens(many, many.pieces[0])
    ('0–511 ',)
    """
    if layout.unreduced:
        return tokens(layout, piece)
    remote = [device in layout.remote for device in piece.devices]
    star = "*" if all(remote) else ""
    if any(remote) and not star:
        return tokens(layout, piece)
    return tuple(
        (f"{first}{star} " if first == last else f"{first}–{last}{star} ")
        for first, last in _notation.runs(piece.devices)
    )


def fit(parts: Sequence[str], width: int, height: int) -> Lines | None:
    """Break tokens into at most ``height`` lines of at most ``width`` characters, as even as can be; None if too many.

    >>> fit(("0 ", "1 ", "2 ", "3 "), 5, 3)
    ('0 1', '2 3')
    """
    lines = _broken(parts, width)
    if lines is None or len(lines) > height:
        return None
    for narrower in range(max(map(len, parts)) - 1, width):
        even = _broken(parts, narrower)
        if even is not None and len(even) == len(lines):
            return even
    return lines


def lines_for(
    layout: Layout, pieces: Iterable[Piece], sizes: Sequence[tuple[int, int]], count: str
) -> tuple[int, dict[tuple[int, ...], Lines]]:
    """Find the first size at which every piece's devices fit, and their lines, by devices.

    Every device is listed if any size allows it; else runs such as 0–63; else only how many there are.

    Parameters
    ----------
    layout, pieces
        What is drawn.
    sizes
        (characters in a line, lines), from the most wanted on.
    count
        The template of "{count} devices".
    """
    different = {piece.devices: piece for piece in pieces}
    for write in (tokens, short_tokens):
        parts = {devices: write(layout, piece) for devices, piece in different.items()}
        for chosen, (width, height) in enumerate(sizes):
            lines = {devices: found for devices, part in parts.items() if (found := fit(part, width, height))}
            if len(lines) == len(parts):
                return chosen, lines
    last = len(sizes) - 1
    counted = {devices: count.format(count=len(devices)) for devices in different}
    roomy = all(len(text) <= sizes[last][0] for text in counted.values())
    return last, {devices: (text if roomy else f"×{len(devices)}",) for devices, text in counted.items()}


def _broken(parts: Sequence[str], width: int) -> Lines | None:
    lines = [""]
    for part in parts:
        if len((lines[-1] + part).rstrip()) > width:
            lines.append("")
        lines[-1] += part
    found = tuple(line.rstrip() for line in lines if line)
    return None if any(len(line) > width for line in found) else found


def _named(layout: Layout, devices: Sequence[int]) -> list[str]:
    return [f"{device}*" if device in layout.remote else str(device) for device in devices]
