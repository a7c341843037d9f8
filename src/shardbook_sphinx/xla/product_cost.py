"""What each product of two matrices costs, drawn from the table that the build measures."""

from __future__ import annotations

from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from docutils import nodes
from sphinx.locale import _
from sphinx.util.docutils import SphinxDirective

from shardbook_sphinx.nodes import generated, sentence, table
from shardbook_sphinx.xla.tables import read_tables

if TYPE_CHECKING:
    from shardbook_sphinx.xla.tables import Table

Spec = tuple[tuple[str, ...], ...]
NAMES = "xy"  # of the mesh axes on the page
MATRICES = {"a": "A", "b": "B", "out": "A @ B"}


class Step(NamedTuple):
    """A collective of a product."""

    kind: str
    axes: tuple[str, ...]
    part: bool
    """Whether devices communicate along a part of these axes only."""
    of: str
    """The matrix that is communicated: a key of ``MATRICES``."""
    fraction: float
    """What a device receives, as a share of that whole matrix."""


class Row(NamedTuple):
    """A product that was measured."""

    a: Spec
    b: Spec
    out: Spec
    steps: tuple[Step, ...]
    warned: bool

    @property
    def cost(self) -> float:
        """What a device receives, in matrices."""
        return sum(step.fraction for step in self.steps)


def read_rows(products: Table) -> list[Row]:
    """The rows for the first mesh, with the names of the page."""
    mesh = products["meshes"][0]
    steps = [read_step(step, mesh["sizes"]) for step in products["steps"]]
    specs = [tuple(tuple(NAMES[axis] for axis in axes) for axes in spec) for spec in mesh["specs"]]
    triples = [(a, b, out) for a in specs for b in specs for out in specs]
    return [
        Row(*triple, tuple(steps[number] for number in numbers), place in mesh["warned"])
        for place, (triple, numbers) in enumerate(zip(triples, mesh["rows"], strict=True))
    ]


def read_step(step: dict[str, Any], sizes: list[int]) -> Step:
    """A step with the names of the page."""
    devices = 1
    for axis in step["axes"]:
        devices *= sizes[axis]
    part = step["kind"] != "collective-permute" and step["members"] < devices
    return Step(step["kind"], tuple(NAMES[axis] for axis in step["axes"]), part, step["of"], step["fraction"])


def group(row: Row) -> str:
    """How A and B split the dimension that is summed over."""
    one, other = row.a[1], row.b[0]
    if one and other:
        return "alike" if one == other else "apart"
    return "one" if one or other else "neither"


GROUPS = ("neither", "alike", "one", "apart")


class Measured(SphinxDirective):
    """A directive that draws from the table; other builds than that of the site have none and draw nothing."""

    def run(self) -> list[nodes.Node]:
        """Read the table and draw."""
        if self.env.app.builder.format != "html":
            return []
        return self.draw(read_tables(Path(self.env.app.confdir))["products"])

    def draw(self, products: Table) -> list[nodes.Node]:
        """What the page shows."""
        raise NotImplementedError


class Premises(Measured):
    """On what the table was measured, in a sentence: ``{measured-products}``."""

    def draw(self, products: Table) -> list[nodes.Node]:
        """Take the numbers from the table itself."""
        mesh = products["meshes"][0]
        told = _(
            "Measured: {count} products on JAX {release}, one compilation each, on a mesh of {mesh} CPU devices with "
            "axes `x` and `y` of type Auto; A is {a} of `{dtype}`, B is {b}. XLA warned of an involuntary full "
            "rematerialization for {warned} of them."
        ).format(
            count=len(mesh["rows"]),
            release=products["jax"],
            mesh=" × ".join(map(str, mesh["sizes"])),
            dtype=products["dtype"],
            warned=len(mesh["warned"]),
            **{name: " × ".join(map(str, products["shapes"][name])) for name in ("a", "b")},
        )
        return [generated(*sentence(told))]


class Pairs(Measured):
    """For each pair of specs without tuples the cheapest result: ``{product-pairs} neither|alike|one|apart``."""

    required_arguments = 1
    option_spec: ClassVar[Any] = {}

    def draw(self, products: Table) -> list[nodes.Node]:
        """One line a pair, the cheapest pairs first."""
        if self.arguments[0] not in GROUPS:
            raise self.error(f"there is no group {self.arguments[0]!r}; there are {', '.join(GROUPS)}")
        rows = [row for row in read_rows(products) if group(row) == self.arguments[0]]
        pairs: dict[tuple[Spec, Spec], list[Row]] = {}
        for row in rows:
            if max(len(axes) for spec in (row.a, row.b) for axes in spec) < 2:
                pairs.setdefault((row.a, row.b), []).append(row)
        lines = sorted((min(row.cost for row in found), pair) for pair, found in pairs.items())
        head = ["A", "B", _("Cheapest result"), _("Steps to it"), _("Receives"), _("Whole result")]
        return [table(head, [pair_line(pairs[pair], cost) for cost, pair in lines], "product-cost")]


class Rows(Measured):
    """All rows, in a section to unfold for each A: ``{product-rows}``. Results with the same steps share a line."""

    option_spec: ClassVar[Any] = {}

    def draw(self, products: Table) -> list[nodes.Node]:
        """One table for each A."""
        by_a: dict[Spec, list[Row]] = {}
        for row in read_rows(products):
            by_a.setdefault(row.a, []).append(row)
        head = ["B", _("Result"), _("Steps to it"), _("Receives")]
        drawn: list[nodes.Node] = []
        for a, rows in by_a.items():
            summary = f"A{_(': ')}{escape(written(a), quote=False)}"
            opening = f'<details class="product-rows"><summary>{summary}</summary>'
            drawn.append(nodes.raw("", opening, format="html", plain=f"**A{_(': ')}`{written(a)}`**"))
            alike: dict[tuple[Any, ...], list[Row]] = {}
            for row in rows:
                alike.setdefault((row.b, row.steps, row.warned), []).append(row)
            drawn.append(table(head, [row_line(found) for found in alike.values()], "product-cost"))
            drawn.append(nodes.raw("", "</details>", format="html", plain=""))
        return drawn


def pair_line(rows: list[Row], cost: float) -> list[list[nodes.Node]]:
    """The cells for a pair: its cheapest results, how XLA makes them, and what the whole result costs."""
    first = next(row for row in rows if row.cost == cost)
    whole = next(row for row in rows if not any(row.out))
    results = [row.out for row in rows if row.steps == first.steps]
    return [
        code(first.a),
        code(first.b),
        spec_list(results),
        step_list(first),
        [nodes.Text(number(cost))],
        [nodes.Text(number(whole.cost))],
    ]


def row_line(rows: list[Row]) -> list[list[nodes.Node]]:
    """The cells for results of the same A and B that XLA makes with the same steps."""
    first = rows[0]
    results = [row.out for row in rows]
    return [code(first.b), spec_list(results), step_list(first), [nodes.Text(number(first.cost))]]


def spec_list(specs: list[Spec]) -> list[nodes.Node]:
    """Specs, one after another."""
    line: list[nodes.Node] = []
    for place, spec in enumerate(specs):
        line += [nodes.Text(_("; ") if place else ""), *code(spec)]
    return line


def step_list(row: Row) -> list[nodes.Node]:
    """The steps in the order of the program."""
    if not row.steps:
        return [nodes.Text(_("none"))]
    whole, part = _("{kind} of {matrix} along {axes}"), _("{kind} of {matrix} along part of {axes}")
    told = [
        (part if step.part else whole).format(kind=step.kind, matrix=MATRICES[step.of], axes=_(", ").join(step.axes))
        for step in row.steps
    ]
    if row.warned:
        told.append(_("XLA warns"))
    return [nodes.Text(_("; ").join(told))]


def code(spec: Spec) -> list[nodes.Node]:
    """A spec as code, bare: two thousand of them, each with a link to its entry, would be half a megabyte."""
    html = f'<code class="literal">{escape(written(spec), quote=False)}</code>'
    return [nodes.raw("", html, format="html", plain=f"`{written(spec)}`")]


def written(spec: Spec) -> str:
    """A spec as code.

    >>> written(((), ("x", "y"))), written((("x",), ())), written(((), ()))
    ("P(None, ('x', 'y'))", "P('x')", 'P()')
    """
    entries = [repr(axes[0] if len(axes) == 1 else axes) if axes else "None" for axes in spec]
    while entries and entries[-1] == "None":
        entries.pop()
    return f"P({', '.join(entries)})"


def number(share: float) -> str:
    """A share of a matrix, in as few digits as say it exactly.

    >>> number(0), number(0.75), number(1.5), number(0.09375)
    ('0', '0.75', '1.5', '0.09375')
    """
    return f"{share:g}"
