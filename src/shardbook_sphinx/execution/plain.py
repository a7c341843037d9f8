"""Run the cells of a page one after another, without Jupyter: what the build's time is compared with.

Run as a script, on the Python of the page's kernel, with a file of JSON.
"""

from __future__ import annotations

import ast
import json
import linecache
import os
import sys
from pathlib import Path
from typing import Any

from shardbook_sphinx.compilers import CELL


def run(cells: list[dict[str, Any]]) -> None:
    """Run ``cells``, each a ``source`` with its ``metadata``; what one declares to raise it must raise.

    >>> run([{"source": "a = 2", "metadata": {}}, {"source": "a / 0", "metadata": {"raises": "ZeroDivisionError"}}])
    >>> run([{"source": "a = 2", "metadata": {"raises": "ZeroDivisionError"}}])
    Traceback (most recent call last):
        ...
    AssertionError: cell 1 should raise ZeroDivisionError, but raised nothing
    """
    names: dict[str, Any] = {"__name__": "__main__"}
    for place, cell in enumerate(cells, 1):
        source, metadata, raised = cell["source"], cell["metadata"], None
        if "processes" in metadata or "kernel" in metadata:
            # Not above: the Python of an old release has nothing that starts kernels.
            from shardbook_sphinx.execution import programs  # noqa: PLC0415

            source = programs.call(source, metadata, dict(os.environ))
        name = CELL.format(place)
        lines = f"{source}\n".splitlines(keepends=True)
        linecache.cache[name] = (len(source), None, lines, name)
        try:
            # As at a prompt, which shows values: some errors come only then.
            shown = ast.Interactive(ast.parse(source).body)
            exec(compile(shown, name, "single"), names)  # noqa: S102, the handbook's own cells
        except Exception as error:
            raised = type(error).__name__
            if raised != metadata.get("raises"):
                raise
            sys.last_value = error
        if raised != metadata.get("raises"):
            raise AssertionError(f"cell {place} should raise {metadata['raises']}, but raised nothing")


if __name__ == "__main__":
    page = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    if page["records"]:
        from shardbook_sphinx.compilers.replay import install

        install(page["records"])
    run(page["cells"])
    os._exit(0)  # as a kernel ends: nobody waits for what it leaves running
