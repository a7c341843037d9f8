"""Plans for which compilers were asked.

The first were looked at while the formulas were made. The others were drawn by chance when the formulas stood, and have
changed nothing since. The compilers' environment imports this too: it has no Sphinx.
"""

from __future__ import annotations

import itertools
import random
from functools import cache
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

FOLDER = Path("docs", "planner")
# By chip: its platform, and the topologies that the plans are compiled for, by the number of devices.
PLATFORM = {"H100": "cuda", "v5e": "tpu"}
TOPOLOGIES = {
    "H100": {8: "1x8", 16: "2x8", 32: "4x8", 64: "8x8"},
    "v5e": {8: "2x4", 16: "4x4", 32: "4x8", 64: "8x8"},
}


class PlanOnChip(NamedTuple):
    """A plan on a chip; its axes are those of docs/planner/step.py."""

    chip: str
    model: str
    B: int
    S: int
    data: int
    fsdp: int
    sequence: int
    tensor: int
    half: bool
    again: bool

    @property
    def devices(self) -> int:
        """How many devices its mesh has."""
        return self.data * self.fsdp * self.sequence * self.tensor

    @property
    def name(self) -> str:
        """What it is recorded as.

        >>> PlanOnChip("v5e", "Llama 3.1 8B", 16, 4096, 1, 16, 4, 1, True, True).name
        'v5e 8x8, Llama 3.1 8B, 16 × 4096, fsdp 16, sequence 4'
        """
        axes = {"data": self.data, "fsdp": self.fsdp, "sequence": self.sequence, "tensor": self.tensor}
        parts = [f"{self.chip} {TOPOLOGIES[self.chip][self.devices]}", self.model, f"{self.B} × {self.S}"]
        parts += [f"{name} {length}" for name, length in axes.items() if length > 1]
        return ", ".join(parts + ["float32"] * (not self.half) + ["all kept"] * (not self.again))


def first() -> list[PlanOnChip]:
    """The plans that the formulas were made with: each axis alone, in pairs, in threes, from small to large."""
    return [
        PlanOnChip(chip, model, B, S, *axes, half, again)
        for chip in PLATFORM
        for model, B, S, axes, half, again in (
            *(("Llama 3.2 1B", 8, 2048, axes, True, True) for axes in AXES_OF_EIGHT),
            ("Llama 3.2 1B", 8, 2048, (1, 8, 1, 1), True, False),
            ("Llama 3.2 1B", 8, 2048, (1, 8, 1, 1), False, True),
            ("Llama 3.2 1B", 8, 2048, (1, 2, 1, 4), False, True),
            ("Llama 3.2 1B", 16, 1024, (1, 2, 1, 4), True, False),
            *(
                ("GPT-3 2.7B, padded", 32, 2048, axes, True, True)
                for axes in ((1, 16, 1, 1), (1, 8, 1, 2), (2, 2, 1, 4))
            ),
            *(("Mistral 7B", 16, 2048, axes, True, True) for axes in ((1, 16, 1, 1), (1, 4, 1, 4), (1, 4, 2, 2))),
            ("Llama 3.1 8B", 64, 4096, (1, 64, 1, 1), True, True),
            ("Llama 3.1 8B", 64, 4096, (1, 16, 1, 4), True, True),
            ("Llama 3.1 8B", 64, 2048, (4, 8, 1, 2), True, True),
            ("Llama 3.1 8B", 16, 4096, (1, 16, 4, 1), True, True),
            ("Llama 2 7B", 128, 2048, (1, 64, 1, 1), True, True),
            ("Llama 2 7B", 128, 2048, (1, 32, 1, 2), True, True),
            ("Llama 3.1 70B", 64, 2048, (1, 16, 1, 4), True, True),
            ("Llama 3.1 70B", 64, 2048, (1, 4, 1, 16), True, True),
            ("Llama 3.1 70B", 32, 2048, (2, 8, 2, 2), True, True),
            ("Llama 3.1 8B", 64, 2048, (1, 64, 1, 1), False, True),
        )
    ]


AXES_OF_EIGHT = (
    (1, 8, 1, 1), (1, 1, 1, 8), (8, 1, 1, 1), (1, 1, 8, 1), (1, 4, 1, 2),
    (4, 1, 1, 2), (2, 4, 1, 1), (1, 4, 2, 1), (1, 1, 4, 2), (1, 2, 2, 2),
)  # fmt: skip
SEED, EACH = 20261123, 10
# Bytes that a plan to be drawn may need.
USABLE = {"H100": 59 * 2**30, "v5e": int(15.5 * 2**30)}


def drawn(root: Path) -> list[PlanOnChip]:
    """Plans drawn by chance, so many for each chip, of those that divide and by the formulas fit the chip."""
    formulas = load(root, "formulas")
    draw = random.Random(SEED)  # noqa: S311
    found: list[PlanOnChip] = []
    known = set(first())
    for chip, room in USABLE.items():
        while len(found) < EACH * (1 + list(USABLE).index(chip)):
            devices = draw.choice(list(TOPOLOGIES[chip]))
            data, fsdp, sequence, tensor = draw.choice(meshes(devices))
            model, tokens = draw.choice(list(formulas.MODELS)), draw.choice((1024, 2048, 4096))
            half, again = draw.random() < 0.8, draw.random() < 0.8
            batch = devices * draw.choice((1, 2))
            trial = PlanOnChip(chip, model, batch, tokens, data, fsdp, sequence, tensor, half, again)
            plan = planned(root, trial)
            if trial in known or formulas.problems(plan):
                continue
            if sum(formulas.held(plan, PLATFORM[chip]).values()) <= room:
                known.add(trial)
                found.append(trial)
    return found


def meshes(devices: int) -> list[tuple[int, int, int, int]]:
    """The lengths of four axes that make so many devices.

    >>> meshes(2)
    [(1, 1, 1, 2), (1, 1, 2, 1), (1, 2, 1, 1), (2, 1, 1, 1)]
    """
    lengths = [length for length in range(1, devices + 1) if devices % length == 0]
    return [(a, b, c, d) for a, b, c, d in itertools.product(lengths, repeat=4) if a * b * c * d == devices]


@cache
def load(root: Path, name: str) -> ModuleType:
    """A module of docs/planner, which is no package: pages load it and readers save it."""
    loader = SourceFileLoader(f"planner_{name}", str(root / FOLDER / f"{name}.py"))
    module = ModuleType(loader.name)
    loader.exec_module(module)
    return module


class Model(NamedTuple):
    """As docs/planner/step.py has it: to import that one loads JAX."""

    L: int
    D: int
    F: int
    H: int
    K: int
    k: int
    V: int
    gated: bool = True
    tied: bool = False


class Plan(NamedTuple):
    """As docs/planner/step.py has it."""

    model: Model
    B: int
    S: int
    data: int = 1
    fsdp: int = 1
    sequence: int = 1
    tensor: int = 1
    half: bool = True
    again: bool = True


def planned(root: Path, trial: PlanOnChip) -> Plan:
    """The plan of a trial."""
    return Plan(Model(*load(root, "formulas").MODELS[trial.model]), *trial[2:])
