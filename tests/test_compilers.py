"""CompilerRecords of compilers: made with a stand-in for one, replayed, and the faults that must be told.

The stand-in is XLA for CPU on devices of a client of their own: all is real but that it is no chip's compiler.
"""

import json
import lzma
import re
import shutil
import subprocess
import sys
from types import SimpleNamespace

import pytest
from checkout import CHECKOUT

from shardbook_sphinx.commands import compilers as commands
from shardbook_sphinx.compilers.record import CELL
from shardbook_sphinx.compilers.store import CompilerRecords, RecordsError, mesh_key, program_key
from shardbook_sphinx.pins import pinned
from shardbook_sphinx.recorded import recorded_file

CELLS = [
    """
import jax
import jax.numpy as jnp
from jax.sharding import AxisType, NamedSharding
from jax.sharding import PartitionSpec as P

import shardbook as sb

mesh = sb.chip_mesh("H100", "1x8", (2, 4), ("x", "y"), axis_types=(AxisType.Auto,) * 2)
""",
    """
def struct(*spec):
    return jax.ShapeDtypeStruct((64, 64), jnp.float32, sharding=NamedSharding(mesh, P(*spec)))


def multiply(a, b, unused):
    return a @ b


found = sb.collectives(multiply, struct(None, "y"), struct("y"), struct())
(operation,) = found.operations
assert operation.operation == "all-reduce", operation
""",
    """
held = sb.memory(multiply, struct(None, "y"), struct("y", "x"), struct("x"))
assert held.chip == "H100" and held.fits and held.platform == "gpu", held
assert [leaf.bytes_per_device for leaf in held.leaves] == [4096, 2048], held
assert len(held.unused) == 1, held
""",
]
# In place of the compilers: CPU devices of another client, XLA for CPU, and releases that are installed.
STAND_IN = """
import sys
from shardbook import _chips
from shardbook_sphinx.compilers import record, replay

_chips.devices_of = lambda chip, sizes, slices: replay.client(8)
_chips.kind_of = lambda device: "NVIDIA H100 80GB HBM3"
record.COMPILERS = ("jax",)
sys.exit(record.main())
"""
# A compiler that refuses all, and logs why.
REFUSING = STAND_IN.replace(
    "record.COMPILERS",
    """
import os, time, jax

def refuse(lowered, options):
    os.write(2, f"E1122 18:17:25.{time.time_ns() % 1000} {os.getpid()} a.cc:7] Used 2G of 1G.\\n".encode())
    raise jax.errors.JaxRuntimeError("E1000")

jax.stages.Lowered.compile = refuse
record.COMPILERS""",
)
REPLAY = """
import json, sys
from shardbook_sphinx.compilers.record import run
from shardbook_sphinx.compilers.replay import install

install(sys.argv[2])
run(json.load(open(sys.argv[1]))["cells"])
"""


class Bench:
    """A page's cells and its records, in a folder."""

    def __init__(self, folder):
        self.cells, self.records = folder / "cells.json", folder / "records.json.xz"
        self.write(CELLS)

    def write(self, cells):
        page = {"docname": "page", "cells": [{"source": source, "raises": ""} for source in cells]}
        self.cells.write_text(json.dumps(page), encoding="utf-8")

    def run(self, program, *arguments):
        """How a program ended, and what it said."""
        command = [sys.executable, "-c", program, str(self.cells), str(self.records), *arguments]
        done = subprocess.run(command, capture_output=True, text=True, cwd=CHECKOUT, check=False)
        return done.returncode, done.stdout + done.stderr

    def edit(self, before, after, *, seal):
        """Change the records' text, with the seal of who means it or as a slip of the hand."""
        if seal:
            records = CompilerRecords.read(self.records)
            records.programs = json.loads(json.dumps(records.programs).replace(before, after))
            records.write(self.records)
        else:
            text = lzma.decompress(self.records.read_bytes()).decode()
            assert before in text
            self.records.write_bytes(lzma.compress(text.replace(before, after).encode()))


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    bench = Bench(tmp_path_factory.mktemp("recorded"))
    code, said = bench.run(STAND_IN)
    assert code == 0, said
    assert "2 programs, 2 compiled" in said
    return bench.records.read_bytes()


@pytest.fixture
def bench(tmp_path, recorded):
    bench = Bench(tmp_path)
    bench.records.write_bytes(recorded)
    return bench


def test_cells_run_on_records_alone(bench):
    assert bench.run(REPLAY) == (0, "")


def test_what_is_recorded_is_not_compiled_again(bench, recorded):
    code, said = bench.run(STAND_IN)
    assert (code, bench.records.read_bytes()) == (0, recorded), said
    assert "2 programs, 0 compiled" in said


def test_one_program_more_is_one_compilation_more(bench):
    bench.write([*CELLS, "sb.collectives(lambda a: a.sum(), struct('x'))"])
    assert "is not recorded: renew it by python3 noxfile.py -s chips" in bench.run(REPLAY)[1]
    assert "3 programs, 1 compiled" in bench.run(STAND_IN)[1]
    assert bench.run(REPLAY) == (0, "")


def test_what_no_cell_asks_for_goes(bench):
    bench.write(CELLS[:2])
    assert "1 programs, 0 compiled" in bench.run(STAND_IN)[1]


@pytest.mark.parametrize(
    "edit",
    [
        lambda cell: cell.replace("a @ b", "a @ b + 1"),
        lambda cell: cell.replace("(64, 64)", "(64, 128)").replace("a @ b", "a @ b.T"),
        lambda cell: cell.replace("struct(None, 'y')", "struct('x', 'y')").replace(
            'struct(None, "y")', 'struct("x", "y")'
        ),
        lambda cell: "\n" + cell,  # the table names lines
    ],
)
def test_a_cell_that_is_changed_needs_a_new_record(bench, edit):
    bench.write([CELLS[0], edit(CELLS[1])])
    code, said = bench.run(REPLAY)
    assert code == 1
    assert "what the compiler makes of this program on H100 1x8 1 is not recorded" in said


def test_another_mesh_needs_a_record(bench):
    bench.write([CELLS[0].replace("1x8", "2x4")])
    assert "the devices 'H100 2x4 1' is not recorded" in bench.run(REPLAY)[1]


def test_devices_say_of_themselves_what_is_recorded(bench):
    records = CompilerRecords.read(bench.records)
    records.devices["H100 1x8 1"] = [[10 + at, at // 4, at // 2] for at in range(8)]
    records.devices["H100 1x8 1 (2, 4)"] = [10, 11, 12, 13, 17, 16, 15, 14]
    records.write(bench.records)
    asked = """
def told(name):
    return [getattr(device, name) for device in mesh.devices.flat]


assert told("id") == [10, 11, 12, 13, 17, 16, 15, 14], told("id")
assert told("slice_index") == [0, 0, 0, 0, 1, 1, 1, 1], told("slice_index")
assert told("process_index") == [0, 0, 1, 1, 3, 3, 2, 2], told("process_index")
rows = sb.layout(jax.ShapeDtypeStruct((8,), "float32", sharding=NamedSharding(mesh, P("x"))))
assert rows.pieces[1].devices == (17, 16, 15, 14) and rows.remote == {12, 13, 14, 15, 16, 17}, rows
assert [device.process_index for device in jax.devices()] == [0] * jax.device_count()
assert [device.id for device in jax.devices()] == list(range(jax.device_count()))
"""
    bench.write([CELLS[0], asked])
    assert bench.run(REPLAY) == (0, "")


def test_an_order_of_devices_that_is_not_recorded_is_told(bench):
    bench.write([CELLS[0].replace("(2, 4)", "(4, 2)")])
    code, said = bench.run(REPLAY)
    assert code == 1
    assert "the mesh H100 1x8 1 (4, 2) is not recorded: renew it" in said


def test_a_mesh_that_was_refused_is_refused_again(bench):
    records = CompilerRecords.read(bench.records)
    records.devices["H100 1x8 1 (2, 4)"] = "no such assignment"
    records.write(bench.records)
    assert "ValueError: JAX cannot lay axes of sizes (2, 4) over H100 1x8: no such assignment" in bench.run(REPLAY)[1]


def test_a_record_that_is_edited_by_hand_is_told(bench):
    bench.edit("all-reduce", "all-gather", seal=False)
    assert "was not written by the command that records" in bench.run(REPLAY)[1]
    with pytest.raises(RecordsError, match=r"python3 noxfile.py -s chips"):
        CompilerRecords.read(bench.records)


def test_a_compiler_that_says_otherwise_is_told(bench):
    assert "2 of 2 programs compiled again, as recorded" in bench.run(STAND_IN, "--check")[1]
    bench.edit("all-reduce", "all-broadcast", seal=True)
    code, said = bench.run(STAND_IN, "--check")
    assert code == 1
    assert "H100 1x8 1: text" in said


def test_what_was_logged_of_a_refusal_is_logged_again(bench):
    """When it was said, and by which thread, is none of the record."""
    refused = """
import contextlib, io
log = io.StringIO()
with contextlib.redirect_stderr(log):
    try:
        sb.memory(multiply, struct(None, "y"), struct("y"), struct())
    except jax.errors.JaxRuntimeError as error:
        assert str(error) == "E1000", error
assert log.getvalue() == "E0101 00:00:00.0 0 a.cc:7] Used 2G of 1G.\\n", log.getvalue()
"""
    bench.records.unlink()
    bench.write([CELLS[0], CELLS[1].split("found =")[0], refused])
    assert "1 programs, 1 compiled" in bench.run(REFUSING)[1]
    assert bench.run(REPLAY) == (0, "")
    assert "1 of 1 programs compiled again, as recorded" in bench.run(REFUSING, "--check")[1]
    bench.write([CELLS[0], CELLS[1].split("found =")[0], refused.replace("2G", "3G")])
    assert "AssertionError: E0101" in bench.run(REPLAY)[1]


def test_devices_that_are_others_are_told(bench):
    records = CompilerRecords.read(bench.records)
    records.devices["H100 1x8 1"][0] = [7, 0, 0]
    records.write(bench.records)
    assert "H100 1x8 1: other devices" in bench.run(STAND_IN, "--check")[1]


def test_a_cell_that_does_not_raise_as_it_says_is_told(bench):
    page = json.loads(bench.cells.read_text(encoding="utf-8"))
    page["cells"][1]["raises"] = "ValueError"
    bench.cells.write_text(json.dumps(page), encoding="utf-8")
    assert "cell 2 should raise ValueError, but raised nothing" in bench.run(STAND_IN)[1]


def test_records_of_other_releases_are_stale():
    path = recorded_file(CHECKOUT, "guides/chips")
    records = CompilerRecords.read(path)
    assert not records.stale(pinned("chips"))
    assert "jax" in records.stale(pinned("chips") | {"jax": "0.99"})
    assert "was recorded with nothing" in CompilerRecords().stale(pinned("chips"))


def unpinned(line):
    """What a line of `pip install` names in another release than the one that pages were compiled with."""
    named = re.findall(r'([\w-]+)(?:\[\w+\])?(?:==([\w.]+))?"?(?: |$)', line.removeprefix("pip install "))
    assert len(named) == 4, named
    return [name for name, release in named if pinned("chips")[name] != release]


def test_the_line_that_installs_compilers_names_their_releases():
    lines = (CHECKOUT / "docs/guides/chips.md").read_text(encoding="utf-8").splitlines()
    (line,) = [line for line in lines if line.startswith("pip install ")]
    assert unpinned(line) == []
    assert unpinned(re.sub(r"==[\d.]+$", "", line)) == ["nvidia-cuda-nvcc-cu12"]
    assert unpinned(line.replace("plugin==", "plugin==9.")) == ["jax-cuda12-plugin"]


def unsaid(docs):
    """The pages that show what compilers gave and do not say which compilers those were."""
    names = {path: path.relative_to(docs).with_suffix("").as_posix() for path in sorted(docs.rglob("*.md"))}
    recorded = {path: name for path, name in names.items() if recorded_file(CHECKOUT, name).exists()}
    assert len(recorded) > 20
    return [name for path, name in recorded.items() if "```{compiled-with}" not in path.read_text(encoding="utf-8")]


def test_every_page_says_which_compilers_made_what_it_shows(tmp_path):
    assert unsaid(CHECKOUT / "docs") == []
    docs = shutil.copytree(CHECKOUT / "docs", tmp_path / "docs", ignore=shutil.ignore_patterns("_*", "locale"))
    page = docs / "train/state.md"
    page.write_text(page.read_text(encoding="utf-8").replace("{compiled-with}", "{note}"), encoding="utf-8")
    assert unsaid(docs) == ["train/state"]


def test_records_name_no_path_of_the_machine_that_made_them():
    paths = (CHECKOUT / "docs/_data/compilers").glob("*.json.xz")
    texts = {path.name: lzma.decompress(path.read_bytes()).decode() for path in paths}
    for text in texts.values():
        assert "/home/" not in text
        assert str(CHECKOUT) not in text
        files = re.findall(r'\\"(/[^"]*)\\"', text)
        assert all(each.startswith(("/site-packages/", CELL.partition("{")[0])) for each in files), files
    assert "/site-packages/_compile.py" in texts["guides-chips.json.xz"]


def test_records_are_small():
    """Those of pages and of trials together: a megabyte each for what is told of compilers, for Train, and for Far."""
    sizes = {path.name: path.stat().st_size for path in (CHECKOUT / "docs/_data/compilers").rglob("*.json.xz")}
    assert len(sizes) > 20
    assert sum(sizes.values()) < 3_000_000, sizes


def test_a_file_is_whole_or_old(tmp_path):
    path = tmp_path / "page.json.xz"
    CompilerRecords(versions={"jax": "1"}).write(path)
    first = path.read_bytes()
    CompilerRecords.read(path).write(path)
    assert path.read_bytes() == first
    assert [file.name for file in tmp_path.iterdir()] == ["page.json.xz"]
    assert mesh_key("v5e", (4, 4), 2) == "v5e 4x4 2"


def lowered_as(text):
    """What program_key asks of a lowered program."""
    return SimpleNamespace(
        as_text=lambda **_options: text,
        in_tree="tree",
        _lowering=SimpleNamespace(compile_args={"kept_var_idx": {0}}),
    )


def test_a_gpu_that_says_no_memory_and_the_cpu_in_its_place_name_a_program_alike():
    with_memory = 'func(%0 {mhlo.memory_kind = "device", sdy.a}, %1 {jax.b, mhlo.memory_kind = "device"})'
    without = "func(%0 {sdy.a}, %1 {jax.b})"
    on_host = with_memory.replace("device", "pinned_host")
    named = {text: program_key(lowered_as(text), "H100 1x1 1") for text in (with_memory, without, on_host)}
    assert named[with_memory] == named[without] != named[on_host]
    assert program_key(lowered_as(with_memory), "v5e 1x1 1") != program_key(lowered_as(without), "v5e 1x1 1")


def checked_pages(monkeypatch, capsys, seconds, takes):
    """Which pages a check looks at, and for how long, if each takes so many seconds."""
    clock, looked = [0.0], []

    def call(command, **_options):
        clock[0] += takes
        looked.append((capsys.readouterr().out.split()[-1], float(command[-1]) if "--seconds" in command else None))
        return 0

    monkeypatch.setattr(commands.subprocess, "call", call)
    monkeypatch.setattr(commands.time, "monotonic", lambda: clock[0])
    assert commands.renew(CHECKOUT, "python", [], check=True, seconds=seconds) == 0
    return looked


def test_a_check_stops_when_its_time_is_up(monkeypatch, capsys):
    pages = set(commands.pages_on_chips(CHECKOUT / "docs"))
    some = checked_pages(monkeypatch, capsys, 50, takes=20)
    assert [seconds for _, seconds in some] == [15, 15, 10]
    assert "time is up: 3 of" in capsys.readouterr().out
    every = checked_pages(monkeypatch, capsys, None, takes=20)
    assert [name for name, _ in every] == sorted(pages)
    assert {seconds for _, seconds in every} == {None}
    several = {tuple(name for name, _ in checked_pages(monkeypatch, capsys, 50, takes=20)) for _ in range(5)}
    assert len(several) > 1
