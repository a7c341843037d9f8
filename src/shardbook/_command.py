"""The command that draws a layout in a terminal: python -m shardbook "8,16" "x=2,y=4" "P('x', 'y')"."""

import argparse
import ast
import math
import re
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from shardbook import __version__

MOST_DEVICES = 65_536
"""More would take minutes and no screen shows them."""

SPEC = re.compile(r"([A-Za-z]\w*\.)*(P|PartitionSpec)")
"""What a spec is called in programs."""

EXAMPLES = """\
examples:
  python -m shardbook "8,16" "x=2,y=4" "P('x', 'y')"
  python -m shardbook "8,16" "x=2,y=4" "P('x')" --to "P(None, 'x')" --dtype bfloat16

Double quotes keep an argument together in every shell. The quotes round an axis may be left out: "P(x, y)".
"""


class Refusal(Exception):  # noqa: N818
    """What came cannot be read; the message says what was expected, and what to do."""


def main(argv: Sequence[str] | None = None) -> None:
    """Read the command's words, print the figure."""
    parser = argparse.ArgumentParser(
        prog="python -m shardbook",
        description="Draw how an array lies on a mesh of devices, none of which is needed.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("shape", nargs="?", metavar="SHAPE", help='the sizes of the array: "8,16"')
    parser.add_argument("mesh", nargs="?", metavar="MESH", help='the axes of the mesh, with their sizes: "x=2,y=4"')
    parser.add_argument("spec", nargs="?", metavar="SPEC", help="the axes that split each dimension: \"P('x', 'y')\"")
    parser.add_argument("--to", metavar="SPEC", help="another spec: say what each device must receive to get there")
    parser.add_argument("--dtype", default="float32", help="of the array's elements (default: %(default)s)")
    parser.add_argument("--language", choices=("en", "zh"), default="en", help="of the figure (default: %(default)s)")
    parser.add_argument("--version", action="version", version=versions(), help="print the versions and stop")
    given = parser.parse_args(argv)
    if given.shape is None:
        parser.print_help()
        return
    try:
        draw(given)
    except Refusal as refusal:
        parser.exit(2, f"{parser.prog}: error: {refusal}\n")


def draw(given: argparse.Namespace) -> None:
    """Print the figure that the command's words ask for."""
    if given.spec is None:
        got = " ".join(repr(word) for word in (given.shape, given.mesh) if word is not None)
        raise Refusal(f"expected SHAPE MESH SPEC, got only {got}: add the rest, each in double quotes")
    shape, axes = read_shape(given.shape), read_mesh(given.mesh)
    specs = [read_spec(text) for text in (given.spec, given.to) if text is not None]

    # Bad words are refused at once; only a figure needs JAX, which takes a second.
    from jax.sharding import AbstractMesh, PartitionSpec  # noqa: PLC0415
    from rich.console import Console  # noqa: PLC0415

    from shardbook import moves, show  # noqa: PLC0415
    from shardbook._layout import layout_on_mesh  # noqa: PLC0415

    dtype = read_dtype(given.dtype)
    mesh = AbstractMesh(tuple(axes.values()), tuple(axes))
    partition: Any = PartitionSpec
    try:
        layouts = [layout_on_mesh(mesh, partition(*spec), shape, dtype) for spec in specs]
    except ValueError as error:
        raise Refusal(str(error)) from error
    figure = moves(*layouts, language=given.language) if given.to else show(*layouts, language=given.language)
    Console().print(figure)


def versions() -> str:
    """Say which releases of the package and of what it needs are installed, without loading any."""
    found = [f"shardbook {__version__}"]
    for name in ("jax", "jaxlib", "numpy", "rich"):
        try:
            found.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            found.append(f"{name} is not installed")
    return ", ".join(found)


def read_shape(text: str) -> tuple[int, ...]:
    """Read the sizes of an array.

    >>> read_shape("8,16"), read_shape("(8,)"), read_shape("()")
    ((8, 16), (8,), ())
    """
    words = [word.strip() for word in unquoted(text).strip("()[] ").split(",")]
    if words[-1] == "":
        del words[-1]
    if not all(re.fullmatch(r"[0-9]{1,18}", word) for word in words):
        raise Refusal(f'SHAPE is {text!r}: expected whole numbers with commas between them; write it as "8,16"')
    sizes = tuple(map(int, words))
    if math.prod(sizes) >= 2**63:
        raise Refusal(f"SHAPE is {text!r}, {math.prod(sizes)} elements: expected fewer than 2**63; take a smaller one")
    return sizes


def read_mesh(text: str) -> dict[str, int]:
    """Read the axes of a mesh with their sizes.

    >>> read_mesh("x=2, y=4")
    {'x': 2, 'y': 4}
    """
    axes: dict[str, int] = {}
    for word in unquoted(text).strip("()[]{} ").split(","):
        found = re.fullmatch(r"\s*['\"]?([^\W\d]\w*)['\"]?\s*[=:]\s*([1-9][0-9]{0,17})\s*", word)
        if not found:
            raise Refusal(f'MESH is {text!r}: expected names with sizes from 1 on; write it as "x=2,y=4"')
        if found[1] in axes:
            raise Refusal(f"MESH is {text!r}: expected each axis once, and {found[1]!r} comes twice; rename one")
        axes[found[1]] = int(found[2])
    if (devices := math.prod(axes.values())) > MOST_DEVICES:
        raise Refusal(f"MESH is {text!r}, {devices} devices: expected at most {MOST_DEVICES}; make an axis smaller")
    return axes


def read_spec(text: str) -> tuple[str | tuple[str, ...] | None, ...]:
    """Read a partition spec, or what stands in its brackets; a shell may have taken the quotes from its names.

    >>> read_spec("P('x', None, ('y', 'z'))") == read_spec("P(x, None, (y, z))")
    True
    >>> read_spec("x, y"), read_spec("(x, y)"), read_spec("P()")
    (('x', 'y'), (('x', 'y'),), ())
    """
    written = unquoted(text).strip()
    try:
        node = ast.parse(written if re.match(r"[\w.]+\(", written) else f"P({written})", mode="eval").body
        if not isinstance(node, ast.Call) or node.keywords or not SPEC.fullmatch(ast.unparse(node.func)):
            raise TypeError
        return tuple(map(entry, node.args))
    except (SyntaxError, TypeError, ValueError, RecursionError, MemoryError) as error:
        raise Refusal(
            f"SPEC is {text!r}: expected the axes of each dimension, a name, None or names in brackets; "
            f"write it as \"P('x', None, ('y', 'z'))\""
        ) from error


def entry(node: ast.expr) -> Any:
    """Read what splits one dimension."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Constant) and (node.value is None or isinstance(node.value, str)):
        return node.value
    if isinstance(node, ast.Tuple) and all(isinstance(part, ast.Name | ast.Constant) for part in node.elts):
        return tuple(name for name in map(entry, node.elts) if name is not None)
    raise TypeError


def read_dtype(text: str) -> Any:
    """Read the name of a dtype that an array on devices can have."""
    import jax.numpy as jnp  # noqa: PLC0415

    try:
        dtype = jnp.dtype(unquoted(text))
        numeric = any(jnp.issubdtype(dtype, kind) for kind in (jnp.number, jnp.bool_))
    except TypeError:
        numeric = False
    if not numeric:
        raise Refusal(f"--dtype is {text!r}: expected a type of JAX's; write it as float32, bfloat16 or int8")
    return dtype


def unquoted(text: str) -> str:
    """Take away quotes round a whole argument: cmd.exe leaves single ones where they are.

    >>> unquoted("'8,16'"), unquoted("'x','y'")
    ('8,16', "'x','y'")
    """
    found = re.fullmatch(r"\s*(['\"])([^'\"]*)\1\s*", text)
    return found[2] if found else text
