"""How each scheme of training lies on four devices: ``{schemes}``, pictures that lead to the pages."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from docutils import nodes
from jax.sharding import AbstractMesh, NamedSharding, PartitionSpec
from sphinx.locale import _
from sphinx.util.docutils import SphinxDirective

import shardbook
from shardbook._messages import MESSAGES
from shardbook._panels import panels
from shardbook._svg import draw_svg
from shardbook_sphinx.languages import LANGUAGES, mark

if TYPE_CHECKING:
    from collections.abc import Iterator


# JAX declares no types for calling this.
P: Any = PartitionSpec


class Scheme(NamedTuple):
    """A way to lay a batch and a matrix of weights on a mesh."""

    title: str
    page: str
    mesh: dict[str, int]
    batch: PartitionSpec
    weights: PartitionSpec
    told: str


BATCH, WEIGHTS = (8, 4), (8, 8)
SCHEMES = (
    Scheme(
        mark("Data parallel"),
        "train/data-parallel",
        {"data": 4},
        P("data"),
        P(),
        mark("Each device has all weights and a part of the batch."),
    ),
    Scheme(
        mark("FSDP"),
        "train/state",
        {"data": 4},
        P("data"),
        P("data"),
        mark("Weights are split too, and gathered before use."),
    ),
    Scheme(
        mark("Tensor parallel"),
        "train/products",
        {"model": 4},
        P(),
        P(None, "model"),
        mark("Each device computes a part of each product."),
    ),
    Scheme(
        mark("FSDP × tensor parallel"),
        "train/two-axes",
        {"data": 2, "model": 2},
        P("data"),
        P("data", "model"),
        mark("One along each axis of the mesh."),
    ),
)


class Schemes(SphinxDirective):
    """The gallery; a notebook and plain text have a list."""

    option_spec: ClassVar = {}

    def run(self) -> list[nodes.Node]:
        """Draw each scheme by the layouts of its arrays."""
        count = MESSAGES[LANGUAGES[self.config.language].folder]["count"]
        up = "../" * self.env.docname.count("/")
        cards = "".join(card(scheme, f"{up}{scheme.page}.html", count) for scheme in SCHEMES)
        plain = "\n".join(f"- {_(each.title)}{_(': ')}{_(each.told)}" for each in SCHEMES)
        return [nodes.raw("", f'<div class="schemes">{cards}</div>', format="html", plain=plain)]


def card(scheme: Scheme, href: str, count: str) -> str:
    """A link with two pictures and a sentence."""
    drawn = "".join(
        f'<div class="scheme-array"><code>{name}</code>{picture}</div>' for name, picture in pictures(scheme, count)
    )
    title, told = escape(_(scheme.title)), escape(_(scheme.told))
    figure = f'<div class="sb-figure">{drawn}</div>'
    return f'<a class="scheme" href="{href}"><div class="scheme-title">{title}</div>{figure}<div>{told}</div></a>'


def pictures(scheme: Scheme, count: str) -> Iterator[tuple[str, str]]:
    """The name and the drawing of both arrays."""
    mesh = AbstractMesh(tuple(scheme.mesh.values()), tuple(scheme.mesh))
    said = ((_("batch"), scheme.batch, BATCH), (_("weights"), scheme.weights, WEIGHTS))
    for name, spec, shape in said:
        layout = shardbook.layout(NamedSharding(mesh, spec), shape, "float32")
        yield name, draw_svg(layout, panels(layout), count)[0]
