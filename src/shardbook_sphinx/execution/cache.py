"""Where executed pages are kept, and from when on they are stale.

jupyter-cache knows a page by its cells and the name of its kernel. What the cells import, the releases they run on and
what runs them determine the outputs too: they are hashed into the folder's name. What checks a page does not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from shardbook_sphinx import fingerprint
from shardbook_sphinx.pins import pins_file

if TYPE_CHECKING:
    from pathlib import Path

# What decides how a cell runs and what is kept of its outputs.
RUNNERS = ("companion.py", "fork_server.py", "kernels.py", "program.py", "programs.py", "reproducible.py")
# What answers in the compilers' place: see compilers/replay.py.
REPLAYERS = ("replay.py", "seams.py", "store.py")
# What the cells of today's pages import, and what speaks to their kernel.
IMPORTED = ("ipykernel", "jax", "jaxlib", "nbclient", "numpy", "optax", "rich")
OLD_KERNEL = "jax-0.5.3"


def cache_path(root: Path) -> Path:
    """The cache for the present state of all that determines outputs, below ``root``."""
    helpers = (fingerprint.code(path.read_bytes()) for path in sorted((root / "src/shardbook").rglob("*.py")))
    folders = {"execution": RUNNERS, "compilers": REPLAYERS}
    running = (root / "src/shardbook_sphinx" / folder / name for folder, names in folders.items() for name in names)
    runners = (fingerprint.code(path.read_bytes(), messages=False) for path in running)
    today, old = (pins_file(kernel, root).read_text(encoding="utf-8") for kernel in ("python3", OLD_KERNEL))
    pins = [*fingerprint.pins(today, *IMPORTED), *fingerprint.pins(old)]
    return root / ".build" / "cache" / fingerprint.digest([*helpers, *runners, *pins])
