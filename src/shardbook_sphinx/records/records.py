"""What the records of JAX releases say: which names there were when, and what a name's signature was."""

from __future__ import annotations

import json
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache, cached_property
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from shardbook_sphinx.records.releases import order

if TYPE_CHECKING:
    from sphinx.environment import BuildEnvironment

# The releases that pages can run on: today's, and that of the kernel jax-0.5.3.
LEGACY = "0.5.3"
# The signature of what does not tell it.
UNKNOWN = "(...)"


class Release(NamedTuple):
    """What was recorded of one release by recorder.py."""

    name: str
    objects: dict[str, dict[str, str]]
    behaviours: dict[str, str]


class Change(NamedTuple):
    """A signature that became another."""

    release: str
    before: str
    after: str


@dataclass(frozen=True)
class Fate:
    """All that the records say of one name."""

    name: str
    kind: str
    signature: str
    """The newest: of a name that is gone, its last."""
    since: str
    """The first recorded release that has it."""
    deprecated: str | None
    """The first release that warns of it."""
    removed: str | None
    """The first release without it."""
    changes: tuple[Change, ...]


@dataclass(frozen=True)
class Records:
    """The records of all releases, oldest first."""

    releases: tuple[Release, ...]

    @property
    def oldest(self) -> str:
        return self.releases[0].name

    @property
    def newest(self) -> Release:
        return self.releases[-1]

    def of(self, release: str) -> Release:
        """The record of one release."""
        return next(each for each in self.releases if each.name == release)

    @cached_property
    def names(self) -> list[str]:
        """Every name that any release has."""
        return sorted({name for release in self.releases for name in release.objects})

    def fate(self, name: str) -> Fate:
        """What became of a name; KeyError with the nearest name if no release has it."""
        having = [release for release in self.releases if name in release.objects]
        if not having:
            near = get_close_matches(name, self.names, 1)
            raise KeyError(f"no recorded release has {name}" + (f"; the nearest name is {near[0]}" if near else ""))
        last = having[-1].objects[name]
        later = self.releases[self.releases.index(having[-1]) + 1 :]
        warning = (release.name for release in having if "deprecated" in release.objects[name])
        told = ((release.name, release.objects[name].get("signature", "")) for release in having)
        signatures = [(release, signature) for release, signature in told if signature != UNKNOWN]
        changes = (
            Change(release, before, after) for (_, before), (release, after) in pairwise(signatures) if before != after
        )
        return Fate(
            name,
            last["kind"],
            last.get("signature", ""),
            having[0].name,
            next(warning, None),
            later[0].name if later else None,
            tuple(changes),
        )

    def runnable(self, name: str) -> bool:
        """Whether today's JAX or the legacy kernel has a name, so that its example can run."""
        return name in self.newest.objects or name in self.of(LEGACY).objects

    @cached_property
    def required(self) -> list[str]:
        """The names that need an entry.

        These are all that today's JAX has, all that the legacy kernel had, and every name of a module that any
        release had. Members of what no kernel runs are left out.
        """
        return [name for name in self.names if self.runnable(name) or not self.is_member(name)]

    def is_member(self, name: str) -> bool:
        """Whether a name stands for a member of a class."""
        return name.rpartition(".")[0] in self.names or name.startswith("jax.Array.")


@cache
def read_records(folder: Path) -> Records:
    """The records in a folder, oldest first."""
    paths = sorted(folder.glob("0.*.json"), key=lambda path: order(path.stem))
    loaded = (json.loads(path.read_text(encoding="utf-8")) for path in paths)
    return Records(tuple(Release(each["jax"], each["objects"], each["behaviours"]) for each in loaded))


def site_records(env: BuildEnvironment) -> Records:
    """The records beside the pages."""
    return read_records(Path(env.srcdir, "_data", "api"))
