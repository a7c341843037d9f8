"""What builds the handbook: cells run and compared, two languages kept together.

Each wing is a package with one subject and a ``setup`` of its own. Wings import downwards only, and none imports
``commands``: tests/test_imports.py holds them to it.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sphinx.application import Sphinx

WINGS = ("execution", "xla", "reference", "explorer", "theme", "translation", "downloads", "search")


def setup(app: Sphinx) -> dict[str, Any]:
    """Set up each wing."""
    # Not above: the build command is in this package too, and need not load Sphinx to see that nothing changed.
    from shardbook_sphinx import gates  # noqa: PLC0415

    for wing in WINGS:
        import_module(f"{__name__}.{wing}").setup(app)
    app.connect("env-updated", gates.check_all, priority=100)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
