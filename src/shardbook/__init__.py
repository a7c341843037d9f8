"""See how JAX shards an array.

``layout`` says which device holds which part of an array, ``show`` draws it.
"""

from shardbook.figure import Figure, show
from shardbook.layout import Axis, Layout, Piece, layout

__all__ = ["Axis", "Figure", "Layout", "Piece", "layout", "show"]
