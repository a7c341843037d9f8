"""The planner: plans that compilers were asked about, and what they gave beside what the formulas say.

The step of training and the formulas are pages' files, docs/planner/step.py and formulas.py; what a browser runs is
docs/_static/explorer/model/plan.js.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sphinx.application import Sphinx


def setup(app: Sphinx) -> None:
    """Add the directives, write the script, and load it on the planner's page alone."""
    from shardbook_sphinx.planner import directive  # noqa: PLC0415

    app.add_directive("planner", directive.Planner)
    app.add_directive("plans", directive.Plans)
    app.connect("write-started", directive.write_script)
    app.connect("html-page-context", directive.add_script)
