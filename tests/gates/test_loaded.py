"""A file that the pages of a folder share: each runs it, shows it folded, and gives it away with its cells."""

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
