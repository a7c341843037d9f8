"""The whole site as one file, to read without a network: the same bytes for the same site."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

if TYPE_CHECKING:
    from pathlib import Path

ARCHIVE = "shardbook-site.zip"
# What only a host reads.
HOSTS = {"404.html", "_headers", "robots.txt", "sitemap.xml"}
# Within the archive nobody needs it again, and it is not there.
OFFER = re.compile(rb'\s*<a class="archive"[^>]*>[^<]*</a>')
EARLIEST = (1980, 1, 1, 0, 0, 0)


def write_archive(site: Path) -> None:
    """Pack the site into a file of its own, beside which it stands in the folder ``shardbook`` when unpacked."""
    unfinished = site / f"{ARCHIVE}.part"
    with ZipFile(unfinished, "w", ZIP_DEFLATED) as archive:
        for file in sorted(site.rglob("*")):
            name = file.relative_to(site).as_posix()
            if file.is_dir() or name in HOSTS or name.startswith(ARCHIVE):
                continue
            content = file.read_bytes()
            entry = ZipInfo(f"shardbook/{name}", EARLIEST)
            entry.compress_type, entry.create_system, entry.external_attr = ZIP_DEFLATED, 3, 0o644 << 16
            archive.writestr(entry, OFFER.sub(b"", content) if name.endswith("/index.html") else content)
    unfinished.replace(site / ARCHIVE)
