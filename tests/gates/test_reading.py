"""A page that shows what nothing has run, or lacks what the handbook promises, fails the build.

As in test_cells.py each page has one fault, and a build tells of all. These faults are seen once the cells have run.
"""

import json
import re

import pytest
from checkout import put_back
from faults import add_pages, cells, fault, told_by_page


def text(block: str) -> str:
    """A page without cells."""
    return f"# Text\n\nWhat it says.\n\n{block}\n"


def api(name: str, example: str = "") -> str:
    """An entry of a name, on line 5 of its page."""
    shown = f"\n```{{doctest}}\n{example}\n```\n" if example else ""
    return text(f":::{{api}} {name}\n\nWhat it is.\n{shown}:::")


RAISES = ":tags: [raises-exception]\n:raises: TypeError\n:says: unsupported operand type(s)\n"
REMEDY = "assert 1 + 2 == 3"
THREADS = """\
```{asked}
https://github.com/jax-ml/jax/issues/27808
https://github.com/jax-ml/jax/discussions/19542
```"""


def entry(anchor: str, first: str, prose: str, second: str) -> str:
    """A page with one entry of an error or a trap."""
    top, page = cells(first, second).split("# Cells\n\n")
    one, two = page.split("\n\n```")
    return f"{top}# Entries\n\n({anchor})=\n## Entry\n\n{one}\n\n{prose}\n\n```{two}"


PAGES = {
    # code that nothing runs
    "python": fault(
        cells("6") + "\n```python\nprint(7)\n```\n", "python.md:13: WARNING: this Python block is never run"
    ),
    "other_python": fault(
        text("```{code-block} Py3\nprint(7)\n```"), "py:5: WARNING: this Python block is never run".replace("py", "md")
    ),
    "without_language": fault(text("```\nprint(7)\n```"), "WARNING: this block does not say what language it is in"),
    "indented": fault(text("    print(7)"), "WARNING: this block does not say what language it is in"),
    "skipped": fault(text("```{doctest}\n>>> 7  # doctest: +SKIP\n8\n```"), "md:5: WARNING: this example is skipped"),
    "no_notebook": fault(text("```{code-cell}\nprint(7)\n```"), "md:5: WARNING: ", "code-cell"),
    "excluded": fault(cells("6"), "excluded.md: its cells were not run; remove what excludes 'faults/excluded'"),
    # cells that should print the same
    "old": fault(
        cells(":same-as: now#sum\nimport jax\n\nprint(jax.numpy.arange(5).sum())", kernel="jax-0.5.3"),
        "faults/old: a cell prints something else than now#sum",
        "-6\n",
        "+10\n",
    ),
    "number": fault(
        cells(":label: a\nprint(hex(0xbadcafe1))", ":same-as: faults/number#a\nprint(hex(0xdeadbeef))"),
        "faults/number: a cell prints something else than faults/number#a",
    ),
    "html": fault(
        cells(
            ':label: a\nimport IPython; IPython.display.HTML("<b>one</b>")',
            ':same-as: faults/html#a\nIPython.display.HTML("<b>two</b>")',
        ),
        "faults/html: a cell prints something else than faults/html#a",
    ),
    "apart": fault(
        cells(
            ":kernel: jax-0.5.3\n:label: release\nimport jax\n\nprint(jax.__version__)",
            ':kernel: jax-0.5.3\n:same-as: faults/apart#release\nprint(jax.__version__ + "!")',
        ),
        "faults/apart: a cell prints something else than faults/apart#release",
        "+0.5.3!",
    ),
    "itself": fault(
        cells(":same-as: faults/itself#me\n:label: me\nprint(6)"), "same-as: faults/itself#me is the cell itself"
    ),
    "no_label": fault(
        cells(":same-as: now#product\nprint(6)"),
        "faults/no_label: same-as: now#product names no labelled cell; there are: ",
        "now#sum",
    ),
    "silent": fault(
        cells(":same-as: now#sum\nx = 6"),
        "faults/silent: a cell that is to print the same as now#sum prints nothing:\n",
    ),
    "label_twice": fault(
        cells(":label: a\nprint(6)", ":label: a\nprint(7)"), "faults/label_twice#a: two cells carry this label"
    ),
    # the reference
    "no_example": fault(
        api("jax.sharding.Empty"),
        "WARNING: faults/no_example.md:5: jax.sharding.Empty: no example of this entry uses Empty",
    ),
    "other_example": fault(
        api("jax.sharding.Other", ">>> 4 + 4\n8"), "jax.sharding.Other: no example of this entry uses Other"
    ),
    "retired": fault(api("jax.sharding.Retired"), "jax.sharding.Retired: no example of this entry uses Retired"),
    "unknown": fault(
        api("jax.sharding.Mesh.shapes", ">>> 8"),
        "no recorded release has jax.sharding.Mesh.shapes; the nearest name is jax.sharding.Mesh.shape",
    ),
    "twice": fault(
        api("jax.sharding.Mesh", ">>> jax.sharding.Mesh"), "duplicate object description of jax.sharding.Mesh"
    ),
    "no_change": fault(
        text("```{api-changes} 0.13.0\n```"), "the records show no change in 0.13.0; they do in 0.12.0.1"
    ),
    "no_module": fault(text("```{api-matrix} jax.shading\n```"), "no recorded release has a name in jax.shading"),
    "no_question": fault(text("```{api-answers} spec\n```"), "no program answers to spec; there are"),
}
# Entries of errors and traps stand in a folder of their own.
ENTRIES = {
    "no_remedy": fault(
        entry("error-a", f"{RAISES}1 + 'x'", "Why.", "1 + 2"),
        "errors/faults/no_remedy#error-a: no cell after the error asserts the result of a remedy",
    ),
    "says_nothing": fault(
        entry("error-b", f"{RAISES}1 + 'x'".replace(":says: unsupported operand type(s)\n", ""), "Why.", REMEDY),
        "errors/faults/says_nothing#error-b: a cell raises and does not say what the message says",
    ),
    "half_a_trap": fault(
        entry("trap-a", "assert round(0.5) == 0", "Why.", "int(0.5 + 0.5)"),
        "errors/faults/half_a_trap#trap-a: a trap has a cell that asserts the surprise and one",
    ),
    "false_title": fault(
        entry("trap-b", "assert round(0.5) == 0", "Why.", REMEDY),
        "errors/faults/false_title#trap-b: the title says what is true; say beneath it what is not: One might think: …",
    ),
    "unexplained": fault(
        entry("error-c", f"{RAISES}1 + 'x'", "", REMEDY), "errors/faults/unexplained#error-c: nothing is said"
    ),
    "asked_only": fault(
        entry("error-d", f"{RAISES}1 + 'x'", THREADS, REMEDY), "errors/faults/asked_only#error-d: nothing is said"
    ),
    "no_thread": fault(
        entry("error-e", f"{RAISES}1 + 'x'", f"Why.\n\n{THREADS.replace('issues', 'issue')}", REMEDY),
        "WARNING: https://github.com/jax-ml/jax/issue/27808 is no thread",
    ),
}
FAULTS = PAGES | ENTRIES
# Faults of the whole, told without a page.
WHOLE = [
    "WARNING: jax.sharding.Lone: has no entry; add {api} jax.sharding.Lone to a page",
    "WARNING: 0.12.0.1 changed something for shardings: add {api-changes} 0.12.0.1",
]


def add_names(small, release, *names):
    """Have the record of a release know more names."""
    name = f"docs/_data/api/{release}.json"
    record = json.loads(small.read(name))
    record["objects"] |= {f"jax.sharding.{each}": {"kind": "class", "signature": "()"} for each in names}
    small.write(name, json.dumps(record))


@pytest.fixture(scope="module")
def builds(workplace):
    """What Sphinx's own command says, and the build command after it, which runs no cell again."""
    small = put_back(workplace)
    add_names(small, "0.12.0.1", "Lone", "Empty", "Other")
    add_names(small, "0.5.3", "Retired")
    small.edit("docs/names.md", "{api-changes} 0.12.0.1\n```", "{api-answers} spec-is-tuple\n```")
    small.edit(
        "conf.py", "nb_execution_timeout", 'nb_execution_excludepatterns = ["faults/excluded.md"]\nnb_execution_timeout'
    )
    add_pages(small, {name: fault.page for name, fault in PAGES.items()})
    add_pages(small, {name: fault.page for name, fault in ENTRIES.items()}, "errors/faults")
    return {"sphinx-build": small.plain_build("-W"), "docs": small.build("--only", "en")}


@pytest.fixture(scope="module", params=["sphinx-build", "docs"])
def build(request, builds):
    """Either of them."""
    return builds[request.param]


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_fails_the_build_with_page_and_reason(build, name):
    assert not build.passed
    told = told_by_page(build)[name]
    assert [words for words in FAULTS[name].told if words not in told] == []


@pytest.mark.parametrize("told", WHOLE)
def test_a_fault_of_the_whole_fails_the_build(build, told):
    assert not build.passed
    assert told in build.printed


def test_each_is_told_of_and_nothing_else_is(build):
    assert set(told_by_page(build)) == set(FAULTS)
    assert build.printed.count("has no entry") == 1
    assert build.printed.count("uses ") == 3
    assert not re.search(r"docs/(?:now|then|index)\.md:\d", build.printed)


def test_the_build_command_says_what_is_wrong_and_nothing_of_sphinx(builds):
    assert builds["docs"].ran == []
    assert "Traceback" not in builds["docs"].printed
    assert "Versions" not in builds["docs"].printed


def test_sphinx_itself_fails_every_time_at_a_fault_between_pages(small):
    """With a warning alone it keeps what it has read, and with an error it does not: each must be told again."""
    then = small.read("docs/then.md")
    before = small.plain_build("-W")
    assert before.passed, before.printed
    page = small.read(".build/plain/then.html")
    missing = "jax.sharding.Mesh.shape: has no entry"
    small.edit("docs/names.md", "jax.sharding.Mesh.shape", "jax.sharding.PositionalSharding")
    for _ in range(2):
        result = small.plain_build("-W")
        assert not result.passed
        assert missing in result.printed
    small.edit("docs/then.md", "arange(4)", "arange(5)")
    for _ in range(2):
        result = small.plain_build("-W")
        assert not result.passed
        assert missing in result.printed
        assert "then: a cell prints something else than now#sum" in result.printed
        assert small.read(".build/plain/then.html") == page
    small.write("docs/then.md", then)
    small.edit("docs/now.md", "total = int(jax.numpy.arange(4).sum())\nprint(total)", "total = 6\nprint('six')")
    result = small.plain_build("-W")
    assert not result.passed
    assert "then: a cell prints something else than now#sum" in result.printed
