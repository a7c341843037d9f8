"""Moves and products compiled for chips: recorded once, going on after an interruption, compared anew, and read.

A stand-in for the compilers answers in the protocol of ``compile_trials``.
"""

import json
import math
import stat
import sys
from collections import Counter

import pytest
from checkout import CHECKOUT

from shardbook_sphinx.compilers.record import logged
from shardbook_sphinx.compilers.store import COMPILERS, CompilerRecords
from shardbook_sphinx.exceptions import HandbookError
from shardbook_sphinx.pins import pinned
from shardbook_sphinx.recorded import FOLDER
from shardbook_sphinx.xla import record, tables, worker
from shardbook_sphinx.xla.cases import PRODUCT_MESHES, Case, products
from shardbook_sphinx.xla.comparison import differences, features
from shardbook_sphinx.xla.kinds import kinds, operations, wanted
from shardbook_sphinx.xla.steps import steps
from shardbook_sphinx.xla.trials import ALL, CHIPS, UNITS, Trial, all_products, moved, possible, recorded_trials, shapes

# Prints for each trial a program that gathers, and dies after so many; each trial is noted.
STAND_IN = """#!{python}
import json, os, sys
line = sys.stdin.readline()
for place, (chip, dtype, shapes, case) in enumerate(json.loads(line)):
    if place == {dies_after}:
        os._exit(3)
    sys.path.insert(0, {source!r})
    from shardbook_sphinx.xla.cases import Case
    from shardbook_sphinx.xla.compile_trials import tuples
    from shardbook_sphinx.xla.trials import Trial
    name = Trial(chip, dtype, tuples(shapes), Case(*tuples(case))).name
    with open({asked!r}, "a") as file:
        file.write(name + "\\n")
    print(json.dumps([name, {{"text": {text!r}}}]), flush=True)
"""
GATHER = """HloModule jit_f, num_partitions=8
ENTRY %main (a: f32[128,1024]) -> f32[1024,1024] {
  %a = f32[128,1024]{1,0} parameter(0)
  ROOT %g = f32[1024,1024]{1,0} all-gather(%a), replica_groups={{0,1,2,3,4,5,6,7}}, dimensions={0}
}"""
NOTHING = (
    "HloModule jit_f, num_partitions=8\nENTRY %main (a: f32[8]) -> f32[8] {\n  ROOT %a = f32[8]{0} parameter(0)\n}"
)


@pytest.fixture
def stand_in(tmp_path, monkeypatch):
    """Make a compiler that gives a text, and perhaps dies; ``asked()`` are the trials it was given since."""
    monkeypatch.setattr(record.os, "cpu_count", lambda: 2)
    (tmp_path / "requirements").symlink_to(CHECKOUT / "requirements")

    class StandIn:
        root, log = tmp_path, tmp_path / "asked"

        def made(self, text=GATHER, dies_after=-1):
            path = tmp_path / "python"
            source = {"source": str(CHECKOUT / "src"), "asked": str(self.log), "text": text}
            path.write_text(STAND_IN.format(python=sys.executable, dies_after=dies_after, **source))
            path.chmod(path.stat().st_mode | stat.S_IXUSR)
            return str(path)

        def asked(self):
            found = self.log.read_text().splitlines() if self.log.is_file() else []
            self.log.unlink(missing_ok=True)
            return sorted(found)

        def recorded(self, chip="v5e"):
            return CompilerRecords.read(recorded_trials(tmp_path, chip))

    return StandIn()


TRIALS = moved("v5e")[:10]
NAMES = sorted(trial.name for trial in TRIALS)


def test_what_is_recorded_is_not_compiled_again(stand_in):
    record.renew(stand_in.root, stand_in.made(), "v5e", TRIALS[:4])
    assert stand_in.asked() == sorted(trial.name for trial in TRIALS[:4])
    record.renew(stand_in.root, stand_in.made(), "v5e", TRIALS)
    assert stand_in.asked() == sorted(trial.name for trial in TRIALS[4:])
    assert sorted(stand_in.recorded().programs) == NAMES
    assert stand_in.recorded().versions == {name: pinned("chips")[name] for name in COMPILERS}
    before = recorded_trials(stand_in.root, "v5e").stat().st_mtime_ns
    record.renew(stand_in.root, stand_in.made(), "v5e", TRIALS)
    assert stand_in.asked() == []
    assert recorded_trials(stand_in.root, "v5e").stat().st_mtime_ns == before


def test_what_is_no_longer_wanted_goes(stand_in):
    record.renew(stand_in.root, stand_in.made(), "v5e", TRIALS)
    record.renew(stand_in.root, stand_in.made(), "v5e", TRIALS[:4], others=True)
    assert sorted(stand_in.recorded().programs) == NAMES
    record.renew(stand_in.root, stand_in.made(), "v5e", TRIALS[:4])
    assert len(stand_in.recorded().programs) == 4


def test_an_interruption_loses_nothing(stand_in):
    with pytest.raises(HandbookError, match=r"ended with 3: run it again, what came is kept"):
        record.renew(stand_in.root, stand_in.made(dies_after=2), "v5e", TRIALS)
    first = stand_in.asked()
    assert len(first) == 4
    assert not recorded_trials(stand_in.root, "v5e").exists()
    journal = record.Journal(stand_in.root, "v5e", {name: pinned("chips")[name] for name in COMPILERS})
    with journal.path.open("a") as file:
        file.write('["cut off')  # as by the end of a machine
    record.renew(stand_in.root, stand_in.made(), "v5e", TRIALS)
    assert stand_in.asked() == sorted(set(NAMES) - set(first))
    assert sorted(stand_in.recorded().programs) == NAMES
    assert not journal.path.exists()


def test_other_compilers_make_all_anew(stand_in):
    record.renew(stand_in.root, stand_in.made(NOTHING), "v5e", TRIALS)
    kept = stand_in.recorded()
    CompilerRecords(kept.versions | {"libtpu": "0.0.1"}, {}, kept.programs).write(recorded_trials(stand_in.root, "v5e"))
    stand_in.asked()
    record.renew(stand_in.root, stand_in.made(), "v5e", TRIALS)
    assert stand_in.asked() == NAMES
    assert {given["text"] for given in stand_in.recorded().programs.values()} == {GATHER}


def test_a_compiler_that_says_otherwise_is_told_with_what_changes(stand_in, capsys):
    record.renew(stand_in.root, stand_in.made(), "v5e", TRIALS)
    assert record.check(stand_in.root, stand_in.made(), "v5e", None) == {}
    (found,) = record.check(stand_in.root, stand_in.made(NOTHING), "v5e", None).items()
    assert (found[0], sorted(found[1])) == ("1 all-gather of x (0.875) → nothing", NAMES)
    comment = GATHER.replace("%a", "%b")
    assert list(record.check(stand_in.root, stand_in.made(comment), "v5e", None)) == [
        "another program with the same steps"
    ]
    assert "compiled 10 of 10, 10 are otherwise than recorded" in capsys.readouterr().out


def test_names_of_constants_are_no_difference(stand_in):
    """The TPU's compiler numbers them anew each time."""
    text = GATHER.replace("all-gather(%a)", "all-gather(%a, %constant.7)")
    record.renew(stand_in.root, stand_in.made(text), "v5e", TRIALS)
    assert record.check(stand_in.root, stand_in.made(text.replace(".7", ".12")), "v5e", None) == {}


def test_a_check_ends_in_time(stand_in, capsys):
    record.renew(stand_in.root, stand_in.made(), "v5e", TRIALS)
    assert record.check(stand_in.root, stand_in.made(), "v5e", 1e-9) == {}
    assert "compiled 1 of 10, 0 are otherwise than recorded" in capsys.readouterr().out


# What is recorded


@pytest.fixture(scope="module")
def recorded():
    """What is read from this checkout's records, by chip and name."""
    return worker.read_recorded(CHECKOUT)


def test_all_that_pages_show_is_recorded_and_nothing_else(recorded):
    for chip in CHIPS:
        assert recorded[chip].keys() == {trial.name for trial in wanted(chip, recorded)}
        assert CompilerRecords.read(recorded_trials(CHECKOUT, chip)).programs.keys() == recorded[chip].keys()


def test_no_log_tells_when_it_was_written():
    for path in (CHECKOUT / FOLDER).rglob("*.json.xz"):
        for given in CompilerRecords.read(path).programs.values():
            log = given.get("log", "")
            assert logged(log) == ({"log": log} if log else {}), path


def test_records_are_small():
    assert sum(recorded_trials(CHECKOUT, chip).stat().st_size for chip in CHIPS) < 1e6


def test_a_trial_that_is_not_recorded_fails_the_build(recorded):
    whole = [{"chips": recorded}]
    assert tables.recorded(CHECKOUT, whole) == recorded
    name = moved("v5e")[3].name
    lacking = recorded | {"v5e": {key: value for key, value in recorded["v5e"].items() if key != name}}
    with pytest.raises(
        HandbookError, match=r"is not recorded, nor are 0 others: renew it by python3 noxfile\.py -s chips"
    ):
        tables.recorded(CHECKOUT, [{"chips": lacking}])


def test_records_of_other_compilers_fail_the_build(recorded, monkeypatch):
    monkeypatch.setattr(tables, "pinned", lambda kernel: pinned(kernel) | {"libtpu": "0.0.99"})
    with pytest.raises(HandbookError, match=r"was recorded with .*, and the pins are .*: renew it by python3 noxfile"):
        tables.recorded(CHECKOUT, [{"chips": recorded}])


def test_names_are_each_trial_s_own():
    for chip in CHIPS:
        trials = possible(chip)
        assert len({trial.name for trial in trials}) == len(trials) == len(set(trials))


def test_a_kind_is_one_on_both_chips(recorded):
    found = kinds(recorded)
    assert sorted(case for alike in found.values() for case in alike) == sorted(products(PRODUCT_MESHES[0]))
    for chip in ALL:
        by_case = {trial.case: operations(recorded[chip][trial.name]) for trial in all_products(chip)}
        for first, alike in found.items():
            assert {by_case[case] for case in alike} == {by_case[first]}


@pytest.mark.parametrize("unit", UNITS)
def test_a_piece_tells_of_which_matrix_it_is(unit):
    odd = {name: math.prod(shape) // (math.prod(shape) & -math.prod(shape)) for name, shape in shapes(unit).items()}
    assert odd == {"a": 15, "b": 255, "out": 17}


def test_an_operation_of_two_matrices_is_two_steps():
    """A compiler may combine gathers: each matrix has its part of the bytes."""
    text = """HloModule jit_f, num_partitions=8
ENTRY %main (a: f32[256,1920], b: f32[1920,272]) -> f32[] {
  %a = f32[256,1920]{1,0} parameter(0)
  %b = f32[240,2176]{1,0} parameter(1)
  %g = (f32[2048,1920]{1,0}, f32[1920,2176]{1,0}) all-gather(%a, %b), replica_groups={{0,1,2,3,4,5,6,7}}, dimensions={0}
}"""
    found = steps(worker.read_program(text, [{"x": 8}]), {"x": 8}, shapes(128), "float32")
    step = {"kind": "all-gather", "axes": [0], "members": 8, "fraction": 7 / 8}
    assert found == [step | {"of": "a"}, step | {"of": "b"}]


def test_what_is_sent_in_another_dtype_says_so():
    text = GATHER.replace("f32", "bf16")
    (found,) = steps(worker.read_program(text, [{"x": 8}]), {"x": 8}, {"x": (1024, 1024)}, "float32")
    assert (found["dtype"], found["fraction"]) == ("bfloat16", 7 / 8)


def test_what_a_tpu_pads_is_of_the_product():
    """Partial sums in whole tiles, and rows that change place: no number of elements tells it."""
    text = """HloModule jit_f, num_partitions=8
ENTRY %main (a: bf16[2112,2176], b: bf16[48,2176]) -> bf16[48,2176] {
  %a = bf16[2112,2176]{1,0} parameter(0)
  %b = bf16[48,2176]{1,0} parameter(1)
  %p = bf16[48,2176]{1,0} collective-permute(%b), source_target_pairs={{0,1},{1,2}}
  ROOT %r = bf16[264,2176]{1,0} reduce-scatter(%a), replica_groups={{0,1,2,3,4,5,6,7}}, dimensions={0}, to_apply=%add
}"""
    matrices, mesh = shapes(128), {"x": 8}
    found = steps(worker.read_program(text, [mesh]), mesh, matrices, "bfloat16")
    assert [(step["kind"], step["of"]) for step in found] == [("collective-permute", "out"), ("reduce-scatter", "out")]
    alone = "\n".join(line for line in text.split("\n") if "%r" not in line)
    with pytest.raises(ValueError, match=r"bfloat16\[48, 2176\] is a piece of none of"):
        steps(worker.read_program(alone, [mesh]), mesh, matrices, "bfloat16")


def test_a_loop_of_unknown_turns_is_refused():
    """The tables have no word for an operation of which nobody knows how often it runs."""
    loop = """HloModule jit_f, num_partitions=8
%body (p: (s32[], f32[128,1024])) -> (s32[], f32[128,1024]) {
  %p = (s32[], f32[128,1024]{1,0}) parameter(0)
  %i = s32[] get-tuple-element(%p), index=0
  %a = f32[128,1024]{1,0} get-tuple-element(%p), index=1
  %c = f32[128,1024]{1,0} collective-permute(%a), source_target_pairs={{0,1},{1,0}}
  ROOT %t = (s32[], f32[128,1024]{1,0}) tuple(%i, %c)
}
%condition (q: (s32[], f32[128,1024])) -> pred[] {
  %q = (s32[], f32[128,1024]{1,0}) parameter(0)
  ROOT %r = pred[] constant(true)
}
ENTRY %main (a: (s32[], f32[128,1024])) -> (s32[], f32[128,1024]) {
  %a = (s32[], f32[128,1024]{1,0}) parameter(0)
  ROOT %w = (s32[], f32[128,1024]{1,0}) while(%a), condition=%condition, body=%body
}"""
    trial = Trial("v5e", "float32", (("x", (1024, 1024)),), Case((8,), (((), ()),), ((), ())))
    with pytest.raises(ValueError, match="nobody knows how often collective-permute runs"):
        worker.read_trial(trial, {"text": loop})
    assert [step["kind"] for step in worker.read_trial(trial, {"text": GATHER})["steps"]] == ["all-gather"]


def table(*rows, **others):
    """A table with steps that gather and reduce, on a mesh of two."""
    steps = [{"kind": "all-gather", "of": "x"}, {"kind": "all-to-all", "of": "x"}]
    return {"steps": steps, "meshes": [{"sizes": [2], "rows": list(rows)}], **others}


def test_differences_are_counted_by_what_they_are():
    one = table(*[[0]] * 9)
    other = table(*[[0]] * 4, *[[1]] * 3, [0, 0], [])
    alike, found = differences(one, other)
    assert alike == 4
    assert [(dict(each.lacks), dict(each.has), len(each.cases)) for each in found] == [
        ({("all-gather", "x"): 1}, {("all-to-all", "x"): 1}, 3),
        ({}, {("all-gather", "x"): 1}, 1),
        ({("all-gather", "x"): 1}, {}, 1),
    ]
    assert json.dumps(found[0].cases[0])


# What pages say of it


@pytest.fixture(scope="module")
def told(recorded):
    """The tables of chips, and of the CPU as a build has measured them."""
    return tables.chip_tables(recorded, CHECKOUT)


@pytest.fixture(scope="module")
def on_cpu():
    if not tables.cached(CHECKOUT).is_file():
        tables.Measurers.start(CHECKOUT)
        tables.keep(CHECKOUT, tables.Measurers.finish(CHECKOUT))
    return tables.read_tables(CHECKOUT)


def first_mesh(table):
    """A table without the smaller meshes."""
    return table | {"meshes": table["meshes"][:1]}


def in_short(found):
    return [(list(each.lacks.elements()), list(each.has.elements()), len(each.cases)) for each in found]


def test_what_is_said_of_products_on_an_h100(told, on_cpu):
    summed = [("all-reduce", "out")]
    alike, found = differences(on_cpu["products"], first_mesh(told["products-H100"]))
    assert alike == 687
    assert in_short(found) == [(summed, [("reduce-scatter", "out")], 40), (summed, [], 2)]
    for case in found[1].cases:
        (step,) = recorded_steps(told["products-H100"], case)
        assert (step["kind"], step["axes"]) == ("all-reduce", [0, 1])
    _, others = differences(on_cpu["products"], told["products-H100"])
    assert in_short(others)[1:] == in_short(found)[1:]
    for here, there in zip(on_cpu["products"]["meshes"], told["products-H100"]["meshes"], strict=True):
        assert here["warned"] == there["warned"]


def test_what_is_said_of_moves(told, on_cpu):
    for chip in ALL:
        alike, found = differences(on_cpu["moves"], told[f"moves-{chip}"])
        assert alike + sum(len(each.cases) for each in found) == 502
        assert chip != "H100" or alike == 502


def test_what_needs_nothing_on_the_cpu_needs_nothing_on_chips(told, on_cpu):
    for name in ("moves", "products"):
        for chip in ALL:
            for mesh in told[f"{name}-{chip}"]["meshes"]:
                known = next(each for each in on_cpu[name]["meshes"] if tuple(each["sizes"]) == tuple(mesh["sizes"]))
                free = [place for place, row in enumerate(known["rows"]) if not row]
                assert free
                assert not any(mesh["rows"][place] for place in free)


def test_where_rings_begin(told):
    """What the page says below the table by size."""
    sizes = told["sizes"]
    assert len(sizes["kinds"]) == 116
    counted = {
        tuple(column): Counter(feature for kind in sizes["kinds"] for feature in features(sizes, kind["rows"][place]))
        for place, column in enumerate(sizes["columns"])
    }
    for (chip, dtype, unit), found in counted.items():
        large = unit > UNITS[0] if dtype == "bfloat16" else unit == UNITS[2]
        ring = (10, 18) if large else (0, 6) if dtype == "float32" and unit == UNITS[1] else (0, 0)
        wanted = (0, 0) if chip == "H100" else ring
        assert (found["adding ring"], found["gathering ring"]) == wanted, (chip, dtype, unit)


def recorded_steps(table, case):
    """The steps of a product on the first mesh."""
    place = products(tuple(table["meshes"][0]["sizes"])).index(case)
    return [table["steps"][number] for number in table["meshes"][0]["rows"][place]]
