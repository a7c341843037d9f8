"""Programs whose communication is known by arithmetic, as three compilers have written them."""

import json
import re
import tarfile
from collections import Counter
from functools import cache
from pathlib import Path
from types import SimpleNamespace

import pytest
from corpus import claims
from corpus.chips import mesh
from corpus.programs import COMPILERS, PROGRAMS, Communication
from strategies import Arranged  # noqa: F401, which gives the process its devices

import shardbook as sb
from shardbook import _hlo_collectives
from shardbook._collectives import read_program
from shardbook._hlo import Module
from shardbook._hlo_loops import Loops

CORPUS = Path(__file__).parent / "corpus"
CASES = [(name, compiler) for name, program in PROGRAMS.items() for compiler in program.expected]


@cache
def records(compiler):
    """The texts that a compiler wrote, and what their devices were."""
    with tarfile.open(CORPUS / f"{compiler}.tar.xz") as archive:
        files = {member.name: archive.extractfile(member).read().decode() for member in archive}
    index = json.loads(files.pop("index.json"))
    return {name: (files[f"{name}.hlo"], about) for name, about in index.items()}


def found_in(name, compiler):
    text, about = records(compiler)[name]
    devices = [
        SimpleNamespace(id=number, slice_index=at)
        for number, at in zip(about.get("ids", ()), about.get("slices", ()), strict=True)
    ]
    return read_program(text, [about["mesh"]], devices)


def added_up(operations):
    """Bytes by operation, axes and how often: compilers join operations that go the same way, and part them."""
    total = Counter()
    for one in operations:
        total[one.operation, one.axes, one.times, one.at_most] += one.bytes
    return {key: round(value) for key, value in total.items()}


def as_communication(found):
    return [
        Communication(
            one.operation, None if one.axes is None else "".join(one.axes), one.bytes_per_device, one.times, one.at_most
        )
        for one in found
    ]


@pytest.mark.parametrize(("name", "compiler"), CASES)
def test_what_is_found_equals_the_arithmetic(name, compiler):
    """Operation, axes, bytes, times and branches."""
    expected = added_up(PROGRAMS[name].expected[compiler])
    assert added_up(as_communication(found_in(name, compiler))) == expected


def test_there_is_a_record_of_every_program():
    """None is missing, none is of a program that is gone."""
    for compiler in COMPILERS:
        assert set(records(compiler)) == {name for name, program in PROGRAMS.items() if compiler in program.expected}
    assert sum((CORPUS / f"{compiler}.tar.xz").stat().st_size for compiler in COMPILERS) < 2**20


def test_the_records_are_of_the_pinned_compilers():
    """Where a pin has moved, the programs are to be compiled again: nox -s corpus."""
    made_by = json.loads((CORPUS / "versions.json").read_text())
    pins = (CORPUS.parents[1] / "requirements" / "chips.txt").read_text()
    assert {name: name_pinned(name, pins) for name in made_by} == made_by


def name_pinned(name, pins):
    return re.search(rf"^{re.escape(name)}==([^ ]+)", pins, re.MULTILINE).group(1)


def test_no_record_names_a_folder_of_the_machine_it_was_made_on():
    """Files are named from the folder of the tests on."""
    for compiler in COMPILERS:
        for text, _ in records(compiler).values():
            files = re.findall(r'^\d+ "([^"]*\.py)"$', text, re.MULTILINE)
            assert set(files) <= {f"corpus/{name}.py" for name in ("programs", "claims", "make")}


@pytest.mark.parametrize("name", [name for name, program in PROGRAMS.items() if "cpu" in program.expected])
def test_the_installed_compiler_writes_the_same(name):
    """The CPU's programs compiled anew, through the function that readers call."""
    program = PROGRAMS[name]
    fn, args = program.make(mesh("cpu", program.axes, program.explicit))
    found = sb.collectives(fn, *args)
    assert added_up(as_communication(found)) == added_up(PROGRAMS[name].expected["cpu"])
    assert found.devices == 8
    assert all(
        one.source is None or Path(one.source.file).name in ("programs.py", "claims.py", "test_corpus.py")
        for one in found
    )


@pytest.mark.parametrize("compiler", ["cpu", "h100"])
def test_turns_are_read_from_conditions_too(compiler):
    """Two compilers say how often their loops turn: what is read without that equals it."""
    compared = 0
    for text, _ in records(compiler).values():
        told = Module(text)
        untold = Module(re.sub(r'"known_trip_count":\{[^}]*\},?', "", text))
        for computation, instructions in told.computations.items():
            for name, loop in instructions.items():
                if loop.opcode == "while" and "known_trip_count" in loop.attributes:
                    expected = Loops(told).turns(computation, loop)
                    assert Loops(untold).turns(computation, untold.computations[computation][name]) == expected
                    compared += 1
    assert compared > 10


FAULTS = {
    "fusions that add and keep a part are all-reduces": (_hlo_collectives, "_is_part_of", lambda *_: False),
    "every copy of an asynchronous collective counts": (_hlo_collectives, "_chain", lambda _: ""),
    "no loop's turns are known": (Loops, "turns", lambda *_: None),
    "what is sent between slices is nothing": (_hlo_collectives._Finder, "_between_slices", lambda *_: None),
    "what GPUs send one another is nothing": (_hlo_collectives, "PAIRS", "no such attribute"),
    "a ring's two parts are two permutations": (_hlo_collectives, "BACK", "no such part"),
    "a branch is always taken": (sb.Collective, "at_most", False),
    "a start and its done are two": (
        _hlo_collectives,
        "kind_of",
        lambda opcode: opcode.split("-start")[0].split("-done")[0],
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_planted_faults_are_found(fault, monkeypatch):
    """Each way in which the reading was once wrong, or could be, is seen in some program."""
    monkeypatch.setattr(*FAULTS[fault])
    wrong = []
    for name, compiler in CASES:
        try:
            found = added_up(as_communication(found_in(name, compiler)))
        except (AttributeError, ValueError):
            found = None
        if found != added_up(PROGRAMS[name].expected[compiler]):
            wrong.append((name, compiler))
    assert wrong


def test_every_claim_stands_in_an_entry():
    """The page or entry that tells of a program is there."""
    docs = CORPUS.parents[1] / "docs"
    told = {program.because for program in PROGRAMS.values() if program.make.__module__ == claims.__name__}
    assert len(told) > 8
    for places in told:
        for place in re.split(r",? and |, |; ", places):
            page, _, label = place.partition("#")
            assert (
                f"({label})=" in (docs / f"{page}.md").read_text(encoding="utf-8")
                if label
                else (docs / f"{page}.md").is_file()
            )
