"""How the memory of a function looks: what a device holds in all, a row for arguments that are alike, and remarks."""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING

from rich.text import Text

from shardbook import _notation
from shardbook._chips import PREALLOCATED
from shardbook._display import pairs_html, pairs_text, prose, table_html, table_text

if TYPE_CHECKING:
    from shardbook._memory import Held, Leaf, Memory

ROWS = 12
"""So many kinds of arguments have a row each; the rest share one."""
NAMED = 4
"""So many unused arguments are named."""


def memory_html(found: Memory, messages: Mapping[str, str]) -> str:
    """Return the sums, the table of arguments and the remarks as HTML."""
    caption = f"<figcaption>{escape(found.name)}</figcaption>"
    table = table_html(_columns(messages), _rows(found.leaves, messages), messages["memory_table"])
    remarks = "".join(f"<p>{escape(text)}</p>" for text in _remarks(found, messages))
    return f"<figure>{caption}{pairs_html(_totals(found, messages))}{table if found.leaves else ''}{remarks}</figure>"


def memory_lines(found: Memory, messages: Mapping[str, str], width: int) -> list[Text]:
    """Return the same as coloured lines of at most ``width`` characters."""
    table = table_text(_columns(messages), _rows(found.leaves, messages), width)
    return [
        *prose([found.name], width),
        *pairs_text(_totals(found, messages), width),
        *([Text(""), *table] if found.leaves else []),
        *prose(_remarks(found, messages), width),
    ]


def _totals(found: Memory, messages: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    rows = [(messages["device_holds"], _notation.size(found.total)), *_parts(found.device, messages)]
    if found.capacity is not None:
        label = messages["of_chip"].format(chip=found.chip, memory=_notation.size(found.capacity))
        verdict = messages["fits" if found.fits else "too_large"]
        rows.insert(1, (label, verdict.format(percent=_notation.percent(found.total, found.capacity))))
    if found.peak not in {None, found.total}:
        rows.append((messages["peak"], _notation.size(found.peak)))
    if found.device.code:
        rows.append((messages["code"], _notation.size(found.device.code)))
    if found.devices > 1:
        rows.append((messages["copies"], _share(found.replicated, _stored(found.leaves), messages)))
    if found.host.total:
        rows.append((messages["host_holds"], _notation.size(found.host.total)))
        rows += [
            (f"{messages['host']}{messages['colon']}{label}", size) for label, size in _parts(found.host, messages)
        ]
    return tuple(rows)


def _parts(held: Held, messages: Mapping[str, str]) -> list[tuple[str, str]]:
    return [
        (messages["arguments"], _notation.size(held.arguments)),
        (messages["outputs"], _notation.size(held.outputs)),
        (messages["aliased"], ("− " if held.aliased else "") + _notation.size(held.aliased)),
        (messages["temporaries"], _notation.size(held.temporaries)),
    ]


def _share(part: int, whole: int, messages: Mapping[str, str]) -> str:
    return _notation.size(part) + (messages["share"].format(percent=_notation.percent(part, whole)) if part else "")


def _stored(leaves: Sequence[Leaf]) -> int:
    return sum(leaf.bytes_per_device for leaf in leaves)


def _remarks(found: Memory, messages: Mapping[str, str]) -> list[str]:
    remarks = []
    if found.total != found.device.total:
        remarks.append(messages["take_turns"].format(sum=_notation.size(found.device.total)))
    if found.capacity is not None and found.platform == "gpu":
        if not found.fits:
            remarks.append(messages["gpu_refuses_nothing"])
        elif found.total > PREALLOCATED * found.capacity:
            remarks.append(messages["above_reserved"].format(percent=round(100 * PREALLOCATED)))
    if found.unused:
        listed = messages["list"].join([*found.unused[:NAMED], *["…"] * (len(found.unused) > NAMED)])
        remarks.append(messages["unused"].format(count=len(found.unused), listed=listed))
    elements = sum(leaf.layout.bytes_per_device or 0 for leaf in found.leaves)
    stored = _stored(found.leaves)
    if stored != elements:
        remarks.append(
            messages["tiles"].format(padding=_notation.size(stored - elements), elements=_notation.size(elements))
        )
    counted = found.device.arguments + found.host.arguments
    if counted != stored:
        # As units they might look alike.
        remarks.append(messages["uncounted"].format(stored=f"{stored:,} B", counted=f"{counted:,} B"))
    if found.platform == "cpu":
        remarks.append(messages["cpu_temporaries"])
    return remarks


def _columns(messages: Mapping[str, str]) -> tuple[str, ...]:
    return tuple(messages[key] for key in ("per_device", "arrays_alike", "type", "argument"))


def _rows(leaves: Sequence[Leaf], messages: Mapping[str, str]) -> list[tuple[str, ...]]:
    """A row for all leaves of one type and layout, those that take most together first."""
    alike: dict[tuple[str, int], list[Leaf]] = {}
    for leaf in leaves:
        alike.setdefault((str(leaf.layout), leaf.bytes_per_device), []).append(leaf)
    kinds = sorted(alike.values(), key=lambda kind: -_stored(kind))
    rows: list[tuple[str, ...]] = [
        (_notation.size(_stored(kind)), str(len(kind)), str(kind[0].layout), common_path([leaf.path for leaf in kind]))
        for kind in kinds[:ROWS]
    ]
    rest = [leaf for kind in kinds[ROWS:] for leaf in kind]
    if rest:
        more = messages["more"].format(count=len(kinds) - ROWS)
        rows.append((_notation.size(_stored(rest)), str(len(rest)), more, "…"))
    return rows


def common_path(paths: Sequence[str]) -> str:
    """Write what the paths in each argument have in common, whole keys only.

    >>> common_path(["state['a1']['w']", "state['a2']['w']"])
    "state…['w']"
    >>> common_path(["model['w']", "state['m']['w']", "state['v']['w']"])
    "model['w'], state…['w']"
    """
    arguments: dict[str, list[list[str]]] = {}
    for path in paths:
        keys = re.findall(r"^args\[\d+\]|\[[^\]]*\]|\.?[^.\[]+|.", path)
        arguments.setdefault("".join(keys[:1]), []).append(keys)
    return ", ".join(map(_common_keys, arguments.values()))


def _common_keys(paths: Sequence[list[str]]) -> str:
    if all(keys == paths[0] for keys in paths):
        return "".join(paths[0])
    first = _common_start(paths)
    last = _common_start([keys[len(first) :][::-1] for keys in paths])
    return "".join([*first, "…", *reversed(last)])


def _common_start(paths: Sequence[list[str]]) -> list[str]:
    alike = itertools.takewhile(lambda keys: len(set(keys)) == 1, zip(*paths, strict=False))
    return [keys[0] for keys in alike]
