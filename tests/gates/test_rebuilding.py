"""A build does again what has changed and nothing else, and what it leaves is what a build from scratch would be."""

import contextlib
import os
import shutil
import signal
import time
import zipfile

import psutil
import pytest
import site_checks
from checkout import CATALOGUES, Handbook
from faults import SUMS
from lxml import html

from shardbook_sphinx.commands.build import products
from shardbook_sphinx.downloads.archive import ARCHIVE

NOW = "docs/now.md"
THEN = "docs/then.md"


def test_an_edited_page_is_new_in_all_that_is_made_of_it_and_runs_nothing(small):
    before = {path: path.stat().st_mtime_ns for path in (small.root / "site/en").glob("*.ipynb")}
    small.edit(NOW, "It is six.", "It is half a dozen.")
    small.edit(
        f"{CATALOGUES}/now.po", 'It is six."\nmsgstr "结果是六。"', 'It is half a dozen."\nmsgstr "结果是半打。"'
    )
    result = small.build()
    assert result.passed, result.printed
    assert result.ran == []
    for name in ("site/en/now.html", "site/en/now.md", "site/en/now.ipynb", "site/llms-full.txt"):
        assert "half a dozen" in small.read(name)
    for name in ("site/zh/now.html", "site/zh/now.ipynb"):
        assert "结果是半打" in small.read(name)
    changed = {path.name for path, time in before.items() if path.stat().st_mtime_ns != time}
    assert changed == {"now.ipynb", "index.ipynb"}  # the index has its title
    with zipfile.ZipFile(small.root / "site" / ARCHIVE) as archive:
        assert b"half a dozen" in archive.read("shardbook/en/now.html")
    texts, _ = site_checks.indexed(small.root / "site/en")
    said = [text for several in texts.values() for text in several]
    assert any("half a dozen" in text for text in said)
    assert not any("It is six" in text for text in said)
    assert "Nothing has changed" in small.build().printed


def test_an_index_of_which_no_page_changed_is_left_alone(small):
    index = small.root / "site/en/pagefind"
    before = index.stat().st_ino
    (small.root / ".build/stamp").unlink()
    assert small.build().passed
    assert index.stat().st_ino == before


def test_only_the_page_with_a_changed_cell_runs_again(small):
    small.edit(NOW, "print(total)", "print(total + 0)")
    result = small.build("--only", "en")
    assert result.passed, result.printed
    assert result.ran == ["now"]


def test_a_build_that_failed_fails_again(small):
    small.edit(NOW, "assert total == 6", "assert total == 7")
    for _ in range(2):
        result = small.build("--only", "en")
        assert not result.passed
        assert "AssertionError" in result.printed


def test_outputs_lost_from_the_cache_are_made_again(small):
    for folder in (small.root / ".build/cache").glob("*/executed"):
        shutil.rmtree(folder)
    # A page that is not read again needs its outputs no more.
    shutil.rmtree(small.root / ".build/doctrees")
    (small.root / ".build/stamp").unlink()
    result = small.build("--only", "en")
    assert result.passed, result.printed
    assert result.ran == ["now", "then"]


# What Sphinx would not see


def test_a_record_changed_changes_the_page(small):
    small.edit("docs/_data/api/0.12.0.1.json", "(devices, axis_names)", "(devices, axis_names, more=None)")
    assert small.build().passed
    for language in ("en", "zh"):
        signature = html.fromstring(small.read(f"site/{language}/names.html")).xpath(
            "string(//dt[contains(@class, 'sig')])"
        )
        assert "more=None" in signature


def test_content_counts_and_not_the_time_of_a_file(small):
    """As after `mv backup original` or a checkout of an older commit: a page and a catalogue with their old times."""
    paths = [small.root / NOW, small.root / CATALOGUES / "now.po"]
    before = [(path.read_bytes(), path.stat()) for path in paths]
    small.edit(NOW, "It is six.", "It was six.")
    small.edit(f"{CATALOGUES}/now.po", 'It is six."\nmsgstr "结果是六。"', 'It was six."\nmsgstr "原来是六。"')
    assert small.build().passed
    assert "原来是六。" in small.read("site/zh/now.html")
    for path, (content, times) in zip(paths, before, strict=True):
        path.write_bytes(content)
        os.utime(path, (times.st_atime, times.st_mtime))
    result = small.build()
    assert result.passed, result.printed
    assert "It is six." in small.read("site/en/now.html")
    assert "结果是六。" in small.read("site/zh/now.html")


def test_a_lenient_build_does_not_hide_its_warnings_from_a_strict_one(small):
    small.edit(f"{CATALOGUES}/now.po", 'msgstr "结果是六。"', 'msgstr ""')
    assert small.build("--only", "zh", "--lenient").passed
    result = small.build("--only", "zh")
    assert not result.passed
    assert "have no current translation" in result.printed


LOST = ["en/names.html", "en/then.ipynb", "zh/now.md", "zh/pagefind/names.json", "index.html", ARCHIVE]


def test_files_lost_from_the_site_are_made_again(small):
    """Each is of another page, so that none is written only because another is."""
    shutil.rmtree(small.root / "site/zh/pagefind")
    for name in LOST:
        (small.root / "site" / name).unlink(missing_ok=True)
    result = small.build()
    assert result.passed, result.printed
    assert [name for name in LOST if not (small.root / "site" / name).is_file()] == []
    texts, _ = site_checks.indexed(small.root / "site/zh")
    assert any("结果是六" in text for several in texts.values() for text in several)


@pytest.mark.parametrize("name", LOST)
def test_each_of_them_alone_is_missed(built_small, name):
    assert built_small.root / "site" / name in products(built_small.root, ["en", "zh"])


def test_a_rebuild_is_what_a_build_from_scratch_would_be(small, tmp_path):
    """Of another title and a new page; elsewhere, from the same outputs."""
    small.edit(NOW, "# Today", "# Now")
    small.edit(f"{CATALOGUES}/now.po", 'msgid "Today"\nmsgstr "今天"', 'msgid "Now"\nmsgstr "如今"')
    small.edit("docs/index.md", "now\nthen", "now\nthen\nnew")
    small.write("docs/new.md", "# New\n")
    new = small.read(f"{CATALOGUES}/then.po").split('msgid "In 2025"')[0] + 'msgid "New"\nmsgstr "新页"\n'
    small.write(f"{CATALOGUES}/new.po", new)
    result = small.build()
    assert result.passed, result.printed
    scratch = Handbook(tmp_path / "scratch")
    shutil.copytree(
        small.root, scratch.root, ignore=shutil.ignore_patterns("doctrees", "stamp", "made-by", "site", "*.mo")
    )
    result = scratch.build()
    assert result.passed, result.printed
    assert result.ran == []
    assert site_checks.different_files(small.root / "site", scratch.root / "site") == []


def test_a_word_of_the_interface_reaches_every_page(small):
    small.edit(f"{CATALOGUES}/sphinx.po", "回到顶部", "返回顶部")
    result = small.build("--only", "zh")
    assert result.passed, result.printed
    for page in ("now", "then", "names", "index"):
        assert "返回顶部" in small.read(f"site/zh/{page}.html")


def test_a_removed_page_takes_all_that_was_made_of_it_along(small):
    (small.root / THEN).unlink()
    (small.root / CATALOGUES / "then.po").unlink()
    small.edit("docs/index.md", "now\nthen", "now")
    # The page had the entry of a name that the records know.
    entry = (
        '"jax.sharding.PositionalSharding": {"kind": "class", "signature": "(devices)", "deprecated": "use another"}'
    )
    small.edit("docs/_data/api/0.5.3.json", f",\n  {entry}", "")
    result = small.build()
    assert result.passed, result.printed
    assert list((small.root / "site").rglob("then.*")) == []
    assert "then" not in small.read("site/llms.txt")
    assert "In 2025" not in small.read("site/llms-full.txt")


def test_a_page_removed_by_itself_takes_its_files_along(small):
    """With no other change than to pages, what was built stays and is brought up to date."""
    (small.root / THEN).unlink()
    small.edit("docs/index.md", "\nthen\n", "\n")
    result = small.build("--lenient")
    assert result.passed, result.printed
    assert list((small.root / "site").rglob("then.*")) == []
    assert "then" not in small.read("site/llms.txt")
    assert "In 2025" not in small.read("site/llms-full.txt")


# Entries of errors, which are pages without a source of their own


def entries(small):
    return sorted(path.name for path in (small.root / "site/en/errors").glob("error-*.html"))


def test_the_pages_of_entries_change_and_go_with_their_source(small):
    small.write("docs/errors/sums.md", SUMS)
    small.edit("docs/index.md", "now\nthen", "now\nthen\nerrors/sums")
    result = small.build("--lenient")
    assert result.passed, result.printed
    assert entries(small) == ["error-one.html", "error-two.html"]
    assert 'href="error-one.html"' in small.read("site/en/errors/error-two.html")
    assert "(error-one.html)" in small.read("site/en/errors/sums.md")
    listed = small.read("site/en/errors/sums.html")
    assert "A word is no number" not in listed
    assert "site/en/errors/error-one.html" in {
        str(path.relative_to(small.root)) for path in products(small.root, ["en"])
    }
    texts, _ = site_checks.indexed(small.root / "site/en")
    assert [page for page, said in texts.items() if any("is no number" in text for text in said)] == [
        "errors/error-one.html"
    ]
    # A word of one entry changes, and the title of the page that all lead back to.
    small.edit("docs/errors/sums.md", "A word is no number.", "A word is none.")
    small.edit("docs/errors/sums.md", "# Sums", "# All sums")
    (small.root / "site/zh/errors/error-two.html").unlink()
    result = small.build("--lenient")
    assert result.passed, result.printed
    assert "A word is none." in small.read("site/en/errors/error-one.html")
    assert ">All sums</a>" in small.read("site/en/errors/error-two.html")
    assert (small.root / "site/zh/errors/error-two.html").is_file()
    # An entry gets another label, which is another address.
    small.edit("docs/errors/sums.md", "(error-two)=", "(error-second)=")
    result = small.build("--lenient")
    assert result.passed, result.printed
    assert entries(small) == ["error-one.html", "error-second.html"]
    texts, _ = site_checks.indexed(small.root / "site/en")
    assert {page for page in texts if "error-" in page} == {"errors/error-one.html", "errors/error-second.html"}
    (small.root / "docs/errors/sums.md").unlink()
    small.edit("docs/index.md", "\nerrors/sums", "")
    result = small.build("--lenient")
    assert result.passed, result.printed
    assert entries(small) == []


# Builds that are stopped, and builds at once


def wait_until(condition, seconds=60):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)


def start_and_wait_for_the_cell(small, lasts=600):
    """A build of a page whose cell is running and takes its time."""
    begun = small.root / "begun"
    small.edit(
        NOW,
        "print(total)",
        f"print(total + 0)\nimport pathlib, time; pathlib.Path({str(begun)!r}).touch()\n"
        f"if not pathlib.Path({str(small.root / 'go')!r}).exists(): time.sleep({lasts})",
    )
    build = small.start()
    wait_until(begun.exists)
    return build


def test_two_builds_at_once_do_not_mix(small):
    build = start_and_wait_for_the_cell(small, lasts=4)
    second = small.build()
    assert not second.passed
    assert f"Process {build.pid} is building here" in second.printed
    assert build.wait() == 0


def test_a_build_killed_while_it_writes_is_made_good_by_the_next(small):
    good = small.read("site/en/now.html")
    # What a kill leaves: half a page, newer than its source, and the mark of a build that did not end.
    small.write("site/en/now.html", good[:1000])
    (small.root / ".build/unfinished").touch()
    result = small.build()
    assert result.passed, result.printed
    assert "The last build did not end" in result.printed
    assert small.read("site/en/now.html") == good


def test_a_build_killed_while_it_runs_leaves_that_mark_and_keeps_what_it_ran(small):
    build = start_and_wait_for_the_cell(small)
    os.killpg(build.pid, signal.SIGKILL)
    build.wait()
    assert (small.root / ".build/unfinished").exists()
    (small.root / "go").touch()
    result = small.build()
    assert result.passed, result.printed
    assert result.ran == ["now"]


def test_a_build_killed_alone_leaves_no_process_behind(small):
    """What it had begun ends by itself, with the cell that is running."""
    build = start_and_wait_for_the_cell(small, lasts=2)
    processes = psutil.Process(build.pid).children(recursive=True)
    assert len(processes) > 2
    build.kill()
    build.wait()
    _, alive = psutil.wait_procs(processes, timeout=60)
    with contextlib.suppress(psutil.NoSuchProcess):
        for process in alive:
            process.kill()
    assert alive == []
