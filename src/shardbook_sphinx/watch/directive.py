"""``{watch} all-gather``: the steps of a collective, one below the other; watch.js makes a scrubber of them.

Without the script, and in print, all steps stand side by side. A notebook or a plain text says where they are.
"""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.locale import _
from sphinx.util.docutils import SphinxDirective

from shardbook import _notation
from shardbook._messages import MESSAGES
from shardbook_sphinx.domain import handbook
from shardbook_sphinx.languages import LANGUAGES
from shardbook_sphinx.theme.assets import WATCH
from shardbook_sphinx.watch.model import FILMS
from shardbook_sphinx.watch.words import FRAME, NOTES, READING, STEPS, TITLES, TRUTH

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sphinx.application import Sphinx

SUBJECT = "watch"
EXCHANGED_AXES = "exchanged-axes"
FEWEST, MOST = 2, 8
DEVICES, BYTES = 4, 16


class StepShown(NamedTuple):
    """A step as a reader has it."""

    said: str
    received: int
    picture: str
    spoken: str
    scrolls: bool = False


class Watch(SphinxDirective):
    """``{watch} NAME``: a collective of so many ``devices``, each with a block of so many ``bytes``; or a move."""

    required_arguments = 1
    option_spec: ClassVar[Any] = {"devices": directives.positive_int, "bytes": directives.positive_int}

    def run(self) -> list[nodes.Node]:
        """Compute the steps, and write them in the reader's language."""
        (name,) = self.arguments
        if name not in TITLES:
            raise self.error(f"there is no {name} to watch; there are {', '.join(TITLES)}")
        words = MESSAGES[LANGUAGES[self.config.language].folder]
        if name == EXCHANGED_AXES:
            if self.options:
                raise self.error(f"{name} has its own devices and bytes")
            steps = exchanged_axes(words)
        else:
            steps = self.collective(name, words)
        handbook(self.env).note(SUBJECT, True)
        total = _notation.size(steps[-1].received)
        plain = _(FRAME["plain"]).format(title=_(TITLES[name]), bytes=total)
        return [nodes.raw("", as_html(name, steps, words["sentence"]), format="html", plain=plain)]

    def collective(self, name: str, words: Mapping[str, str]) -> list[StepShown]:
        """The steps of a collective, as the options want it."""
        from shardbook_sphinx.watch.picture import draw_step, spoken  # noqa: PLC0415, they load JAX

        devices, block = self.options.get("devices", DEVICES), self.options.get("bytes", BYTES)
        if not FEWEST <= devices <= MOST or block % devices:
            raise self.error(f"from {FEWEST} to {MOST} devices can be watched, with a multiple of as many bytes each")
        try:
            film = FILMS[name](devices)
        except ValueError as error:
            raise self.error(str(error)) from None
        told = {key: _(FRAME[key]) for key in ("holds", "nothing")} | {
            key: words[key] for key in ("list", "clause", "stop")
        }
        return [
            StepShown(
                _(STEPS[step.said]).format(block=_notation.size(block)),
                int(film.received(place) * block),
                draw_step(film, step),
                spoken(film, step, told),
            )
            for place, step in enumerate(film.steps)
        ]


def exchanged_axes(words: Mapping[str, str]) -> list[StepShown]:
    """The steps of a move between two layouts."""
    from shardbook_sphinx.watch.exchange import PATH, draw_layouts, received  # noqa: PLC0415, they load JAX

    drawn = draw_layouts(words)
    so_far = [sum(received(each) for each in range(1, place + 1)) for place in range(len(drawn))]
    return [
        StepShown(_(STEPS[said]), so_much, picture, spoken, scrolls)
        for (said, *_rest), so_much, (picture, spoken, scrolls) in zip(PATH, so_far, drawn, strict=True)
    ]


def as_html(name: str, steps: list[StepShown], between: str) -> str:
    """All steps as a list, with what the script needs to say; ``between`` stands between two sentences."""
    items = []
    for place, step in enumerate(steps):
        head, said = _(FRAME["start"]), step.said
        if place:
            head = _(FRAME["step"]).format(step=place, last=len(steps) - 1)
            # In the steps of a move devices may differ.
            got = _(FRAME["most" if name == EXCHANGED_AXES else "received"])
            said = f"{said}{between}{got.format(bytes=_notation.size(step.received))}"
        focus = ' tabindex="0"' if step.scrolls else ""
        items.append(
            f'<li><p class="watch-said"><b>{escape(head)}</b> {escape(said)}</p>'
            f'<div class="sb-panels" role="img"{focus} aria-label="{step.spoken}">{step.picture}</div></li>'
        )
    reading, truth = NOTES[name]
    title = escape(_(TITLES[name]))
    data = "".join(f' data-{key}="{escape(_(FRAME[key]))}"' for key in ("previous", "next", "scrub"))
    return (
        f'<div class="sb-figure watch" role="group" aria-label="{title}"{data}><p class="watch-title">{title}</p>'
        f'<ol class="watch-steps" role="list">{"".join(items)}</ol>'
        f"<p>{escape(_(READING[reading]) + between + _(TRUTH[truth]))}</p></div>"
    )


def add_script(app: Sphinx, pagename: str, _template: str, _context: dict[str, Any], doctree: Any) -> None:
    """Load the script on pages that have something to watch, and on no other."""
    if doctree is not None and handbook(app.env).said(pagename, SUBJECT):
        app.add_js_file(WATCH, defer="defer")
