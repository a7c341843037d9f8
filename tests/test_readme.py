"""What README and CONTRIBUTING say is what the commands, the gate and the hosts do, in both languages."""

import ast
import os
import re
import shutil
import subprocess
import sys

import pytest
from checkout import CHECKOUT

PAIRS = {"README.md": "README.zh.md", "CONTRIBUTING.md": ".github/CONTRIBUTING.zh.md"}
DOCUMENTS = [*PAIRS, *PAIRS.values()]
DOCS, TESTS = "python3 noxfile.py -s docs", "python3 noxfile.py -s tests"


def read(name):
    return (CHECKOUT / name).read_text(encoding="utf-8")


def blocks(text):
    """Each fenced block: its language and its lines, without what indents it."""
    found = re.findall(r"^( *)(`{3,})(\S*)\n(.*?)^\1\2$", text, flags=re.DOTALL | re.MULTILINE)
    return [
        (language, [line.removeprefix(indent) for line in body.splitlines()]) for indent, _, language, body in found
    ]


def commands(text):
    return [line for language, lines in blocks(text) if language == "sh" for line in lines]


def sessions():
    """The sessions of the noxfile, without the three that others need."""
    functions = [each for each in ast.parse(read("noxfile.py")).body if isinstance(each, ast.FunctionDef)]
    decorated = {each.name for each in functions if any("nox.session" in ast.unparse(d) for d in each.decorator_list)}
    return decorated - {"site", "kernels", "compilers"}


@pytest.mark.parametrize("name", ["README.md", "README.zh.md"])
def test_the_first_two_commands_are_those_of_the_gate_and_of_the_hosts(name):
    assert commands(read(name)) == [DOCS, TESTS]
    assert TESTS in read(".ci/run").splitlines()
    for host in (".github/workflows/handbook.yml", ".readthedocs.yaml"):
        assert any(line.endswith(DOCS) for line in read(host).splitlines()), host


@pytest.mark.parametrize("name", PAIRS)
def test_both_languages_show_the_same_commands_and_code(name):
    """But for the map, the only block without a language that is not what a command prints, and examples of prose."""
    english, chinese = (
        [(kind, lines) for kind, lines in blocks(read(each)) if kind in {"sh", "python", "markdown"}]
        for each in (name, PAIRS[name])
    )
    assert [kind for kind, _ in english] == [kind for kind, _ in chinese]
    assert [
        pair for pair in zip(english, chinese, strict=True) if pair[0][0] != "markdown" and pair[0] != pair[1]
    ] == []


@pytest.mark.parametrize("name", DOCUMENTS)
def test_every_session_named_is_one_of_the_noxfile(name):
    named = re.findall(r"(?:noxfile\.py|nox) -s (\w+)", read(name))
    assert named
    assert set(named) <= sessions()


@pytest.mark.parametrize("name", ["README.md", "README.zh.md"])
def test_the_table_has_every_session(name):
    assert set(re.findall(r"^\| `(\w+)", read(name), flags=re.MULTILINE)) == sessions()


def test_the_docstring_of_the_noxfile_has_every_session():
    told = ast.get_docstring(ast.parse(read("noxfile.py")))
    assert set(re.findall(r"^(\w+) +\S", told.split("\n\n")[1], flags=re.MULTILINE)) == sessions()


@pytest.mark.parametrize("name", DOCUMENTS)
def test_every_file_named_or_linked_is_there(name):
    text = read(name)
    linked = re.findall(r"\]\((?!http)([^)#]+)\)", re.sub(r"(?s)`[^`\n]*`|^`{3,}.*?^`{3,}$", "", text))
    assert [each for each in linked if not (CHECKOUT / name).parent.joinpath(each).exists()] == []
    named = re.findall(r"`((?:docs|src|tests|requirements)/[\w./-]*\w)`", text)
    assert [each for each in named if not (CHECKOUT / each).exists()] == []


def test_the_map_has_every_wing():
    wings = {path.parent.name for path in CHECKOUT.glob("src/shardbook_sphinx/*/__init__.py")}
    for name in PAIRS["CONTRIBUTING.md"], "CONTRIBUTING.md":
        (plan,) = [lines for _, lines in blocks(read(name)) if lines[0].startswith("docs/  ")]
        assert {line.split("/")[0].strip() for line in plan if re.match(r"  \w", line)} == wings
        assert len(plan) <= 25


def test_the_noxfile_can_be_read_by_the_oldest_python_that_the_readme_names():
    (version,) = re.findall(r"Any Python from 3\.(\d+) on", read("README.md"))
    assert f"3.{version} 或更新" in read("README.zh.md")
    ast.parse(read("noxfile.py"), feature_version=(3, int(version)))


def test_every_way_to_start_nox_asks_for_the_same():
    text = read("noxfile.py")
    (needed,) = re.findall(r'^nox.needs_version = "(.*)"', text, flags=re.MULTILINE)
    assert re.findall(r'"(nox\[uv\].*?)"', text) == [f"nox[uv]{needed}"] * 2


def test_every_message_names_a_session_and_starts_it_as_the_readme_does():
    """Where nox is not installed, ``python3 -m nox`` is no remedy."""
    said = [path.read_text(encoding="utf-8") for path in sorted(CHECKOUT.glob("src/shardbook_sphinx/**/*.py"))]
    named = {match for text in said for match in re.findall(r"(\S+ \S*nox\S*) -s (\w+)", text)}
    assert {start for start, _ in named} == {"python3 noxfile.py"}
    assert {session for _, session in named} <= sessions() | {"kernels"}


def start(folder, venv):
    """Start a copy of the noxfile by a Python whose ``venv`` is another module; what came back and was printed."""
    shutil.copy(CHECKOUT / "noxfile.py", folder)
    (folder / "modules").mkdir()
    (folder / "modules/venv.py").write_text(venv, encoding="utf-8")
    environment = os.environ | {"PYTHONPATH": str(folder / "modules")}
    command = [sys.executable, str(folder / "noxfile.py"), "-s", "docs"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60, check=False)
    return done.returncode, done.stdout + done.stderr


def test_a_python_without_venv_is_told_what_to_install(tmp_path):
    code, printed = start(tmp_path, "raise SystemExit(1)")
    assert code
    assert "sudo apt install python3-venv" in printed


PYTHON = """\
import pathlib, sys
python = pathlib.Path(sys.argv[-1], "bin/python")
python.parent.mkdir(parents=True)
python.write_text({script!r})
python.chmod(0o755)
"""


@pytest.mark.skipif(os.name == "nt", reason="the stand-in for the environment's Python is a shell script")
@pytest.mark.parametrize("pip", [0, 1])
def test_nox_is_started_with_what_was_asked_once_pip_has_fetched_it(tmp_path, pip):
    script = f'#!/bin/sh\necho "$*"\n[ "$2" != pip ] || exit {pip}\n'
    code, printed = start(tmp_path, PYTHON.format(script=script))
    assert "-m pip install --quiet --disable-pip-version-check nox[uv]>=" in printed
    assert (f"-m nox --noxfile {tmp_path / 'noxfile.py'} -s docs" in printed) == (pip == 0)
    assert ("This needs a network" in printed) == (code == 1) == (pip == 1)
