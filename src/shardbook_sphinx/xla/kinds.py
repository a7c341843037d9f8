"""Kinds of products: those for which compilers take the same operations of the same matrices.

A product is compiled for every chip, dtype and size only if no other of its kind is. Which are of a kind is told by two
compilers that were given all: that for H100, and that for TPU v5e.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from shardbook_sphinx.xla.cases import PRODUCT_MESHES, Case, products
from shardbook_sphinx.xla.trials import ALL, Trial, all_products, by_size, moved

if TYPE_CHECKING:
    from collections.abc import Mapping

Recorded = dict[str, dict[str, Any]]


def kinds(recorded: Recorded) -> dict[Case, list[Case]]:
    """The products of each kind, by the first of them, given what is recorded for each chip by a trial's name."""
    first: dict[Any, Case] = {}
    found: dict[Case, list[Case]] = {}
    trials: dict[str, dict[Case, Trial]] = {chip: {trial.case: trial for trial in all_products(chip)} for chip in ALL}
    for case in products(PRODUCT_MESHES[0]):
        told = tuple(operations(recorded[chip][trials[chip][case].name]) for chip in ALL)
        found.setdefault(first.setdefault(told, case), []).append(case)
    return found


def operations(found: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    """The operations of a program and the matrices they are of, in no order; those of a ring count once."""
    return tuple(sorted({(step["kind"], step["of"]) for step in found["steps"]}))


def wanted(chip: str, recorded: Recorded) -> list[Trial]:
    """What shall be recorded for a chip, each once, given what is recorded of all products."""
    changes = moved(chip) if chip in ALL else []
    found = [*changes, *all_products(chip), *by_size(chip, kinds(recorded))]
    return list({trial.name: trial for trial in found}.values())
