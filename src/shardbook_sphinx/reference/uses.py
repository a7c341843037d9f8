"""From an entry of the API to the pages that teach with it: tutorials first, then guides."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from docutils import nodes
from sphinx import addnodes
from sphinx.locale import _

from shardbook_sphinx.domain import handbook
from shardbook_sphinx.nodes import generated
from shardbook_sphinx.reference.links import imports
from shardbook_sphinx.reference.titles import page_title

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sphinx.application import Sphinx
    from sphinx.environment import BuildEnvironment

SUBJECT = "names used"
TEACHING = ("learn/", "train/", "guides/")
HISTORY = "api-history"  # the class of the lines below a signature
MOST = 4  # pages that an entry names
CHAIN = re.compile(r"(?<![\w.])[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*")


def names_in(sources: Iterable[str]) -> set[str]:
    r"""The names that code uses, as its imports have them, and all that they stand in.

    >>> sorted(names_in(["import jax\nfrom jax.sharding import PartitionSpec as P", "P('x'); jax.jit(f).lower(x)"]))
    ['jax', 'jax.jit', 'jax.sharding.PartitionSpec']
    """
    text = "\n".join(sources)
    aliases = imports(text)
    # An import alone is no use.
    code = re.sub(r"(?m)^\s*(?:from|import) .*$", "", text)
    found = set()
    for chain in CHAIN.findall(code):
        first, *rest = chain.split(".")
        if first in aliases:
            found |= {".".join([aliases[first], *rest[:end]]) for end in range(len(rest) + 1)}
    return found


def note_names(app: Sphinx, doctree: nodes.document) -> None:
    """After a page that teaches is read: keep what its cells use."""
    if app.env.current_document.docname.startswith(TEACHING):
        cells = [
            node.astext() for node in doctree.findall(nodes.Element) if node.get("nb_element") == "cell_code_source"
        ]
        handbook(app.env).note(SUBJECT, names_in(cells))


def used_on(env: BuildEnvironment, name: str) -> list[str]:
    """The pages that use a name: of each part in the order in which its pages are read."""
    using = {docname for docname, names in handbook(env).pages(SUBJECT).items() if name in names}
    order = [page for part in TEACHING for page in env.toctree_includes.get(f"{part}index", ())]
    return [page for page in order if page in using]


def uses(env: BuildEnvironment) -> dict[str, list[str]]:
    """Of each name that is used, by what pages."""
    pages: dict[str, set[str]] = handbook(env).pages(SUBJECT)
    names = {name for used in pages.values() for name in used}
    return {name: used_on(env, name) for name in sorted(names)}


def rewrite_reference(_app: Sphinx, env: BuildEnvironment) -> list[str]:
    """Write the reference again when another page uses a name."""
    described = [name for name in env.found_docs if name.startswith("reference/")]
    return sorted(described) if handbook(env).changed(SUBJECT, uses(env)) else []


def link_pages(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """When a page of the reference is written: name the pages in each entry, below its history."""
    for entry in doctree.findall(addnodes.desc):
        names: tuple[str, ...] = entry.get("api", ())
        pages = list(dict.fromkeys(page for name in names for page in used_on(app.env, name)))
        content = entry.next_node(addnodes.desc_content)
        if not pages or content is None:
            continue
        line = generated(nodes.Text(_("Used in: ")), classes=[HISTORY])
        for at, page in enumerate(pages[:MOST]):
            link = nodes.reference("", "", *page_title(app.env, page), internal=True)
            line += [nodes.Text(_(", ") if at else ""), link]
            link["refuri"] = app.builder.get_relative_uri(docname, page)
        above = [each for each in content.children if HISTORY in getattr(each, "attributes", {}).get("classes", ())]
        content.insert(len(above), line)
