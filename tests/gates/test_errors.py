"""A process that does not end, and an entry of an error or a trap that lacks something.

What such an entry must do in a build stands in test_cells.py and test_reading.py.
"""

import os

from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from shardbook_sphinx.execution import programs
from shardbook_sphinx.reference.error_entries import find_faults, read_entries


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
