"""Which pages are read and written again: by what files say, and never by their times.

Sphinx goes by times: a file restored with an old one, or a clock set back, would leave an old page. And it knows
neither that every page shows the titles of others, nor what a build left behind that was stopped while it wrote.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

import psutil
from sphinx.addnodes import toctree

from shardbook_sphinx import fingerprint
from shardbook_sphinx.domain import handbook

if TYPE_CHECKING:
    from collections.abc import Iterable

    from docutils import nodes
    from sphinx.application import Sphinx
    from sphinx.builders.html import StandaloneHTMLBuilder
    from sphinx.environment import BuildEnvironment

SUBJECT = "content"
CATALOGUES = Path("locale/zh_CN/LC_MESSAGES")
WRITING = "writing-"
# The file that a cell is.
LOADED = re.compile(rb"^:load: (.+)$", re.MULTILINE)


def machinery(root: Path) -> str:
    """A hash of what decides how any page is read."""
    sources = [root / "conf.py", root / "docs" / CATALOGUES / "sphinx.po"]
    sources += [*root.glob("src/**/*.py"), *root.glob("docs/_data/**/*.json")]
    releases = [line for pins in sorted(root.glob("requirements/*.txt")) for line in fingerprint.pins(pins.read_text())]
    return fingerprint.digest([fingerprint.files(filter(Path.is_file, sources), root), *releases])


def look(root: Path) -> str:
    """A hash of what stands around each page."""
    folders = ("docs/_templates", "docs/_static")
    files = [path for folder in folders for path in (root / folder).rglob("*") if path.is_file()]
    return fingerprint.files([*files, *root.glob("src/shardbook/*.css")], root)


def content(app: Sphinx, docname: str) -> str:
    """A hash of what a page says, in the language of the build."""
    catalogue = Path(app.srcdir) / CATALOGUES / f"{docname}.po"
    page = Path(app.env.doc2path(docname))
    loaded = [page.parent / name.decode() for name in LOADED.findall(page.read_bytes())]
    files = [page, catalogue if app.config.language != "en" else None, *loaded]
    return fingerprint.digest(path.read_bytes() for path in files if path and path.is_file())


def note_content(app: Sphinx, _doctree: nodes.document) -> None:
    """After a page is read: keep what it said."""
    handbook(app.env).note(SUBJECT, content(app, app.env.current_document.docname))


def find_outdated(
    app: Sphinx, env: BuildEnvironment, _added: Iterable[str], _changed: Iterable[str], removed: Iterable[str]
) -> list[str]:
    """Before reading: the pages that say something else than when they were read; drop what removed ones left."""
    if app.builder.format == "html":
        builder: StandaloneHTMLBuilder = app.builder  # type: ignore[assignment]
        for docname in removed:
            Path(builder.get_output_path(docname)).unlink(missing_ok=True)
    domain = handbook(env)
    if domain.changed("machinery", machinery(Path(app.confdir))):
        return sorted(env.found_docs)
    return [name for name in sorted(env.found_docs) if domain.said(name, SUBJECT) != content(app, name)]


def rewrite(app: Sphinx, env: BuildEnvironment) -> list[str]:
    """Once all is read: all pages, if something has changed that each shows, or a build was stopped while it wrote."""
    titles = {name: title.astext() for name, title in sorted(env.titles.items())}
    trees = {name: [str(tree) for tree in toc.findall(toctree)] for name, toc in sorted(env.tocs.items())}
    domain = handbook(env)
    changes = [
        domain.changed("navigation", repr((titles, trees))),
        domain.changed("look", look(Path(app.confdir))),
        was_stopped(Path(app.doctreedir)),
    ]
    return sorted(env.found_docs) if any(changes) else []


def was_stopped(folder: Path) -> bool:
    """Whether a build that has ended left the mark of one that writes; its mark is removed."""
    left = [mark for mark in folder.glob(f"{WRITING}*") if not psutil.pid_exists(int(mark.name.removeprefix(WRITING)))]
    for mark in left:
        mark.unlink(missing_ok=True)
    return bool(left)


def begin_writing(app: Sphinx, _builder: object) -> None:
    """Before pages are written: leave a mark, so that the next build knows if this one is stopped."""
    Path(app.doctreedir, f"{WRITING}{os.getpid()}").touch()


def end_writing(app: Sphinx, exception: Exception | None) -> None:
    """Once all is written: remove the mark, but not if another build has written at the same time."""
    marks = list(Path(app.doctreedir).glob(f"{WRITING}*"))
    if exception is None and len(marks) == 1:
        marks[0].unlink()


def setup(app: Sphinx) -> None:
    """Have pages read and written again when they must be."""
    app.connect("env-get-outdated", find_outdated)
    app.connect("doctree-read", note_content)
    app.connect("env-updated", rewrite)
    app.connect("write-started", begin_writing, priority=0)
    app.connect("build-finished", end_writing, priority=1000)
