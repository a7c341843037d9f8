"""What XLA inserts for each change of layout and each matrix product, compiled in the build."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sphinx.application import Sphinx


def setup(app: Sphinx) -> None:
    """Compile beside the pages' cells, and give the tables to directives and to the explorer."""
    from shardbook_sphinx.xla import comparison, product_cost, tables  # noqa: PLC0415

    app.add_directive("measured-products", product_cost.Premises)
    app.add_directive("product-pairs", product_cost.Pairs)
    app.add_directive("product-rows", product_cost.Rows)
    app.add_directive("compared-with-cpu", comparison.ComparedWithCpu)
    app.add_directive("kinds-by-size", comparison.BySize)
    app.connect("builder-inited", tables.start, priority=100)  # it takes longer than anything else
    app.connect("build-finished", tables.write_tables)
