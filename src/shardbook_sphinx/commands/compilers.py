"""Renew what compilers gave for the pages on chips, or compare them anew: the session chips.

The pages are read here; their cells run in the environment with the compilers, one page after another; then moves and
products are compiled there, in as many processes as there are cores, and the planner's plans. What is recorded already
is not compiled again, so that a renewal that was interrupted goes on where it was.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from myst_nb.core.read import is_myst_markdown_notebook, read_myst_markdown_notebook

from shardbook_sphinx.compilers import KERNEL
from shardbook_sphinx.compilers.store import COMPILERS
from shardbook_sphinx.pins import pinned
from shardbook_sphinx.planner import record as plans
from shardbook_sphinx.recorded import FOLDER, recorded_file
from shardbook_sphinx.xla.kinds import wanted
from shardbook_sphinx.xla.record import check as check_chip
from shardbook_sphinx.xla.record import renew as renew_chip
from shardbook_sphinx.xla.trials import ALL, CHIPS, all_products, moved
from shardbook_sphinx.xla.worker import read_recorded

PAGE = 15
"""Seconds for which the programs of one page are compiled again, if a check has not the time for all pages."""


def pages_on_chips(docs: Path) -> dict[str, list[dict[str, Any]]]:
    """The cells of the pages that name the kernel, each with the error that it declares."""
    found = {}
    for path in sorted(docs.rglob("*.md")):
        text = path.read_text(encoding="utf-8")
        if not is_myst_markdown_notebook(text):
            continue
        notebook = read_myst_markdown_notebook(text, path=path)
        if notebook.metadata.get("kernelspec", {}).get("name") == KERNEL:
            found[path.relative_to(docs).with_suffix("").as_posix()] = [
                {"source": cell.source, "raises": cell.metadata.get("raises", "")}
                for cell in notebook.cells
                if cell.cell_type == "code"
            ]
    return found


def renew(root: Path, python: str, names: list[str], *, check: bool, seconds: float | None = None) -> int:
    """Have each page's cells run with the compilers; how many pages went wrong."""
    pages = pages_on_chips(root / "docs")
    if unknown := set(names) - pages.keys():
        print(f"no page on {KERNEL}: {', '.join(sorted(unknown))}; there are {', '.join(pages)}")
        return 1
    wrong = 0
    begun = time.monotonic()
    chosen = names or list(pages)
    if seconds:
        # Cells take time before anything compiles: as many pages as there is time for, others each time.
        chosen = random.sample(chosen, len(chosen))
    environment = os.environ | {"JAX_PLATFORMS": "cpu", "PYTHONPATH": str(root / "src"), "PYTHONHASHSEED": "0"}
    for number, docname in enumerate(chosen):
        left = seconds - (time.monotonic() - begun) if seconds else None
        if left is not None and left <= 0:
            print(f"time is up: {number} of {len(chosen)} pages were looked at", flush=True)
            break
        with tempfile.TemporaryDirectory(prefix="sb") as folder:
            cells = Path(folder, "cells.json")
            cells.write_text(json.dumps({"docname": docname, "cells": pages[docname]}), encoding="utf-8")
            command = [python, "-m", "shardbook_sphinx.compilers.record", str(cells), str(recorded_file(root, docname))]
            print(docname, flush=True)
            command += ["--check"] if check else []
            command += [] if left is None else ["--seconds", str(min(left, PAGE))]
            wrong += bool(subprocess.call(command, env=environment, cwd=folder))
    if not check and not names:
        wanted = {recorded_file(root, docname) for docname in pages}
        for path in set((root / FOLDER).glob("*.json.xz")) - wanted:
            path.unlink()
    return wrong


def renew_trials(root: Path, python: str) -> None:
    """Have moves and products compiled that are not recorded: first those that tell of kinds."""
    for chip in ALL:
        renew_chip(root, python, chip, [*moved(chip), *all_products(chip)], others=True)
    known = read_recorded(root)
    for chip in CHIPS:
        renew_chip(root, python, chip, wanted(chip, known))


def check_trials(root: Path, python: str, seconds: float | None) -> int:
    """Compile moves and products again; 1 if something is otherwise than recorded. What changes alike is one line."""
    share = seconds / len(CHIPS) if seconds else None
    wrong = 0
    for chip in CHIPS:
        told = check_chip(root, python, chip, share)
        wrong |= bool(told)
        for change, names in sorted(told.items(), key=lambda each: -len(each[1])):
            print(f"  {len(names)} × {change}\n      {names[0]}", flush=True)
    return wrong


def told_releases(python: str) -> str:
    """The releases of the compilers in an environment, if they are not the pinned."""
    program = f"from importlib.metadata import version; print(*map(version, {COMPILERS}))"
    releases = subprocess.check_output([python, "-c", program], encoding="utf-8").split()
    pins = pinned("chips")
    other = [
        f"{name} {release} against the recorded {pins[name]}"
        for name, release in zip(COMPILERS, releases, strict=True)
        if release != pins[name]
    ]
    return ", ".join(other)


def main() -> int:
    """Read the command line and renew."""
    parser = argparse.ArgumentParser()
    parser.add_argument("python", help="the interpreter of the environment with the compilers")
    parser.add_argument("pages", nargs="*", metavar="PAGE", help="this page alone")
    parser.add_argument("--check", action="store_true", help="compile all again and compare with the records")
    parser.add_argument("--seconds", type=float, help="check by chance as much as can be compiled in that time")
    arguments = parser.parse_args()
    root, python = Path.cwd(), arguments.python
    share = arguments.seconds / 3 if arguments.seconds else None
    if arguments.check and (other := told_releases(python)):
        print(other, flush=True)
    wrong = renew(root, python, arguments.pages, check=arguments.check, seconds=share)
    if arguments.pages:
        return wrong
    if arguments.check:
        return wrong + check_trials(root, python, share) + plans.check(root, python, share)
    renew_trials(root, python)
    plans.renew(root, python)
    return wrong


if __name__ == "__main__":
    sys.exit(main())
