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
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jupyter_cache import get_cache
from jupyter_cache.base import CacheBundleIn
from jupyter_client.kernelspec import NoSuchKernel
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError
from nbformat.v4 import new_code_cell
from traitlets.config import Config

from shardbook_sphinx.exceptions import HandbookError
from shardbook_sphinx.execution import programs
from shardbook_sphinx.execution.kernels import KernelServer, provisioner
from shardbook_sphinx.execution.notebooks import Page, read_page
from shardbook_sphinx.pins import pinned, pins_file

if TYPE_CHECKING:
    from collections.abc import Iterable

    from jupyter_cache.cache.main import JupyterCacheBase
    from nbformat import NotebookNode
    from sphinx.application import Sphinx
    from sphinx.environment import BuildEnvironment

logging.getLogger("traitlets").setLevel(logging.WARNING)  # nbclient announces each kernel

KERNEL_OPTIONS = [
    "--HistoryManager.enabled=False",  # kernels would share its database
    "--InteractiveShell.xmode=Plain",  # the coloured traceback of an error inside JAX takes IPython a second
]
LONGEST_SOCKET = 80  # a socket file's path may have 107 characters, on macOS 103; ours adds up to 20
MOST_PRINTED = 20_000  # characters
VERSIONS = "from importlib.metadata import version\nprint(version('jax'), version('jaxlib'))"
# What a cell may say of itself; a slip of the pen would switch a check off.
OPTIONS = {"kernel", "label", "limit", "processes", "raises", "same-as", "says", "tags"}
TAGS = {"raises-exception", "remove-cell"}
# The one setting of myst-nb that a page may change; the others could switch its execution off.
ALLOWED = {"execution_timeout"}
ANSI = re.compile(r"\x1b\[[0-9;]*m")
# What differs from run to run or from machine to machine, and what stands for it: addresses, the file that ipykernel
# makes of a cell, and where packages are installed, which an ImportError tells. A path is tried from its beginning
# alone, or a long line would take forever.
CHANGING = {
    re.compile(r"(?<= at )0x[0-9a-f]{6,}\b"): "0x…",
    re.compile(r"(?<![^\s'\"(])[^\s'\"(]*ipykernel_\d+[/\\]\d+\.py"): "<cell>",
    re.compile(r"(?<![^\s'\"(])[^\s'\"(]*[/\\]site-packages[/\\]"): "…/",
}
# What a kernel gets of the reader's shell: where things are. All else could change what a page computes or prints.
KEPT = re.compile(
    r"(PATH|HOME|USER|TMPDIR|TEMP|TMP|SYSTEMROOT|WINDIR|COMSPEC|PATHEXT|.*APPDATA|USERPROFILE|.*_LIBRARY_PATH)$"
)


class PageError(Exception):
    """A page whose cells did not do what it says they do."""

    def __init__(self, page: Page, line: int, source: str, reason: str) -> None:
        indented = "\n".join(f"    {text}" for text in source.splitlines())
        super().__init__(f"{page.path}:{line}: this cell of {page.docname!r}\n{indented}\n{reason}")


def execute_stale_pages(app: Sphinx, env: BuildEnvironment, docnames: list[str]) -> None:
    """Before Sphinx reads: run every page about to be read whose outputs are not cached.

    A build in another language than the source's starts no kernel: it waits for the build that does, if
    ``SHARDBOOK_EXECUTED`` names the file which that build writes, and fails if outputs are missing even so.
    """
    done = os.environ.get("SHARDBOOK_EXECUTED")
    translating = app.config.language != "en"
    if translating and done:
        wait_for(Path(done))
    cache = open_cache(env)
    pages = [page for name in docnames if (page := read_page(env, name))]
    for page in pages:
        if foreign := set(page.options) - ALLOWED:
            told = f"mystnb: may only set {', '.join(ALLOWED)}; remove {', '.join(sorted(foreign))}"
            raise HandbookError(f"{page.path}: {told}")
    stale = [page for page in pages if not is_cached(cache, page)]
    if translating and stale:
        names = ", ".join(page.docname for page in stale)
        raise HandbookError(
            f"no outputs are cached for {names}, and the {app.config.language} build starts no kernel. "
            "Build the English pages first: python3 noxfile.py -s docs"
        )
    if stale:
        default = int(app.config.nb_execution_timeout)
        keep_going = bool(app.config.shardbook_keep_going)
        try:
            running = run_all(stale, cache, default, keep_going=keep_going)
            failures = asyncio.run(running, loop_factory=asyncio.SelectorEventLoop)
        finally:
            KernelServer.stop_all()
        if failures and not keep_going:
            raise HandbookError("\n\n".join(str(failure) for failure in failures))


def let_translations_begin(app: Sphinx, _env: BuildEnvironment, _docnames: list[str]) -> None:
    """Once everything is in the cache: tell the builds in other languages, which wait for it."""
    if app.config.language == "en" and (done := os.environ.get("SHARDBOOK_EXECUTED")):
        Path(done).touch()


def open_cache(env: BuildEnvironment) -> JupyterCacheBase:
    """The cache that myst-nb renders from."""
    return get_cache(env.mystnb_config.execution_cache_path)  # type: ignore[attr-defined]


def wait_for(path: Path) -> None:
    """Wait until another process has made ``path``; the parent of both ends this one if that one fails."""
    parent = os.getppid()
    while not path.exists():
        if os.getppid() != parent:
            raise HandbookError("the build command ended, and with it the build of the English pages")
        time.sleep(0.02)


def is_cached(cache: JupyterCacheBase, page: Page) -> bool:
    """Whether the cache holds outputs for exactly these cells on this kernel."""
    try:
        cache.get_cache_bundle(cache.match_cache_notebook(page.notebook).pk)
    except (KeyError, ValueError):  # never run; or its record is there and its file is gone or spoiled
        return False
    return True


async def run_all(pages: list[Page], cache: JupyterCacheBase, timeout: int, *, keep_going: bool) -> list[PageError]:
    """Run pages, some at once; return the failures, in the order of the pages.

    Outputs of a page that fails are cached only to ``keep_going``: to see, on another JAX, what else has changed.
    """
    # One more than there are cores: a kernel that starts or ends waits more than it works.
    cores, processes = (asyncio.Semaphore((os.cpu_count() or 1) + 1) for _ in range(2))
    finished = 0

    async def run(page: Page) -> PageError | None:
        nonlocal finished
        failure: PageError | None = None
        start = time.perf_counter()
        try:
            sources = await run_apart(page, processes)
            async with cores:
                await run_page(page, sources, timeout, keep_going=keep_going)
        except PageError as error:
            failure = error
        except Exception as error:  # noqa: BLE001, whatever it is, it is told with its page
            failure = PageError(page, 1, "", f"could not be run: {type(error).__name__}: {error}")
        finally:
            finished += 1
        if failure and not keep_going:
            return failure
        seconds = time.perf_counter() - start
        # Printed even under -q: this is the long part of a build.
        print(f"ran [{finished}/{len(pages)}] {page.docname} on {page.kernel} after {seconds:.1f} s", flush=True)
        # Page by page, so that a build stopped half-way keeps what it has run.
        bundle = CacheBundleIn(page.notebook, str(page.path), data={"execution_seconds": seconds})
        cache.cache_notebook_bundle(bundle, check_validity=False, overwrite=True)
        return failure

    # The longest first, so that no core idles at the end; the number of cells is what we know beforehand.
    longest_first = sorted(pages, key=lambda page: -len(page.notebook.cells))
    results = dict(zip((p.docname for p in longest_first), await asyncio.gather(*map(run, longest_first)), strict=True))
    return [failure for page in pages if (failure := results[page.docname])]


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
            kernel_name=page.kernel,
            timeout=timeout,
            record_timing=False,
            allow_errors=keep_going,
            shutdown_kernel="immediate",
            on_cell_start=lambda cell, cell_index: started.append(cell_index),  # noqa: ARG005, nbclient names them
            extra_arguments=KERNEL_OPTIONS,
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


async def run_apart(page: Page, at_once: asyncio.Semaphore) -> dict[int, str]:
    """Run what cells ask to be run apart, and have the kernel tell of it; their own sources, by their places."""
    for line, cell in page.code_cells():
        problem = programs.options(cell.metadata)
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
        async with at_once:
            return await asyncio.to_thread(programs.call, cell.source, cell.metadata, environment)

    calls = await asyncio.gather(*(run(cells[place]) for place in places))
    sources = {place: cells[place].source for place in places}
    for place, code in zip(places, calls, strict=True):
        cells[place].source = code
    return sources


def kernel_environment(folder: str) -> dict[str, str]:
    """The environment of every kernel: CPU devices only, nothing of the reader's shell, IPython's files apart."""
    kept = {name: value for name, value in os.environ.items() if KEPT.match(name.upper())}
    source = str(Path(__file__).parents[2])
    ours = {
        "JAX_PLATFORMS": "cpu",
        "PYTHONPATH": source,
        "PYTHONHASHSEED": "0",
        "SHARDBOOK_LANGUAGES": "en,zh",
        "SHARDBOOK_STYLE": "linked",
    }
    return kept | ours | {"IPYTHONDIR": folder, "COLUMNS": "100", "LANG": "C.UTF-8", "TZ": "UTC"}


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


def merge_streams(cell: NotebookNode) -> None:
    """Join what a cell printed: how often a kernel flushes differs from run to run."""
    merged: dict[str, NotebookNode] = {}
    outputs = []
    for output in cell.outputs:
        if output.output_type == "stream" and output.name in merged:
            merged[output.name].text += output.text
            continue
        if output.output_type == "stream":
            merged[output.name] = output
        outputs.append(output)
    cell.outputs = outputs


def check_versions(page: Page, asked: NotebookNode) -> None:
    """Fail if a kernel runs on another JAX than the pins of its name say."""
    pins = pinned(page.kernel)
    wanted = {name: pins[name] for name in ("jax", "jaxlib")}
    running = "".join(output.get("text", "") for output in asked.outputs).split()
    if running != list(wanted.values()):
        told = f"{pins_file(page.kernel).name} pins {wanted}, but the kernel {page.kernel!r} has {running}. "
        raise PageError(page, 1, "", told + "Make it anew: remove .nox, then python3 noxfile.py -s kernels")


def check_outputs(cell: NotebookNode) -> str | None:
    """Check an executed cell against what it announces; the problem, or ``None``.

    A cell that raises on purpose carries the tag ``raises-exception`` and names the type in ``raises``.
    """
    if unknown := (set(cell.metadata) - OPTIONS) | (set(cell.metadata.get("tags", [])) - TAGS):
        allowed = ", ".join(sorted(OPTIONS | TAGS))
        return f"says {', '.join(sorted(unknown))}, which means nothing here. Options and tags are: {allowed}."
    if cell.source.lstrip().startswith("%%"):
        return "hides what it does in a cell magic: write plain Python."
    raised = [output.ename for output in cell.outputs if output.output_type == "error"]
    expected = cell.metadata.get("raises")
    tagged = "raises-exception" in cell.metadata.get("tags", [])
    if tagged != bool(expected):
        return "must carry both the tag raises-exception and the option raises: TYPE, or neither."
    if expected and raised != [expected]:
        return f"should raise {expected}, but raised {raised[0] if raised else 'nothing'}."
    if problem := check_message(cell):
        return problem
    longest = max((len(output.get("text", "")) for output in cell.outputs), default=0)
    if longest > MOST_PRINTED:
        return (
            f"prints {longest} characters, which nobody reads and which take Pygments minutes: at most {MOST_PRINTED}."
        )
    warned = [output.text for output in cell.outputs if output.get("name") == "stderr"]
    if warned:
        return "wrote to stderr, which no reader should have to see:\n" + "".join(warned)
    return None


def check_message(cell: NotebookNode) -> str | None:
    """Check that the message of a cell's error says what the cell announces in ``says``; line breaks do not count."""
    says = cell.metadata.get("says")
    if says is None:
        return None
    messages = [" ".join(output.evalue.split()) for output in cell.outputs if output.output_type == "error"]
    if not messages:
        return "says what a message says, but raises nothing: give it raises, or remove says."
    if " ".join(str(says).split()) not in messages[0]:
        return f"should raise a message with {says!r}, but it says {messages[0]!r}."
    return None


def make_reproducible(output: NotebookNode) -> None:
    """Take from an output what differs from run to run: memory addresses, and a traceback's paths and frames."""
    if output.output_type == "error":
        output.evalue = reproducible(output.evalue)
        output.traceback = [f"{output.ename}: {output.evalue}".removesuffix(": ")]
    elif output.output_type == "stream":
        output.text = reproducible(output.text)
    else:
        output.data = {kind: reproducible(data) for kind, data in output.data.items()}


def reproducible(data: Any) -> Any:
    """What was said, if it was said in words, without what changes."""
    if isinstance(data, str):
        for pattern, text in CHANGING.items():
            data = pattern.sub(text, data)
    return data


def cached_notebooks(env: BuildEnvironment, docnames: Iterable[str]) -> dict[str, NotebookNode]:
    """The executed notebooks of pages, by name, from the cache; each must have been run."""
    cache = open_cache(env)
    pages = (page for name in docnames if (page := read_page(env, name)))
    return {page.docname: cache.merge_match_into_notebook(page.notebook)[1] for page in pages}
