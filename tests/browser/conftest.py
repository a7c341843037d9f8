"""The built site in a real browser: served from loopback, under the policy that a host should send."""

import subprocess
import sys

import pytest
from browsing import CHECKOUT, Tab, chromium_running, served


@pytest.fixture(scope="session")
def site():
    """The site of this checkout, brought up to date."""
    subprocess.run([sys.executable, "-m", "shardbook_sphinx.commands.build"], cwd=CHECKOUT, check=True)
    return CHECKOUT / "site"


@pytest.fixture(scope="session")
def address(site):
    """Where the site is served from, below a folder: nothing in it may rely on standing at the root."""
    with served(site.parent) as host:
        yield f"{host}/site"


@pytest.fixture(scope="session")
def chromium():
    """The browser of all tests."""
    with chromium_running() as browser:
        yield browser


@pytest.fixture(scope="session")
def tab(chromium, address):
    """The page that tests share, one after another."""
    tab = Tab(chromium, address)
    yield tab
    tab.close()


@pytest.fixture
def visit(tab):
    """A page as if it were new, whose ``watch.faults`` the test looks at itself."""
    yield tab.opened()
    tab.reset()


@pytest.fixture
def page(tab):
    """A page as if it were new, and at the end: no error, no violation of the policy, no request to anywhere else."""
    yield tab.opened()
    assert tab.reset() == []
