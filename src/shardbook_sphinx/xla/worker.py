"""A process that compiles cases and prints what XLA inserted: python -m shardbook_sphinx.xla.worker SHARE OF ROOT.

Nothing is allocated and nothing runs: each case is compiled for forced CPU devices and its program read. What compilers
for chips made of theirs is read from the records, and printed too. Ends with its input, so that none is left over from
a build that was stopped.
"""

from __future__ import annotations

import json
import math
import os
import sys
import threading
from pathlib import Path
from typing import Any

import jax

from shardbook import collectives
from shardbook._collectives import read_program
from shardbook_sphinx.compilers.store import CompilerRecords
from shardbook_sphinx.xla.ask import axes_of, lowered
from shardbook_sphinx.xla.cases import DEVICES, DTYPE, LETTERS, MOVED, PRODUCT, Case, cases
from shardbook_sphinx.xla.steps import steps
from shardbook_sphinx.xla.trials import CHIPS, Trial, possible, recorded_trials

# JAX declares no types for calling this.
config: Any = jax.config


def measure(case: Case) -> dict[str, Any]:
    """Compile a case; its steps in the order of the program, and whether XLA warned that it copies a whole matrix."""
    mesh = jax.make_mesh(case.mesh, **axes_of(case), devices=jax.devices()[: math.prod(case.mesh)])
    matrices = {"x": MOVED} if len(case.operands) == 1 else PRODUCT
    found = collectives(lowered(case, mesh, list(matrices.values()), DTYPE))
    return {"steps": steps(found, dict(mesh.shape), matrices, DTYPE), "warned": bool(found.warnings)}


def read_recorded(root: Path, share: int = 0, of: int = 1) -> dict[str, dict[str, Any]]:
    """The same of every so-many-th trial that is recorded, by chip and name."""
    found: dict[str, dict[str, Any]] = {}
    for chip in CHIPS:
        programs = CompilerRecords.read(recorded_trials(root, chip)).programs
        known = [trial for trial in possible(chip) if trial.name in programs]
        found[chip] = {trial.name: read_trial(trial, programs[trial.name]) for trial in known[share::of]}
    return found


def read_trial(trial: Trial, given: dict[str, str]) -> dict[str, Any]:
    """The same of one, given its program and the log."""
    sizes = dict(zip(LETTERS, trial.case.mesh, strict=False))
    told = steps(read_program(given["text"], [sizes]), sizes, dict(trial.shapes), trial.dtype)
    return {"steps": told, "warned": "log" in given}


def end_with_input() -> None:
    """Wait for the end of the input, below Python's own reader, which may not be in use when the process ends."""
    while os.read(sys.stdin.fileno(), 1):
        pass
    os._exit(1)


def main() -> None:
    """Measure every so-many-th case, beginning with the one that has our number, and print them as JSON."""
    threading.Thread(target=end_with_input, daemon=True).start()
    share, of, root = int(sys.argv[1]), int(sys.argv[2]), Path(sys.argv[3])
    config.update("jax_num_cpu_devices", DEVICES)
    found = [measure(case) for case in cases()[share::of]]
    json.dump({"jax": jax.__version__, "found": found, "chips": read_recorded(root, share, of)}, sys.stdout)


if __name__ == "__main__":
    main()
