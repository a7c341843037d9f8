"""What a cell and a page may say of themselves, and whether a cell did what it announces."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from nbformat import NotebookNode

MOST_PRINTED = 20_000  # characters
# What a cell may say of itself; a slip of the pen would switch a check off.
OPTIONS = {"kernel", "label", "limit", "load", "processes", "raises", "same-as", "says", "tags"}
TAGS = {"answer", "raises-exception", "remove-cell"}
# The one setting of myst-nb that a page may change; the others could switch its execution off.
ALLOWED = {"execution_timeout"}


def options(metadata: dict[str, Any]) -> str | None:
    """What is wrong with the options by which a cell asks to be run apart, or ``None``.

    >>> options({"processes": 2}), options({"limit": 5})
    (None, 'says limit without processes, which it limits.')
    """
    if "limit" in metadata and "processes" not in metadata:
        return "says limit without processes, which it limits."
    if "kernel" in metadata and "processes" in metadata:
        return "says kernel and processes: a program runs apart in one way."
    for name in ("processes", "limit"):
        if name in metadata and (type(metadata[name]) is not int or metadata[name] < 1):
            return f"says {name}: {metadata[name]}, which must be a whole number from 1 on."
    return None


def check_outputs(cell: NotebookNode) -> str | None:
    """Check an executed cell against what it announces; the problem, or ``None``.

    A cell that raises on purpose carries the tag ``raises-exception`` and names the type in ``raises``.
    """
    if unknown := (set(cell.metadata) - OPTIONS) | (set(cell.metadata.get("tags", [])) - TAGS):
        allowed = ", ".join(sorted(OPTIONS | TAGS))
        return f"says {', '.join(sorted(unknown))}, which means nothing here. Options and tags are: {allowed}."
    if cell.source.lstrip().startswith("%%"):
        return "hides what it does in a cell magic: write plain Python."
    raised = [output.ename for output in cell.outputs if output.output_type == "error"]
    expected = cell.metadata.get("raises")
    tagged = "raises-exception" in cell.metadata.get("tags", [])
    if tagged != bool(expected):
        return "must carry both the tag raises-exception and the option raises: TYPE, or neither."
    if expected and raised != [expected]:
        return f"should raise {expected}, but raised {raised[0] if raised else 'nothing'}."
    if problem := check_message(cell):
        return problem
    longest = max((len(output.get("text", "")) for output in cell.outputs), default=0)
    if longest > MOST_PRINTED:
        return (
            f"prints {longest} characters, which nobody reads and which take Pygments minutes: at most {MOST_PRINTED}."
        )
    warned = [output.text for output in cell.outputs if output.get("name") == "stderr"]
    if warned:
        return "wrote to stderr, which no reader should have to see:\n" + "".join(warned)
    return None


def check_message(cell: NotebookNode) -> str | None:
    """Check that the message of a cell's error says what the cell announces in ``says``; line breaks do not count."""
    says = cell.metadata.get("says")
    if says is None:
        return None
    messages = [" ".join(output.evalue.split()) for output in cell.outputs if output.output_type == "error"]
    if not messages:
        return "says what a message says, but raises nothing: give it raises, or remove says."
    if " ".join(str(says).split()) not in messages[0]:
        return f"should raise a message with {says!r}, but it says {messages[0]!r}."
    return None
