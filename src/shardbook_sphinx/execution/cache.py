"""Where executed pages are kept, and from when on they are stale.

jupyter-cache knows a page by its cells and the name of its kernel. What the cells import and the releases they run
on belong to the answer too: they are hashed into the folder's name.
"""

from __future__ import annotations

import hashlib
import sys
from pathlib import Path

# What runs a page and tidies its outputs belongs to the answer like what the page imports.
RUNNERS = ("companion.py", "kernel_server.py", "kernels.py", "program.py", "programs.py", "run.py")


def cache_path(root: Path) -> Path:
    """The cache for the present state of the helper package, the pins, what runs pages and Python, below ``root``."""
    helpers = [path for path in (root / "src/shardbook").rglob("*") if path.is_file() and path.suffix != ".pyc"]
    runners = [root / "src/shardbook_sphinx/execution" / name for name in RUNNERS]
    return root / ".build" / "cache" / digest([*helpers, *runners, *root.glob("requirements/*.txt")], root)


def digest(paths: list[Path], root: Path) -> str:
    """A short hash of files: their names relative to ``root``, their content, and Python's version."""
    total = hashlib.sha256(repr(sys.version_info[:3]).encode())
    for path in sorted(paths):
        total.update(path.relative_to(root).as_posix().encode() + b"\0")
        total.update(hashlib.sha256(path.read_bytes()).digest())
    return total.hexdigest()[:16]
