"""What a page says and its cells print is shown, on the page and in what can be taken away; what cannot be is told of.

The pages that are shown are all of one build.
"""

import json
import re

import download_checks
import pytest
import site_checks
from checkout import Handbook, Result, put_back
from faults import add_pages, cells

ADDRESSES = "print(object())"
RAISES = ":tags: [raises-exception]\n:raises: {}\n"
APART = cells(
    f"""\
:processes: 2
{RAISES.format("ValueError")}:says: only in process 1
import sys

print("here is", sys.argv[1])
if sys.argv[1] == "1":
    raise ValueError("only in process 1")""",
    ":kernel: jax-0.5.3\n:label: release\nimport jax\n\nrelease = jax.__version__\nprint(release)",
    ":kernel: jax-0.5.3\n:same-as: shown/apart#release\nrelease\nprint(release)",
    f":processes: 1\n:limit: 2\n{RAISES.format('TimeoutExpired')}:says: still running after 2 s\nimport time\n\ntime.sleep(60)",
    f":processes: 1\n{RAISES.format('SIGABRT')}import os\n\nos.abort()",
)
ERRORS = """\
---
file_format: mystnb
kernelspec:
  name: python3
---

# Errors of sums

Find what fails.

(error-sum-of-words)=
## A sum of words

```{code-cell}
:tags: [raises-exception]
:raises: TypeError
:says: unsupported operand type(s)
1 + "x"
```

Words have no sum.

```{asked}
https://github.com/jax-ml/jax/issues/27808
https://github.com/jax-ml/jax/discussions/19542
```

```{code-cell}
assert 1 + 2 == 3
```

(trap-half-of-a-cent)=
## A half is rounded to the even neighbour

One might think: it is rounded up.

```{code-cell}
assert round(0.5) == 0
```

To the even neighbour.

```{code-cell}
assert int(0.5 + 0.5) == 1
```
"""
MATH = """\
# Mathematics

It has {math}`n^2` pieces.

```{math}
k = \\frac{n}{m}
```
"""
NAMES = cells("import jax\n\nprint(jax.sharding.Mesh(jax.devices(), 'x').shape['x'])") + (
    "\nWith `Mesh(jax.devices(), 'x')`.\n"
)
VARIABLE = cells('import os\n\nos.environ["JAX_NUM_CPU_DEVICES"] = "3"\nimport jax\n\nprint(len(jax.devices()))')
EVERYTHING = """
# Everything

A *word*, a **strong** one, `code`, a [link](../now.md#the-sum), `` a `b` ``, 2 * 3, a_b, _c, \\<br> and $x$.
A second line.

- one
- two
  - inner

3. three
4. four

term
: What it is.

  And more.

| head | `a\\|b` |
| --- | --- |
| x | y |

list
: - one
  - two

:::{note}
Mind | this.
:::

> Quoted.

```{code-block} console
$ ls
```
"""

IN_MARKDOWN = r"""# Everything

A *word*, a **strong** one, `code`, a [link](../now.html#the-sum), `` a `b` ``, 2 \* 3, a_b, \_c, \<br> and \$x\$.
A second line.

- one
- two
  - inner

3. three
4. four

- **term**: What it is.

  And more.

| head | `a\|b` |
| --- | --- |
| x | y |

- **list**:
  - one
  - two

> **Note**
>
> Mind | this.

> Quoted.

```console
$ ls
```
"""


@pytest.fixture(scope="module")
def built(workplace) -> tuple[Handbook, Result]:
    """Pages that hold, built in a shell whose settings must not reach a kernel."""
    small = put_back(workplace)
    # What today's page prints of its memory and its settings is what the page on the old JAX prints.
    small.edit("docs/now.md", "print(total)", f"print(total, jax.numpy.arange(4.0).dtype)\n{ADDRESSES}")
    small.edit(
        "docs/then.md",
        "print(jax.numpy.arange(4).sum())",
        f'print(jax.numpy.arange(4).sum(), "float32")\n{ADDRESSES}',
    )
    pages = {"apart": APART, "errors": ERRORS, "math": MATH, "names": NAMES, "variable": VARIABLE}
    add_pages(small, pages | {"everything": EVERYTHING}, "shown")
    small.write("docs/errors/sums.md", ERRORS.replace("error-sum", "error-other-sum").replace("trap-", "trap-other-"))
    small.edit("docs/index.md", "\nnames\n", "\nnames\nerrors/sums\n")
    return small, small.build("--only", "en", JAX_NUM_CPU_DEVICES="5", JAX_ENABLE_X64="1")


@pytest.fixture(scope="module")
def shown(built) -> Handbook:
    """The handbook with these pages."""
    small, result = built
    assert result.passed, result.printed
    return small


def text_of(shown, page):
    return re.sub("<[^>]+>", "", shown.read(f"site/en/{page}.html"))


def test_settings_of_the_readers_shell_do_not_reach_a_kernel(shown):
    """The page prints how many devices it has, and the type by which the old JAX is compared with it."""
    assert "6 float32" in text_of(shown, "now")
    assert "<pre>2\n" in shown.read("site/en/now.html")


def test_memory_addresses_do_not_reach_a_page(shown):
    assert "&lt;object object at 0x…&gt;" in shown.read("site/en/now.html")


def test_a_variable_set_before_jax_is_imported_takes_effect(shown):
    assert "<pre>3\n" in shown.read("site/en/shown/variable.html")


def test_entries_that_hold_are_shown(shown):
    assert "unsupported operand type(s) for +" in text_of(shown, "errors/sums")
    assert '<li id="error-other-sum-of-words">' in shown.read("site/en/errors/sums.html")
    assert '<section id="error-other-sum-of-words">' in shown.read("site/en/errors/error-other-sum-of-words.html")


def test_threads_are_linked(shown):
    link = 'href="https://github.com/jax-ml/jax/issues/27808">jax-ml/jax#27808</a>'
    assert link in shown.read("site/en/errors/error-other-sum-of-words.html")
    in_markdown = "[jax-ml/jax#19542](https://github.com/jax-ml/jax/discussions/19542)"
    assert in_markdown in shown.read("site/en/errors/sums.md")


def test_what_runs_apart_prints_and_ends_as_it_does(shown):
    page = shown.read("site/en/shown/apart.html")
    for text in ("process 0: here is 0\nprocess 1: here is 1", "ValueError: only in process 1", "0.5.3", "SIGABRT"):
        assert text in page
    assert "As two processes" in page
    assert "On JAX 0.5.3" in page


def test_what_runs_apart_is_no_code_of_a_notebook(shown):
    notebook = json.loads(shown.read("site/en/shown/apart.ipynb"))
    code = ["".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert "release = jax.__version__" not in "\n".join(code)


def test_names_in_prose_and_code_lead_to_their_entries(shown):
    page = shown.read("site/en/shown/names.html")
    assert page.count('<a class="api" href="../names.html#jax.sharding.Mesh">') == 2


def test_a_formula_is_drawn_without_asking_anyone(shown):
    page = shown.read("site/en/shown/math.html")
    assert page.count("<math") == 2
    assert "<mfrac>" in page
    assert "mathjax" not in page.lower()
    assert site_checks.foreign_requests(shown.root / "site") == []
    assert "It has $n^2$ pieces.\n\n$$\nk = \\frac{n}{m}\n$$" in shown.read("site/en/shown/math.md")


def test_all_that_a_page_can_say_has_its_markdown(shown):
    assert shown.read("site/en/shown/everything.md") == IN_MARKDOWN
    lost = download_checks.lost_text(shown.root / "site")
    assert [finding for finding in lost if not finding.startswith("en/shown/math")] == []  # which is drawn


def test_links_that_lead_nowhere_fail_the_build(small):
    pages = {name: f"# Text\n\nThe [same]({name}) sum.\n" for name in ("nowhere.md", "../now.md#nowhere")}
    add_pages(small, {f"link{number}": page for number, page in enumerate(pages.values())})
    result = small.build("--only", "en")
    assert not result.passed
    for number, target in enumerate(("nowhere.md", "nowhere")):
        assert re.search(rf"faults/link{number}\.md:3: WARNING: .*{target}", result.printed), result.printed


@pytest.mark.parametrize(
    ("block", "told"),
    [
        ("```{math}\n\\nonsense{n}\n```", "this formula has no MathML: \\nonsense{n}"),
        ("```{raw} html\n<hr>\n```", "wrong.md:3: there is no Markdown for raw: give it its text"),
        ("```{rubric} Title\n```", "wrong.md:3: there is no Markdown for rubric: teach markdown.py"),
        ("- One\n\n  ```{doctest}\n  >>> 1\n  1\n  ```", "a list_item holds code that runs"),
    ],
)
def test_what_cannot_be_written_fails_the_build(small, block, told):
    small.write("docs/wrong.md", f"# Wrong\n\n{block}\n")
    small.edit("docs/index.md", "\nnames\n", "\nnames\nwrong\n")
    result = small.build("--only", "en")
    assert not result.passed
    assert told in result.printed
