"""The explorer's layouts, moves and refusals: what JAX says, case by case; and planted faults, which must show."""

import itertools
import json
import subprocess
import sys

import jax
import jax.numpy as jnp
import judge
import pytest
import states
from model import faulty

from shardbook._layout import bits

CASES = 5000


def disagreements(theirs, ours, cases):
    """The cases of which JAX and the explorer say different things."""
    assert len(theirs) == len(ours) == len(cases) > 0
    return [(case, one, other) for case, one, other in zip(cases, theirs, ours, strict=True) if one != other]


def comparable(found):
    """A layout of the explorer's, with JAX's view of it: what each device holds."""
    by_device = {device: piece["index"] for piece in found["pieces"] for device in piece["devices"]}
    return {**found, "by_device": by_device}


def wrong_layouts(model, cases):
    theirs = [judge.layout(case) for case in cases]
    return disagreements(theirs, list(map(comparable, model.map("layout", "layout", cases))), cases)


def wrong_moves(model, cases):
    layouts = model.ask(["layout", "layout", case, spec] for case in cases for spec in (case["spec"], case["to"]))
    ours = model.ask(["moves", "moves", *pair] for pair in zip(layouts[::2], layouts[1::2], strict=True))
    return disagreements([judge.moves(case) for case in cases], ours, cases)


def wrong_refusals(model, cases):
    keys = ("message", "error", "call")
    ours = [
        {each["field"]: {key: each.get(key) for key in keys} for each in found}
        for found in model.map("refusals", "check", cases)
    ]
    return disagreements([judge.refusals(case) for case in cases], ours, cases)


def drawn(count, make, kept=None):
    """So many random cases, all of which ``kept`` takes."""
    draw = states.dice()
    print("seed", draw.seed_used)
    return list(itertools.islice(filter(kept, iter(lambda: make(draw), None)), count))


def moving(case):
    return case["to"] is not None


def test_each_layout_is_jaxs(model):
    """Devices, indices, shard shape and type as JAX says; pieces, copies and bytes as the Python package says."""
    cases = drawn(CASES, states.valid)
    wrong = wrong_layouts(model, cases)
    assert not wrong, f"{len(wrong)} of {len(cases)}, first {wrong[0]}"
    # The cases are what they should be: of all kinds.
    assert {len(case["shape"]) for case in cases} == set(range(7))
    assert sum(case["mesh"]["order"] is not None for case in cases) > CASES / 4
    assert sum(len(set(case["mesh"]["types"])) == 2 for case in cases) > CASES / 4
    assert sum(any(len(axes) > 1 for axes in case["spec"]) for case in cases) > CASES / 5


def test_sizes_beyond_32_bits(model):
    """Numbers that no 32-bit integer holds stay exact."""
    cases = drawn(200, lambda draw: states.valid(draw, largest=2**20), lambda case: not case["product"])
    cases = [case for case, beyond in zip(cases, model.map("limits", "limits", cases), strict=True) if not beyond]
    assert max(judge.np.prod(case["shape"], dtype=float) for case in cases) > 2**32
    assert wrong_layouts(model, cases) == []


def test_up_to_4096_devices(model):
    """The same of meshes that this process has no devices for."""
    draw = states.dice()
    cases = []
    for sizes in ([4096], [64, 64], [16, 16, 16], [8, 8, 4, 4, 2, 2], [1000, 3], [61, 67]):
        names = states.NAMES[: len(sizes)]
        count = int(judge.np.prod(sizes))
        for order in (None, draw.sample(range(count), count)):
            mesh = {"names": names, "sizes": sizes, "types": ["Auto", "Explicit"] * 3, "order": order}
            mesh["types"] = mesh["types"][: len(sizes)]
            spec = states.spec(draw, mesh, 3)
            shape = [2 * part for part in states.parts(mesh, spec, 3)]
            cases.append({"shape": shape, "dtype": "int4", "mesh": mesh, "spec": spec, "to": None, "product": None})
    done = subprocess.run(
        [sys.executable, judge.__file__], input=json.dumps(cases), capture_output=True, encoding="utf-8", check=True
    )
    theirs = json.loads(done.stdout)
    for each in theirs:
        each["by_device"] = {int(device): index for device, index in each["by_device"].items()}
    assert disagreements(theirs, list(map(comparable, model.map("layout", "layout", cases))), cases) == []
    assert model.map("refusals", "check", cases) == [[]] * len(cases)


def test_each_move_is_the_packages(model):
    """What each device must receive, as shardbook.moves says."""
    wrong = wrong_moves(model, drawn(1000, states.valid, moving))
    assert not wrong, f"{len(wrong)}, first {wrong[0]}"


def test_each_refusal_is_jaxs(model):
    """JAX refuses the same specs, with the same message and class of error, from the call that is named."""
    cases = drawn(CASES, states.doubtful)
    wrong = wrong_refusals(model, cases)
    assert not wrong, f"{len(wrong)} of {len(cases)}, first {wrong[0]}"
    kinds = [each["kind"] for found in model.map("refusals", "check", cases) for each in found]
    for kind in ("duplicate-axis", "unknown-axis", "too-long", "indivisible"):
        assert kinds.count(kind) > CASES / 50, kind
    assert model.map("refusals", "check", cases).count([]) > CASES / 50


def test_remedies_have_what_they_say(model):
    """The numbers and names for a remedy's words: with a size padded as it says JAX has no objection."""
    cases = drawn(1000, states.doubtful, lambda case: case["to"] is None and not case["product"])
    padded = 0
    for case, found in zip(cases, model.map("refusals", "check", cases), strict=True):
        for each in found:
            if each["kind"] == "indivisible":
                values = each["values"]
                assert values["padded"] - values["size"] in range(1, values["parts"])
                shape = list(case["shape"])
                shape[values["dimension"]] = values["padded"]
                later = judge.refusal(case, shape, case["spec"])
                assert later is None or f"array axis {values['dimension']} " not in later["message"]
                padded += 1
    assert padded > 50


@pytest.mark.parametrize(
    ("field", "kind", "change"),
    [
        ("shape", "dimensions", {"shape": [1] * 7}),
        ("shape", "size", {"shape": [8, -1]}),
        ("shape", "size", {"shape": [8, 1.5]}),
        ("shape", "bytes", {"shape": [2**50, 16]}),
        ("dtype", "dtype", {"dtype": "float31"}),
        ("dtype", "dtype", {"dtype": "toString"}),
        ("mesh", "axes", {"mesh": {"names": [], "sizes": [], "types": []}}),
        ("mesh", "axes", {"mesh": {"sizes": [2]}}),
        ("mesh", "axis-name", {"mesh": {"names": ["x", "a b"]}}),
        ("mesh", "axis-twice", {"mesh": {"names": ["x", "x"]}}),
        ("mesh", "axis-size", {"mesh": {"sizes": [0, 4]}}),
        ("mesh", "devices", {"mesh": {"sizes": [4097, 1]}}),
        ("types", "types", {"mesh": {"types": ["Auto", "Manual"]}}),
        ("order", "order", {"mesh": {"order": [0, 1, 2, 3, 4, 5, 6, 6]}}),
        ("order", "order", {"mesh": {"order": [0, 1]}}),
        ("spec", "spec", {"spec": "x"}),
        ("to", "spec", {"to": [["x", 3]]}),
        ("shape", "product-shape", {"shape": [8], "spec": [], "product": {"b": [], "out": [], "columns": 8}}),
        ("b", "columns", {"product": {"b": [], "out": [], "columns": -8}}),
        ("b", "bytes", {"product": {"b": [], "out": [], "columns": 2**52}}),
        ("shape", "state", {"shape": "8"}),
    ],
)
def test_the_explorers_own_limits(model, field, kind, change):
    """What is beyond the explorer has a kind and no message of JAX's."""
    (state,) = model.ask([["state", "defaultState"]])
    assert model.map("refusals", "check", [state]) == [[]]
    mesh = {**state["mesh"], **change.get("mesh", {})}
    ((found, *more),) = model.map("refusals", "check", [{**state, **change, "mesh": mesh}])
    assert (found["field"], found["kind"], "message" in found, more) == (field, kind, False, [])


def test_whatever_is_checked_is_answered(model):
    """No value makes the check fail: it says that this is no state."""
    values = [None, 3, "state", [], {}, {"mesh": 3}, {"mesh": {}}, {"shape": [], "mesh": {"names": [[]]}}]
    assert all(model.map("refusals", "check", values))


def test_dtypes_are_jaxs(model):
    """Every dtype takes the bits that JAX says, exists only with x64 if so marked, and none of jnp's is forgotten."""
    (table,) = model.ask([["dtypes", "DTYPE_BITS"]])
    with jax.enable_x64(True):
        assert table == {name: bits(jnp.dtype(name)) for name in table}
    wide = model.map("dtypes", "needsX64", table)
    assert wide == [jax.dtypes.canonicalize_dtype(name) != jnp.dtype(name) for name in table]
    known = {getattr(jnp, name).dtype.name for name in dir(jnp) if isinstance(getattr(jnp, name), type(jnp.float32))}
    # XLA multiplies none of these on a CPU.
    assert known - set(table) <= {"int1", "uint1", "int2", "uint2", "float6_e2m3fn", "float6_e3m2fn"}


FAULTS = [
    ("layout.js", "found.flatMap((start) => steps.map((step) => start + step))", "steps.flatMap((step) => found.map((start) => start + step))", wrong_layouts),
    ("layout.js", "positions(mesh, used)", "positions(mesh, [...used].sort())", wrong_layouts),
    ("layout.js", "mesh.order?.[row + column] ?? row + column", "row + column", wrong_layouts),
    ("layout.js", "dimensions(shape, explicit)", "dimensions(shape, splits)", wrong_layouts),
    ("layout.js", "Math.ceil(", "Math.floor(", wrong_layouts),
    ("layout.js", "mesh.sizes.slice(axis + 1)", "mesh.sizes.slice(axis)", wrong_layouts),
    ("layout.js", "dimension = grid.length - 1; dimension >= 0; dimension -= 1", "dimension = 0; dimension < grid.length; dimension += 1", wrong_layouts),
    ("moves.js", "Math.max(start, had[dimension][0])", "start", wrong_moves),
    ("moves.js", "start < stop", "start <= stop", wrong_moves),
    ("moves.js", "one.device - other.device", "other.device - one.device", wrong_moves),
    ("refusals.js", ".sort();", ".reverse();", wrong_refusals),
    ("refusals.js", "duplicateAxis(spec) ?? unknownAxis(mesh, spec)", "unknownAxis(mesh, spec) ?? duplicateAxis(spec)", wrong_refusals),
    ("refusals.js", "spec.length <= shape.length", "spec.length <= shape.length + 1", wrong_refusals),
    ("refusals.js", "size % grid[at]", "grid[at] % size", wrong_refusals),
    ("spec.js", "spec.length === 1 ?", "spec.length === 0 ?", wrong_refusals),
]  # fmt: skip


@pytest.mark.parametrize(
    ("module", "right", "wrong", "compare"), FAULTS, ids=[f"{at}-{each[0]}" for at, each in enumerate(FAULTS)]
)
def test_a_planted_fault_shows(tmp_path, module, right, wrong, compare):
    """The comparisons above find a fault: axes of a tuple swapped, the device order ignored, a bound missed, …"""
    make = states.doubtful if compare is wrong_refusals else states.valid
    cases = drawn(300, make, moving if compare is wrong_moves else None)
    with faulty(tmp_path, module, right, wrong) as found:
        assert any(compare(found, cases[at : at + 25]) for at in range(0, len(cases), 25))
