"""Have the compilers of chips make trials, and keep what they give: in several processes, and going on where it was.

What came stands in a journal until all of a chip has, so that an interruption loses nothing.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import threading
import time
from collections import Counter
from queue import SimpleQueue
from subprocess import PIPE
from typing import TYPE_CHECKING, Any

from shardbook_sphinx.compilers.differences import differences
from shardbook_sphinx.compilers.store import COMPILERS, CompilerRecords
from shardbook_sphinx.exceptions import HandbookError
from shardbook_sphinx.pins import pinned
from shardbook_sphinx.xla.trials import possible, recorded_trials
from shardbook_sphinx.xla.worker import read_trial

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from shardbook_sphinx.xla.trials import Trial

PROGRESS = 20  # seconds between lines that say how far it is


class Workers:
    """Processes that compile, each its share of the trials; they end with the block, or when this process does."""

    def __init__(self, root: Path, python: str, trials: list[Trial]) -> None:
        environment = os.environ | {"JAX_PLATFORMS": "cpu", "PYTHONPATH": str(root / "src"), "PYTHONHASHSEED": "0"}
        command = [python, "-m", "shardbook_sphinx.xla.compile_trials"]
        self.lines: SimpleQueue[str | None] = SimpleQueue()
        self.processes: list[Any] = []
        self.readers: list[threading.Thread] = []
        count = min(os.cpu_count() or 1, len(trials))
        for place in range(count):
            process: Any = subprocess.Popen(command, env=environment, encoding="utf-8", stdin=PIPE, stdout=PIPE)
            reader = threading.Thread(target=self.read, args=(process,))
            reader.start()
            process.stdin.write(json.dumps(trials[place::count]) + "\n")
            process.stdin.flush()
            self.processes.append(process)
            self.readers.append(reader)

    def read(self, process: Any) -> None:
        """Pass on what a process prints, and at last that it has ended."""
        for line in process.stdout:
            self.lines.put(line)
        self.lines.put(None)

    def given(self) -> Iterator[tuple[str, Any]]:
        """What the compilers give, by a trial's name, as it comes."""
        left = len(self.processes)
        while left:
            line = self.lines.get()
            if line is None:
                left -= 1
            else:
                name, given = json.loads(line)
                yield name, given
        if failed := [process.returncode for process in self.processes if process.wait()]:
            raise HandbookError(f"a process that compiles ended with {failed[0]}: run it again, what came is kept")

    def __enter__(self) -> Iterator[tuple[str, Any]]:
        return self.given()

    def __exit__(self, *_: object) -> None:
        for process in self.processes:
            process.stdin.close()  # it ends with its input
        for process, reader in zip(self.processes, self.readers, strict=True):
            process.wait()
            reader.join()
            process.stdout.close()


class Journal:
    """What came so far of a chip, a line each, by these compilers."""

    def __init__(self, root: Path, chip: str, versions: dict[str, str]) -> None:
        self.path = root / ".build" / "compilers" / f"{chip}.jsonl"
        self.head = json.dumps(versions, sort_keys=True)

    def read(self) -> dict[str, Any]:
        """What was written; a line that was cut off is none."""
        if not self.path.is_file():
            return {}
        head, *lines = self.path.read_text(encoding="utf-8").split("\n")
        return dict(json.loads(line) for line in lines[:-1]) if head == self.head else {}

    def write(self, lines: Iterable[tuple[str, Any]]) -> Iterator[tuple[str, Any]]:
        """Add what comes."""
        known = self.read()
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("w", encoding="utf-8", newline="\n") as file:
            file.write("\n".join([self.head, *map(json.dumps, known.items()), ""]))
            for line in lines:
                file.write(json.dumps(line) + "\n")
                file.flush()
                yield line


def renew(root: Path, python: str, chip: str, trials: list[Trial], *, others: bool = False) -> None:
    """Have what is not recorded compiled; what else is recorded stays only with ``others``."""
    path = recorded_trials(root, chip)
    pins = pinned("chips")
    versions = {name: pins[name] for name in COMPILERS}
    old = CompilerRecords.read(path)
    journal = Journal(root, chip, versions)
    programs = (old.programs if old.versions == versions else {}) | journal.read()
    missing = [trial for trial in trials if trial.name not in programs]
    print(f"{chip}: {len(trials)} trials, {len(missing)} to compile", flush=True)
    begun = told = time.monotonic()
    with Workers(root, python, missing) as coming:
        for done, (name, given) in enumerate(journal.write(coming), 1):
            programs[name] = given
            if time.monotonic() - told > PROGRESS:
                told = time.monotonic()
                left = (told - begun) / done * (len(missing) - done)
                print(f"  {done} of {len(missing)}, {left / 60:.0f} min left", flush=True)
    names = sorted(programs if others else {trial.name for trial in trials})
    new = CompilerRecords(versions, {}, {name: programs[name] for name in names})
    if vars(new) != vars(old):
        new.write(path)
    journal.path.unlink(missing_ok=True)
    print(f"{chip}: {path.stat().st_size} bytes", flush=True)


def check(root: Path, python: str, chip: str, seconds: float | None) -> dict[str, list[str]]:
    """Compile again what is recorded for a chip, or by chance what the seconds allow; what is otherwise, and where."""
    programs = CompilerRecords.read(recorded_trials(root, chip)).programs
    trials = {trial.name: trial for trial in possible(chip) if trial.name in programs}
    shuffled = random.sample(list(trials.values()), len(trials))
    begun, compiled = time.monotonic(), 0
    told: dict[str, list[str]] = {}
    with Workers(root, python, shuffled) as coming:
        for name, given in coming:
            compiled += 1
            if differences(given, programs[name]):
                told.setdefault(change(trials[name], programs[name], given), []).append(name)
            if seconds and time.monotonic() - begun > seconds:
                break
    changed = sum(map(len, told.values()))
    print(f"{chip}: compiled {compiled} of {len(trials)}, {changed} are otherwise than recorded", flush=True)
    return told


def change(trial: Trial, was: dict[str, str], now: dict[str, str]) -> str:
    """What is otherwise in the steps of a trial, in a line."""
    before, after = (steps_in_short(read_trial(trial, given)) for given in (was, now))
    return f"{before} → {after}" if before != after else "another program with the same steps"


def steps_in_short(found: dict[str, Any]) -> str:
    """The operations of a program, each once with its number.

    >>> step = {"kind": "all-gather", "of": "b", "fraction": 0.75}
    >>> steps_in_short({"steps": [step, step], "warned": False})
    '2 all-gather of b (0.75)'
    """
    counted = Counter(f"{step['kind']} of {step['of']} ({step['fraction']:g})" for step in found["steps"])
    told = [f"{count} {step}" for step, count in counted.items()] + (["a warning"] if found["warned"] else [])
    return ", ".join(told) or "nothing"
