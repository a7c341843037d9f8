"""What a reader takes away is whole, in both languages, and leads where it says; each check finds a planted fault."""

import json
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import download_checks
import pytest
import site_checks
from checkout import CHECKOUT, Handbook, put_back, spoil
from faults import SUMS

from shardbook._messages import MESSAGES
from shardbook_sphinx.commands.policy import POLICY
from shardbook_sphinx.downloads.archive import ARCHIVE, HOSTS, write_archive

ADDRESS = "https://handbook.example/zh/book/"


@pytest.fixture
def spoiled(built_small, tmp_path) -> Path:
    """A copy of the small site, to plant a fault in."""
    return Path(shutil.copytree(built_small.root / "site", tmp_path / "site"))


# Every page as a notebook and as Markdown


@pytest.mark.parametrize(
    "check",
    [
        download_checks.markup_left,
        download_checks.invalid_notebooks,
        download_checks.broken_links,
        download_checks.missing_from_llms,
        download_checks.lost_text,
        download_checks.english_prose,
        download_checks.unequal_code,
        download_checks.unsaid,
    ],
)
def test_downloads_are_whole(site, check):
    assert check(site) == []


def test_every_page_has_its_downloads(handbook, site):
    assert download_checks.missing_downloads(site, handbook.root / "docs") == []


def test_a_missing_download_is_found(built_small, spoiled):
    (spoiled / "en/now.ipynb").unlink()
    spoil(spoiled / "zh/now.html", '<a href="now.md"', '<a href="then.md"')
    assert download_checks.missing_downloads(spoiled, built_small.root / "docs") == [
        "en/now: has no .ipynb",
        "zh/now: does not lead to its .md",
    ]


@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        ("It is six.", ":::{note}\\n\\nIt is six.\\n:::", "':::' is no Markdown"),
        ("It is six.", "It is {py:func}`six`.", "'{py:func}`' is no Markdown"),
        ("It is six.", "```{note}\\nIt is six.\\n```", "{note} is a directive"),
        ("It is six.", "It is **six.", "'It is **six.' shows its markup"),
    ],
)
def test_a_directive_left_in_a_notebook_is_found(spoiled, old, new, found):
    spoil(spoiled / "en/now.ipynb", old, new)
    assert f"en/now.ipynb: {found}" in download_checks.markup_left(spoiled)


def test_a_spoiled_notebook_is_found(spoiled):
    spoil(spoiled / "en/now.ipynb", '"cell_type": "code"', '"cell_type": "cod"')
    assert [finding[:12] for finding in download_checks.invalid_notebooks(spoiled)] == ["en/now.ipynb"]


def test_broken_links_of_downloads_are_found(spoiled):
    spoil(spoiled / "en/index.md", "now.html#the-sum", "now.html#sum")
    spoil(spoiled / "zh/index.ipynb", "now.html#the-sum", "never.html")
    assert download_checks.broken_links(spoiled) == [
        "en/index.md: now.html#sum leads to no such place",
        "zh/index.ipynb: never.html leads to no file",
    ]


def test_a_page_missing_in_llms_is_found(spoiled):
    spoil(spoiled / "llms.txt", "(en/now.md)", "(en/new.md)")
    spoil(spoiled / "zh/llms-full.txt", "total", "sum")
    assert download_checks.missing_from_llms(spoiled) == [
        "en/now: is not in llms.txt",
        "zh/now: is not in llms-full.txt",
    ]


def test_a_paragraph_missing_in_markdown_is_found(spoiled):
    spoil(spoiled / "en/now.md", "It is six.", "It is 6.")
    spoil(spoiled / "zh/now.md", "```text\n6\n```", "")
    assert download_checks.lost_text(spoiled) == [
        "en/now: 'Itissix.' is not in its Markdown",
        "zh/now: '6' is not in its Markdown",
    ]


def test_other_code_in_one_language_is_found(spoiled):
    spoil(spoiled / "zh/now.ipynb", "total == 6", "total == 7")
    assert download_checks.unequal_code(spoiled) == ["now.ipynb: its code differs from the English one's"]


def test_english_prose_in_a_chinese_notebook_is_found(site, tmp_path):
    for language in ("en", "zh"):
        (tmp_path / language).mkdir()
        shutil.copy(site / language / "glossary.ipynb", tmp_path / language)
    (tmp_path / "en/glossary.ipynb").write_bytes((tmp_path / "zh/glossary.ipynb").read_bytes())
    spoil(tmp_path / "zh/glossary.ipynb", "JAX 分片术语表（中英对照）", "Glossary")
    spoil(tmp_path / "en/glossary.ipynb", "JAX 分片术语表（中英对照）", "Glossary")
    assert "zh/glossary.ipynb: '# Glossary' is English" in download_checks.english_prose(tmp_path)


def test_a_notebook_says_what_it_runs_on(built_small):
    now, then, names, index = (
        json.loads(built_small.read(f"site/en/{name}.ipynb")) for name in ("now", "then", "names", "index")
    )
    assert [book["metadata"]["kernelspec"]["name"] for book in (now, then)] == ["python3", "jax-0.5.3"]
    assert "".join(now["cells"][0]["source"]) == (
        '# Today\n\nRun on JAX 0.12.0.1; install it with `pip install "jax==0.12.0.1"`.'
    )
    assert '`pip install "jax==0.5.3" "numpy==2.2.6" "scipy==1.15.3"`' in "".join(then["cells"][0]["source"])
    for book in (now, names):
        assert "".join(book["cells"][1]["source"]) == 'import os\n\nos.environ["JAX_PLATFORMS"] = "cpu"'
    assert [cell["cell_type"] for cell in index["cells"]] == ["markdown"]


def test_a_cell_keeps_its_tags_and_its_place(built_small):
    cells = json.loads(built_small.read("site/zh/now.ipynb"))["cells"]
    assert [("".join(cell["source"]), cell["metadata"].get("tags")) for cell in cells if cell["cell_type"] == "code"][
        2:
    ] == [
        ("total = int(jax.numpy.arange(4).sum())\nprint(total)", None),
        ("assert total == 6", ["remove-cell"]),
        ('jax.numpy.arange(4) + "four"', ["raises-exception"]),
    ]


def test_markdown_has_what_cells_show_and_not_what_they_hide(built_small):
    text = built_small.read("site/en/now.md")
    assert "print(total)\n```\n\n```text\n6\n```\n\nAn error, on purpose.\n" in text
    assert "```text\nTypeError: unsupported operand type(s) for +: " in text
    assert "assert total" not in text


def test_a_figure_speaks_the_language_of_its_page(site):
    english, chinese = ((site / language / "learn/placing.md").read_text(encoding="utf-8") for language in ("en", "zh"))
    assert f"\n{MESSAGES['en']['shard']}        [2, 2]\n" in english
    assert f"\n{MESSAGES['zh']['shard']}" in chinese
    assert MESSAGES["en"]["shard"] not in chinese


# From build to build


def test_a_build_elsewhere_gives_the_same_files(built_small, tmp_path):
    """The pages, what can be taken away and the index of the search, in a folder of another name."""
    elsewhere = Handbook(tmp_path / "elsewhere")
    ignored = shutil.ignore_patterns("doctrees", "gettext", "stamp", "made-by", "seen", "site", "*.mo")
    shutil.copytree(built_small.root, elsewhere.root, ignore=ignored)
    result = elsewhere.build()
    assert result.passed, result.printed
    assert site_checks.different_files(built_small.root / "site", elsewhere.root / "site") == []


# For search engines and hosts


def test_a_wrong_description_is_found(spoiled):
    spoil(spoiled / "zh/now.html", '<meta name="description" content="', '<meta name="description" content="!')
    [finding] = download_checks.unsaid(spoiled)
    assert finding.startswith("zh/now: is described as '!")


def test_without_an_address_nothing_is_absolute(built_small):
    site = built_small.root / "site"
    assert list(download_checks.own_addresses(site, "handbook.example")) == []
    assert download_checks.unsaid(site) == []
    assert download_checks.broken_links(site) == []
    assert not (site / "sitemap.xml").exists()
    assert not (site / "robots.txt").exists()


@pytest.fixture(scope="module")
def addressed(workplace, tmp_path_factory):
    """The small site, built anew for an address, at which the name of a language is the folder of the site.

    With a page of errors, which nobody has translated.
    """
    small = put_back(workplace)
    small.write("docs/errors/sums.md", SUMS)
    small.edit("docs/index.md", "now\nthen", "now\nthen\nerrors/sums")
    result = small.build("--lenient", SHARDBOOK_URL=ADDRESS)
    assert result.passed, result.printed
    return Path(shutil.copytree(small.root / "site", tmp_path_factory.mktemp("addressed") / "site"))


def test_the_address_reaches_every_page_in_its_language(addressed):
    for language in ("en", "zh"):
        page = (addressed / language / "now.html").read_text(encoding="utf-8")
        assert f'<link rel="canonical" href="{ADDRESS}{language}/now.html">' in page
        assert f'hreflang="zh-CN" href="{ADDRESS}zh/now.html"' in page


def test_with_an_address_everything_says_it(addressed):
    assert download_checks.unsaid(addressed, ADDRESS) == []
    assert download_checks.broken_links(addressed, ADDRESS) == []
    assert download_checks.wrong_addresses(addressed, ADDRESS) == []
    assert download_checks.unlisted_pages(addressed, ADDRESS) == []
    assert download_checks.missing_from_llms(addressed) == []
    assert (addressed / "robots.txt").read_text().endswith(f"\nSitemap: {ADDRESS}sitemap.xml\n")
    said = {name for name, _ in download_checks.own_addresses(addressed, "handbook.example")}
    assert {"index.html", "404.html", "llms.txt", "zh/llms.txt", "sitemap.xml", "en/index.ipynb", "zh/now.html"} <= said
    assert f"<loc>{ADDRESS}zh/errors/error-one.html</loc>" in (addressed / "sitemap.xml").read_text(encoding="utf-8")


def test_with_an_address_a_wrong_one_is_answered_with_a_search(addressed):
    page = site_checks.parse(addressed / "404.html")
    assert page.xpath("//form[@role='search']/@action") == [
        f"{ADDRESS}{language}/search.html" for language in ("en", "zh")
    ]
    assert page.xpath("//form//input/@name") == ["q", "q"]
    assert all(href.startswith(ADDRESS) for href in page.xpath("//a/@href"))


def test_wrong_addresses_are_found(addressed, tmp_path):
    site = Path(shutil.copytree(addressed, tmp_path / "site"))
    spoil(site / "404.html", f"{ADDRESS}en/index.html", f"{ADDRESS}en/indexes.html")
    spoil(site / "sitemap.xml", f"<loc>{ADDRESS}zh/now.html", f"<loc>{ADDRESS}zh/llms.txt")
    spoil(site / "en/now.html", f'rel="canonical" href="{ADDRESS}', 'rel="canonical" href="https://handbook.example/')
    spoil(site / "en/index.md", f"{ADDRESS}en/now.html", "now.html")
    wrong = download_checks.wrong_addresses(site, ADDRESS)
    assert f"404.html: there is nothing at {ADDRESS}en/indexes.html" in wrong
    assert "en/now.html: there is nothing at https://handbook.example/en/now.html" in wrong
    assert download_checks.unlisted_pages(site, ADDRESS) == [
        f"{ADDRESS}zh/llms.txt: only in the sitemap",
        f"{ADDRESS}zh/now.html: only in the site",
    ]
    assert [finding[:26] for finding in download_checks.unsaid(site, ADDRESS)] == ["en/now: says it is at ['ht"]
    assert download_checks.broken_links(site, ADDRESS) == [
        "en/index.md: now.html#the-sum does not begin with the address of the site"
    ]


@pytest.mark.parametrize("address", ["handbook.example", "//handbook.example/", "https://handbook.example/?page="])
def test_half_an_address_is_refused(small, address):
    result = small.build(SHARDBOOK_URL=address)
    assert not result.passed
    assert f"SHARDBOOK_URL is '{address}'" in result.printed


def test_the_headers_carry_the_policy(built_small):
    assert built_small.read("site/_headers") == f"/*\n  Content-Security-Policy: {POLICY}\n"
    environment = {**os.environ, "PYTHONPATH": str(CHECKOUT / "src")}
    command = [sys.executable, "-S", "-m", "shardbook_sphinx.commands.policy"]
    printed = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert printed.stdout == f"Content-Security-Policy: {POLICY}\n"


# The whole site as one file


@pytest.fixture
def unpacked(site, tmp_path) -> Path:
    with zipfile.ZipFile(site / ARCHIVE) as archive:
        archive.extractall(tmp_path)
    return tmp_path / "shardbook"


def test_the_archive_is_the_site_but_for_itself(site, unpacked):
    different = {name for name in site_checks.different_files(site, unpacked) if not name.endswith("index.html")}
    assert {Path(name).as_posix() for name in different} == {ARCHIVE, *HOSTS} & {path.name for path in site.iterdir()}
    assert site_checks.broken_links(unpacked) == []
    for language in ("en", "zh"):
        assert f"../{ARCHIVE}" in (site / language / "index.html").read_text(encoding="utf-8")
        assert ARCHIVE not in (unpacked / language / "index.html").read_text(encoding="utf-8")


def test_an_offer_left_in_the_archive_is_found(built_small, tmp_path, monkeypatch):
    site = Path(shutil.copytree(built_small.root / "site", tmp_path / "site"))
    spoil(site / "en/index.html", '<a class="archive"', '<a class="other"')
    write_archive(site)
    with zipfile.ZipFile(site / ARCHIVE) as archive:
        archive.extractall(tmp_path)
    assert site_checks.broken_links(tmp_path / "shardbook") == [f"en/index.html: ../{ARCHIVE} leads to no file"]


def test_the_same_site_gives_the_same_archive(spoiled):
    archive = spoiled / ARCHIVE
    first = archive.read_bytes()
    for file in spoiled.rglob("*"):
        os.utime(file, (0, 2**31))
    (spoiled / "en/index.html").chmod(0o600)
    write_archive(spoiled)
    assert archive.read_bytes() == first


def test_what_is_packed_already_is_taken_over_as_it_would_be_packed(spoiled):
    archive = spoiled / ARCHIVE
    first = archive.read_bytes()
    spoil(spoiled / "en/now.md", "six", "seven")
    write_archive(spoiled)
    second = archive.read_bytes()
    assert second != first
    for before in (None, b"", b"PK", first[:-100]):
        archive.unlink()
        if before is not None:
            archive.write_bytes(before)
        write_archive(spoiled)
        assert archive.read_bytes() == second
    with zipfile.ZipFile(archive) as opened:
        assert opened.testzip() is None
        assert b"seven" in opened.read("shardbook/en/now.md")
