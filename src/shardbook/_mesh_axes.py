"""Which mesh axes devices communicate along, told by their groups."""

from collections.abc import Mapping, Sequence

import numpy as np

from shardbook._hlo import Groups


def communication_axes(operation: str, groups: Groups, meshes: Sequence[Mapping[str, int]]) -> tuple[str, ...] | None:
    """Return the axes of the first mesh along which just these groups communicate; None if no mesh has such axes.

    >>> communication_axes("all-reduce", ((0, 1), (2, 3)), [{"x": 2, "y": 2}])
    ('y',)
    >>> communication_axes("all-reduce", ((0, 1, 2), (3,)), [{"x": 2, "y": 2}])
    """
    for mesh in meshes if groups else ():
        axes = varying(groups, mesh)
        if operation == "collective-permute" or _grouped_along(mesh, axes) == {frozenset(group) for group in groups}:
            return axes
    return None


def varying(groups: Groups, mesh: Mapping[str, int]) -> tuple[str, ...]:
    """The axes along which some members of a group differ from each other."""
    if not mesh:
        return ()
    found = np.zeros(len(mesh), bool)
    for group in groups:
        places = np.stack(np.unravel_index(np.array(group, int), tuple(mesh.values())))
        found |= (places != places[:, :1]).any(axis=1)
    return tuple(name for name, varies in zip(mesh, found, strict=True) if varies)


def _grouped_along(mesh: Mapping[str, int], axes: Sequence[str]) -> set[frozenset[int]]:
    """Positions in the mesh, grouped by those that differ along ``axes`` only."""
    names = list(mesh)
    order = [at for at, name in enumerate(names) if name not in axes] + [names.index(name) for name in axes]
    numbers = np.arange(np.prod(list(mesh.values()))).reshape(tuple(mesh.values())).transpose(order)
    rows = numbers.reshape(-1, int(np.prod([mesh[name] for name in axes])))
    return set(map(frozenset, rows.tolist()))
