"""What a page says of itself to search engines and to whoever is sent its address: description, place, picture.

Our own, for sphinxext-opengraph 0.13 writes a relative og:url where no base address is given, knows no locale, and
prints a line about matplotlib in each build.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from docutils import nodes

from shardbook_sphinx.domain import handbook
from shardbook_sphinx.languages import LANGUAGES, PICTURE, root_address

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.environment import BuildEnvironment

SUBJECT = "description"


def note_description(app: Sphinx, doctree: nodes.document) -> None:
    """After a page is read: keep its first paragraph, on one line, as what it is about."""
    if first := next(doctree.findall(nodes.paragraph), None):
        handbook(app.env).note(SUBJECT, " ".join(first.astext().split()))


def description(env: BuildEnvironment, docname: str) -> str:
    """What a page is about; "" of one without text."""
    return str(handbook(env).said(docname, SUBJECT, ""))


def add_description(app: Sphinx, pagename: str, _template: str, context: dict[str, Any], _doctree: Any) -> None:
    """Tell the templates what a page is about; of those without text, which Sphinx makes, what the handbook is."""
    own = context.get("description") or description(app.env, pagename)  # an entry's page brings its own
    context["description"] = own or description(app.env, app.config.root_doc)
    context["locale"] = LANGUAGES[app.config.language].locale
    context["other_locales"] = [each.locale for each in LANGUAGES.values() if each.locale != context["locale"]]
    context["picture"] = f"{root}{PICTURE.name}" if (root := root_address(app.config.html_baseurl)) else ""
