"""What measures run of the pages: a cell that ends otherwise than it says is told, and none is tried again."""

import subprocess
from pathlib import Path

from checkout import CHECKOUT
from measures.processes import Cell, cells, measure
from myst_nb.core.read import is_myst_markdown_notebook

from shardbook_sphinx.commands.bench import write_scripts
from shardbook_sphinx.execution.kernels import kernel_environment

ENDS = "import sys\nprint('here', sys.argv[1])\n"
FAILS = "import sys\nif sys.argv[1] == '1':\n    raise ValueError('planted')\n"


def test_every_page_with_processes_is_found():
    found = cells(CHECKOUT / "docs")
    assert len({cell.name for cell in found}) == len(found) >= 20
    assert {cell.name.split()[0] for cell in found} >= {"guides/start-processes", "errors/processes"}
    assert cells(CHECKOUT / "docs", "guides/hangs-and-restarts") == [
        cell for cell in found if cell.name.startswith("guides/hangs-and-restarts ")
    ]


def test_a_cell_that_fails_is_told_each_time(capsys):
    planted = [
        Cell("ends", ENDS, {"processes": 2}),
        Cell("fails", FAILS, {"processes": 2}),
        Cell("as it says", FAILS, {"processes": 2, "raises": "ValueError"}),
        Cell("raises nothing", ENDS, {"processes": 2, "raises": "ValueError"}),
    ]
    runs = measure(planted, 2)
    assert {name: [bool(wrong) for wrong, _ in each] for name, each in runs.items()} == {
        "ends": [False, False],
        "fails": [True, True],
        "as it says": [False, False],
        "raises nothing": [True, True],
    }
    told = capsys.readouterr().out
    assert "round 2, fails ended with ValueError: planted" in told
    assert "round 1, raises nothing ended with nothing raised" in told


def test_the_build_is_compared_with_all_pages_and_those_on_chips_run_on_their_records(tmp_path):
    docs = CHECKOUT / "docs"
    commands = {Path(command[-1]).stem: command for command in write_scripts(docs, tmp_path)}
    assert len(commands) == sum(is_myst_markdown_notebook(path.read_text("utf-8")) for path in docs.rglob("*.md")) >= 68
    on_chips = commands["guides-chips"]
    subprocess.run(on_chips, env=kernel_environment(str(tmp_path)), check=True, stdout=subprocess.DEVNULL)
    page = Path(on_chips[-1])
    planted = page.read_text(encoding="utf-8").replace("sb.collectives", "sb.collective")
    page.write_text(planted, encoding="utf-8")
    done = subprocess.run(on_chips, env=kernel_environment(str(tmp_path)), check=False, capture_output=True, text=True)
    assert "has no attribute 'collective'" in done.stderr
    assert done.returncode == 1
