"""Run modules of Python in processes that have imported already what is not the handbook's own: half of a small build.

Started as a script this is the process that the others are forked from, one for each line on its standard input. It
has loaded nothing of ``shardbook_sphinx``: each process takes that from the folder that it is to build.
"""

import atexit
import importlib
import json
import os
import runpy
import signal
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path

PRELOADED = (
    "furo",
    "jax",
    "jupyter_cache",
    "myst_nb.sphinx_ext",
    "nbclient",
    "sphinx.application",
    "sphinx.builders.gettext",
    "sphinx.builders.html",
    "sphinx.builders.linkcheck",
    "sphinx.ext.doctest",
    "sphinx_copybutton",
    "sphinx_design",
)
LONGEST = 900  # seconds, after which a process that hangs is ended


@cache
def server() -> subprocess.Popen[str]:
    """The process that others are forked from; it ends with this one."""
    pipe = subprocess.PIPE
    started = subprocess.Popen([sys.executable, "-P", __file__], text=True, stdin=pipe, stdout=pipe)
    atexit.register(started.communicate)
    return started


def run(command: tuple[str, ...], folder: Path, environment: dict[str, str]) -> tuple[int, str]:
    """Run ``python -m COMMAND`` in a folder: its exit code, and what it printed."""
    process = server()
    assert process.stdin is not None
    assert process.stdout is not None
    with tempfile.NamedTemporaryFile() as printed:
        request = {"command": command, "folder": str(folder), "environment": environment, "printed": printed.name}
        print(json.dumps(request), file=process.stdin, flush=True)
        code = int(process.stdout.readline())
        return code, Path(printed.name).read_text(encoding="utf-8", errors="replace")


def become(command: list[str], folder: str, environment: dict[str, str], printed: str) -> None:
    """Be ``python -m COMMAND`` in a process just forked, until it exits."""
    signal.alarm(LONGEST)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(os.open(printed, os.O_WRONLY), 1)
    os.dup2(1, 2)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    sys.path[:0] = [folder, *environment.get("PYTHONPATH", "").split(os.pathsep)]
    sys.argv = list(command)
    runpy.run_module(command[0], run_name="__main__", alter_sys=True)
    sys.exit()


def main() -> None:
    """Fork a process for each request and answer with its exit code."""
    for name in PRELOADED:
        importlib.import_module(name)
    for line in sys.stdin:
        process = os.fork()
        if not process:
            become(**json.loads(line))
        _, status = os.waitpid(process, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)


if __name__ == "__main__":
    main()
