"""The explorer: ``{explorer} PART`` puts a part of its page, in the reader's language; scripts bring it to life.

The parts are templates in docs/_templates/explorer; the scripts are modules in docs/_static/explorer, of which
script.py makes one. What a script says is here, or in the package's own words of a figure.
"""

from __future__ import annotations

import importlib.util
import json
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from docutils import nodes
from sphinx.locale import _
from sphinx.util.docutils import SphinxDirective

from shardbook_sphinx.theme.assets import EXPLORER
from shardbook_sphinx.theme.furo import LANGUAGES

if TYPE_CHECKING:
    from sphinx.application import Sphinx

PARTS = ("layout", "results", "move", "product")


def _mark(message: str) -> str:
    """Mark a message for the catalogue; it is looked up when a page is made."""
    return message


# What the scripts say; {…} is filled in by them, and what stands in backticks is code.
WORDS = {
    # The mesh
    "axis_name": _mark("Name of axis {number}"),
    "axis_size": _mark("Size of axis {number}"),
    "axis_type": _mark("Type of axis {number}"),
    "remove_axis": _mark("Remove axis {number}"),
    # Chips
    "dimension": _mark("dim {at}"),
    "unused": _mark("unused"),
    "chip": _mark("axis {axis}, size {size}: {place}"),
    "put_here": _mark("Put {axis} here: {place}"),
    "picked_up": _mark("{axis} is picked up. Choose where to put it."),
    "put_down": _mark("{axis} stays: {place}."),
    "put_back": _mark("{axis} is back: {place}."),
    "moved": _mark("{axis}: {place}. The spec is {spec}."),
    # Presets
    "preset_data-parallel": _mark("Data parallel: a batch of activations"),
    "preset_fsdp": _mark("FSDP: a weight, gathered before use"),
    "preset_tensor-qkv": _mark("Tensor parallel: query, key and value weights"),
    "preset_tensor-attention-out": _mark("Tensor parallel: output weight of attention"),
    "preset_tensor-up": _mark("Tensor parallel: first product of the MLP"),
    "preset_tensor-down": _mark("Tensor parallel: second product of the MLP"),
    "preset_sequence-parallel": _mark("Sequence parallel: activations, gathered for attention"),
    "preset_two-dimensional": _mark("2-D: a weight split along both dimensions"),
    # Results
    "slices": _mark("The slice that each device holds"),
    "slice": _mark("slice"),
    "more_pieces": _mark("And {count} more pieces, which follow the same pattern."),
    "copied": _mark("Copied."),
    "not_copied": _mark("This browser does not let the page copy: select the text and copy it."),
    "link_problem": _mark("This link cannot be followed, so here is the first example."),
    # What XLA inserts
    "no_steps": _mark("Nothing: each device has already what it needs."),
    "step": _mark("`{kind}` along {axes}"),
    "step_part": _mark("`{kind}` along a part of {axes}"),
    "step_of": _mark("`{kind}` of {matrix} along {axes}"),
    "step_of_part": _mark("`{kind}` of {matrix} along a part of {axes}"),
    "step_receives": _mark("{step}: each device receives {bytes}"),
    "groups": _mark("Devices of one colour exchange with one another, along {axes}."),
    "rematerialized": _mark(
        "XLA warns of an involuntary full rematerialization: it first copies the whole array to every device."
    ),
    "measured": _mark("Measured on JAX {jax}, CPU, mesh {mesh}, {dtype}, {shape}; the bytes are scaled to your array."),
    "measured_otherwise": _mark("Measured on JAX {jax}, CPU, mesh {mesh}, {dtype}, {shape}: not quite your case."),
    "unmeasured": _mark("Not measured for this mesh and these specs."),
    "measure": _mark("This Python measures yours, with the package of this handbook:"),
    "not_loaded": _mark("The table of measurements could not be loaded."),
    "comma": _mark(", "),
    "colon": _mark(": "),
    # Remedies: for what JAX refuses,
    "remedy_duplicate-axis": _mark("An axis can split one dimension, once: remove {axes} from all but one place."),
    "remedy_unknown-axis": _mark("The mesh has no axis {axis}. It has {axes}: use one of these, or add the axis."),
    "remedy_too-long": _mark(
        "The spec has {entries} entries, the array {dimensions} dimensions: shorten the spec or extend the shape."
    ),
    "remedy_indivisible": _mark(
        "Dimension {dimension} has size {size}, no multiple of {parts}: pad it to {padded}, or take {axes} away."
    ),
    # for what is beyond the explorer,
    "remedy_state": _mark("Begin with a usual case, and change it."),
    "remedy_dimensions": _mark("The explorer shows up to {most} dimensions; here are {count}."),
    "remedy_size": _mark("Write the sizes as whole numbers: `8, 16`."),
    "remedy_dtype": _mark("Choose a dtype from the list."),
    "remedy_axes": _mark("A mesh needs 1 to {most} axes, each with a name and a size."),
    "remedy_axis-name": _mark("Name the axis with letters, digits and underscores, at most 24."),
    "remedy_axis-twice": _mark("Two axes are called {axis}: rename one."),
    "remedy_axis-size": _mark("The size of {axis} must be a whole number, at least 1."),
    "remedy_devices": _mark("{count} devices are too many: the explorer shows up to {most}."),
    "remedy_types": _mark("Choose Explicit or Auto for each axis."),
    "remedy_order": _mark("Write each device id once, from 0 on, as many as the mesh has devices; or leave it empty."),
    "remedy_bytes": _mark("The array is too large to count its bytes exactly: make it smaller."),
    "remedy_spec": _mark("The spec is too long, or names what cannot be an axis."),
    "remedy_product-shape": _mark("A product needs an array of two dimensions; this one has {count}."),
    "remedy_columns": _mark("The columns of B must be a whole number."),
    # for what cannot be read,
    "remedy_too-long-text": _mark("The text is too long: at most {most} characters are read."),
    "remedy_unopened": _mark("`{found}` closes what was not opened: remove it."),
    "remedy_comma": _mark("Put a comma between `{before}` and `{after}`."),
    "remedy_name": _mark("`{found}` cannot be the name of an axis here: use letters, digits and underscores."),
    "remedy_nested": _mark("A tuple in a tuple has no meaning: `('x', 'y')` splits one dimension over both axes."),
    "remedy_none-in-tuple": _mark("`None` cannot stand in a tuple: leave it out."),
    "remedy_keyword": _mark("The explorer has no `{found}=`: write only the axes of the dimensions."),
    "remedy_unconstrained": _mark("`UNCONSTRAINED` leaves the choice to the compiler: name an axis, or `None`."),
    # and for links.
    "remedy_syntax": _mark("A part of it is missing or has been changed: copy it again."),
    "remedy_version": _mark("It was made by another version of the explorer."),
}


class Explorer(SphinxDirective):
    """A part of the explorer's page: ``{explorer} layout``, ``results``, ``move`` or ``product``."""

    required_arguments = 1
    option_spec: ClassVar[Any] = {}

    def run(self) -> list[nodes.Node]:
        """Fill in the part's template; a notebook or a plain text says where the explorer is instead."""
        (part,) = self.arguments
        if part not in PARTS:
            raise self.error(f"the explorer has no part {part}; it has {', '.join(PARTS)}")
        self.env.metadata[self.env.current_document.docname]["explorer"] = True
        templates = getattr(self.env.app.builder, "templates", None)
        html = ""
        if templates:
            html = templates.render(f"explorer/{part}.html", {"words": script_words(self.config.language)})
        plain = _("The explorer runs in a browser, on this page of the handbook.") if part == PARTS[0] else ""
        return [nodes.raw("", html, format="html", plain=plain)]


def script_words(language: str) -> str:
    """All that the scripts say, as JSON that can stand in a script element."""
    words = {key: _(message) for key, message in WORDS.items()}
    told = json.dumps(words | {"figure": figure_words()[LANGUAGES[language][0]]}, ensure_ascii=False, sort_keys=True)
    return told.replace("<", "\\u003c")


@cache
def figure_words() -> dict[str, dict[str, str]]:
    """The package's words by language, without the package: that would import JAX."""
    package = importlib.util.find_spec("shardbook")
    assert package is not None
    assert package.origin is not None
    spec = importlib.util.spec_from_file_location("shardbook_words", Path(package.origin).with_name("words.py"))
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    words: dict[str, dict[str, str]] = module.WORDS
    return words


def add_scripts(app: Sphinx, pagename: str, _template: str, _context: dict[str, Any], doctree: Any) -> None:
    """Load the script on the page that has the explorer, and on no other."""
    if doctree is not None and app.env.metadata[pagename].get("explorer"):
        app.add_js_file(EXPLORER, defer="defer")
