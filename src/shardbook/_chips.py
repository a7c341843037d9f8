"""What is published of chips."""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Chip:
    """A chip: its name, and the bytes of its memory."""

    name: str
    memory: int


_KINDS = {
    "NVIDIA H100 80GB HBM3": Chip("H100", 80 * 2**30),
    "TPU v5 lite": Chip("TPU v5e", 16 * 2**30),
}


def chip_of(device: Any) -> Chip | None:
    """Return the chip that a device is; None if it is none that we know, such as a CPU."""
    return _KINDS.get(device.device_kind)
