"""The Python to paste: it runs as it is, and its arrays lie as the picture says."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest
import states

RUNNER = Path(__file__).with_name("programs.py")


def run(programs):
    """Run programs on two processors, those that configure JAX alike in one process; what came of each."""
    groups = {}
    for at, program in enumerate(programs):
        settings = tuple(line for line in program.splitlines() if line.startswith("jax.config."))
        groups.setdefault(settings, []).append(at)
    largest = sorted(groups.values(), key=len, reverse=True)
    shares = [share for share in (largest[::2], largest[1::2]) if share]
    # Quick code is of no use here, and takes half the time to make.
    environment = os.environ | {"JAX_DISABLE_MOST_OPTIMIZATIONS": "true"}
    running = [
        subprocess.Popen(
            [sys.executable, RUNNER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8", env=environment
        )
        for _ in shares
    ]
    for process, share in zip(running, shares, strict=True):
        json.dump([[programs[at] for at in group] for group in share], process.stdin)
        process.stdin.close()
    found = {}
    for process, share in zip(running, shares, strict=True):
        for group, answers in zip(share, json.loads(process.stdout.read()), strict=True):
            found |= zip(group, answers, strict=True)
        process.stdout.close()
        assert process.wait() == 0
    return [found[at] for at in range(len(programs))]


def arrays(state):
    """The arrays of a program by name, each as a state and a spec."""
    found = {"x": state}
    if state["to"] is not None:
        found["moved"] = {**state, "spec": state["to"]}
    if state["product"]:
        product = state["product"]
        (rows, inner), columns = state["shape"], product["columns"]
        found["b"] = {**state, "shape": [inner, columns], "spec": product["b"]}
        found["c"] = {**state, "shape": [rows, columns], "spec": product["out"]}
    return found


class Try(NamedTuple):
    """A state, its program, and what came of that."""

    case: dict
    program: str
    ran: dict


MESH = {"names": ["x", "y"], "sizes": [2, 2], "types": ["Auto"] * 2, "order": [2, 0, 1, 3]}
SMALL = {"shape": [4, 4], "dtype": "float32", "mesh": MESH, "spec": [["x"]], "to": None, "product": None}
LARGE = {
    "shape": [2**19, 2**20],
    "dtype": "bfloat16",
    "mesh": {"names": ["x", "y"], "sizes": [16, 32], "types": ["Auto", "Explicit"], "order": [*range(511, -1, -1)]},
    "spec": [["x"], ["y"]],
    "to": [["y"]],
    "product": {"b": [["y"]], "out": [["y"], ["x"]], "columns": 2**10},
}
# Of the small state's program: another spec, order, dtype or mesh.
FAULTS = [
    ("P('x')", "P('y')"),
    ("[2, 0, 1, 3]", "[0, 1, 2, 3]"),
    ('"float32"', '"int32"'),
    ("(2, 2)", "(2, 3)"),
    ("import jax.numpy as jnp", ""),
]


@pytest.fixture(scope="module")
def tries(model):
    """All the programs, run at once, by what they are for."""
    draw = states.dice()
    print("seed", draw.seed_used)
    cases = {
        "presets": [each["state"] for each in model.ask([["presets", "presets"]])[0]],
        "random": [states.valid(draw, most=12) for _ in range(200)],
        "large": [LARGE],
        "small": [SMALL],
    }
    todo = [
        (kind, case, program)
        for kind, some in cases.items()
        for case, program in zip(some, model.map("python", "python", some), strict=True)
    ]
    (small,) = [program for kind, _, program in todo if kind == "small"]
    for right, wrong in FAULTS:
        assert right in small
        todo.append((wrong, SMALL, small.replace(right, wrong)))
    found = {}
    for (kind, case, program), ran in zip(todo, run([program for _, _, program in todo]), strict=True):
        found.setdefault(kind, []).append(Try(case, program, ran))
    return found


def wrong_programs(model, tries):
    """The tries whose program failed, or gave other arrays than the picture shows."""
    wrong = []
    for each in tries:
        case, ran = each.case, each.ran
        names = arrays(case)
        layouts = dict(zip(names, model.map("layout", "layout", names.values()), strict=True))
        if "failed" in ran:
            wrong.append(each)
            continue
        expected = {
            name: {str(device): piece["index"] for piece in found["pieces"] for device in piece["devices"]}
            for name, found in layouts.items()
        }
        told = [f"{found['type']} {tuple(found['shardShape'])}" for name, found in layouts.items() if name != "b"]
        boxes = {name: found["boxes"] for name, found in ran["arrays"].items()}
        dtypes = {found["dtype"] for found in ran["arrays"].values()}
        if boxes != expected or dtypes != {case["dtype"]} or ran["printed"] != told:
            wrong.append(each)
    return wrong


def test_presets_run(model, tries):
    """Each preset is one that JAX accepts, and its program gives the picture's layout."""
    presets = model.ask([["presets", "presets"]])[0]
    assert model.map("refusals", "check", [each["state"] for each in presets]) == [[]] * len(presets)
    assert len({each["id"] for each in presets}) == len(tries["presets"]) >= 8
    wrong = wrong_programs(model, tries["presets"])
    assert not wrong, "\n".join(map(str, wrong[0]))


def test_programs_of_random_states_run(model, tries):
    """Two hundred states: permuted devices, Auto and Explicit axes, moves and products."""
    wrong = wrong_programs(model, tries["random"])
    assert not wrong, f"{len(wrong)}\n" + "\n".join(map(str, wrong[0]))
    cases = [each.case for each in tries["random"]]
    assert sum(case["to"] is not None for case in cases) > 50
    assert sum(case["product"] is not None for case in cases) > 20


def test_large_states_are_described(model, tries):
    """What would not fit into memory is described, not made, and compiled for nobody: 512 devices, 1 TiB."""
    assert wrong_programs(model, tries["large"]) == []


@pytest.mark.parametrize(
    ("change", "printed"),
    [
        ({}, "float32[8@x,16@y] (4, 4)\n"),
        ({"dtype": "float64", "to": [["y", "x"]]}, "float64[8@x,16@y] (4, 4)\nfloat64[8@(y,x),16] (1, 16)\n"),
        (
            {"spec": [["x"]], "product": {"b": [[], ["y"]], "out": [["x"], ["y"]], "columns": 32}},
            "float32[8@x,16] (4, 16)\nfloat32[8@x,32@y] (4, 8)\n",
        ),
    ],
)
def test_a_program_runs_in_a_fresh_interpreter(model, tmp_path, change, printed):
    """As a reader would: the file, and nothing else; JAX's own environment variables are not needed."""
    (default,) = model.ask([["state", "defaultState"]])
    (program,) = model.map("python", "python", [default | change])
    (tmp_path / "pasted.py").write_text(program, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-I", "pasted.py"], cwd=tmp_path, env={}, capture_output=True, encoding="utf-8", check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, printed, "")


@pytest.mark.parametrize("wrong", [wrong for _, wrong in FAULTS])
def test_a_wrong_program_shows(model, tries, wrong):
    """Another spec, order or dtype than the picture's, and a program that fails, are found."""
    assert wrong_programs(model, tries["small"]) == []
    assert wrong_programs(model, tries[wrong]) == tries[wrong]
