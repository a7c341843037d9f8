"""Make a link of every API name in prose and in code: from where it is used, its entry is one click away.

Done on the finished HTML of a page, so that prose, cells and doctests, in either language, are served by one rule, and
authors and translators write plain code.
"""

from __future__ import annotations

import html
import re
from typing import TYPE_CHECKING, Any

from shardbook_sphinx.reference.names import ROOTS, Names

if TYPE_CHECKING:
    from collections.abc import Callable

    from sphinx.application import Sphinx

# What may not hold a link: a link, a heading, the signature of an entry.
CLOSED = re.compile(r'(<a\b.*?</a>|<h[1-6]\b.*?</h[1-6]>|<dt class="sig .*?</dt>)', re.DOTALL)
INLINE = re.compile(r'<code class="docutils literal notranslate">(.*?)</code>', re.DOTALL)
BLOCK = re.compile(r'(<div class="highlight-(?:ipython3?|python3?|pycon)[^"]*">.*?</pre>)', re.DOTALL)
# Names with dots between them, as Pygments colours them; a leading dot follows a call or an index.
WORD = r'<span class="(?:n|nn|nd|nb|nc|nf)">@?[\w.]+</span>'
DOT = r'<span class="o">\.</span>'
CHAIN = re.compile(f"(?:{DOT})?{WORD}(?:{DOT}{WORD})*")
IMPORT = re.compile(r"^(?:>>> )?\s*(?:from ([\w.]+) )?import (?:\(([^)]*)\)|([\w., ]+))", re.MULTILINE)
TAG = re.compile(r"<[^>]+>")


def imports(text: str) -> dict[str, str]:
    r"""What names stand for after the imports in a text of code.

    >>> imports("import jax\nfrom jax.sharding import Mesh, PartitionSpec as P")["P"]
    'jax.sharding.PartitionSpec'
    """
    found = dict(ROOTS)
    for module, several, line in IMPORT.findall(text):
        for each in (several or line).split(","):
            name, _, alias = each.strip(" .\n").partition(" as ")
            if module:
                found[alias or name] = f"{module}.{name}"
            elif alias:
                found[alias] = name
            else:
                found[name.partition(".")[0]] = name.partition(".")[0]
    return found


def link_names(body: str, names: Names, address: Callable[[str], str]) -> str:
    """A page's HTML with a link on each name that has an entry; ``address`` tells where an entry is."""

    def anchor(name: str, text: str) -> str:
        return f'<a class="api" href="{html.escape(address(name))}">{text}</a>'

    def prose(match: re.Match[str]) -> str:
        name = names.prose(html.unescape(TAG.sub("", match[1])))
        return anchor(name, match[0]) if name else match[0]

    def block(text: str) -> str:
        def chain(match: re.Match[str]) -> str:
            parts = re.findall(f"{DOT}|{WORD}", match[0])
            tokens = [(place, html.unescape(TAG.sub("", part)).lstrip("@")) for place, part in enumerate(parts)]
            words = [(place, word) for place, word in tokens if word != "."]
            chained = [word for _, word in words]
            if parts[0].endswith(".</span>") and tokens[0][1] == ".":
                chained, words = ["", *chained], [(-1, ""), *words]
            called = text[match.end() :].startswith('<span class="p">(')
            for first, stop, name in reversed(names.code(chained, aliases, called=called)):
                begin, end = words[first][0], words[stop - 1][0] + 1
                parts[begin:end] = [anchor(name, "".join(parts[begin:end]))]
            return "".join(parts)

        return CHAIN.sub(chain, text)

    aliases = imports("\n".join(html.unescape(TAG.sub("", each)) for each in BLOCK.findall(body)))
    done = []
    for number, piece in enumerate(BLOCK.split(body)):
        if number % 2:
            done.append(block(piece))
        else:
            done += [
                INLINE.sub(prose, each) if place % 2 == 0 else each for place, each in enumerate(CLOSED.split(piece))
            ]
    return "".join(done)


def add_links(app: Sphinx, pagename: str, _template: str, context: dict[str, Any], _doctree: Any) -> None:
    """Link the names in a page that is about to be written."""
    if "body" not in context:
        return
    objects = app.env.domains.python_domain.objects
    names = Names(frozenset(objects))

    def address(name: str) -> str:
        target = objects[name]
        return app.builder.get_relative_uri(pagename, target.docname) + "#" + target.node_id

    context["body"] = link_names(context["body"], names, address)
