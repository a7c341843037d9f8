"""What a host needs at the root of the site: front door, page for wrong addresses, sitemap, robots, headers.

Our own, for sphinx-sitemap 2.9 lists only the pages that this build wrote and warns where no base address is given, and
sphinx-notfound-page 1.1 makes a page in one language for a path that it must know.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from xml.etree import ElementTree as ET

from shardbook_sphinx.commands.policy import POLICY
from shardbook_sphinx.languages import LANGUAGES, PICTURE

SITEMAP = "http://www.sitemaps.org/schemas/sitemap/0.9"
XHTML = "http://www.w3.org/1999/xhtml"


def write_root(root: Path, languages: list[str], pages: list[str], address: str) -> None:
    """Write what stands beside the folders of the languages, whose ``pages`` these are."""
    # Not above: it need not be loaded to see that nothing changed.
    from jinja2 import Environment, FileSystemLoader  # noqa: PLC0415

    tags = {each.folder: each.tag for each in LANGUAGES.values() if each.folder in languages}
    site = root / "site"
    templates = Environment(loader=FileSystemLoader(root / "docs/_templates"), autoescape=True)
    for file, template in {"index.html": "landing.html", "404.html": "404.html"}.items():
        html = templates.get_template(template).render(address=address)
        (site / file).write_text(html + "\n", encoding="utf-8", newline="\n")
    shutil.copy(root / PICTURE, site / PICTURE.name)
    (site / "_headers").write_text(f"/*\n  Content-Security-Policy: {POLICY}\n", encoding="utf-8", newline="\n")
    if address:
        told = f"User-agent: *\nAllow: /\nSitemap: {address}sitemap.xml\n"
        (site / "robots.txt").write_text(told, encoding="utf-8", newline="\n")
        (site / "sitemap.xml").write_bytes(sitemap(address, tags, pages))


def sitemap(address: str, tags: dict[str, str], pages: list[str]) -> bytes:
    """The addresses of all pages, each with those of its translations, for search engines."""
    urls = ET.Element("urlset", {"xmlns": SITEMAP, "xmlns:xhtml": XHTML})
    for page in pages:
        for folder in tags:
            url = ET.SubElement(urls, "url")
            ET.SubElement(url, "loc").text = f"{address}{folder}/{page}"
            for other, tag in tags.items():
                ET.SubElement(url, "xhtml:link", rel="alternate", hreflang=tag, href=f"{address}{other}/{page}")
    ET.indent(urls, " ")
    return bytes(ET.tostring(urls, encoding="utf-8", xml_declaration=True)) + b"\n"
