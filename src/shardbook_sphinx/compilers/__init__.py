"""Pages on chips that nobody needs to have: what their makers' compilers gave is recorded, and shown again.

Such a page names the kernel ``chips``. ``record`` runs its cells with the real compilers, in an environment that holds
them and nothing of Sphinx; ``replay`` runs them in the build on today's JAX, where all is real but the compiler, whose
answers are the records.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sphinx.application import Sphinx

KERNEL = "chips"
# How a kernel calls the file of a cell: the helper knows it by that.
CELL = "/tmp/ipykernel_0/{}.py"  # noqa: S108, a name, no file


def setup(app: Sphinx) -> dict[str, Any]:
    """Give pages the directive that says which compilers made what they show."""
    app.add_directive("compiled-with", import_module(f"{__name__}.directive").CompiledWith)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
