"""From an error or a trap to the pages that teach what it is about.

The front matter of a page of errors names the tutorial of its subject, ``taught: learn/placing``, or a page for each
of its sections and for single entries, by their ids, and under ``""`` for all others; a page of tutorials or guides
that shows the error itself comes before it.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from docutils import nodes
from sphinx.locale import _

from shardbook_sphinx.domain import handbook
from shardbook_sphinx.entries import ENTRY, FOLDER
from shardbook_sphinx.nodes import generated
from shardbook_sphinx.reference.boxes import SUBJECT, entry_of, known
from shardbook_sphinx.reference.titles import page_title
from shardbook_sphinx.reference.uses import TEACHING

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.environment import BuildEnvironment

FIELD = "taught"
MOST = 3  # pages that an entry names


def teachers(env: BuildEnvironment, docname: str) -> dict[str, str]:
    """What a page's front matter says: pages by the ids of sections and entries, "" for those that it does not name."""
    said = env.metadata[docname].get(FIELD, "")
    # MyST hands on what is nested as JSON.
    return json.loads(said) if said.startswith("{") else {"": said} if said else {}


def teacher(told: dict[str, str], entry: nodes.Element) -> str:
    """The page for an entry: its own, that of a section it is in, or the page's; "" if there is none."""
    above: nodes.Element | None = entry
    while above is not None:
        ids: list[str] = above.get("ids", [])
        if found := next((told[name] for name in ids if name in told), ""):
            return found
        above = above.parent
    return told.get("", "")


def find_wrong(_app: Sphinx, env: BuildEnvironment) -> list[str]:
    """Once all is read: pages whose front matter names one that is not there, or a section that is not."""
    problems = []
    for page in sorted(env.found_docs):
        told = teachers(env, page)
        problems += [
            f"docs/{page}.md: {FIELD}: {named} names no page: write that of a tutorial or guide, such as learn/placing"
            for named in told.values()
            if named not in env.found_docs
        ]
        sections = env.get_doctree(page).findall(nodes.section) if any(told) else []
        ids = {name for section in sections for name in section["ids"]}
        problems += [
            f"docs/{page}.md: {FIELD}: no section has the id {name}: write that of a heading, or the label of an entry"
            for name in told
            if name and name not in ids
        ]
    return problems


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
    told = teachers(app.env, docname)
    if not docname.startswith(FOLDER) or not told:
        return
    shown = showing(app.env)
    for section in doctree.findall(nodes.section):
        if not section.get(ENTRY):
            continue
        before = sorted(shown.get(section[ENTRY], []), key=part)[: MOST - 1]
        pages = [page for page in dict.fromkeys([*before, teacher(told, section)]) if page]
        if not pages:
            continue
        line = generated(nodes.Text(_("Taught in: ")), classes=["explained"])
        for at, page in enumerate(pages):
            link = nodes.reference("", "", *page_title(app.env, page), internal=True)
            link["refuri"] = app.builder.get_relative_uri(docname, page)
            line += [nodes.Text(_(", ") if at else ""), link]
        section.append(line)


def part(page: str) -> int:
    """The place of a page's part among those that teach: tutorials come before guides."""
    return next(at for at, folder in enumerate(TEACHING) if page.startswith(folder))
