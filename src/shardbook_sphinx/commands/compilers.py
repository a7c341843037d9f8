"""Renew what compilers gave for the pages on chips, or compare them anew: the session chips.

The pages are read here; their cells run in the environment with the compilers, one page after another. What is recorded
already is not compiled again, so that a renewal that was interrupted goes on where it was.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from myst_nb.core.read import is_myst_markdown_notebook, read_myst_markdown_notebook

from shardbook_sphinx.compilers import KERNEL
from shardbook_sphinx.recorded import FOLDER, recorded_file


def pages_on_chips(docs: Path) -> dict[str, list[dict[str, Any]]]:
    """The cells of the pages that name the kernel, each with the error that it declares."""
    found = {}
    for path in sorted(docs.rglob("*.md")):
        text = path.read_text(encoding="utf-8")
        if not is_myst_markdown_notebook(text):
            continue
        notebook = read_myst_markdown_notebook(text)
        if notebook.metadata.get("kernelspec", {}).get("name") == KERNEL:
            found[path.relative_to(docs).with_suffix("").as_posix()] = [
                {"source": cell.source, "raises": cell.metadata.get("raises", "")}
                for cell in notebook.cells
                if cell.cell_type == "code"
            ]
    return found


def renew(root: Path, python: str, names: list[str], *, check: bool) -> int:
    """Have each page's cells run with the compilers; how many pages went wrong."""
    pages = pages_on_chips(root / "docs")
    if unknown := set(names) - pages.keys():
        print(f"no page on {KERNEL}: {', '.join(sorted(unknown))}; there are {', '.join(pages)}")
        return 1
    wrong = 0
    environment = os.environ | {"JAX_PLATFORMS": "cpu", "PYTHONPATH": str(root / "src"), "PYTHONHASHSEED": "0"}
    for docname in names or pages:
        with tempfile.TemporaryDirectory(prefix="sb") as folder:
            cells = Path(folder, "cells.json")
            cells.write_text(json.dumps({"docname": docname, "cells": pages[docname]}), encoding="utf-8")
            command = [python, "-m", "shardbook_sphinx.compilers.record", str(cells), str(recorded_file(root, docname))]
            print(docname, flush=True)
            wrong += bool(subprocess.call([*command, *(["--check"] if check else [])], env=environment, cwd=folder))
    if not check and not names:
        wanted = {recorded_file(root, docname) for docname in pages}
        for path in set((root / FOLDER).glob("*.json.xz")) - wanted:
            path.unlink()
    return wrong


def main() -> int:
    """Read the command line and renew."""
    parser = argparse.ArgumentParser()
    parser.add_argument("python", help="the interpreter of the environment with the compilers")
    parser.add_argument("pages", nargs="*", metavar="PAGE")
    parser.add_argument("--check", action="store_true", help="compile all again and compare with the records")
    arguments = parser.parse_args()
    return renew(Path.cwd(), arguments.python, arguments.pages, check=arguments.check)


if __name__ == "__main__":
    sys.exit(main())
