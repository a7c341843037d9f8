"""Run a page's cells with the real compilers and record what they give: python -m shardbook_sphinx.compilers.record.

It runs in the environment that holds the compilers, and needs nothing of the site's but this package's wing.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import sys
import time
import traceback
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jax

from shardbook._stderr import stderr_kept
from shardbook._xla_warnings import split_log
from shardbook_sphinx.compilers import CELL
from shardbook_sphinx.compilers.differences import differences
from shardbook_sphinx.compilers.replay import Recorded
from shardbook_sphinx.compilers.seams import Seams
from shardbook_sphinx.compilers.store import COMPILERS, CompilerRecords, mesh_key, program_key

if TYPE_CHECKING:
    from shardbook import _chips

# The path of a file in a program's table, but for those of cells; of it, the name.
PATH = re.compile(r'"(?!/tmp/ipykernel_)/[^"\n]*/([^"\n/]*\.py)"')
# A frame of those who asked in the text of a refusal, but for those of cells.
ASKED = re.compile(r"^  (?!/tmp/ipykernel_)\S.*:\d+(?::\d+)? \[.*\]\n?", re.MULTILINE)
# When, and in which thread, a message of a log was written.
WHEN = re.compile(r"^([IWEF])\d{4} [\d:.]+ +\d+ ", re.MULTILINE)


class Recorder:
    """Compiles what is not recorded yet, and keeps it at once: an interruption loses one program."""

    def __init__(self, path: Path, *, check: bool, seconds: float | None = None) -> None:
        self.path, self.check = path, check
        self.until = time.monotonic() + seconds if seconds else None
        self.old = CompilerRecords.read(path)
        self.new = CompilerRecords(versions={name: version(name) for name in COMPILERS})
        if self.old.versions != self.new.versions and not check:
            self.old = CompilerRecords()
        self.compiled = 0
        self.differ: list[str] = []
        Seams(self.devices_of, self.order_of, self.compile_of)

    def devices_of(self, chip: _chips.Chip, sizes: tuple[int, ...], slices: int, real: Any) -> list[Any]:
        """The real devices."""
        key = mesh_key(chip.name, sizes, slices)
        try:
            found: list[Any] = real(chip, sizes, slices)
        except ValueError as refusal:
            self.new.devices[key] = str(refusal)
            raise
        self.new.devices[key] = [[each.id, getattr(each, "slice_index", 0), each.process_index] for each in found]
        return found

    def order_of(self, _devices: list[Any], _sizes: tuple[int, ...], name: str, real: Any) -> Any:
        """The order that JAX gives them."""
        try:
            found = real()
        except NotImplementedError as refusal:
            self.new.devices[name] = str(refusal)
            raise
        self.new.devices[name] = [device.id for device in found.flat]
        return found

    def compile_of(self, lowered: jax.stages.Lowered, options: dict[str, Any] | None, key: str, real: Any) -> Any:
        """Compile what is not recorded; all, and compare, if that is asked for."""
        program = program_key(lowered, key, options)
        known = self.old.programs.get(program)
        if program in self.new.programs:
            given = self.new.programs[program]
        elif known is None or (self.check and self.is_due()):
            begun = time.perf_counter()
            given = compiled(lowered, options, real)
            self.compiled += 1
            print(f"  {key}: {time.perf_counter() - begun:.1f} s", flush=True)
            if known is not None and (other := differences(given, known)):
                self.differ.append(f"{key}: {', '.join(other)}")
        else:
            given = known
        new = program not in self.new.programs | self.old.programs
        self.new.programs[program] = given
        if new and not self.check:
            self.kept().write(self.path)
        sys.stderr.write(given.get("log", ""))
        if "refusal" in given:
            raise jax.errors.JaxRuntimeError(given["refusal"])
        return Recorded(given, lowered)

    def is_due(self) -> bool:
        """Whether a program is compiled again: each, or while there is time some by chance."""
        return self.until is None or (time.monotonic() < self.until and random.random() < 0.3)  # noqa: S311, no secret

    def kept(self) -> CompilerRecords:
        """What is recorded so far, with what the rest of the page may still ask for."""
        devices, programs = self.old.devices | self.new.devices, self.old.programs | self.new.programs
        return CompilerRecords(self.new.versions, devices, programs)


def compiled(lowered: jax.stages.Lowered, options: dict[str, Any] | None, real: Any) -> dict[str, Any]:
    """What the compiler gives."""
    try:
        with stderr_kept() as kept:
            made = real(lowered, options)
    except jax.errors.JaxRuntimeError as refusal:
        return {"refusal": of_cells(str(refusal))} | logged("".join(kept))
    matter, _ = split_log("".join(kept))
    memory = made.memory_analysis()
    inputs: Any = lowered.in_tree
    outputs: Any = lowered.out_tree
    fields = [name for name in dir(memory) if name.endswith("_in_bytes")]
    given = {
        "text": without_paths(made.as_text()),
        "memory": {name: getattr(memory, name) for name in fields},
        "inputs": [written(each) for each in inputs.flatten_up_to(made.input_formats)],
        "outputs": [written(each) for each in outputs.flatten_up_to(made.output_formats)],
    }
    # As it will be read: tuples are lists there.
    whole: dict[str, Any] = json.loads(json.dumps(given | logged("".join(matter))))
    return whole


def of_cells(refusal: str) -> str:
    r"""A refusal that names no lines but those of cells.

    >>> of_cells("By:\n  /tmp/ipykernel_0/2.py:3:4 [f]\n  /u/record.py:7:1 [run]\n  <frozen runpy>:8:4 [_run]")
    'By:\n  /tmp/ipykernel_0/2.py:3:4 [f]\n'
    """
    return ASKED.sub("", refusal)


def logged(text: str) -> dict[str, str]:
    r"""What a compiler logged, if anything, as if at once: the same program, the same record.

    >>> logged("E1122 18:17:25.57 6426 a.cc:3] Used 16.47G of 15.75G hbm.\n")
    {'log': 'E0101 00:00:00.0 0 a.cc:3] Used 16.47G of 15.75G hbm.\n'}
    """
    return {"log": WHEN.sub(r"\g<1>0101 00:00:00.0 0 ", text)} if text else {}


def written(form: Any) -> dict[str, Any] | None:
    """How an argument or a result lies on the devices, and in the memory of each; None if it is not used."""
    sharding = getattr(form, "sharding", None)
    if sharding is None:
        return None
    if not isinstance(sharding, jax.sharding.NamedSharding):
        raise NotImplementedError(f"records know shardings on a mesh, and this is {sharding}")
    kind = {"kind": sharding.memory_kind} if sharding.memory_kind not in {None, "device"} else {}
    spec = [list(each) if isinstance(each, tuple) else each for each in sharding.spec]
    return {"spec": spec, "tiling": form.layout.tiling, "order": form.layout.major_to_minor} | kind


def without_paths(text: str) -> str:
    r"""A program without this machine's paths: what is no cell is an installed package's.

    >>> without_paths('1 "/home/u/src/shardbook/_compile.py"\n2 "/tmp/ipykernel_0/2.py"')
    '1 "/site-packages/_compile.py"\n2 "/tmp/ipykernel_0/2.py"'
    """
    return PATH.sub(lambda found: f'"/site-packages/{found[1]}"', text)


def run(cells: list[dict[str, Any]]) -> None:
    """Run cells one after another, as a kernel would; those that declare ``raises`` must raise."""
    names: dict[str, Any] = {"__name__": "__main__"}
    for place, cell in enumerate(cells, 1):
        raised = ""
        try:
            exec(compile(cell["source"], CELL.format(place), "exec"), names)  # noqa: S102, the handbook's own cells
        except Exception as error:
            raised = type(error).__name__
            if raised != cell["raises"]:
                raise
        if raised != cell["raises"]:
            raise AssertionError(f"cell {place} should raise {cell['raises']}, but raised nothing")


def main() -> int:
    """Record or check one page; 1 if what a compiler gives differs from the records."""
    parser = argparse.ArgumentParser()
    parser.add_argument("cells", type=Path)
    parser.add_argument("records", type=Path)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--seconds", type=float)
    arguments = parser.parse_args()
    page = json.loads(arguments.cells.read_text(encoding="utf-8"))
    recorder = Recorder(arguments.records, check=arguments.check, seconds=arguments.seconds)
    try:
        run(page["cells"])
    except Exception:  # noqa: BLE001, whatever a cell raises
        traceback.print_exc()
        return 1
    if arguments.check:
        missing = recorder.old.programs.keys() ^ recorder.new.programs.keys()
        old, new = recorder.old.devices, recorder.new.devices
        moved = sorted(key for key in old | new if old.get(key) != new.get(key))
        told = [*recorder.differ, *(f"{key} is on one side only" for key in sorted(missing))]
        told += [f"{key}: other devices" for key in moved]
        of = f"{recorder.compiled} of {len(recorder.new.programs)}"
        print("\n".join(told) or f"{page['docname']}: {of} programs compiled again, as recorded")
        return int(bool(told))
    if vars(recorder.new) != vars(CompilerRecords.read(arguments.records)):
        recorder.new.write(arguments.records)
    size = arguments.records.stat().st_size if arguments.records.is_file() else 0
    print(f"{page['docname']}: {len(recorder.new.programs)} programs, {recorder.compiled} compiled, {size} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
