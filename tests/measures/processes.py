"""Run every cell of several processes again and again, as a build runs it: ``python -m measures.processes ROUNDS [PAGE]``.

A run that does not end as its cell announces is told at once, with what it printed, and nothing is tried a second time;
at the end each cell has a row. In the environment of the site, with tests/ and src/ on PYTHONPATH.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, NamedTuple

from myst_nb.core.read import is_myst_markdown_notebook, read_myst_markdown_notebook

from shardbook_sphinx.execution.kernels import kernel_environment
from shardbook_sphinx.execution.programs import SECONDS, run_processes

DOCS = Path(__file__).parents[2] / "docs"


class Cell(NamedTuple):
    """A cell that starts several processes."""

    name: str
    source: str
    metadata: dict[str, Any]


def cells(docs: Path, page: str = "") -> list[Cell]:
    """Those of all pages, or of one, in their order."""
    found = []
    for path in sorted(docs.rglob("*.md")):
        text, name = path.read_text(encoding="utf-8"), path.relative_to(docs).with_suffix("").as_posix()
        if page not in {"", name} or not is_myst_markdown_notebook(text):
            continue
        code = [cell for cell in read_myst_markdown_notebook(text, path=path).cells if cell.cell_type == "code"]
        found += [
            Cell(f"{name} {number}", cell.source, cell.metadata)
            for number, cell in enumerate(code, 1)
            if "processes" in cell.metadata
        ]
    return found


def run(cell: Cell, environment: dict[str, str]) -> tuple[str, float]:
    """What was wrong with one run, "" if nothing was, and its seconds."""
    begun = time.monotonic()
    outcome = run_processes(environment, cell.source, cell.metadata["processes"], cell.metadata.get("limit", SECONDS))
    taken = time.monotonic() - begun
    name, message = outcome.raised or ("", "")
    if name == cell.metadata.get("raises", ""):
        return "", taken
    return f"ended with {name or 'nothing raised'}: {message}\n{outcome.printed}", taken


def measure(found: list[Cell], rounds: int) -> dict[str, list[tuple[str, float]]]:
    """Run each cell so often, one after another, round after round."""
    environment = kernel_environment(tempfile.gettempdir())
    runs: dict[str, list[tuple[str, float]]] = {cell.name: [] for cell in found}
    for number in range(1, rounds + 1):
        for cell in found:
            wrong, taken = run(cell, environment)
            runs[cell.name].append((wrong, taken))
            if wrong:
                print(f"round {number}, {cell.name} {wrong}", flush=True)
    return runs


def main() -> int:
    """Print a row for each cell; 1 if a run went wrong."""
    rounds, page = int(sys.argv[1]), "".join(sys.argv[2:3])
    runs = measure(cells(DOCS, page), rounds)
    print(f"{'cell':40}{'runs':>6}{'wrong':>7}{'median s':>10}{'most s':>8}")
    for name, each in runs.items():
        taken = [seconds for _, seconds in each]
        wrong = sum(bool(told) for told, _ in each)
        print(f"{name:40}{len(each):6}{wrong:7}{statistics.median(taken):10.1f}{max(taken):8.1f}")
    wrong = sum(bool(told) for each in runs.values() for told, _ in each)
    print(f"{sum(map(len, runs.values()))} runs, {wrong} wrong")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
