"""From an error or a trap to the pages that teach what it is about.

The front matter of a page of errors names the tutorial of its subject, ``taught: learn/placing``; a page of tutorials
or guides that shows the error itself comes before it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from docutils import nodes
from sphinx.locale import _

from shardbook_sphinx.domain import handbook
from shardbook_sphinx.entries import ENTRY, FOLDER
from shardbook_sphinx.nodes import generated
from shardbook_sphinx.reference.boxes import SUBJECT, entry_of, known
from shardbook_sphinx.reference.uses import TEACHING

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.environment import BuildEnvironment

FIELD = "taught"
MOST = 3  # pages that an entry names


def find_wrong(_app: Sphinx, env: BuildEnvironment) -> list[str]:
    """Once all is read: pages whose front matter names one that is not there."""
    named = {page: env.metadata[page].get(FIELD) for page in sorted(env.found_docs)}
    return [
        f"docs/{page}.md: {FIELD}: {taught} names no page: write that of a tutorial or guide, such as learn/placing"
        for page, taught in named.items()
        if taught is not None and taught not in env.found_docs
    ]


def showing(env: BuildEnvironment) -> dict[str, list[str]]:
    """By entry, the tutorials and guides that show its error."""
    errors, found = known(env), dict[str, list[str]]()
    for page, told in handbook(env).pages(SUBJECT).items():
        for each in told if page.startswith(TEACHING) else ():
            if entry := entry_of(each, errors):
                found.setdefault(entry.anchor, []).append(page)
    return found


def link_tutorials(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """When a page of errors is written: end each entry with the pages that teach."""
    taught = app.env.metadata[docname].get(FIELD)
    if not docname.startswith(FOLDER) or not taught:
        return
    shown = showing(app.env)
    for section in doctree.findall(nodes.section):
        if not section.get(ENTRY):
            continue
        before = sorted(shown.get(section[ENTRY], []), key=part)[: MOST - 1]
        pages = list(dict.fromkeys([*before, taught]))
        line = generated(nodes.Text(_("Taught in: ")), classes=["explained"])
        for at, page in enumerate(pages):
            link = nodes.reference("", app.env.titles[page].astext(), internal=True)
            link["refuri"] = app.builder.get_relative_uri(docname, page)
            line += [nodes.Text(_(", ") if at else ""), link]
        section.append(line)


def part(page: str) -> int:
    """The place of a page's part among those that teach: tutorials come before guides."""
    return next(at for at, folder in enumerate(TEACHING) if page.startswith(folder))
