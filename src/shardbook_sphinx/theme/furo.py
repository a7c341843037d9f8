"""What stands around a page: the way to the other language, and the theme's words in the reader's."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sphinx.locale import _

from shardbook_sphinx.exceptions import HandbookError
from shardbook_sphinx.languages import LANGUAGES, page_address
from shardbook_sphinx.theme.accessible import accessible

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.builders.html import StandaloneHTMLBuilder
    from sphinx.config import Config

# Furo writes these attributes and titles into its templates without asking for a translation.
LABEL = re.compile(r'((?:aria-label|title|alt)="|<title>)([^"<]+)(?="|</title>)')
# Sphinx's scripts for its own search and its shortcuts, which this site does not have; one of them needs eval.
UNUSED_SCRIPTS = ("doctools.js", "sphinx_highlight.js", "translations.js")
TOGGLE = "Toggle navigation of "
# What furo writes into each page and the policy forbids: a script, and a style on its hidden signs.
THEME_SCRIPT = re.compile(r"<script>\s*document\.body\.dataset\.theme = [^<]*</script>")
HIDDEN = '<svg xmlns="http://www.w3.org/2000/svg" style="display: none;">'
SIGN = re.compile(r'\s*<symbol id="([\w-]+)".*?</symbol>', re.DOTALL)


def translate_settings(_app: Sphinx, config: Config) -> None:
    """Set the words that extensions take from the configuration instead of a catalogue."""
    if config.language == "zh_CN":
        config.copyright = "shardbook 作者"
        config.nb_code_prompt_show = "展开{type}"
        config.nb_code_prompt_hide = "收起{type}"
        # The Chinese rendering of a figure comes before the English one.
        config.nb_mime_priority_overrides = [("*", "text/vnd.shardbook.zh+html", 0)]


def prepare(app: Sphinx) -> None:
    """Keep myst-nb's copies of notebooks out of the site, and give templates the filters."""
    app.env.mystnb_config.output_folder = str(Path(app.doctreedir, "notebooks"))  # type: ignore[attr-defined]
    templates = getattr(app.builder, "templates", None)
    if templates:
        templates.environment.filters["translate_labels"] = translate_labels
        templates.environment.filters["without_inline"] = without_inline
        templates.environment.filters["accessible"] = accessible


def without_inline(html: str, script: str) -> str:
    """Replace what furo writes into the page by the file ``script`` and a class; fail if furo writes it otherwise.

    Signs that the page does not use, such as those of buttons that it has not, are left out.
    """
    changed, count = THEME_SCRIPT.subn(f'<script src="{script}"></script>', html)
    if count != 1 or changed.count(HIDDEN) != 1:
        raise HandbookError("furo writes its script or its signs in another way: adapt without_inline in furo.py")
    used = SIGN.sub(lambda found: found[0] if f'"#{found[1]}"' in html else "", changed)
    return used.replace(HIDDEN, HIDDEN.replace('style="display: none;"', 'class="signs"'))


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


def add_languages(app: Sphinx, pagename: str, _template: str, context: dict[str, Any], _doctree: Any) -> None:
    """Tell the templates the address of this page in each language."""
    here = LANGUAGES[app.config.language].folder
    builder: StandaloneHTMLBuilder = app.builder  # type: ignore[assignment]
    target = builder.get_target_uri(pagename)
    context["script_files"] = [
        script for script in context["script_files"] if not str(script.filename).endswith(UNUSED_SCRIPTS)
    ]
    context["languages"] = [
        {
            "tag": tag,
            "name": name,
            "current": folder == here,
            # With a base address the alternate is absolute, as search engines ask; else it works from any folder.
            "href": page_address(app.config.html_baseurl, folder, target) or relative,
            "local": relative,
        }
        for folder, tag, _locale, name in LANGUAGES.values()
        for relative in [f"{context['content_root'].removeprefix('./')}../{folder}/{target}"]
    ]
