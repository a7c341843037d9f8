"""Make a link of every API name in prose and in code: from where it is used, its entry is one click away.

Done on the finished HTML of a page, so that prose, cells and doctests, in either language, are served by one rule, and
authors and translators write plain code.
"""

from __future__ import annotations

import html
import re
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

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
NAME = re.compile(r"(\.?)([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*)(\(.*\))?", re.DOTALL)
IMPORT = re.compile(r"^(?:>>> )?\s*(?:from ([\w.]+) )?import (?:\(([^)]*)\)|([\w., ]+))", re.MULTILINE)
TAG = re.compile(r"<[^>]+>")

# Attributes whose owner cannot be told by their name: arrays, sequences and dictionaries have them too.
COMMON = {"T", "count", "data", "default", "device", "devices", "empty", "index", "max", "mesh", "min", "ndim"} | {
    *("prev", "replicate", "reshape", "shape", "size", "sum", "transpose", "update"),
}
# Whose member a lone attribute is taken for, if several have it.
OWNERS = ("jax.Array", "jax.sharding.Sharding", "jax.sharding.NamedSharding", "jax.sharding.Mesh", "jax.Shard")
ROOTS = {"jax": "jax", "sb": "shardbook", "shardbook": "shardbook"}


@dataclass(frozen=True)
class Names:
    """The names that have an entry."""

    entries: frozenset[str]

    @cached_property
    def short(self) -> dict[str, str]:
        """What prose may call an object by its last part alone: JAX's, where only one has that last part."""
        found: dict[str, str] = {}
        for name in sorted(self.entries, key=lambda name: (name.count("."), name), reverse=True):
            last = name.rpartition(".")[2]
            if name.startswith("jax.") and name not in self.members:
                found[last] = name
        return {last: name for last, name in found.items() if f"shardbook.{last}" not in self.entries}

    @cached_property
    def members(self) -> dict[str, str]:
        """Entries that are members of a class, each with its class."""
        owners = {name: name.rpartition(".")[0] for name in self.entries}
        return {name: owner for name, owner in owners.items() if owner in self.entries or owner == "jax.Array"}

    @cached_property
    def attributes(self) -> dict[str, str]:
        """The member that a lone attribute stands for."""
        found: dict[str, str] = {}
        rank = {owner: place for place, owner in enumerate(OWNERS)}
        for name in sorted(self.members, key=lambda name: (rank.get(self.members[name], len(rank)), name)):
            if self.members[name].startswith("jax."):
                found.setdefault(name.rpartition(".")[2], name)
        return {last: name for last, name in found.items() if last not in COMMON}

    def prose(self, text: str) -> str | None:
        """The entry that inline code is about, or ``None``.

        >>> names = Names(frozenset({"jax.P", "jax.sharding.Mesh", "jax.sharding.Mesh.shape", "jax.Array.sharding"}))
        >>> [names.prose(text) for text in ("P('x')", "Mesh.shape", ".sharding", "x.sharding", "mesh", "P + 1")]
        ['jax.P', 'jax.sharding.Mesh.shape', 'jax.Array.sharding', 'jax.Array.sharding', None, None]
        """
        match = NAME.fullmatch(text.strip())
        if not match:
            return None
        dot, name, _ = match.groups()
        first, _, rest = name.partition(".")
        known = {**self.short, **ROOTS}
        if not dot and first in known:
            full = known[first] + ("." + rest if rest else "")
            return full if full in self.entries else None
        last = name.rpartition(".")[2]
        return self.attributes.get(last) if dot or rest else None

    def code(self, chain: list[str], aliases: dict[str, str], *, called: bool) -> list[tuple[int, int, str]]:
        """The entries in a chain of names in code, each as the first and the last of its parts and the entry.

        ``aliases`` are the names that the page has imported; ``called`` tells that a parenthesis follows.
        """
        found = []
        start = 0
        if chain[0] in aliases:
            for stop in range(len(chain), 0, -1):
                full = ".".join([aliases[chain[0]], *chain[1:stop]])
                if full in self.entries:
                    found.append((0, stop, full))
                    start = stop
                    break
            else:
                return []  # a function of JAX without an entry: its attributes are not what they look like
        for place in range(max(start, 1), len(chain)):
            last = place == len(chain) - 1
            if chain[place] in self.attributes:
                found.append((place, place + 1, self.attributes[chain[place]]))
            elif chain[place] == "devices" and last and called and "jax.Array.devices" in self.entries:
                found.append((place, place + 1, "jax.Array.devices"))
        return found


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
