"""Every page's notebook runs as it was downloaded, in a kernel that knows nothing of the site's."""

import asyncio
import os
import time

import nbformat
import pytest
from checkout import CHECKOUT
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError
from nbformat.v4 import new_code_cell, new_notebook
from traitlets.config import Config

KERNELS = 2
# Where things are, and nothing that decides what a cell computes.
KEPT = ("HOME", "LD_LIBRARY_PATH", "PATH", "SYSTEMROOT", "TEMP", "TMP", "TMPDIR")


async def run(path, folder, gate):
    """Run a notebook in a kernel of its own; what is wrong with it."""
    notebook = nbformat.read(path, as_version=4)
    folder.mkdir()
    manager = {"transport": "ipc" if os.name == "posix" else "tcp", "connection_file": str(folder / "k.json")}
    client = NotebookClient(
        notebook,
        config=Config(AsyncKernelManager=manager),
        timeout=300,
        shutdown_kernel="immediate",
        extra_arguments=["--HistoryManager.enabled=False", "--InteractiveShell.xmode=Plain"],
    )
    source = {"PYTHONPATH": str(CHECKOUT / "src"), "IPYTHONDIR": str(folder)}
    async with gate:
        try:
            await client.async_execute(env={name: os.environ[name] for name in KEPT if name in os.environ} | source)
        except CellExecutionError as error:
            return [str(error)]
    return [
        f"raises nothing:\n{cell.source}"
        for cell in notebook.cells
        if "raises-exception" in cell.metadata.get("tags", [])
        and not any(output.output_type == "error" for output in cell.outputs)
    ]


def run_all(paths, folder):
    """Run notebooks, some at once; what is wrong, by notebook."""

    async def gather():
        gate = asyncio.Semaphore(KERNELS)
        return await asyncio.gather(
            *(run(path, folder / str(place), gate) for place, path in enumerate(paths)), return_exceptions=True
        )

    return {
        path: found
        for path, found in zip(paths, asyncio.run(gather(), loop_factory=asyncio.SelectorEventLoop), strict=True)
        if found
    }


def code(path):
    """The code cells of a notebook with their tags."""
    cells = nbformat.read(path, as_version=4).cells
    return [(cell.source, cell.metadata) for cell in cells if cell.cell_type == "code"]


@pytest.fixture
def folder(tmp_path_factory):
    """A folder whose name is short enough for a socket file in it."""
    return tmp_path_factory.mktemp("k")


def test_every_notebook_runs(handbook, folder, capsys):
    paths = sorted((handbook.root / "site/en").rglob("*.ipynb"))
    with_code = [path for path in paths if code(path)]
    start = time.perf_counter()
    found = run_all(with_code, folder)
    with capsys.disabled():
        cells = sum(len(code(path)) for path in with_code)
        print(f"\n{len(with_code)} notebooks, {cells} cells, {KERNELS} kernels: {time.perf_counter() - start:.0f} s")
    assert found == {}
    assert len(with_code) > len(paths) / 2


def test_the_code_is_the_same_in_both_languages(handbook):
    english = sorted((handbook.root / "site/en").rglob("*.ipynb"))
    for path in english:
        assert code(path) == code(handbook.root / "site/zh" / path.relative_to(handbook.root / "site/en")), path


@pytest.mark.parametrize(
    ("source", "tags", "told"),
    [("1 / 0", [], "ZeroDivisionError"), ("import jax", ["raises-exception"], "raises nothing:\nimport jax")],
)
def test_a_notebook_that_does_not_do_what_it_says_is_found(folder, source, tags, told):
    path = folder / "planted.ipynb"
    cell = new_code_cell(source, metadata={"tags": tags})
    kernel = {"name": "python3", "display_name": "Python 3"}
    nbformat.write(new_notebook(cells=[cell], metadata={"kernelspec": kernel}), path)
    [problem] = run_all([path], folder)[path]
    assert told in problem
