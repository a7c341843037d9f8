"""Run the program of a cell apart from its page: in processes of its own, or on an older JAX beside today's.

Imported by the kernel of a page, so only the standard library and Jupyter's are needed. What the program prints is
printed here, and the way it ends is raised here: an exception by its own name, a fatal signal by that of the signal,
and a program that does not end as `TimeoutExpired`.
"""

from __future__ import annotations

import ast
import json
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
import traceback
from contextlib import redirect_stdout, suppress
from io import StringIO
from pathlib import Path
from typing import Any

SECONDS = 60  # what a program may take that does not say how long it takes
# What C++ code logs in front of its last words: `F1121 09:00:00.000000 4242 client.cc:80] `.
LOGGED = re.compile(r"^F\d{4} [\d:.]+ +\d+ [\w./-]+:\d+\] ", re.MULTILINE)


def options(metadata: dict[str, Any]) -> str | None:
    """What is wrong with the options by which a cell asks to be run apart, or ``None``.

    >>> options({"processes": 2}), options({"limit": 5})
    (None, 'says limit without processes, which it limits.')
    """
    if "limit" in metadata and "processes" not in metadata:
        return "says limit without processes, which it limits."
    if "kernel" in metadata and "processes" in metadata:
        return "says kernel and processes: a program runs apart in one way."
    for name in ("processes", "limit"):
        if name in metadata and (type(metadata[name]) is not int or metadata[name] < 1):
            return f"says {name}: {metadata[name]}, which must be a whole number from 1 on."
    return None


def call(source: str, metadata: dict[str, Any]) -> str | None:
    """The code that a page's kernel runs instead of a cell; ``None`` if the cell does not ask for it.

    >>> print(call("print(1)", {"processes": 2}))
    __import__("shardbook_sphinx.apart").apart.run_processes('print(1)', 2, 60)
    """
    module = '__import__("shardbook_sphinx.apart").apart'
    if "processes" in metadata:
        return f"{module}.run_processes({source!r}, {metadata['processes']}, {metadata.get('limit', SECONDS)})"
    if "kernel" in metadata:
        return f"{module}.run_on({metadata['kernel']!r}, {source!r})"
    return None


def run_processes(source: str, count: int, seconds: int) -> None:
    """Run a program in ``count`` processes at once, as ``python program.py NUMBER ADDRESS``, at most for ``seconds``.

    ADDRESS is where processes can meet. Raises what the first of them raised that failed by itself.
    """
    with socket.socket() as free, tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        free.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{free.getsockname()[1]}"
        free.close()
        runs = [Run(source, number, address, Path(folder, str(number))) for number in range(count)]
        end = time.monotonic() + seconds
        for run in runs:
            run.wait(max(0.0, end - time.monotonic()))
        late = [run for run in runs if run.process.poll() is None]
        for run in late:
            run.process.kill()
            run.process.wait()
        printed = [run.printed() for run in runs]
        for number, text in enumerate(printed):
            name = f"process {number}: " if count > 1 else ""
            print("".join(f"{name}{line}\n" for line in text.splitlines()), end="")
        ends = [("TimeoutExpired", f"still running after {seconds} s") if run in late else run.end() for run in runs]
    # A process that misses another ends too, but that other one is to be told of.
    failed = [end for end in ends if end]
    if failed:
        raise_as(*min(failed, key=lambda end: end[0].startswith("SIG")))


class Run:
    """One process of a program, with the files it writes to."""

    def __init__(self, source: str, number: int, address: str, folder: Path) -> None:
        folder.mkdir()
        self.folder = folder
        (folder / "program.py").write_text(source, encoding="utf-8")
        with (folder / "out").open("wb") as out, (folder / "err").open("wb") as err:
            command = [sys.executable, "-P", __file__, str(folder), str(number), address]
            self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out, stderr=err)

    def wait(self, seconds: float) -> None:
        with suppress(subprocess.TimeoutExpired):
            self.process.wait(seconds)

    def printed(self) -> str:
        file = self.folder / "printed"
        return file.read_text(encoding="utf-8") if file.is_file() else ""

    def end(self) -> tuple[str, str] | None:
        """What the process raised, or the signal that ended it with its last words; ``None`` if it ended well."""
        raised = self.folder / "raised"
        if raised.is_file():
            name, message = json.loads(raised.read_text(encoding="utf-8"))
            return name, message
        if not self.process.returncode:
            return None
        said = (self.folder / "err").read_text(encoding="utf-8", errors="replace")
        fatal = LOGGED.split(said)
        name = signal.Signals(-self.process.returncode).name if self.process.returncode < 0 else "SystemExit"
        return name, (fatal[1] if len(fatal) > 1 else said).strip()


def raise_as(name: str, message: str) -> None:
    """Raise an exception that Jupyter calls ``name``."""
    raise type(name, (Exception,), {})(message)


class Companion:
    """A process on another kernel's Python that runs one cell after another, like a kernel, for one page."""

    running: dict[str, Companion] = {}  # noqa: RUF012, of the class: one process a kernel

    def __init__(self, kernel: str) -> None:
        from jupyter_client.kernelspec import KernelSpecManager  # noqa: PLC0415, the older Python needs none

        python = KernelSpecManager().get_kernel_spec(kernel).argv[0]
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(
            [python, "-P", __file__], stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, encoding="utf-8"
        )

    def run(self, source: str) -> dict[str, Any]:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        print(json.dumps(source), file=self.process.stdin, flush=True)
        answer: dict[str, Any] = json.loads(self.process.stdout.readline() or '{"printed": "", "raised": null}')
        if self.process.poll() is not None:
            answer["raised"] = ("DeadKernelError", "the process on the other JAX ended")
        return answer


def run_on(kernel: str, source: str) -> None:
    """Run a program where the former ones of this page on that kernel ran; print and raise what it does."""
    if kernel not in Companion.running:
        Companion.running[kernel] = Companion(kernel)
    answer = Companion.running[kernel].run(source)
    print(answer["printed"], end="")
    if answer["raised"]:
        raise_as(*answer["raised"])


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
    sys.argv = [program.name, *arguments]
    # Collective libraries write to the other stdout, in the middle of anybody's line.
    with (folder / "printed").open("w", encoding="utf-8", buffering=1) as printed, redirect_stdout(printed):
        try:
            exec(compile(program.read_text(encoding="utf-8"), program.name, "exec"), {"__name__": "__main__"})  # noqa: S102
        except Exception as error:  # noqa: BLE001, whatever it is, it is told
            (folder / "raised").write_text(json.dumps([type(error).__name__, str(error)]), encoding="utf-8")
            traceback.print_exc()
            sys.exit(1)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        be_program(Path(sys.argv[1]), *sys.argv[2:])
    else:
        serve()
