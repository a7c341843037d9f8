"""What a page says of itself to search engines and to whoever is sent its address: description, place, picture.

Our own, for sphinxext-opengraph 0.13 writes a relative og:url where no base address is given, knows no locale, and
prints a line about matplotlib in each build.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from docutils import nodes

from shardbook_sphinx.commands.site_root import PICTURE
from shardbook_sphinx.theme.furo import root_address

if TYPE_CHECKING:
    from sphinx.application import Sphinx

# As OpenGraph writes languages.
LOCALES = {"en": "en_US", "zh_CN": "zh_CN"}


def remember_description(app: Sphinx, doctree: nodes.document) -> None:
    """After a page is read: keep its first paragraph, on one line, as what it is about."""
    first = next(doctree.findall(nodes.paragraph), None)
    app.env.metadata[app.env.current_document.docname]["description"] = (
        " ".join(first.astext().split()) if first else ""
    )


def add_description(app: Sphinx, pagename: str, _template: str, context: dict[str, Any], _doctree: Any) -> None:
    """Tell the templates what a page is about; of those without text, which Sphinx makes, what the handbook is."""
    pages = (app.env.metadata.get(name, {}) for name in (pagename, app.config.root_doc))
    context["description"] = next((page["description"] for page in pages if page.get("description")), "")
    context["locale"] = LOCALES[app.config.language]
    context["other_locales"] = [locale for locale in LOCALES.values() if locale != context["locale"]]
    context["picture"] = f"{root}{PICTURE.name}" if (root := root_address(app.config.html_baseurl)) else ""
