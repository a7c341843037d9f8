"""Programs whose communication is known by arithmetic, as three compilers have written them."""

import json
import tarfile
from collections import Counter
from functools import cache
from pathlib import Path
from types import SimpleNamespace

import jax
import pytest
from corpus.programs import COMPILERS, PROGRAMS, Communication

import shardbook as sb
from shardbook import communication
from shardbook.collectives import read

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
    return read(text, [about["mesh"]], devices)


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
