"""Take the text of an optimized HLO module apart: computations, instructions, groups of devices, lines of code.

Knows text only, neither JAX nor devices. The grammar is XLA's (``xla/hlo/parser``), as far as collectives need it:
replica groups as lists (``{{0,1},{2,3}}``), as an iota (``[2,4]<=[4,2]T(1,0)``) and as mesh axes
(``mesh['x'=2,'y'=4] {'y':(2)2}``); metadata with source lines (JAX 0.5) and with tables of stack frames (JAX 0.12).
"""

import math
import re
import sysconfig
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from shardbook._public import public

Groups = tuple[tuple[int, ...], ...]


@public
class Buffer(NamedTuple):
    """One array that an operation takes or gives, on one device."""

    dtype: str
    """JAX's name, such as "float32"."""
    shape: tuple[int, ...]
    """Its local shape."""
    bits: int
    """Bits of one element."""

    @property
    def bytes(self) -> int:
        """Bytes of the array, without padding."""
        return -(-math.prod(self.shape) * self.bits // 8)

    def __str__(self) -> str:
        return f"{self.dtype}[{', '.join(map(str, self.shape))}]"


@public
class Source(NamedTuple):
    """A place in the user's code."""

    file: str
    """Path of the file, as Python knew it."""
    line: int
    """Line number, from 1."""
    function: str
    """Name of the function; "" if the module does not say."""

    def __str__(self) -> str:
        folder, _, name = self.file.replace("\\", "/").rpartition("/")
        # The file of a notebook's cell is named by a number that tells a reader nothing.
        if folder.rpartition("/")[2].startswith("ipykernel_"):
            name = self.function.rpartition(".<locals>.")[2] or "cell"
        return f"{name}:{self.line}"


@dataclass(frozen=True)
class Instruction:
    """A line of HLO."""

    name: str
    opcode: str
    result: tuple[Buffer, ...]
    operands: tuple[str, ...]
    attributes: str
    root: bool = False

    def attribute(self, name: str) -> str:
        """What an attribute such as ``calls=%add`` names or counts; "" if it is not there."""
        if f"{name}=" not in self.attributes:  # as in most lines: a pattern would take far longer to find nothing
            return ""
        found = re.search(rf"\b{name}=%?([\w.-]+)", self.attributes)
        return found.group(1) if found else ""


class Module:
    """The text of an HLO module, taken apart.

    >>> module = Module('''HloModule jit_f, num_partitions=4
    ... ENTRY %main (a: f32[8]) -> f32[8] {
    ...   %a = f32[8]{0} parameter(0)
    ...   ROOT %r = f32[8]{0} negate(%a)
    ... }''')
    >>> module.partitions, module.entry, module.root("main").opcode
    (4, 'main', 'negate')

    Attributes
    ----------
    computations
        Each computation's instructions by name, in the module's order.
    entry
        The name of the one that is run; "" if the text has none.
    partitions
        How many devices run this text.
    """

    def __init__(self, text: str) -> None:
        self.computations: dict[str, dict[str, Instruction]] = {}
        self.entry = ""
        self.partitions = math.prod(
            int(found.group(1)) for name in ("num_partitions", "replica_count") if (found := _setting(name, text))
        )
        self._frames = Frames(text)
        current: dict[str, Instruction] = {}
        for line in text.splitlines():
            if (head := COMPUTATION.match(line)) and not line.startswith(" "):
                current = self.computations.setdefault(head.group(2), {})
                self.entry = head.group(2) if head.group(1) else self.entry
            elif line.startswith("  ") and (instruction := _instruction(line)):
                current[instruction.name] = instruction

    def root(self, computation: str) -> Instruction | None:
        """Return the instruction whose result is the computation's."""
        instructions = self.computations.get(computation, {}).values()
        return next((instruction for instruction in instructions if instruction.root), None)

    def source(self, metadata: str) -> Source | None:
        """Return the line of the user's code that an operation's metadata names.

        >>> Module("").source('metadata={op_name="add" source_file="/a/b.py" source_line=3}')
        Source(file='/a/b.py', line=3, function='')
        """
        if (found := re.search(r"stack_frame_id=(\d+)", metadata)) and (
            source := self._frames.source(int(found.group(1)))
        ):
            return source
        file = re.search(r'source_file="([^"]*)"', metadata)
        line = re.search(r"source_line=(\d+)", metadata)
        return Source(file.group(1), int(line.group(1)), "") if file and line else None


LIBRARIES = (sysconfig.get_paths()["stdlib"], str(Path(__file__).parent))
"""Folders whose frames are nobody's own code, besides those of installed packages."""


def is_library(file: str) -> bool:
    """Whether a file belongs to an installed package, to Python, or to this package.

    >>> is_library("/usr/lib/python3/dist-packages/flax/nnx/nn/linear.py"), is_library("/home/u/train.py")
    (True, False)
    """
    return bool(re.search(r"[/\\](site|dist)-packages[/\\]", file)) or file.startswith(LIBRARIES)


class Frames:
    """The tables of stack frames at the head of a module.

    A frame's ``parent_frame_id`` is its caller's number plus one, as XLA prints it.
    """

    def __init__(self, text: str) -> None:
        sections = {
            name: _section(name, text) for name in ("FileNames", "FunctionNames", "FileLocations", "StackFrames")
        }
        self._files = {at: line.strip('"') for at, line in sections["FileNames"].items()}
        self._functions = {at: line.strip('"') for at, line in sections["FunctionNames"].items()}
        self._locations = {at: _numbers(line) for at, line in sections["FileLocations"].items()}
        self._frames = {at: _numbers(line) for at, line in sections["StackFrames"].items()}

    def stack(self, frame: int) -> Iterator[Source]:
        """Yield the place of a frame and then those of its callers, as far as the tables have them."""
        while location := self._locations.get(self._frames.get(frame, {}).get("file_location_id", 0)):
            if file := self._files.get(location.get("file_name_id", 0)):
                yield Source(
                    file, location.get("line", 0), self._functions.get(location.get("function_name_id", 0), "")
                )
            caller = self._frames[frame].get("parent_frame_id", 0) - 1
            if caller >= frame:
                return
            frame = caller

    def source(self, frame: int) -> Source | None:
        """Return the innermost place that is in no library, or the innermost of all; None if there is none."""
        stack = list(self.stack(frame))
        return next((place for place in stack if not is_library(place.file)), stack[0] if stack else None)


COMPUTATION = re.compile(r"^(ENTRY )?%?([\w.-]+) .*\{\s*$")
# "ROOT %name = type opcode(operands), attributes"; a type holds no "=" and ends before the opcode's word.
HEAD = re.compile(r"^\s+(ROOT )?%?([\w.-]+) = ")
BUFFER = re.compile(r"\b([a-z]\w*)\[((?:<?=?\d+,?)*)\]")


def _instruction(line: str) -> Instruction | None:
    head = HEAD.match(line)
    if not head:
        return None
    rest = line[head.end() :]
    end = _closing(rest, 0) + 1 if rest.startswith("(") else rest.find(" ")
    kind, rest = rest[:end], rest[end:].lstrip()
    start = rest.find("(")
    if start < 0:
        return None
    stop = _closing(rest, start)
    names = re.sub(r"/\*.*?\*/", "", rest[start + 1 : stop])
    operands = tuple(word.split()[-1].lstrip("%") for word in _split(names) if word.strip())
    return Instruction(head.group(2), rest[:start], _buffers(kind), operands, rest[stop + 1 :], bool(head.group(1)))


def _closing(text: str, start: int) -> int:
    """Where the bracket at ``start`` closes."""
    depth = 0
    for at in range(start, len(text)):
        depth += (text[at] in "([{") - (text[at] in ")]}")
        if not depth:
            return at
    return len(text) - 1


def _split(text: str) -> list[str]:
    """Parts between the commas that stand in no bracket."""
    parts, depth = [""], 0
    for letter in text:
        depth += (letter in "([{") - (letter in ")]}")
        if letter == "," and not depth:
            parts.append("")
        else:
            parts[-1] += letter
    return parts


@lru_cache(maxsize=4096)
def _buffers(text: str) -> tuple[Buffer, ...]:
    """Every array in a type: in ``(f32[4]{0}, s32[])`` two. A module repeats its types many times."""
    found = []
    for name, dims in BUFFER.findall(text):
        if name not in {"token", "opaque"}:
            dtype, bits = _jax_dtype(name)
            found.append(Buffer(dtype, tuple(int(size.strip("<=")) for size in dims.split(",") if size), bits))
    return tuple(found)


def _jax_dtype(name: str) -> tuple[str, int]:
    """JAX's name of a primitive type, and its bits.

    >>> [_jax_dtype(name) for name in ("pred", "bf16", "s4", "f8e4m3fn", "c64")]
    [('bool', 8), ('bfloat16', 16), ('int4', 4), ('float8_e4m3fn', 8), ('complex64', 64)]
    """
    if name == "pred":
        return "bool", 8
    kind, bits, rest = re.match(r"([a-z]+)(\d+)(\w*)", name).groups()  # type: ignore[union-attr]  # XLA has no others
    long = {"f": "float", "bf": "bfloat", "s": "int", "u": "uint", "c": "complex"}.get(kind, kind)
    return f"{long}{bits}" + (f"_{rest}" if rest else ""), int(bits)


def replica_groups(text: str) -> Groups:
    """Read replica groups in any of XLA's three forms, at the beginning of ``text``.

    >>> replica_groups("{{0,1},{2,3}}, to_apply=%add")
    ((0, 1), (2, 3))
    >>> replica_groups("[2,2]<=[2,2]T(1,0), channel_id=1")
    ((0, 2), (1, 3))
    >>> replica_groups("mesh['x'=2,'y'=2] {'x'}")
    ((0, 2), (1, 3))
    >>> replica_groups("mesh['x'=2,'y'=4] {'y':(2)2}")
    ((0, 1), (2, 3), (4, 5), (6, 7))

    Raises
    ------
    ValueError
        It is none of them.
    """
    if text.startswith("{}"):
        return ()
    if found := re.match(r"\{((?:\{[\d,]*\},?)*)\}", text):
        return lists(found.group(1))
    if found := re.match(IOTA, text):
        return _as_groups(_iota(found).reshape(ints(found.group(1))))
    if found := re.match(r"mesh\[([^\]]*)\](?:,? ?device_ids=\(([^{]*)\))? ?\{([^}]*)\}", text):
        sizes = {name: int(size) for name, size in re.findall(r"'([^']*)'=(\d+)", found.group(1))}
        return _mesh_groups(sizes, found.group(2), found.group(3))
    raise ValueError(
        f"expected replica groups such as {{{{0,1}}}}, [1,2]<=[2] or mesh['x'=2] {{'x'}}, got {text[:60]!r}"
    )


IOTA = r"\[([\d,]*)\]<=\[([\d,]*)\](?:T\(([\d,]*)\))?"


def _iota(found: re.Match[str]) -> np.ndarray[tuple[int, ...], np.dtype[np.int64]]:
    numbers = np.arange(math.prod(ints(found.group(2)))).reshape(ints(found.group(2)))
    return numbers.transpose(ints(found.group(3))) if found.group(3) else numbers


def _mesh_groups(sizes: Mapping[str, int], order: str | None, chosen: str) -> Groups:
    """The groups along some axes of a mesh; ``'y':(2)3`` is the part of ``y`` that has size 3 after a part of 2."""
    parts: dict[str, set[tuple[int, int]]] = {name: set() for name in sizes}
    wanted = []
    for axis, before_it, its_size in re.findall(r"'([^']*)'(?::\((\d+)\)(\d+))?", chosen):
        split = (int(before_it), int(its_size)) if its_size else (1, sizes[axis])
        parts[axis].add(split)
        wanted.append((axis, split[0]))
    names: list[tuple[str, int]] = []
    shape: list[int] = []
    for name, size in sizes.items():
        done = 1
        for before, part in sorted(parts[name]):
            if before > done:
                names.append((name, done))
                shape.append(before // done)
            names.append((name, before))
            shape.append(part)
            done = before * part
        if done < size:
            names.append((name, done))
            shape.append(size // done)
    total = math.prod(sizes.values())
    numbers = np.arange(total)
    if order:
        iota = re.match(IOTA, order)
        numbers = _iota(iota).reshape(-1) if iota else np.array(ints(re.sub(r"[^\d,]", "", order)))
    rest = [at for at, part in enumerate(names) if part not in wanted]
    last = [names.index(part) for part in wanted]
    members = math.prod(shape[at] for at in last)
    return _as_groups(numbers.reshape(shape).transpose(rest + last).reshape(-1, members))


def _as_groups(numbers: np.ndarray[tuple[int, ...], np.dtype[np.int64]]) -> Groups:
    return tuple(map(tuple, numbers.tolist()))


def lists(text: str) -> Groups:
    """Return the numbers in each pair of braces."""
    return tuple(tuple(ints(found)) for found in re.findall(r"\{([\d,]*)\}", text))


def ints(text: str) -> list[int]:
    """Return the numbers between commas."""
    return [int(number) for number in text.split(",") if number]


def _setting(name: str, text: str) -> re.Match[str] | None:
    return re.search(rf"\b{name}=(\d+)", text.partition("\n")[0])


def _section(name: str, text: str) -> dict[int, str]:
    found = re.search(rf"^{name}\n((?:\d+ .*\n)*)", text, re.MULTILINE)
    lines = (line.split(" ", 1) for line in (found.group(1) if found else "").splitlines())
    return {int(number): rest for number, rest in lines}


def _numbers(text: str) -> dict[str, int]:
    return {name: int(number) for name, number in re.findall(r"(\w+)=(\d+)", text)}
