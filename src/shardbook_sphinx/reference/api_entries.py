"""Entries of the reference: kind, signature and history from the records, and the gate that every name has one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from docutils import nodes
from sphinx import addnodes
from sphinx.domains.python import PyAttribute, PyClasslike, PyFunction, PyMethod, PyProperty
from sphinx.locale import _
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

from shardbook_sphinx.domain import handbook
from shardbook_sphinx.nodes import generated, sentence
from shardbook_sphinx.records.records import Records, site_records

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.directives import ObjectDescription
    from sphinx.environment import BuildEnvironment

    from shardbook_sphinx.records.records import Fate

SUBJECT = "API entries"

logger = logging.getLogger(__name__)

# A kind in the records → Sphinx's directive for it, its name, and the directive's option.
DIRECTIVES: dict[str, tuple[type[ObjectDescription[Any]], str, dict[str, None]]] = {
    "class": (PyClasslike, "class", {}),
    "function": (PyFunction, "function", {}),
    "method": (PyMethod, "method", {}),
    "classmethod": (PyMethod, "method", {"classmethod": None}),
    "staticmethod": (PyMethod, "method", {"staticmethod": None}),
    "property": (PyProperty, "property", {}),
    "attribute": (PyAttribute, "attribute", {}),
}


class Described(NamedTuple):
    """An entry of a page."""

    names: tuple[str, ...]
    line: int
    examples: tuple[str, ...]
    """The sources of the doctests and cells that follow it, up to the next entry."""


class ApiEntry(SphinxDirective):
    """Place an object of JAX in the page: ``{api} NAME``, or several names that stand for the same object."""

    required_arguments = 1
    final_argument_whitespace = True
    has_content = True
    option_spec: ClassVar[Any] = {}

    def run(self) -> list[nodes.Node]:
        """Let Sphinx's Python domain describe it, with the signature of the records, and add its history."""
        records = site_records(self.env)
        try:
            fates = [records.fate(name) for name in self.arguments[0].split()]
        except KeyError as error:
            raise self.error(str(error.args[0])) from None
        directive, kind, options = DIRECTIVES[fates[0].kind]
        signatures = "\n".join(fate.name + fate.signature for fate in fates)
        described = directive(
            f"py:{kind}",
            [signatures],
            dict(options),
            self.content,
            self.lineno,
            self.content_offset,
            self.block_text,
            self.state,
            self.state_machine,
        ).run()
        desc = next(node for node in described if isinstance(node, addnodes.desc))
        desc["api"] = tuple(fate.name for fate in fates)
        desc["line"] = self.lineno
        content = desc.next_node(addnodes.desc_content)
        assert content is not None
        histories = [history(fate, records) for fate in fates]
        if all(text == histories[0] for text in histories):
            histories = histories[:1]
        else:
            histories = [f"`{fate.name}`" + _(": ") + text for fate, text in zip(fates, histories, strict=True)]
        content.insert(0, [generated(*sentence(text), classes=["api-history"]) for text in histories])
        return described


def history(fate: Fate, records: Records) -> str:
    """Since when a name is there, and what became of it, in the reader's language."""
    since = _("since {release} or before") if fate.since == records.oldest else _("since {release}")
    told = [since.format(release=fate.since)]
    # A property has no signature.
    if parameters := [change.release for change in fate.changes if change.after]:
        told.append(_("parameters changed in {releases}").format(releases=_(", ").join(parameters)))
    told += [_("a property since {release}").format(release=each.release) for each in fate.changes if not each.after]
    if fate.deprecated:
        told.append(_("deprecated since {release}").format(release=fate.deprecated))
    if fate.removed:
        told.append(_("removed in {release}").format(release=fate.removed))
    return " · ".join(told)


def note_entries(app: Sphinx, doctree: nodes.document) -> None:
    """After a page is read: keep its entries, each with the examples that follow it."""
    if entries := find_entries(doctree):
        handbook(app.env).note(SUBJECT, entries)


def find_entries(doctree: nodes.document) -> list[Described]:
    """The entries of a page in their order, each with the doctests and cells between it and the next."""
    found: list[Described] = []
    for node in doctree.findall(nodes.Element):
        if isinstance(node, addnodes.desc) and "api" in node:
            found.append(Described(node["api"], node["line"], ()))
        elif found and (node.get("testnodetype") == "doctest" or node.get("nb_element") == "cell_code_source"):
            found[-1] = found[-1]._replace(examples=(*found[-1].examples, node.astext()))
    return found


def check_entries(_app: Sphinx, env: BuildEnvironment) -> None:
    """Once all pages are read: warn of each name without entry, and of each entry without an example that uses it."""
    for problem in find_gaps(handbook(env).pages(SUBJECT), site_records(env)):
        logger.warning(problem, type="shardbook", subtype="reference")


def find_gaps(pages: dict[str, list[Described]], records: Records) -> list[str]:
    """Names without entry, and entries without an example that uses their name; empty if the reference is whole."""
    problems = []
    documented: set[str] = set()
    for docname, entries in sorted(pages.items()):
        for entry in entries:
            documented.update(entry.names)
            short = {name.rpartition(".")[2] for name in entry.names}
            runnable = any(records.runnable(name) for name in entry.names)
            if runnable and not any(name in example for example in entry.examples for name in short):
                told = f"no example of this entry uses {' or '.join(sorted(short))}"
                problems.append(f"{docname}.md:{entry.line}: {entry.names[0]}: {told}; add a {{doctest}} or a cell")
    problems += [
        f"{name}: has no entry; add {{api}} {name} to a page" for name in sorted(set(records.required) - documented)
    ]
    return problems
