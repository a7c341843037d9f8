"""The explorer's script: its modules in one, after the numbers that they share with the Python package.

Each of these numbers stands once, where the package has it: a picture drawn in the browser is that of
``shardbook.show`` also when one of them changes.
"""

from __future__ import annotations

import ast
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shardbook_sphinx.exceptions import HandbookError
from shardbook_sphinx.theme.assets import EXPLORER, MAP, SMALL, bundle, write

if TYPE_CHECKING:
    from sphinx.application import Sphinx

MODULES = "docs/_static/explorer"
FIRST = {EXPLORER: "page/explorer", SMALL: "page/small", MAP: "page/map"}
PACKAGE = "src/shardbook"
# The numbers that the explorer's model/shared.js hands to its modules, by the module that has them.
SHARED = {
    "_caption": ("SPOKEN_PIECES",),
    "_layout_view": ("FITS_PHONE",),
    "_moves_view": ("ROWS", "RUNS"),
    "_mesh_picture": ("MOST_LEVELS", "NUMBERED"),
    "_panels": ("MAX_PIECES",),
    "_svg": (
        "BLOCK", "FEW_SHEETS", "GROWTH", "LABEL", "LINE", "LIT", "LONGER", "LONGER_OF_SEVERAL", "MESH_WIDTH",
        "MOST_UNEQUAL", "NUMBER", "PHONE", "SEAT", "SHEET", "SHEETS", "SMALLEST_TEXT", "STRIP", "TALLEST",
        "TITLED_PIECES", "WIDE",
    ),
}  # fmt: skip
# And how many of these there are: tuples of the package's palette, by the name that the modules have for it.
PALETTE = {"HUES": "HUES", "SHADES": "LIGHT"}


def shared(package: Path) -> dict[str, Any]:
    """The numbers as the package's sources say them: to import them would load JAX."""
    found = {name: constant(package, module, name) for module, names in SHARED.items() for name in names}
    return found | {name: len(constant(package, "_palette", said)) for name, said in PALETTE.items()}


def constant(package: Path, module: str, name: str) -> Any:
    """What a module of a package assigns to a name, at its top level and as a literal."""
    file = package / f"{module}.py"
    for statement in ast.parse(file.read_text(encoding="utf-8")).body:
        match statement:
            case ast.Assign(targets=[ast.Name(id=found)], value=value) if found == name:
                return ast.literal_eval(value)
    raise HandbookError(f"{file} has no {name}, which the explorer shares with it: adapt explorer/script.py")


def write_script(app: Sphinx, _builder: Any) -> None:
    """Before pages are written, which say the state of each script they load: bundle those of the explorer."""
    if app.builder.format == "html":
        numbers = json.dumps(shared(Path(app.confdir, PACKAGE)))
        for name, first in FIRST.items():
            modules = bundle(Path(app.confdir, MODULES), first)
            write(app, name, f"globalThis.shardbookShared = {numbers};\n{modules}")
