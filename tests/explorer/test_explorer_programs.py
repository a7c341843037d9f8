"""The Python to paste: it runs as it is, in a process of its own, and its arrays lie as the picture says."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
import states

RUNNER = Path(__file__).with_name("programs.py")


def run(programs):
    """Run programs, each by itself, on two processors."""
    shares = [programs[::2], programs[1::2]] if len(programs) > 1 else [programs]
    # Quick code is of no use here, and takes half the time to make.
    environment = os.environ | {"XLA_FLAGS": "--xla_backend_optimization_level=0"}
    running = [
        subprocess.Popen(
            [sys.executable, RUNNER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8", env=environment
        )
        for _ in shares
    ]
    for process, share in zip(running, shares, strict=True):
        process.stdin.write(json.dumps(share))
        process.stdin.close()
    found = [None] * len(programs)
    for at, process in enumerate(running):
        found[at :: len(shares)] = json.loads(process.stdout.read())
        process.stdout.close()
        assert process.wait() == 0
    return found


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


def wrong_programs(model, cases):
    """The cases whose program fails, or gives other arrays than the picture shows."""
    programs = model.map("python", "python", cases)
    wrong = []
    for case, program, ran in zip(cases, programs, run(programs), strict=True):
        names = arrays(case)
        layouts = dict(zip(names, model.map("layout", "layout", names.values()), strict=True))
        if "failed" in ran:
            wrong.append((case, program, ran["failed"]))
            continue
        expected = {
            name: {str(device): piece["index"] for piece in found["pieces"] for device in piece["devices"]}
            for name, found in layouts.items()
        }
        told = [f"{found['type']} {tuple(found['shardShape'])}" for name, found in layouts.items() if name != "b"]
        boxes = {name: found["boxes"] for name, found in ran["arrays"].items()}
        dtypes = {found["dtype"] for found in ran["arrays"].values()}
        if boxes != expected or dtypes != {case["dtype"]} or ran["printed"] != told:
            wrong.append((case, program, ran["printed"]))
    return wrong


def test_presets_run(model):
    """Each preset is one that JAX accepts, and its program gives the picture's layout."""
    presets = model.ask([["presets", "presets"]])[0]
    cases = [each["state"] for each in presets]
    assert model.map("refusals", "check", cases) == [[]] * len(cases)
    assert len({each["id"] for each in presets}) == len(cases) >= 8
    wrong = wrong_programs(model, cases)
    assert not wrong, "\n".join(map(str, wrong[0]))


def test_programs_of_random_states_run(model):
    """Two hundred states: permuted devices, Auto and Explicit axes, moves and products."""
    draw = states.dice()
    print("seed", draw.seed_used)
    cases = [states.valid(draw, most=12) for _ in range(200)]
    start = time.monotonic()
    wrong = wrong_programs(model, cases)
    print(f"{time.monotonic() - start:.1f} s")
    assert not wrong, f"{len(wrong)}\n" + "\n".join(map(str, wrong[0]))
    assert sum(case["to"] is not None for case in cases) > 50
    assert sum(case["product"] is not None for case in cases) > 20


def test_large_states_are_described(model):
    """What would not fit into memory is described, not made, and compiled for nobody: 512 devices, 1 TiB."""
    mesh = {"names": ["x", "y"], "sizes": [16, 32], "types": ["Auto", "Explicit"], "order": [*range(511, -1, -1)]}
    state = {"shape": [2**19, 2**20], "dtype": "bfloat16", "mesh": mesh, "spec": [["x"], ["y"]], "to": [["y"]]}
    case = {**state, "product": {"b": [["y"]], "out": [["y"], ["x"]], "columns": 2**10}}
    assert wrong_programs(model, [case]) == []


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


@pytest.mark.parametrize(
    ("right", "wrong"),
    [("P('x')", "P('y')"), ("[2, 0, 1, 3]", "[0, 1, 2, 3]"), ('"float32"', '"int32"'), ("(2, 2)", "(2, 3)")],
)
def test_a_wrong_program_shows(model, right, wrong):
    """Another spec, order or dtype than the picture's, and a program that fails, are found."""
    mesh = {"names": ["x", "y"], "sizes": [2, 2], "types": ["Auto"] * 2, "order": [2, 0, 1, 3]}
    case = {"shape": [4, 4], "dtype": "float32", "mesh": mesh, "spec": [["x"]], "to": None, "product": None}

    class Faulty:
        def map(self, module, function, values):
            found = model.map(module, function, values)
            if module != "python":
                return found
            assert right in found[0]
            return [found[0].replace(right, wrong)]

    assert wrong_programs(model, [case]) == []
    assert wrong_programs(Faulty(), [case])
