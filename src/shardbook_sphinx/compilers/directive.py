"""Say on a page which compilers made what it shows."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from sphinx.locale import _
from sphinx.util.docutils import SphinxDirective

from shardbook_sphinx.compilers.store import COMPILERS, CompilerRecords
from shardbook_sphinx.nodes import generated, sentence
from shardbook_sphinx.recorded import recorded_file

if TYPE_CHECKING:
    from docutils import nodes


class CompiledWith(SphinxDirective):
    """``{compiled-with}``: the releases of the compilers whose answers the page's records are."""

    def run(self) -> list[nodes.Node]:
        """Where the answers come from, and the releases."""
        path = recorded_file(Path(self.env.app.confdir), self.env.docname)
        self.env.note_dependency(str(path))
        records = CompilerRecords.read(path)
        of_gpu = any(key.startswith("H100 ") for key in records.devices)
        told = _(
            "What is said of H100 and TPU v5e comes from their compilers; nothing ran on such chips."
            " Compiled with {releases}."
        )
        if not of_gpu:
            told = _(
                "What is said of TPU v5e comes from its compiler; nothing ran on such a chip. Compiled with {releases}."
            )
        asked = COMPILERS if of_gpu else COMPILERS[:2]  # JAX and libtpu
        releases = _(", ").join(f"`{name} {records.versions.get(name, '?')}`" for name in asked)
        return [generated(*sentence(told.format(releases=releases)))]
