"""A number that a page says is one that a cell asserts or is given, or it is listed here with its source."""

import prose_numbers
import pytest
from checkout import CHECKOUT

DOCS = CHECKOUT / "docs"
SECTIONS = ("learn", "train", "guides", "explain")
PAGES = sorted(page for section in SECTIONS for page in (DOCS / section).glob("*.md"))
# page -> number -> where it is from: no cell can be asked for it.
TRIALS = "counted in tests/test_trials.py"
SOLD = "the GB of the name that the chip is sold by"
LINKED = "published on the page that is linked"
TOLD = {
    "learn/devices": {
        "1.96": "timed, with the size that is named",
        "1.92": "timed, with the size that is named",
        "2048": "timed, with the size that is named",
        "200,000": "timed, with the size that is named",
        "64": "timed, with the size that is named",
        "16": "timed, with the size that is named",
        "0.48": "timed, with the size that is named",
        "0.25": "timed, with the size that is named",
    },
    "learn/manual": {"99": "timed, on the machine that is named", "0.4": "timed, on the machine that is named"},
    "guides/figures": {"1024": "what KiB means"},
    "guides/hosts-and-slices": {"6.4": LINKED},
    "guides/which-mesh": {"350": LINKED},
    "guides/will-it-fit": {"80": SOLD},
    "explain/product-cost": {
        "8192": "three-compilers compiles and asserts it",
        "16": "three-compilers compiles and asserts it",
        "48": "three-compilers compiles and asserts it",
        "80": "three-compilers compiles and asserts it",
        "0.75": "three quarters, as the sentence says",
        "729": TRIALS,
        "687": TRIALS,
        "40": TRIALS,
        "450": LINKED,
        "900": LINKED,
        "400": LINKED,
        "50": LINKED,
    },
    "explain/three-compilers": {
        "729": TRIALS,
        "502": TRIALS,
        "7680": "the units of xla/trials.py",
        "8704": "the units of xla/trials.py",
        "2048": "the units of xla/trials.py",
        "16,384": "the units of xla/trials.py",
    },
}


@pytest.mark.parametrize("section", SECTIONS)
def test_numbers_in_prose_are_asserted(section):
    pages = [page for page in PAGES if page.parent.name == section]
    of_section = frozenset().union(*(prose_numbers.asserted(page.read_text(encoding="utf-8")) for page in pages))
    found = {}
    for page in pages:
        told = TOLD.get(f"{section}/{page.stem}", {})
        missed = prose_numbers.unasserted(page, of_section)
        assert told.keys() <= {each.text for each in missed}, f"{page.stem}: listed in vain"
        if lines := [f"{each.line}: {each.text}" for each in missed if each.text not in told]:
            found[f"{section}/{page.stem}"] = lines
    assert found == {}


def test_pages_have_numbers():
    assert sum(len(list(prose_numbers.said(page.read_text(encoding="utf-8")))) for page in PAGES) > 400


PLANTED = """\
# Title

Eight devices receive {said} bytes of 1,024.

| device | bytes |
| --- | --- |
| 0 | {tabled} |

```{{code-cell}}
:tags: [remove-cell]
rows = 1024
assert received == {asserted}
```
"""


@pytest.mark.parametrize(
    ("said", "tabled", "asserted", "missed"),
    [
        ("28,672", "77", "28_672", []),
        ("28,673", "77", "28_672", ["28,673"]),
        ("28,672", "78", "28_672", ["78"]),
        ("77", "77", "28_672", ["77"]),  # only a table carries what another page asserts
        ("28,672", "77", "0", ["28,672"]),
    ],
)
def test_a_number_that_nothing_asserts_is_found(tmp_path, said, tabled, asserted, missed):
    page = tmp_path / "page.md"
    page.write_text(PLANTED.format(said=said, tabled=tabled, asserted=asserted), encoding="utf-8")
    assert [each.text for each in prose_numbers.unasserted(page, frozenset({77.0}))] == missed
