"""What differs between the records of two releases."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from shardbook_sphinx.records.records import UNKNOWN

if TYPE_CHECKING:
    from shardbook_sphinx.records.records import Records, Release


class Changed(NamedTuple):
    """Something that was one way in a release and is another in a later one."""

    name: str
    before: str
    after: str


class Difference(NamedTuple):
    """All that differs between two releases."""

    added: list[str]
    removed: list[str]
    deprecated: list[str]
    signatures: list[Changed]
    behaviours: list[Changed]

    def __bool__(self) -> bool:
        return any(self[:])


def difference(before: Release, after: Release) -> Difference:
    """What changed from one release to a later one; a class that came or went stands for its members."""
    here, there = after.objects, before.objects
    common = sorted(here.keys() & there.keys())
    return Difference(
        added=outermost(here.keys() - there.keys()),
        removed=outermost(there.keys() - here.keys()),
        deprecated=[name for name in common if "deprecated" in here[name] and "deprecated" not in there[name]],
        signatures=[
            Changed(name, there[name].get("signature", ""), here[name].get("signature", ""))
            for name in common
            if UNKNOWN not in (here[name].get("signature"), there[name].get("signature"))
            if here[name].get("signature") != there[name].get("signature")
        ],
        behaviours=[
            Changed(key, before.behaviours[key], answer)
            for key, answer in after.behaviours.items()
            if key in before.behaviours and answer != before.behaviours[key]
        ],
    )


def outermost(names: set[str]) -> list[str]:
    """The names that do not belong to another of them.

    >>> outermost({"jax.Shard", "jax.Shard.data", "jax.jit"})
    ['jax.Shard', 'jax.jit']
    """
    return sorted(name for name in names if name.rpartition(".")[0] not in names)


def by_release(records: Records) -> dict[str, Difference]:
    """The releases that changed something, oldest first, each with what it changed."""
    found = {after.name: difference(before, after) for before, after in pairwise(records.releases)}
    return {release: each for release, each in found.items() if each}
