"""Run the program of a cell apart from its page: in processes of its own, or on an older JAX beside today's.

What the program printed is printed on the page, and the way it ended is raised there: an exception by its own name, a
fatal signal by that of the signal, and a program that does not end as `TimeoutExpired`.

Processes are run before the page is, several programs at once, since each waits more than it works. The page's kernel
tells how they ended, see companion.py; each process is program.py, run as a script.
"""

from __future__ import annotations

import json
import re
import signal
import socket
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from shardbook_sphinx.execution.kernels import ForkedProgram, StartedProgram, can_fork

if TYPE_CHECKING:
    from collections.abc import Callable

SECONDS = 60  # what a program may take that does not say how long it takes
USUAL_SECONDS = 2
STARTING = 120  # what importing JAX may take, on a machine that has much else to do
# What a process may take to end once its program has. JAX waits for threads of its own then, and one of Gloo's can wait
# for a process that is gone: 4 of 72 runs of a barrier over 2 x 4 devices never ended (jaxlib 0.12.0.1).
ENDING = 5
# What C++ code logs in front of its last words: `F1121 09:00:00.000000 4242 client.cc:80] `, and what follows them.
LOGGED = re.compile(r"^F\d{4} [\d:.]+ +\d+ [\w./-]+:\d+\] ", re.MULTILINE)
STACK = "*** Check failure stack trace"
# How a page's kernel, which has imported nothing of ours, comes to companion.py.
COMPANION = '__import__("shardbook_sphinx.execution.companion", fromlist=["tell"])'


class Outcome(NamedTuple):
    """What a program printed, and how it ended."""

    printed: str
    raised: tuple[str, str] | None
    """The name of an exception or of a signal with its message; ``None`` if all went well."""


def is_apart(metadata: dict[str, Any]) -> bool:
    """Whether a cell asks to be run apart.

    >>> is_apart({"kernel": "jax-0.5.3"}), is_apart({"raises": "ValueError"})
    (True, False)
    """
    return "kernel" in metadata or "processes" in metadata


def expected_seconds(metadata: dict[str, Any]) -> float:
    """How long the program of a cell may run apart: one that is stopped at its limit that long.

    >>> expected_seconds({"processes": 2, "limit": 20, "raises": "TimeoutExpired"}), expected_seconds({})
    (20, 0)
    """
    if "processes" not in metadata:
        return 0
    return metadata.get("limit", SECONDS) if metadata.get("raises") == "TimeoutExpired" else USUAL_SECONDS


def call(source: str, metadata: dict[str, Any], environment: dict[str, str]) -> str:
    """The code that a page's kernel runs instead of a cell that is run apart; its processes have ended then."""
    if "kernel" in metadata:
        return f"{COMPANION}.run_on({metadata['kernel']!r}, {source!r})"
    limit = metadata.get("limit", SECONDS)
    outcome = run_processes(environment, source, metadata["processes"], limit)
    return f"{COMPANION}.tell({outcome.printed!r}, {outcome.raised!r})"


def run_processes(environment: dict[str, str], source: str, count: int, seconds: int) -> Outcome:
    """Run a program in ``count`` processes at once, as ``python program.py NUMBER ADDRESS``, at most for ``seconds``.

    ADDRESS is where processes can meet. The outcome is that of the first of them that failed by itself. Time counts
    from when all have imported JAX, and ends when all programs have: a process that outlives its program is ended.
    """
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            address = f"127.0.0.1:{free.getsockname()[1]}"
        runs = [Run(environment, source, number, address, Path(folder)) for number in range(count)]
        wait_until(lambda: all(run.has_begun() for run in runs), STARTING)
        wait_until(lambda: all(run.has_run() for run in runs), seconds)
        late = [run for run in runs if not run.has_run()]
        if not late:
            wait_until(lambda: all(run.has_ended() for run in runs), ENDING)
        names = [f"process {number}: " if count > 1 else "" for number in range(count)]
        printed = [f"{name}{line}\n" for name, run in zip(names, runs, strict=True) for line in run.printed()]
        ends = [("TimeoutExpired", f"still running after {seconds} s") if run in late else run.end() for run in runs]
        for run in runs:
            run.process.end()
    # A process that misses another ends too, but that other one is to be told of.
    failed = [end for end in ends if end]
    return Outcome("".join(printed), min(failed, key=lambda end: end[0].startswith("SIG")) if failed else None)


def wait_until(done: Callable[[], bool], seconds: float) -> None:
    """Wait until something is so, but no longer than ``seconds``."""
    end = time.monotonic() + seconds
    while not done() and time.monotonic() < end:
        time.sleep(0.02)


class Run:
    """One process of a program, with the files it writes to."""

    def __init__(self, environment: dict[str, str], source: str, number: int, address: str, folder: Path) -> None:
        self.folder = folder / str(number)
        self.folder.mkdir()
        (self.folder / "program.py").write_text(source, encoding="utf-8")
        start = ForkedProgram if can_fork(source) else StartedProgram
        self.process = start(self.folder, environment, [str(number), address])

    def has_begun(self) -> bool:
        """Whether the program has been begun, or the process has ended before."""
        return (self.folder / "printed").is_file() or self.has_ended()

    def has_run(self) -> bool:
        """Whether the program has run to its end, or the process has ended."""
        return (self.folder / "ended").is_file() or self.has_ended()

    def has_ended(self) -> bool:
        """Whether the process has ended."""
        return self.process.poll() is not None

    def printed(self) -> list[str]:
        """The lines that the program printed."""
        file = self.folder / "printed"
        return file.read_text(encoding="utf-8").splitlines() if file.is_file() else []

    def end(self) -> tuple[str, str] | None:
        """What the process raised, or the signal that ended it with its last words; ``None`` if all went well."""
        raised = self.folder / "raised"
        if raised.is_file():
            name, message = json.loads(raised.read_text(encoding="utf-8"))
            return name, message
        code = self.process.poll()
        if not code:  # it ended well, or it still runs though its program has ended
            return None
        said = (self.folder / "err").read_text(encoding="utf-8", errors="replace")
        name = signal.Signals(-code).name if code < 0 else "SystemExit"
        words = LOGGED.split(said)[-1].partition(STACK)[0].strip()
        return name, re.sub(r"[ \t]+$", "", words, flags=re.MULTILINE)  # which come and go from run to run
