"""Public names say where they are imported from: ``shardbook``, and not the module that happens to hold them."""

from collections.abc import Callable
from typing import Any, TypeVar

Public = TypeVar("Public", bound=Callable[..., Any])


def public(thing: Public) -> Public:
    """Give a class or function of the package's interface the name ``shardbook.NAME``.

    ``help``, ``repr`` and pickles name it so: a pickle can be read after its module was renamed. The modules with
    public classes do without ``from __future__ import annotations``, since ``typing.get_type_hints`` would look such
    annotations up in ``shardbook``.

    >>> import shardbook
    >>> shardbook.Piece
    <class 'shardbook.Piece'>
    """
    thing.__module__ = "shardbook"
    if "__firstlineno__" in vars(thing):
        # Python 3.13 would show the lines of shardbook/__init__.py as the source of a class: rather none than these.
        del thing.__firstlineno__  # type: ignore[attr-defined]
    return thing
