"""Print how much of the installed JAX the built reference covers: python -m shardbook_sphinx.commands.coverage.

The judge is the JAX that is installed, asked by recorder.py, and not the record of it. Entries and their examples are
those that the last build of the English pages found.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from sphinx.application import Sphinx

from shardbook_sphinx.domain import handbook
from shardbook_sphinx.records.recorder import MODULES, objects
from shardbook_sphinx.reference.api_entries import SUBJECT

if TYPE_CHECKING:
    from shardbook_sphinx.reference.api_entries import Described

BUILT = Path(".build/doctrees/en")


def covered(pages: dict[str, list[Described]]) -> dict[str, int]:
    """Every name that has an entry, with the number of examples in that entry."""
    return {name: len(entry.examples) for entries in pages.values() for entry in entries for name in entry.names}


def report(installed: set[str], entries: dict[str, int]) -> tuple[str, list[str]]:
    """What to print, and the names that lack an entry or an example.

    >>> installed = {"jax.sharding.Mesh", "jax.sharding.Mesh.shape", "jax.jit"}
    >>> text, lacking = report(installed, {"jax.jit": 2, "jax.sharding.Mesh": 0})
    >>> print(text)
    jax.sharding: 0 of 1 names and 0 of 1 members have an entry with a tested example
    around it: 1 of 1 names and members
    >>> lacking
    ['jax.sharding.Mesh', 'jax.sharding.Mesh.shape']
    """
    whole = {name for name in installed if entries.get(name)}
    inside = {name for name in installed if name.startswith(tuple(f"{module}." for module in MODULES))}
    names = {name for name in inside if name.rpartition(".")[0] in MODULES}
    members, around = inside - names, installed - inside

    def count(some: set[str]) -> str:
        return f"{len(some & whole)} of {len(some)}"

    text = (
        f"{', '.join(MODULES)}: {count(names)} names and {count(members)} members have an entry with a tested example\n"
        f"around it: {count(around)} names and members"
    )
    return text, sorted(installed - whole)


def main() -> int:
    """Print the report; 1 if something is missing or nothing was built."""
    if not BUILT.is_dir():
        print("No site has been built here. Build it first: python3 noxfile.py -s docs")
        return 1
    app = Sphinx("docs", ".", "site/en", BUILT, "html", status=None)
    text, lacking = report(set(objects()), covered(handbook(app.env).pages(SUBJECT)))
    print(text)
    for name in lacking:
        print(f"  missing: {name}")
    return int(bool(lacking))


if __name__ == "__main__":
    os.environ.setdefault("JAX_PLATFORMS", "cpu")
    raise SystemExit(main())
