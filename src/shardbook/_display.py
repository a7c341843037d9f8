"""What everything that can be looked at has in common: HTML in a notebook, colour in a terminal, text when printed."""

import os
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from html import escape
from importlib.resources import files

from rich.console import Console, ConsoleOptions
from rich.text import Text

from shardbook._messages import messages
from shardbook._palette import HUES, INK, LIGHT, SIXTEEN, Colour, rgb
from shardbook._public import public

LANGUAGES = "SHARDBOOK_LANGUAGES"
"""Environment variable: the languages a displayed figure comes in, such as "en,zh"."""
IN_SIXTEEN = {
    f"{INK} on {rgb(Colour(hue, shade))}": f"black on {'bright_' * (shade < len(LIGHT) // 2)}{SIXTEEN[hue]}"
    for hue in range(len(HUES))
    for shade in range(len(LIGHT))
}
"""The style of each device where a terminal has sixteen colours: the nearest of them would often be the same grey."""
STYLE = "SHARDBOOK_STYLE"
"""Environment variable: "linked" leaves the stylesheet out of figures, for a site that links ``figure.css``."""


@public
class Display:
    """Something that displays itself in a notebook, through rich, and by ``print``.

    Attributes
    ----------
    language
        Of its words, "en" or "zh".
    """

    language: str

    def _html(self, messages: Mapping[str, str]) -> str:
        """The HTML inside the figure: what a subclass has to give, with ``_lines``."""
        raise NotImplementedError

    def _lines(self, messages: Mapping[str, str], width: int) -> list[Text]:
        """Coloured lines of at most ``width`` characters."""
        raise NotImplementedError

    def html(self, language: str | None = None) -> str:
        """Return HTML with inline SVG: no script, no id, no request.

        >>> from jax.sharding import AbstractMesh, NamedSharding, PartitionSpec as P
        >>> from shardbook import layout, show
        >>> figure = show(layout(NamedSharding(AbstractMesh((2,), ("x",)), P("x")), (8,), "float32"))
        >>> "<svg" in figure.html() and "设备网格" in figure.html("zh")
        True
        """
        language = language or self.language
        style = "" if os.environ.get(STYLE) == "linked" else f"<style>{stylesheet()}</style>"
        return f'<div class="sb-figure" lang="{language}">{style}{self._html(messages(language))}</div>'

    def text(self, width: int = 80) -> list[Text]:
        """Return coloured lines for a terminal ``width`` characters wide."""
        return self._lines(messages(self.language), width)

    def plain(self, language: str | None = None) -> str:
        """Return the lines for a terminal as text, without colour."""
        return "\n".join(line.plain.rstrip() for line in self._lines(messages(language or self.language), 80))

    def _repr_html_(self) -> str:
        return self.html()

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:  # noqa: ARG002
        # IPython asks with what it wants and takes its pick itself. A notebook knows the first two, the site all.
        listed = os.environ.get(LANGUAGES, "").replace(" ", "").split(",")
        others = [name for name in listed if name not in ("", self.language)]
        html = {f"text/vnd.shardbook.{name}+html": self.html(name) for name in others}
        plain = {f"text/vnd.shardbook.{name}+plain": self.plain(name) for name in others}
        return {"text/html": self.html(), "text/plain": str(self)} | html | plain

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Text]:
        language = IN_ASCII if options.ascii_only else self.language
        for line in self._lines(messages(language), options.max_width):
            shown = Text(in_ascii(line.plain), spans=line.spans) if options.ascii_only else line
            if console.color_system is None:
                shown.rstrip()  # of a box at the end of a line, its colour would show
            if console.color_system in ("standard", "windows"):
                shown.spans = [span._replace(style=IN_SIXTEEN.get(str(span.style), span.style)) for span in shown.spans]
            shown.no_wrap = True
            yield shown

    def __str__(self) -> str:
        text = self.plain()
        try:
            # What print writes to: a file or a console that may know fewer characters than we use.
            text.encode(getattr(sys.stdout, "encoding", None) or "utf-8")
        except UnicodeEncodeError:
            return in_ascii(self.plain(IN_ASCII))
        return text

    # At the prompt the figure is the answer, as it is in a notebook.
    __repr__ = __str__


IN_ASCII = "en"
"""The language of a figure where only ASCII can be shown."""
ASCII = str.maketrans("┌┬┐├┼┤└┴┘─│·×–—→↓…⋯⋮≤█▒░", "+++++++++-|.x-->v~~:<#=-")


def in_ascii(text: str) -> str:
    """Write text without characters that some terminals lack, each line as long as it was.

    >>> print(in_ascii("│ 0 │ → ≤ 3 · é"))
    | 0 | > <=3 . ?
    """
    return text.replace("≤ ", "<=").translate(ASCII).encode("ascii", "replace").decode()


@cache
def stylesheet() -> str:
    """Return ``figure.css`` without its comment and line breaks."""
    text = files("shardbook").joinpath("figure.css").read_text(encoding="utf-8")
    rules = " ".join(line.strip() for line in text.split("*/", 1)[1].splitlines())
    for mark in ("{", "}", ";", ":", ","):
        rules = rules.replace(f"{mark} ", mark)
    return rules.replace(" {", "{").replace(";}", "}").strip()


Pairs = Sequence[tuple[str, str]]


def pairs_html(pairs: Pairs) -> str:
    """Return a description list of labels and values."""
    rows = (f"<div><dt>{escape(label)}</dt><dd>{escape(value)}</dd></div>" for label, value in pairs)
    return f"<dl>{''.join(rows)}</dl>"


def pairs_text(pairs: Pairs, width: int) -> list[Text]:
    """Return labels and values as two columns; a value that has no room there stands below its label."""
    # A Chinese character takes two columns: rich measures, len would not.
    wide = max((Text(label).cell_len for label, _ in pairs), default=0)
    found: list[Text] = []
    for label, value in pairs:
        if wide + 2 + Text(value).cell_len <= width:
            found.append(Text.assemble((label + " " * (wide + 2 - Text(label).cell_len), "dim"), value))
        else:
            found += [Text(label, style="dim"), *(Text("  ").append_text(line) for line in prose([value], width - 2))]
    return found


def prose(sentences: Sequence[str], width: int) -> list[Text]:
    """Return each sentence on lines of its own, none longer than ``width``."""
    console = Console(width=width)
    return [line for sentence in sentences for line in Text(sentence).wrap(console, width)]


def table_html(head: Sequence[str], rows: Sequence[Sequence[str]], label: str) -> str:
    """Return a table; it scrolls by itself where the page is too narrow for it."""
    body = ("".join(f"<td>{escape(cell)}</td>" for cell in row) for row in rows)
    return framed_table(map(escape, head), body, label)


def framed_table(head: Iterable[str], rows: Iterable[str], label: str) -> str:
    """Return a table of what is HTML already: the text of each head, the cells of each row."""
    top = "".join(f'<th scope="col">{text}</th>' for text in head)
    body = "".join(f"<tr>{cells}</tr>" for cells in rows)
    # What may have to scroll must be reachable by keyboard.
    return (
        f'<div class="sb-table" role="group" tabindex="0" aria-label="{escape(label)}">'
        f"<table><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table></div>"
    )


LEAST_LAST, LEAST_SHORTENED = 12, 14
"""Characters to which the last column of a table may be shortened, and the one that may be so in the middle."""


def table_text(
    head: Sequence[str], rows: Sequence[Sequence[str]], width: int, *, shortened: int | None = None
) -> list[Text]:
    """Return a table as lines: columns beside each other if ``width`` allows, else a block of pairs for each row.

    If that helps, the last column is shortened from its left, and then the column ``shortened`` in its middle.

    >>> for line in table_text(("device", "receives"), (("0", "12 B"), ("10", "—")), 80):
    ...     print(line.plain)
    device  receives
    0       12 B
    10      —
    """
    cells = [list(row) for row in rows]
    wide = [max(Text(row[at]).cell_len for row in (head, *cells)) for at in range(len(head))]
    over = sum(wide) + 2 * (len(wide) - 1) - width
    last = len(head) - 1
    least = {last: LEAST_LAST} | ({} if shortened is None else {shortened: LEAST_SHORTENED})
    spare = {at: max(0, wide[at] - max(room, Text(head[at]).cell_len)) for at, room in least.items()}
    if 0 < over <= sum(spare.values()):
        for at, room in spare.items():
            cut = min(over, room)
            over -= cut
            wide[at] -= cut
            # The last column says where: its end tells most.
            shorten = from_the_left if at == last else in_the_middle
            for row in cells:
                row[at] = shorten(row[at], wide[at])
    if over > 0:
        blocks = [[*pairs_text(tuple(zip(head, row, strict=True)), width), Text("")] for row in rows]
        return [line for block in blocks for line in block][:-1]
    found: list[Text] = []
    for number, texts in enumerate([list(head), *cells]):
        line = Text(style="" if number else "dim")
        for text, room in zip(texts, wide, strict=True):
            line.append(text)
            line.append(" " * (room - Text(text).cell_len + 2))
        line.rstrip()
        found.append(line)
    return found


def from_the_left(text: str, room: int) -> str:
    """Shorten text to ``room`` characters, of which the last ones are kept.

    >>> from_the_left("transformer.py:12", 12)
    '…ormer.py:12'
    """
    return text if len(text) <= room else "…" + text[1 - room :]


def in_the_middle(text: str, room: int) -> str:
    """Shorten text to ``room`` characters, in its middle.

    >>> in_the_middle("float32[16, 64] → [64, 64]", 17)
    'float32[…[64, 64]'
    """
    kept = room - 1
    return text if len(text) <= room else text[: kept - kept // 2] + "…" + text[len(text) - kept // 2 :]
