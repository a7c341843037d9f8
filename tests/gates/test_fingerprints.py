"""What determines outputs runs pages again: what code does, and what is installed; no comment, no message, no tool."""

import ast
import shutil

import pytest
from checkout import CHECKOUT, spoil

from shardbook_sphinx.commands.checkouts import MADE
from shardbook_sphinx.execution.cache import REPLAYERS, RUNNERS, cache_path
from shardbook_sphinx.records import releases
from shardbook_sphinx.xla.tables import cached

RUNNER = "src/shardbook_sphinx/execution/programs.py"
HELPER = "src/shardbook/__init__.py"
PINS = "requirements/site.txt"


@pytest.fixture
def sources(tmp_path):
    """A copy of all that outputs depend on."""
    for name in ("src", "requirements"):
        shutil.copytree(CHECKOUT / name, tmp_path / name, ignore=MADE)
    return tmp_path


def append(path, text):
    path.write_text(path.read_text(encoding="utf-8") + text, encoding="utf-8")


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        (HELPER, '"""', '"""In other words: '),
        (RUNNER, "\n\n\n", "\n\n\n# a comment\n\n\n"),
        (RUNNER, "SECONDS = 60  #", "SECONDS = (60)  # still"),
        ("src/shardbook_sphinx/execution/run.py", "names the kernel", "names as its kernel"),
        ("src/shardbook_sphinx/execution/checks.py", "wrote to stderr", "wrote something to stderr"),
        ("src/shardbook_sphinx/execution/kernels.py", "kernels are forked from ended", "kernels come from has ended"),
        ("src/shardbook_sphinx/compilers/directive.py", "Compiled with", "Made with"),
        ("src/shardbook_sphinx/compilers/record.py", "import random", "import random as chance"),
        ("src/shardbook/figure.css", "{", "{ "),
        (PINS, "pytest==", "pytest==9"),
        ("requirements/chips.txt", "==", "==9"),
    ],
)
def test_what_determines_no_output_runs_no_page_again(sources, file, old, new):
    before = cache_path(sources), cached(sources)
    spoil(sources / file, old, new)
    assert (cache_path(sources), cached(sources)) == before


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        (RUNNER, "SECONDS = 60", "SECONDS = 61"),
        ("src/shardbook_sphinx/execution/kernels.py", '"COLUMNS": "100"', '"COLUMNS": "80"'),
        ("src/shardbook_sphinx/execution/reproducible.py", '"<cell>"', '"<code>"'),
        ("src/shardbook_sphinx/compilers/store.py", "import lzma", "import lzma as xz"),
        (PINS, "numpy==", "numpy==9"),
        (PINS, "ipython==", "ipython==9"),
        ("requirements/jax-0.5.3.txt", "scipy==", "scipy==9"),
    ],
)
def test_what_determines_outputs_runs_all_pages_again(sources, file, old, new):
    before = cache_path(sources)
    spoil(sources / file, old, new)
    assert cache_path(sources) != before


@pytest.mark.parametrize(("folder", "named"), [("execution", RUNNERS), ("compilers", REPLAYERS)])
def test_with_what_runs_and_replays_all_that_it_imports_beside_it_is_named(folder, named):
    package = f"shardbook_sphinx.{folder}"
    trees = [ast.parse((CHECKOUT / "src/shardbook_sphinx" / folder / name).read_text("utf-8")) for name in named]
    imported = [node.module for tree in trees for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    beside = {module.removeprefix(f"{package}.") + ".py" for module in imported if module.startswith(f"{package}.")}
    assert beside
    assert beside <= set(named)


def test_each_line_of_the_helper_that_does_something_runs_all_again(sources):
    before = cache_path(sources), cached(sources)
    append(sources / HELPER, "more = 1\n")
    assert all(now != was for now, was in zip((cache_path(sources), cached(sources)), before, strict=True))


def test_a_comment_in_the_recorder_leaves_the_records(monkeypatch, tmp_path):
    before = releases.recorder()
    copy = tmp_path / releases.RECORDER.name
    shutil.copy(releases.RECORDER, copy)
    monkeypatch.setattr(releases, "RECORDER", copy)
    append(copy, "# a comment\n")
    assert releases.recorder() == before
    append(copy, "MORE = 1\n")
    assert releases.recorder() != before


def test_outputs_that_are_cached_are_used_after_a_comment_and_made_anew_after_a_change(small):
    append(small.root / HELPER, "# a comment\n")
    append(small.root / "src/shardbook_sphinx/execution/run.py", "# a comment\n")
    result = small.build("--only", "en")
    assert (result.passed, result.ran) == (True, []), result.printed
    append(small.root / HELPER, "more = 1\n")
    assert small.build("--only", "en").ran == ["now", "then"]
