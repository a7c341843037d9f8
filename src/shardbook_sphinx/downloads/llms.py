"""What a language model reads first, as llmstxt.org asks: llms.txt, an index of pages, and llms-full.txt, all of them.

The English pair stands at the root of the site, where it is looked for, the Chinese one in zh/. Our own, for
sphinx-llms-txt 0.7 joins copies of the sources: English in either language, with all directives and no outputs.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from sphinx.addnodes import toctree
from sphinx.locale import _

from shardbook_sphinx.downloads.markdown import escape
from shardbook_sphinx.downloads.pages import address_from, whole_file, whole_part, write
from shardbook_sphinx.languages import LANGUAGES, root_address
from shardbook_sphinx.theme.opengraph import description

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sphinx.application import Sphinx
    from sphinx.environment import BuildEnvironment


def write_llms(app: Sphinx, exception: Exception | None) -> None:
    """Once all pages are written: write the index and the whole."""
    if exception or app.builder.format != "html":
        return
    here, site = whole_file(app.config.language), Path(app.outdir).parent
    link = address_from("", here, root_address(app.config.html_baseurl))

    def entry(docname: str) -> str:
        address = link(f"{LANGUAGES[app.config.language].folder}/{docname}.md")
        line = f"- [{escape(app.env.titles[docname].astext())}]({address}): {escape(description(app.env, docname))}"
        return line.removesuffix(": ") + "\n"

    index = f"# {app.config.project}\n\n> {escape(description(app.env, app.config.root_doc))}\n\n"
    index += f"- [{_('All pages in one file')}]({link(here)})\n"
    for language, told in LANGUAGES.items():
        if language != app.config.language:
            index += f"- [{told.name}]({link(index_file(language))})\n"
    sections = chapters(app.env)
    for caption, docnames in sections.items():
        index += f"\n## {caption}\n\n" + "".join(map(entry, docnames))
    write(site / index_file(app.config.language), index)
    parts = (whole_part(app, docname) for docnames in sections.values() for docname in docnames)
    write(site / here, "\n".join(part.read_text(encoding="utf-8") for part in parts))


def index_file(language: str) -> str:
    """The index, relative to the root of the site."""
    return whole_file(language).replace("llms-full", "llms")


def chapters(env: BuildEnvironment) -> dict[str, list[str]]:
    """The captions in the contents, each with its pages in the order of reading; each page once."""
    root, caption = env.config.root_doc, _("Begin here")
    found, seen = {caption: [root]}, {root}
    for tree in env.tocs[root].findall(toctree):
        caption = tree["caption"] or caption
        for docname in (page for top in tree["includefiles"] for page in below(env, top)):
            if docname not in seen:
                found.setdefault(caption, []).append(docname)
                seen.add(docname)
    return found


def below(env: BuildEnvironment, docname: str) -> Iterator[str]:
    """A page, and all that its own contents list."""
    yield docname
    for child in env.toctree_includes.get(docname, []):
        yield from below(env, child)
