"""Style sheets and scripts as a page loads them: few files, none of them a module.

A page asks for one file where it had ten, without the comments, a third of what is sent; and a browser that opens it
from a folder, where modules may not be loaded, runs the scripts too. The sources stay apart: tests import the
explorer's modules, and each style sheet has its subject.
"""

from __future__ import annotations

import os
import posixpath
import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import myst_nb.static
from furo import get_pygments_stylesheet  # type: ignore[import-untyped]

from shardbook_sphinx.exceptions import HandbookError

if TYPE_CHECKING:
    from sphinx.application import Sphinx

CODE = "pygments.css"
STYLES, SCRIPTS = "styles.css", "scripts.js"
# The explorer, what of it stands on the first page, its map of products, the planner, and collectives to watch: each
# loaded where it is shown.
EXPLORER, SMALL, MAP, PLANNER, WATCH = "explorer.js", "explorer-small.js", "explorer-map.js", "planner.js", "watch.js"
OF_SOME_PAGES = {EXPLORER, SMALL, MAP, PLANNER, WATCH}
# What a page loads once a reader searches: modules, each a file of its own.
SEARCH = ("search.js", "messages.js", "slips.js")
IMPORT = re.compile(r'^import \{ ([\w, ]+) \} from "(\.\.?/[\w/]+)\.js";$', re.MULTILINE)
EXPORT = re.compile(r"^export (?=(?:const|function|async function) (\w+))", re.MULTILINE)
# What the patterns above leave: a form that they do not know, or what only a module has.
UNKNOWN = re.compile(r"^(?:(?:import|export)\b|.*\bimport\.meta\b).*", re.MULTILINE)
# A style sheet that stands elsewhere than where it was finds no file of its own there.
ADDRESS = re.compile(r"url\(\s*[\"']?(?!data:|#)([^)\"']+)|@import.*")
# A comment that has its lines for itself: nothing else begins a line so. Licences, "/*!", stay.
COMMENT = re.compile(r"^[ \t]*(?://.*|/\*(?!!)(?:[^*]|\*(?!/))*\*/[ \t]*)\n", re.MULTILINE)


def bundle(folder: Path, first: str) -> str:
    """Make one script of a module and all that it imports, each in a function of its own, in the order of imports.

    A module is named by its path in the folder, such as "page/form". Only ``import { a, b } from "../model/name.js";``,
    ``a as b`` among them, and ``export`` before ``const`` or ``function`` are known; whatever else a module could say
    stops the build.
    """
    done: dict[str, set[str]] = {}
    parts: list[str] = []

    def add(name: str, above: tuple[str, ...]) -> None:
        if name in above:
            raise HandbookError(f"{folder}: modules import one another: {' → '.join([*above, name])}")
        if name in done:
            return
        text = (folder / f"{name}.js").read_text(encoding="utf-8")
        for names, path in IMPORT.findall(text):
            other = beside(name, path)
            add(other, (*above, name))
            if missing := {each.split(" as ")[0] for each in names.split(", ")} - done[other]:
                raise HandbookError(f"{folder}/{name}.js: {other}.js exports no {', '.join(sorted(missing))}")
        exported = EXPORT.findall(text)
        imported = IMPORT.sub(
            lambda found: f"const {{ {found[1].replace(' as ', ': ')} }} = {bound(beside(name, found[2]))};", text
        )
        body = EXPORT.sub("", imported)
        if unknown := UNKNOWN.search(body):
            raise HandbookError(f"{folder}/{name}.js: the build cannot bundle {unknown[0].strip()!r}: adapt assets.py")
        done[name] = set(exported)
        parts.append(f"const {bound(name)} = (() => {{\n{body}\nreturn {{ {', '.join(exported)} }};\n}})();\n")

    add(first, ())
    return without_comments('"use strict";\n{\n' + "".join(parts) + "}\n")


def beside(name: str, path: str) -> str:
    """The module that another one calls by a path from its own folder."""
    return posixpath.normpath(posixpath.join(posixpath.dirname(name), path))


def bound(name: str) -> str:
    """What a module's exports are called in a bundle: modules of one name in two folders are two."""
    return "$" + name.replace("/", "$")


def join_styles(files: list[Path], folder: Path) -> str:
    """One style sheet of several, in their order, to stand in ``folder``."""
    texts = {file: colours_of_code() if file.name == CODE else file.read_text(encoding="utf-8") for file in files}
    for file, text in texts.items():
        if file.parent != folder and (found := ADDRESS.search(text)):
            raise HandbookError(f"{file.name} names another file, {found[0]!r}: adapt assets.py")
    return without_comments("".join(f"{text}\n" for text in texts.values()))


@cache
def colours_of_code() -> str:
    """The colours of code in either theme: furo writes them only when all pages are, over those of the light one."""
    return str(get_pygments_stylesheet())


def join_scripts(files: list[Path]) -> str:
    """One script of several, in their order, each in a block of its own."""
    return without_comments("".join(f"{{\n{file.read_text(encoding='utf-8')}\n}}\n" for file in files))


def without_comments(text: str) -> str:
    """A script or a style sheet without the comments on lines of their own."""
    return COMMENT.sub("", text)


def join_assets(app: Sphinx, _page: str, _template: str, context: dict[str, Any], _doctree: Any) -> None:
    """Have a page load one style sheet, and one script in place of all that wait for the page."""
    styles = sorted(context["css_files"], key=lambda style: style.priority)
    waiting = sorted(filter(is_ours, context["script_files"]), key=lambda script: script.priority)
    write(app, STYLES, join_styles([find(app, style) for style in styles], Path(app.outdir, "_static")))
    write(app, SCRIPTS, join_scripts([find(app, script) for script in waiting]))
    context["css_files"] = [type(styles[0])(f"_static/{STYLES}")]
    rest = [script for script in context["script_files"] if script not in waiting]
    context["script_files"] = [*rest, type(waiting[0])(f"_static/{SCRIPTS}", **waiting[0].attributes)]


def lighten_search(app: Sphinx, exception: Exception | None) -> None:
    """Once the site is written: the modules of the search have no comments either."""
    if exception is None and app.builder.format == "html":
        for name in SEARCH:
            if (path := Path(app.outdir, "_static", name)).is_file():
                write(app, name, without_comments(path.read_text(encoding="utf-8")))


def find(app: Sphinx, asset: Any) -> Path:
    """The file of a style sheet or a script; myst-nb copies its own only when all pages are written."""
    path = Path(app.outdir, asset.filename)
    return Path(myst_nb.static.__path__[0], "mystnb.css") if path.name.startswith("mystnb.") else path


def is_ours(script: Any) -> bool:
    """Whether a script is one of those of each page that wait for the page."""
    return "defer" in script.attributes and Path(script.filename).name not in OF_SOME_PAGES


def write(app: Sphinx, name: str, content: str) -> None:
    """Write a file beside the others that pages load, if it is not there as it should be.

    At once: another process may be reading it, to say in its page which version it loads.
    """
    path = Path(app.outdir, "_static", name)
    if not path.is_file() or path.read_text(encoding="utf-8") != content:
        path.parent.mkdir(parents=True, exist_ok=True)
        unfinished = path.with_suffix(f".{os.getpid()}")
        unfinished.write_text(content, encoding="utf-8", newline="\n")
        unfinished.replace(path)
