"""Meshes of chips that this machine has not: their makers' compilers need none of them."""

import jax
import numpy as np

from shardbook._chips import chip, devices_of


def devices(compiler, slices=1, order=()):
    """Devices of the CPU, of a host with 8 H100, or TPU v5e, in the order for a mesh whose first axis goes between slices."""
    if compiler == "cpu":
        return np.array(jax.devices()[:8])
    if compiler == "h100":
        return np.array(devices_of(chip("H100"), (1, 8), 1))
    if slices == 1:
        return np.array(devices_of(chip("v5e"), (2, 4), 1))
    chips = sorted(devices_of(chip("v5e"), (2, 2), slices), key=lambda device: (device.slice_index, device.id))
    found = np.array(chips).reshape(slices, -1)
    return found[:, list(order)] if order else found


def mesh(compiler, axes, explicit=False, slices=1, order=()):
    """A mesh of eight of them."""
    kind = jax.sharding.AxisType.Explicit if explicit else jax.sharding.AxisType.Auto
    shape, names, types = tuple(axes.values()), tuple(axes), (kind,) * len(axes)
    found = devices(compiler, slices, order)
    if slices > 1:
        return jax.sharding.Mesh(found.reshape(shape), names, axis_types=types)
    return jax.make_mesh(shape, names, axis_types=types, devices=found.flatten())
