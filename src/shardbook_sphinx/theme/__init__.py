"""How a page looks and what stands around it: furo's templates mended, assets joined, figures, formulas, previews."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sphinx.application import Sphinx


def setup(app: Sphinx) -> None:
    """Mend the theme, and tell the templates of languages and previews."""
    from shardbook_sphinx.theme import (  # noqa: PLC0415
        assets,
        elsewhere,
        figures,
        furo,
        lighter,
        mathml,
        navigation,
        opengraph,
        pinyin,
        tables,
    )

    figures.register()
    app.add_html_math_renderer("mathml", (mathml.visit_inline, None), (mathml.visit_block, None))
    app.connect("config-inited", furo.translate_settings)
    app.connect("builder-inited", furo.prepare, priority=900)  # after myst-nb has made its configuration
    app.connect("builder-inited", navigation.prepare)
    app.connect("doctree-read", opengraph.note_description)
    app.connect("html-page-context", furo.add_languages)
    app.connect("html-page-context", elsewhere.add_links, priority=600)  # once it has a notebook or none
    app.connect("html-page-context", opengraph.add_description)
    app.connect("html-page-context", pinyin.sort_index)
    app.connect("html-page-context", navigation.tell_once, priority=700)
    app.connect("html-page-context", navigation.say_what_pages_give, priority=700)
    app.connect("html-page-context", lighter.make_lighter, priority=800)  # once names are links
    app.connect("html-page-context", tables.draw_tables, priority=810)
    app.connect("html-page-context", assets.join_assets, priority=900)  # once all have said what the page loads
    app.connect("build-finished", assets.lighten_search)
