"""A process that runs a program apart from its page; run as a script, on whichever JAX.

With a folder, it runs the program that is there and leaves what it printed and raised. Without, it runs one cell after
another, as JSON on its input, and answers each.
"""

from __future__ import annotations

import ast
import importlib
import json
import os
import sys
import traceback
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any


def execute(source: str, namespace: dict[str, Any]) -> None:
    """Run a program as a prompt does: what it ends with is printed."""
    tree = ast.parse(source)
    last = tree.body[-1]
    shown = ast.Interactive([tree.body.pop()]) if isinstance(last, ast.Expr) else None
    exec(compile(tree, "<cell>", "exec"), namespace)  # noqa: S102, the page's own program
    if shown:
        exec(compile(shown, "<cell>", "single"), namespace)  # noqa: S102


def serve() -> None:
    """Answer each program on standard input, as JSON, with what it printed and raised, until the input ends."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what C++ code prints is no answer
    namespace: dict[str, Any] = {"__name__": "__main__"}
    for line in sys.stdin:
        raised = None
        with redirect_stdout(StringIO()) as printed:
            try:
                execute(json.loads(line), namespace)
            except Exception as error:  # noqa: BLE001, whatever it is, it is told
                raised = type(error).__name__, str(error)
        print(json.dumps({"printed": printed.getvalue(), "raised": raised}), file=answers, flush=True)


def be_program(folder: Path, *arguments: str) -> None:
    """Run the program in a folder; leave there what it printed and raised."""
    program = folder / "program.py"
    source = program.read_text(encoding="utf-8")
    sys.argv = [program.name, *arguments]
    if "environ" not in source:  # which JAX reads while it is imported
        importlib.import_module("jax")
    # Collective libraries write to the other stdout, in the middle of anybody's line.
    with (folder / "printed").open("w", encoding="utf-8", buffering=1) as printed, redirect_stdout(printed):
        try:
            exec(compile(source, program.name, "exec"), {"__name__": "__main__"})  # noqa: S102
            status = 0
        except Exception as error:  # noqa: BLE001, whatever it is, it is told
            (folder / "raised").write_text(json.dumps([type(error).__name__, str(error)]), encoding="utf-8")
            traceback.print_exc()
            status = 1
    (folder / "ended").touch()
    sys.exit(status)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        be_program(Path(sys.argv[1]), *sys.argv[2:])
    else:
        serve()
