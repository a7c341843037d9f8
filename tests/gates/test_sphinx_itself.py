"""Sphinx's own command builds what files say, whatever their times, in one process or in several."""

import os
import subprocess
import sys
import time

import pytest
import site_checks
from checkout import CATALOGUES, spoil


def test_files_keep_their_times(small):
    small.edit("docs/now.md", "It is six.", "It is six, really.")
    files = [path for path in small.root.rglob("*") if path.is_file() and ".build" not in path.parts]
    files = [path for path in files if path.suffix not in {".mo", ".pyc"} and "site" not in path.parts]
    for path in files:
        os.utime(path, (1_000_000_000, 1_000_000_000))
    small.build("--only", "en", "--lenient")
    assert {path.stat().st_mtime for path in files} == {1_000_000_000}


def chinese(small):
    return small.plain_build("-D", "language=zh_CN", into="chinese")


def test_sphinx_itself_sees_a_file_that_was_restored_with_an_old_time(small):
    page, catalogue, words = (
        small.root / name for name in ("docs/now.md", f"{CATALOGUES}/now.po", "docs/_templates/page.html")
    )
    before = {path: (path.read_bytes(), path.stat()) for path in (page, catalogue, words)}
    assert chinese(small).passed
    small.edit("docs/now.md", "It is six.", "It was six.")
    spoil(catalogue, 'msgid "It is six."\nmsgstr "结果是六。"', 'msgid "It was six."\nmsgstr "原来是六。"')
    spoil(words, "{% block content %}", "{% block content %}<!-- planted -->")
    assert chinese(small).passed
    for built in ("now", "then"):
        assert "<!-- planted -->" in small.read(f".build/chinese/{built}.html")
    assert "原来是六。" in small.read(".build/chinese/now.html")
    for path, (content, times) in before.items():
        path.write_bytes(content)
        os.utime(path, (times.st_atime, times.st_mtime))
    assert chinese(small).passed
    assert "结果是六。" in small.read(".build/chinese/now.html")
    for built in ("now", "then"):
        assert "<!-- planted -->" not in small.read(f".build/chinese/{built}.html")


def test_sphinx_itself_sees_a_change_after_the_clock_was_set_back(small):
    assert small.plain_build().passed
    # To this build all that was written before lies in the future.
    for path in (small.root / ".build").rglob("*"):
        os.utime(path, (time.time() + 3600, time.time() + 3600))
    small.edit("docs/now.md", "It is six.", "It is half a dozen.")
    small.edit("docs/names.md", "# Names", "# All names")
    assert small.plain_build().passed
    assert "half a dozen" in small.read(".build/plain/now.html")
    assert "All names" in small.read(".build/plain/then.html")


def test_sphinx_itself_mends_what_a_build_left_that_was_killed_while_it_wrote(small):
    assert small.plain_build().passed
    whole = small.read(".build/plain/now.html")
    # What such a build leaves: its mark, with the number of a process that is gone, and half a page.
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    (small.root / f".build/doctrees/plain/writing-{process.pid}").touch()
    (small.root / ".build/plain/now.html").write_text(whole[:1000], encoding="utf-8")
    assert small.plain_build().passed
    assert small.read(".build/plain/now.html") == whole
    assert not list(small.root.glob(".build/doctrees/plain/writing-*"))


def add_pages(small, count):
    """Give the small handbook more pages, each with an entry that only together make the reference whole."""
    names = [f"page{number}" for number in range(count)]
    small.edit("docs/index.md", "now\nthen", "\n".join(["now", "then", *names]))
    for name in names:
        (small.root / f"docs/{name}.md").write_text(f"# {name.title()}\n\nWords.\n", encoding="utf-8")


def test_pages_that_several_processes_read_are_the_same(small):
    add_pages(small, 8)
    one, several = small.plain_build("-W"), small.plain_build("-W", "-j", "4", into="several")
    assert one.passed, one.printed
    assert several.passed, several.printed
    built = small.root / ".build"
    left = [name for name in site_checks.different_files(built / "plain", built / "several") if "pagefind" not in name]
    assert left == []


@pytest.mark.parametrize("processes", ["1", "4"])
def test_what_several_processes_have_read_is_checked_together(small, processes):
    add_pages(small, 8)
    small.edit("docs/then.md", "arange(4)", "arange(5)")
    result = small.plain_build("-W", "-j", processes)
    assert not result.passed
    assert "then: a cell prints something else than now#sum" in result.printed
    assert "has no entry" not in result.printed


def test_what_a_process_has_read_and_nobody_takes_over_is_missed(small):
    add_pages(small, 8)
    small.edit("src/shardbook_sphinx/domain.py", 'self.data["pages"].update(', "dict(")
    assert "has no entry" in small.plain_build("-W", "-j", "4").printed
