"""What is checked on a built site. Each function returns its findings, a line each; empty means good."""

import ast
import re
from collections import Counter
from functools import cache
from pathlib import Path
from urllib.parse import unquote, urlsplit

from lxml import html

from shardbook_sphinx.entries import LABEL
from shardbook_sphinx.search.pagefind import read_fragment
from shardbook_sphinx.search.records import INLINE

LANGUAGES = {"en": "en", "zh": "zh-CN"}
WORD = re.compile("[A-Za-z]{2,}")
# Names that stay as they are in any language.
NAMES = {"shardbook", "English", "Furo"}
FOREIGN_URL = re.compile(r"""(?:url\(|@import\s)\s*["']?((?:https?:)?//[^"')\s]+)""")
# Dotted and underscored names are code, wherever they stand.
CODE = re.compile(r"\w+([._]\w+)+(\(\))?")
# Pages that Sphinx makes: an index is sorted as its language is.
MADE = {Path("genindex.html"), Path("search.html")}
# What the scripts of the search say is in attributes of its fields.
SAID = ("results", "one", "many", "all", "more", "nothing", "nearest", "failed", "served")
# What a person hears or sees of an element besides its text.
SPOKEN = ("aria-label", "title", "alt", "placeholder", *(f"data-{name}" for name in SAID))


def parse(path):
    return parsed(path.read_bytes())


@cache
def parsed(page):
    """A page's tree; copies of a site with one planted fault have most pages in common, so it goes by what they say."""
    return html.fromstring(page, parser=html.HTMLParser(encoding="utf-8"))


def pages(site):
    """All HTML files, relative to the site, but the one that is shown at any address: see tests/browser for it."""
    found = (path.relative_to(site) for path in site.rglob("*.html"))
    return sorted(path for path in found if "_static" not in path.parts and path.name != "404.html")


def addresses(root):
    """Everything a page refers to: links, scripts, styles, images."""
    for value in root.xpath("//@href | //@src | //@action | //@poster | //@data"):
        yield value.getparent(), value


def broken_links(site):
    """Links within the site that lead to no file, or to no such place in it."""
    site, found, targets, places = site.resolve(), [], {}, {}
    for page in pages(site):
        for element, value in addresses(parse(site / page)):
            parts = urlsplit(value)
            if parts.scheme or parts.netloc:
                continue
            # To ask the file system is slow, and most links of a folder's pages are to few files.
            asked = page.parent if parts.path else page, parts.path
            if asked not in targets:
                target = led_to(site / page, unquote(parts.path))
                fault = "" if target.is_file() else "leads to no file"
                targets[asked] = target, fault if target.is_relative_to(site) else "leads out of the site"
            target, fault = targets[asked]
            if fault:
                found.append(f"{page}: {value} {fault}")
            elif target.name == "explorer.html" and parts.fragment.startswith("v="):
                continue  # a state: see test_ways.py
            elif parts.fragment and element.tag == "a":
                if target not in places:
                    places[target] = set(parse(target).xpath("//@id"))
                if unquote(parts.fragment) not in places[target]:
                    found.append(f"{page}: {value} leads to no such place")
    return found


def has_place(path, name):
    """Whether a link can lead to a name in a page."""
    return name in parse(path).xpath("//@id")


def led_to(page, path):
    """The file that a path on a page leads to."""
    target = page.parent / path if path else page
    return (target / "index.html" if target.is_dir() else target).resolve()


def foreign_requests(site):
    """What a browser would fetch from elsewhere to show a page."""
    return [
        f"{sheet.relative_to(site)}: asks {url}"
        for sheet in sorted(site.rglob("*.css"))
        for url in FOREIGN_URL.findall(sheet.read_text(encoding="utf-8"))
    ] + [
        f"{page}: <{element.tag}> asks {value}"
        for page in pages(site)
        for element, value in addresses(parse(site / page))
        if element.tag not in {"a", "form"} and element.get("rel") not in {"alternate", "canonical"}
        if urlsplit(value).scheme in {"http", "https"} or value.startswith("//")
    ]


def strings(element, inside=False, drawn=False):
    """What stands around the article, and what is said of elements anywhere, but no code and no drawing's marks."""
    if not isinstance(element.tag, str):  # a comment
        return
    if element.tag not in {"script", "style", "code", "pre", "head"}:
        if not drawn:
            yield from (element.get(name).strip() for name in SPOKEN if element.get(name))
        if not inside and element.tag != "article":
            yield from (text.strip() for text in (element.text, *(child.tail for child in element)) if text)
    inside = inside or element.tag in {"article", "code", "pre", "head"}
    drawn = drawn or element.tag == "figure"
    for child in element:
        yield from strings(child, inside, drawn)


def is_english(text):
    return bool(WORD.search(text)) and text not in NAMES and not CODE.fullmatch(text)


def english_interface(site):
    """Strings of the interface that stand unchanged on the Chinese page: nobody translated them."""
    found = []
    for page in pages(site / "zh"):
        if not (site / "en" / page).exists():
            continue
        english = set(strings(parse(site / "en" / page)))
        root = parse(site / "zh" / page)
        # A title that is code, such as that of the next page, is in the head without its marks.
        code = {element.text_content() for element in root.iter("code")}
        unchanged = sorted(set(strings(root)) & english - code)
        found += [f"zh/{page}: {text!r} is English" for text in unchanged if is_english(text)]
    return found


def english_figures(site, words):
    """Words of the package's English figures in a figure on a Chinese page."""
    found = []
    for page in pages(site / "zh"):
        for figure in parse(site / "zh" / page).iter("figure"):
            said = " ".join([*figure.itertext(), *figure.xpath(".//@aria-label"), *figure.xpath(".//@title")])
            # XLA's warnings quote shardings, such as {mesh['x'=2], [{'x'}]}, and leaves have paths, such as
            # ['adam'][0].count: notation, not words.
            outside = rf"(?<!\.)\b({'|'.join(words)})\b(?!\[)"
            found += [f"zh/{page}: a figure says {word!r}" for word in sorted(set(re.findall(outside, said)))]
    return found


def contents(root):
    """How many cells, outputs, figures, tables and code blocks a page has, and the places one can link to."""
    article = root.xpath("//article")
    if not article:
        return Counter()
    counts = Counter()
    for element in article[0].iter("*"):
        classes = (element.get("class") or "").split()
        counts.update(name for name in ("cell", "cell_input", "cell_output", "highlight") if name in classes)
        counts.update([element.tag] if element.tag in {"figure", "table", "section", "svg", "dl", "img"} else [])
        if element.tag == "section":
            counts[f"#{element.get('id')}"] += 1
    return counts


def unequal_pages(site):
    """Pages that have other contents in Chinese than in English, or that only one language has."""
    found = []
    english, chinese = set(pages(site / "en")), set(pages(site / "zh"))
    found += [f"{page}: only in one language" for page in sorted(english ^ chinese)]
    for page in sorted((english & chinese) - MADE):
        here, there = (contents(parse(site / language / page)) for language in LANGUAGES)
        for name in sorted(here | there):
            if here[name] != there[name]:
                found.append(f"{page}: {name}: {here[name]} in English, {there[name]} in Chinese")
    return found


def unlike_links(site):
    """Links of an article that its Chinese does not have, or has more often.

    In one message with two links to different places of one page, Sphinx leads both to the last. A name in code leads to
    its entry by itself, and Chinese may say it again.
    """

    def links(path):
        return Counter(parse(path).xpath("//article//a/@href"))

    def names(path):
        found = ((link.get("href"), link.text_content()) for link in parse(path).xpath("//article//a[code]"))
        return Counter(href for href, text in found if href.endswith(f".{text.removesuffix('()').rpartition('.')[2]}"))

    found = []
    for page in pages(site / "zh"):
        if page in MADE or not (site / "en" / page).is_file():
            continue
        english, chinese = site / "en" / page, site / "zh" / page
        found += [f"{page}: {href} only in English" for href in links(english) - links(chinese)]
        more = links(chinese) - links(english) - (names(chinese) - names(english))
        found += [f"{page}: {href} only in Chinese" for href in more]
    return found


def missing_ways(site):
    """Pages that do not say their language, or lack the way to the same page in the other."""
    found = []
    for language, tag in LANGUAGES.items():
        for page in pages(site / language):
            path = site / language / page
            root = parse(path)
            if root.get("lang") != tag:
                found.append(f"{language}/{page}: lang is {root.get('lang')!r}, not {tag!r}")
            up = "../" * len(page.parts)
            for other, other_tag in LANGUAGES.items():
                expected = f"{up}{other}/{page.as_posix()}"
                switch = root.xpath("//nav[@class='languages']/a[@hreflang=$tag]/@href", tag=other_tag)
                alternate = root.xpath("//link[@rel='alternate'][@hreflang=$tag]/@href", tag=other_tag)
                if switch != [expected]:
                    found.append(f"{language}/{page}: the switch to {other} is {switch}, not {expected!r}")
                if alternate != [expected]:
                    found.append(f"{language}/{page}: the alternate in {other} is {alternate}, not {expected!r}")
    return found


# Elements of a page at most: a browser goes through all of them when the theme is switched.
MOST = 4000


def heavy_pages(site):
    """Pages with more elements than a browser goes through at once."""
    found = []
    for page in pages(site):
        count = sum(1 for _ in parse(site / page).iter("*"))
        if count > MOST:
            found.append(f"{page.as_posix()}: {count} elements")
    return found


def coloured_outputs(site):
    """Pages with colour codes of a terminal in an output: the theme's colours for them are too pale to read."""
    return [
        f"{page.as_posix()}: {found.strip()[:60]!r} is coloured"
        for page in pages(site)
        for found in parse(site / page).xpath("//span[contains(@class, ' -Color')][1]/text()")[:1]
    ]


def lost_pages(site):
    """Pages below a section that do not say in which one they are."""
    found = []
    for page in pages(site):
        if len(page.parts) < 3 or page.name == "index.html" or not (site / page).with_name("index.html").is_file():
            continue
        section = parse((site / page).with_name("index.html")).xpath("string(//h1/text())")
        ways = parse(site / page).xpath("//nav[@class='breadcrumbs'][@aria-label]//a")
        told = [(way.get("href"), way.text_content()) for way in ways]
        if ("index.html", section) not in told:
            found.append(f"{page.as_posix()}: does not lead to {section!r}: {told}")
    return found


# The line above a cell that fails, that hangs until it is stopped, and that works.
VERDICTS = {"en": ("✗ Fails", "✗ Hangs", "✓ Works"), "zh": ("✗ 报错", "✗ 卡死", "✓ 不报错")}
STOPPED = "TimeoutExpired: "


def unmarked_cells(site):
    """Entries of errors in which a cell that raised, or one after it that ran, is not said to have done so."""
    found = []
    for language, (failing, hanging, working) in VERDICTS.items():
        for path in sorted((site / language / "errors").glob("error-*.html")):
            failed = False
            for cell in parse(path).xpath("//div[contains(concat(' ', @class, ' '), ' cell ')]"):
                fails = "tag_raises-exception" in cell.get("class").split()
                failed = failed or fails
                above = cell.xpath("preceding-sibling::p[not(@class='cell-where')][1][@class]/text()")
                hangs = fails and any(text.startswith(STOPPED) for text in cell.xpath(".//pre//text()"))
                if failed and above != [hanging if hangs else failing if fails else working]:
                    found.append(
                        f"{language}/errors/{path.name}: a cell that {'fails' if fails else 'works'} has {above}"
                    )
    return found


def lost_addresses(site, docs):
    """Entries that one no longer comes to from where they once stood, without a script too."""
    found = []
    for source in sorted((docs / "errors").glob("*.md")):
        for language in LANGUAGES:
            page = site / language / "errors" / f"{source.stem}.html"
            leads = {item.get("id"): item.xpath("./p/a/@href") for item in parse(page).xpath("//li[@id]")}
            anchors = LABEL.findall(source.read_text(encoding="utf-8"))
            lost = (anchor for anchor in anchors if leads.get(anchor) != [f"{anchor}.html"])
            found += [f"{language}/errors/{page.name}#{anchor} leads nowhere" for anchor in lost]
    return found


def different_files(one: Path, other: Path):
    """Files that are not the same, byte for byte, in two folders."""
    names = {path.relative_to(folder) for folder in (one, other) for path in folder.rglob("*") if path.is_file()}
    return [
        str(name)
        for name in sorted(names)
        if not (one / name).is_file()
        or not (other / name).is_file()
        or (one / name).read_bytes() != (other / name).read_bytes()
    ]


CELL = re.compile(r"^```\{code-cell\}[^\n]*\n((?::[^\n]*\n)*)(.*?)^```", re.MULTILINE | re.DOTALL)


def names_used(source, entries):
    """The API names that the cells which a page shows use, by what Python's own parser makes of them."""
    aliases, used = {}, set()
    for options, code in CELL.findall(source):
        if "remove-cell" in options:
            continue
        for node in ast.walk(ast.parse(code)):
            if isinstance(node, ast.Import):
                aliases.update(
                    {
                        (each.asname or each.name.split(".")[0]): each.name if each.asname else each.name.split(".")[0]
                        for each in node.names
                    }
                )
            elif isinstance(node, ast.ImportFrom):
                aliases.update({(each.asname or each.name): f"{node.module}.{each.name}" for each in node.names})
            elif isinstance(node, ast.Attribute | ast.Name):
                chain = ast.unparse(node).split(".")
                full = ".".join([aliases.get(chain[0], ""), *chain[1:]])
                used.update({full} & entries)
    return used


def unlinked_names(site, docs):
    """API names that a cell of a page uses and that no link in that page leads from."""
    entries = {
        element.get("id")
        for page in (site / "en/reference").glob("*.html")
        for element in parse(page).xpath("//dt[contains(@class, 'sig')]")
    }
    found = []
    for source in sorted(docs.rglob("*.md")):
        page = source.relative_to(docs).with_suffix(".html")
        text = source.read_text(encoding="utf-8")
        used = names_used(text, entries)
        for language in LANGUAGES:
            parts = [page.with_name(f"{anchor}.html") for anchor in LABEL.findall(text) if page.parts[0] == "errors"]
            roots = [parse(site / language / part) for part in (page, *parts)]
            linked = {link.partition("#")[2] for root in roots for link in root.xpath("//a[@class='api']/@href")}
            found += [f"{language}/{page.as_posix()}: {name} leads to no entry" for name in sorted(used - linked)]
    return found


# Sphinx's own search: its index, its page's scripts, and what would mark words on pages that one came to from it
SPHINX_SEARCH = ("searchindex.js", "searchtools.js", "language_data.js", "sphinx_highlight.js", "*stemmer*.js")


def sphinx_search(site):
    """Files of Sphinx's own search."""
    return sorted(str(path.relative_to(site)) for name in SPHINX_SEARCH for path in site.rglob(name))


HIDDEN = ("headerlink", "hide", "visually-hidden", "error-messages", "message-box", "above", "verdict", "explorer")
CLASSES = " or ".join(f"contains(@class, '{name}')" for name in HIDDEN)
UNSPOKEN = f".//nav | .//svg | .//*[{CLASSES}]"


def words(text):
    """How often each word stands in a text; each Chinese character is one. The search knows no backquotes."""
    return Counter(re.findall(r"[\u3400-\u9fff]|[^\W\u3400-\u9fff]+", text.replace("`", "")))


def texts_of(root, unspoken=UNSPOKEN):
    """Each text of an element with the one it stands in, but those within what the search leaves out.

    To ask of each text what it is within takes ten times as long as to gather all that is left out first.
    """
    left_out = {within for each in root.xpath(unspoken) for within in each.iter()}
    for text in root.xpath(".//text()"):
        within = text.getparent().getparent() if text.is_tail else text.getparent()
        if within not in left_out:
            yield text, within


def spoken(article):
    """What an article says: `jax.Array`s is one word in two elements, two list items are two with nothing between."""
    texts, before = [], None
    for text, within in texts_of(article):
        block = within
        while block.tag in INLINE:
            block = block.getparent()
        texts += [text if block is before else f" {text}"]
        before = block
    return "".join(texts)


def indexed(folder):
    """The texts that the search has of each page of a language, and the titles."""
    texts, titles = {}, {}
    for path in sorted((folder / "pagefind/fragment").iterdir()):
        record = read_fragment(path.read_bytes())
        page = record["url"].partition("#")[0]
        titles.setdefault(page, []).append(record["meta"]["title"].replace("` ", ""))
        text = record["content"].replace("` ", "")
        texts.setdefault(page, []).append("" if text == titles[page][-1] else text)
    return texts, titles


# What leads on at a page's end is found for itself.
ONWARD = "ancestor::section[@id='read-next']"


def unequal_index(site):
    """Words that the search has of a page and its article does not say so often, and such that it lacks."""
    found = []
    for language in LANGUAGES:
        texts, titles = indexed(site / language)
        for page in sorted(texts):
            article = parse(site / language / page).xpath("//article")[0]
            said = words(spoken(article))
            surplus = sorted(words(" ".join(texts[page])) - said)
            plain = set(article.xpath(f".//p[not(@class) and not({ONWARD})]/descendant-or-self::*"))
            paragraphs = [text for text, within in texts_of(article, f"{UNSPOKEN} | .//figure") if within in plain]
            lacking = sorted(words(" ".join(paragraphs)).keys() - words(" ".join(texts[page] + titles[page])).keys())
            found += [f"{language}/{page}: the search has {word!r}, the article does not" for word in surplus]
            found += [f"{language}/{page}: the search lacks {word!r}" for word in lacking]
    return found
