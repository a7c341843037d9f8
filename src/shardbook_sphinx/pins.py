"""The releases that each kernel is pinned to, in ``requirements/``."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]


def pins_file(kernel: str, root: Path = ROOT) -> Path:
    """The pins of a kernel, below ``root``; those of today's JAX are the site's."""
    return root / "requirements" / f"{'site' if kernel == 'python3' else kernel}.txt"


def pinned(kernel: str) -> dict[str, str]:
    """The release that the pins of a kernel name, of each package."""
    text = pins_file(kernel).read_text(encoding="utf-8")
    return dict(re.findall(r"^([\w.-]+)==(\S+)", text, re.MULTILINE))
