"""Run the cells of stale pages on all cores, into the cache that myst-nb renders from.

myst-nb runs pages one after another while it reads them, and Sphinx's own parallel reading lets jupyter-cache
create its tables twice and lets kernels pick the same TCP port. Here one process starts every kernel, talks to it
over a socket file where the platform has them, and alone writes the cache.
"""

from __future__ import annotations

import asyncio
import logging
import os
import re
import tempfile
import time
from copy import deepcopy
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jupyter_cache.base import CacheBundleIn
from jupyter_client.kernelspec import NoSuchKernel
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError
from nbformat.v4 import new_code_cell
from traitlets.config import Config

from shardbook_sphinx.compilers import KERNEL as CHIPS
from shardbook_sphinx.compilers.store import CompilerRecords
from shardbook_sphinx.domain import handbook
from shardbook_sphinx.exceptions import HandbookError
from shardbook_sphinx.execution import programs
from shardbook_sphinx.execution.checks import ALLOWED, check_outputs, options
from shardbook_sphinx.execution.kernels import KERNEL_OPTIONS, ForkServer, kernel_environment, provisioner
from shardbook_sphinx.execution.reproducible import make_reproducible, merge_streams
from shardbook_sphinx.pins import ROOT, pinned, pins_file
from shardbook_sphinx.recorded import recorded_file

if TYPE_CHECKING:
    from collections.abc import Iterable

    from jupyter_cache.cache.main import JupyterCacheBase
    from nbformat import NotebookNode
    from sphinx.application import Sphinx
    from sphinx.environment import BuildEnvironment

    from shardbook_sphinx.notebooks import Page

logging.getLogger("traitlets").setLevel(logging.WARNING)  # nbclient announces each kernel

LONGEST_SOCKET = 80  # a socket file's path may have 107 characters, on macOS 103; ours adds up to 20
AT_ONCE_A_CORE = 2
SECONDS_A_CELL = 0.2
VERSIONS = "from importlib.metadata import version\nprint(version('jax'), version('jaxlib'))"
ANSI = re.compile(r"\x1b\[[0-9;]*m")


class PageError(Exception):
    """A page whose cells did not do what it says they do."""

    def __init__(self, page: Page, line: int, source: str, reason: str) -> None:
        indented = "\n".join(f"    {text}" for text in source.splitlines())
        super().__init__(f"{page.path}:{line}: this cell of {page.docname!r}\n{indented}\n{reason}")


def run_stale_pages(app: Sphinx, env: BuildEnvironment, docnames: Iterable[str]) -> None:
    """Run every page about to be read whose outputs are not cached.

    A build in another language than the source's starts no kernel, and fails if outputs are missing.
    """
    notebooks = handbook(env).notebooks
    pages = [page for name in docnames if (page := notebooks.page(name))]
    for page in pages:
        if foreign := set(page.options) - ALLOWED:
            told = f"mystnb: may only set {', '.join(ALLOWED)}; remove {', '.join(sorted(foreign))}"
            raise HandbookError(f"{page.path}: {told}")
    stale = [page for page in pages if not notebooks.is_cached(page)]
    if stale and app.config.language != "en":
        names = ", ".join(page.docname for page in stale)
        raise HandbookError(
            f"no outputs are cached for {names}, and the {app.config.language} build starts no kernel. "
            "Build the English pages first: python3 noxfile.py -s docs"
        )
    if stale:
        default = int(app.config.nb_execution_timeout)
        keep_going = bool(app.config.shardbook_keep_going)
        try:
            # Outputs are written into copies: the notebooks are yet to be read as the pages have them.
            running = run_all([deepcopy(page) for page in stale], notebooks.cache, default, keep_going=keep_going)
            failures = asyncio.run(running, loop_factory=asyncio.SelectorEventLoop)
        finally:
            ForkServer.stop_all()
        if failures and not keep_going:
            raise HandbookError("\n\n".join(str(failure) for failure in failures))


def wait_for_outputs() -> None:
    """In another language than the source's: wait for the build that runs the cells, if there is one beside.

    It makes the file that ``SHARDBOOK_EXECUTED`` names; the parent of both ends this one if that one fails.
    """
    parent, done = os.getppid(), Path(os.environ.get("SHARDBOOK_EXECUTED", os.curdir))
    while not done.exists():
        if os.getppid() != parent:
            raise HandbookError("the build command ended, and with it the build of the English pages")
        time.sleep(0.02)


def let_translations_begin() -> None:
    """Once everything is in the cache: tell the builds in other languages, which wait for it."""
    if done := os.environ.get("SHARDBOOK_EXECUTED"):
        Path(done).touch()


async def run_all(pages: list[Page], cache: JupyterCacheBase, timeout: int, *, keep_going: bool) -> list[PageError]:
    """Run pages, some at once; return the failures, in the order of the pages.

    Outputs of a page that fails are cached only to ``keep_going``: to see, on another JAX, what else has changed.
    """
    # A kernel that starts or ends, and a program that waits for another, leave their core to others.
    kernels, processes = (asyncio.Semaphore(AT_ONCE_A_CORE * (os.cpu_count() or 1)) for _ in range(2))
    begun = time.perf_counter()
    last = ""
    finished = 0

    async def run(page: Page) -> PageError | None:
        nonlocal finished, last
        failure: PageError | None = None
        apart, start = 0.0, time.perf_counter()
        try:
            sources = await run_apart(page, processes)
            apart = time.perf_counter() - begun
            async with kernels:
                start = time.perf_counter()
                await run_page(page, sources, timeout, keep_going=keep_going)
        except PageError as error:
            failure = error
        except Exception as error:  # noqa: BLE001, whatever it is, it is told with its page
            failure = PageError(page, 1, "", f"could not be run: {type(error).__name__}: {error}")
        finally:
            finished += 1
        if failure and not keep_going:
            return failure
        end = time.perf_counter()
        # Printed even under -q: this is the long part of a build.
        told = f"ran [{finished}/{len(pages)}] {page.docname} on {page.kernel} after {end - begun:.1f} s"
        print(told, flush=True)
        spent = (apart, start - begun - apart, end - start)
        last = "{}: programs {:.1f} s, its turn {:.1f} s, its kernel {:.1f} s".format(page.docname, *spent)
        # Page by page, so that a build stopped half-way keeps what it has run.
        bundle = CacheBundleIn(page.notebook, str(page.path))
        cache.cache_notebook_bundle(bundle, check_validity=False, overwrite=True)
        return failure

    # The longest first, so that no core idles at the end.
    longest_first = sorted(pages, key=expected_seconds, reverse=True)
    results = dict(zip((p.docname for p in longest_first), await asyncio.gather(*map(run, longest_first)), strict=True))
    if last:
        print(f"the last to end was {last}", flush=True)
    return [failure for page in pages if (failure := results[page.docname])]


def expected_seconds(page: Page) -> float:
    """How long a page will take, roughly: what its programs may take, and the time of so many cells."""
    cells = [cell for _, cell in page.code_cells()]
    return sum(map(programs.expected_seconds, (cell.metadata for cell in cells))) + SECONDS_A_CELL * len(cells)


async def run_page(page: Page, sources: dict[int, str], timeout: int, *, keep_going: bool) -> None:
    """Run a page's cells in a kernel of their own and leave the outputs, made reproducible, in its notebook.

    ``sources`` are those of the cells that were run apart, by their places.
    """
    if not page.kernel:
        raise PageError(page, 1, "", "names no kernel: add kernelspec: {name: python3} to its front matter.")
    started: list[int] = []
    timeout = int(page.options.get("execution_timeout", timeout))
    # One more cell, for us: which JAX this is. The pins know which it should be.
    asked = new_code_cell(VERSIONS)  # type: ignore[no-untyped-call]
    page.notebook.cells.append(asked)
    with tempfile.TemporaryDirectory(prefix="sb", ignore_cleanup_errors=True) as folder:
        # A TCP port is chosen before the kernel binds it: another kernel can come between. A socket file is ours alone.
        transport = "ipc" if os.name == "posix" and len(folder) < LONGEST_SOCKET else "tcp"
        manager = {"transport": transport, "connection_file": str(Path(folder, "kernel.json"))}
        client = NotebookClient(
            page.notebook,
            config=Config(AsyncKernelManager=manager),
            kernel_name="python3" if page.kernel == CHIPS else page.kernel,
            timeout=timeout,
            record_timing=False,
            allow_errors=keep_going,
            shutdown_kernel="immediate",
            on_cell_start=lambda cell, cell_index: started.append(cell_index),  # noqa: ARG005, nbclient names them
            extra_arguments=[*KERNEL_OPTIONS, *replayed(page)],
        )
        try:
            kernel: Any = client.create_kernel_manager()
            kernel.kernel_spec.metadata["kernel_provisioner"] = {"provisioner_name": provisioner(page.notebook)}
            await client.async_execute(env=kernel_environment(folder), cwd=folder)
        except NoSuchKernel:
            raise PageError(
                page,
                1,
                "",
                f"names the kernel {page.kernel!r}, which is not there. Make it: python3 noxfile.py -s kernels",
            ) from None
        except (CellExecutionError, CellTimeoutError, DeadKernelError) as error:
            # A kernel that dies before the first cell is told of at the top of the page.
            place = min(started[-1] if started else 0, len(page.notebook.cells) - 2)
            line, cell = page.cell(place)
            raise PageError(page, line, sources.get(place, cell.source), explain(error, timeout)) from error
        finally:
            page.notebook.cells.remove(asked)
            for place, source in sources.items():
                page.notebook.cells[place].source = source
            for _, cell in page.code_cells():
                merge_streams(cell)
                for output in cell.outputs:
                    make_reproducible(output)
    check_versions(page, asked)
    for line, cell in page.code_cells():
        if problem := check_outputs(cell):
            raise PageError(page, line, cell.source, problem)


def replayed(page: Page) -> list[str]:
    """The kernel's options for a page on chips: what compilers give comes from its records."""
    if page.kernel != CHIPS:
        return []
    path = recorded_file(ROOT, page.docname)
    if problem := CompilerRecords.read(path).stale(pinned(CHIPS)):
        raise PageError(page, 1, "", problem)
    start = f"from shardbook_sphinx.compilers.replay import install; install({str(path)!r})"
    return [f"--IPKernelApp.exec_lines={start}"]


async def run_apart(page: Page, at_once: asyncio.Semaphore) -> dict[int, str]:
    """Run what cells ask to be run apart, and have the kernel tell of it; their own sources, by their places."""
    for line, cell in page.code_cells():
        problem = options(cell.metadata)
        if "processes" in cell.metadata and page.kernel != "python3":
            problem = f"runs on today's JAX, and the page on {page.kernel}."
        if problem:
            raise PageError(page, line, cell.source, problem)
    cells = page.notebook.cells
    places = [
        place for place, cell in enumerate(cells) if cell.cell_type == "code" and programs.is_apart(cell.metadata)
    ]

    environment = kernel_environment(tempfile.gettempdir())

    async def run(cell: NotebookNode) -> str:
        if "processes" not in cell.metadata:
            return programs.call(cell.source, cell.metadata, environment)
        async with at_once:
            return await asyncio.to_thread(programs.call, cell.source, cell.metadata, environment)

    calls = await asyncio.gather(*(run(cells[place]) for place in places))
    sources = {place: cells[place].source for place in places}
    for place, code in zip(places, calls, strict=True):
        cells[place].source = code
    return sources


def explain(error: Exception, timeout: int) -> str:
    """Say why a cell stopped, in plain text: its traceback, its time limit or its kernel's end."""
    if isinstance(error, CellTimeoutError):
        return (
            f"did not end within {timeout} s. If it needs longer, say so in the page's front matter: "
            "mystnb: {execution_timeout: SECONDS}"
        )
    if isinstance(error, DeadKernelError):
        return "ended its kernel: the process stopped before it answered."
    return "raised\n" + ANSI.sub("", str(error))


def check_versions(page: Page, asked: NotebookNode) -> None:
    """Fail if a kernel runs on another JAX than the pins of its name say."""
    pins = pinned(page.kernel)
    wanted = {name: pins[name] for name in ("jax", "jaxlib")}
    running = "".join(output.get("text", "") for output in asked.outputs).split()
    if running != list(wanted.values()):
        told = f"{pins_file(page.kernel).name} pins {wanted}, but the kernel {page.kernel!r} has {running}. "
        raise PageError(page, 1, "", told + "Make it anew: remove .nox, then python3 noxfile.py -s kernels")
