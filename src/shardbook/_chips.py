"""Chips that this machine has not: their published figures, and meshes of them to compile for."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from types import MappingProxyType
from typing import Any

import jax
import numpy as np
from jax.experimental import mesh_utils, topologies

from shardbook._public import public

CLOUD_TPU = "Cloud TPU documentation, system architecture of TPU"
PREALLOCATED = 0.75
"""The share of a GPU's memory that JAX takes when it starts, unless XLA_PYTHON_CLIENT_MEM_FRACTION says another."""


@public
@dataclass(frozen=True)
class Chip:
    """What a chip's maker publishes of it, for one JAX device.

    One device is one chip, but for TPU7x, where it is half a chip.

    Attributes
    ----------
    name
        What ``chip`` and ``chip_mesh`` call it, such as "v5e" or "H100".
    kind
        The ``device_kind`` of its JAX devices.
    platform
        "tpu" or "cuda".
    memory
        Bytes of device memory.
    usable
        Bytes of it that a program may use. For a TPU those that libtpu 0.0.50.1 names when it refuses a program; for a
        GPU the three quarters that JAX takes when it starts, which the compiler does not check.
    bandwidth
        Bytes a second between the device and its memory.
    link
        Bytes a second that the device can send to others, all its links together, in one direction: to chips of its
        slice (ICI), or of its host (NVLink).
    flops
        Operations a second in bfloat16 with dense matrices; a multiplication and an addition are two.
    source
        Where these figures are published.
    """

    name: str
    kind: str
    platform: str
    memory: int
    usable: int
    bandwidth: float
    link: float
    flops: float
    source: str


def _tpu(name: str, kind: str, gib: tuple[float, float], speeds: tuple[float, float, float]) -> Chip:
    memory, usable = (int(size * 2**30) for size in gib)
    return Chip(name, kind, "tpu", memory, usable, *speeds, f"{CLOUD_TPU} {name}")


def _gpu(name: str, kind: str, memory: int, speeds: tuple[float, float, float]) -> Chip:
    return Chip(name, kind, "cuda", memory, int(memory * PREALLOCATED), *speeds, f"NVIDIA {name} data sheet, SXM")


# Cloud TPU gives ICI as the sum of both directions, NVIDIA NVLink too: here is one. A GPU's memory is what its driver
# reports, a little less or more than the name says.
CHIPS: Mapping[str, Chip] = MappingProxyType(
    {
        chip.name: chip
        for chip in (
            _tpu("v4", "TPU v4", (32, 30.75), (1.2e12, 300e9, 275e12)),
            _tpu("v5e", "TPU v5 lite", (16, 15.75), (819e9, 200e9, 197e12)),
            _tpu("v5p", "TPU v5", (95, 95.73), (2765e9, 600e9, 459e12)),
            _tpu("v6e", "TPU v6 lite", (32, 31.24), (1638e9, 400e9, 918e12)),
            _tpu("tpu7x", "TPU7x", (96, 94.74), (3690e9, 300e9, 1153.5e12)),
            _gpu("A100", "NVIDIA A100-SXM4-80GB", 85_100_068_864, (2.039e12, 300e9, 312e12)),
            _gpu("H100", "NVIDIA H100 80GB HBM3", 84_942_979_072, (3.35e12, 450e9, 989e12)),
            _gpu("H200", "NVIDIA H200 141GB HBM3e", 151_397_597_184, (4.8e12, 450e9, 989e12)),
            _gpu("B200", "NVIDIA B200", 191_514_411_008, (7.7e12, 900e9, 2250e12)),
        )
    }
)
# By chip: how many dimensions its torus has, and how many chips its largest slice.
TORUS = {"v4": (3, 4096), "v5e": (2, 256), "v5p": (3, 8960), "v6e": (2, 256), "tpu7x": (3, 9216)}
# libtpu gives each core of a v4 as a device unless told that two are one, as they are on the real machine.
CONFIGURATION = {"v4": {"chip_config_name": "megacore"}}
# Keeps libtpu from asking a cloud for its metadata, and lets several processes load it.
QUIET = {
    "TPU_SKIP_MDS_QUERY": "1",
    "ALLOW_MULTIPLE_LIBTPU_LOAD": "1",
    "TPU_ACCELERATOR_TYPE": "v5litepod-8",
    "TPU_WORKER_HOSTNAMES": "localhost",
    "TPU_WORKER_ID": "0",
}
# By GPU: what XLA must know beside the figures above: compute capability, multiprocessors, units in each, GHz, bytes of
# L2, of shared memory in a multiprocessor, and of it for a block.
GPU_UNITS = {
    "A100": (8, 108, 64, 1.41, 41_943_040, 167_936, 166_912),
    "H100": (9, 132, 128, 1.98, 52_428_800, 233_472, 232_448),
    "H200": (9, 132, 128, 1.98, 52_428_800, 233_472, 232_448),
    "B200": (10, 148, 128, 1.965, 132_644_864, 233_472, 232_448),
}
# An xla.gpu.GpuTargetConfigProto.
GPU_TARGET = """
platform_name: "CUDA"
device_description_str: "{chip.kind}"
dnn_version_info {{ major: 9 minor: 8 }}
runtime_version {{ major: 12 minor: 9 }}
gpu_device_info {{
  cuda_compute_capability {{ major: {units[0]} }}
  core_count: {units[1]}
  fpus_per_core: {units[2]}
  clock_rate_ghz: {units[3]}
  device_memory_size: {chip.memory}
  memory_bandwidth: {chip.bandwidth:.0f}
  l2_cache_size: {units[4]}
  threads_per_warp: 32
  threads_per_block_limit: 1024
  threads_per_core_limit: 2048
  shared_memory_per_block: 49152
  shared_memory_per_block_optin: {units[6]}
  shared_memory_per_core: {units[5]}
  registers_per_block_limit: 65536
  registers_per_core_limit: 65536
  block_dim_limit_x: 2147483647
  block_dim_limit_y: 65535
  block_dim_limit_z: 65535
}}
"""


@public
def chip(which: str | Any) -> Chip:
    """Return a chip's published figures.

    >>> v5e = chip("v5e")
    >>> v5e.memory / 2**30, round(v5e.flops / v5e.bandwidth)
    (16.0, 241)

    Parameters
    ----------
    which
        The chip's name: v4, v5e, v5p, v6e, tpu7x, A100, H100, H200 or B200; or a JAX device.

    Returns
    -------
    Chip
        Memory, bandwidths and operations a second.

    Raises
    ------
    ValueError
        There are no figures for it.
    """
    found = CHIPS.get(which) if isinstance(which, str) else chip_of(which)
    if found is None:
        asked = repr(which) if isinstance(which, str) else f"a device of kind {which.device_kind!r}"
        raise ValueError(f"no figures for {asked}; there are some for {', '.join(CHIPS)}")
    return found


def chip_of(device: Any) -> Chip | None:
    """The chip of a JAX device, if its figures are known."""
    return next((known for known in CHIPS.values() if known.kind == kind_of(device)), None)


def platform_of(device: Any) -> str:
    """Return "cpu", "gpu" or "tpu"."""
    known = chip_of(device)
    platform = known.platform if known else str(device.platform)
    return {"cuda": "gpu"}.get(platform, platform)


def kind_of(device: Any) -> str:
    """What JAX calls a device's kind."""
    return str(device.device_kind)


@public
def chip_mesh(
    name: str,
    topology: str,
    axis_sizes: Sequence[int],
    axis_names: Sequence[str],
    *,
    slices: int = 1,
    axis_types: tuple[Any, ...] | None = None,
) -> jax.sharding.Mesh:
    """Make a mesh of chips that this machine has not, to compile for them.

    Nothing can be run on it. The makers' compilers come as wheels, for Linux on x86-64: ``jax[tpu]``; or
    ``jax-cuda12-plugin``, ``jax-cuda12-pjrt`` and ``nvidia-cuda-nvcc-cu12``, of the release of JAX. No driver is
    needed; set ``JAX_PLATFORMS=cpu``.

    Parameters
    ----------
    name
        The chip's name; see ``chip``.
    topology
        For TPUs the chips of a slice, "4x4" or "4x4x4" (v4, v5p and tpu7x have three dimensions); for GPUs the hosts
        and the GPUs of each, "2x8". A chip of TPU7x is two devices.
    axis_sizes, axis_names, axis_types
        As for ``jax.make_mesh``: the devices are ordered so that neighbours in the mesh are neighbours in the slice.
    slices
        How many slices of TPUs; the first axis goes over them, its size is a multiple.

    Returns
    -------
    jax.sharding.Mesh
        Its devices lower and compile, and hold no array.

    Raises
    ------
    ValueError
        There is no such chip, or no such topology, or the axes do not fit it.
    ModuleNotFoundError
        The compiler is not installed; the message names its wheel.
    """
    asked = chip(name)
    sizes, names = tuple(axis_sizes), tuple(axis_names)
    dimensions = _dimensions(asked, topology, slices)
    devices = devices_of(asked, dimensions, slices)
    if np.prod(sizes, dtype=int) != len(devices) or sizes[0] % slices:
        total = f"{slices} × {topology}" if slices > 1 else topology
        multiple = f", the first a multiple of {slices}" if slices > 1 else ""
        raise ValueError(f"{name} {total} has {len(devices)} devices: axes of sizes {sizes} must be as many{multiple}")
    try:
        arranged = arrangement(devices, sizes, slices)
    except NotImplementedError as error:
        raise ValueError(f"JAX cannot lay axes of sizes {sizes} over {name} {topology}: {error}") from error
    like_jax = jax.make_mesh((1,) * len(sizes), names, devices=devices[:1]).axis_types
    return jax.sharding.Mesh(arranged, names, axis_types=axis_types or like_jax)


def _dimensions(asked: Chip, topology: str, slices: int) -> tuple[int, ...]:
    """The sizes that a topology names, if the chip can be so connected."""
    count, most = TORUS.get(asked.name, (2, None))
    words = topology.split("x")
    if len(words) != count or not all(word.isdecimal() and int(word) for word in words):
        example = "x".join("4" * count) if asked.platform == "tpu" else "2x8, two hosts of eight"
        raise ValueError(f"{topology!r} is no topology of {asked.name}: expected {count} sizes, such as {example}")
    sizes = tuple(map(int, words))
    if most and np.prod(sizes) > most:
        raise ValueError(f"{topology} is {np.prod(sizes)} chips, a slice of {asked.name} at most {most}: use slices=")
    if slices < 1 or (slices > 1 and asked.platform != "tpu"):
        raise ValueError(f"slices={slices}: there is at least one, and only TPUs have several")
    return sizes


def devices_of(asked: Chip, sizes: tuple[int, ...], slices: int) -> list[Any]:
    """The devices, host by host."""
    if asked.platform == "cuda":
        _need(
            asked, ("jax_cuda12_plugin", "jax_cuda13_plugin"), "jax-cuda12-plugin jax-cuda12-pjrt nvidia-cuda-nvcc-cu12"
        )
        target = GPU_TARGET.format(chip=asked, units=GPU_UNITS[asked.name])
        hosts, each = sizes
        found = topologies.get_topology_desc(
            platform="cuda", topology_name=asked.name, topology=f"1x{hosts}x{each}", target_config=target
        )
        return list(found.devices)
    _need(asked, ("libtpu",), "'jax[tpu]'")
    # A machine that has TPUs knows better.
    if not any(Path("/dev").glob("accel[0-9]*")) and not any(Path("/dev/vfio").glob("[0-9]*")):
        for variable, value in QUIET.items():
            os.environ.setdefault(variable, value)
    options: dict[str, Any] = {**CONFIGURATION.get(asked.name, {}), **({"num_slices": slices} if slices > 1 else {})}
    topology = "x".join(map(str, sizes))
    try:
        found = topologies.get_topology_desc(platform="tpu", topology_name=f"{asked.name}:{topology}", **options)
    except RuntimeError as error:
        raise ValueError(f"libtpu knows no {asked.name} of {topology}: {error}") from error
    return list(found.devices)


def arrangement(devices: list[Any], sizes: tuple[int, ...], slices: int) -> Any:
    """The devices as an array: along the torus as ``jax.make_mesh`` goes, and the first axis over slices."""
    if slices == 1:
        return jax.make_mesh(sizes, tuple(map(str, range(len(sizes)))), devices=devices).devices
    within, over = (sizes[0] // slices, *sizes[1:]), (slices, *(1 for _ in sizes[1:]))
    return mesh_utils.create_hybrid_device_mesh(within, over, devices)


def _need(asked: Chip, modules: tuple[str, ...], wheels: str) -> None:
    if not any(map(find_spec, modules)):
        raise ModuleNotFoundError(
            f"the compiler for {asked.name} is not installed: pip install {wheels} (for jax {jax.__version__}, on "
            "Linux with x86-64)",
            name=modules[0],
        )
