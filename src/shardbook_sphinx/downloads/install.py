"""How a reader gets what the pages run on: ``{install} [PACKAGE ...]`` shows the line for pip."""

from __future__ import annotations

from typing import ClassVar

from docutils import nodes
from sphinx.locale import _
from sphinx.util.docutils import SphinxDirective

from shardbook_sphinx.downloads.wheel import quoted, wheel_name
from shardbook_sphinx.languages import root_address
from shardbook_sphinx.nodes import generated
from shardbook_sphinx.pins import pinned


class Install(SphinxDirective):
    """JAX as it is pinned, the packages that are named, and the helper, by its address if the site has one.

    Where it has none, a script puts in the one that the page came from: see install.js.
    """

    optional_arguments = 1
    final_argument_whitespace = True
    option_spec: ClassVar = {}

    def run(self) -> list[nodes.Node]:
        """Write the line, and where the helper is."""
        pins = pinned("python3")
        packages = ["jax", *" ".join(self.arguments).split()]
        if unknown := [name for name in packages if name not in pins]:
            raise self.error(f"requirements/site.txt pins no {', '.join(unknown)}")
        root, name = root_address(self.config.html_baseurl), wheel_name()
        line = f"pip install {quoted(f'{package}=={pins[package]}' for package in packages)} {root}{name}"
        told = (
            _("The helper is a file of this site, {file}.")
            if root
            else _("The helper is a file of this site, {file}: save it, and run the line in its folder.")
        )
        before, after = told.split("{file}")
        up = "../" * (self.env.docname.count("/") + 1)
        link = nodes.reference("", name, refuri=(root or up) + name, internal=not root)
        return [
            nodes.literal_block(line, line, language="sh", classes=["install"]),
            generated(nodes.Text(before), link, nodes.Text(after)),
        ]
