"""Fixtures: a small handbook to plant faults in, and the real site, its pages written from scratch."""

import shutil

import pytest
from checkout import CHECKOUT, MADE, Handbook


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
    """A copy of this checkout with its site, whose pages were written from scratch; it shares this one's outputs."""
    result = Handbook(CHECKOUT).build()
    assert result.passed, result.printed
    whole = Handbook(tmp_path_factory.mktemp("whole") / "handbook")
    shutil.copytree(CHECKOUT, whole.root, ignore=MADE)
    shutil.copytree(CHECKOUT / ".build/cache", whole.root / ".build/cache")
    result = whole.build()
    assert result.passed, result.printed
    assert result.ran == []
    return whole
