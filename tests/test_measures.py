"""Runs of cells of several processes: those that end otherwise than they say are told, and none is tried again."""

from checkout import CHECKOUT
from measures.processes import Cell, cells, measure

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
