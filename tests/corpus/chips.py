"""Meshes of chips that this machine has not: their makers' compilers need none of them."""

import os

import jax
import numpy as np
from jax.experimental import topologies

# Keep libtpu from asking a cloud for its metadata, and let several processes load it.
os.environ.update(
    TPU_SKIP_MDS_QUERY="1",
    ALLOW_MULTIPLE_LIBTPU_LOAD="1",
    TPU_ACCELERATOR_TYPE="v5litepod-8",
    TPU_WORKER_HOSTNAMES="localhost",
    TPU_WORKER_ID="0",
)

# An xla.gpu.GpuTargetConfigProto: what NVIDIA publishes of the H100 SXM (132 multiprocessors, 80 GB, 3.35 TB/s, 50 MB of
# L2, 228 KB of shared memory in each multiprocessor of which a block may have 227).
H100 = """
platform_name: "CUDA"
device_description_str: "NVIDIA H100 80GB HBM3"
dnn_version_info { major: 9 minor: 8 }
runtime_version { major: 12 minor: 9 }
gpu_device_info {
  cuda_compute_capability { major: 9 }
  core_count: 132
  fpus_per_core: 128
  clock_rate_ghz: 1.98
  device_memory_size: 84942979072
  memory_bandwidth: 3350000000000
  l2_cache_size: 52428800
  threads_per_warp: 32
  threads_per_block_limit: 1024
  threads_per_core_limit: 2048
  shared_memory_per_block: 49152
  shared_memory_per_block_optin: 232448
  shared_memory_per_core: 233472
  registers_per_block_limit: 65536
  registers_per_core_limit: 65536
  block_dim_limit_x: 2147483647
  block_dim_limit_y: 65535
  block_dim_limit_z: 65535
}
"""


def devices(compiler, slices=1, order=()):
    """Devices of the CPU, of a host with 8 H100, or TPU v5e, in the order for a mesh whose first axis goes between slices."""
    if compiler == "cpu":
        return np.array(jax.devices()[:8])
    if compiler == "h100":
        chips = topologies.get_topology_desc(
            platform="cuda", topology_name="h100", topology="1x1x8", target_config=H100
        )
        return np.array(chips.devices)
    if slices == 1:
        return np.array(topologies.get_topology_desc(platform="tpu", topology_name="v5e:2x4").devices)
    chips = topologies.get_topology_desc(platform="tpu", topology_name="v5e:2x2", num_slices=slices)
    found = np.array(sorted(chips.devices, key=lambda device: (device.slice_index, device.id))).reshape(slices, -1)
    return found[:, list(order)] if order else found


def mesh(compiler, axes, explicit=False, slices=1, order=()):
    """A mesh of eight of them."""
    kind = jax.sharding.AxisType.Explicit if explicit else jax.sharding.AxisType.Auto
    shape, names, types = tuple(axes.values()), tuple(axes), (kind,) * len(axes)
    found = devices(compiler, slices, order)
    if slices > 1:
        return jax.sharding.Mesh(found.reshape(shape), names, axis_types=types)
    return jax.make_mesh(shape, names, axis_types=types, devices=found.flatten())
