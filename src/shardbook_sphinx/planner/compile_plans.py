"""A process that compiles plans for chips and prints what came, a line each: in the environment of the compilers.

The plans come as a line of JSON, and where the handbook's checkout is as the argument.
"""

from __future__ import annotations

import json
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import jax
from jax.sharding import AxisType

import shardbook
from shardbook._stderr import stderr_kept
from shardbook_sphinx.planner.plans import TOPOLOGIES, PlanOnChip, load, planned

config: Any = jax.config


def compiled(root: Path, trial: PlanOnChip) -> dict[str, Any]:
    """What a compiler makes of a plan: what its device holds and receives, along which axes; or its refusal."""
    step, plan = load(root, "step"), planned(root, trial)
    lengths = (plan.data, plan.fsdp, plan.sequence, plan.tensor)
    auto = (AxisType.Auto,) * len(lengths)
    topology = TOPOLOGIES[trial.chip][trial.devices]
    mesh = shardbook.chip_mesh(trial.chip, topology, lengths, axis_names=step.AXES, axis_types=auto)
    lowered = step.step_on(mesh, plan).lower(*step.described(plan))
    try:
        with stderr_kept():  # warnings, which no plan shows
            made = lowered.compile()
    except jax.errors.JaxRuntimeError as error:
        return {"refused": str(error).partition(" HLO module")[0]}
    device, received = shardbook.memory(made).device, Counter[str]()
    for each in shardbook.collectives(made):
        received[" ".join(each.axes or ["other"])] += (each.times or 0) * each.bytes_per_device
    return {
        "arguments": device.arguments,
        "temporaries": device.temporaries,
        "received": dict(sorted(received.items())),
    }


def main() -> None:
    """Compile one after another."""
    config.update("jax_platforms", "cpu")
    root = Path(sys.argv[1])
    for asked in json.loads(sys.stdin.readline()):
        trial, begun = PlanOnChip(*asked), time.monotonic()
        given = compiled(root, trial)
        print(json.dumps([trial.name, given, round(time.monotonic() - begun, 1)]), flush=True)


if __name__ == "__main__":
    main()
