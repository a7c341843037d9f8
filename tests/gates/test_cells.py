"""A cell that does not do what it says fails the build, which names page, cell and reason.

Each page has one fault; a build tells of all of them at once, and so does Sphinx's own command after it.
"""

import pytest
from checkout import Handbook, put_back
from faults import add_pages, cells, fault, told_by_page

RAISES = ":tags: [raises-exception]\n:raises: TypeError\n"
LIMITED = cells("while True: pass").replace("---\n\n#", "mystnb:\n  execution_timeout: 2\n---\n\n#")
FAULTS = {
    # what a cell raises, announced or not
    "raises": fault(
        cells("print(6)", "total = undefined + 1"),
        "raises.md:13: this cell of 'faults/raises'",
        "    total = undefined + 1",
        "NameError: name 'undefined' is not defined",
    ),
    "asserts": fault(cells('assert 6 == 7, "结果 →"'), '    assert 6 == 7, "', "AssertionError"),
    "raises_another": fault(cells(f"{RAISES}int('six')"), "should raise TypeError, but raised ValueError"),
    "raises_nothing": fault(cells(f"{RAISES}1 + 2"), "should raise TypeError, but raised nothing"),
    "unnamed": fault(
        cells(":tags: [raises-exception]\n1 + 'x'"),
        "must carry both the tag raises-exception and the option raises",
    ),
    "untagged": fault(cells(":raises: TypeError\n6"), "must carry both the tag raises-exception and the option raises"),
    "says_something_else": fault(
        cells(RAISES + ":says: unsupported operand type(s) of words\n1 + 'x'"),
        "should raise a message with 'unsupported operand type(s) of words'",
        "but it says \"unsupported operand type(s) for +: 'int' and 'str'\"",
    ),
    # what a cell prints
    "warns": fault(cells('import warnings; warnings.warn("old name")'), "wrote to stderr", "old name"),
    "prints_much": fault(cells('print("x" * 1_000_000)'), "prints 1000001 characters"),
    # what would switch a check off
    "skipped": fault(cells(":tags: [skip-execution]\n6"), "says skip-execution, which means nothing here"),
    "misspelt_option": fault(
        cells(":sameas: now#sum\nprint(6)"),
        "says sameas, which means nothing here. Options and tags are: answer, kernel, label",
    ),
    "misspelt_tag": fault(
        cells(":tags: [remove_cell]\n6"),
        "says remove_cell, which means nothing here. Options and tags are: answer, kernel, label",
    ),
    "magic": fault(cells("%%capture\nprint(6)"), "hides what it does in a cell magic"),
    # how a kernel ends, or does not begin
    "never_ends": fault(LIMITED, "did not end within 2 s", "    while True: pass"),
    "dies": fault(cells("import os; os._exit(3)"), "ended its kernel"),
    "on_no_kernel": fault(
        cells("6", kernel="jax-0.4.1"),
        "names the kernel 'jax-0.4.1', which is not there. Make it: python3 noxfile.py -s kernels",
    ),
    "without_kernel": fault(
        cells("6").replace("kernelspec:\n  name: python3\n", ""),
        "names no kernel: add kernelspec: {name: python3} to its front matter",
    ),
    "on_another_jax": fault(
        cells("6", kernel="jax-0.5.3"),
        "jax-0.5.3.txt pins {'jax': '0.5.2', 'jaxlib': '0.5.3'}, but the kernel 'jax-0.5.3' has",
    ),
    # what runs apart
    "limit_of_none": fault(
        cells(":processes: 1\n:limit: 0\n6"), "says limit: 0, which must be a whole number from 1 on"
    ),
    "limit_alone": fault(cells(":limit: 2\n6"), "says limit without processes"),
    "two_ways_apart": fault(cells(":processes: 1\n:kernel: jax-0.5.3\n6"), "says kernel and processes"),
    "another_signal": fault(
        cells(":processes: 1\n:tags: [raises-exception]\n:raises: SIGSEGV\nimport os\n\nos.abort()"),
        "should raise SIGSEGV, but raised SIGABRT",
    ),
    # what an entry asserts
    "remedy": fault(
        cells(f"{RAISES}:says: unsupported operand\n1 + 'x'", "assert 1 + 2 == 4"), "remedy.md:16: ", "AssertionError"
    ),
    "trap": fault(cells("assert round(0.5) == 1"), "    assert round(0.5) == 1", "AssertionError"),
}


@pytest.fixture(scope="module")
def builds(workplace):
    """What the build command said on a console that lacks most characters, and Sphinx's own command after it."""
    small = put_back(workplace)
    small.edit("requirements/jax-0.5.3.txt", "jax==0.5.3", "jax==0.5.2")
    add_pages(small, {name: fault.page for name, fault in FAULTS.items()})
    return {"docs": small.build("--only", "en", PYTHONIOENCODING="cp1252"), "sphinx-build": small.plain_build("-W")}


@pytest.fixture(scope="module", params=["docs", "sphinx-build"])
def build(request, builds):
    """Either of them."""
    return builds[request.param]


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_fails_the_build_with_page_cell_and_reason(build, name):
    assert not build.passed
    told = told_by_page(build)[name]
    assert f"this cell of 'faults/{name}'" in told
    assert [words for words in FAULTS[name].told if words not in told] == []


def test_each_is_told_of_once_and_nothing_else_is(build):
    """``then`` is on the kernel that has another JAX than its pins."""
    assert set(told_by_page(build)) == set(FAULTS)
    assert build.printed.count("this cell of '") == len(FAULTS) + 1
    assert "this cell of 'then'" in build.printed
    assert "this cell of 'now'" not in build.printed


def test_a_console_without_the_characters_of_a_message_still_shows_it(builds):
    assert "AssertionError: ?? ?" in builds["docs"].printed
    assert "AssertionError: 结果 →" in builds["sphinx-build"].printed


def test_a_page_switched_off_in_its_front_matter_fails_the_build(small):
    small.edit("docs/now.md", "kernelspec:", "mystnb:\n  execution_mode: 'off'\nkernelspec:")
    result = small.build("--only", "en")
    assert not result.passed
    assert "now.md: mystnb: may only set execution_timeout; remove execution_mode" in result.printed


def test_the_chinese_build_starts_no_kernel(small: Handbook):
    result = small.build("--only", "zh")
    assert result.passed, result.printed
    assert result.ran == []
    small.edit("docs/now.md", "print(total)", "print(total + 0)")
    result = small.build("--only", "zh")
    assert not result.passed
    assert "no outputs are cached for now, and the zh_CN build starts no kernel" in result.printed
