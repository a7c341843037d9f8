"""Where a compiler is asked: for its devices, and to compile.

These are functions of the helper and of JAX: a page's cells are those that a reader runs, and know of no records.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import jax

from shardbook import _chips
from shardbook_sphinx.compilers.store import mesh_key

if TYPE_CHECKING:
    from collections.abc import Callable


class Seams:
    """What stands between the helper, JAX and the compilers while a page's cells run.

    ``devices_of(chip, sizes, slices, real)`` gives devices, ``order_of(devices, sizes, name, real)`` arranges them for
    a mesh, ``compile_of(lowered, options, devices, real)`` compiles for them; all else goes on as before.
    """

    def __init__(
        self, devices_of: Callable[..., list[Any]], order_of: Callable[..., Any], compile_of: Callable[..., Any]
    ) -> None:
        self.known: dict[Any, str] = {}
        self.chips: dict[str, _chips.Chip] = {}
        real_devices, real_compile = _chips.devices_of, jax.stages.Lowered.compile

        def devices(chip: _chips.Chip, sizes: tuple[int, ...], slices: int) -> list[Any]:
            key = mesh_key(chip.name, sizes, slices)
            found = devices_of(chip, sizes, slices, real_devices)
            self.known |= dict.fromkeys(found, key)
            self.chips[key] = chip
            return found

        def compile_(lowered: jax.stages.Lowered, compiler_options: dict[str, Any] | None = None, **rest: Any) -> Any:
            key = self.of(lowered)
            if key is None:
                return real_compile(lowered, compiler_options, **rest)
            return compile_of(lowered, compiler_options, key, real_compile)

        real_order = _chips.arrangement

        def order(devices: list[Any], sizes: tuple[int, ...], slices: int) -> Any:
            return order_of(
                devices, sizes, f"{self.known[devices[0]]} {sizes}", lambda: real_order(devices, sizes, slices)
            )

        _chips.devices_of = devices  # type: ignore[assignment]
        _chips.arrangement = order
        jax.stages.Lowered.compile = compile_  # type: ignore[method-assign,assignment]

    def of(self, lowered: jax.stages.Lowered) -> str | None:
        """The devices that something is lowered for, if they are those of a chip."""
        devices: Any = lowered._lowering._device_list  # type: ignore[attr-defined]  # noqa: SLF001, nothing public tells
        return self.known.get(devices[0])
