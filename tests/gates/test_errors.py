"""An error that JAX no longer raises so, a remedy or a trap that no longer holds, and an entry that lacks something."""

import json
import os
import re

import pytest
from checkout import Handbook
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from shardbook_sphinx.execution import programs
from shardbook_sphinx.reference.error_entries import find_faults, read_entries

PAGE = "docs/errors/sums.md"
SETUP = """\
---
file_format: mystnb
kernelspec:
  name: python3
---

# Errors of sums

Find what fails.

"""
ERROR = """\
(error-sum-of-words)=
## A sum of words

```{code-cell}
:tags: [raises-exception]
:raises: TypeError
:says: unsupported operand type(s)
1 + "x"
```

Words have no sum.

```{code-cell}
assert 1 + 2 == 3
```
"""
TRAP = """\
(trap-half-of-a-cent)=
## A half is rounded down

```{code-cell}
assert round(0.5) == 0
```

To the even neighbour.

```{code-cell}
assert int(0.5 + 0.5) == 1
```
"""
ASKED = """
```{asked}
https://github.com/jax-ml/jax/issues/27808
https://github.com/jax-ml/jax/discussions/19542
```

"""
APART = """\
(error-two-that-differ)=
## One of two fails

```{code-cell}
:processes: 2
:tags: [raises-exception]
:raises: ValueError
:says: only in process 1
import sys

print("here is", sys.argv[1])
if sys.argv[1] == "1":
    raise ValueError("only in process 1")
```

It ends the other one.

```{code-cell}
:kernel: jax-0.5.3
:label: release
import jax

release = jax.__version__
print(release)
```

```{code-cell}
:kernel: jax-0.5.3
:same-as: errors/sums#release
release
print(release)
```

```{code-cell}
:processes: 1
:limit: 2
:tags: [raises-exception]
:raises: TimeoutExpired
:says: still running after 2 s
import time

time.sleep(60)
```

```{code-cell}
:processes: 1
:tags: [raises-exception]
:raises: SIGABRT
import os

os.abort()
```

```{code-cell}
assert 1 + 2 == 3
```
"""


@pytest.fixture
def with_errors(small) -> Handbook:
    """The small handbook with a page of errors."""
    (small.root / "docs/errors").mkdir()
    (small.root / PAGE).write_text(SETUP + ERROR + "\n" + TRAP, encoding="utf-8")
    small.edit("docs/index.md", "\nnow\n", "\nnow\nerrors/sums\n")
    return small


def build(handbook):
    return handbook.build("--only", "en")


def test_entries_that_hold_pass_and_are_shown(with_errors):
    result = build(with_errors)
    assert result.passed, result.printed
    shown = with_errors.read("site/en/errors/sums.html")
    assert "unsupported operand type(s) for +" in re.sub("<[^>]+>", "", shown)
    assert 'id="error-sum-of-words"' in shown


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("(s)\n1 +", "(s) of words\n1 +", "should raise a message with 'unsupported operand type(s) of words'"),
        ('1 + "x"', "1 + 2", "should raise TypeError, but raised nothing"),
        ("1 + 2 == 3", "1 + 2 == 4", "AssertionError"),
        ("round(0.5) == 0", "round(0.5) == 1", "AssertionError"),
        ("assert 1 + 2 == 3", "1 + 2", "no cell after the error asserts the result of a remedy"),
        (":says: unsupported operand type(s)\n", "", "does not say what the message says"),
        ("assert int(0.5 + 0.5) == 1", "int(0.5 + 0.5)", "a trap has a cell that asserts the surprise and one"),
        ("\nWords have no sum.\n", "", "errors/sums#error-sum-of-words: nothing is said"),
        ("\nWords have no sum.\n", ASKED, "errors/sums#error-sum-of-words: nothing is said"),
    ],
)
def test_an_entry_that_does_not_hold_fails_the_build(with_errors, old, new, told):
    with_errors.edit(PAGE, old, new)
    result = build(with_errors)
    assert not result.passed
    assert told in result.printed


def test_what_runs_apart_prints_and_ends_as_it_does(with_errors):
    with_errors.edit(PAGE, TRAP, APART)
    result = build(with_errors)
    assert result.passed, result.printed
    shown = with_errors.read("site/en/errors/sums.html")
    for text in ("process 0: here is 0\nprocess 1: here is 1", "ValueError: only in process 1", "0.5.3", "SIGABRT"):
        assert text in shown
    assert "As 2 processes" in shown
    assert "On JAX 0.5.3" in shown
    assert "release = jax.__version__" not in runnable(with_errors.read("site/en/errors/sums.ipynb"))


def test_threads_are_linked(with_errors):
    with_errors.edit(PAGE, "Words have no sum.\n", f"Words have no sum.\n{ASKED}")
    result = build(with_errors)
    assert result.passed, result.printed
    shown = with_errors.read("site/en/errors/sums.html")
    assert 'href="https://github.com/jax-ml/jax/issues/27808">jax-ml/jax#27808</a>' in shown
    assert "[jax-ml/jax#19542](https://github.com/jax-ml/jax/discussions/19542)" in with_errors.read(
        "site/en/errors/sums.md"
    )


def test_what_is_no_thread_fails_the_build(with_errors):
    with_errors.edit(PAGE, "Words have no sum.\n", f"Words have no sum.\n{ASKED.replace('issues', 'issue')}")
    result = build(with_errors)
    assert not result.passed
    assert "https://github.com/jax-ml/jax/issue/27808 is no thread" in result.printed


def test_a_process_that_outlives_its_program_is_ended(monkeypatch):
    monkeypatch.setattr(programs, "ENDING", 1)
    stays = "import threading, time\nthreading.Thread(target=time.sleep, args=(600,)).start()\nprint('done')"
    assert programs.run_processes(dict(os.environ), stays, 1, 60) == ("done\n", None)
    assert programs.run_processes(dict(os.environ), stays + "\n1 / 0", 1, 60).raised == (
        "ZeroDivisionError",
        "division by zero",
    )


def test_the_last_words_of_a_process_are_the_same_each_time():
    said = "F1121 09:00:00.000000 4242 client.cc:80] the end \n  of it \n*** Check failure stack trace: ***\n @ 0x1"
    dies = f"import os, sys\nprint({said!r}, file=sys.stderr, flush=True)\nos.abort()"
    assert programs.run_processes(dict(os.environ), dies, 1, 60).raised == ("SIGABRT", "the end\n  of it")


def runnable(notebook):
    """The code of a notebook that Jupyter would run."""
    cells = json.loads(notebook)["cells"]
    return "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code")


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        (":limit: 2", ":limit: 0", "says limit: 0, which must be a whole number from 1 on"),
        (":processes: 1\n:limit: 2", ":limit: 2", "says limit without processes"),
        (":raises: SIGABRT", ":raises: SIGSEGV", "should raise SIGSEGV, but raised SIGABRT"),
        ("release\nprint(release)", 'print(release + "!")', "a cell prints something else than errors/sums#release"),
        (":limit: 2\n", ":limit: 2\n:kernel: jax-0.5.3\n", "says kernel and processes"),
    ],
)
def test_a_cell_that_should_run_apart_and_does_not_so_fails_the_build(with_errors, old, new, told):
    with_errors.edit(PAGE, TRAP, APART)
    with_errors.edit(PAGE, old, new)
    result = build(with_errors)
    assert not result.passed
    assert told in result.printed


def error(name="ValueError", message="sizes must divide", says="sizes must divide"):
    cell = new_code_cell("f()", metadata={"raises": name, "says": says} if says else {"raises": name})
    cell.outputs = [new_output("error", ename=name, evalue=message, traceback=[])]
    return cell


def page(*cells):
    text = (new_markdown_cell(cell) if isinstance(cell, str) else cell for cell in cells)
    return read_entries(new_notebook(cells=list(text)))


HEAD = "Before.\n\n(error-sizes)=\n## Sizes"
REMEDY = new_code_cell("assert x == 1")


def test_a_whole_entry_lacks_nothing():
    assert find_faults({"errors/a": page(HEAD, error(), "Why.", REMEDY)}) == []


def test_a_remedy_before_the_error_is_none():
    (fault,) = find_faults({"errors/a": page(HEAD, REMEDY, "Why.", error())})
    assert fault == "errors/a#error-sizes: no cell after the error asserts the result of a remedy"


def test_a_remedy_of_the_next_section_is_none():
    (fault,) = find_faults({"errors/a": page(HEAD, error(), "Why.\n\n## More", REMEDY)})
    assert "no cell after the error" in fault


def test_an_entry_without_error_is_found():
    (fault,) = find_faults({"errors/a": page(HEAD, "Why.", REMEDY)})
    assert fault.startswith("errors/a#error-sizes: no cell raises the error")


def test_one_name_for_two_entries_is_found():
    entries = page(HEAD, error(), "Why.", REMEDY)
    (fault,) = find_faults({"errors/a": entries, "errors/b": entries})
    assert fault == "errors/b#error-sizes: errors/a has an entry of this name too"


def test_a_message_that_is_empty_needs_no_words():
    assert find_faults({"errors/a": page(HEAD, error("AssertionError", "", ""), "Why.", REMEDY)}) == []
