"""Run cells without a compiler: its devices are the CPU's, and what it gave is read from records."""

from __future__ import annotations

import os
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import jax
import numpy as np
from jax._src.lib import xla_client  # type: ignore[attr-defined]
from jax.sharding import NamedSharding, PartitionSpec

from shardbook import _chips
from shardbook_sphinx.compilers.seams import Seams
from shardbook_sphinx.compilers.store import REMEDY, CompilerRecords, mesh_key, program_key

# What is recorded of a device.
PLACE = ("id", "slice_index", "process_index")


class UnrecordedError(Exception):
    """A program for which there is no record."""


class Recorded(jax.stages.Compiled):
    """What a compiler gave, as far as it is recorded: JAX's own has an executable in it.

    It has no ``lowered``: by that the helper knows what Flax and Equinox wrap, and would compile it without options.
    """

    __slots__ = ("given", "made_of")

    def __init__(self, given: dict[str, Any], lowered: jax.stages.Lowered) -> None:
        self.given, self.made_of = given, lowered
        self.args_info, self.out_tree = lowered.args_info, lowered.out_tree

    def as_text(self) -> str:
        """Return the optimized HLO."""
        return str(self.given["text"])

    def memory_analysis(self) -> Any:
        """Return what a device holds, as the compiler counts it."""
        return SimpleNamespace(**self.given["memory"])

    @property
    def input_shardings(self) -> Any:
        """Those of the arguments; None for one that is not used."""
        return jax.tree.unflatten(self.made_of.in_tree, map(self._sharding, self.given["inputs"]))

    @property
    def input_formats(self) -> Any:
        """How the arguments lie in the memory of a device."""
        return jax.tree.unflatten(self.made_of.in_tree, map(stored, self.given["inputs"]))

    @property
    def output_shardings(self) -> Any:
        """Those of the results."""
        return jax.tree.unflatten(self.out_tree, map(self._sharding, self.given["outputs"]))

    def _sharding(self, written: dict[str, Any] | None) -> Any:
        if written is None:
            return None
        mesh = next(each.mesh for each in named(self.made_of))
        entries = (tuple(each) if isinstance(each, list) else each for each in written["spec"])
        spec = PartitionSpec(*entries)  # type: ignore[no-untyped-call]
        return NamedSharding(mesh, spec, memory_kind=written.get("kind"))

    def __call__(self, *_args: Any, **_kwargs: Any) -> Any:
        """There is no such chip to run on."""
        raise UnrecordedError("this was compiled for a chip that nobody needs to have: it cannot be run")


def named(lowered: jax.stages.Lowered) -> list[NamedSharding]:
    """The shardings on a mesh that arguments and results have before they are compiled."""
    arguments: dict[str, Any] = lowered._lowering.compile_args  # noqa: SLF001, nothing public tells
    given: list[Any] = [*arguments["in_shardings"], *arguments["out_shardings"]]
    return [each for each in given if isinstance(each, NamedSharding)]


def stored(written: dict[str, Any] | None) -> Any:
    """Tiles and order of dimensions of an argument, as ``jax.experimental.layout.Format`` names them."""
    layout = SimpleNamespace(tiling=written["tiling"], major_to_minor=written["order"]) if written else None
    return SimpleNamespace(layout=layout)


def install(path: str) -> None:
    """Have this process take what compilers give from a file of records."""
    records = CompilerRecords.read(Path(path))

    def devices_of(chip: _chips.Chip, sizes: tuple[int, ...], slices: int, _real: Any) -> list[Any]:
        key = mesh_key(chip.name, sizes, slices)
        found = recorded(records.devices, key, f"the devices {key!r}")
        if isinstance(found, str):
            raise ValueError(found)  # noqa: TRY004, as it did when it was recorded
        made = client(len(found))
        places.update(zip(made, (dict(zip(PLACE, each, strict=True)) for each in found), strict=True))
        return made

    def order_of(devices: list[Any], sizes: tuple[int, ...], name: str, _real: Any) -> Any:
        ids = recorded(records.devices, name, f"the mesh {name}")
        if isinstance(ids, str):
            raise NotImplementedError(ids)
        by_id = {device.id: device for device in devices}
        return np.array([by_id[each] for each in ids]).reshape(sizes)

    def compile_of(lowered: jax.stages.Lowered, options: dict[str, Any] | None, key: str, _real: Any) -> Recorded:
        program = program_key(lowered, key, options)
        given = recorded(records.programs, program, f"this program on {key}")
        os.write(2, given.get("log", "").encode())
        if "refusal" in given:
            raise jax.errors.JaxRuntimeError(given["refusal"])
        return Recorded(given, lowered)

    places: dict[Any, dict[str, int]] = {}
    stand_for(places)
    seams = Seams(devices_of, order_of, compile_of)
    real_lower, real_kind = jax.stages.Traced.lower, _chips.kind_of

    def lower(traced: jax.stages.Traced, **options: Any) -> jax.stages.Lowered:
        lowered: jax.stages.Lowered = real_lower(traced, **options)
        key = seams.of(lowered)
        if key:
            lowered = real_lower(traced, lowering_platforms=(seams.chips[key].platform,))
        return lowered

    def kind(device: Any) -> str:
        key = seams.known.get(device)
        return seams.chips[key].kind if key else real_kind(device)

    jax.stages.Traced.lower = lower  # type: ignore[method-assign,assignment]
    _chips.kind_of = kind


def stand_for(places: dict[Any, dict[str, int]]) -> None:
    """Have CPU devices say of themselves what the chips say in whose places they stand."""

    def told(name: str) -> property:
        real = getattr(jax.Device, name, None)

        def get(device: Any) -> Any:
            if device in places:
                return places[device][name]
            if real is None:
                raise AttributeError(name)
            return real.__get__(device)

        return property(get)

    for name in PLACE:
        setattr(jax.Device, name, told(name))


def client(count: int) -> list[Any]:
    """CPU devices of a client of their own: the page's are others, and so are those of another topology."""
    made: Any = xla_client.make_cpu_client(num_devices=count)
    clients.append(made)
    return list(made.devices())


clients: list[Any] = []  # a device does not keep its client alive


def recorded(records: dict[str, Any], key: str, what: str) -> Any:
    """A record, or what to do if there is none."""
    if key not in records:
        raise UnrecordedError(f"what the compiler makes of {what} is not recorded: {REMEDY}")
    return records[key]
