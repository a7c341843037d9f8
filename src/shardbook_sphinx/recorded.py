"""Where the records stand that belong to a page: what compilers gave for its programs."""

from __future__ import annotations

from pathlib import Path

FOLDER = Path("docs", "_data", "compilers")


def recorded_file(root: Path, docname: str) -> Path:
    """The file of a page's records, if it has some; they determine its outputs as its cells do.

    >>> recorded_file(Path("."), "guides/chips").as_posix()
    'docs/_data/compilers/guides-chips.json.xz'
    """
    return root / FOLDER / f"{docname.replace('/', '-')}.json.xz"
