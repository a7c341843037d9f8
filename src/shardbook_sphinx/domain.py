"""Sphinx's object for what pages say of themselves: kept page by page, forgotten, merged and checked with them.

A wing notes what a page says while the page is read, under a subject of its own, and asks later what all pages say of
it. What is wrong between pages is told by handlers of ``handbook-check``, all at once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from sphinx.domains import Domain

from shardbook_sphinx.exceptions import HandbookError

if TYPE_CHECKING:
    from collections.abc import Set as AbstractSet

    from sphinx.application import Sphinx
    from sphinx.environment import BuildEnvironment

    from shardbook_sphinx.notebooks import Notebooks

NAME = "handbook"
CHECK = "handbook-check"


class Handbook(Domain):
    """What the pages say, by page and subject, and what the last build went by, by name."""

    name = NAME
    label = "Handbook"
    data_version = 1
    initial_data: ClassVar[dict[str, Any]] = {"pages": {}, "went_by": {}}

    notebooks: Notebooks
    """The pages with cells as this process has read them; not kept."""
    checked = False
    """Whether this process has checked what stands between pages."""

    def note(self, subject: str, said: Any) -> None:
        """Keep what the page that is being read says of a subject."""
        self.data["pages"].setdefault(self.env.current_document.docname, {})[subject] = said

    def said(self, docname: str, subject: str, default: Any = None) -> Any:
        """What a page says of a subject."""
        return self.data["pages"].get(docname, {}).get(subject, default)

    def pages(self, subject: str) -> dict[str, Any]:
        """What each page says of a subject, by page, sorted; those that say nothing are left out."""
        return {name: said[subject] for name, said in sorted(self.data["pages"].items()) if subject in said}

    def changed(self, name: str, state: Any) -> bool:
        """Whether something is not as it was when a build last asked for it; the first time it is."""
        before = self.data["went_by"].setdefault(name, state)
        self.data["went_by"][name] = state
        return bool(before != state)

    def clear_doc(self, docname: str) -> None:
        """Forget a page that is read again, or is gone."""
        self.data["pages"].pop(docname, None)

    def merge_domaindata(self, docnames: AbstractSet[str], otherdata: dict[str, Any]) -> None:
        """Take over the pages that another process has read."""
        self.data["pages"].update({name: said for name, said in otherdata["pages"].items() if name in docnames})

    def check_consistency(self) -> None:
        """Fail if pages say what is not so together; all that is wrong is told at once."""
        if self.checked:
            return
        self.checked = True
        found = self.env.events.emit(CHECK, self.env)
        if problems := [problem for problems in found for problem in problems or []]:
            raise HandbookError("\n\n".join(problems))

    def resolve_any_xref(self, *_arguments: Any) -> list[Any]:
        """Nothing is linked to by way of this domain."""
        return []


def handbook(env: BuildEnvironment) -> Handbook:
    """The domain of an environment."""
    domain = env.domains[NAME]
    assert isinstance(domain, Handbook)
    return domain


def check(_app: Sphinx, env: BuildEnvironment) -> None:
    """Once all is read, in every build: Sphinx checks only if it has read a page.

    A build would pass the second time where it warned the first.
    """
    handbook(env).check_consistency()


def setup(app: Sphinx) -> None:
    """Add the domain and its event."""
    app.add_domain(Handbook)
    app.add_event(CHECK)
    app.connect("env-updated", check, priority=100)
