"""Folded cells: a file that the pages of a folder share, and answers to questions. They run, and are given away."""

import json

from faults import add_pages, cells

SHARED = '"""Six."""\n\n\ndef six():\n    return 6\n'
USES = cells(":load: shared.py", "assert six() == 6\nprint(six())")


def test_a_page_runs_folds_and_gives_away_the_file_it_loads(small):
    small.write("docs/folder/shared.py", SHARED)
    add_pages(small, {"uses": USES}, "folder")
    add_pages(small, {"elsewhere": USES.replace("shared.py", "../folder/shared.py")}, "other")
    result = small.build("--only", "en")
    assert result.passed, result.printed
    assert "<summary><code>shared.py</code>" in small.read("site/en/other/elsewhere.html")
    page = small.read("site/en/folder/uses.html")
    _before, _, folded = page.partition('<details class="above"><summary><code>shared.py</code>')
    assert "six" in folded.partition("</details>")[0]
    assert '["def six():\\n    return 6"]' in page  # what the second cell's copy begins with
    assert "def six():" in small.read("site/en/folder/uses.md")
    notebook = json.loads(small.read("site/en/folder/uses.ipynb"))
    assert SHARED.strip() in ["".join(cell["source"]).strip() for cell in notebook["cells"]]

    small.write("docs/folder/shared.py", SHARED.replace("6", "3 + 3"))
    result = small.build("--only", "en")
    assert result.passed, result.printed
    assert sorted(result.ran) == ["folder/uses", "other/elsewhere"]
    assert "3 + 3" in small.read("site/en/folder/uses.md")


def test_a_page_with_a_copy_of_its_own_fails_the_build(small):
    small.write("docs/folder/shared.py", SHARED)
    add_pages(small, {"uses": USES, "copies": cells(SHARED, "assert six() == 6")}, "folder")
    result = small.build("--only", "en")
    assert not result.passed
    assert "copies.md: does not use shared.py, which its folder's pages share" in result.printed
    assert "uses.md: does not use" not in result.printed


ANSWER = """\
---
file_format: mystnb
kernelspec:
  name: python3
---

# Questions

{question}

```{{code-cell}}
:tags: [answer]
assert 6 * 7 == {answer}
print(6 * 7)
```
"""


def test_an_answer_is_folded_under_its_question_and_runs(small):
    page = "docs/folder/asks.md"
    add_pages(small, {"asks": ANSWER.format(question="What is six times seven?", answer=42)}, "folder")
    result = small.build("--only", "en")
    assert result.passed, result.printed
    shown = small.read("site/en/folder/asks.html").partition("<summary>Answer</summary>")[2].partition("</details>")[0]
    assert "42" in shown

    small.write(page, ANSWER.format(question="It is six times seven.", answer=42))
    result = small.build("--only", "en")
    assert not result.passed
    assert "this answer needs a question" in result.printed

    small.write(page, ANSWER.format(question="What is six times seven?", answer=41))
    result = small.build("--only", "en")
    assert not result.passed
    assert "assert 6 * 7 == 41" in result.printed
