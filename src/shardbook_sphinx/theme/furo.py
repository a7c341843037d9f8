"""What stands around a page: the way to the other language, and the theme's words in the reader's."""

from __future__ import annotations

import re
from copy import copy
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from docutils.nodes import bullet_list, list_item
from sphinx.addnodes import toctree
from sphinx.environment.adapters.toctree import global_toctree_for_doc
from sphinx.locale import _

from shardbook_sphinx.exceptions import HandbookError
from shardbook_sphinx.theme.accessible import accessible

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sphinx.application import Sphinx
    from sphinx.builders.html import StandaloneHTMLBuilder
    from sphinx.config import Config
    from sphinx.environment import BuildEnvironment

# Sphinx's name of a language → the folder of its site, its tag in HTML, and what its readers call it.
LANGUAGES = {"en": ("en", "en", "English"), "zh_CN": ("zh", "zh-CN", "中文")}

# Furo writes these attributes and titles into its templates without asking for a translation.
LABEL = re.compile(r'((?:aria-label|title|alt)="|<title>)([^"<]+)(?="|</title>)')
# Sphinx's scripts for its own search and its shortcuts, which this site does not have; one of them needs eval.
UNUSED_SCRIPTS = ("doctools.js", "sphinx_highlight.js", "translations.js")
TOGGLE = "Toggle navigation of "
# What furo writes into each page and the policy forbids: a script, and a style on its hidden signs.
THEME_SCRIPT = re.compile(r"<script>\s*document\.body\.dataset\.theme = [^<]*</script>")
HIDDEN = '<svg xmlns="http://www.w3.org/2000/svg" style="display: none;">'


def translate_settings(_app: Sphinx, config: Config) -> None:
    """Set the words that extensions take from the configuration instead of a catalogue."""
    if config.language == "zh_CN":
        config.copyright = "shardbook 作者"
        config.nb_code_prompt_show = "展开{type}"
        config.nb_code_prompt_hide = "收起{type}"
        # The Chinese rendering of a figure comes before the English one.
        config.nb_mime_priority_overrides = [("*", "text/vnd.shardbook.zh+html", 0)]


def prepare(app: Sphinx) -> None:
    """Keep myst-nb's copies of notebooks out of the site, and give templates the filters and the navigation."""
    app.env.mystnb_config.output_folder = str(Path(app.doctreedir, "notebooks"))  # type: ignore[attr-defined]
    templates = getattr(app.builder, "templates", None)
    if templates:
        templates.environment.filters["translate_labels"] = translate_labels
        templates.environment.filters["without_inline"] = without_inline
        templates.environment.filters["accessible"] = accessible
        app.connect("html-page-context", Navigation(app).add, priority=400)  # before furo asks for it


class Navigation:
    """The tree of all pages in the sidebar of each.

    Sphinx copies the contents of every page, all sections with them, for the sidebar of every page, and drops the
    sections again: a fifth of the time that writing takes. Here they are dropped once.
    """

    def __init__(self, app: Sphinx) -> None:
        self.app = app

    @cached_property
    def titles(self) -> BuildEnvironment:
        """The environment, in which the contents of a page are its title and the trees in it."""
        env = copy(self.app.env)
        env.tocs = {name: without_sections(toc) for name, toc in env.tocs.items()}
        return env

    def add(self, app: Sphinx, pagename: str, _template: str, context: dict[str, Any], _doctree: Any) -> None:
        """Give a page that is about to be written the tree of titles, in place of the one with all sections."""
        builder: StandaloneHTMLBuilder = app.builder  # type: ignore[assignment]
        whole = context["toctree"]

        def tree(**options: Any) -> str:
            if not options.get("titles_only"):
                return str(whole(**options))
            found = global_toctree_for_doc(self.titles, pagename, builder, tags=app.tags, **options)
            return builder.render_partial(found)["fragment"]

        context["toctree"] = tree


def without_sections(contents: bullet_list) -> bullet_list:
    """The contents of a page as Sphinx makes them to show titles only."""
    short = contents.deepcopy()
    for entry in short.children:
        if isinstance(entry, list_item) and len(entry) > 1:
            sections = entry.pop(1)
            if trees := list(sections.findall(toctree)):
                entry.append(bullet_list("", *trees))
    return short


def without_inline(html: str, script: str) -> str:
    """Replace what furo writes into the page by the file ``script`` and a class; fail if furo writes it otherwise."""
    changed, count = THEME_SCRIPT.subn(f'<script src="{script}"></script>', html)
    if count != 1 or changed.count(HIDDEN) != 1:
        raise HandbookError("furo writes its script or its signs in another way: adapt without_inline in interface.py")
    return changed.replace(HIDDEN, HIDDEN.replace('style="display: none;"', 'class="signs"'))


def translate_labels(html: str) -> str:
    """Translate what only a screen reader or a pointer at rest tells, through Sphinx's own catalogue.

    >>> translate_labels('<button aria-label="Search">')
    '<button aria-label="Search">'
    """

    def translate(match: re.Match[str]) -> str:
        opening, label = match.groups()
        if label.startswith(TOGGLE):
            return f"{opening}{_(TOGGLE.strip())} {label.removeprefix(TOGGLE)}"
        return opening + _(label)

    return LABEL.sub(translate, html)


def remove_deleted_pages(
    app: Sphinx, _env: BuildEnvironment, _added: Iterable[str], _changed: Iterable[str], removed: Iterable[str]
) -> list[str]:
    """Remove the HTML of pages whose source is gone: Sphinx leaves it, and it would be served."""
    if app.builder.format == "html":
        builder: StandaloneHTMLBuilder = app.builder  # type: ignore[assignment]
        for docname in removed:
            Path(builder.get_output_path(docname)).unlink(missing_ok=True)
    return []


def rewrite_navigation(_app: Sphinx, env: Any) -> list[str]:
    """Write all pages again when a title or a toctree has changed: each shows them, and Sphinx does not see that."""
    titles = {name: title.astext() for name, title in sorted(env.titles.items())}
    trees = {name: [str(tree) for tree in toc.findall(toctree)] for name, toc in sorted(env.tocs.items())}
    navigation = repr((titles, trees))
    changed = getattr(env, "shardbook_navigation", navigation) != navigation
    env.shardbook_navigation = navigation
    return sorted(env.found_docs) if changed else []


def add_languages(app: Sphinx, pagename: str, _template: str, context: dict[str, Any], _doctree: Any) -> None:
    """Tell the templates the address of this page in each language."""
    here = LANGUAGES[app.config.language]
    builder: StandaloneHTMLBuilder = app.builder  # type: ignore[assignment]
    target = builder.get_target_uri(pagename)
    context["script_files"] = [
        script for script in context["script_files"] if not str(script.filename).endswith(UNUSED_SCRIPTS)
    ]
    context["languages"] = [
        {
            "tag": tag,
            "name": name,
            "current": folder == here[0],
            # With a base address the alternate is absolute, as search engines ask; else it works from any folder.
            "href": address(app.config.html_baseurl, folder, target) or relative,
            "local": relative,
        }
        for folder, tag, name in LANGUAGES.values()
        for relative in [f"{context['content_root'].removeprefix('./')}../{folder}/{target}"]
    ]


def root_address(base: str) -> str:
    """The address of the whole site, given that of one language; "" if none is configured.

    >>> root_address("https://example.org/zh/en/")
    'https://example.org/zh/'
    """
    return base.rstrip("/").rpartition("/")[0] + "/" if base else ""


def address(base: str, folder: str, target: str) -> str:
    """The address of a page under the site's base address, or "" if none is configured."""
    return f"{root_address(base)}{folder}/{target}" if base else ""
