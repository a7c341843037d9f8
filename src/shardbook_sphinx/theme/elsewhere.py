"""Links from a page to where the handbook is made: its repository, the page's source, a report; none where none is set.

Addresses come from the environment of the build, since the pages do not know where they will stand.
"""

from __future__ import annotations

import os
from string import Formatter
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlsplit

from sphinx.locale import _

from shardbook_sphinx.entries import ENTRY
from shardbook_sphinx.languages import ELSEWHERE, LANGUAGES, mark
from shardbook_sphinx.pins import pinned

if TYPE_CHECKING:
    from sphinx.application import Sphinx

# For each environment variable: what its link is called, and what its address may leave open.
TOLD = (
    (mark("Repository"), set[str]()),
    (mark("Edit this page"), {"source"}),
    (mark("Report a fault"), {"page"}),
    (mark("Open in Colab"), {"notebook"}),
)
LINKS = dict(zip(ELSEWHERE, TOLD, strict=True))


def address(name: str, **parts: str) -> str:
    """The address in an environment variable with what it leaves open filled in; "" if none is set.

    Raises
    ------
    SystemExit
        If it is no address, or leaves something else open.
    """
    template = os.environ.get(name, "")
    known = LINKS[name][1]
    try:
        fields = {field for _text, field, *_rest in Formatter().parse(template) if field is not None}
    except ValueError:
        fields = {template}
    if template and (urlsplit(template).scheme not in {"http", "https"} or fields - known):
        left = ", ".join(f"{{{each}}}" for each in sorted(known)) or "nothing"
        raise SystemExit(f"{name} is {template!r}: give an address that begins with https:// and leaves open {left}")
    return template.format(**{each: quote(parts[each]) for each in fields})


def add_links(app: Sphinx, pagename: str, _template: str, context: dict[str, Any], _doctree: Any) -> None:
    """Tell the templates of the links of a page, and of the JAX that its cells ran on."""
    docname = context[ENTRY].docname if context.get(ENTRY) else pagename
    folder = LANGUAGES[app.config.language].folder
    parts = {"source": f"docs/{docname}.md", "page": f"{folder}/{pagename}", "notebook": f"{folder}/{pagename}.ipynb"}
    # A page that is made has no source, and one without cells no notebook.
    there = {"source": docname in app.env.found_docs, "page": True, "notebook": "jupyter" in context}
    links = [(_(told), address(name, **parts)) for name, (told, left) in LINKS.items() if all(map(there.get, left))]
    context["elsewhere"] = [(told, found) for told, found in links if found]
    context["jax_release"] = pinned("python3")["jax"]
