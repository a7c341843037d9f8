"""See how JAX shards an array, and what moving it costs.

``layout`` says which device holds which part of an array, ``show`` draws it, ``moves`` says what each device must
receive to go from one layout to another, ``collectives`` which communication a compiled function contains.
"""

from shardbook.collectives import Collective, Collectives, collectives
from shardbook.figure import Figure, show
from shardbook.layout import Axis, Layout, Piece, layout
from shardbook.log import Rematerialization
from shardbook.moves import Moves, Receipt, moves

__all__ = [
    "Axis",
    "Collective",
    "Collectives",
    "Figure",
    "Layout",
    "Moves",
    "Piece",
    "Receipt",
    "Rematerialization",
    "collectives",
    "layout",
    "moves",
    "show",
]
