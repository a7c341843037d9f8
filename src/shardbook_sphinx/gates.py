"""What is checked between pages once all are read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shardbook_sphinx.exceptions import HandbookError
from shardbook_sphinx.execution import same_as, unrun
from shardbook_sphinx.reference import api_entries, error_entries, history

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.environment import BuildEnvironment


def check_all(app: Sphinx, env: BuildEnvironment) -> list[str]:
    """Warn of what is missing, then fail if a page shows what is not so; all that is wrong is told at once.

    Connected to ``env-updated``, which each build emits: Sphinx leaves out ``env-check-consistency`` when it has read
    no page, and would pass in its second build what it warned of in the first.
    """
    api_entries.check_entries(app, env)
    error_entries.check_entries(app, env)
    history.check_releases(app, env)
    if problems := [*unrun.find_unrun(env), *same_as.compare_cells(app, env)]:
        raise HandbookError("\n\n".join(problems))
    return []
