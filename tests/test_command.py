"""python -m shardbook: what it prints, and what it says of words that it cannot read."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from jax.sharding import AbstractMesh, NamedSharding
from jax.sharding import PartitionSpec as P

import shardbook as sb
from shardbook._command import main

EIGHT = AbstractMesh((2, 4), ("x", "y"))


def drawn(*spec, dtype="float32"):
    return sb.layout(NamedSharding(EIGHT, P(*spec)), (8, 16), dtype)


@pytest.fixture
def said(capsys, monkeypatch):
    """What the command prints, given its words."""
    monkeypatch.setenv("COLUMNS", "80")

    def run(*words):
        main(words)
        return capsys.readouterr().out.rstrip("\n")

    return run


def lines(figure):
    return "\n".join(line.plain.rstrip() for line in figure.text(80))


def bare(text):
    return "\n".join(line.rstrip() for line in text.splitlines())


@pytest.mark.parametrize(
    "words",
    [
        ("8,16", "x=2,y=4", "P('x','y')"),
        ("8, 16", "x=2, y=4", "P('x', 'y')"),
        ("(8, 16)", "{'x': 2, 'y': 4}", "jax.P('x', 'y')"),
        # cmd.exe leaves single quotes where they are, PowerShell takes double ones away.
        ("'8,16'", "'x=2,y=4'", "P(x,y)"),
        ('"8,16"', '"x=2,y=4"', 'PartitionSpec("x", "y")'),
        ("8,16", "x=2,y=4", "x,y"),
    ],
)
def test_a_layout(said, words):
    """However a shell quotes."""
    assert bare(said(*words)) == lines(sb.show(drawn("x", "y")))


def test_other_specs(said):
    """Nothing split, several axes for one dimension, one axis without brackets."""
    for written, spec in {
        "P()": (),
        "P(None, ('x', 'y'))": (None, ("x", "y")),
        "x": ("x",),
        "('x', 'y')": (("x", "y"),),
        "(x, y), None": (("x", "y"),),
    }.items():
        assert bare(said("8,16", "x=2,y=4", written)) == lines(sb.show(drawn(*spec)))


def test_moves_dtype_and_language(said):
    """The options are those of the functions."""
    found = said("8,16", "x=2,y=4", "P('x')", "--to", "P(None, 'x')", "--dtype", "bfloat16", "--language", "zh")
    moves = sb.moves(drawn("x", dtype="bfloat16"), drawn(None, "x", dtype="bfloat16"), language="zh")
    assert bare(found) == lines(moves)


def test_a_scalar(said):
    assert "float32[]" in said("()", "x=2", "P()")


def test_without_words(said):
    """It says how it is used, with an example that works."""
    found = said()
    assert found.startswith("usage: python -m shardbook")
    example = re.search(r'python -m shardbook "(.*?)" "(.*?)" "(.*?)"$', found, re.MULTILINE)
    assert "float32[8@x, 16@y]" in said(*example.groups())


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["8"], "expected SHAPE MESH SPEC, got only '8': add the rest"),
        (["8", "x=2"], "expected SHAPE MESH SPEC, got only '8' 'x=2': add the rest"),
        (["8,a", "x=2", "x"], "SHAPE is '8,a': expected whole numbers .*; write it as"),
        (["-8", "x=2", "x"], "."),
        (["8,,2", "x=2", "x"], "SHAPE is '8,,2': expected whole numbers"),
        (["9" * 4000, "x=2", "x"], "SHAPE is '9+': expected whole numbers"),
        (["999999999999,999999999999", "x=2", "x"], r"elements: expected fewer than 2\*\*63; take a smaller one"),
        (["8", "x", "x"], "MESH is 'x': expected names with sizes from 1 on; write it as"),
        (["8", "x=0", "x"], "MESH is 'x=0': expected names with sizes"),
        (["8", "x=2,x=4", "x"], "MESH is 'x=2,x=4': expected each axis once, and 'x' comes twice; rename one"),
        (["8", "x=100000", "x"], "MESH is 'x=100000', 100000 devices: expected at most 65536; make an axis smaller"),
        (["8", "x=2", "P('x'"], "SPEC is \"P\\('x'\": expected the axes of each dimension, .*; write it as"),
        (["8", "x=2", "P(2)"], "SPEC is 'P\\(2\\)': expected the axes"),
        (["8", "x=2", "P(x=2)"], "SPEC is 'P\\(x=2\\)': expected the axes"),
        (["8", "x=2", "P(" * 500], "SPEC is .*: expected the axes"),
        (["8", "x=2", "P(x)(x)"], "SPEC is .*: expected the axes"),
        (["8", "x=2", "__import__('os')"], "SPEC is .*: expected the axes"),
        (["8", "x=2", "x", "--to", "x)"], "SPEC is 'x\\)': expected the axes"),
        (["8", "x=2", "x", "--dtype", "flot"], "--dtype is 'flot': expected a type of JAX's; write it as float32"),
        (["8", "x=2", "x", "--dtype", "object"], "--dtype is 'object': expected a type"),
        (["9", "x=2", "x"], "9 is not a multiple of 2; pad the dimension to 10, or put None for it in the spec"),
        (["8", "x=2", "z"], "over axis 'z', which the mesh does not have; its axes are axis 'x'"),
        (["8", "x=2", "x,x"], "is too long for shape .*; shorten the spec or reshape the array"),
        (["8", "x=2", "x", "--language", "fr"], "invalid choice: 'fr'"),
    ],
)
def test_what_it_refuses(capsys, words, message):
    """With what came, what was expected and what to do: in one line, without a traceback."""
    with pytest.raises(SystemExit) as stopped:
        main(words)
    printed = capsys.readouterr()
    assert (stopped.value.code, printed.out) == (2, "")
    assert re.match(rf"python -m shardbook: error: .*{message}", printed.err.splitlines()[-1])


def run(*words, **environment):
    source = {"PYTHONPATH": str(Path(sb.__file__).parents[1]), "COLUMNS": "80", "JAX_PLATFORMS": "cpu"}
    command = [sys.executable, "-m", "shardbook", *words]
    environment = {**os.environ, **source, **environment}
    return subprocess.run(command, env=environment, capture_output=True, timeout=120, check=False)


def test_as_a_process():
    """On a console that knows no box characters too; a mistake is told before JAX is loaded."""
    done = run("8,16", "x=2,y=4", "P('x','y')", PYTHONIOENCODING="cp1252", PYTHONUTF8="0")
    assert (done.returncode, done.stderr) == (0, b"")
    assert "| 0     1" not in done.stdout.decode("ascii")
    assert "+-------+" in done.stdout.decode("ascii")
    done = run("8,a", "x=2", "x", PYTHONPROFILEIMPORTTIME="1")
    assert done.returncode == 2
    assert not re.search(rb"\| +jax\b", done.stderr)


def test_versions():
    """Of the package and of what it needs, without loading any."""
    done = run("--version", PYTHONPROFILEIMPORTTIME="1")
    assert re.fullmatch(
        rf"shardbook {re.escape(sb.__version__)}, jax [\d.]+, jaxlib [\d.]+, numpy [\d.]+, rich [\d.]+",
        done.stdout.decode().strip(),
    )
    assert not re.search(rb"\| +(jax|numpy|rich)\b", done.stderr)
