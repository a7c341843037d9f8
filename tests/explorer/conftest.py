"""The modules under Node, for all tests of the explorer."""

import pytest
import strategies  # noqa: F401  # 64 devices, before JAX is first used
from model import Model


@pytest.fixture(scope="session")
def model():
    with Model() as found:
        yield found
