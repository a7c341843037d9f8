"""What the copy buttons of a built page copy, by the text of the page, and how to run it in a fresh interpreter."""

import json
import re
import subprocess
from pathlib import Path
from typing import NamedTuple

import lxml.html

RUNNER = Path(__file__).with_name("run_copies.py")
# As copybutton_prompt_text in conf.py says.
PROMPT = re.compile(r"(>>> |\.\.\. |\.\.\.$)(.*)")
BLOCKS = (
    "//div[contains(concat(' ', @class, ' '), ' highlight ')]//pre[not(ancestor::*[contains(@class, 'cell_output')])]"
    "[not(ancestor::nav)]"  # how to open the page elsewhere
)


class Copy(NamedTuple):
    """What one button copies, and what the page shows of it."""

    name: str
    text: str
    own: str
    """What is in the block alone, prompts and expected output too."""
    where: str
    """The line above a cell that ran elsewhere than its page's kernel."""
    is_cell: bool
    printed: str
    raised: str

    @property
    def is_doctest(self) -> bool:
        return self.own.startswith(">>> ")


def read_copies(file: Path) -> list[Copy]:
    """The copies of a page, in its order."""
    tree = lxml.html.document_fromstring(file.read_text(encoding="utf-8"))
    blocks = tree.xpath(BLOCKS)
    texts = [block.text_content().rstrip() for block in blocks]
    taken = tree.xpath("//script[@class='copies']")
    statements, needed = json.loads(taken[0].text_content()) if taken else ([], [[]] * len(blocks))
    assert len(needed) == len(blocks), file
    copies = []
    for number, (block, needs) in enumerate(zip(blocks, needed, strict=True)):
        above = "".join(f"{statements[place]}\n" for place in needs)
        cell = next(block.iterancestors("div"), None)
        while cell is not None and "cell" not in cell.get("class", "").split():
            cell = cell.getparent()
        stands = None if cell is None else cell.getprevious()
        where = stands.text_content() if stands is not None and stands.get("class") == "cell-where" else ""
        printed = "" if cell is None else "".join(cell.xpath(".//div[contains(@class, 'stream')]//pre//text()"))
        raised = "" if cell is None else "".join(cell.xpath(".//div[contains(@class, 'traceback')]//pre//text()"))
        own = without_prompts(texts[number])
        text = f"{above}\n{own}" if above and own == texts[number] else above + own
        copies.append(Copy(f"{file.stem}[{number}]", text, texts[number], where, cell is not None, printed, raised))
    return copies


def without_prompts(text: str) -> str:
    """The lines after a prompt, and empty ones, if there is a prompt; else all."""
    lines = text.split("\n")
    matches = [PROMPT.match(line) for line in lines]
    if not any(matches):
        return text
    return "\n".join(
        match[2] if match else line for match, line in zip(matches, lines, strict=True) if match or not line.strip()
    )


def run(python: str, copies: list[Copy], folder: Path, source: Path) -> list[dict[str, str]]:
    """Run each in a process of its own that begins with nothing: what it printed, and what it raised."""
    jobs = folder / "jobs.json"
    jobs.write_text(
        json.dumps([{"text": each.text, "examples": each.own if each.is_doctest else ""} for each in copies])
    )
    environment = {
        "JAX_PLATFORMS": "cpu",
        "PYTHONPATH": str(source),
        "PYTHONHASHSEED": "0",
        "LANG": "C.UTF-8",
        "COLUMNS": "100",
    }
    command = [python, str(RUNNER), str(jobs)]
    done = subprocess.run(
        command, cwd=folder, env=environment, check=True, capture_output=True, encoding="utf-8", timeout=3000
    )
    results = json.loads((folder / "results.json").read_text())
    assert len(results) == len(copies), done.stderr[-2000:]
    return results
