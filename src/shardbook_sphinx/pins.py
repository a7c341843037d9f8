"""The releases that each kernel is pinned to, in ``requirements/``."""

from __future__ import annotations

import re
from pathlib import Path

REQUIREMENTS = Path(__file__).parents[2] / "requirements"


def pins_file(kernel: str) -> Path:
    """The pins of a kernel; those of today's JAX are the site's."""
    return REQUIREMENTS / f"{'site' if kernel == 'python3' else kernel}.txt"


def pinned(kernel: str) -> dict[str, str]:
    """The release that the pins of a kernel name, of each package."""
    text = pins_file(kernel).read_text(encoding="utf-8")
    return dict(re.findall(r"^([\w.-]+)==(\S+)", text, re.MULTILINE))
