"""A process that compiles trials for chips and prints what came, a line each: in the environment of the compilers.

The trials come as a line of JSON; it ends with its input, so that none is left over from a run that was stopped.
"""

from __future__ import annotations

import json
import os
import re
import sys
import threading
from functools import cache
from typing import Any

import jax

import shardbook
from shardbook._collectives import read_program
from shardbook._stderr import stderr_kept
from shardbook._xla_warnings import split_log
from shardbook_sphinx.compilers.record import logged
from shardbook_sphinx.xla.ask import axes_of, lowered
from shardbook_sphinx.xla.cases import Case
from shardbook_sphinx.xla.trials import Trial
from shardbook_sphinx.xla.worker import end_with_input

config: Any = jax.config
# What tells nothing of communication: where an operation comes from, how it is made, how its result lies in memory.
ORIGIN = re.compile(
    r", metadata=\{[^{}]*\}|^(?:FileNames|FunctionNames|FileLocations|StackFrames)\n(?:\d.*\n)*\n?", re.MULTILINE
)
MAKING = re.compile(r", (?:backend_config|frontend_attributes)=\{.*$", re.MULTILINE)
LYING = re.compile(r"(?<=\])\{[\d,]*(?::[^{}]*)?\}")


@cache
def mesh_of(chip: str, topology: str, case_mesh: tuple[int, ...]) -> Any:
    """The mesh of a trial."""
    return shardbook.chip_mesh(chip, topology, case_mesh, **axes_of(Case(case_mesh, (), ((), ()))))


def compiled(trial: Trial) -> dict[str, Any]:
    """What a compiler makes of a trial: as much of the program as tells its communication, and the log's warnings."""
    mesh = mesh_of(trial.chip, trial.topology, trial.case.mesh)
    with stderr_kept() as kept:
        text = lowered(trial.case, mesh, [shape for _, shape in trial.shapes], trial.dtype).compile().as_text()
    matter, _ = split_log("".join(kept))
    return {"text": shortened(text, dict(mesh.shape))} | logged("".join(matter))


def shortened(text: str, mesh: dict[str, int]) -> str:
    """A program without what tells nothing of communication; all of it, if something else is read from less."""
    short = ORIGIN.sub("", text)
    for attempt in (LYING.sub("", MAKING.sub("", short)), LYING.sub("", short), short):
        if read(attempt, mesh) == read(text, mesh):
            return attempt
    return text


def read(text: str, mesh: dict[str, int]) -> list[tuple[Any, ...]]:
    """What is read from a program, but for where it comes from."""
    return [
        (each.operation, each.groups, each.operands, each.results, each.times, each.asynchronous, each.bytes_per_device)
        for each in read_program(text, [mesh])
    ]


def first_line() -> bytes:
    """What is asked; what comes after it in the input ends the process, and nothing may be read ahead."""
    read = bytearray()
    while not read.endswith(b"\n"):
        read += os.read(sys.stdin.fileno(), 1 << 16)
    return bytes(read)


def tuples(read: Any) -> Any:
    """Lists, as JSON gives them, as tuples."""
    return tuple(map(tuples, read)) if isinstance(read, list) else read


def main() -> None:
    """Compile one after another."""
    config.update("jax_platforms", "cpu")
    asked = json.loads(first_line())
    threading.Thread(target=end_with_input, daemon=True).start()
    for chip, dtype, shapes, case in map(tuples, asked):
        trial = Trial(chip, dtype, shapes, Case(*case))
        print(json.dumps([trial.name, compiled(trial)]), flush=True)


if __name__ == "__main__":
    main()
