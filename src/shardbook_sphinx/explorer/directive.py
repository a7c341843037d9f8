"""The explorer: ``{explorer} PART`` puts a part of its page, in the reader's language; scripts bring it to life.

The parts are templates in docs/_templates/explorer; the scripts are modules in docs/_static/explorer, of which
script.py makes one. What a script says is in words.py or among the package's own words of a figure.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, ClassVar

from docutils import nodes
from jax.sharding import AbstractMesh, NamedSharding, PartitionSpec
from sphinx.locale import _
from sphinx.util.docutils import SphinxDirective

import shardbook
from shardbook._layout_view import leaf_html
from shardbook._messages import MESSAGES
from shardbook_sphinx.domain import handbook
from shardbook_sphinx.explorer.words import WORDS
from shardbook_sphinx.languages import LANGUAGES
from shardbook_sphinx.theme.assets import EXPLORER, MAP, SMALL

if TYPE_CHECKING:
    from sphinx.application import Sphinx

SUBJECT = "explorer"
# The parts, and the script of each.
PARTS = dict.fromkeys(("layout", "results", "move", "product"), EXPLORER) | {"small": SMALL, "map": MAP}
# What stands in the small one until a script draws it, and where none does: page/small.js begins with the same.
MESH, SHAPE = AbstractMesh((2, 4), ("x", "y")), (8, 8)
# JAX declares no types for calling this.
P: Any = PartitionSpec


class Explorer(SphinxDirective):
    """A part of the explorer's page; the whole in ``small``; or a ``map`` of all products."""

    required_arguments = 1
    option_spec: ClassVar[Any] = {}

    def run(self) -> list[nodes.Node]:
        """Fill in the part's template; a notebook or a plain text says where the explorer is instead."""
        (part,) = self.arguments
        if part not in PARTS:
            raise self.error(f"the explorer has no part {part}; it has {', '.join(PARTS)}")
        handbook(self.env).note(SUBJECT, PARTS[part])
        templates = getattr(self.env.app.builder, "templates", None)
        html = ""
        if templates:
            address = self.env.app.builder.get_relative_uri(self.env.docname, "explorer")
            told = {"words": script_words(self.config.language), "page": address}
            if part == "small":
                layout = shardbook.layout(NamedSharding(MESH, P("x", "y")), SHAPE, "float32")
                # As the script draws it: without the link to the explorer that other figures get.
                picture = leaf_html("", layout, figure_words(self.config.language))
                told["picture"] = picture.replace("<figure>", '<figure class="first">')
            html = templates.render(f"explorer/{part}.html", told)
        plain = _("The explorer runs in a browser, on this page of the handbook.") if part == "layout" else ""
        return [nodes.raw("", html, format="html", plain=plain)]


def script_words(language: str) -> str:
    """All that the scripts say, as JSON that can stand in a script element."""
    words = {key: _(message) for key, message in WORDS.items()}
    told = json.dumps(words | {"figure": figure_words(language)}, ensure_ascii=False, sort_keys=True)
    return told.replace("<", "\\u003c")


def figure_words(language: str) -> dict[str, str]:
    """What a figure says."""
    return MESSAGES[LANGUAGES[language].folder]


def add_scripts(app: Sphinx, pagename: str, _template: str, _context: dict[str, Any], doctree: Any) -> None:
    """Load its script on a page that has the explorer or the small one, and on no other."""
    if doctree is not None and (script := handbook(app.env).said(pagename, SUBJECT)):
        app.add_js_file(script, defer="defer")
