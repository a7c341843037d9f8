"""What is checked on what a reader takes away. Each function returns its findings, a line each; empty means good."""

import json
import re
from functools import cache
from urllib.parse import unquote, urlsplit

import nbformat
from lxml import etree, html
from markdown_it import MarkdownIt
from site_checks import LANGUAGES, has_place, parse

MARKDOWN = MarkdownIt("commonmark").enable("table")
# MyST's: a directive, a role, a target, a comment.
MYST = re.compile(r"^\s*(?:`{3,}|:{3,}|~{3,})\{|^\s*:{3,}|\{[\w:-]+\}`|^\([\w-]+\)=$|^% ", re.MULTILINE)
SPAN = re.compile(r"`+[^`]*`+")
# Code that ran elsewhere stands in a notebook as text, with what it printed.
FENCE = re.compile(r"^(`{3,})\w*\n.*?^\1$", re.MULTILINE | re.DOTALL)
# Not a name of the API, in which a capital follows a small letter.
WORD = re.compile(r"\b[A-Za-z]?[a-z]{2,}\b")
NAMES = {"shardbook", "pjit", "pmap"}
FORMS = (".html", ".ipynb", ".md")


def documents(site):
    """The pages that can be taken away: language and name without suffix."""
    for language in LANGUAGES:
        for path in sorted((site / language).rglob("*.html")):
            if parse(path).xpath("//nav[@class='downloads']"):
                yield language, path.relative_to(site / language).with_suffix("").as_posix()


# A page that is an entry of errors is one section.
ENTRY = "section[starts-with(@id, 'error-') or starts-with(@id, 'trap-')]"


def entries(site):
    """The entries of errors, which are taken away with their source pages: language and name without suffix."""
    for language in LANGUAGES:
        for path in sorted((site / language / "errors").glob("*-*.html")):
            if parse(path).xpath(f"//article/{ENTRY}"):
                yield language, path.relative_to(site / language).with_suffix("").as_posix()


def missing_downloads(site, docs):
    """Pages that lack a notebook, a Markdown file or the links to them; a notebook without code needs none."""
    found = []
    for language in LANGUAGES:
        for source in sorted(docs.rglob("*.md")):
            name = source.relative_to(docs).with_suffix("").as_posix()
            page = site / language / f"{name}.html"
            links = parse(page).xpath("//nav[@class='downloads']/a[@download]/@href")
            for suffix in FORMS[1:]:
                file = page.with_suffix(suffix)
                if not file.is_file():
                    found.append(f"{language}/{name}: has no {suffix}")
                elif file.name not in links and (
                    suffix != ".ipynb" or '"cell_type": "code"' in file.read_text("utf-8")
                ):
                    found.append(f"{language}/{name}: does not lead to its {suffix}")
    return found


def prose(path):
    """The prose of a notebook or of a Markdown file, a piece each."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".ipynb":
        return ["".join(cell["source"]) for cell in json.loads(text)["cells"] if cell["cell_type"] == "markdown"]
    return [text]


def tokens(path):
    return [token for piece in prose(path) for token in MARKDOWN.parse(piece)]


def downloads(site):
    """The notebooks and Markdown files of the site, those with all pages too, with their names."""
    for path in sorted([*site.rglob("*.ipynb"), *site.rglob("*.md"), *site.rglob("llms*.txt")]):
        yield path.relative_to(site).as_posix(), path


def markup_left(site):
    """Markup in prose that Jupyter and GitHub do not know, or that stands there as text because it is not whole."""
    found = []
    for name, path in downloads(site):
        for token in tokens(path):
            text = "" if token.type == "fence" else token.content
            if token.type == "fence" and token.info.startswith("{"):
                found.append(f"{name}: {token.info} is a directive")
            if match := MYST.search(SPAN.sub("``", text) if token.type == "inline" else text):
                found.append(f"{name}: {match[0].strip()!r} is no Markdown")
            shown = "".join(child.content for child in token.children or [] if child.type == "text")
            if token.type == "inline" and ("](" in shown or "**" in shown):
                found.append(f"{name}: {shown[:60]!r} shows its markup")
    return found


def invalid_notebooks(site):
    """Notebooks that are not as the format says."""
    found = []
    for path in sorted(site.rglob("*.ipynb")):
        try:
            nbformat.validate(json.loads(path.read_text(encoding="utf-8")))
        except nbformat.ValidationError as error:
            found.append(f"{path.relative_to(site).as_posix()}: {error}")
    return found


def broken_links(site, address=""):
    """Links in notebooks and Markdown that lead to no file of the site, or to no such place in it."""
    found = []
    for name, path in downloads(site):
        targets = {child.attrs.get("href", "") for token in tokens(path) for child in token.children or []} - {""}
        for target in sorted(targets):
            if address and target.startswith(address):
                file, place = site / target.removeprefix(address).partition("#")[0], target.partition("#")[2]
            elif urlsplit(target).scheme:
                continue
            else:
                file, place = path.parent / unquote(target.partition("#")[0]), target.partition("#")[2]
                if address:
                    found.append(f"{name}: {target} does not begin with the address of the site")
            if not file.is_file():
                found.append(f"{name}: {target} leads to no file")
            elif place and not has_place(file, unquote(place)):
                found.append(f"{name}: {target} leads to no such place")
    return found


def missing_from_llms(site):
    """Pages that the index of a language does not name with a description, or whose text the whole lacks."""
    found = []
    for language, folder, prefix in (("en", site, "en/"), ("zh", site / "zh", "")):
        index = (folder / "llms.txt").read_text(encoding="utf-8")
        whole = (folder / "llms-full.txt").read_text(encoding="utf-8")
        for at, name in documents(site):
            if at != language:
                continue
            if not re.search(rf"^- \[.+\]\(\S*{re.escape(prefix + name)}\.md\): .", index, re.MULTILINE):
                found.append(f"{language}/{name}: is not in llms.txt")
            # Links differ, as the file stands elsewhere.
            if plain((site / language / f"{name}.md").read_text(encoding="utf-8")) not in plain(whole):
                found.append(f"{language}/{name}: is not in llms-full.txt")
    return found


@cache
def plain(text):
    return re.sub(r"\]\([^()\s]+\)", "]", text)


def words(element):
    """The text of an element as a reader sees it, in one line, quotes and spaces aside."""
    parts = element.xpath(
        ".//text()[not(ancestor::*[contains(@class, 'visually-hidden') or contains(@class, 'headerlink')])]"
    )
    return "".join("".join(parts).split())


def lost_text(site):
    """Paragraphs of a page and outputs of its cells that its Markdown does not say."""
    found = []
    for language, name in documents(site):
        text = (site / language / f"{name}.md").read_text(encoding="utf-8")
        said = words(html.fromstring(f"<div>{MARKDOWN.render(text)}</div>"))
        page = site / language / f"{name}.html"
        # A list of entries says of each what its own page says, and the Markdown has all of them.
        entries = [page.parent / each for each in parse(page).xpath("//*[contains(@class, 'page-entries')]//a/@href")]
        hidden = " or ".join(
            f"contains(@class, '{each}')"
            for each in (
                "cell_output",
                "explorer",
                "watch",
                "page-entries",
                "message-box",
                "downloads",
                "gives",
                "sb-open",
            )
        )
        parts = [
            part
            for each in (page, *entries)
            for part in parse(each).xpath(
                "//article//h1 | //article//h2 | //article//h3"
                f"| //article//p[not(ancestor-or-self::*[{hidden}])]"
                "| //article//div[contains(@class, 'cell_output')]//pre"
                f"| //article//figure[not(ancestor::*[{hidden}])]//dd"
            )
        ]
        lost = (wanted for part in parts if (wanted := words(part)) not in said)
        found += [f"{language}/{name}: {wanted[:60]!r} is not in its Markdown" for wanted in lost]
    return found


def english_prose(site):
    """Prose in a Chinese notebook that is the same in the English one."""
    found = []
    for path in sorted((site / "zh").rglob("*.ipynb")):
        name = path.relative_to(site / "zh")
        english = {line for piece in prose(site / "en" / name) for line in FENCE.sub("", piece).split("\n\n")}
        same = [line for piece in prose(path) for line in FENCE.sub("", piece).split("\n\n") if line in english]
        left = (line for line in same if set(WORD.findall(SPAN.sub("", plain(line)))) - NAMES)
        found += [f"zh/{name.as_posix()}: {line[:60]!r} is English" for line in left if not line.startswith("|")]
    return found


IN_CHINESE = re.compile(r'^(print\(sb\.show\(.*), language="zh"\)\)$', re.MULTILINE)


def unequal_code(site):
    """Notebooks whose code is not the same in both languages, but that figures are asked for in Chinese."""
    return [
        f"{name.as_posix()}: its code differs from the English one's"
        for path in sorted((site / "zh").rglob("*.ipynb"))
        for name in [path.relative_to(site / "zh")]
        if [(IN_CHINESE.sub(r"\1))", source), said) for source, said in code(path)] != code(site / "en" / name)
    ]


def code(path):
    """The code cells of a notebook with what they say of themselves."""
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return [("".join(cell["source"]), cell["metadata"]) for cell in cells if cell["cell_type"] == "code"]


ABSOLUTE = re.compile(r"https?://[^\s\"'<>()`]+")


def own_addresses(site, host):
    """What the files of the site say of addresses on its host, each with the file that says it."""
    for path in sorted(site.rglob("*")):
        if path.suffix in {".html", ".ipynb", ".md", ".txt", ".xml"} and "_static" not in path.parts:
            for address in ABSOLUTE.findall(path.read_text(encoding="utf-8")):
                if urlsplit(address).netloc == host:
                    yield path.relative_to(site).as_posix(), address


def wrong_addresses(site, address):
    """Absolute addresses on the site's host at which there is no file."""
    found = []
    for name, each in own_addresses(site, urlsplit(address).netloc):
        file = site / each.removeprefix(address).partition("#")[0]
        if not each.startswith(address) or not (file.is_file() or (file / "index.html").is_file()):
            found.append(f"{name}: there is nothing at {each}")
    return found


def unlisted_pages(site, address):
    """Pages that the sitemap lacks, and what it lists besides."""
    urls = etree.parse(str(site / "sitemap.xml"))
    listed = [each.text for each in urls.iter("{http://www.sitemaps.org/schemas/sitemap/0.9}loc")]
    wanted = [f"{address}{language}/{name}.html" for language, name in [*documents(site), *entries(site)]]
    assert len(listed) == len(set(listed))
    return [
        f"{each}: only in {'the site' if each in wanted else 'the sitemap'}" for each in sorted({*listed} ^ {*wanted})
    ]


def unsaid(site, address=""):
    """Pages without a description of their own, or whose canonical link is not their address or is there without one."""
    found = []
    for language, name in [*documents(site), *entries(site)]:
        root = parse(site / language / f"{name}.html")
        meta = {
            each.get("name") or each.get("property"): each.get("content") for each in root.xpath("//meta[@content]")
        }
        [article] = root.xpath("//article")
        first = next(iter(article.xpath(".//p[not(@class)]")), None)
        told = "".join(meta["description"].split())
        # An entry begins with its message, and goes on with what it says first, as far as there is room.
        is_entry = bool(article.xpath(f"./{ENTRY}"))
        said = words(first)[:20] in told if is_entry else first is None or told == words(first)
        if not said or meta["og:description"] != meta["description"]:
            found.append(f"{language}/{name}: is described as {meta['description']!r}")
        if not root.xpath("string(//h1)").startswith(meta["og:title"]):
            found.append(f"{language}/{name}: has the title {meta['og:title']!r}")
        if meta["og:locale"] != LANGUAGES[language].replace("zh-CN", "zh_CN").replace("en", "en_US"):
            found.append(f"{language}/{name}: has the locale {meta['og:locale']!r}")
        wanted = [f"{address}{language}/{name}.html"] if address else []
        told = [meta[key] for key in ("og:url",) if key in meta]
        if not told == root.xpath("//link[@rel='canonical']/@href") == wanted:
            found.append(f"{language}/{name}: says it is at {told}, not {wanted}")
        if meta.get("og:image") != (f"{address}page.png" if address else None):
            found.append(f"{language}/{name}: shows {meta.get('og:image')}")
    return found
