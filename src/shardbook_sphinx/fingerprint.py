"""Short hashes of what determines an output: of data its bytes, of Python what it does, of pins what is installed."""

from __future__ import annotations

import ast
import hashlib
import re
import sys
from functools import cache
from importlib.metadata import PackageNotFoundError, requires
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

LENGTH = 16
DOCUMENTED = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


def digest(parts: Iterable[str | bytes]) -> str:
    """A short hash of several parts, and of Python's version.

    >>> digest(["ab", "c"]) == digest(["a", "bc"])
    False
    """
    total = hashlib.sha256(repr(sys.version_info[:3]).encode())
    for part in parts:
        content = part.encode() if isinstance(part, str) else part
        total.update(hashlib.sha256(content).digest())
    return total.hexdigest()[:LENGTH]


def files(paths: Iterable[Path], root: Path) -> str:
    """A hash of files: their names relative to ``root``, and their bytes.

    Comments in Python count too: to leave them out, as `code` does, took each rebuild 0.7 s a language.
    """
    return digest(part for path in sorted(paths) for part in (path.relative_to(root).as_posix(), path.read_bytes()))


@cache  # the helper decides what cells print and what is measured: asked of twice in a build
def code(source: str | bytes, *, messages: bool = True) -> str:
    r"""Python without comments, line breaks and docstrings; without ``messages`` also without what `raise` says.

    >>> code("x = (1 +  # one\n  2)") == code("x = 1 + 2")
    True
    >>> old, new = ("def f():\n  'It was.'\n  raise E('no')", "def f():\n  'It is.'\n  raise E('none')")
    >>> code(old) == code(new), code(old, messages=False) == code(new, messages=False)
    (False, True)
    """
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, DOCUMENTED) and ast.get_docstring(node, clean=False) is not None:
            node.body = node.body[1:]
        elif isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call) and not messages:
            node.exc = node.exc.func
    return ast.dump(tree)


def pins(text: str, *packages: str) -> list[str]:
    r"""The releases that a file of pins names of some packages and of all that these need; of all, if none is named.

    >>> pins("jax==0.5.3 \\\n    --hash=sha256:0\nnumpy==2.2.6 ; python_version < '4'")
    ['jax==0.5.3', 'numpy==2.2.6']
    """
    wanted = needed(*packages)
    lines: list[tuple[str, str]] = re.findall(r"(?m)^([\w.-]+)==([^\s;]+)", text)
    return [f"{name}=={release}" for name, release in lines if not packages or name.lower() in wanted]


def needed(*packages: str) -> set[str]:
    """Some installed packages and all that they need, by their names as pins have them."""
    known: set[str] = set()
    waiting = list(packages)
    while waiting:
        name = waiting.pop()
        if name in known:
            continue
        known.add(name)
        try:
            wanted = requires(name) or []
        except PackageNotFoundError:  # for another platform
            continue
        names = (re.match(r"[\w.-]+", each) for each in wanted if "extra ==" not in each)
        waiting += [re.sub(r"[-_.]+", "-", match[0]).lower() for match in names if match]
    return known
