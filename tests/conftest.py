"""Fixtures: a small handbook to plant faults in, and the real site."""

import shutil
from pathlib import Path

import pytest
from checkout import CHECKOUT, Handbook, put_back
from long import LONG

from shardbook_sphinx.commands.checkouts import MADE


@pytest.fixture(scope="session")
def workplace(tmp_path_factory) -> tuple[Handbook, Path]:
    """The small handbook of tests/project with the real configuration, built, and a copy of it to put back."""
    folder = tmp_path_factory.mktemp("small")
    small = Handbook(folder / "handbook")
    shutil.copytree(CHECKOUT / "tests/project", small.root)
    for name in ("src", "requirements", "docs/_templates", "docs/_static", ".github"):
        shutil.copytree(CHECKOUT / name, small.root / name, ignore=MADE)
    for name in ("conf.py", "pyproject.toml", "LICENSE", "docs/locale/zh_CN/LC_MESSAGES/sphinx.po"):
        shutil.copy(CHECKOUT / name, small.root / name)
    result = small.build()
    assert result.passed, result.printed
    assert result.ran == ["now", "then"]
    return small, Path(shutil.copytree(small.root, folder / "built"))


@pytest.fixture(scope="session")
def built_small(workplace) -> Handbook:
    """The small handbook, built; no test changes or builds it."""
    return Handbook(workplace[1])


@pytest.fixture
def small(workplace) -> Handbook:
    """The small handbook, built, to plant a fault in.

    Always in the same folder, put back as it was: Sphinx reads everything anew in another one.
    """
    return put_back(workplace)


@pytest.fixture(scope="session")
def handbook() -> Handbook:
    """This checkout with its site, brought up to date: on a fresh clone the one build from scratch of the whole run."""
    whole = Handbook(CHECKOUT)
    result = whole.build()
    assert result.passed, result.printed
    return whole


@pytest.fixture(scope="session")
def site(handbook) -> Path:
    """The real site; no test changes it."""
    return handbook.root / "site"


def pytest_collection_modifyitems(config, items):
    """Leave out what only ``nox -s long`` does."""
    if not LONG and (left_out := [item for item in items if item.get_closest_marker("long")]):
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item not in left_out]
