"""Many faulty pages in one build: each page has one fault, and is told of by its own name."""

import re
from collections.abc import Mapping
from typing import NamedTuple

from checkout import RAN, Handbook, Result

FOLDER = "faults"
PAGE = """\
---
file_format: mystnb
kernelspec:
  name: {kernel}
---

# {title}

"""
NAMED = re.compile(rf"\b{FOLDER}/(\w+)")


class Fault(NamedTuple):
    """A page with a fault, and what must be said of it."""

    page: str
    told: tuple[str, ...]


def fault(page: str, *told: str) -> Fault:
    return Fault(page, told)


def cells(*sources: str, kernel: str = "python3") -> str:
    """A page of cells; what begins with a colon is a cell's options."""
    blocks = (f"```{{code-cell}}\n{source}\n```\n" for source in sources)
    return PAGE.format(kernel=kernel, title="Cells") + "\n".join(blocks)


def add_pages(handbook: Handbook, pages: Mapping[str, str], folder: str = FOLDER) -> None:
    """Write pages below docs/ and name them in the table of contents."""
    for name, text in pages.items():
        handbook.write(f"docs/{folder}/{name}.md", text)
    names = "\n".join(f"{folder}/{name}" for name in pages)
    handbook.edit("docs/index.md", "\nnames\n", f"\nnames\n{names}\n")


def told_by_page(result: Result) -> dict[str, str]:
    """What a build said of each faulty page: from a line that names the page up to the one that names another."""
    told: dict[str, str] = {}
    page = ""
    for line in result.printed.splitlines(keepends=True):
        if RAN.match(line):
            continue
        if found := NAMED.search(line):
            page = found[1]
        elif re.match(r"(?:\w\w \| )?(?:/|WARNING|The )", line):
            page = ""  # something else: of another page, or of the whole
        if page:
            told[page] = told.get(page, "") + line
    return told


# A page of errors with two entries, of which the second leads to the first.
SUMS = """---
file_format: mystnb
kernelspec:
  name: python3
---

# Sums

What cannot be added.

(error-one)=
## One and a word

```{code-cell}
:tags: [raises-exception]
:raises: TypeError
:says: unsupported operand
1 + "x"
```

A word is no number.

```{code-cell}
assert 1 + 2 == 3
```

(error-two)=
## A word and two

See [the other](#error-one).

```{code-cell}
:tags: [raises-exception]
:raises: TypeError
:says: can only concatenate str
"x" + 2
```

```{code-cell}
assert "x" + "y" == "xy"
```
"""
