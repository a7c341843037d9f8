"""See how JAX shards an array, and what moving it costs.

``layout`` says which device holds which part of an array, ``show`` draws it, ``moves`` says what each device must
receive to go from one layout to another, ``collectives`` which communication a compiled function contains, ``compare``
how several plans for it differ, ``memory`` what a device holds while it runs; ``chip_mesh`` makes a mesh of chips that
this machine has not, to compile for.

Importing the package imports nothing else: JAX, numpy and rich are loaded by the first name that needs them.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from shardbook._chips import Chip, chip, chip_mesh
    from shardbook._collectives import Collective, Collectives, collectives
    from shardbook._compare import Comparison, compare
    from shardbook._compare_memory import MemoryComparison
    from shardbook._display import Display
    from shardbook._figure import Figure, Unsharded, show
    from shardbook._hlo import Buffer, Source
    from shardbook._layout import Axis, Layout, Piece, layout
    from shardbook._memory import Held, Leaf, Memory, memory
    from shardbook._moves import Moves, Receipt, moves
    from shardbook._totals import Total
    from shardbook._xla_warnings import Rematerialization

__version__ = "0.1.0"

__all__ = [
    "Axis",
    "Buffer",
    "Chip",
    "Collective",
    "Collectives",
    "Comparison",
    "Display",
    "Figure",
    "Held",
    "Layout",
    "Leaf",
    "Memory",
    "MemoryComparison",
    "Moves",
    "Piece",
    "Receipt",
    "Rematerialization",
    "Source",
    "Total",
    "Unsharded",
    "chip",
    "chip_mesh",
    "collectives",
    "compare",
    "layout",
    "memory",
    "moves",
    "show",
]

# Where each of them is: the imports above are for type checkers and editors, these are for Python.
_MODULES = {
    "_chips": ("Chip", "chip", "chip_mesh"),
    "_collectives": ("Collective", "Collectives", "collectives"),
    "_compare": ("Comparison", "compare"),
    "_compare_memory": ("MemoryComparison",),
    "_display": ("Display",),
    "_figure": ("Figure", "Unsharded", "show"),
    "_hlo": ("Buffer", "Source"),
    "_layout": ("Axis", "Layout", "Piece", "layout"),
    "_memory": ("Held", "Leaf", "Memory", "memory"),
    "_moves": ("Moves", "Receipt", "moves"),
    "_totals": ("Total",),
    "_xla_warnings": ("Rematerialization",),
}


if not TYPE_CHECKING:  # or a checker would take every name for one of the package's

    def __getattr__(name: str) -> object:
        for module, names in _MODULES.items():
            if name in names:
                return getattr(import_module(f"shardbook.{module}"), name)
        raise AttributeError(f"module 'shardbook' has no attribute {name!r}")


def __dir__() -> list[str]:
    return [*__all__, *(name for name in globals() if name.startswith("__"))]
