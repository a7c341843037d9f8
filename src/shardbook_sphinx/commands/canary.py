"""Say what another JAX would change: python -m shardbook_sphinx.commands.canary VERSION, where that JAX is installed.

Works on a copy of the checkout: builds the whole site there in both languages, whatever fails, runs all doctests, asks
JAX for its surface, and compares each with what the pinned JAX gives. Prints one page; the rest stands in files beside.
"""

from __future__ import annotations

import ast
import contextlib
import json
import os
import re
import shutil
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

from shardbook_sphinx.commands.checkouts import copy_checkout
from shardbook_sphinx.pins import pinned
from shardbook_sphinx.records.changes import difference
from shardbook_sphinx.records.recorder import BEHAVIOURS, answer, objects
from shardbook_sphinx.records.records import Release, read_records

# Lines a part of the report may have, so that the whole is one page.
MOST = 12
WIDTH = 110
FAILURE = re.compile(
    r'^File "(?P<page>[^"]+)", line (?P<line>\d+), in .*\n'
    r"Failed example:\n(?P<example>(?: {4}.*\n)+)"
    r"(?P<told>(?s:.*?))(?=^\*{70}|\Z)",
    re.MULTILINE,
)
# The last line of a traceback, and what it says of a name that was not bound.
ERROR = re.compile(r"^(?:[\w.]+\.)?[A-Z]\w*(?:Error|Exception|Exit|Interrupt)\b", re.MULTILINE)
MISSING = re.compile(r"^NameError: name '(\w+)'")
JAX_ENDS = ("----------", "For simplicity, JAX has removed")
TRIED = re.compile(r"^\s*(\d+) tests?$", re.MULTILINE)


class Finding(NamedTuple):
    """Something that is otherwise on the other JAX."""

    place: str
    told: str


def canary(root: Path, release: str) -> str:
    """Build and test a copy of ``root`` on the installed JAX; the report."""
    folder = root / ".build/canary" / release
    shutil.rmtree(folder, ignore_errors=True)
    copy = folder / "handbook"
    copy_checkout(root, copy)
    shutil.copytree(root / ".build/cache", copy / ".build/cache")
    say("reading what the pinned JAX printed")
    before = outputs(copy, folder / "before.json")
    set_pins(copy / "requirements/site.txt")
    say("building the English pages")
    after = outputs(copy, folder / "after.json", "html", "-D", "shardbook_keep_going=1")
    english = (copy / "site/en/index.html").is_file()
    say("building the Chinese pages")
    sphinx(copy, "html", "zh", "-D", "language=zh_CN", "-D", "shardbook_keep_going=1")
    chinese = (copy / "site/zh/index.html").is_file()
    say("running the doctests")
    shutil.rmtree(copy / ".build/doctest", ignore_errors=True)
    sphinx(copy, "doctest", "doctest", "-D", "shardbook_keep_going=1")
    tested = next(copy.glob("site/doctest/output.txt"), None)
    doctests = tested.read_text(encoding="utf-8") if tested else ""
    parts = {
        "Names, parameters and behaviour": surface_findings(copy),
        "Cells": cell_findings(before, after),
        "Doctests": doctest_findings(doctests),
    }
    built = {True: "built", False: "NOT BUILT"}
    head = [
        f"JAX {release} against the pinned {pinned('python3')['jax']}",
        f"Site: English {built[english]}, Chinese {built[chinese]}.",
        f"Run: {sum(map(len, after.values()))} cells of {len(after)} pages, {tried(doctests)} lines of doctests.",
    ]
    whole = "\n".join([*head, *(line for name, found in parts.items() for line in part(name, found, None))])
    (folder / "report.txt").write_text(whole + "\n", encoding="utf-8")
    brief = {name: by_page(found) if name == "Doctests" else found for name, found in parts.items()}
    short = "\n".join([*head, *(line for name, found in brief.items() for line in part(name, found, MOST))])
    return f"{short}\n\nAll findings: {(folder / 'report.txt').relative_to(root).as_posix()}"


def say(what: str) -> None:
    """Show progress; the report alone goes to stdout."""
    print(f"canary: {what}", file=sys.stderr, flush=True)


def sphinx(copy: Path, builder: str, out: str, *settings: str) -> None:
    """Run one of Sphinx's builders on the copy; warnings and failures are what we are here to see."""
    doctrees = copy / ".build/doctrees" / out
    command = ["-q", "-b", builder, "-c", ".", "-d", str(doctrees), *settings, "docs", f"site/{out}"]
    environment = {**os.environ, "PYTHONPATH": str(copy / "src"), "SOURCE_DATE_EPOCH": "0"}
    with (copy.parent / f"{out}-{builder}.log").open("w", encoding="utf-8") as log:
        subprocess.run(
            [sys.executable, "-m", "sphinx", *command],
            cwd=copy,
            env=environment,
            stdout=log,
            stderr=subprocess.STDOUT,
            check=False,
        )


def outputs(copy: Path, file: Path, builder: str = "dummy", *settings: str) -> dict[str, list[list[str]]]:
    """What each code cell of each page prints, by page: its source and its output, in the order of the page."""
    sphinx(copy, builder, "en" if builder == "html" else builder, "-D", f"shardbook_outputs={file}", *settings)
    if not file.is_file():
        log = next(copy.parent.glob("*-dummy.log")).read_text(encoding="utf-8")
        raise SystemExit(f"The pages could not be read. Build them first: python3 noxfile.py -s docs\n{log}")
    found: dict[str, list[list[str]]] = json.loads(file.read_text(encoding="utf-8"))
    return found


def set_pins(pins: Path) -> None:
    """Have the copy expect the JAX that is installed here."""
    text = pins.read_text(encoding="utf-8")
    for name in ("jax", "jaxlib"):
        text = re.sub(rf"^{name}==\S+", f"{name}=={version(name)}", text, flags=re.MULTILINE)
    pins.write_text(text, encoding="utf-8")


def surface_findings(copy: Path) -> list[Finding]:
    """What the installed JAX offers otherwise than the newest record says."""
    with contextlib.redirect_stdout(sys.stderr):  # JAX prints some of what these programs do wrong
        here = Release(version("jax"), objects(), {key: answer(program) for key, program in BEHAVIOURS.items()})
    changes = difference(read_records(copy / "docs/_data/api").newest, here)
    return [
        *(Finding(name, "new") for name in changes.added),
        *(Finding(name, "gone") for name in changes.removed),
        *(Finding(name, "deprecated") for name in changes.deprecated),
        *(Finding(each.name, f"{each.before} → {each.after}") for each in [*changes.signatures, *changes.behaviours]),
    ]


class Broken(NamedTuple):
    """A cell that raises now and did not, and what follows from that on its page."""

    finding: Finding
    error: str
    """The last line of its output."""
    lost: frozenset[str]
    """The names that were not bound since."""
    followed: int = 0
    """How many cells found one of them missing."""


def cell_findings(before: dict[str, list[list[str]]], after: dict[str, list[list[str]]]) -> list[Finding]:
    """Cells that raise now, that raise no longer, or that print otherwise; what follows from one is told with it.

    A cell that lacks a name follows from the one that would have bound it, and one error on several pages is one.

    >>> cell_findings({"a": [["f()", "1"], ["g()", "2"]]}, {"a": [["f()", "1"], ["g()", "AssertionError: no"]]})
    [Finding(place='a, cell 2: g()', told='2 → AssertionError: no')]
    >>> ran = [["import x", ""], ["x.f()", "1"]]
    >>> now = [["import x", "ImportError: x"], ["x.f()", "NameError: name 'x'"]]
    >>> cell_findings({"a": ran, "b": ran}, {"a": now, "b": now})
    [Finding(place='a, cell 1: import x', told='nothing → ImportError: x; so in 2 cells of 2 pages, 2 cells follow')]
    """
    found: list[Finding | Broken] = []
    for page, cells in sorted(before.items()):
        found += page_findings(page, cells, after.get(page, []))
    causes: dict[str, list[Broken]] = {}
    for each in found:
        if isinstance(each, Broken):
            causes.setdefault(each.error, []).append(each)
    told = []
    for each in found:
        if not isinstance(each, Broken):
            told.append(each)
        elif each is causes[each.error][0]:
            told.append(as_one(causes[each.error]))
    return told


def page_findings(page: str, before: list[list[str]], after: list[list[str]]) -> list[Finding | Broken]:
    """What is otherwise on a page."""
    found: list[Finding | Broken] = []
    for number, ((source, was), (_, now)) in enumerate(zip(before, after, strict=False), 1):
        if was == now:
            continue
        error = now.splitlines()[-1] if ERROR.match((now.splitlines() or [""])[-1]) else ""
        name = MISSING.search(error)
        cause = next(
            (at for at, one in enumerate(found) if isinstance(one, Broken) and name and name[1] in one.lost), None
        )
        if cause is not None:
            broken = found[cause]
            assert isinstance(broken, Broken)
            found[cause] = broken._replace(lost=broken.lost | bound(source), followed=broken.followed + 1)
            continue
        finding = Finding(f"{page}, cell {number}: {source.strip().splitlines()[-1]}", first_change(was, now))
        found.append(Broken(finding, error, bound(source)) if error and not ERROR.search(was) else finding)
    return [*found, *([Finding(page, "could not be run")] if len(after) < len(before) else [])]


def bound(source: str) -> frozenset[str]:
    r"""The names that a cell binds.

    >>> sorted(bound("import jax.numpy as jnp, os.path\na, b = 1, 2\ndef f(x): pass"))
    ['a', 'b', 'f', 'jnp', 'os']
    """
    names: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Name(id=name, ctx=ast.Store()) | ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                names.add(name)
            case ast.Import(names=many) | ast.ImportFrom(names=many):
                names |= {alias.asname or alias.name.partition(".")[0] for alias in many}
    return frozenset(names)


def as_one(broken: list[Broken]) -> Finding:
    """The first of several cells that raise the same, with how many there are and what follows."""
    first, pages = broken[0].finding, len({each.finding.place.partition(",")[0] for each in broken})
    followed = sum(each.followed for each in broken)
    told = [f"so in {len(broken)} cells of {pages} pages"] if len(broken) > 1 else []
    told += [f"{followed} cells follow"] if followed else []
    return first._replace(told="; ".join([first.told, ", ".join(told)]) if told else first.told)


def first_change(was: str, now: str) -> str:
    """The first line in which two outputs differ, before and after."""
    here, there = was.splitlines() or ["nothing"], now.splitlines() or ["nothing"]
    for one, other in zip(here, there, strict=False):
        if one != other:
            return f"{one.strip()} → {other.strip()}"
    return f"{len(here)} lines → {len(there)} lines"


def doctest_findings(output: str) -> list[Finding]:
    """The failures in what Sphinx's doctest builder wrote."""
    return [
        Finding(
            f"{each['page']}:{each['line']}: {each['example'].strip().splitlines()[-1].strip()}", outcome(each["told"])
        )
        for each in FAILURE.finditer(output)
    ]


def outcome(told: str) -> str:
    r"""What was expected and what came, or the error that came instead, in a line.

    >>> outcome("Expected:\n    7\nGot:\n    8\n")
    '7 → 8'
    >>> outcome("Exception raised:\n    Traceback (most recent call last):\n      ...\n    NameError: no\n")
    'NameError: no'
    """
    # JAX ends its tracebacks with a word on itself.
    lines = [line.strip() for line in told.strip().splitlines() if not line.strip().startswith(JAX_ENDS)]
    if "Got:" in lines:
        expected, got = lines[1 : lines.index("Got:")], lines[lines.index("Got:") + 1 :]
        # A traceback's last line says what it is.
        return f"{expected[-1] if expected else 'nothing'} → {got[-1] if got else 'nothing'}"
    return lines[-1] if lines else "failed"


def by_page(findings: list[Finding]) -> list[Finding]:
    """The first finding of each page, with the number of those that follow: most follow from the first.

    >>> by_page([Finding("a.md:1: f()", "1 → 2"), Finding("a.md:2: g()", "NameError"), Finding("b.md:1: h()", "no")])
    [Finding(place='a.md:1: f()', told='1 → 2; and 1 more on this page'), Finding(place='b.md:1: h()', told='no')]
    """
    pages: dict[str, list[Finding]] = {}
    for finding in findings:
        pages.setdefault(finding.place.partition(":")[0], []).append(finding)
    return [
        first._replace(told=f"{shorten(first.told)}; and {len(rest)} more on this page" if rest else first.told)
        for first, *rest in pages.values()
    ]


def tried(output: str) -> int:
    """How many examples Sphinx's doctest builder ran."""
    found = TRIED.findall(output.partition("Doctest summary")[2])
    return int(found[0]) if found else 0


def part(name: str, findings: list[Finding], most: int | None) -> list[str]:
    """A part of the report, cut to ``most`` findings if given."""
    shown = findings[:most]
    lines = [f"  {shorten(each.place)}\n      {shorten(each.told)}" for each in shown]
    rest = [f"  … and {len(findings) - len(shown)} more"] if len(shown) < len(findings) else []
    return ["", f"{name}: {len(findings)} changed", *lines, *rest]


def shorten(text: str) -> str:
    """A text on one line of the report."""
    line = " ".join(text.split())
    return line if len(line) <= WIDTH else line[: WIDTH - 1] + "…"


def main() -> int:
    """Print the report; 0 even if much has changed: that is for the reader to judge."""
    release = sys.argv[1]
    if version("jax") != release:
        raise SystemExit(
            f"this environment has JAX {version('jax')}, not {release}: python3 noxfile.py -s canary -- {release}"
        )
    print(canary(Path.cwd(), release))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
