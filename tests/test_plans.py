"""Plans that compilers were asked about: the record, the formulas beside it, and a command that renews and compares."""

import ast
import json
import stat
import sys
from collections import Counter

import pytest
from checkout import CHECKOUT

from shardbook_sphinx.exceptions import HandbookError
from shardbook_sphinx.planner import directive, judge, plans, record

STAND_IN = """#!{python}
import json, sys
sys.path.insert(0, {source!r})
from shardbook_sphinx.planner.plans import PlanOnChip
for asked in json.loads(sys.stdin.readline()):
    name = PlanOnChip(*asked).name
    with open({log!r}, "a") as file:
        file.write(name + "\\n")
    print(json.dumps([name, {given!r}, 0.1]), flush=True)
"""
GIVEN = {"arguments": 1, "temporaries": 2, "received": {"fsdp": 3}}


@pytest.fixture(scope="module")
def judged():
    return judge.judged(CHECKOUT)


def test_all_plans_are_recorded_and_nothing_else():
    asked = [*plans.first(), *plans.drawn(CHECKOUT)]
    assert len(plans.first()) >= 60
    assert len(plans.drawn(CHECKOUT)) == 20
    assert len(set(asked)) == len(asked)
    assert Counter(trial.chip for trial in asked) == {"H100": 40, "v5e": 40}
    assert record.read(CHECKOUT).keys() == {trial.name for trial in asked}


def test_names_of_plans_are_each_their_own():
    asked = [*plans.first(), *plans.drawn(CHECKOUT)]
    assert len({trial.name for trial in asked}) == len(asked)


def test_what_the_formulas_miss_is_marked(judged):
    """What stands in the tables is what this says: the bounds are those of the page."""
    for each in judged["first"] + judged["drawn"]:
        if each.refused:
            assert bool(each.missed) == (each.needed <= judge.USABLE)
            continue
        assert ("temporaries" in each.missed) == (not 0.7 <= each.temporaries_ratio <= 1.3)
        assert ("bytes received" in each.missed) == (not 0.85 <= each.received_ratio <= 1.15)
        assert ("that it compiles" in each.missed) == (each.name.startswith("v5e") and each.needed > judge.USABLE)


def test_arguments_are_exact(judged):
    compiled = [each for group in judged.values() for each in group if not each.refused]
    assert len(compiled) > 60
    assert not [each.name for each in compiled if "arguments" in each.missed]


def test_a_formula_that_is_off_is_found(monkeypatch):
    """A byte more in what a device holds, and twice what it receives."""
    formulas = plans.load(CHECKOUT, "formulas")
    trial = plans.first()[0]
    given = record.read(CHECKOUT)[trial.name]
    assert judge.judge(CHECKOUT, trial, given).missed == ()
    received = formulas.received
    monkeypatch.setattr(formulas, "received", lambda plan: {"fsdp": 2 * sum(received(plan).values())})
    assert judge.judge(CHECKOUT, trial, given).missed == ("bytes received",)
    arguments = formulas.arguments
    monkeypatch.setattr(formulas, "arguments", lambda *asked: arguments(*asked) + 1)
    assert "arguments" in judge.judge(CHECKOUT, trial, given).missed
    refused = {"refused": "RESOURCE_EXHAUSTED"}
    assert judge.judge(CHECKOUT, trial, refused).missed == ("that it is refused",)
    on_tpu = trial._replace(chip="v5e")
    assert "that it compiles" not in judge.judge(CHECKOUT, on_tpu, given).missed
    monkeypatch.setattr(judge, "USABLE", 2**30)
    assert "that it compiles" in judge.judge(CHECKOUT, on_tpu, given).missed


def test_a_plan_that_is_not_recorded_fails_the_build(monkeypatch):
    recorded = record.read(CHECKOUT)
    recorded.pop(plans.first()[7].name)
    monkeypatch.setattr(judge, "read", lambda _: recorded)
    with pytest.raises(HandbookError, match="fsdp 4, sequence 2 is not recorded, nor are 0 others: renew it by"):
        judge.judged(CHECKOUT)


def test_plan_and_model_are_those_of_the_step():
    """The tests and the table have classes of their own: the step's would load JAX."""
    step = ast.parse((CHECKOUT / plans.FOLDER / "step.py").read_text(encoding="utf-8"))
    ours = ast.parse((CHECKOUT / "src/shardbook_sphinx/planner/plans.py").read_text(encoding="utf-8"))

    def fields(tree, name):
        (found,) = (each for each in tree.body if isinstance(each, ast.ClassDef) and each.name == name)
        return [ast.unparse(each) for each in found.body if isinstance(each, ast.AnnAssign)]

    for name in ("Model", "Plan"):
        assert fields(step, name) == fields(ours, name)


# The command


@pytest.fixture
def stand_in(tmp_path):
    """A checkout with the planner's files, and a compiler that gives what it is told to."""
    for path in (plans.FOLDER / "step.py", plans.FOLDER / "formulas.py"):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_bytes((CHECKOUT / path).read_bytes())
    (tmp_path / record.RECORD).parent.mkdir(parents=True)

    class StandIn:
        root, log = tmp_path, tmp_path / "asked"

        def made(self, **changed):
            path = tmp_path / "python"
            told = {"python": sys.executable, "source": str(CHECKOUT / "src"), "log": str(self.log)}
            path.write_text(STAND_IN.format(**told, given=GIVEN | changed))
            path.chmod(path.stat().st_mode | stat.S_IXUSR)
            return str(path)

        def asked(self):
            found = self.log.read_text().splitlines() if self.log.is_file() else []
            self.log.unlink(missing_ok=True)
            return found

    return StandIn()


def test_what_is_recorded_is_not_compiled_again(stand_in):
    record.renew(stand_in.root, stand_in.made())
    everything = stand_in.asked()
    assert len(everything) == 80
    kept = record.read(stand_in.root)
    assert set(kept) == set(everything)
    kept.pop(everything[5])
    record.write(stand_in.root, kept)
    record.renew(stand_in.root, stand_in.made())
    assert stand_in.asked() == [everything[5]]


def test_another_step_makes_all_anew(stand_in):
    record.renew(stand_in.root, stand_in.made())
    stand_in.asked()
    step = stand_in.root / plans.FOLDER / "step.py"
    step.write_text(step.read_text() + "# a comment tells nothing\n")
    assert len(record.read(stand_in.root)) == 80
    step.write_text(step.read_text().replace("-jnp.inf", "-1e9"))
    with pytest.raises(HandbookError, match="of another step: renew it by python3 noxfile"):
        record.read(stand_in.root)
    record.renew(stand_in.root, stand_in.made())
    assert len(stand_in.asked()) == 80


def test_a_compiler_that_says_otherwise_is_told(stand_in, capsys):
    record.renew(stand_in.root, stand_in.made())
    assert record.check(stand_in.root, stand_in.made(), None) == 0
    assert record.check(stand_in.root, stand_in.made(temporaries=3), None) == 80
    assert "compiled 80 of 80, 80 are otherwise than recorded" in capsys.readouterr().out
    assert record.check(stand_in.root, stand_in.made(), 1e-9) == 0
    assert "compiled 1 of 80, 0 are otherwise than recorded" in capsys.readouterr().out


def test_a_compiler_that_fails_is_told(stand_in):
    path = stand_in.root / "python"
    path.write_text(f"#!{sys.executable}\nraise SystemExit(3)\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    with pytest.raises(HandbookError, match="ended with 3"):
        record.renew(stand_in.root, str(path))


def test_the_record_is_small_and_has_no_path():
    text = (CHECKOUT / record.RECORD).read_text(encoding="utf-8")
    assert len(text) < 50_000
    assert "/" not in "".join(given.get("refused", "") for given in json.loads(text)["plans"].values())


@pytest.mark.parametrize(
    ("cases", "told"),
    [
        ([(False, ()), (False, ())], "All 2 compiled. The formulas miss none."),
        (
            [(False, ()), (True, ()), (False, ("temporaries",))],
            "3 plans: 2 compiled, 1 refused for memory. The formulas are right about 2 and miss 1.",
        ),
    ],
)
def test_what_is_said_of_plans_counts_them(cases, told):
    found = [judge.Judged("a plan", refused, 1, 1, 1, 1.0, 1, 1.0, missed) for refused, missed in cases]
    assert directive.told(found) == told
