"""Run cells without a compiler: its devices are the CPU's, and what it gave is read from records."""

from __future__ import annotations

import os
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import jax
import shardbook._chips
import shardbook._compile
from jax._src.lib import xla_client

from shardbook_sphinx.compilers.seams import Seams
from shardbook_sphinx.compilers.store import REMEDY, Records, mesh_key, program_key


class Unrecorded(Exception):
    """A program for which there is no record."""


class Recorded(jax.stages.Compiled):
    """What a compiler gave, as far as it is recorded: JAX's own has an executable in it."""

    __slots__ = ("given", "lowered")

    def __init__(self, given: dict[str, Any], lowered: jax.stages.Lowered) -> None:
        self.given, self.lowered = given, lowered

    def as_text(self) -> str:
        """Return the optimized HLO."""
        return str(self.given["text"])

    def memory_analysis(self) -> Any:
        """Return what a device holds, as the compiler counts it."""
        return SimpleNamespace(**self.given["memory"])

    @property
    def input_shardings(self) -> Any:
        """Those that the arguments brought; which ones the compiler chose is not recorded."""
        return self._said("in_shardings")

    @property
    def output_shardings(self) -> Any:
        """Those that were asked for."""
        return self._said("out_shardings")

    def _said(self, name: str) -> list[Any]:
        return [each for each in self.lowered._lowering.compile_args[name] if isinstance(each, jax.sharding.Sharding)]  # type: ignore[attr-defined]

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """There is no such chip to run on."""
        raise Unrecorded("this was compiled for a chip that nobody needs to have: it cannot be run")


def install(path: str) -> None:
    """Have this process take what compilers give from a file of records."""
    records = Records.read(Path(path))

    def devices_of(chip: shardbook._chips.Chip, sizes: tuple[int, ...], slices: int, _real: Any) -> list[Any]:
        key = mesh_key(chip.name, sizes, slices)
        found = recorded(records.devices, key, f"the devices {key!r}")
        if isinstance(found, str):
            raise ValueError(found)
        made = client(len(found))
        places.update(dict(zip(made, (SimpleNamespace(id=each[0], slice_index=each[1]) for each in found), strict=True)))
        return made

    def compile_of(lowered: jax.stages.Lowered, options: dict[str, Any] | None, key: str, _real: Any) -> Recorded:
        program = program_key(lowered, key, options)
        given = recorded(records.programs, program, f"this program on {key}")
        os.write(2, given.get("log", "").encode())
        if "refusal" in given:
            raise jax.errors.JaxRuntimeError(given["refusal"])
        return Recorded(given, lowered)

    places: dict[Any, SimpleNamespace] = {}
    seams = Seams(devices_of, compile_of)
    real_lower, real_kind, real_devices = jax.stages.Traced.lower, shardbook._chips._kind, shardbook._compile._devices

    def lower(traced: jax.stages.Traced, **options: Any) -> jax.stages.Lowered:
        lowered = real_lower(traced, **options)
        key = seams.of(lowered)
        return real_lower(traced, lowering_platforms=(seams.chips[key].platform,)) if key else lowered

    def kind(device: Any) -> str:
        key = seams.known.get(device)
        return seams.chips[key].kind if key else real_kind(device)

    jax.stages.Traced.lower = lower  # type: ignore[method-assign,assignment]
    shardbook._chips._kind = kind
    shardbook._compile._devices = lambda tree: [places.get(device, device) for device in real_devices(tree)]


def client(count: int) -> list[Any]:
    """CPU devices of a client of their own: the page's are others, and so are those of another topology."""
    made = xla_client.make_cpu_client(num_devices=count)
    clients.append(made)
    return list(made.devices())


clients: list[Any] = []  # a device does not keep its client alive


def recorded(records: dict[str, Any], key: str, what: str) -> Any:
    """A record, or what to do if there is none."""
    if key not in records:
        raise Unrecorded(f"what the compiler makes of {what} is not recorded: {REMEDY}")
    return records[key]
