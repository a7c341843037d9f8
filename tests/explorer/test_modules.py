"""The site's scripts as modules: which may import which, and that a wrong type is found."""

import os
import re
import shutil
import subprocess
import sys

import pytest
from model import CHECKOUT, MODULES

# What each of the explorer's folders may import: the model knows no picture, and neither of them a page.
MAY_IMPORT = {"model": {"model"}, "picture": {"model", "picture"}, "page": {"model", "picture", "page"}}
IMPORT = re.compile(r"""(?:from|import\()\s*["']([^"']+)["']""")


def against_the_arrows(folder):
    """The imports, for their types alone too, that a module of one folder may not have."""
    found = []
    for path in sorted(folder.rglob("*.js")):
        for other in IMPORT.findall(path.read_text(encoding="utf-8")):
            to = (path.parent / other).resolve()
            if not to.is_file() or to.parent.name not in MAY_IMPORT.get(path.parent.name, ()):
                found.append(f"{path.parent.name}/{path.name}: {other}")
    return found


def test_the_explorers_imports_point_one_way():
    assert against_the_arrows(MODULES) == []
    assert {path.parent.name for path in MODULES.rglob("*.js")} == set(MAY_IMPORT)


@pytest.mark.parametrize(
    ("module", "line"),
    [
        ("model/layout.js", 'import { html } from "../picture/dom.js";'),
        ("model/layout.js", '/** @typedef {import("../page/explorer.js").Page} Page */'),
        ("picture/svg.js", 'import { remedy } from "../page/refusal.js";'),
        ("page/form.js", 'import { layout } from "../model/layouts.js";'),
        ("page/form.js", 'import { matcher } from "../../messages.js";'),
    ],
)
def test_an_import_against_the_arrows_is_found(tmp_path, module, line):
    copy = shutil.copytree(MODULES, tmp_path / "explorer")
    with (copy / module).open("a", encoding="utf-8") as file:
        file.write(f"{line}\n")
    assert against_the_arrows(copy) == [f"{module}: {IMPORT.findall(line)[0]}"]


TYPED_AGAIN = re.compile(r"\\u3400|\\u4e00|[㐀一]-|\"` \"|'` '")


def test_the_search_takes_how_words_are_cut_from_the_index():
    """The sign at each cut and the range of Chinese characters stand once, in Python; names.json has them."""
    text = (CHECKOUT / "docs/_static/search.js").read_text(encoding="utf-8")
    assert [name for name in ("known.cut", "known.han") if name not in text] == []
    assert TYPED_AGAIN.findall(text) == []
    assert TYPED_AGAIN.findall(text.replace("known.cut", '"` "').replace("known.han", '"\\u4e00-\\u9fff"'))


WRONG_TYPES = {
    "explorer/model/layout.js": ("bytes(product(shape), dtype)", "bytes(shape, dtype)"),
    "explorer/picture/svg.js": ("const { BLOCK, FEW_SHEETS,", "const { BLOCKS, FEW_SHEETS,"),
    "explorer/picture/caption.js": ("shape(layout.shardShape)],", "layout.shardShape],"),
    "explorer/page/form.js": ("columns.value = `${state.product.columns}`", "columns.value = state.product.columns"),
    "search.js": ("record.beside.push(...result.words);", "record.next.push(...result.words);"),
    "scroll.js": ("element.setAttribute", "element.setAttributes"),
}


def test_wrong_types_are_found(tmp_path):
    """One in each of some scripts, and told of each: an argument, a name, what a function gives, an element's property."""
    shutil.copy(CHECKOUT / "deno.json", tmp_path)
    shutil.copytree(CHECKOUT / "docs/_static", tmp_path / "scripts")
    for name, (right, wrong) in WRONG_TYPES.items():
        path = tmp_path / "scripts" / name
        text = path.read_text(encoding="utf-8")
        assert text.count(right) == 1, (name, right)
        path.write_text(text.replace(right, wrong), encoding="utf-8")
    environment = os.environ | {"DENO_DIR": str(tmp_path / "deno"), "DENO_NO_UPDATE_CHECK": "1", "NO_COLOR": "1"}
    done = subprocess.run(
        [sys.executable, "-m", "deno", "check", "--quiet", "scripts"],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        check=False,
    )
    told = re.findall(r"at file:.*/scripts/(\S+?):\d+:\d+", done.stderr)
    assert done.returncode == 1
    assert set(told) == set(WRONG_TYPES), done.stderr
