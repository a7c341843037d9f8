"""From a message to its entry: below each error that a cell or a doctest of another page shows stands what explains it.

An entry announces a part of its message, ``says``; a message of the same type that has this part is that of the entry.
"""

from __future__ import annotations

import re
from itertools import groupby
from operator import itemgetter
from textwrap import shorten
from typing import TYPE_CHECKING, NamedTuple

from docutils import nodes
from sphinx.locale import _

from shardbook_sphinx.domain import handbook
from shardbook_sphinx.entries import FOLDER, page_of
from shardbook_sphinx.nodes import generated
from shardbook_sphinx.reference.error_entries import SUBJECT as ENTRIES
from shardbook_sphinx.reference.error_entries import last_line
from shardbook_sphinx.reference.titles import section_title

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sphinx.application import Sphinx
    from sphinx.environment import BuildEnvironment

SUBJECT = "errors shown"
# What a doctest shows of an error, after the frames that it leaves out.
RAISED = re.compile(r"Traceback \(most recent call last\):\n(?: .*\n)*(?P<told>\w.*(?:\n(?!>>>|\.\.\. ).+)*)")

# What Python says, or a helper within JAX, of many mistakes: such a message does not tell which it was.
ANYWHERE = (
    "list index out of range",
    "tuple index out of range",
    "assignment destination",
    "safe_zip()",
    "got an unexpected keyword argument",
    "object has no attribute 'shape'",
    "should evenly divide the shape",
)
WORD = re.compile(r"[A-Za-z_]{2,}")
NAME = re.compile(r"[A-Za-z_]\w*")
CALLED = re.compile(r"[A-Za-z_]\w*(?=\()")
MESSAGE = 44  # characters of a message that tell it from others
CUT = "..."  # what a doctest writes for what it leaves out of a message
FEWEST = 3  # words of a message that is shown in parts
RETIRED = f"{FOLDER}retired"
ALIKE = 0.6  # of the words of a message that its entry's message has too; names in it are the reader's own


class Known(NamedTuple):
    """An error that has an entry."""

    name: str
    says: str
    message: str
    code: str
    docname: str
    anchor: str


class ShownError(NamedTuple):
    """An error that a page shows."""

    told: str
    """Its message, which begins with the name of its type."""
    code: str
    """The last line of what raised it."""


def known(env: BuildEnvironment) -> list[Known]:
    """All of them."""
    return [
        Known(each.name.rpartition(".")[2], each.says, each.message, each.code, docname, entry.anchor)
        for docname, entries in handbook(env).pages(ENTRIES).items()
        for entry in entries
        for each in entry.raised
        if each.says
    ]


def entry_of(error: ShownError, errors: list[Known]) -> Known | None:
    """The entry of an error, if it has one; of two with the same message that whose code is more like it.

    An entry of retired names is that of code which has a name in common with it. A message that is shown in parts is
    that of the only entry whose message has them, or the only one of these that calls what the code calls.

    >>> sizes = Known("ValueError", "sizes differ", "the sizes differ: 2 and 3", "jit(f)(x)", "errors/specs", "sizes")
    >>> other = sizes._replace(code="device_put(x)", anchor="placing")
    >>> entry_of(ShownError("ValueError: sizes differ", "y = jax.device_put(x)"), [sizes, other]).anchor
    'placing'
    >>> entry_of(ShownError("ValueError: sizes differ", "put(jit, f)"), [sizes, other._replace(code="put(y)")]).anchor
    'placing'
    >>> entry_of(ShownError("TypeError: sizes differ", "jit(g)"), [sizes])
    >>> entry_of(ShownError("ValueError: sizes differ", "put(x)"), [sizes._replace(code="pmap(f)", docname=RETIRED)])
    >>> cut = ShownError("ValueError: the sizes ...: 5 and ...", "jit(g)(x)")
    >>> entry_of(cut, [sizes, other]).anchor
    'sizes'
    >>> entry_of(cut._replace(code="shard_map(g)(x)"), [sizes, other])

    Of two that are alike in all else it is the one that says more; what is said of many mistakes is of the code alone.

    >>> entry_of(ShownError("ValueError: sizes differ", "y"), [other._replace(says="izes differ"), sizes]).anchor
    'sizes'
    >>> rank = Known("IndexError", ANYWHERE[0], ANYWHERE[0], "shard_shape(x)", "errors/specs", "rank")
    >>> told = f"IndexError: {ANYWHERE[0]}..."
    >>> [entry_of(ShownError(told, code), [rank]) is rank for code in ("shard_shape(y)", "y")]
    [True, False]
    """
    name, _, message = error.told.partition(":")
    told = " ".join(message.split())
    words = set(WORD.findall(told))

    def share(of: Known) -> float:
        return len(words & set(WORD.findall(of.message))) / (len(words) or 1)

    def called(of: Known) -> bool:
        """Whether both call the same first."""
        return CALLED.findall(error.code)[:1] == CALLED.findall(of.code)[:1]

    def names(of: Known) -> int:
        """How many both have."""
        return len(set(NAME.findall(error.code)) & set(NAME.findall(of.code)))

    def alike(of: Known) -> tuple[bool, float, bool, int, int]:
        """What retired names raise others raise too: they are the rarer, unless it is one of them that is called."""
        return of.docname != RETIRED or called(of), share(of), called(of), names(of), len(of.says)

    kind = name.rpartition(".")[2]
    ours = [each for each in errors if each.name == kind and (each.docname != RETIRED or names(each))]
    distinct = [each for each in ours if not each.says.startswith(ANYWHERE)]
    said = [each for each in distinct if " ".join(each.says.split()) in told]
    if best := max(said, key=alike, default=None):
        return best if share(best) >= ALIKE else None
    cut = [each for each in ours if is_cut(told, each.message)]
    meant = [each for each in cut if called(each)] or cut
    only = meant[0] if len({each.anchor for each in meant}) == 1 else None
    return only if only in distinct or (only and called(only)) else None


def is_cut(told: str, message: str) -> bool:
    """Whether what is told are parts of a message with dots between them, but for the numbers and names in it.

    >>> [is_cut(told, "the sizes differ: 2 and 3") for told in ("the sizes ... 5 and ...", "the size ...", "the ...")]
    [True, False, False]
    """
    words = [WORD.findall(part) for part in told.split(CUT)]
    whole = f" {' '.join(WORD.findall(message))} "
    within = all(f" {' '.join(part)} " in whole for part in words if part)
    return len(words) > 1 and within and sum(map(len, words)) >= FEWEST


def shown(doctree: nodes.document) -> Iterator[tuple[nodes.Element, ShownError]]:
    """The blocks of a page that show an error, each with what it shows."""
    source = ""
    for block in doctree.findall(nodes.Element):
        if block.get("nb_element") == "cell_code_source":
            source = block.astext()
        elif isinstance(block, nodes.literal_block) and "traceback" in block.get("classes", ()):
            yield block, ShownError(block.astext().strip(), last_line(source))
        elif block.get("testnodetype") == "doctest" or isinstance(block, nodes.doctest_block):
            text = block.astext()
            for raised in RAISED.finditer(text):
                yield block, ShownError(raised["told"], last_line(text[: raised.start()]))


def note_shown(app: Sphinx, doctree: nodes.document) -> None:
    """After a page is read: keep the errors that it shows, if it is not itself of them."""
    told = [error for _block, error in shown(doctree)]
    if told and not app.env.current_document.docname.startswith(FOLDER):
        handbook(app.env).note(SUBJECT, told)


def rewrite_pages(_app: Sphinx, env: BuildEnvironment) -> list[str]:
    """Write pages that show errors again when an entry has changed: Sphinx does not see that they lead there."""
    domain = handbook(env)
    return list(domain.pages(SUBJECT)) if domain.changed(SUBJECT, known(env)) else []


def link_boxes(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """When a page is written: put the links in."""
    if not handbook(app.env).said(docname, SUBJECT):
        return
    errors = known(app.env)
    for block, found in groupby(list(shown(doctree)), itemgetter(0)):
        told = [error for _block, error in found]
        entries: dict[str, tuple[Known, str]] = {}
        for error in told:
            if entry := entry_of(error, errors):
                entries.setdefault(entry.anchor, (entry, error.told))  # a block may show two errors of one entry
        several = len({error.told for error in told}) > 1
        lines = []
        for entry, message in entries.values():
            link = nodes.reference("", "", *section_title(app.env, entry.docname, entry.anchor), internal=True)
            link["refuri"] = app.builder.get_relative_uri(docname, page_of(entry.docname, entry.anchor))
            # Below a block that shows several errors each line says which it is about.
            words = words_before(message if several else "")
            lines.append(generated(*words, link, classes=["explained"]))
        place = block.parent.index(block) + 1
        block.parent[place:place] = lines


def words_before(error: str) -> list[nodes.Node]:
    """The words before the link to an entry; ``error`` is the message that it explains where there are several.

    They say no more than that it has this message: the mistake may be another.

    >>> "".join(node.astext() for node in words_before("a.b.ValueError: the sizes 2 and 3 do not go together"))
    'On ValueError: the sizes 2 and 3 do not go …, see: '
    """
    if not error:
        return [nodes.Text(_("On this message, see: "))]
    name, colon, message = " ".join(error.split()).partition(":")
    text = name.rpartition(".")[2] + colon + message
    begun = shorten(text, MESSAGE, placeholder=" …")
    before, after = _("On {error}, see: ").split("{error}")
    return [nodes.Text(before), nodes.literal(begun, begun), nodes.Text(after)]
