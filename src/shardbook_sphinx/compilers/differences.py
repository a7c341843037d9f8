"""Whether a compiler gives again what is recorded: what tells one compilation from the next is no difference."""

from __future__ import annotations

import re
from typing import Any

# The tables of stack frames at the head of a program, and where its operations name them.
FRAMES = re.compile(
    r"^(?:FileNames|FunctionNames|FileLocations|StackFrames)\n(?:\d.*\n)*\n?|stack_frame_id=\d+ ?", re.MULTILINE
)
# The name of a constant: the TPU's compiler numbers them as its threads come to them.
CONSTANT = re.compile(r"%constant[\w.]*")
# A ruler in a report: the last is cut off where a message of a log is full, time and thread counted in.
RULER = re.compile(r"-{3,}")


def differences(given: dict[str, Any], known: dict[str, Any]) -> list[str]:
    """What two answers to one question differ in.

    >>> differences({"text": "%a = f32[] add()"}, {"text": "%a = f32[] subtract()"})
    ['text']
    """
    one, other = ({name: comparable(what) for name, what in each.items()} for each in (given, known))
    return sorted(name for name in one.keys() | other.keys() if one.get(name) != other.get(name))


def comparable(what: Any) -> Any:
    """What was given, without what differs from one compilation to the next, or with any edit here.

    That is the frames of those who asked, the names of constants and the length of rulers.

    >>> comparable("%a = f32[] add(%constant.7, %constant.3, %constant.7), stack_frame_id=3")
    '%a = f32[] add(%constant 0, %constant 1, %constant 0), '
    """
    if not isinstance(what, str):
        return what
    seen: dict[str, int] = {}
    without = CONSTANT.sub(lambda name: f"%constant {seen.setdefault(name[0], len(seen))}", FRAMES.sub("", what))
    return RULER.sub("---", without)
