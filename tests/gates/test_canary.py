"""On another JAX, the canary finds each name, output, error and example that is otherwise, and builds the site even so."""

import re

from shardbook_sphinx.commands.canary import MOST, Finding, cell_findings, doctest_findings, part
from shardbook_sphinx.execution.cache import cache_path


def test_the_canary_reports_what_changed(small):
    # The small handbook is made to be written for another JAX, on which it printed and declared something else.
    made_by = cache_path(small.root)
    pins = small.read("requirements/site.txt")
    version = re.search(r"^jax==(\S+)", pins, re.MULTILINE)[1]
    (small.root / "requirements/site.txt").write_text(
        pins.replace(f"jax=={version}", "jax==0.11.9", 1), encoding="utf-8"
    )
    made_by.rename(cache_path(small.root))
    (executed,) = [
        path for path in small.root.glob(".build/cache/*/executed/*/base.ipynb") if "total = int" in path.read_text()
    ]
    executed.write_text(executed.read_text(encoding="utf-8").replace('"6\\n"', '"7\\n"'), encoding="utf-8")
    small.edit("docs/names.md", """shape["x"]\n8""", """shape["x"]\n9""")

    done = small.run("shardbook_sphinx.commands.canary", version)

    assert done.passed, done.printed
    assert f"JAX {version} against the pinned 0.11.9\nSite: English built, Chinese built." in done.printed
    assert "Run: 6 cells of 2 pages, 4 lines of doctests." in done.printed
    assert "  now, cell 2: print(total)\n      7 → 6" in done.printed
    assert '  names.md:20: mesh.shape["x"]\n      9 → 8' in done.printed
    whole = small.read(f".build/canary/{version}/report.txt")
    assert "  jax.sharding.PartitionSpec\n      new" in whole
    assert "  jax.sharding.Mesh\n      (devices, axis_names) → (devices, axis_names, axis_types=None)" in whole
    assert (small.root / f".build/canary/{version}/handbook/site/zh/now.html").is_file()


def test_the_canary_refuses_another_jax_than_it_is_asked_for(small):
    done = small.run("shardbook_sphinx.commands.canary", "0.1.0")
    assert not done.passed
    assert "not 0.1.0: python3 noxfile.py -s canary -- 0.1.0" in done.printed


def test_an_assertion_that_fails_is_a_finding():
    before = {"a": [["x = 1", ""], ["assert x == 1", ""]]}
    after = {"a": [["x = 1", ""], ["assert x == 1", "AssertionError: "]]}
    assert cell_findings(before, after) == [Finding("a, cell 2: assert x == 1", "nothing → AssertionError:")]


def test_an_error_that_comes_no_longer_is_a_finding():
    assert cell_findings({"a": [["f()", "TypeError: no"]]}, {"a": [["f()", ""]]}) == [
        Finding("a, cell 1: f()", "TypeError: no → nothing")
    ]


def test_an_error_that_says_something_else_is_a_finding():
    before, after = "ValueError: sizes must divide", "ValueError: sizes should divide"
    assert cell_findings({"errors/a": [["f()", before]]}, {"errors/a": [["f()", after]]}) == [
        Finding("errors/a, cell 1: f()", f"{before} → {after}")
    ]


def test_a_page_that_did_not_run_is_a_finding():
    assert cell_findings({"a": [["f()", ""]]}, {}) == [Finding("a", "could not be run")]


IMPORT, GONE = "from jax import reshard", "ImportError: cannot import name 'reshard' from 'jax'"


def pages(names, *cells):
    """The same cells on several pages."""
    return {name: [list(cell) for cell in cells] for name in names}


def missing(name):
    return f"NameError: name '{name}' is not defined"


def test_one_failed_import_is_one_finding():
    """What lacks a name follows from the cell that would have bound it, also through another; so on each page."""
    ran = (IMPORT, ""), ("y = reshard(x)", ""), ("print(y)", "1"), ("print(2)", "2")
    now = (IMPORT, GONE), ("y = reshard(x)", missing("reshard")), ("print(y)", missing("y")), ("print(2)", "2")
    assert cell_findings(pages("abc", *ran), pages("abc", *now)) == [
        Finding(f"a, cell 1: {IMPORT}", f"nothing → {GONE}; so in 3 cells of 3 pages, 6 cells follow")
    ]


def test_what_has_a_cause_of_its_own_stays_a_finding():
    ran = (IMPORT, ""), ("z = f()", ""), ("print(2)", "2")
    now = (IMPORT, GONE), ("z = f()", missing("f")), ("print(2)", "3")
    assert [each.place for each in cell_findings(pages("a", *ran), pages("a", *now))] == [
        f"a, cell 1: {IMPORT}",
        "a, cell 2: z = f()",
        "a, cell 3: print(2)",
    ]


def test_failures_of_doctests_are_findings():
    stars = "*" * 70
    output = f"""
Document: reference/mesh
------------------------
{stars}
File "reference/mesh.md", line 40, in default
Failed example:
    for name in names:
        print(name)
Expected:
    x
Got:
    y
{stars}
File "reference/mesh.md", line 50, in default
Failed example:
    jax.nothing
Exception raised:
    Traceback (most recent call last):
      File "x", line 1, in f
    AttributeError: nothing
    --------------------
    For simplicity, JAX has removed its internal frames from the traceback of the following exception.
{stars}
1 items had failures:
"""
    assert doctest_findings(output) == [
        Finding("reference/mesh.md:40: print(name)", "x → y"),
        Finding("reference/mesh.md:50: jax.nothing", "AttributeError: nothing"),
    ]


def test_a_long_part_is_cut_and_says_so():
    lines = part("Cells", [Finding(f"cell {number}", "1 → 2") for number in range(MOST + 3)], MOST)
    assert lines[1] == f"Cells: {MOST + 3} changed"
    assert lines[-1] == "  … and 3 more"


def test_a_page_whose_program_cannot_be_started_stops_no_canary(small):
    small.edit("docs/now.md", ":label: sum", ":limit: 5\n:label: sum")
    result = small.plain_build("-D", "shardbook_keep_going=1")
    assert result.ran == ["now"], result.printed
    assert "Traceback" not in result.printed
