"""The explorer's modules, run under Node: one process for all questions."""

import json
import shutil
import subprocess
from pathlib import Path
from typing import NamedTuple

from playwright._impl._driver import compute_driver_executable

from shardbook._messages import MESSAGES
from shardbook_sphinx.explorer import script
from shardbook_sphinx.planner import directive as planner

HERE = Path(__file__).parent
CHECKOUT = HERE.parents[1]
MODULES = CHECKOUT / script.MODULES
PACKAGE = CHECKOUT / script.PACKAGE
# Playwright's wheel has a Node, so that every machine that runs the tests has one.
NODE = compute_driver_executable()[0]


class Answer(NamedTuple):
    """What a function gave, and how long it took of a processor."""

    value: object
    milliseconds: float


class Model:
    """The modules of a folder, with the numbers of a package."""

    def __init__(self, folder: Path = MODULES, package: Path = PACKAGE):
        numbers = {"shared": script.shared(package), "planner": planner.shared(CHECKOUT)}
        given = json.dumps(numbers | {"words": MESSAGES})
        self.process = subprocess.Popen(
            [NODE, "--disable-warning=MODULE_TYPELESS_PACKAGE_JSON", HERE / "runner.mjs", folder, given],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            encoding="utf-8",
        )

    def __enter__(self):
        return self

    def __exit__(self, *failure):
        self.process.stdin.close()
        self.process.wait(timeout=10)
        self.process.stdout.close()

    def timed(self, questions):
        """Ask several [module, function, *arguments] at once."""
        self.process.stdin.write(json.dumps(list(questions)) + "\n")
        self.process.stdin.flush()
        answers = json.loads(self.process.stdout.readline())
        thrown = [each["thrown"] for each in answers if "thrown" in each]
        assert not thrown, thrown[0]
        return [Answer(each.get("value"), each["milliseconds"]) for each in answers]

    def ask(self, questions):
        """Ask several at once, and leave out how long it took."""
        return [answer.value for answer in self.timed(questions)]

    def map(self, module, function, values):
        """Ask one function about each of several values."""
        return self.ask([module, function, value] for value in values)


def faulty(folder: Path, module: str, right: str, wrong: str) -> Model:
    """The modules with a fault planted in one of them: they are copied to an empty folder."""
    shutil.copytree(MODULES, folder / "explorer")
    (path,) = (folder / "explorer").rglob(module)
    text = path.read_text(encoding="utf-8")
    assert text.count(right) == 1, f"{right!r} stands {text.count(right)} times in {module}"
    path.write_text(text.replace(right, wrong), encoding="utf-8")
    return Model(folder / "explorer")
