"""Time the build, as ratios of one run: python -m shardbook_sphinx.commands.bench [--runs N].

All is done in a copy of the checkout, so that nothing of yours is warm, and repeated; medians are printed.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

from jupyter_client.kernelspec import get_kernel_spec
from myst_nb.core.read import is_myst_markdown_notebook, read_myst_markdown_notebook

from shardbook_sphinx.commands.checkouts import copy_checkout
from shardbook_sphinx.compilers import KERNEL as CHIPS
from shardbook_sphinx.execution import plain
from shardbook_sphinx.execution.kernels import kernel_environment
from shardbook_sphinx.recorded import recorded_file
from shardbook_sphinx.xla.cases import are_wanted
from shardbook_sphinx.xla.tables import Measurers

if TYPE_CHECKING:
    from collections.abc import Callable

BUILD = [sys.executable, "-m", "shardbook_sphinx.commands.build"]


def seconds(action: Callable[[], object]) -> float:
    """How long an action takes, in seconds."""
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


def run(root: Path, *arguments: str) -> str:
    """Build the copy at ``root``; what the build printed."""
    environment = os.environ | {"PYTHONPATH": str(root / "src")}
    done = subprocess.run([*BUILD, *arguments], cwd=root, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(done.stdout + done.stderr)
    return done.stdout


def write_scripts(docs: Path, folder: Path) -> list[list[str]]:
    """Write each page's cells where ``execution/plain.py`` reads them; the command that runs each on its kernel."""
    commands = []
    for path in sorted(docs.rglob("*.md")):
        text = path.read_text(encoding="utf-8")
        if not is_myst_markdown_notebook(text):
            continue
        notebook = read_myst_markdown_notebook(text, path=path)
        docname, kernel = path.relative_to(docs).with_suffix("").as_posix(), notebook.metadata.kernelspec.name
        cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
        page = {
            "records": str(recorded_file(docs.parent, docname)) if kernel == CHIPS else "",
            "cells": [{"source": cell.source, "metadata": cell.metadata} for cell in cells],
        }
        script = folder / f"{docname.replace('/', '-')}.json"
        script.write_text(json.dumps(page), encoding="utf-8")
        interpreter = get_kernel_spec("python3" if kernel == CHIPS else kernel).argv[0]
        commands.append([sys.executable if interpreter == "python" else interpreter, "-P", plain.__file__, str(script)])
    return commands


def edit_paragraph(root: Path) -> None:
    """Add a sentence to the first paragraph that stands on one line, in English and in its translation."""
    page = root / "docs/learn/devices.md"
    catalogue = root / "docs/locale/zh_CN/LC_MESSAGES/learn/devices.po"
    text, messages = page.read_text(encoding="utf-8"), catalogue.read_text(encoding="utf-8")
    for line in text.splitlines():
        if line.endswith(".") and (old := f"msgid {json.dumps(line, ensure_ascii=False)}\n") in messages:
            page.write_text(text.replace(line, f"{line} Again."), encoding="utf-8")
            new = f"msgid {json.dumps(f'{line} Again.', ensure_ascii=False)}\n"
            catalogue.write_text(messages.replace(old, new), encoding="utf-8")
            return
    sys.exit(f"{page}: no paragraph on one line is also a message on one line")


def measure(checkout: Path) -> dict[str, float]:
    """One run of everything, in seconds."""
    with tempfile.TemporaryDirectory() as name:
        root, scripts = Path(name, "copy"), Path(name, "scripts")
        copy_checkout(checkout, root)
        scripts.mkdir()
        times = {}
        environment = kernel_environment(name)
        commands = write_scripts(root / "docs", scripts)

        def run_scripts() -> None:
            for command in commands:
                subprocess.run(command, env=environment, cwd=name, check=True, stdout=subprocess.DEVNULL)
            if are_wanted(root / "docs"):
                Measurers.start(root, 1)
                Measurers.finish(root)

        times["scripts"] = seconds(run_scripts)
        times["english"] = seconds(lambda: run(root, "--only", "en"))
        shutil.rmtree(root / ".build")
        shutil.rmtree(root / "site")
        times["both"] = seconds(lambda: run(root))
        edit_paragraph(root)
        printed: list[str] = []
        times["edited"] = seconds(lambda: printed.append(run(root)))
        if re.search(r"^en \| ran \[", printed[0], re.MULTILINE):
            sys.exit("the rebuild after an edited paragraph started a kernel:\n" + printed[0])
        times["unchanged"] = seconds(lambda: run(root))
        return times


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--runs", type=int, default=3, help="how often to measure everything")
    runs = []
    for number in range(1, (count := parser.parse_args().runs) + 1):
        runs.append(measure(Path.cwd()))
        print(
            f"run {number}/{count}: " + ", ".join(f"{name} {value:.1f} s" for name, value in runs[-1].items()),
            flush=True,
        )
    rows = [
        ("(a) cold build of both languages / cells and measurements, in turn", lambda t: t["both"] / t["scripts"], 1.0),
        ("(b) what the second language adds / cold build", lambda t: (t["both"] - t["english"]) / t["both"], 0.20),
        ("(c) rebuild after one edited paragraph / cold build", lambda t: t["edited"] / t["both"], 0.15),
        ("(d) rebuild with nothing changed / cold build", lambda t: t["unchanged"] / t["both"], 0.08),
    ]
    machine = f"{os.cpu_count()} cores, Python {platform.python_version()}, {platform.system()}"
    print(f"{datetime.now(UTC):%Y-%m-%d}, {machine}, median of {count} runs")
    for label, ratio, target in rows:
        print(f"{label:62} {median(map(ratio, runs)):5.2f}  (target ≤ {target:.2f})")


if __name__ == "__main__":
    main()
