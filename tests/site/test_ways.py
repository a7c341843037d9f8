"""From anything to what belongs to it: figures open in the explorer, messages lead to entries, entries to pages that teach."""

import re
from urllib.parse import parse_qsl, urlsplit

import pytest
import site_checks
from jax.sharding import AbstractMesh, AxisType, NamedSharding
from jax.sharding import PartitionSpec as P

import shardbook as sb
from shardbook._messages import MESSAGES
from shardbook_sphinx.explorer.open_figures import state
from shardbook_sphinx.reference.boxes import Known, ShownError, entry_of
from shardbook_sphinx.reference.uses import MOST

# Of the pages with cells: what they draw and what they raise.
PAGES = ("learn/placing", "learn/three-ways", "explain/axis-order", "guides/figures")


def figure(**changed):
    """A figure as the helper draws it, with some of its words changed."""
    mesh = AbstractMesh((2, 4), ("x", "y"), axis_types=(AxisType.Explicit,) * 2)
    drawn = sb.show(sb.layout(NamedSharding(mesh, P(("y", "x"))), (16, 2), "float32"))._repr_mimebundle_()["text/html"]
    found = re.search(r"<figure>.*?</figure>", drawn, re.DOTALL)[0]
    for old, new in changed.values():
        assert old in found
        found = found.replace(old, new)
    return found


def read(hash_):
    """What an address of the explorer says, as the layout that it names."""
    said = dict(parse_qsl(hash_, keep_blank_values=True))
    axes = [part.split(":") for part in said["mesh"].split(",")]
    types = tuple(AxisType.Auto if "Auto" in axis[2:] else AxisType.Explicit for axis in axes)
    mesh = AbstractMesh(tuple(int(axis[1]) for axis in axes), tuple(axis[0] for axis in axes), axis_types=types)
    entries = [tuple(each.split(".")) if each != "-" else None for each in said["spec"].split(",") if each]
    shape = tuple(int(size) for size in said["shape"].split(",") if size)
    return sb.layout(NamedSharding(mesh, P(*entries)), shape, said["dtype"])


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_figure_opens_with_its_own_layout(site, language):
    opened = 0
    for file in sorted((site / language).rglob("*.html")):
        if "sb-open" not in file.read_text(encoding="utf-8"):
            continue
        for link in site_checks.parse(file).xpath("//p[@class='sb-open']/a"):
            caption = link.getparent().getparent().xpath("figcaption")[0].text_content().split(" ", 1)
            layout = str(read(urlsplit(link.get("href")).fragment))
            assert layout in (" ".join(caption), caption[-1]), file
            opened += 1
    assert opened > 25


def test_the_state_of_a_figure_says_all():
    assert state(figure(), MESSAGES["en"]) == "#v=1&shape=16,2&mesh=x:2,y:4&spec=y.x,-&dtype=float32"


@pytest.mark.parametrize(
    "changed",
    [
        ("float32[16@(y,x), 2]</figcaption>", "float32[16@(y,x), 2]{U:x}</figcaption>"),
        ("float32[16@(y,x), 2]</figcaption>", "float32&lt;host&gt;[16@(y,x), 2]</figcaption>"),
        (" · Explicit", " · Manual"),
        (">7</text>", ">8</text>"),
        ("x=2, y=4", "x=2, y=8"),
    ],
)
def test_what_the_explorer_cannot_show_has_no_link(changed):
    assert state(figure(one=changed), MESSAGES["en"]) is None


def test_another_order_of_devices_is_in_the_link():
    swapped = figure(one=(">0</text>", ">A</text>"), two=(">1</text>", ">0</text>"), three=(">A</text>", ">1</text>"))
    assert "&order=1,0,2,3,4,5,6,7&" in state(swapped, MESSAGES["en"])


@pytest.mark.parametrize(
    ("page", "entry"),
    [
        ("learn/placing", "error-put-indivisible"),
        ("learn/manual", "error-out-specs-replication"),
        ("train/data-parallel", "error-donated-array-read"),
        ("guides/chips", "error-memory-hbm"),
    ],
)
@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_message_leads_to_its_entry(site, language, page, entry):
    links = site_checks.parse(site / language / f"{page}.html").xpath("//p[@class='explained']/a/@href")
    assert f"../errors/{entry}.html" in links


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_link_to_an_entry_has_the_code_of_its_title(site, language):
    here = site / language / "reference"
    links = site_checks.parse(here / "jit.html").xpath("//p[@class='explained']/a[contains(@href, 'errors/')]")
    titles = [site_checks.parse(here / link.get("href")).xpath("//h1")[0] for link in links]
    assert [link.xpath("code/text()") for link in links] == [title.xpath("code/text()") for title in titles]
    assert any(link.xpath("code") for link in links)


def pages_with_code(site):
    """The files of the parts whose pages have cells or examples, but for the errors, whose entries are pages too."""
    parts = ("learn", "train", "guides", "explain", "reference", "history")
    return [file for part in parts for file in sorted((site / part).glob("*.html"))]


def unnamed(root):
    """Whether a page whose code imports the helper does not say once what it is, or one that does not says it."""
    imports = any("import shardbook as sb" in code.text_content() for code in root.xpath("//article//pre"))
    return len(root.xpath("//p[@class='explained']/a[contains(@href, 'shardbook.html')][code='sb']")) != imports


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_page_whose_code_imports_the_helper_says_what_it_is(site, language):
    wrong = [file.stem for file in pages_with_code(site / language) if unnamed(site_checks.parse(file))]
    assert wrong == ["shardbook"]  # the helper's own page


def misleading(file, language):
    """The lines on the helper that lead to no wheel to install, or tell of Chinese figures in the other language."""

    def leads(link):
        page, _, place = link.partition("#")
        return bool(site_checks.parse(file.parent / page).xpath(f"//*[@id='{place}']//a[contains(@href, '.whl')]"))

    lines = site_checks.parse(file).xpath("//p[@class='explained'][a[code='sb']]")
    return [
        line.text_content()
        for line in lines
        if not any(map(leads, line.xpath("a[contains(@href, '#')][not(code)]/@href")))
        or ('language="zh"' in line.text_content()) != (language == "zh")
    ]


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_line_on_the_helper_leads_to_its_installation_and_in_chinese_to_chinese_figures(site, language):
    assert [told for file in pages_with_code(site / language) for told in misleading(file, language)] == []


@pytest.mark.parametrize(
    ("old", "new", "language"),
    [("", "", "en"), ("#installing", "#elsewhere", "zh"), ("<a href='index.html#installing'>how</a>", "", "zh")],
)
def test_a_line_on_the_helper_that_misleads_is_found(tmp_path, old, new, language):
    line = (
        '<p class="explained"><a href="shardbook.html#sb"><code>sb</code></a> is it'
        """ (<a href='index.html#installing'>how</a>), language="zh".</p>"""
    )
    whole = "<!DOCTYPE html><html><body>{}</body></html>"
    file = tmp_path / "page.html"
    (tmp_path / "index.html").write_text(whole.format('<section id="installing"><a href="a.whl">a</a></section>'))
    file.write_text(whole.format(line))
    assert misleading(file, "zh") == []
    assert old in line
    file.write_text(whole.format(line.replace(old, new) if old else line))
    assert len(misleading(file, language)) == 1


@pytest.mark.parametrize(("lines", "fault"), [(0, True), (1, False), (2, True)])
def test_a_helper_that_nobody_explains_is_found(tmp_path, lines, fault):
    line = '<p class="explained"><a href="../reference/shardbook.html"><code>sb</code></a></p>'
    file = tmp_path / "page.html"
    file.write_text(
        f"<!DOCTYPE html><html><body><article><pre>import shardbook as sb</pre>{line * lines}</article></body></html>",
        encoding="utf-8",
    )
    assert unnamed(site_checks.parse(file)) == fault


def repeated(root):
    """Of each run of lines below one block the links that stand in it more than once."""
    lines = root.xpath("//p[@class='explained'][not(preceding-sibling::*[1][self::p[@class='explained']])]")
    for first in lines:
        run = [first]
        while (after := run[-1].getnext()) is not None and after.get("class") == "explained":
            run.append(after)
        links = [link for line in run for link in line.xpath("a/@href")]
        yield from {link for link in links if links.count(link) > 1}


def test_below_a_block_an_entry_stands_once(site):
    files = [
        file for folder in ("learn", "reference", "guides") for file in sorted((site / "en" / folder).glob("*.html"))
    ]
    assert {file.stem: found for file in files if (found := list(repeated(site_checks.parse(file))))} == {}


def test_an_entry_that_stands_twice_below_a_block_is_found(tmp_path):
    line = '<p class="explained">On this message, see: <a href="../errors/error-a.html">A</a></p>'
    file = tmp_path / "page.html"
    file.write_text(
        f"<!DOCTYPE html><html><body><pre>1</pre>{line}{line}<pre>2</pre>{line}</body></html>", encoding="utf-8"
    )
    assert list(repeated(site_checks.parse(file))) == ["../errors/error-a.html"]


INDIVISIBLE = Known(
    "ValueError", "does not divide", "axis x of size 4 does not divide 6", "f(x)", "errors/specs", "error-divide"
)


@pytest.mark.parametrize(
    ("told", "found"),
    [
        ("ValueError: axis y of size 2 does not divide 7", True),
        ("jax._src.errors.ValueError: axis y of size 2\n  does not divide 7", True),
        ("TypeError: axis y of size 2 does not divide 7", False),
        ("ValueError: axis y of size 2 must divide 7", False),
        ("ValueError: somebody else's function says that one number does not divide another", False),
    ],
)
def test_only_the_same_message_leads_there(told, found):
    assert (entry_of(ShownError(told, "f(x)"), [INDIVISIBLE]) is not None) == found


def test_of_two_entries_with_one_message_that_of_a_retired_name_comes_last_unless_it_is_called():
    retired = INDIVISIBLE._replace(code="jax.pmap(f)(x)", docname="errors/retired", anchor="error-pmap")
    shown = ShownError("ValueError: axis x of size 4 does not divide 6", "jax.pmap(f)(x)")
    assert entry_of(shown, [retired, INDIVISIBLE]) == retired
    other = shown._replace(code="f(x)")
    assert entry_of(other, [retired, INDIVISIBLE]) == INDIVISIBLE
    assert entry_of(other, [retired]) == retired
    assert entry_of(shown._replace(code="put(y)"), [retired]) is None


def test_an_entry_of_the_api_names_pages_that_use_it(site, handbook):
    named = 0
    for file in sorted((site / "en/reference").glob("*.html")):
        for line in site_checks.parse(file).xpath("//p[@class='api-history'][starts-with(., 'Used in: ')]"):
            names = [each.rpartition(".")[2] for each in line.xpath("ancestor::dl[1]/dt/@id")]
            pages = line.xpath("a/@href")
            assert 0 < len(pages) <= MOST
            for page in pages:
                source = (
                    (handbook.root / "docs" / page.removeprefix("../")).with_suffix(".md").read_text(encoding="utf-8")
                )
                assert any(re.search(rf"\b{name}\b", source) for name in names) or "PartitionSpec" in names, (
                    file,
                    names,
                )
                named += 1
    assert named > 60


@pytest.mark.parametrize(
    ("entry", "pages"),
    [
        ("error-mesh-too-large", ["learn/placing"]),
        ("error-out-specs-replication", ["learn/manual"]),
        ("error-explicit-contracting", ["learn/explicit"]),
        ("trap-psum-of-copies", ["learn/manual"]),
        ("trap-timing", ["train/data-parallel"]),
    ],
)
@pytest.mark.parametrize("language", ["en", "zh"])
def test_an_error_leads_to_the_page_that_teaches(site, language, entry, pages):
    links = site_checks.parse(site / language / f"errors/{entry}.html").xpath("//p[@class='explained'][last()]/a/@href")
    assert {f"../{page}.html" for page in pages} <= set(links)


def test_a_tutorial_that_is_not_there_is_found(small):
    small.edit("docs/now.md", "file_format: mystnb", "file_format: mystnb\ntaught: learn/nothing")
    result = small.build("--only", "en")
    assert not result.passed
    assert "docs/now.md: taught: learn/nothing names no page" in result.printed


def test_a_section_that_is_not_there_is_found(small):
    small.edit("docs/now.md", "file_format: mystnb", "file_format: mystnb\ntaught:\n  nothing-here: now")
    result = small.build("--only", "en")
    assert not result.passed
    assert "docs/now.md: taught: no section has the id nothing-here" in result.printed
