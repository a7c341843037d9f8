"""Take from what cells show all that differs from run to run and from machine to machine."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from nbformat import NotebookNode

# What differs from run to run or from machine to machine, and what stands for it: addresses, the file that ipykernel
# makes of a cell, and where packages are installed, which an ImportError tells. A path is tried from its beginning
# alone, or a long line would take forever.
CHANGING = {
    re.compile(r"(?<= at )0x[0-9a-f]{6,}\b"): "0x…",
    re.compile(r"(?<![^\s'\"(])[^\s'\"(]*ipykernel_\d+[/\\]\d+\.py"): "<cell>",
    re.compile(r"(?<![^\s'\"(])[^\s'\"(]*[/\\]site-packages[/\\]"): "…/",
}


def merge_streams(cell: NotebookNode) -> None:
    """Join what a cell printed: how often a kernel flushes differs from run to run."""
    merged: dict[str, NotebookNode] = {}
    outputs = []
    for output in cell.outputs:
        if output.output_type == "stream" and output.name in merged:
            merged[output.name].text += output.text
            continue
        if output.output_type == "stream":
            merged[output.name] = output
        outputs.append(output)
    cell.outputs = outputs


def make_reproducible(output: NotebookNode) -> None:
    """Take from an output what differs from run to run: memory addresses, and a traceback's paths and frames."""
    if output.output_type == "error":
        output.evalue = reproducible(output.evalue)
        output.traceback = [f"{output.ename}: {output.evalue}".removesuffix(": ")]
    elif output.output_type == "stream":
        output.text = reproducible(output.text)
    else:
        output.data = {kind: reproducible(data) for kind, data in output.data.items()}


def reproducible(data: Any) -> Any:
    """What was said, if it was said in words, without what changes."""
    if isinstance(data, str):
        for pattern, text in CHANGING.items():
            data = pattern.sub(text, data)
    return data
