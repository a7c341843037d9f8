"""What builds the handbook: cells run and compared, two languages kept together.

Each wing is a package with one subject and a ``setup`` of its own. Wings import downwards only, and none imports
``commands``: tests/test_imports.py holds them to it. What several wings do at one moment is written here.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.environment import BuildEnvironment

# The ground floor, then the wings.
PARTS = (
    *("domain", "notebooks", "rebuild"),
    *(
        "compilers",
        "execution",
        "xla",
        "reference",
        "explorer",
        "planner",
        "watch",
        "theme",
        "translation",
        "downloads",
        "search",
    ),
)


def before_reading(app: Sphinx, env: BuildEnvironment, docnames: list[str]) -> None:
    """Have all that pages show: what their cells print, and what XLA inserts."""
    from shardbook_sphinx.execution import run, same_as  # noqa: PLC0415
    from shardbook_sphinx.xla import tables  # noqa: PLC0415

    if app.config.language != "en":
        run.wait_for_outputs()
    run.run_stale_pages(app, env, docnames)
    same_as.write_outputs(app, env, docnames)
    tables.finish(app)
    if app.config.language == "en":
        run.let_translations_begin()


def setup(app: Sphinx) -> dict[str, Any]:
    """Set up each part."""
    # Not above: the build command is in this package too, and need not load Sphinx to see that nothing changed.
    for part in PARTS:
        import_module(f"{__name__}.{part}").setup(app)
    app.connect("env-before-read-docs", before_reading)
    return {"version": "2", "parallel_read_safe": True, "parallel_write_safe": True}
