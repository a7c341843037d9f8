"""The explorer's modules as the one script that the page loads: whatever the build would put together wrongly, it says."""

import json
import re
import subprocess

import pytest
from model import MODULES, NODE

from shardbook_sphinx.exceptions import HandbookError
from shardbook_sphinx.explorer.script import FIRST
from shardbook_sphinx.planner import directive as planner
from shardbook_sphinx.theme.assets import bound, bundle, join_scripts, join_styles

# Two modules have one name, in two folders; two have one hidden name.
GOOD = {
    "first.js": 'import { two, three } from "./model/numbers.js";\nimport { say } from "./page/say.js";\n'
    "say(two + three());\n",
    "model/numbers.js": "export const two = 2;\nconst hidden = 1;\nexport function three() {\n"
    "  return two + hidden;\n}\n",
    "page/numbers.js": 'import { two as half } from "../model/numbers.js";\nexport const four = 2 * half;\n',
    "page/say.js": 'import { four } from "./numbers.js";\nconst hidden = four;\n'
    "export const say = (what) => console.log(JSON.stringify([what, hidden]));\n",
}
NUMBERS, SAY = "model/numbers.js", "page/say.js"


def written(folder, files):
    for name, text in files.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    return folder


def run(script):
    done = subprocess.run([NODE, "-"], input=script, capture_output=True, encoding="utf-8", timeout=20, check=True)
    return json.loads(done.stdout)


def test_a_bundle_does_what_its_modules_do(tmp_path):
    assert run(bundle(written(tmp_path, GOOD), "first")) == [5, 4]


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        (NUMBERS, "export const two = 2;\n", "model/numbers.js exports no three"),
        (NUMBERS, GOOD[NUMBERS] + "export let four = 4;\n", "cannot bundle 'export let four = 4;'"),
        (NUMBERS, GOOD[NUMBERS] + "export default two;\n", "cannot bundle 'export default two;'"),
        (SAY, GOOD[SAY] + "console.log(import.meta.url);\n", "cannot bundle 'console.log(import.meta.url);'"),
        (SAY, 'import * as all from "./numbers.js";\n', "cannot bundle 'import * as all"),
        (
            NUMBERS,
            'import { say } from "../page/say.js";\n' + GOOD[NUMBERS],
            "import one another: first → model/numbers → page/say → page/numbers → model/numbers",
        ),
    ],
)
def test_what_cannot_be_bundled_is_named(tmp_path, name, text, told):
    with pytest.raises(HandbookError, match=re.escape(told)):
        bundle(written(tmp_path, GOOD | {name: text}), "first")


def test_the_explorer_is_one_script_of_all_its_modules():
    script = "".join(bundle(MODULES, first) for first in [*FIRST.values(), planner.FIRST])
    names = [path.relative_to(MODULES).with_suffix("").as_posix() for path in MODULES.rglob("*.js")]
    assert [name for name in names if f"const {bound(name)} = " not in script] == []
    assert len(names) > 20
    for first in FIRST.values():
        script = bundle(MODULES, first)
        subprocess.run([NODE, "--check", "-"], input=script, encoding="utf-8", timeout=20, check=True)


def test_scripts_that_are_joined_keep_their_names_apart(tmp_path):
    written(tmp_path, {"a.js": "const here = 1;", "b.js": "const here = 2;\nconsole.log(here) // no line end"})
    assert run(join_scripts([tmp_path / "a.js", tmp_path / "b.js"])) == 2


@pytest.mark.parametrize("text", ['a { background: url("b.png") }', '@import "b.css";'])
def test_a_style_sheet_that_would_lose_its_files_is_named(tmp_path, text):
    written(tmp_path, {"a.css": "a { background: url(data:image/png;base64,x) }", "b.css": text})
    sheets = [tmp_path / "a.css", tmp_path / "b.css"]
    assert text in join_styles(sheets, tmp_path)
    assert "base64" in join_styles(sheets[:1], tmp_path / "elsewhere")
    with pytest.raises(HandbookError, match=r"b\.css names another file"):
        join_styles(sheets, tmp_path / "elsewhere")


def test_comments_go_and_licences_stay(tmp_path):
    comments = "/*! © 2020 A. Writer */\n  /* why\n  so **/\n"
    written(
        tmp_path,
        {"a.js": f"{comments}  // and so\nconsole.log('// 1'); // 2", "a.css": f"{comments}p {{ color: red }}"},
    )
    assert join_scripts([tmp_path / "a.js"]) == "{\n/*! © 2020 A. Writer */\nconsole.log('// 1'); // 2\n}\n"
    assert join_styles([tmp_path / "a.css"], tmp_path) == "/*! © 2020 A. Writer */\np { color: red }\n"
