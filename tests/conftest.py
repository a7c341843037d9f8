"""Fixtures: a small handbook to plant faults in, and the real site, built from scratch."""

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).parents[1]
MADE = shutil.ignore_patterns(".git", ".nox", ".build", "site", ".*_cache", "__pycache__", "*.mo", ".hypothesis")


@dataclass(frozen=True)
class Result:
    """What a build did."""

    passed: bool
    printed: str

    @property
    def ran(self) -> list[str]:
        """The pages whose cells were run, sorted."""
        return sorted(line.split("] ")[1].split(" on ")[0] for line in self.printed.splitlines() if "| ran [" in line)


@dataclass(frozen=True)
class Handbook:
    """A checkout in a folder of its own: its files can be changed and it can be built."""

    root: Path

    def command(self) -> tuple[list[str], dict[str, str]]:
        environment = {name: value for name, value in os.environ.items() if not name.startswith("SHARDBOOK")}
        return [sys.executable, "-m", "shardbook_sphinx.build"], environment | {"PYTHONPATH": str(self.root / "src")}

    def build(self, *arguments: str, **settings: str) -> Result:
        command, environment = self.command()
        done = subprocess.run(
            [*command, *arguments],
            cwd=self.root,
            env=environment | settings,
            capture_output=True,
            encoding="utf-8",
            timeout=600,
            check=False,
        )
        return Result(done.returncode == 0, done.stdout + done.stderr)

    def edit(self, name: str, old: str, new: str) -> None:
        """Replace the one place in a file where ``old`` stands."""
        path = self.root / name
        text = path.read_text(encoding="utf-8")
        assert text.count(old) == 1, f"{old!r} stands {text.count(old)} times in {name}"
        path.write_text(text.replace(old, new), encoding="utf-8")

    def read(self, name: str) -> str:
        return (self.root / name).read_text(encoding="utf-8")


@pytest.fixture(scope="session")
def built_small(tmp_path_factory) -> Handbook:
    """The small handbook of tests/project, with the real configuration, built; no test changes it."""
    root = tmp_path_factory.mktemp("small") / "handbook"
    shutil.copytree(CHECKOUT / "tests/project", root)
    for name in ("src", "requirements", "docs/_templates", "docs/_static", ".github"):
        shutil.copytree(CHECKOUT / name, root / name, ignore=MADE)
    for name in ("conf.py", "docs/locale/zh_CN/LC_MESSAGES/sphinx.po"):
        shutil.copy(CHECKOUT / name, root / name)
    small = Handbook(root)
    result = small.build()
    assert result.passed, result.printed
    assert result.ran == ["now", "then"]
    return small


@pytest.fixture
def small(built_small, tmp_path) -> Handbook:
    """A copy of the small handbook, built, to plant a fault in."""
    root = tmp_path / "handbook"
    shutil.copytree(built_small.root, root)
    # The cache's name holds no path, but Sphinx's memory of the build does: start from the outputs alone.
    shutil.rmtree(root / ".build/doctrees")
    (root / ".build/stamp").unlink()
    shutil.rmtree(root / "site")
    return Handbook(root)


@pytest.fixture(scope="session")
def handbook(tmp_path_factory) -> Handbook:
    """A copy of this checkout, its site built from scratch."""
    root = tmp_path_factory.mktemp("whole") / "handbook"
    shutil.copytree(CHECKOUT, root, ignore=MADE)
    whole = Handbook(root)
    result = whole.build()
    assert result.passed, result.printed
    return whole
