"""What the helper exports: every name that readers can meet, each with an entry, and importing it costs nothing."""

import ast
import doctest
import inspect
import os
import pickle
import re
import shutil
import subprocess
import sys
import typing
from importlib import import_module
from pathlib import Path

import griffe
import pytest
from strategies import Arranged  # noqa: F401, which gives the process its devices

import shardbook as sb

PACKAGE = Path(sb.__file__).parent
PAGE = PACKAGE.parents[1] / "docs/reference/shardbook.md"

# The names, read without importing anything


def load(package=PACKAGE):
    """A package as griffe reads it: from its text alone."""
    return griffe.load("shardbook", search_paths=[package.parent])


def public(members):
    return {name: member for name, member in members.items() if not name.startswith("_")}


def annotations(thing):
    """What the signature of a function says, or that of a class and of its public members."""
    if thing.is_function:
        yield thing.returns
        yield from (parameter.annotation for parameter in thing.parameters)
    elif thing.is_attribute:
        yield thing.annotation
    else:
        yield from thing.bases
        for member in public(thing.members).values():
            yield from annotations(member)


def named(expression, package):
    """The package's own classes that an annotation names, itself or by an alias such as ``Groups``."""
    names = expression.iterate() if isinstance(expression, griffe.Expr) else ()
    for name in names:
        path = name.canonical_path if isinstance(name, griffe.ExprName) else ""
        if path.startswith("shardbook."):
            found = package[path.removeprefix("shardbook.")]
            found = found.final_target if found.is_alias else found
            if found.is_class:
                yield found.name
            elif found.is_attribute and not found.labels & {"instance-attribute", "property"}:
                yield from named(found.value, package)


def entries(page):
    """The entries of the reference: the kind and parameters of each name, and all up to the next one."""
    parts = re.split(r"^```\{py:(function|class)\} (\w+)(?:\((.*)\))?$", page, flags=re.MULTILINE)[1:]
    return {name: (kind, given, body) for kind, name, given, body in zip(*[iter(parts)] * 4, strict=True)}


def terms(body):
    """What the definition lists of an entry explain: `shape`, `dtype` on one line are two."""
    lines = re.findall(r"^(`[^`\n]+`(?:, `[^`\n]+`)*)\n: ", body, re.MULTILINE)
    return {re.sub(r"\(.*\)", "", name) for line in lines for name in re.findall(r"`([^`]+)`", line)}


def examples(body):
    return "\n".join(re.findall(r"^(?:>>>|\.\.\.) (.*)$", body, re.MULTILINE))


def problems(package, page):
    """What is missing among the exported names, and what is wrong with their entries on the page."""
    exported = {str(name) for name in package.exports}
    told = entries(page)
    found = [f"{name} is exported and is nowhere" for name in exported - set(package.members)]
    found += [f"{name} has an entry and is not exported" for name in told.keys() - exported]
    for name in sorted(exported & set(package.members)):
        thing = package[name].final_target
        found += [
            f"{other}, which {name} speaks of, is not exported"
            for expression in annotations(thing)
            for other in named(expression, package)
            if other not in exported
        ]
        if name not in told:
            found.append(f"{name} has no entry")
            continue
        kind, signature, body = told[name]
        if kind != thing.kind.value:
            found.append(f"the entry of {name} is one of a {kind}, and it is a {thing.kind.value}")
        if thing.is_function:
            parameters = {parameter.name for parameter in thing.parameters}
            written = set(re.findall(r"(\w+)(?:=\w+)?(?:, |$)", signature))
            found += [f"the signature of {name} differs in {other}" for other in sorted(parameters ^ written)]
            members = {*parameters, *(["Returns"] if "Returns" in body else [])}
            used = re.search(rf"\bsb\.{name}\(", examples(body))
        else:
            members = set(public(thing.members))
            used = any(re.search(rf"\.{word}\b", examples(body)) for word in {name, *members})
        found += [f"the entry of {name} leaves out {member}" for member in sorted(members - terms(body) - {"Returns"})]
        found += [f"{name} has no {member}" for member in sorted(terms(body) - members)]
        if not used:
            found.append(f"no example of the entry of {name} uses it")
    return found


def test_every_name_is_exported_and_has_its_entry():
    """A class in a public field or signature too; an entry has all its fields, and an example."""
    assert problems(load(), PAGE.read_text(encoding="utf-8")) == []


def edited(text, old, new):
    assert text.count(old) >= 1, old
    return text.replace(old, new)


@pytest.mark.parametrize(
    ("file", "old", "new", "told"),
    [
        ("__init__.py", '    "Buffer",\n', "", "Buffer, which Collective speaks of, is not exported"),
        ("__init__.py", '    "Display",\n', "", "Display, which Figure speaks of, is not exported"),
        ("__init__.py", '    "Axis",\n', "", "Axis has an entry and is not exported"),
        ("__init__.py", '    "Axis",\n', '    "Axis",\n    "Axes",\n', "Axes is exported and is nowhere"),
        (
            "_layout.py",
            "    kind: str\n",
            "    kind: str\n    extra: int = 0\n",
            "the entry of Layout leaves out extra",
        ),
        ("_moves.py", "def moves(before: Any, ", "def moves(start: Any, ", "the signature of moves differs in start"),
    ],
)
def test_a_fault_in_the_package_is_told(tmp_path, file, old, new, told):
    """Planted in a copy: griffe reads that one."""
    shutil.copytree(PACKAGE, tmp_path / "shardbook", ignore=shutil.ignore_patterns("__pycache__"))
    path = tmp_path / "shardbook" / file
    path.write_text(edited(path.read_text(encoding="utf-8"), old, new), encoding="utf-8")
    assert told in problems(load(tmp_path / "shardbook"), PAGE.read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("{py:class} Piece", "{py:class} Part", "Piece has no entry"),
        ("{py:class} Piece", "{py:class} Part", "Part has an entry and is not exported"),
        ("{py:class} Axis", "{py:function} Axis", "the entry of Axis is one of a function, and it is a class"),
        ("`kept`\n: ", "", "the entry of Receipt leaves out kept"),
        ("`kept`\n: ", "`held`\n: ", "Receipt has no held"),
        ("x, *, language=None)", "x)", "the signature of show differs in language"),
        ("axis.size for", "axis for", "no example of the entry of Axis uses it"),
        (">>> sb.moves(rows", ">>> moves(rows", "no example of the entry of moves uses it"),
    ],
)
def test_a_fault_on_the_page_is_told(old, new, told):
    """Of each kind one."""
    page = edited(PAGE.read_text(encoding="utf-8").replace("found = sb.moves", "sb.moves"), old, new)
    assert told in problems(load(), page)


# The names at run time


LAZY = """
import sys
import shardbook
shardbook.__version__, dir(shardbook), shardbook.__all__
from shardbook._messages import MESSAGES
print(sorted({"jax", "jaxlib", "numpy", "rich"} & set(sys.modules)))
shardbook.layout
print(sorted({"jax", "jaxlib", "numpy", "rich"} & set(sys.modules)))
"""


def test_importing_it_loads_nothing():
    """Neither do its version and its names; the first function does, and only what it needs."""
    environment = {**os.environ, "PYTHONPATH": str(PACKAGE.parent)}
    command = [sys.executable, "-c", LAZY]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120, check=True)
    assert done.stdout.splitlines() == ["[]", "['jax', 'jaxlib', 'numpy']"]


def test_what_the_package_has():
    """Each exported name, under that name, also for pickle and help; no module in its place."""
    assert set(sb.__all__) <= set(dir(sb))
    assert sb.__all__ == sorted(sb.__all__)
    for name in sb.__all__:
        thing = getattr(sb, name)
        assert (thing.__module__, thing.__qualname__) == ("shardbook", name)
        assert pickle.loads(pickle.dumps(thing)) is thing  # noqa: S301, our own
    assert [name for name in dir(sb) if name.islower() and not name.startswith("_")] == [
        "chip",
        "chip_mesh",
        "collectives",
        "compare",
        "layout",
        "memory",
        "moves",
        "show",
    ]
    with pytest.raises(AttributeError, match="module 'shardbook' has no attribute 'lay'"):
        sb.lay  # noqa: B018
    for name in ("layout", "moves", "collectives"):
        with pytest.raises(ModuleNotFoundError, match=f"No module named 'shardbook.{name}'"):
            import_module(f"shardbook.{name}")


NAMES = [getattr(sb, name) for name in sb.__all__]
CLASSES = [thing for thing in NAMES if isinstance(thing, type)]


@pytest.mark.parametrize("thing", CLASSES, ids=lambda thing: thing.__name__)
def test_what_tools_make_of_the_classes(thing):
    """They find the types of fields, and show no wrong lines as the source."""
    for field, kind in typing.get_type_hints(thing).items():
        assert not isinstance(kind, str), field
    with pytest.raises(OSError, match=r"source code not available|could not find class definition"):
        inspect.getsource(thing)


# Examples in docstrings: pytest passes by those of what says it is another module's


def home(thing):
    """The module that a public name is really in."""
    return import_module(
        "shardbook." + next(module for module, names in sb._MODULES.items() if thing.__name__ in names)
    )


@pytest.mark.parametrize("thing", NAMES, ids=lambda thing: thing.__name__)
def test_the_examples_of_a_public_name(thing):
    runner = doctest.DocTestRunner(verbose=False)
    for test in doctest.DocTestFinder().find(thing, module=home(thing)):
        runner.run(test)
    assert runner.failures == 0


def test_no_example_is_passed_by():
    """Each docstring that has one is found, by pytest or above."""
    finder = doctest.DocTestFinder()
    for path in sorted(PACKAGE.glob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        kinds = (ast.Module, ast.ClassDef, ast.FunctionDef)
        written = sum(">>> " in (ast.get_docstring(node) or "") for node in ast.walk(tree) if isinstance(node, kinds))
        module = import_module("shardbook" if path.stem == "__init__" else f"shardbook.{path.stem}")
        ours = [thing for thing in NAMES if home(thing) is module]
        run = finder.find(module) + [test for thing in ours for test in finder.find(thing, module=module)]
        assert sum(bool(test.examples) for test in run) == written, path
