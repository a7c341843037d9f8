"""Kernels are forked from a process that has imported JAX, where that changes nothing but the time."""

import sys

import pytest
from nbformat.v4 import new_code_cell, new_notebook

from shardbook_sphinx.execution.kernels import provisioner


@pytest.mark.skipif(sys.platform != "linux", reason="kernels are forked on Linux only")
def test_kernels_are_forked():
    assert provisioner(new_notebook(cells=[new_code_cell("import jax\nenv = 1")])) == "shardbook-fork"


@pytest.mark.parametrize(
    "line", ['os.environ["XLA_FLAGS"] = ""', "os.putenv(name, value)", "%env JAX_PLATFORMS=cpu", "!ls"]
)
def test_pages_that_set_variables_have_their_kernel_started_as_usual(line):
    notebook = new_notebook(cells=[new_code_cell("import os"), new_code_cell(f"x = 1\n{line}")])
    assert provisioner(notebook) == "local-provisioner"
