"""What a reader installs is what the pages ran on, from the site itself; links to where it is made are there if set."""

import json
import re
import shutil
import subprocess
import sys
import zipfile

import pytest
import site_checks
from checkout import put_back

from shardbook_sphinx.downloads.wheel import wheel_name, write_wheel
from shardbook_sphinx.pins import pinned
from shardbook_sphinx.theme import elsewhere

ADDRESS = "https://handbook.example/book/"
ELSEWHERE = {
    "SHARDBOOK_REPOSITORY": "https://code.example/shardbook",
    "SHARDBOOK_EDIT": "https://code.example/shardbook/edit/main/{source}",
    "SHARDBOOK_REPORT": "https://code.example/shardbook/issues/new?title={page}",
    "SHARDBOOK_COLAB": "https://colab.example/github/shardbook/site/blob/main/{notebook}",
}


def lines(site, page):
    return [
        block.text_content().strip()
        for block in site_checks.parse(site / page).xpath("//*[contains(@class, 'install')]//pre")
    ]


def test_the_site_carries_the_helper(site, tmp_path):
    """Installed alone, in an empty folder, it draws."""
    folder = tmp_path / "installed"
    with zipfile.ZipFile(site / wheel_name()) as wheel:
        wheel.extractall(folder)
    code = "import shardbook; print(shardbook.__file__)"
    command = [sys.executable, "-P", "-c", code]
    done = subprocess.run(
        command, env={"PYTHONPATH": str(folder), "JAX_PLATFORMS": "cpu"}, capture_output=True, text=True, check=True
    )
    assert done.stdout.startswith(str(folder))


def test_the_same_sources_give_the_same_wheel(built_small, tmp_path):
    root = shutil.copytree(built_small.root, tmp_path / "again")
    first = (root / "site" / wheel_name()).read_bytes()
    (root / "site/shardbook-0.0.0-py3-none-any.whl").write_bytes(b"of another release")
    write_wheel(root)
    assert [path.read_bytes() for path in (root / "site").glob("*.whl")] == [first]


@pytest.mark.parametrize(
    ("page", "packages"), [("index", ["jax"]), ("learn/index", ["jax"]), ("train/index", ["jax", "optax"])]
)
@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_section_says_what_installs_it(site, language, page, packages):
    pins = pinned("python3")
    wanted = " ".join(f'"{name}=={pins[name]}"' for name in packages)
    assert f"pip install {wanted} {wheel_name()}" in lines(site, f"{language}/{page}.html")


def test_a_page_names_its_jax_and_opens_in_jupyter(site):
    page = site_checks.parse(site / "en/train/libraries.html")
    assert page.xpath("//nav[contains(@class, 'languages')]/span/text()") == [f"JAX {pinned('python3')['jax']}"]
    [line] = lines(site, "en/train/libraries.html")
    assert line.startswith("uvx --python 3.13 --with ")
    assert line.endswith(f"--with {wheel_name()} --from jupyterlab jupyter-lab train-libraries.ipynb")
    notebook = json.loads((site / "en/train/libraries.ipynb").read_text(encoding="utf-8"))
    needed = re.search(r"`pip install ([^`]+)`", "".join(notebook["cells"][0]["source"]))[1]
    assert needed.split() == line.replace("--with ", "").split()[3:-4]


def test_a_package_without_a_pin_is_refused(small):
    small.write("docs/index.md", small.read("docs/index.md") + "\n```{install} flaxx\n```\n")
    result = small.build("--only", "en")
    assert not result.passed
    assert "requirements/site.txt pins no flaxx" in result.printed


@pytest.fixture(scope="module")
def settled(workplace, tmp_path_factory):
    """The small site of a host that says where it is and where it is made."""
    small = put_back(workplace)
    small.write("docs/index.md", small.read("docs/index.md") + "\n```{install}\n```\n")
    result = small.build("--lenient", SHARDBOOK_URL=ADDRESS, **ELSEWHERE)
    assert result.passed, result.printed
    return shutil.copytree(small.root / "site", tmp_path_factory.mktemp("settled") / "site")


def test_with_an_address_the_line_needs_no_download(settled):
    assert lines(settled, "en/index.html")[0].endswith(f" {ADDRESS}{wheel_name()}")


def test_links_lead_to_where_a_page_is_made(settled):
    def links(page):
        found = site_checks.parse(settled / page).xpath("//*[contains(@class, 'downloads')]/a[@rel='external']")
        return {link.text: link.get("href") for link in found}

    assert links("en/now.html") == {
        "Repository": "https://code.example/shardbook",
        "Edit this page": "https://code.example/shardbook/edit/main/docs/now.md",
        "Report a fault": "https://code.example/shardbook/issues/new?title=en/now",
        "Open in Colab": "https://colab.example/github/shardbook/site/blob/main/en/now.ipynb",
    }
    assert list(links("zh/index.html")) == ["代码仓库", "编辑本页", "报告问题"]


def test_without_settings_no_link_is_there(built_small):
    for page in ("en/now.html", "zh/genindex.html"):
        assert site_checks.parse(built_small.root / "site" / page).xpath("//a[@rel='external']") == []


@pytest.mark.parametrize(
    ("name", "address"),
    [
        ("SHARDBOOK_REPOSITORY", "code.example"),
        ("SHARDBOOK_REPOSITORY", "javascript:alert(1)"),
        ("SHARDBOOK_EDIT", "https://code.example/{page}"),
        ("SHARDBOOK_REPORT", "https://code.example/{"),
        ("SHARDBOOK_COLAB", "https://code.example/{notebook.__class__}"),
        ("SHARDBOOK_COLAB", "https://code.example/{}"),
    ],
)
def test_an_address_that_cannot_be_filled_in_is_refused(monkeypatch, name, address):
    monkeypatch.setenv(name, address)
    with pytest.raises(SystemExit, match=re.escape(f"{name} is {address!r}: give an address")):
        elsewhere.address(name, source="a", page="a", notebook="a")


def test_a_build_with_such_an_address_fails(small):
    result = small.build(SHARDBOOK_EDIT="https://code.example/{page}")
    assert not result.passed
    assert "SHARDBOOK_EDIT is 'https://code.example/{page}': give an address" in result.printed
