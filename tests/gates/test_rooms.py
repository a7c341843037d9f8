"""The machinery's packages stand on floors: each imports what is below it, none what is above, and nothing in a circle."""

import ast
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest
from checkout import CHECKOUT

PACKAGE = "shardbook_sphinx"
SOURCE = CHECKOUT / "src" / PACKAGE
GROUND = {
    "domain",
    "entries",
    "exceptions",
    "fingerprint",
    "languages",
    "nodes",
    "notebooks",
    "pins",
    "rebuild",
    "recorded",
}
# Each wing, with the others that it may import; all may import the ground floor.
WINGS = {
    "compilers": set(),
    "execution": {"compilers"},
    "records": set(),
    "theme": set(),
    "translation": set(),
    "explorer": {"theme"},
    "planner": {"compilers", "theme"},
    "watch": {"theme"},
    "reference": {"records"},
    "search": {"reference"},
    "xla": {"compilers", "execution"},
    "downloads": {"execution", "theme"},
    "commands": {"compilers", "downloads", "execution", "planner", "records", "reference", "translation", "xla"},
}


def imports(path: Path, package: str = PACKAGE) -> set[str]:
    """The modules of the package that a file imports, wherever it does; what only a type checker reads is left out."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            node.body = []
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"{path}: imports are absolute"
            found |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return {name for name in found if name.startswith(f"{package}.")}


def modules(source: Path) -> dict[str, Path]:
    """The files of a package, by the names of their modules."""
    names = {path: ".".join(path.relative_to(source.parent).with_suffix("").parts) for path in source.rglob("*.py")}
    return {name.removesuffix(".__init__"): path for path, name in names.items()}


def wrong_ways(source: Path) -> list[str]:
    """Imports that go from a room to one that it may not enter, and a circle of modules if there is one."""
    files = modules(source)
    graph = {name: (imports(path) & files.keys()) - {name} for name, path in files.items()}
    found = []
    for name, wanted in sorted(graph.items()):
        room = name.split(".")[1] if "." in name else ""
        for other in sorted(wanted):
            there = other.split(".")[1]
            if room and there != room and there not in GROUND | WINGS.get(room, set()):
                found.append(f"{name} imports {other}: {room} may not import {there}")
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        found.append(f"a circle: {' → '.join(error.args[1])}")
    return found


def test_each_room_imports_only_what_it_may():
    assert wrong_ways(SOURCE) == []


def test_every_room_is_known_and_no_wing_may_import_commands():
    rooms = {path.stem for path in SOURCE.iterdir() if path.suffix == ".py" or (path / "__init__.py").is_file()}
    assert rooms - {"__init__"} == GROUND | WINGS.keys()
    assert not any("commands" in allowed for allowed in WINGS.values())
    # What the wings may import is no circle either.
    TopologicalSorter(WINGS).prepare()


def test_each_wing_says_what_it_is():
    for wing in WINGS:
        assert ast.get_docstring(ast.parse((SOURCE / wing / "__init__.py").read_text(encoding="utf-8"))), wing


def defined(source: Path) -> dict[str, list[str]]:
    """Each class of the package, with the modules that define it."""
    found: dict[str, list[str]] = {}
    for name, path in sorted(modules(source).items()):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef):
                found.setdefault(node.name, []).append(name)
    return found


def test_no_two_classes_have_one_name():
    assert {name: places for name, places in defined(SOURCE).items() if len(places) > 1} == {}


@pytest.mark.parametrize(
    ("file", "line", "told"),
    [
        ("search/index.py", "from {0}.commands import build", "search may not import commands"),
        ("execution/run.py", "def late():\n    from {0}.downloads.pages import files", "may not import downloads"),
        ("domain.py", "import {0}.xla.cases", "domain may not import xla"),
        ("exceptions.py", "from {0}.domain import Handbook", "a circle: "),
    ],
)
def test_a_wrong_way_is_found(tmp_path, file, line, told):
    source = tmp_path / PACKAGE
    for path in SOURCE.rglob("*.py"):
        copy = source / path.relative_to(SOURCE)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text(path.read_text(encoding="utf-8"), encoding="utf-8")
    with (source / file).open("a", encoding="utf-8") as planted:
        planted.write("\n" + line.format(PACKAGE) + "\n")
    assert any(told in way for way in wrong_ways(source))
