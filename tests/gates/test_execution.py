"""Every cell runs, its failure fails the build, and nothing runs twice. Each fault is planted in a small handbook."""

import os
import shutil
import signal
import subprocess
import time

import psutil
import pytest
import site_checks
from checkout import Handbook

CATALOGUES = "docs/locale/zh_CN/LC_MESSAGES"
NOW = "docs/now.md"
THEN = "docs/then.md"


def test_a_cell_that_raises_fails_the_build_with_page_cell_and_traceback(small):
    small.edit(NOW, "total = int(", "total = undefined + int(")
    result = small.build()
    assert not result.passed
    assert "now.md:22: this cell of 'now'" in result.printed
    assert "    total = undefined + int(jax.numpy.arange(4).sum())" in result.printed
    assert "NameError: name 'undefined' is not defined" in result.printed


def test_an_assertion_that_fails_fails_the_build(small):
    small.edit(NOW, "assert total == 6", "assert total == 7")
    result = small.build()
    assert not result.passed
    assert "    assert total == 7" in result.printed
    assert "AssertionError" in result.printed


def test_all_failing_pages_are_told_of_at_once(small):
    small.edit(NOW, "assert total == 6", "assert total == 7")
    small.edit(THEN, "print(jax", "1 / 0\nprint(jax")
    printed = small.build().printed
    assert "AssertionError" in printed
    assert "ZeroDivisionError" in printed


def test_a_build_that_failed_fails_again(small):
    small.edit(NOW, "assert total == 6", "assert total == 7")
    assert not small.build().passed
    assert not small.build().passed


def test_another_error_than_the_announced_one_fails_the_build(small):
    small.edit(NOW, ":raises: TypeError", ":raises: ValueError")
    result = small.build()
    assert not result.passed
    assert "should raise ValueError, but raised TypeError" in result.printed


def test_an_announced_error_that_does_not_come_fails_the_build(small):
    small.edit(NOW, ' + "four"', "")
    result = small.build()
    assert not result.passed
    assert "should raise TypeError, but raised nothing" in result.printed


def test_an_error_may_not_be_let_pass_without_naming_its_type(small):
    small.edit(NOW, ":raises: TypeError\n", "")
    result = small.build()
    assert not result.passed
    assert "must carry both the tag raises-exception and the option raises" in result.printed


def test_what_a_cell_writes_to_stderr_fails_the_build(small):
    small.edit(NOW, "print(total)", 'print(total)\nimport warnings; warnings.warn("old name")')
    result = small.build()
    assert not result.passed
    assert "wrote to stderr" in result.printed
    assert "old name" in result.printed


def test_a_page_switched_off_in_its_front_matter_fails_the_build(small):
    small.edit(NOW, "kernelspec:", "mystnb:\n  execution_mode: 'off'\nkernelspec:")
    result = small.build()
    assert not result.passed
    assert "mystnb: may only set execution_timeout; remove execution_mode" in result.printed


def test_a_page_excluded_in_the_configuration_fails_the_build(small):
    small.edit("conf.py", "nb_execution_timeout", 'nb_execution_excludepatterns = ["now.md"]\nnb_execution_timeout')
    result = small.build()
    assert not result.passed
    assert "its cells were not run; remove what excludes 'now'" in result.printed


def test_a_skipped_cell_fails_the_build(small):
    small.edit(NOW, ":tags: [remove-cell]", ":tags: [remove-cell, skip-execution]")
    result = small.build()
    assert not result.passed
    assert "says skip-execution, which means nothing here" in result.printed


@pytest.mark.parametrize(
    ("block", "told"),
    [
        ("```python\nprint(7)\n```", "this Python block is never run"),
        ("```{code-block} Py3\nprint(7)\n```", "this Python block is never run"),
        ("```\nprint(7)\n```", "this block does not say what language it is in"),
        ("    print(7)", "this block does not say what language it is in"),
        ("```{doctest}\n>>> 7  # doctest: +SKIP\n8\n```", "this example is skipped"),
    ],
)
def test_code_that_nothing_runs_fails_the_build(small, block, told):
    small.edit(NOW, "It is six.", f"It is six.\n\n{block}")
    result = small.build()
    assert not result.passed
    assert told in result.printed


def test_a_cell_on_a_page_that_is_no_notebook_fails_the_build(small):
    small.edit("docs/index.md", "Two pages,", "```{code-cell}\nprint(7)\n```\n\nTwo pages,")
    result = small.build()
    assert not result.passed
    assert "code-cell" in result.printed


def test_an_old_cell_that_prints_something_else_fails_the_build(small):
    small.edit(THEN, "arange(4)", "arange(5)")
    result = small.build()
    assert not result.passed
    assert "then: a cell prints something else than now#sum" in result.printed
    assert "-6\nen | +10" in result.printed


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("print(hex(0xdeadbeef))", "print(hex(0xbadcafe1))"),
        ('import IPython; IPython.display.HTML("<b>one</b>")', 'import IPython; IPython.display.HTML("<b>two</b>")'),
    ],
)
def test_what_looks_alike_is_compared_too(small, old, new):
    small.edit(NOW, "print(total)", f"print(total)\n{new}")
    small.edit(THEN, "print(jax.numpy.arange(4).sum())", f"print(jax.numpy.arange(4).sum())\n{old}")
    assert "a cell prints something else than now#sum" in small.build().printed


def test_a_cell_compared_with_itself_fails_the_build(small):
    small.edit(THEN, ":same-as: now#sum", ":same-as: then#me\n:label: me")
    assert "same-as: then#me is the cell itself" in small.build().printed


@pytest.mark.parametrize(
    ("old", "new"), [(":same-as:", ":sameas:"), (":label: sum", ":tags: [remove_cell]\n:label: sum")]
)
def test_a_slip_in_a_cells_options_fails_the_build(small, old, new):
    small.edit(THEN if "same" in old else NOW, old, new)
    result = small.build()
    assert not result.passed
    assert "which means nothing here. Options and tags are: kernel, label" in result.printed


def test_a_cell_magic_fails_the_build(small):
    small.edit(NOW, "total = int(", "%%capture\ntotal = int(")
    assert "hides what it does in a cell magic" in small.build().printed


def test_a_kernel_on_another_jax_than_its_pins_fails_the_build(small):
    pins = small.root / "requirements/jax-0.5.3.txt"
    pins.write_text(pins.read_text().replace("jax==0.5.3", "jax==0.5.2"))
    result = small.build()
    assert not result.passed
    assert "jax-0.5.3.txt pins {'jax': '0.5.2', 'jaxlib': '0.5.3'}, but the kernel 'jax-0.5.3' has" in result.printed


FAULTS_BETWEEN_PAGES = {
    "cells that differ": (THEN, "arange(4)", "arange(5)", "then: a cell prints something else than now#sum"),
    "a page that did not run": (
        "conf.py",
        "nb_execution_timeout",
        'nb_execution_excludepatterns = ["now.md"]\nnb_execution_timeout',
        "its cells were not run; remove what excludes 'now'",
    ),
    "a name without entry": (
        "docs/names.md",
        "jax.sharding.Mesh.shape",
        "jax.sharding.PositionalSharding",
        "jax.sharding.Mesh.shape: has no entry",
    ),
}


@pytest.mark.parametrize("fault", FAULTS_BETWEEN_PAGES)
def test_sphinx_itself_fails_every_time_at_a_fault_between_pages(small, fault):
    *edit, told = FAULTS_BETWEEN_PAGES[fault]
    before = small.plain_build("-W")
    assert before.passed, before.printed
    page = small.read(".build/plain/then.html")
    small.edit(*edit)
    for _ in range(3):
        result = small.plain_build("-W")
        assert not result.passed
        assert told in result.printed
        assert small.read(".build/plain/then.html") == page


def test_all_faults_between_pages_are_told_of_at_once(small):
    for *edit, _ in FAULTS_BETWEEN_PAGES.values():
        small.edit(*edit)
    result = small.build("--only", "en")
    assert not result.passed
    assert [told for *_, told in FAULTS_BETWEEN_PAGES.values() if told not in result.printed] == []
    # The message, and nothing on Sphinx or its versions.
    assert "Traceback" not in result.printed
    assert "Versions" not in result.printed


def test_an_old_cell_compared_with_no_cell_fails_the_build(small):
    small.edit(THEN, "now#sum", "now#product")
    result = small.build()
    assert not result.passed
    assert "same-as: now#product names no labelled cell; there are: now#sum" in result.printed


def test_todays_cell_changing_its_output_is_compared_too(small):
    small.edit(NOW, "total = int(jax.numpy.arange(4).sum())\nprint(total)", "total = 6\nprint('six')")
    assert "a cell prints something else than now#sum" in small.build().printed


def test_a_kernel_that_is_not_there_is_named_with_its_page_and_the_remedy(small):
    small.edit(THEN, "name: jax-0.5.3", "name: jax-0.4.1")
    result = small.build()
    assert not result.passed
    assert "then.md" in result.printed
    assert "names the kernel 'jax-0.4.1', which is not there. Make it: python3 noxfile.py -s kernels" in result.printed


def test_a_page_without_a_kernel_is_named_with_the_remedy(small):
    small.edit(NOW, "kernelspec:\n  name: python3\n", "")
    result = small.build()
    assert not result.passed
    assert "names no kernel: add kernelspec: {name: python3} to its front matter" in result.printed


def test_a_cell_that_never_ends_is_stopped_at_the_limit_its_page_sets(small):
    small.edit(NOW, "print(total)", "print(total)\nwhile True: pass")
    small.edit(NOW, "kernelspec:", "mystnb:\n  execution_timeout: 3\nkernelspec:")
    start = time.monotonic()
    result = small.build()
    assert not result.passed
    assert "did not end within 3 s" in result.printed
    assert "    while True: pass" in result.printed
    assert time.monotonic() - start < 40


def test_a_kernel_that_dies_fails_the_build(small):
    small.edit(NOW, "print(total)", "import os; os._exit(3)")
    result = small.build()
    assert not result.passed
    assert "ended its kernel" in result.printed


def test_what_is_cached_does_not_run_again(small):
    small.edit(NOW, "It is six.", "It is really six.")
    small.edit("docs/locale/zh_CN/LC_MESSAGES/now.po", "It is six.", "It is really six.")
    result = small.build()
    assert result.passed, result.printed
    assert result.ran == []
    assert "It is really six." in small.read("site/en/now.html")
    assert "Nothing has changed" in small.build().printed


def test_only_the_page_with_a_changed_cell_runs_again(small):
    small.edit(NOW, "print(total)", "print(total + 0)")
    result = small.build()
    assert result.passed, result.printed
    assert result.ran == ["now"]


def test_a_change_in_the_helper_package_runs_every_page_again(small):
    helper = small.root / "src/shardbook/layout.py"
    helper.write_text(helper.read_text(encoding="utf-8") + "# changed\n", encoding="utf-8")
    assert small.build().ran == ["now", "then"]


def test_a_change_of_a_pin_runs_every_page_again(small):
    pins = small.root / "requirements/jax-0.5.3.txt"
    pins.write_text(pins.read_text() + "# changed\n")
    assert small.build().ran == ["now", "then"]


def test_the_chinese_build_starts_no_kernel(small):
    result = small.build("--only", "zh")
    assert result.passed, result.printed
    assert result.ran == []
    small.edit(NOW, "print(total)", "print(total + 0)")
    result = small.build("--only", "zh")
    assert not result.passed
    assert "no outputs are cached for now, and the zh_CN build starts no kernel" in result.printed


def test_what_runs_the_pages_runs_them_again_when_it_changes(small):
    runner = small.root / "src/shardbook_sphinx/execution/run.py"
    runner.write_text(runner.read_text(encoding="utf-8") + "# changed\n", encoding="utf-8")
    assert small.build().ran == ["now", "then"]


def test_outputs_lost_from_the_cache_are_made_again(small):
    for folder in (small.root / ".build/cache").glob("*/executed"):
        shutil.rmtree(folder)
    result = small.build()
    assert result.passed, result.printed
    assert result.ran == ["now", "then"]


def test_a_lenient_build_does_not_hide_its_warnings_from_a_strict_one(small):
    small.edit(f"{CATALOGUES}/now.po", 'msgstr "结果是六。"', 'msgstr ""')
    assert small.build("--lenient").passed
    result = small.build()
    assert not result.passed
    assert "have no current translation" in result.printed


def test_a_rebuild_is_what_a_build_from_scratch_would_be(small, tmp_path):
    assert small.build().passed
    time.sleep(0.01)
    small.edit(NOW, "# Today", "# Now")
    small.edit(f"{CATALOGUES}/now.po", 'msgid "Today"\nmsgstr "今天"', 'msgid "Now"\nmsgstr "如今"')
    small.edit("docs/index.md", "now\nthen", "now\nthen\nnew")
    (small.root / "docs/new.md").write_text("# New\n", encoding="utf-8")
    new = small.read(f"{CATALOGUES}/then.po").split('msgid "In 2025"')[0] + 'msgid "New"\nmsgstr "新页"\n'
    (small.root / f"{CATALOGUES}/new.po").write_text(new, encoding="utf-8")
    words = small.root / f"{CATALOGUES}/sphinx.po"
    words.write_text(words.read_text(encoding="utf-8").replace("回到顶部", "返回顶部"), encoding="utf-8")
    result = small.build()
    assert result.passed, result.printed
    scratch = Handbook(tmp_path / "scratch")
    shutil.copytree(
        small.root, scratch.root, ignore=shutil.ignore_patterns("doctrees", "stamp", "made-by", "site", "*.mo")
    )
    result = scratch.build()
    assert result.passed, result.printed
    assert "返回顶部" in small.read("site/zh/then.html")
    assert site_checks.different_files(small.root / "site", scratch.root / "site") == []


@pytest.mark.parametrize("name", [NOW, f"{CATALOGUES}/now.po"])
def test_content_counts_and_not_the_time_of_a_file(small, name):
    """As after `mv backup original` or a checkout of an older commit."""
    path = small.root / name
    before, times = path.read_bytes(), path.stat()
    assert small.build().passed
    small.edit(NOW, "It is six.", "It was six.")
    small.edit(
        f"{CATALOGUES}/now.po", 'msgid "It is six."\nmsgstr "结果是六。"', 'msgid "It was six."\nmsgstr "原来是六。"'
    )
    assert small.build().passed
    other = small.root / (f"{CATALOGUES}/now.po" if name == NOW else NOW)
    edited = {
        NOW: ("It was six.", "It is six."),
        f"{CATALOGUES}/now.po": ('It was six."\nmsgstr "原来是六。"', 'It is six."\nmsgstr "结果是六。"'),
    }
    small.edit(str(other.relative_to(small.root)), *edited[str(other.relative_to(small.root).as_posix())])
    path.write_bytes(before)
    os.utime(path, (times.st_atime, times.st_mtime))
    result = small.build()
    assert result.passed, result.printed
    assert "It is six." in small.read("site/en/now.html")
    assert "结果是六。" in small.read("site/zh/now.html")


def test_a_file_lost_from_the_site_is_made_again(small):
    assert small.build().passed
    (small.root / "site/zh/now.html").unlink()
    (small.root / "site/index.html").unlink()
    assert small.build().passed
    assert (small.root / "site/zh/now.html").is_file()
    assert (small.root / "site/index.html").is_file()


def test_two_builds_at_once_do_not_mix(small):
    command, environment = small.command()
    first = subprocess.Popen(command, cwd=small.root, env=environment, stdout=subprocess.DEVNULL)
    while not (small.root / ".build/unfinished").exists():
        time.sleep(0.01)
    second = small.build()
    assert not second.passed
    assert f"Process {first.pid} is building here" in second.printed
    assert first.wait() == 0


def test_the_base_address_reaches_every_page_in_its_language(small):
    assert small.build().passed
    command, environment = small.command()
    environment["SHARDBOOK_URL"] = "https://handbook.example/en/latest/"
    subprocess.run(command, cwd=small.root, env=environment, check=True)
    for language in ("en", "zh"):
        page = small.read(f"site/{language}/now.html")
        base = "https://handbook.example/en/latest"
        assert f'<link rel="canonical" href="{base}/{language}/now.html">' in page
        assert f'hreflang="zh-CN" href="{base}/zh/now.html"' in page


def test_a_build_killed_while_it_writes_is_made_good_by_the_next(small):
    whole = small.build()
    assert whole.passed, whole.printed
    good = small.read("site/en/now.html")
    # What a kill leaves: half a page, newer than its source, and the mark of a build that did not end.
    (small.root / "site/en/now.html").write_text(good[:1000], encoding="utf-8")
    (small.root / ".build/unfinished").touch()
    result = small.build()
    assert result.passed, result.printed
    assert "The last build did not end" in result.printed
    assert small.read("site/en/now.html") == good


def test_a_build_killed_while_it_runs_leaves_that_mark_and_keeps_what_it_ran(small):
    small.edit(NOW, "print(total)", "print(total + 0)\nimport time; time.sleep(4)")
    command, environment = small.command()
    build = subprocess.Popen(
        command, cwd=small.root, env=environment, start_new_session=True, stdout=subprocess.DEVNULL
    )
    time.sleep(3)
    os.killpg(build.pid, signal.SIGKILL)
    build.wait()
    assert (small.root / ".build/unfinished").exists()
    result = small.build()
    assert result.passed, result.printed
    assert result.ran == ["now"]


def test_the_html_of_a_deleted_page_goes_with_it(small):
    assert small.build().passed
    (small.root / THEN).unlink()
    (small.root / "docs/locale/zh_CN/LC_MESSAGES/then.po").unlink()
    small.edit("docs/index.md", "now\nthen", "now")
    # The page had the entry of a name that the records know.
    entry = (
        '"jax.sharding.PositionalSharding": {"kind": "class", "signature": "(devices)", "deprecated": "use another"}'
    )
    small.edit("docs/_data/api/0.5.3.json", f",\n  {entry}", "")
    result = small.build()
    assert result.passed, result.printed
    assert not (small.root / "site/en/then.html").exists()
    assert not (small.root / "site/zh/then.html").exists()


def test_memory_addresses_do_not_reach_a_page(small):
    small.edit(NOW, "print(total)", "print(total)\nprint(object())")
    small.edit(THEN, "print(jax.numpy.arange(4).sum())", "print(jax.numpy.arange(4).sum())\nprint(object())")
    result = small.build()
    assert result.passed, result.printed
    assert "&lt;object object at 0x…&gt;" in small.read("site/en/now.html")


def test_a_variable_set_before_jax_is_imported_takes_effect(small):
    small.edit(
        NOW,
        "import jax\n\njax.config",
        'import os\n\nos.environ["JAX_NUM_CPU_DEVICES"] = "3"\nimport jax\n\n# jax.config',
    )
    result = small.build()
    assert result.passed, result.printed
    assert "<span></span>3\n" in small.read("site/en/now.html")


def test_settings_of_the_readers_shell_do_not_reach_a_kernel(small, monkeypatch):
    monkeypatch.setenv("JAX_NUM_CPU_DEVICES", "5")
    monkeypatch.setenv("JAX_ENABLE_X64", "1")
    small.edit(NOW, "print(total)", "print(total, jax.numpy.arange(4.0).dtype)")
    small.edit(THEN, "print(jax.numpy.arange(4).sum())", 'print(jax.numpy.arange(4).sum(), "float32")')
    result = small.build()
    assert result.passed, result.printed


def test_a_console_without_the_characters_of_a_message_still_shows_it(small):
    small.edit(NOW, "assert total == 6", 'assert total == 7, "结果 →"')
    command, environment = small.command()
    environment["PYTHONIOENCODING"] = "cp1252"
    done = subprocess.run(command, cwd=small.root, env=environment, capture_output=True, encoding="cp1252", check=False)
    assert done.returncode
    assert "AssertionError: ?? ?" in done.stdout + done.stderr


def test_a_build_killed_alone_leaves_no_process_behind(small):
    small.edit(NOW, "print(total)", "print(total + 0)\nimport time; time.sleep(2)")
    command, environment = small.command()
    build = subprocess.Popen(command, cwd=small.root, env=environment, stdout=subprocess.DEVNULL)
    time.sleep(2.5)
    processes = psutil.Process(build.pid).children(recursive=True)
    assert processes
    build.kill()
    build.wait()
    _, alive = psutil.wait_procs(processes, timeout=20)
    assert alive == []


def test_a_cell_that_prints_more_than_anyone_reads_fails_the_build(small):
    small.edit(NOW, "print(total)", 'print("x" * 1_000_000)')
    result = small.build()
    assert not result.passed
    assert "prints 1000001 characters" in result.printed
