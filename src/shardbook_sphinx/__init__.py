"""What builds the handbook: cells run and compared, two languages kept together.

Apart from ``shardbook``, because that imports JAX, which costs each build a second and which no page needs when it is
only rendered.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sphinx.application import Sphinx


def setup(app: Sphinx) -> dict[str, Any]:
    """Connect each concern to the moment of the build it belongs to."""
    # Not above: the build command is in this package too, and need not load Sphinx to see that nothing changed.
    from shardbook_sphinx import (  # noqa: PLC0415
        assets,
        compare,
        completeness,
        copying,
        downloads,
        entries,
        errors,
        execute,
        explorer,
        gates,
        interface,
        links,
        llms,
        marks,
        mathematics,
        measured,
        product_cost,
        search,
        sharing,
        timeline,
        translation,
    )

    # For the canary, which builds on a JAX that the pages were not written for
    app.add_config_value("shardbook_keep_going", default=False, rebuild="", types=[bool])
    app.add_config_value("shardbook_outputs", default="", rebuild="", types=[str])
    directives = {
        # What the records of JAX releases say
        "api": entries.ApiEntry,
        "api-matrix": timeline.Matrix,
        "api-answers": timeline.Answers,
        "api-changes": timeline.Changes,
        # What is told of errors
        "asked": errors.Asked,
        "error-messages": errors.AllMessages,
        # What XLA inserts, from the tables that the build measures
        "explorer": explorer.Explorer,
        "measured-products": product_cost.Premises,
        "product-pairs": product_cost.Pairs,
        "product-rows": product_cost.Rows,
    }
    for name, directive in directives.items():
        app.add_directive(name, directive)
    app.add_node(errors.error_messages)
    app.add_html_math_renderer("mathml", (mathematics.visit_inline, None), (mathematics.visit_block, None))
    # Before reading
    app.connect("builder-inited", measured.start, priority=100)  # it takes longer than anything else
    app.connect("config-inited", interface.translate_settings)
    app.connect("builder-inited", interface.prepare, priority=900)  # after myst-nb has made its configuration
    app.connect("builder-inited", search.leave_out_sphinx_search)
    app.connect("builder-inited", translation.remove_orphans)
    app.connect("env-get-outdated", interface.remove_deleted_pages)
    app.connect("env-get-outdated", downloads.remove_deleted)
    app.connect("env-before-read-docs", execute.execute_stale_pages)
    app.connect("env-before-read-docs", measured.finish)
    app.connect("env-before-read-docs", execute.let_translations_begin)
    app.connect("env-before-read-docs", compare.remember_cells)
    app.connect("env-before-read-docs", errors.remember_entries)
    # While reading
    app.connect("env-purge-doc", timeline.forget)
    app.connect("doctree-read", completeness.forbid_unrun_code)
    app.connect("doctree-read", entries.remember_entries)
    app.connect("doctree-read", marks.mark_cells)
    app.connect("doctree-read", translation.warn_untranslated)
    app.connect("doctree-read", sharing.remember_description)
    # Once all is read
    app.connect("env-updated", gates.check_all, priority=100)
    app.connect("env-updated", interface.rewrite_navigation)
    app.connect("env-updated", errors.rewrite_lists)
    app.connect("env-updated", downloads.rewrite_missing)
    # While writing
    app.connect("write-started", assets.write_explorer)
    app.connect("doctree-resolved", errors.list_messages)
    app.connect("html-page-context", explorer.add_scripts)
    app.connect("html-page-context", interface.add_languages)
    app.connect("html-page-context", links.add_links)
    app.connect("html-page-context", copying.add_preludes)
    app.connect("html-page-context", sharing.add_description)
    app.connect("html-page-context", downloads.write_downloads)
    app.connect("html-page-context", assets.join_assets, priority=900)  # once all have said what the page loads
    # Once all is written
    app.connect("build-finished", llms.write_llms)
    app.connect("build-finished", measured.write_tables)
    app.connect("build-finished", search.index_site)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
