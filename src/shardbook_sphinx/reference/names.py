"""The names that have an entry, and which of them prose and code mean."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

NAME = re.compile(r"(\.?)([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*)(\(.*\))?", re.DOTALL)
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
