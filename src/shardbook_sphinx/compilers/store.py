"""The records of a page: what compilers gave for its programs, and on which meshes."""

from __future__ import annotations

import hashlib
import json
import lzma
import os
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

REMEDY = "renew it by python3 noxfile.py -s chips"
# The distributions whose releases decide what a compiler gives.
COMPILERS = ("jax", "libtpu", "jax-cuda12-plugin", "nvidia-cuda-nvcc-cu12")
# Where the lines of a page's cells stand in what JAX lowers; a record tells of them, so that they are part of its name.
LINE = re.compile(r'ipykernel_\w+/\w+\.py":(\d+):\d+')
# A mesh writes the order of its devices; programs that differ in nothing else share a record.
ORDER = re.compile(r", device_ids=\[[^\]]*\]")
# Where a program offloads, JAX writes at its arguments in which memory each lies. It knows none of a topology's GPUs,
# but of the CPU devices that stand for them.
DEVICE_MEMORY = re.compile(r'mhlo\.memory_kind = "device", |, mhlo\.memory_kind = "device"')


class RecordsError(Exception):
    """Records that are not what a compiler gave."""


def program_key(lowered: Any, devices: str, options: dict[str, Any] | None = None) -> str:
    """The name of a program's record: of what is compiled, for which devices, how, and from which lines.

    Parameters
    ----------
    lowered
        A ``jax.stages.Lowered``.
    devices
        What ``mesh_key`` calls its devices.
    options
        XLA's options.
    """
    from shardbook._chips import GPU_UNITS  # noqa: PLC0415, not above: it loads JAX

    said = {name: value for name, value in (options or {}).items() if name != "xla_debug_buffer_assignment_show_max"}
    lines = sorted(set(map(int, LINE.findall(lowered.as_text(debug_info=True)))))
    # An argument that is not used is in no program, and where it stands is recorded.
    passed = [str(lowered.in_tree), sorted(lowered._lowering.compile_args["kept_var_idx"])]  # noqa: SLF001
    text = DEVICE_MEMORY.sub("", lowered.as_text()) if devices.partition(" ")[0] in GPU_UNITS else lowered.as_text()
    parts = [ORDER.sub("", text), devices, json.dumps([said, lines, passed], sort_keys=True)]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:24]


def mesh_key(name: str, topology: tuple[int, ...], slices: int) -> str:
    """The name of some devices.

    >>> mesh_key("v5e", (2, 4), 2)
    'v5e 2x4 2'
    """
    return f"{name} {'x'.join(map(str, topology))} {slices}"


def sealed(text: str) -> str:
    """What stands under records, so that an edit by hand is noticed; one that means it is found by ``--check``."""
    return hashlib.sha256(text.encode()).hexdigest()


@dataclass
class CompilerRecords:
    """What is recorded for a page.

    Attributes
    ----------
    versions
        The releases of the compilers that made all of it.
    devices
        By ``mesh_key``: id, slice and process of each device; by that and the sizes of a mesh's axes: the ids in its
        order. Or the refusal.
    programs
        By ``program_key``: ``text`` (optimized HLO), ``memory`` (fields of ``memory_analysis``), ``inputs`` and
        ``outputs`` (how they lie), ``log`` (warnings); or the ``refusal`` and its ``log``.
    """

    versions: dict[str, str] = field(default_factory=dict)
    devices: dict[str, Any] = field(default_factory=dict)
    programs: dict[str, dict[str, Any]] = field(default_factory=dict)

    @classmethod
    def read(cls, path: Path) -> CompilerRecords:
        """Read a file; no records, if there is none."""
        if not path.is_file():
            return cls()
        text, _, seal = lzma.decompress(path.read_bytes()).decode().rpartition("\n")
        if seal != sealed(text):
            raise RecordsError(f"{path} was not written by the command that records: {REMEDY}")
        return cls(**json.loads(text))

    def stale(self, pins: dict[str, str]) -> str:
        """What is wrong with the versions, if the pins are others; "" if nothing is."""
        wanted = {name: pins[name] for name in COMPILERS}
        if self.versions == wanted:
            return ""
        return f"was recorded with {self.versions or 'nothing'}, and the pins are {wanted}: {REMEDY}"

    def write(self, path: Path) -> None:
        """Write a file at once, so that an interruption leaves the old or the new; the same records, the same bytes."""
        text = json.dumps(vars(self), sort_keys=True, separators=(",", ":"))
        unfinished = path.with_suffix(f".{os.getpid()}")
        path.parent.mkdir(parents=True, exist_ok=True)
        unfinished.write_bytes(lzma.compress(f"{text}\n{sealed(text)}".encode(), preset=9 | lzma.PRESET_EXTREME))
        unfinished.replace(path)
