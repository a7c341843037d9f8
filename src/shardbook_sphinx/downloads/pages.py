"""Every page to take away: as a notebook and as Markdown, beside its HTML and in its language."""

from __future__ import annotations

import posixpath
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin

from sphinx.locale import _

from shardbook_sphinx.domain import handbook
from shardbook_sphinx.downloads.archive import ARCHIVE
from shardbook_sphinx.downloads.markdown import Block, Cell, Writer, as_text
from shardbook_sphinx.downloads.notebook import as_notebook, requirements, setup, uses_shardbook
from shardbook_sphinx.downloads.wheel import quoted, wheel_name
from shardbook_sphinx.execution.programs import is_apart
from shardbook_sphinx.languages import LANGUAGES, root_address
from shardbook_sphinx.pins import pinned
from shardbook_sphinx.theme.figures import CHINESE_TEXT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from docutils.nodes import document
    from nbformat import NotebookNode
    from sphinx.application import Sphinx
    from sphinx.builders.html import StandaloneHTMLBuilder
    from sphinx.environment import BuildEnvironment

SUFFIXES = (".ipynb", ".md")
# Of Python, in which the pages ran, an old JAX too.
VERSION = "3.13"
ANSI = re.compile(r"\x1b\[[0-9;]*m")


def write_downloads(
    app: Sphinx, pagename: str, _template: str, context: dict[str, Any], doctree: document | None
) -> None:
    """When a page is written: write its notebook and its Markdown, and tell the template of them."""
    if doctree is None:
        return
    builder: StandaloneHTMLBuilder = app.builder  # type: ignore[assignment]
    notebook, markdown = files(builder, pagename)
    page = f"{LANGUAGES[app.config.language].folder}/{builder.get_target_uri(pagename)}"
    root = root_address(app.config.html_baseurl)
    cells = list(executed_cells(app, pagename))
    blocks = Writer(address_from(page, page, root), cells).page(doctree)
    kernel = app.env.metadata[pagename].get("kernelspec", {}).get("name", "python3")
    needed = requirements(blocks, kernel, pinned(kernel))
    helper = root + wheel_name() if uses_shardbook(blocks) else ""
    whole = with_setup(blocks, kernel, needed, helper)
    write(notebook, as_notebook(whole, kernel))
    write(markdown, as_text(blocks))
    link = address_from(page, whole_file(app.config.language), root)
    write(whole_part(app, pagename), as_text(Writer(link, cells).page(doctree)))
    context["archive"] = root + ARCHIVE if root else f"../{ARCHIVE}"  # on the first page of a language
    if whole is not blocks:
        context["jupyter"] = open_in_jupyter(f"{pagename.replace('/', '-')}.ipynb", needed, root + wheel_name())
        context["wheel"] = root + wheel_name() if root else "../" * (pagename.count("/") + 1) + wheel_name()
    context["downloads"] = [
        {"name": name, "type": kind, "href": file.name, "as": f"{pagename.replace('/', '-')}{file.suffix}"}
        for name, kind, file in (
            (_("Notebook"), "application/x-ipynb+json", notebook),
            (_("Markdown"), "text/markdown", markdown),
        )
        if file.suffix != ".ipynb" or whole is not blocks  # a notebook without code is no use
    ]


def open_in_jupyter(notebook: str, needed: list[str], helper: str) -> str:
    """The line that opens a saved notebook where nothing but uv is installed.

    >>> open_in_jupyter("a.ipynb", ["jax==0.12.0.1"], "sb.whl")
    'uvx --python 3.13 --with "jax==0.12.0.1" --with sb.whl --from jupyterlab jupyter-lab a.ipynb'
    """
    packages = " ".join(f"--with {quoted([each])}" for each in [*needed, helper])
    return f"uvx --python {VERSION} {packages} --from jupyterlab jupyter-lab {notebook}"


def executed_cells(app: Sphinx, docname: str) -> Iterator[tuple[int, Cell]]:
    """The code cells of a page and what they showed, each with its place among all cells."""
    notebook = handbook(app.env).notebooks.executed(docname)
    for place, cell in enumerate(notebook.cells if notebook else ()):
        if cell.cell_type == "code":
            outputs = filter(None, (shown(output, app.config.language) for output in cell.outputs))
            tags = tuple(cell.metadata.get("tags", ()))
            yield place, Cell(cell.source, tags, tuple(outputs), is_apart(cell.metadata))


def shown(output: NotebookNode, language: str) -> str:
    """What a cell printed, returned or raised, as text; a figure in the language of the page."""
    if output.output_type == "error":
        text = f"{output.ename}: {output.evalue}"
    elif output.output_type == "stream":
        text = output.text
    else:
        text = output.data[CHINESE_TEXT if language == "zh_CN" and CHINESE_TEXT in output.data else "text/plain"]
    return ANSI.sub("", text).strip("\n")


def with_setup(blocks: list[Block], kernel: str, needed: list[str], helper: str) -> list[Block]:
    """A page with what a notebook needs after the title: what to install, and the settings that come first.

    ``helper`` is its file, if the page uses it, with the address of the site if there is one.
    """
    first = setup(blocks)
    if first is None:
        return blocks
    title, *rest = blocks
    wanted = quoted([*needed, helper] if helper else needed)
    release = pinned(kernel)["jax"]
    note = _("Run on JAX {release}; install it with `pip install {wanted}`.").format(release=release, wanted=wanted)
    if helper and "/" not in helper:
        note += _(" The last is a file at the root of the handbook's site: save it, and run that in its folder.")
    return [title, note, first, *rest]


def address_from(page: str, here: str, root: str) -> Callable[[str], str]:
    """How to write the links of a page in a file at ``here``: absolute below the base address, if there is one.

    >>> link = address_from("en/learn/placing.html", "en/learn/placing.html", "")
    >>> link("#a-mesh"), link("../index.html"), link("devices.html#a")
    ('placing.html#a-mesh', '../index.html', 'devices.html#a')
    >>> address_from("en/learn/placing.html", "llms-full.txt", "")("devices.html")
    'en/learn/devices.html'
    >>> address_from("en/learn/placing.html", "llms-full.txt", "https://example.org/")("devices.html")
    'https://example.org/en/learn/devices.html'
    """

    def link(target: str) -> str:
        there, _, place = urljoin(page, target).partition("#")
        written = root + there if root else posixpath.relpath(there, posixpath.dirname(here) or ".")
        return f"{written}#{place}" if place else written

    return link


def write(file: Path, text: str) -> None:
    """Write a file in a folder that may not be there yet."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8", newline="\n")


def files(builder: StandaloneHTMLBuilder, docname: str) -> list[Path]:
    """The notebook and the Markdown of a page."""
    return [Path(builder.get_output_path(docname)).with_suffix(suffix) for suffix in SUFFIXES]


def whole_file(language: str) -> str:
    """The file of all pages, relative to the root of the site: the English one stands there, where it is looked for."""
    return "llms-full.txt" if language == "en" else f"{LANGUAGES[language].folder}/llms-full.txt"


def whole_part(app: Sphinx, docname: str) -> Path:
    """Where the part of a page in the file of all pages is kept from build to build."""
    return Path(app.doctreedir, "markdown", f"{docname}.md")


def rewrite_missing(app: Sphinx, env: BuildEnvironment) -> list[str]:
    """Once all is read: write pages again that lack a download, since Sphinx looks after their HTML alone."""
    if app.builder.format != "html":
        return []
    builder: StandaloneHTMLBuilder = app.builder  # type: ignore[assignment]
    return [name for name in sorted(env.found_docs) if not all(map(Path.is_file, files(builder, name)))]


def remove_deleted(
    app: Sphinx, _env: BuildEnvironment, _added: Iterable[str], _changed: Iterable[str], removed: Iterable[str]
) -> list[str]:
    """Before reading: remove the downloads of pages whose source is gone."""
    if app.builder.format == "html":
        builder: StandaloneHTMLBuilder = app.builder  # type: ignore[assignment]
        for docname in removed:
            for file in (*files(builder, docname), whole_part(app, docname)):
                file.unlink(missing_ok=True)
    return []
