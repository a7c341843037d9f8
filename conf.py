"""Sphinx configuration of the handbook, for both languages: sphinx-build -c . [-D language=zh_CN] docs OUT."""

import doctest
import sys
from pathlib import Path

ROOT = Path(__file__).parent
sys.path.insert(0, str(ROOT / "src"))

from shardbook_sphinx.execution.cache import cache_path  # noqa: E402
from shardbook_sphinx.translation.compiled import remove_stale  # noqa: E402

remove_stale(ROOT)  # here, since Sphinx reads its own catalogue before it sets up any extension

project = "shardbook"
author = "the shardbook authors"
copyright = author
language = "en"

extensions = [
    "myst_nb",
    "sphinx.ext.doctest",
    "sphinx_copybutton",
    "sphinx_design",
    "shardbook_sphinx",
]
# The last of them below html_static_path: the explorer's modules, which the build bundles
exclude_patterns = ["locale", "_templates", "_static", "explorer"]
templates_path = ["docs/_templates"]
nitpicky = True
toc_object_entries_show_parents = "hide"
add_function_parentheses = False  # a link to a function is its name, like the code beside it

# Pages and their cells
myst_enable_extensions = ["attrs_inline", "colon_fence", "deflist", "fieldlist"]
myst_heading_anchors = 3
nb_execution_mode = "cache"
nb_execution_cache_path = str(cache_path(ROOT))
nb_execution_timeout = 300
nb_execution_raise_on_error = True
nb_output_stderr = "error"
nb_merge_streams = True
nb_render_error_lexer = "text"
nb_ipywidgets_js = {}
doctest_default_flags = doctest.ELLIPSIS

# Languages: the source is English; locale_dirs is relative to docs/
locale_dirs = ["locale"]
gettext_compact = False
gettext_location = False
gettext_uuid = False

# Links out of the site: nox -s links. A redirect is a warning, an address that is gone or silent a failure.
linkcheck_allowed_redirects = {}
linkcheck_retries = 2
linkcheck_timeout = 20
linkcheck_workers = 2

# The site
html_theme = "furo"
html_title = "shardbook"
html_static_path = ["docs/_static", "src/shardbook/figure.css"]
html_favicon = "docs/_static/icon.svg"
html_css_files = ["figure.css", "shardbook.css", "search.css", "explorer.css", "watch.css"]
html_js_files = [
    (f"{name}.js", {"defer": "defer"})
    for name in (
        "entries",
        "message-box",
        "language",
        "devices",
        "scroll",
        "offscreen",
        "drawers",
        "copy",
        "install",
        "search-field",
    )
]
html_additional_pages = {"search": "search.html"}
html_math_renderer = "mathml"
html_copy_source = False
html_domain_indices = False
html_show_sphinx = False
html_last_updated_fmt = None
# Copied are lines after a prompt if there is one, and never what a cell printed; copy.js adds what a block needs.
copybutton_selector = "div.highlight pre:not(.cell_output pre)"
copybutton_prompt_text = r">>> |\.\.\. |\.\.\.$"
copybutton_prompt_is_regexp = True
