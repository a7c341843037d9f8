"""The helper as a file that pip installs, at the root of the site: readers need no repository's address."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

ROOT = Path(__file__).parents[3]
VERSION = re.compile(r'^__version__ = "([^"]+)"$', re.MULTILINE)


def wheel_name(root: Path = ROOT) -> str:
    """What the file is called that the sources below ``root`` give.

    >>> wheel_name().startswith("shardbook-"), wheel_name().endswith("-py3-none-any.whl")
    (True, True)
    """
    (version,) = VERSION.findall((root / "src/shardbook/__init__.py").read_text(encoding="utf-8"))
    return f"shardbook-{version}-py3-none-any.whl"


def write_wheel(root: Path) -> None:
    """Make it anew in ``root``/site: the same bytes of the same sources."""
    # Not above: it need not be loaded to see that nothing changed.
    from hatchling.builders.wheel import WheelBuilder  # noqa: PLC0415

    for old in (root / "site").glob("shardbook-*.whl"):
        old.unlink()
    list(WheelBuilder(str(root)).build(directory=str(root / "site"), versions=["standard"]))


def quoted(requirements: Iterable[str]) -> str:
    """Requirements as they stand on a command line of any system, where ``=`` and ``[`` may mean something.

    >>> quoted(["jax==0.12.0.1", "rich"])
    '"jax==0.12.0.1" rich'
    """
    return " ".join(f'"{each}"' if re.search(r"[=<>\[]", each) else each for each in requirements)
