"""``{planner}`` puts the planner on its page, ``{plans}`` the table of plans that compilers were asked about."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from docutils import nodes
from docutils.parsers.rst.directives import flag, unchanged_required
from sphinx.locale import _
from sphinx.util.docutils import SphinxDirective

from shardbook._chips import CHIPS, TORUS
from shardbook_sphinx.domain import handbook
from shardbook_sphinx.planner.judge import Judged, judged
from shardbook_sphinx.planner.plans import FOLDER, load
from shardbook_sphinx.planner.record import RECORD
from shardbook_sphinx.planner.words import WORDS
from shardbook_sphinx.theme.assets import PLANNER, bundle, write

if TYPE_CHECKING:
    from sphinx.application import Sphinx

SUBJECT = "planner"
MODULES = "docs/_static/explorer"
FIRST = "page/planner"
SHARED = ("MODELS", "OF_A_SCORE", "HOST", "SCALAR")
MOST_GPUS = 1 << 16


class Planner(SphinxDirective):
    """The planner; a notebook or a plain text says where it is instead."""

    option_spec: ClassVar[Any] = {}

    def run(self) -> list[nodes.Node]:
        """Fill in the template."""
        handbook(self.env).note(SUBJECT, PLANNER)
        templates = getattr(self.env.app.builder, "templates", None)
        words = json.dumps({key: _(said) for key, said in WORDS.items()}, ensure_ascii=False).replace("<", "\\u003c")
        html = templates.render("planner.html", {"words": words}) if templates else ""
        plain = _("The planner runs in a browser, on this page of the handbook.")
        return [nodes.raw("", html, format="html", plain=plain)]


class Plans(SphinxDirective):
    """How often the formulas are right, and a row for each plan: what the compiler gave, and the formulas beside it."""

    required_arguments = 1
    option_spec: ClassVar[Any] = {"missed": flag, "model": unchanged_required}

    def run(self) -> list[nodes.Node]:
        """Judge ``first`` or ``drawn`` and write their rows, or those ``:missed:``, or those of one ``:model:``."""
        root = Path(self.env.app.confdir)
        for path in (RECORD, FOLDER / "formulas.py", FOLDER / "step.py"):
            self.env.note_dependency(str(root / path))
        found = judged(root)[self.arguments[0]]
        if model := self.options.get("model"):
            found = [each for each in found if f", {model}, " in each.name]
            if not found:
                raise self.error(f"no plan is of {model!r}: take a name of MODELS in {FOLDER / 'formulas.py'}")
        shown = [each for each in found if each.missed] if "missed" in self.options else found
        return [nodes.paragraph("", told(found), translatable=False), *table(shown)]


def told(found: list[Judged]) -> str:
    """How many plans compiled, and how often the formulas were right."""
    refused, missed = sum(each.refused for each in found), sum(bool(each.missed) for each in found)
    compiled = (
        _("{all} plans: {compiled} compiled, {refused} refused for memory. ") if refused else _("All {all} compiled. ")
    )
    right = _("The formulas are right about {right} and miss {missed}.") if missed else _("The formulas miss none.")
    return f"{compiled}{right}".format(
        all=len(found),
        compiled=len(found) - refused,
        refused=refused,
        right=len(found) - missed,
        missed=missed,
    )


def table(found: list[Judged]) -> list[nodes.Node]:
    """The rows; what the formulas miss is marked."""
    head = (_("plan"), _("arguments"), _("temporaries"), _("formula"), _("receives"), _("formula"), _("missed"))
    rows = [(each.name, *cells(each), ", ".join(_(part) for part in each.missed)) for each in found]
    group = nodes.tgroup(cols=len(head))
    group += [nodes.colspec(colwidth=1) for _column in head]
    group += nodes.thead("", row(head))
    group += nodes.tbody("", *map(row, rows))
    return [nodes.table("", group)]


def cells(each: Judged) -> tuple[str, ...]:
    """What the compiler gave, and how much of it the formulas say."""
    if each.refused:
        return (_("refused"), "", _("{amount} GiB needed").format(amount=f"{each.needed / 2**30:.1f}"), "", "")
    gib = [f"{amount / 2**30:.2f}" for amount in (each.arguments, each.temporaries, each.received)]
    return (gib[0], gib[1], f"{each.temporaries_ratio:.2f}", gib[2], f"{each.received_ratio:.3f}")


def row(texts: tuple[str, ...]) -> nodes.row:
    """A row of a table."""
    return nodes.row("", *(nodes.entry("", nodes.paragraph("", text)) for text in texts))


def shared(root: Path) -> dict[str, Any]:
    """What the scripts are told: numbers of the formulas, chips as their makers publish them, and the step."""
    formulas = load(root, "formulas")
    chips = {
        name: {
            "platform": chip.platform,
            "memory": chip.memory,
            "usable": chip.usable,
            "link": chip.link,
            "flops": chip.flops,
            "most": TORUS[name][1] if name in TORUS else MOST_GPUS,
            "network": formulas.NETWORK.get(name),
        }
        for name, chip in CHIPS.items()
    }
    step = (root / FOLDER / "step.py").read_text(encoding="utf-8")
    return {name: getattr(formulas, name) for name in SHARED} | {"CHIPS": chips, "STEP": step}


def write_script(app: Sphinx, _builder: Any) -> None:
    """Before pages are written, if one has it: a script of the modules, after numbers that they share with Python."""
    if app.builder.format == "html" and handbook(app.env).pages(SUBJECT):
        numbers = json.dumps(shared(Path(app.confdir)))
        modules = bundle(Path(app.confdir, MODULES), FIRST)
        write(app, PLANNER, f"globalThis.shardbookPlanner = {numbers};\n{modules}")


def add_script(app: Sphinx, pagename: str, _template: str, _context: dict[str, Any], doctree: Any) -> None:
    """Load the script on the planner's page, and on no other."""
    if doctree is not None and (script := handbook(app.env).said(pagename, SUBJECT)):
        app.add_js_file(script, defer="defer")
