"""The languages of the handbook: how Sphinx, HTML, previews and readers name them, and where their pages stand."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit


class Language(NamedTuple):
    """A language."""

    folder: str
    """Of its pages in the site, and its name on the command line."""
    tag: str
    """In HTML."""
    locale: str
    """In previews, as OpenGraph has it."""
    name: str
    """What its readers call it."""


# By Sphinx's name.
LANGUAGES = {
    "en": Language("en", "en", "en_US", "English"),
    "zh_CN": Language("zh", "zh-CN", "zh_CN", "中文"),
}
# The environment variable that says where the site stands.
ADDRESS = "SHARDBOOK_URL"
# And those that say where the handbook is made, see theme/elsewhere.py.
ELSEWHERE = ("SHARDBOOK_REPOSITORY", "SHARDBOOK_EDIT", "SHARDBOOK_REPORT", "SHARDBOOK_COLAB")
# What previews of a page show, in the repository and beside the folders of the languages.
PICTURE = Path(".github/page.png")


def mark(message: str) -> str:
    """Mark a message for the catalogue; it is looked up when a page is made."""
    return message


def site_address() -> str:
    """The address of the whole site, with a slash at its end; "" if none is configured: then nothing is absolute."""
    address = os.environ.get(ADDRESS, "")
    parts = urlsplit(address)
    if address and (parts.scheme not in {"http", "https"} or not parts.netloc or parts.query or parts.fragment):
        raise SystemExit(f"{ADDRESS} is {address!r}: give the address of the site, such as https://example.org/book")
    return address.rstrip("/") + "/" if address else ""


def root_address(base: str) -> str:
    """The address of the whole site, given that of one language; "" if none is configured.

    >>> root_address("https://example.org/zh/en/")
    'https://example.org/zh/'
    """
    return base.rstrip("/").rpartition("/")[0] + "/" if base else ""


def page_address(base: str, folder: str, target: str) -> str:
    """The address of a page under the site's base address, or "" if none is configured."""
    return f"{root_address(base)}{folder}/{target}" if base else ""
