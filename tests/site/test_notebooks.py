"""A page's notebook has the code of the page, and runs as it was downloaded, in a kernel that knows nothing of the site's.

What its cells print there is what the page shows: so the outputs of the site are those that anyone gets.
"""

import asyncio
import os
import random
import re
import time

import nbformat
import pytest
import site_checks
from checkout import CHECKOUT
from long import LONG, SEED
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError
from nbformat.v4 import new_code_cell, new_notebook
from traitlets.config import Config

from shardbook_sphinx.downloads.markdown import fenced
from shardbook_sphinx.downloads.pages import shown
from shardbook_sphinx.execution.reproducible import make_reproducible, merge_streams

KERNELS = 2
# Of the notebooks on each kernel; all in nox -s long.
SAMPLE = {"python3": 6, "jax-0.5.3": 1}
# Where things are, and nothing that decides what a cell computes.
KEPT = ("HOME", "LD_LIBRARY_PATH", "PATH", "SYSTEMROOT", "TEMP", "TMP", "TMPDIR")
SETUP = 'import os\n\nos.environ["JAX_PLATFORMS"] = "cpu"'
LOAD = re.compile(r"^:load: (.+)$", re.MULTILINE)
APART = re.compile(r"^:(?:kernel|processes):", re.MULTILINE)


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
    # The page's width of lines, and its order of a set, which one of JAX's messages prints.
    ours = {"PYTHONPATH": str(CHECKOUT / "src"), "IPYTHONDIR": str(folder), "COLUMNS": "100", "PYTHONHASHSEED": "0"}
    async with gate:
        try:
            await client.async_execute(env={name: os.environ[name] for name in KEPT if name in os.environ} | ours)
        except CellExecutionError as error:
            return [str(error)]
    raises_nothing = [
        f"raises nothing:\n{cell.source}"
        for cell in notebook.cells
        if "raises-exception" in cell.metadata.get("tags", [])
        and not any(output.output_type == "error" for output in cell.outputs)
    ]
    return raises_nothing + differences(notebook, path.with_suffix(".md"))


def differences(notebook, page):
    """What cells of an executed notebook say otherwise than the page, which has their code and, below it, the same."""
    text = page.read_text(encoding="utf-8") if page.exists() else ""
    found, place = [], 0
    for cell in notebook.cells:
        if cell.cell_type != "code" or (code := fenced(cell.source, "python")) not in text[place:]:
            continue  # the setup, a hidden cell, or an example, which stands there with its prompts
        merge_streams(cell)
        for output in cell.outputs:
            make_reproducible(output)
        outputs = filter(None, (shown(output, "en") for output in cell.outputs))
        whole = "\n\n".join([code, *(fenced(output, "text") for output in outputs)])
        if (at := text.find(f"{whole}\n", place)) < 0:
            found.append(f"the page shows something else than\n{whole}")
        else:
            place = at + len(whole)
    return found


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
    """The code cells of a notebook."""
    return [cell.source for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "code"]


def kernel(path):
    return nbformat.read(path, as_version=4).metadata.kernelspec.name


def page_code(page):
    """The cells of a page that run in its kernel; one that loads a file is that file."""
    cells = site_checks.CELL.findall(page.read_text(encoding="utf-8"))
    loaded = [(LOAD.search(options), code) for options, code in cells if not APART.search(options)]
    return [
        ((page.parent / file[1]).read_text(encoding="utf-8") if file else code).rstrip("\n") for file, code in loaded
    ]


def unlike_their_pages(paths, folder, docs):
    """Notebooks whose code is not that of the page: its cells after the setup, and what its examples became."""
    found = []
    for path in paths:
        page = docs / path.relative_to(folder).with_suffix(".md")
        wanted, [setup, *rest] = page_code(page), [cell.rstrip("\n") for cell in code(path)]
        if "```{doctest}" in page.read_text(encoding="utf-8"):
            left = iter(rest)
            whole = setup.startswith(SETUP) and all(cell in left for cell in wanted)
        else:
            whole = (setup, rest) == (SETUP, wanted)
        if not whole:
            found.append(path.relative_to(folder).as_posix())
    return found


@pytest.fixture(scope="module")
def with_code(site):
    """The English notebooks that have code."""
    paths = sorted((site / "en").rglob("*.ipynb"))
    found = [path for path in paths if code(path)]
    assert len(found) > len(paths) / 2
    return found


@pytest.fixture
def folder(tmp_path_factory):
    """A folder whose name is short enough for a socket file in it."""
    return tmp_path_factory.mktemp("k")


def test_every_notebook_has_the_code_of_its_page(handbook, site, with_code):
    assert unlike_their_pages(with_code, site / "en", handbook.root / "docs") == []


@pytest.mark.parametrize(
    ("old", "new"), [("total == 6", "total == 7"), ('os.environ[\\"JAX_PLATFORMS\\"] = \\"cpu\\"', "pass")]
)
def test_other_code_than_the_pages_is_found(built_small, tmp_path, old, new):
    text = built_small.read("site/en/now.ipynb")
    assert text.count(old) == 1
    for name, content in {"now": text, "then": built_small.read("site/en/then.ipynb")}.items():
        (tmp_path / f"{name}.ipynb").write_text(content.replace(old, new) if name == "now" else content)
    paths = [tmp_path / "now.ipynb", tmp_path / "then.ipynb"]
    assert unlike_their_pages(paths, tmp_path, built_small.root / "docs") == ["now.ipynb"]


def test_notebooks_run_and_print_what_their_pages_show(site, with_code, folder, capsys):
    """A sample; all in nox -s long, but those for chips: they need compilers, which only nox -s chips has."""
    pages = {path: CHECKOUT / "docs" / path.relative_to(site / "en").with_suffix(".md") for path in with_code}
    paths = [path for path, page in pages.items() if "  name: chips\n" not in page.read_text(encoding="utf-8")]
    assert len(paths) < len(with_code)
    if not LONG:
        by_kernel = {name: [path for path in paths if kernel(path) == name] for name in SAMPLE}
        draw = random.Random(SEED)  # noqa: S311
        paths = [path for name, several in by_kernel.items() for path in draw.sample(several, SAMPLE[name])]
    start = time.perf_counter()
    found = run_all(paths, folder)
    with capsys.disabled():
        cells = sum(len(code(path)) for path in paths)
        print(f"\n{len(paths)} notebooks, {cells} cells, {KERNELS} kernels: {time.perf_counter() - start:.0f} s")
    assert found == {}


@pytest.mark.parametrize(
    ("source", "tags", "told"),
    [
        ("1 / 0", [], "ZeroDivisionError"),
        ("import jax", ["raises-exception"], "raises nothing:\nimport jax"),
        ("print(7)", [], "the page shows something else than\n```python\nprint(7)\n```\n\n```text\n7\n```"),
    ],
)
def test_a_notebook_that_does_not_do_what_its_page_says_is_found(folder, source, tags, told):
    path = folder / "planted.ipynb"
    cell = new_code_cell(source, metadata={"tags": tags})
    kernel = {"name": "python3", "display_name": "Python 3"}
    nbformat.write(new_notebook(cells=[cell], metadata={"kernelspec": kernel}), path)
    path.with_suffix(".md").write_text(f"```python\n{source}\n```\n\n```text\n6\n```\n", encoding="utf-8")
    found = run_all([path], folder)[path]
    assert told in found[0]
