"""A copy of a checkout, to build or to spoil."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

# What is in a checkout and not in a clone of it.
MADE = shutil.ignore_patterns(
    ".git", ".nox", ".build", "site", ".*_cache", ".hypothesis", "__pycache__", "*.mo", "node_modules"
)


def copy_checkout(checkout: Path, to: Path) -> Path:
    """Copy what a clone would hold to a new folder; that folder."""
    return shutil.copytree(checkout, to, ignore=MADE)
