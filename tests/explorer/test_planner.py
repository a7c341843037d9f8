"""The planner: its formulas in JavaScript are those in Python, its links are safe, its programs run, its search finds."""

import ast
import json
import math
import random
import re
import subprocess
import sys
from dataclasses import dataclass

import numpy as np
import pytest
from checkout import CHECKOUT
from jax.experimental.mesh_utils import create_hybrid_device_mesh
from model import faulty
from plan_links import HOSTILE, IMPOSSIBLE, link

from shardbook._chips import CHIPS
from shardbook_sphinx.planner.directive import shared
from shardbook_sphinx.planner.judge import TEMPORARIES
from shardbook_sphinx.planner.plans import Model, Plan, load

FORMULAS = load(CHECKOUT, "formulas")
CASES = 4000
AXES = ("data", "fsdp", "sequence", "tensor")


def drawn(count):
    """Plans by chance: models that are public or made up, most of them of sizes that divide."""
    draw = random.Random(5)  # noqa: S311
    found = []
    for _ in range(count):
        model = Model(*draw.choice(list(FORMULAS.MODELS.values())))
        if draw.random() < 0.6:
            keys, head = draw.choice((1, 2, 3, 8, 16)), draw.choice((32, 64, 80, 128))
            heads = keys * draw.choice((1, 2, 4, 8))
            sizes = (draw.randint(1, 130), 64 * draw.randint(1, 300), 64 * draw.randint(1, 900), heads, keys, head)
            model = Model(*sizes, 32 * draw.randint(1, 9000), draw.random() < 0.5, draw.random() < 0.5)
        axes = [2 ** draw.choice((0, 0, 1, 2, 3, 5)) for _ in AXES]
        rows, tokens = axes[0] * axes[1] * draw.choice((1, 2, 3, 16)), axes[2] * draw.choice((1, 7, 128, 1024))
        found.append(Plan(model, rows, tokens, *axes, draw.random() < 0.7, draw.random() < 0.7))
    return found


def as_json(plan):
    """A plan as the browser has it."""
    return {**plan._asdict(), "model": plan.model._asdict()}


def chip(name):
    """A chip as the browser has it."""
    return shared(CHECKOUT)["CHIPS"][name]


def differences(model, cases):
    """Where JavaScript and Python differ, of plans that divide and of what does not divide in all."""
    plans = drawn(cases)
    found = []
    ours = model.ask(["plan", "indivisible", as_json(plan)] for plan in plans)
    found += [
        plan for plan, said in zip(plans, ours, strict=True) if said != [list(each) for each in FORMULAS.problems(plan)]
    ]
    plans = [plan for plan in plans if not FORMULAS.problems(plan)]
    assert len(plans) > cases / 4
    asked = [
        ("held", lambda plan: FORMULAS.held(plan, "cuda"), "cuda"),
        ("held", lambda plan: FORMULAS.held(plan, "tpu"), "tpu"),
        ("received", FORMULAS.received, None),
        ("operations", FORMULAS.operations, None),
        ("seconds", lambda plan: FORMULAS.seconds(plan, CHIPS["H100"]), chip("H100")),
        ("seconds", lambda plan: FORMULAS.seconds(plan, CHIPS["v5e"]), chip("v5e")),
    ]
    for name, python, more in asked:
        given = model.ask(["plan", name, as_json(plan), *([more] if more else [])] for plan in plans)
        found += [plan for plan, said in zip(plans, given, strict=True) if not same(said, python(plan))]
    return found


def same(one, other):
    """Numbers are the same, as far as a browser can hold them."""
    if isinstance(other, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in other)
    return one == other if other < 2**50 and isinstance(other, int) else math.isclose(one, other, rel_tol=1e-12)


def test_formulas_are_those_of_python(model):
    assert not differences(model, CASES)


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("(again ? 5 : 4) * L + 2", "(again ? 4 : 4) * L + 2"),
        ("Math.ceil(shape[lanes] / 128) * 128", "Math.ceil(shape[lanes] / 64) * 64"),
        ("rows * (H / t) * (S / sequence) * S", "rows * (H / t) * S * S"),
        ("room /= found[axis]", "room /= 1"),
        ("here * chip.network", "chip.network"),
        ('gradients: ["data", "sequence"]', 'gradients: ["data"]'),
        ("!plan.half ? 2 : 1", "!plan.half ? 1 : 1"),
        ('["H", H, "tensor", tensor],', ""),
    ],
)
def test_a_fault_in_a_formula_is_found(tmp_path, right, wrong):
    with faulty(tmp_path, "plan.js", right, wrong) as planted:
        assert differences(planted, CASES // 10)


# Links


def test_plans_come_back(model):
    plans = [{"plan": as_json(plan), "chip": draw} for plan, draw in zip(drawn(500), list(CHIPS) * 500, strict=False)]
    hashes = model.map("plan_link", "toHash", plans)
    assert model.map("plan_link", "fromHash", hashes) == [{**plan, "problem": None} for plan in plans]
    assert all(each.isascii() and not set(each) & set(" <>\"'`()[]{}|\\^+%") for each in hashes)
    assert model.map("plan_link", "toHash", model.ask([["plan_link", "firstPlan"]])) == [link()]


def test_hostile_links_are_the_first_plan_and_a_problem(model):
    assert len(HOSTILE) + len(IMPOSSIBLE) >= 50
    (first,) = model.ask([["plan_link", "firstPlan"]])
    for given in model.map("plan_link", "fromHash", HOSTILE):
        assert {key: given[key] for key in first} == first
        assert given["problem"]["kind"] in {"link", "version", "chip"}


def test_impossible_plans_are_told_of(model):
    found = model.map("plan_link", "fromHash", IMPOSSIBLE)
    assert [each["problem"] for each in found] == [None] * len(IMPOSSIBLE)
    for address, told in zip(IMPOSSIBLE, model.map("plan_link", "problems", found), strict=True):
        assert told, address
        assert {each["kind"] for each in told} <= {"number", "devices", "large", "divide", "slice"}
    assert model.ask([["plan_link", "problems", model.ask([["plan_link", "firstPlan"]])[0]]]) == [[]]


def test_any_text_is_a_number_or_none(model):
    texts = ["1", "0", "-1", "1e18", "1" * 19, "", " 3", "three", "NaN", "1.5", "٣", "0008"]
    assert model.map("plan_link", "wholeNumber", texts) == [1, 0] + [None] * 9 + [8]


# What else to try


def test_what_else_fits_is_what_python_finds(model):
    """All meshes of as many devices, by brute force; twice as many where none fits."""
    first = model.ask([["plan_link", "firstPlan"]])[0]
    for plan, name in ((first["plan"], "H100"), (first["plan"] | {"fsdp": 8, "tensor": 1}, "v5e")):
        given = model.ask([["plan_search", "others", {"plan": plan, "chip": name}]])[0]
        assert given
        count = math.prod(given[0]["plan"][axis] for axis in AXES)
        assert best(plan, name, count) == [each["plan"] for each in given]
        own = math.prod(plan[axis] for axis in AXES)
        assert not any(best(plan, name, fewer) for fewer in (own, 2 * own) if fewer < count)


def best(plan, name, count):
    """The three best plans of so many devices that fit, by the formulas in Python."""
    the_chip, found = CHIPS[name], []
    lengths = [each for each in range(1, count + 1) if count % each == 0]
    for again in (True,) if plan["again"] else (False, True):
        for a in lengths:
            for b in lengths:
                for c in lengths:
                    if count % (a * b * c):
                        continue
                    other = plan | dict(zip(AXES, (a, b, c, count // a // b // c), strict=True)) | {"again": again}
                    made = Plan(**(other | {"model": Model(**plan["model"])}))
                    if other == plan or FORMULAS.problems(made):
                        continue
                    needed = sum(FORMULAS.held(made, the_chip.platform).values())
                    if needed <= the_chip.usable:
                        off = TEMPORARIES * FORMULAS.temporaries(made, the_chip.platform)
                        products, *links = FORMULAS.seconds(made, the_chip).values()
                        near = needed + off > the_chip.usable
                        rank = (near, max(products, sum(links)), sum(FORMULAS.received(made).values()))
                        found.append((rank, other))
    return [other for _, other in sorted(found, key=lambda each: each[0])[:3]]


# The program

RUNS = [
    Plan(Model(2, 32, 64, 4, 2, 8, 64), 8, 16, fsdp=4, tensor=2),
    Plan(Model(1, 32, 64, 4, 4, 8, 64, gated=False, tied=True), 4, 16, 2, 2, 2, 1, half=False, again=False),
]


@pytest.mark.parametrize("plan", RUNS, ids=("split", "plain"))
def test_the_program_runs_and_is_the_plan(model, plan):
    """On as many CPU devices: a loss comes, and mesh and sizes are those of the plan."""
    (program,) = model.map("plan_python", "python", [{"plan": as_json(plan), "chip": "H100"}])
    shown = program + "    print(repr((tuple(plan), dict(mesh.shape))))\n"
    quickly = {"JAX_DISABLE_MOST_OPTIMIZATIONS": "true"}
    environment = {"JAX_PLATFORMS": "cpu", "JAX_NUM_CPU_DEVICES": "8", "PATH": "", "HOME": "/"} | quickly
    output = subprocess.check_output([sys.executable, "-c", shown], encoding="utf-8", env=environment)
    loss, told = output.splitlines()
    assert abs(float(loss) - math.log(64)) < 1
    assert told.replace("Model(", "").startswith("((L=")
    lengths = {axis: getattr(plan, axis) for axis in AXES}
    assert json.dumps(lengths) in told.replace("'", '"')
    for name, size in plan.model._asdict().items():
        assert f"{name}={size}" in told


@dataclass(frozen=True)
class Gpu:
    """What JAX says of a GPU in a job: those of a host are one slice."""

    id: int
    slice_index: int
    process_index: int = 0
    platform: str = "gpu"
    device_kind: str = "NVIDIA H100 80GB HBM3"


@pytest.mark.parametrize(
    ("axes", "over"),
    [((1, 16, 1, 4), (1, 8, 1, 1)), ((2, 2, 1, 16), (2, 2, 1, 2)), ((16, 1, 2, 2), (8, 1, 1, 1))],
)
def test_the_mesh_of_several_hosts_is_the_one_that_the_times_are_of(model, axes, over):
    """`jax.make_mesh` refuses it. With stand-ins for its GPUs: over how many hosts goes each axis?"""
    plan = Plan(Model(*FORMULAS.MODELS["Llama 3.1 8B"]), 64, 4096, *axes)
    (program,) = model.map("plan_python", "python", [{"plan": as_json(plan), "chip": "H100"}])
    assert "    jax.distributed.initialize()\n    model = " in program
    assert "mesh = mesh_of(plan)" not in program
    lengths = ast.literal_eval(re.search(r"inside, across = (.*)", program)[1].join("()"))
    grid = create_hybrid_device_mesh(*lengths, [Gpu(number, number // 8) for number in range(64)])
    assert grid.shape == axes
    hosts = np.vectorize(lambda gpu: gpu.slice_index)(grid)
    h100 = CHIPS["H100"]
    for number, (axis, length, goes_over) in enumerate(zip(AXES, axes, over, strict=True)):
        groups = np.moveaxis(hosts, number, -1).reshape(-1, length)
        assert {len(set(group)) for group in groups} == {goes_over}
        ports = length // goes_over * 50e9
        assert FORMULAS.bandwidth(plan, h100, (axis,)) == (h100.link if goes_over == 1 else min(h100.link, ports))


@pytest.mark.parametrize(("chip", "several"), [("H100", False), ("v5e", True), ("v5p", True)])
def test_a_mesh_that_make_mesh_makes_is_made_by_it(model, chip, several):
    plan = Plan(Model(*FORMULAS.MODELS["Llama 3.2 1B"]), 8, 1024, fsdp=8)
    (program,) = model.map("plan_python", "python", [{"plan": as_json(plan), "chip": chip}])
    assert "    mesh = mesh_of(plan)\n" in program
    assert ("jax.distributed.initialize()" in program) == several


def test_a_redraw_is_quick(model):
    """What is computed when a field changes, of 16 ms that a frame has."""
    plan = model.ask([["plan_link", "firstPlan"]])[0]
    asked = [["plan", "held", plan["plan"], "tpu"], ["plan", "received", plan["plan"]]]
    asked += [
        ["plan", "seconds", plan["plan"], chip("H100")],
        ["plan_link", "problems", plan],
        ["plan_link", "toHash", plan],
    ]
    assert sum(answer.milliseconds for answer in model.timed(asked)) < 4
