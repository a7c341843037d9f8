"""The record of plans, docs/_data/plans.json: read, renewed by the compilers of chips, or compared with them anew."""

from __future__ import annotations

import ast
import json
import os
import random
import subprocess
import time
from pathlib import Path
from subprocess import PIPE
from typing import TYPE_CHECKING, Any

from shardbook_sphinx.compilers.store import COMPILERS, REMEDY, sealed
from shardbook_sphinx.exceptions import HandbookError
from shardbook_sphinx.pins import pinned
from shardbook_sphinx.planner.plans import FOLDER, PlanOnChip, drawn, first

if TYPE_CHECKING:
    from collections.abc import Iterator

RECORD = Path("docs", "_data", "plans.json")


def made_by(root: Path) -> dict[str, str]:
    """What determines what compilers give: their releases, and what the step says, without its comments."""
    step = ast.dump(ast.parse((root / FOLDER / "step.py").read_text(encoding="utf-8")))
    return {name: pinned("chips")[name] for name in COMPILERS} | {"step.py": sealed(step)}


def read(root: Path) -> dict[str, dict[str, Any]]:
    """What compilers gave, by a trial's name.

    Raises
    ------
    HandbookError
        If it was made by other compilers, or of another step.
    """
    recorded = json.loads((root / RECORD).read_text(encoding="utf-8"))
    if recorded["made_by"] != made_by(root):
        raise HandbookError(f"{RECORD} was made by other compilers, or of another step: {REMEDY}")
    plans: dict[str, dict[str, Any]] = recorded["plans"]
    return plans


def write(root: Path, plans: dict[str, dict[str, Any]]) -> None:
    """Write the record, a line for each plan."""
    lines = ",\n".join(
        f"    {json.dumps(name, ensure_ascii=False)}: {json.dumps(plans[name])}" for name in sorted(plans)
    )
    made = json.dumps(made_by(root))
    text = f'{{\n  "made_by": {made},\n  "plans": {{\n{lines}\n  }}\n}}\n'
    (root / RECORD).write_text(text, encoding="utf-8", newline="\n")


def compiling(root: Path, python: str, trials: list[PlanOnChip]) -> Iterator[tuple[str, dict[str, Any]]]:
    """What compilers give, by a plan's name, as it comes; the process ends with the iteration."""
    environment = os.environ | {"JAX_PLATFORMS": "cpu", "PYTHONPATH": str(root / "src"), "PYTHONHASHSEED": "0"}
    command = [python, "-m", "shardbook_sphinx.planner.compile_plans", str(root)]
    with subprocess.Popen(command, env=environment, encoding="utf-8", stdin=PIPE, stdout=PIPE) as process:
        assert process.stdin is not None and process.stdout is not None  # noqa: PT018, as they are piped
        process.stdin.write(json.dumps(trials) + "\n")
        process.stdin.close()
        try:
            for line in process.stdout:
                name, given, taken = json.loads(line)
                print(f"{taken:6.1f} s  {name}", flush=True)
                yield name, given
        finally:
            process.terminate()
    if process.returncode > 0:
        raise HandbookError(f"the process that compiles plans ended with {process.returncode}: run it again")


def renew(root: Path, python: str) -> None:
    """Have what is not recorded compiled; what is no plan any more goes. What came is kept at once."""
    try:
        known = read(root)
    except (HandbookError, FileNotFoundError):
        known = {}
    wanted = [*first(), *drawn(root)]
    names = {trial.name for trial in wanted}
    plans = {name: given for name, given in known.items() if name in names}
    missing = [trial for trial in wanted if trial.name not in plans]
    print(f"{len(wanted)} plans, {len(missing)} to compile", flush=True)
    for name, given in compiling(root, python, missing) if missing else ():
        plans[name] = given
        write(root, plans)
    if plans != known:
        write(root, plans)


def check(root: Path, python: str, seconds: float | None) -> int:
    """Compile recorded plans again, in an order by chance and as many as the seconds allow; how many are otherwise."""
    recorded = read(root)
    trials = [trial for trial in (*first(), *drawn(root)) if trial.name in recorded]
    shuffled = random.sample(trials, len(trials))
    begun, compiled, wrong = time.monotonic(), 0, 0
    for name, given in compiling(root, python, shuffled):
        compiled += 1
        if given != recorded[name]:
            wrong += 1
            print(f"{name}: {given} against {recorded[name]} in {RECORD}", flush=True)
        if seconds and time.monotonic() - begun > seconds:
            break
    print(f"plans: compiled {compiled} of {len(trials)}, {wrong} are otherwise than recorded", flush=True)
    return wrong
