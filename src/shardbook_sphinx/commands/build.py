"""Build the handbook in both languages at once: python -m shardbook_sphinx.commands.build.

The English build runs the cells; the Chinese one starts with it and waits for the outputs; then both read and write
their pages, each on a core of its own.
"""

from __future__ import annotations

import argparse
import importlib
import io
import json
import multiprocessing
import os
import shutil
import sys
import tempfile
from hashlib import sha256
from multiprocessing.connection import wait
from pathlib import Path
from typing import Any, TextIO

import psutil

from shardbook_sphinx import fingerprint
from shardbook_sphinx.commands.site_root import write_root
from shardbook_sphinx.downloads.archive import ARCHIVE, write_archive
from shardbook_sphinx.downloads.wheel import wheel_name, write_wheel
from shardbook_sphinx.entries import in_sources
from shardbook_sphinx.languages import ADDRESS, ELSEWHERE, LANGUAGES, PICTURE, site_address
from shardbook_sphinx.translation import compiled
from shardbook_sphinx.xla.cases import FOLDER, TABLES, are_wanted

# What both builds import, half of the time of a rebuild.
PRELOADED = (
    "jax",
    "sphinx.application",
    "sphinx.builders.html",
    "furo",
    "myst_nb.sphinx_ext",
    "shardbook_sphinx.execution.run",
    "shardbook_sphinx.search.index",
)
# Environment variables that change the site.
SETTINGS = (ADDRESS, "SOURCE_DATE_EPOCH", *ELSEWHERE)


def build(root: Path, *, languages: list[str], strict: bool) -> int:
    """Build ``root``/site; the exit code. What has not changed since a build that passed is not done again."""
    address = site_address()
    site, state = root / "site", root / ".build"
    stamp, unfinished, made_by = state / "stamp", state / "unfinished", state / "made-by"
    files = {path.relative_to(root).as_posix(): sha256(path.read_bytes()).hexdigest() for path in input_files(root)}
    settings = [strict, *(os.environ.get(name) for name in SETTINGS)]
    inputs = json.dumps({"files": files, "settings": settings, "languages": languages})
    if not unfinished.exists() and read(stamp) == inputs and all(map(Path.is_file, products(root, languages))):
        print("Nothing has changed since the last build.")
        return announce(site, languages)
    # Sphinx would keep pages that a lenient build let pass, what was made of files that are gone, another release's.
    pins = fingerprint.pins((root / "requirements/site.txt").read_text(encoding="utf-8"))
    maker = json.dumps([settings, pins, [name for name in files if not name.endswith((".md", ".po"))]])
    if unfinished.exists():
        if (process := read(unfinished)) and psutil.pid_exists(int(process)):
            print(f"Process {process} is building here; if it is not, remove {unfinished}.", file=sys.stderr)
            return 1
        # A build was stopped while it wrote: Sphinx would take half a page for a whole one. Outputs stay cached.
        print("The last build did not end: all pages are written again.")
    if unfinished.exists() or read(made_by) != maker:
        shutil.rmtree(site, ignore_errors=True)
        shutil.rmtree(state / "doctrees", ignore_errors=True)
    state.mkdir(exist_ok=True)
    compiled.remove_stale(root)  # once, not in each language
    stamp.unlink(missing_ok=True)
    unfinished.write_text(str(os.getpid()))
    made_by.write_text(maker)
    with tempfile.TemporaryDirectory() as folder:
        failed = run_builds(root, languages, strict=strict, executed=Path(folder, "executed"))
    # A build that failed leaves whole pages behind; one that was killed may not.
    unfinished.unlink()
    if failed:
        # Sphinx warns of a page when it reads it: what is read again warns again.
        for name in languages:
            shutil.rmtree(state / "doctrees" / name, ignore_errors=True)
        print(f"The {' and '.join(failed)} build failed; see above.", file=sys.stderr)
        return 1
    written = [page.as_posix() for page in html_pages(root)]
    write_root(root, languages, written, address)
    write_wheel(root)
    write_archive(site)
    stamp.write_text(inputs)
    return announce(site, languages)


def pages(root: Path) -> list[Path]:
    """The pages that are to be built, relative to docs/."""
    return sorted(path.relative_to(root / "docs") for path in (root / "docs").rglob("*.md"))


def html_pages(root: Path) -> list[Path]:
    """What is written of the pages and of the entries in them, relative to the folder of a language."""
    return [*(page.with_suffix(".html") for page in pages(root)), *in_sources(root / "docs")]


def products(root: Path, languages: list[str]) -> list[Path]:
    """The files by which a whole site is known."""
    site = root / "site"
    forms = [page.with_suffix(suffix) for page in pages(root) for suffix in (".ipynb", ".md")] + html_pages(root)
    forms.append(Path("pagefind/names.json"))
    if are_wanted(root / "docs"):
        forms += [Path(FOLDER, f"{name}.js") for name in TABLES]
    return [
        site / "index.html",
        site / ARCHIVE,
        site / wheel_name(root),
        *(site / name / form for name in languages for form in forms),
    ]


def read(path: Path) -> str:
    """What a file says, or "" if there is none."""
    return path.read_text() if path.is_file() else ""


def input_files(root: Path) -> list[Path]:
    """All that the site is made from."""
    files = [path for folder in ("docs", "src", "requirements") for path in (root / folder).rglob("*")]
    made = {".mo", ".pyc"}
    return [root / "conf.py", root / PICTURE, *(path for path in files if path.is_file() and path.suffix not in made)]


def run_builds(root: Path, languages: list[str], *, strict: bool, executed: Path) -> list[str]:
    """Run Sphinx for each language, side by side; the names of those that failed."""
    start: Any = multiprocessing.get_context("fork" if sys.platform == "linux" else "spawn")
    if sys.platform == "linux":
        for module in PRELOADED:  # once, for all languages
            importlib.import_module(module)
    environment = {"SHARDBOOK_EXECUTED": str(executed)} if "en" in languages else {}
    running = {}
    for name in languages:
        running[name] = start.Process(target=run_sphinx, args=(root, name, environment), kwargs={"strict": strict})
        running[name].start()
    failed = []
    try:
        while running:
            wait([process.sentinel for process in running.values()])
            for name, process in list(running.items()):
                if process.is_alive():
                    continue
                del running[name]
                if process.exitcode:
                    failed.append(name)
                    # The others may be waiting for outputs that will never come.
                    if not executed.exists():
                        for other in running.values():
                            other.terminate()
    finally:
        for process in running.values():
            process.kill()
    return sorted(failed)


def run_sphinx(root: Path, name: str, environment: dict[str, str], *, strict: bool) -> None:
    """Be the process that builds one language; end with the exit code."""
    os.environ.update({"SOURCE_DATE_EPOCH": "0"} | os.environ | environment)
    accept_all_characters()
    sys.stdout, sys.stderr = Marked(sys.stdout, name), Marked(sys.stderr, name)
    sys.exit(build_language(root, name, strict=strict))


def build_language(root: Path, name: str, *, strict: bool) -> int | str:
    """Build one language: the exit code, or the message of a fault in the handbook.

    ``sphinx-build`` would print that message within a page on Sphinx itself.
    """
    # Not above: the command need not load Sphinx to see that nothing changed.
    from sphinx.application import Sphinx  # noqa: PLC0415
    from sphinx.util.console import nocolor  # noqa: PLC0415
    from sphinx.util.docutils import docutils_namespace, patch_docutils  # noqa: PLC0415

    from shardbook_sphinx.exceptions import HandbookError  # noqa: PLC0415

    nocolor()
    settings = {"language": next(each for each, told in LANGUAGES.items() if told.folder == name)}
    if address := site_address():
        settings["html_baseurl"] = f"{address}{name}/"
    folders = (root / "docs", root, root / "site" / name, root / ".build/doctrees" / name)
    try:
        with patch_docutils(root), docutils_namespace():
            app = Sphinx(*folders, "html", settings, status=None, warning=sys.stderr, warningiserror=strict)
            app.build()
    except HandbookError as error:
        return str(error)
    return app.statuscode


def accept_all_characters() -> None:
    """Print what a console cannot show as "?": an error message must not be lost to an arrow in it."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")


class Marked(io.TextIOBase):
    """A stream whose lines begin with the language that is being built."""

    def __init__(self, stream: TextIO, name: str) -> None:
        self.stream = stream
        self.name = name
        self.begun = ""

    def write(self, text: str) -> int:
        """Pass on whole lines, each in one piece, so that two builds do not write into each other's."""
        *lines, self.begun = (self.begun + text).split("\n")
        for line in lines:
            self.stream.write(f"{self.name} | {line}\n")
        self.stream.flush()
        return len(text)


def announce(site: Path, languages: list[str]) -> int:
    """Say which file to open."""
    first = site / "index.html" if len(languages) > 1 else site / languages[0] / "index.html"
    print(f"Open {first.resolve().as_uri()}")
    return 0


def main() -> int:
    """Read the command line and build."""
    accept_all_characters()
    folders = [each.folder for each in LANGUAGES.values()]
    parser = argparse.ArgumentParser(
        prog="python -m shardbook_sphinx.commands.build", description=(__doc__ or "").split("\n")[0]
    )
    parser.add_argument("--only", choices=folders, help="build one language")
    parser.add_argument("--lenient", action="store_true", help="let warnings pass, as while writing")
    options = parser.parse_args()
    languages = [options.only] if options.only else folders
    return build(Path.cwd(), languages=languages, strict=not options.lenient)


if __name__ == "__main__":
    raise SystemExit(main())
