"""The notation every picture, table and message shares: types, index ranges, device lists, bytes.

It follows what ``jax.typeof`` prints and is the same in every language.
"""

import math
from collections.abc import Iterable, Sequence


def dimensions(shape: Sequence[int], axes: Sequence[Sequence[str]]) -> tuple[str, ...]:
    """Write each dimension as its size and the mesh axes that split it.

    >>> dimensions((4, 8, 3), (("x",), ("y", "z"), ()))
    ('4@x', '8@(y,z)', '3')
    """
    return tuple(f"{size}@{names(split)}" if split else str(size) for size, split in zip(shape, axes, strict=True))


def names(axes: Sequence[str]) -> str:
    """Write axis names: one as it is, several in parentheses.

    >>> names(("x",)), names(("y", "z"))
    ('x', '(y,z)')
    """
    return axes[0] if len(axes) == 1 else f"({','.join(axes)})"


def array_type(dtype: str, dims: Sequence[str], marks: Sequence[tuple[str, Sequence[str]]] = ()) -> str:
    """Write an array's type; ``marks`` are pairs like ``("U", ("y",))`` for axes left unreduced.

    >>> array_type("float32", ("4@x", "8"), [("U", ("y",)), ("R", ())])
    'float32[4@x, 8]{U:y}'
    """
    suffix = ", ".join(f"{letter}:{names(axes)}" for letter, axes in marks if axes)
    return f"{dtype}[{', '.join(dims)}]" + (f"{{{suffix}}}" if suffix else "")


def span(part: slice) -> str:
    """Write one index range.

    >>> span(slice(0, 2))
    '0:2'
    """
    return f"{part.start}:{part.stop}"


def index(parts: Iterable[slice]) -> str:
    """Write a piece's place in the array.

    >>> index((slice(0, 2), slice(4, 8)))
    '[0:2, 4:8]'
    """
    return f"[{', '.join(map(span, parts))}]"


def place(axes: Sequence[str], at: Sequence[int]) -> str:
    """Write a place in a mesh.

    >>> place(("x", "y"), (0, 3))
    'x=0, y=3'
    """
    return ", ".join(f"{name}={number}" for name, number in zip(axes, at, strict=True))


def runs(numbers: Sequence[int]) -> tuple[tuple[int, int], ...]:
    """Group numbers, in their order, into runs of consecutive ones, each as (first, last).

    >>> runs((0, 1, 2, 3, 8, 9))
    ((0, 3), (8, 9))
    """
    found: list[tuple[int, int]] = []
    for number in numbers:
        if found and number == found[-1][1] + 1:
            found[-1] = (found[-1][0], number)
        else:
            found.append((number, number))
    return tuple(found)


def device_runs(numbers: Sequence[int]) -> tuple[str, ...]:
    """Write device numbers as runs of consecutive ones.

    >>> device_runs((0, 1, 2, 3, 8))
    ('0–3', '8')
    """
    return tuple(str(first) if first == last else f"{first}–{last}" for first, last in runs(numbers))


def size(count: int) -> str:
    """Write a number of bytes, in binary units from 1 KiB on.

    >>> size(16), size(1536), size(25755648)
    ('16 B', '1.5 KiB', '24.56 MiB')
    """
    if count < 1024:
        return f"{count} B"
    amount, units = count / 1024, ["KiB", "MiB", "GiB", "TiB", "PiB"]
    # 1023.995 would round to "1024": the next unit says it better.
    while amount >= 1023.995 and len(units) > 1:
        amount /= 1024
        del units[0]
    return f"{amount:.2f}".rstrip("0").rstrip(".") + f" {units[0]}"


def percent(part: int, whole: int) -> str:
    """Write a share, of which neither little is nothing nor too much is all.

    >>> percent(1, 1000), percent(3, 8), percent(1001, 1000)
    ('<1', '38', '101')
    """
    share = 100 * part / whole
    return "<1" if share < 1 else str(math.ceil(share) if share > 100 else round(share))
