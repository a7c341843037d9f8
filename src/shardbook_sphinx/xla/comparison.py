"""What compilers of chips make otherwise than XLA for CPU, drawn from the tables of both."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from docutils import nodes
from sphinx.locale import _
from sphinx.util.docutils import SphinxDirective

from shardbook_sphinx.nodes import generated, sentence, table
from shardbook_sphinx.xla.cases import moves, products
from shardbook_sphinx.xla.product_cost import MATRICES, code
from shardbook_sphinx.xla.tables import read_tables

if TYPE_CHECKING:
    from shardbook_sphinx.xla.cases import Case
    from shardbook_sphinx.xla.tables import Table

NAMES = "xy"  # of the mesh axes on the page
Operations = Counter[tuple[str, str]]
"""How many of each operation, of each matrix."""


class Replacement(NamedTuple):
    """What one compiler does and another does instead, for some cases."""

    lacks: Operations
    has: Operations
    cases: list[Case]


def differences(one: Table, other: Table) -> tuple[int, list[Replacement]]:
    """How many cases of the second table have the operations of the first; the others, by what is different."""
    alike = 0
    found: dict[Any, Replacement] = {}
    for mesh in other["meshes"]:
        known = next(each for each in one["meshes"] if tuple(each["sizes"]) == tuple(mesh["sizes"]))
        sizes = tuple(mesh["sizes"])
        cases = products(sizes) if "shapes" in other else moves(sizes)
        for case, before, after in zip(cases, known["rows"], mesh["rows"], strict=True):
            was, is_ = operations(one, before), operations(other, after)
            if was == is_:
                alike += 1
                continue
            lacks, has = was - is_, is_ - was
            key = tuple(sorted(lacks.items())), tuple(sorted(has.items()))
            found.setdefault(key, Replacement(lacks, has, [])).cases.append(case)
    return alike, sorted(found.values(), key=lambda each: -len(each.cases))


def operations(told: Table, row: list[int]) -> Operations:
    """The operations of a row."""
    return Counter((told["steps"][number]["kind"], told["steps"][number]["of"]) for number in row)


class ComparedWithCpu(SphinxDirective):
    """What a chip's compiler makes otherwise: ``{compared-with-cpu} products-H100``, or the name of another table."""

    required_arguments = 1
    option_spec: ClassVar[Any] = {}

    def run(self) -> list[nodes.Node]:
        """A sentence, and a row for each difference; other builds than that of the site have no tables."""
        if self.env.app.builder.format != "html":
            return []
        tables = read_tables(Path(self.env.app.confdir))
        name = self.arguments[0]
        if name not in tables or "chip" not in tables[name]:
            raise self.error(f"there is no table {name!r} of a chip; there are {', '.join(tables)}")
        told = tables[name]
        alike, others = differences(tables[name.partition("-")[0]], told)
        count = sum(len(mesh["rows"]) for mesh in told["meshes"])
        said = _(
            "Of {count} programs that {made} compiled for {chip}, {alike} have the operations that they have on CPU."
        )
        if alike == count:
            said = _("All {count} programs that {made} compiled for {chip} have the operations that they have on CPU.")
        drawn: list[nodes.Node] = [
            generated(*sentence(said.format(count=count, made=told["made"], chip=told["chip"], alike=alike)))
        ]
        if others:
            head = [_("On CPU"), _("On {chip}").format(chip=told["chip"]), _("Programs"), _("For example")]
            drawn.append(table(head, [line(each) for each in others], "product-cost"))
        return drawn


def line(found: Replacement) -> list[list[nodes.Node]]:
    """The cells for a difference."""
    return [
        [nodes.Text(listed(found.lacks))],
        [nodes.Text(listed(found.has))],
        [nodes.Text(str(len(found.cases)))],
        example(found.cases[0]),
    ]


def listed(found: Operations) -> str:
    """Operations in words; a dash if there is none."""
    one, several = _("{kind} of {matrix}"), _("{count} × {kind} of {matrix}")
    told = [
        (one if count == 1 else several).format(count=count, kind=kind, matrix=MATRICES.get(of, of))
        for (kind, of), count in sorted(found.items())
    ]
    return _("; ").join(told) or "—"


def example(case: Case) -> list[nodes.Node]:
    """The specs of a case, in the order of operands and result."""
    line: list[nodes.Node] = []
    for place, spec in enumerate((*case.operands, case.result)):
        named = tuple(tuple(NAMES[axis] for axis in axes) for axes in spec)
        sign = " → " if place == len(case.operands) else " @ "
        line += [nodes.Text(sign if place else ""), *code(named)]
    return line


RING = 3
"""From so many collective-permutes of one matrix on it is a ring: to change places one or two do."""


class BySize(SphinxDirective):
    """What a product of each kind becomes on each chip, by dtype and size: ``{kinds-by-size}``."""

    option_spec: ClassVar[Any] = {}

    def run(self) -> list[nodes.Node]:
        """A row for each chip, dtype and size; other builds than that of the site have no tables."""
        if self.env.app.builder.format != "html":
            return []
        told = read_tables(Path(self.env.app.confdir))["sizes"]
        head = [
            _("Chip"),
            _("dtype"),
            _("Size, nearly"),
            _("Ring that adds up"),
            _("Ring that gathers"),
            "reduce-scatter",
            "all-reduce",
        ]
        lines: list[list[list[nodes.Node]]] = []
        for place, (chip, dtype, unit) in enumerate(told["columns"]):
            counted = Counter(feature for kind in told["kinds"] for feature in features(told, kind["rows"][place]))
            figures = [str(counted[name]) for name in ("adding ring", "gathering ring", "reduce-scatter", "all-reduce")]
            length = 16 * unit
            # As prose writes numbers.
            written = f"{length:,}" if length > 9999 else str(length)
            lines.append([[nodes.Text(each)] for each in (chip, dtype, written, *figures)])
        said = _("Of {count} kinds of products, so many have").format(count=len(told["kinds"]))
        return [generated(*sentence(f"{said}{_(': ').rstrip()}")), table(head, lines, "product-cost")]


def features(told: Table, row: list[int]) -> set[str]:
    """What a program is counted as: rings, and sums that are none."""
    counted = operations(told, row)
    rings = {of for (kind, of), count in counted.items() if kind == "collective-permute" and count >= RING}
    found = {"adding ring" if of == "out" else "gathering ring" for of in rings}
    return found | {kind for kind, of in counted if of == "out" and kind in {"reduce-scatter", "all-reduce"}}
