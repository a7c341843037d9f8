"""What XLA's log says while it compiles: the warnings that matter here, as data."""

import re
from dataclasses import dataclass

from shardbook._hlo import Module, Source
from shardbook._public import public

# A message begins with severity, date, time, thread and place, and may go on for several lines.
START = re.compile(r"^(?=[IWEF]\d{4} [\d:.]+ +\d+ )", re.MULTILINE)
INVOLUNTARY = "Involuntary full rematerialization"
# XLA's wording of 2025 and of 2026.
SAYS = re.compile(
    r"go from sharding (?P<before>.*?) to (?P<after>.*?) (?:without doing a full|efficiently for HLO).*?"
    r"operation:? (?P<operation>.*?)(?:\. You probably|\. As the last|$)",
    re.DOTALL,
)


@public
@dataclass(frozen=True)
class Rematerialization:
    """XLA's warning that it found no better way than to copy a whole array to every device.

    Attributes
    ----------
    before, after
        The shardings it could not go between, in XLA's notation.
    operation
        The HLO operation it stopped at.
    source
        The line of the user's code; None if the warning does not say.
    message
        XLA's own words.
    """

    before: str
    after: str
    operation: str
    source: Source | None
    message: str


def split_log(text: str) -> tuple[list[str], str]:
    """Part the messages that matter from the rest of what was printed.

    >>> slow = "W1121 03:44:02.2 26 a.cc:6] Slow."
    >>> split_log(slow + chr(10) + "W1121 03:44:02.3 26 b.cc:7] Involuntary full rematerialization.")[0]
    ['W1121 03:44:02.3 26 b.cc:7] Involuntary full rematerialization.']
    """
    messages = START.split(text)
    matter = [message for message in messages if INVOLUNTARY in message]
    return matter, "".join(message for message in messages if INVOLUNTARY not in message)


def read_warning(text: str, module: Module) -> Rematerialization:
    """Take a warning apart; ``module`` knows which line of the user's code it speaks of."""
    message = text.partition("] ")[2].strip()
    said = SAYS.search(message)
    before, after, operation = said.groups() if said else ("?", "?", "")
    return Rematerialization(before, after, operation, module.source(operation), message)
