"""What a copy button copies runs in a fresh interpreter, and does there what the page shows."""

import json
import random
import re
import sys
from collections import defaultdict
from pathlib import Path

import pytest
from checkout import CHECKOUT
from copies import read_copies, run
from long import LONG, SEED

from shardbook_sphinx.downloads.copy_buttons import CELLS, Block, preludes
from shardbook_sphinx.execution.reproducible import reproducible

OLD = Path(sys.prefix, "share/jupyter/kernels/jax-0.5.3/kernel.json")
# Of each kernel; all in nox -s long.
SAMPLE = 16


@pytest.mark.parametrize("name", [f"f{number}" for number in range(16)])
def test_a_function_that_is_called_twice_needs_what_it_uses_both_times(name):
    """In whichever order names are gone through: it is another one for each name, and in each process."""
    above = (f"{name} = lambda: g", "g = 1", f"h = {name}()", "g = 2")
    assert preludes([Block(CELLS, above), Block(CELLS, (f"{name}() + h",))]) == [[], list(above)]


def source_of(file, site):
    """The text of the page that a file is of: an entry has a file of its own, and stands on a page beside it."""
    source = CHECKOUT / "docs" / file.relative_to(site / "en").with_suffix(".md")
    if source.is_file():
        return source.read_text(encoding="utf-8")
    texts = (page.read_text(encoding="utf-8") for page in sorted(source.parent.glob("*.md")))
    return next((text for text in texts if f"({source.stem})=" in text), "")


def by_kernel(site):
    """The copies of all English pages that are Python, by the kernel they are for.

    Programs of several processes are left out: they are files to be started with arguments, not lines to be pasted. So
    is the page whose examples speak to two processes: what these answer depends on which of them is still alive. Pages
    for chips need compilers, which only nox -s chips has.
    """
    found = defaultdict(list)
    for file in sorted((site / "en").rglob("*.html")):
        if file == site / "en/reference/processes.html":
            continue
        head = source_of(file, site)[:200]
        if "name: chips" in head:
            continue
        old = "name: jax-0.5.3" in head
        for copy in read_copies(file):
            if copy.where.startswith("As ") or not (copy.is_doctest or copy.is_cell):
                continue
            found["jax-0.5.3" if "0.5.3" in copy.where or old else "python3"].append(copy)
    return found


def interpreter(kernel):
    return json.loads(OLD.read_text(encoding="utf-8"))["argv"][0] if kernel == "jax-0.5.3" else sys.executable


def comparable(message):
    """A message without the lines of code that it names: what is copied has more lines above."""
    return re.sub(r"(?:<cell>|copy):\d+(?::\d+)?", "<code>", reproducible(message)).removesuffix(": ").strip()


def is_within(shown, printed):
    """Whether all that is shown was printed, in its order; what a function prints while it is traced comes too."""
    rest = iter(printed)
    return all(word in rest for word in shown)


def faults(copies, results):
    """What a copy did otherwise than the page shows; empty if all did as it shows."""
    found = []
    for copy, result in zip(copies, results, strict=True):
        raised = comparable(result["raised"])
        if raised != comparable(copy.raised):
            found.append(f"{copy.name}: shown {copy.raised.strip()!r}, raised {raised!r}\n{copy.text}")
        elif copy.is_cell and not is_within(comparable(copy.printed).split(), comparable(result["printed"]).split()):
            found.append(f"{copy.name}: shown {copy.printed!r}, printed {result['printed']!r}\n{copy.text}")
    return found


@pytest.mark.parametrize("kernel", ["python3", "jax-0.5.3"])
def test_what_a_button_copies_does_what_the_page_shows(site, tmp_path, kernel):
    copies = by_kernel(site)[kernel]
    assert len(copies) > {"python3": 1200, "jax-0.5.3": 100}[kernel]
    if not LONG:
        copies = random.Random(SEED).sample(  # noqa: S311
            copies, min(SAMPLE, len(copies))
        )
    assert faults(copies, run(interpreter(kernel), copies, tmp_path, CHECKOUT / "src")) == []


def test_nothing_that_was_printed_is_copied(site):
    copies = [copy for each in by_kernel(site).values() for copy in each]
    doctests = [copy for copy in copies if copy.is_doctest]
    assert len(doctests) > 100
    assert [copy.name for copy in copies if re.search(r"^(?:Traceback|>>> |\.\.\. )", copy.text, re.MULTILINE)] == []


def test_a_copy_without_what_it_needs_is_found(site, tmp_path):
    copies = read_copies(site / "en/errors/error-put-indivisible.html")
    whole = next(copy for copy in copies if copy.is_cell and not copy.raised)
    assert whole.text != whole.own
    bare = whole._replace(text=whole.own)
    results = run(sys.executable, [whole, bare], tmp_path, CHECKOUT / "src")
    assert faults([whole], results[:1]) == []
    assert "NameError" in faults([bare], results[1:])[0]
