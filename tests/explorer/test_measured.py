"""What XLA inserts: the tables that the build measures, their key, and how the explorer looks them up."""

import json
import random
import shutil
import subprocess
import sys
from math import prod
from pathlib import Path

import pytest

from shardbook_sphinx.exceptions import HandbookError
from shardbook_sphinx.xla import cases
from shardbook_sphinx.xla import tables as measured
from shardbook_sphinx.xla import worker as measuring
from shardbook_sphinx.xla.cases import Case
from shardbook_sphinx.xla.product_cost import GROUPS, group, read_rows

CHECKOUT = Path(__file__).parents[2]
WHOLE, ROWS, COLUMNS = ((), ()), ((0,), ()), ((), (0,))
SAMPLE = 40


@pytest.fixture(scope="session")
def tables():
    """The tables of this checkout, measured if no build has done so."""
    if not measured.cached(CHECKOUT).is_file():
        measured.Measurers.start(CHECKOUT)
        measured.keep(CHECKOUT, measured.Measurers.finish(CHECKOUT))
    return measured.read_tables(CHECKOUT)


def row(tables, case):
    """What the tables say of a case, in the words of ``measuring.measure``."""
    table = tables["moves" if len(case.operands) == 1 else "products"]
    (entry,) = [entry for entry in table["meshes"] if tuple(entry["sizes"]) == case.mesh]
    known = [tuple(map(tuple, spec)) for spec in entry["specs"]]
    number = 0
    for spec in (*case.operands, case.result):
        number = number * len(known) + known.index(spec)
    return {"steps": [table["steps"][step] for step in entry["rows"][number]], "warned": number in entry["warned"]}


def untrue(tables, some):
    """The cases that XLA compiles otherwise than the tables say; here without the flags that make it quick."""
    return [case for case in some if measuring.measure(case) != row(tables, case)]


def sample(seed):
    """Cases of both tables and of all meshes."""
    pick = random.Random(seed)  # noqa: S311, no secret
    moves = [case for case in cases.cases() if len(case.operands) == 1]
    products = [case for case in cases.cases() if len(case.operands) == 2]
    return pick.sample(moves, SAMPLE) + pick.sample(products, SAMPLE)


def test_rows_measured_anew_are_those_of_the_tables(tables):
    assert untrue(tables, sample(seed=12)) == []


def test_each_case_has_one_row(tables):
    counted = sum(len(entry["rows"]) for name in ("moves", "products") for entry in tables[name]["meshes"])
    assert counted == len(cases.cases()) == len(set(cases.cases()))
    products = tables["products"]["meshes"][0]
    assert (products["sizes"], len(products["rows"])) == ([2, 4], 729)


@pytest.mark.parametrize("name", ["moves", "products"])
def test_a_changed_row_is_caught(tables, name):
    changed = json.loads(json.dumps(tables))
    entry = changed[name]["meshes"][0]
    number = next(place for place, steps in enumerate(entry["rows"]) if steps)
    entry["rows"][number] = []
    known = [tuple(map(tuple, spec)) for spec in entry["specs"]]
    places, operands = number, []
    for _ in range(2 if name == "moves" else 3):
        places, place = divmod(places, len(known))
        operands.insert(0, known[place])
    case = Case((2, 4), tuple(operands[:-1]), operands[-1])
    assert untrue(tables, [case]) == []
    assert untrue(changed, [case]) == [case]


@pytest.mark.parametrize(("devices", "mesh"), [(4, (4,)), (8, (8,))])
def test_bytes_of_moves_by_hand(tables, devices, mesh):
    n = devices
    gathered, exchanged = (n - 1) / n, (n - 1) / n**2
    common = {"axes": [0], "members": n, "of": "x"}
    assert row(tables, Case(mesh, (ROWS,), WHOLE))["steps"] == [{"kind": "all-gather", **common, "fraction": gathered}]
    assert row(tables, Case(mesh, (ROWS,), COLUMNS))["steps"] == [
        {"kind": "all-to-all", **common, "fraction": exchanged}
    ]
    assert row(tables, Case(mesh, (WHOLE,), ROWS))["steps"] == []


def test_bytes_of_products_by_hand(tables):
    # A[-, y] @ B[y, -] on 2 x 4: partial sums of the whole product, or of the half that a device has of its rows.
    reduced = {"kind": "all-reduce", "axes": [1], "members": 4, "of": "out"}
    rows_and_sum, sum_first = ((0,), (1,)), ((1,), ())
    assert row(tables, Case((2, 4), (((), (1,)), sum_first), WHOLE))["steps"] == [reduced | {"fraction": 2 * 3 / 4}]
    assert row(tables, Case((2, 4), (rows_and_sum, sum_first), ROWS))["steps"] == [
        reduced | {"fraction": 2 * 3 / 4 / 2}
    ]
    # Fully sharded data parallelism: B is gathered.
    gathered = {"kind": "all-gather", "axes": [0], "members": 8, "of": "b", "fraction": 7 / 8}
    assert row(tables, Case((8,), (ROWS, ROWS), ROWS))["steps"] == [gathered]
    assert row(tables, Case((2, 4), (ROWS, ((), (1,))), ((0,), (1,)))) == {"steps": [], "warned": False}


def test_a_warning_is_kept(tables):
    # The example of the guide on moving: from rows along x to columns along y.
    assert row(tables, Case((2, 4), (ROWS,), ((), (1,))))["warned"]
    assert not row(tables, Case((2, 4), (ROWS,), WHOLE))["warned"]


def test_which_mesh_has_which_steps(tables):
    """For a change of layout it matters which axis is the longer, or that none is; not how long."""

    def names(told):
        return [(step["kind"], step["axes"]) for step in told["steps"]], told["warned"]

    def steps(mesh):
        return [names(row(tables, case)) for case in cases.moves(mesh)]

    assert steps((2, 4)) != steps((2, 2)) == steps((4, 4)) != steps((4, 2)) != steps((2, 4))
    assert steps((4,)) == steps((8,))
    for other, like in (((2, 8), (2, 4)), ((8, 2), (4, 2))):
        for case in random.Random(8).sample(cases.moves(other), 12):  # noqa: S311, no secret
            assert names(measuring.measure(case)) == names(row(tables, case._replace(mesh=like)))


def test_what_the_page_says_of_its_tables(tables):
    rows = read_rows(tables["products"])
    assert not [step for each in rows for step in each.steps if step.kind == "reduce-scatter"]
    cheapest = {}
    for each in rows:
        if max(len(axes) for spec in (each.a, each.b) for axes in spec) < 2:
            pair = cheapest.setdefault((group(each), each.a, each.b), each)
            if each.cost < pair.cost:
                cheapest[group(each), each.a, each.b] = each
    by_group = {name: [each for (at, _, _), each in cheapest.items() if at == name] for name in GROUPS}
    assert {name: len(found) for name, found in by_group.items()} == {"neither": 9, "alike": 8, "one": 24, "apart": 8}
    # Free, unless both want the same axis.
    for each in by_group["neither"]:
        same_axis = set(each.a[0]) & set(each.b[1])
        assert (each.cost > 0) == bool(same_axis)
    for each in by_group["alike"]:
        assert each.steps[-1].kind == "all-reduce"
    for each in by_group["one"]:
        ways = {"all-gather", "all-to-all", "all-reduce"}
        assert ways & {step.kind for step in each.steps}
    for each in by_group["apart"]:
        assert {step.of for step in each.steps} & {"a", "b"}


def copy(folder: Path) -> Path:
    """What the key of the tables looks at, and files beside that."""
    for name in ("src", "requirements", "docs/_data/compilers"):
        shutil.copytree(CHECKOUT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    return folder


@pytest.mark.parametrize(
    ("name", "changed", "stale"),
    [
        ("src/shardbook/_hlo.py", "CHANGED = 1\n", True),
        ("src/shardbook_sphinx/xla/cases.py", "CHANGED = 1\n", True),
        ("src/shardbook_sphinx/xla/worker.py", "CHANGED = 1\n", True),
        ("src/shardbook_sphinx/xla/worker.py", "# changed\n", False),
        ("requirements/site.txt", "jaxlib==0.12.9\n", True),
        ("requirements/site.txt", "pytest==99\n", False),
        ("requirements/jax-0.5.3.txt", "jaxlib==0.12.9\n", False),
        ("src/shardbook_sphinx/xla/product_cost.py", "CHANGED = 1\n", False),
        ("docs/_data/compilers/trials/v5e.json.xz", "renewed", True),
    ],
)
def test_what_makes_the_tables_stale(tmp_path, name, changed, stale):
    root = copy(tmp_path)
    before = measured.cached(root)
    measured.keep(root, {"moves": {}})
    assert measured.read_tables(root) == {"moves": {}}
    with (root / name).open("a") as file:
        file.write(changed)
    assert (measured.cached(root) != before) == stale
    if stale:
        with pytest.raises(HandbookError, match="not measured yet"):
            measured.read_tables(root)


def test_another_jax_than_the_pinned_one_is_refused():
    found = {case: {"steps": [], "warned": False} for case in cases.cases()}
    shares = [{"jax": "0.12.0.1", "found": list(found.values())[place::3]} for place in range(3)]
    assert measured.join(shares, "0.12.0.1") == found
    shares[1]["jax"] = "0.11.2"
    with pytest.raises(HandbookError, match=r"0\.12\.0\.1 is pinned, but .* on JAX 0\.11\.2"):
        measured.join(shares, "0.12.0.1")


def test_a_handbook_without_the_pages_measures_nothing(tmp_path):
    assert cases.are_wanted(CHECKOUT / "docs")
    assert not cases.are_wanted(CHECKOUT / "tests/project/docs")


def test_a_stopped_build_leaves_no_process_behind():
    process = subprocess.Popen(
        [sys.executable, "-m", "shardbook_sphinx.xla.worker", "0", "1", str(CHECKOUT)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    process.communicate(timeout=60)  # closes the input
    assert process.returncode == 1


# How the explorer looks the tables up


def state(shape, mesh, spec, **others):
    names = [name for name, _ in mesh]
    return {"shape": shape, "mesh": {"names": names, "sizes": [size for _, size in mesh]}, "spec": spec, **others}


def looked_up(model, tables, asked):
    name, function = ("moves", "measuredMove") if "to" in asked else ("products", "measuredProduct")
    (found,) = model.ask([["tables", function, tables[name], asked]])
    return found


def test_every_row_is_found_under_other_names(tables, model):
    """Names in another alphabet, trailing dimensions left out: the row is the same."""
    names = ["data", "model"]

    def named(spec, axes):
        found = [[axes[axis] for axis in dimension] for dimension in spec]
        return found if found[1] else found[:1]

    questions, answers = [], []
    for case in cases.cases():
        axes = names[: len(case.mesh)]
        mesh = {"names": axes, "sizes": case.mesh}
        specs = [named(spec, axes) for spec in (*case.operands, case.result)]
        product = len(specs) == 3
        asked = {"shape": [64, 64], "mesh": mesh, "spec": specs[0]}
        asked |= {"product": {"b": specs[1], "out": specs[2]}} if product else {"to": specs[1]}
        name, function = ("products", "measuredProduct") if product else ("moves", "measuredMove")
        questions.append([f"{name}", function, asked])
        told = row(tables, case)
        steps = [
            {
                "kind": step["kind"],
                "axes": [axes[axis] for axis in step["axes"]],
                "part": step["kind"] != "collective-permute"
                and step["members"] < prod(case.mesh[axis] for axis in step["axes"]),
                "of": step["of"],
                "fraction": step["fraction"],
            }
            for step in told["steps"]
        ]
        answers.append({"on": list(case.mesh), "exact": True, "warned": told["warned"], "steps": steps})
    found = []
    for name in ("moves", "products"):
        here = [(function, asked) for table, function, asked in questions if table == name]
        found += model.ask(["tables", function, tables[name], asked] for function, asked in here)
    assert found == answers


def test_exchanged_axes_are_what_xla_does(tables, model):
    """Products on 4 × 2 are read from those on 2 × 4; XLA is asked whether that is true."""
    pick = random.Random(3)  # noqa: S311, no secret
    specs = [tuple(tuple(1 - axis for axis in axes) for axes in spec) for spec in cases.product_specs((2, 4))]
    for _ in range(25):
        a, b, out = (pick.choice(specs) for _ in range(3))
        told = measuring.measure(Case((4, 2), (a, b), out))
        name = [[["x", "y"][axis] for axis in axes] for axes in a]
        others = [[[["x", "y"][axis] for axis in axes] for axes in spec] for spec in (b, out)]
        asked = state([64, 64], [("x", 4), ("y", 2)], name, product={"b": others[0], "out": others[1]})
        found = looked_up(model, tables, asked)
        assert (found["on"], found["exact"], found["warned"]) == ([2, 4], True, told["warned"])
        assert [(step["kind"], sorted(step["axes"]), step["of"], step["fraction"]) for step in found["steps"]] == [
            (step["kind"], ["xy"[axis] for axis in step["axes"]], step["of"], step["fraction"])
            for step in told["steps"]
        ]


@pytest.mark.parametrize("chip", ["H100", "v5e"])
def test_what_a_chip_s_compiler_does_is_found(tables, model, chip):
    """The ring of a TPU, the reduce-scatter of an H100: step for step as recorded, with the dtype of what is sent."""
    table = tables[f"products-{chip}"]
    seen = set()
    pick = random.Random(5).sample(cases.products((2, 4)), 200)  # noqa: S311, no secret
    for case in pick:
        a, b, out = ([["xy"[axis] for axis in axes] for axes in spec] for spec in (*case.operands, case.result))
        asked = state([64, 64], [("x", 2), ("y", 4)], a, product={"b": b, "out": out})
        (found,) = model.ask([["tables", "measuredProduct", table, asked]])
        entry = table["meshes"][0]
        told = [table["steps"][step] for step in entry["rows"][cases.products((2, 4)).index(case)]]
        assert [(step["kind"], step["of"], step["fraction"], step.get("dtype")) for step in found["steps"]] == [
            (step["kind"], step["of"], step["fraction"], step.get("dtype")) for step in told
        ]
        assert (found["on"], found["exact"]) == ([2, 4], True)
        seen |= {step["kind"] for step in found["steps"]}
    assert seen >= {"all-gather", "collective-permute", "reduce-scatter", "all-to-all"}


def test_an_axis_of_size_one_does_not_count(tables, model):
    two = state([64, 64], [("x", 2), ("y", 4)], [["x"], ["y"]], to=[["y"], ["x"]])
    three = state([64, 64], [("x", 2), ("one", 1), ("y", 4)], [["x", "one"], ["y"]], to=[["y"], ["x"]])
    assert looked_up(model, tables, two) == looked_up(model, tables, three)


def test_what_was_not_measured_is_said(tables, model):
    other_size = looked_up(model, tables, state([64, 64], [("x", 4), ("y", 16)], [["x"]], to=[]))
    assert (other_size["on"], other_size["exact"]) == ([2, 4], False)
    assert other_size["steps"] == [{"kind": "all-gather", "axes": ["x"], "part": False, "of": "x", "fraction": None}]
    three_dimensions = looked_up(model, tables, state([8, 64, 64], [("x", 8)], [[], ["x"]], to=[]))
    assert (three_dimensions["exact"], three_dimensions["steps"][0]["fraction"]) == (False, None)
    vector = looked_up(model, tables, state([64], [("x", 8)], [["x"]], to=[]))
    assert (vector["exact"], [step["kind"] for step in vector["steps"]]) == (False, ["all-gather"])
    three_axes = state([64, 64], [("x", 2), ("y", 2), ("z", 2)], [["x"]], to=[])
    assert looked_up(model, tables, three_axes) is None
    three_split = state([8, 8, 8], [("x", 2), ("y", 4)], [["x"], ["y"]], to=[[], ["x"], ["y"]])
    assert looked_up(model, tables, three_split) is None
