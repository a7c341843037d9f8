"""The reference is whole and says what the wheels say: each gap, and each thing no record has, is found."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from checkout import CHECKOUT

from shardbook_sphinx.commands.coverage import report
from shardbook_sphinx.records.changes import by_release
from shardbook_sphinx.records.records import LEGACY, Records, Release, read_records
from shardbook_sphinx.records.releases import DATA, RECORDER, RELEASES, is_current, reason
from shardbook_sphinx.reference.api_entries import Described, find_gaps
from shardbook_sphinx.reference.history import QUESTIONS

RECORDED = CHECKOUT / DATA
KERNEL = Path(sys.prefix, "share/jupyter/kernels/jax-0.5.3/kernel.json")


def installed(python, folder):
    """What a Python's JAX offers, recorded now."""
    file = folder / "now.json"
    subprocess.run([python, str(RECORDER), str(file), "test"], check=True, capture_output=True, timeout=120)
    return json.loads(file.read_text(encoding="utf-8"))


def disagreements(record, now):
    """What a record says otherwise than the JAX that it is of."""
    return [
        f"{part}: {name}: recorded {record[part].get(name)}, installed {now[part].get(name)}"
        for part in ("objects", "behaviours")
        for name in sorted(record[part].keys() | now[part].keys())
        if record[part].get(name) != now[part].get(name)
    ]


@pytest.fixture(scope="module")
def today(tmp_path_factory):
    return installed(sys.executable, tmp_path_factory.mktemp("today"))


@pytest.fixture(scope="module")
def records():
    return read_records(RECORDED)


def test_the_newest_record_is_of_the_installed_jax(today, records):
    record = json.loads((RECORDED / f"{records.newest.name}.json").read_text(encoding="utf-8"))
    assert record["jax"] == today["jax"]
    assert disagreements(record, today) == []


def test_the_legacy_record_is_of_the_kernel(tmp_path):
    python = json.loads(KERNEL.read_text(encoding="utf-8"))["argv"][0]
    record = json.loads((RECORDED / f"{LEGACY}.json").read_text(encoding="utf-8"))
    assert disagreements(record, installed(python, tmp_path)) == []


def test_a_signature_that_differs_is_found(today, records):
    record = json.loads((RECORDED / f"{records.newest.name}.json").read_text(encoding="utf-8"))
    record["objects"]["jax.make_mesh"]["signature"] = "(axis_shapes, axis_names)"
    del record["objects"]["jax.sharding.Mesh.shape"]
    record["behaviours"]["make_mesh-axis-type"] = "Auto"
    found = disagreements(record, today)
    assert len(found) == 3
    assert found[0].startswith(
        "objects: jax.make_mesh: recorded {'kind': 'function', 'signature': '(axis_shapes, axis_names)'}"
    )
    assert found[1].startswith("objects: jax.sharding.Mesh.shape: recorded None")
    assert found[2] == "behaviours: make_mesh-axis-type: recorded Auto, installed Explicit"


def test_every_release_is_recorded_by_the_present_recorder_or_said_to_be_missing(records):
    recorded = [release.name for release in records.releases]
    missing = json.loads((RECORDED / "missing.json").read_text(encoding="utf-8"))
    assert sorted([*recorded, *missing]) == sorted(RELEASES)
    assert all(missing.values())
    assert len(recorded) >= 15
    assert [name for name in recorded if not is_current(RECORDED / f"{name}.json")] == []


def test_a_record_of_another_recorder_is_stale(tmp_path):
    file = tmp_path / "0.9.0.json"
    file.write_text('{"recorder": "another"}')
    assert not is_current(file)
    assert not is_current(tmp_path / "0.9.1.json")


def test_every_question_has_an_answer_in_every_release(records):
    assert all(release.behaviours.keys() == QUESTIONS.keys() for release in records.releases)


@pytest.mark.parametrize(
    ("told", "why"),
    [
        ("you require jaxlib<=0.4.6, we can conclude", "no jaxlib<=0.4.6 can be installed"),
        (
            "Failed to download .../python-build-standalone/...",
            "the Python it needs is not here and could not be fetched",
        ),
        ("Traceback ...\nImportError: libfoo\n", "ImportError: libfoo"),
        ("", "it ended without a word"),
    ],
)
def test_a_release_that_cannot_be_recorded_is_told_of_with_the_reason(told, why):
    assert reason(told) == why


# Fates


def made(name, **objects):
    found = {f"jax.sharding.{key}": {"kind": "class", "signature": value} for key, value in objects.items()}
    return Release(name, found, {})


def test_a_name_has_a_fate():
    records = Records((made("1", Old="()"), made("2", Old="(a)", New="()"), made("3", New="()")))
    old, new = records.fate("jax.sharding.Old"), records.fate("jax.sharding.New")
    assert (old.since, old.removed, old.signature) == ("1", "3", "(a)")
    assert [(change.release, change.before, change.after) for change in old.changes] == [("2", "()", "(a)")]
    assert (new.since, new.removed, new.changes) == ("2", None, ())


def test_an_unknown_signature_is_no_change():
    records = Records((made("1", Mesh="(a)"), made("2", Mesh="(...)"), made("3", Mesh="(a)")))
    assert records.fate("jax.sharding.Mesh").changes == ()
    assert by_release(records) == {}


def test_a_name_that_comes_back_is_not_removed():
    records = Records((made("1", Mesh="()"), made("2"), made("3", Mesh="()")))
    assert records.fate("jax.sharding.Mesh").removed is None


# Gaps


def test_the_reference_has_no_gap(handbook):
    done = handbook.run("shardbook_sphinx.commands.coverage")
    assert done.passed, done.printed
    assert "jax.sharding: 19 of 19 names" in done.printed


def test_a_name_of_the_installed_jax_without_entry_is_missing():
    text, lacking = report({"jax.sharding.Mesh", "jax.sharding.Novelty"}, {"jax.sharding.Mesh": 1})
    assert "1 of 2 names" in text
    assert lacking == ["jax.sharding.Novelty"]


def test_gaps_are_found():
    records = Records((made(LEGACY, Old="()"), made("0.12.0.1", Mesh="()", New="()")))
    pages = {"a": [Described(("jax.sharding.Mesh",), 7, ("x = 1",)), Described(("jax.sharding.Old",), 9, ("Old()",))]}
    assert find_gaps(pages, records) == [
        "a.md:7: jax.sharding.Mesh: no example of this entry uses Mesh; add a {doctest} or a cell",
        "jax.sharding.New: has no entry; add {api} jax.sharding.New to a page",
    ]
