"""The formulas beside what compilers gave: where they are right, and where they miss."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from shardbook_sphinx.compilers.store import REMEDY
from shardbook_sphinx.exceptions import HandbookError
from shardbook_sphinx.languages import mark
from shardbook_sphinx.planner.plans import PLATFORM, PlanOnChip, drawn, first, load, planned
from shardbook_sphinx.planner.record import read

if TYPE_CHECKING:
    from pathlib import Path

# How far the formulas may be off: arguments not at all.
TEMPORARIES, RECEIVED = 0.30, 0.15
USABLE = 15.75 * 2**30
"""Bytes of a v5e above which its compiler refuses a program."""


class Judged(NamedTuple):
    """A plan: bytes that the compiler gave, what the formulas say of them as a ratio, and what they miss."""

    name: str
    refused: bool
    needed: int
    arguments: int
    temporaries: int
    temporaries_ratio: float
    received: int
    received_ratio: float
    missed: tuple[str, ...]


def judged(root: Path) -> dict[str, list[Judged]]:
    """All recorded plans, those that the formulas were made with and those that were drawn when they stood."""
    recorded = read(root)
    groups = {"first": first(), "drawn": drawn(root)}
    if missing := [trial.name for trials in groups.values() for trial in trials if trial.name not in recorded]:
        raise HandbookError(f"{missing[0]} is not recorded, nor are {len(missing) - 1} others: {REMEDY}")
    return {group: [judge(root, trial, recorded[trial.name]) for trial in trials] for group, trials in groups.items()}


def judge(root: Path, trial: PlanOnChip, given: dict[str, Any]) -> Judged:
    """Set the formulas beside what a compiler gave."""
    formulas, plan, platform = load(root, "formulas"), planned(root, trial), PLATFORM[trial.chip]
    arguments, temporaries = formulas.arguments(plan, platform), formulas.temporaries(plan, platform)
    needed = arguments + temporaries
    if "refused" in given:
        missed = () if needed > USABLE else (mark("that it is refused"),)
        return Judged(trial.name, True, needed, 0, 0, 0, 0, 0, missed)
    received = sum(given["received"].values())
    of_temporaries = temporaries / given["temporaries"]
    of_received = sum(formulas.received(plan).values()) / received
    missed = (
        *((mark("arguments"),) if arguments != given["arguments"] else ()),
        *((mark("temporaries"),) if abs(of_temporaries - 1) > TEMPORARIES else ()),
        *((mark("bytes received"),) if abs(of_received - 1) > RECEIVED else ()),
        *((mark("that it compiles"),) if platform == "tpu" and needed > USABLE else ()),
    )
    amounts = (given["arguments"], given["temporaries"], of_temporaries, received, of_received)
    return Judged(trial.name, False, needed, *amounts, missed)
