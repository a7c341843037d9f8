"""The whole site as one file, to read without a network: the same bytes for the same site."""

from __future__ import annotations

import re
import zlib
from typing import TYPE_CHECKING
from zipfile import ZIP_DEFLATED, BadZipFile, ZipFile, ZipInfo

if TYPE_CHECKING:
    from pathlib import Path

ARCHIVE = "shardbook-site.zip"
# What only a host reads.
HOSTS = {"404.html", "_headers", "robots.txt", "sitemap.xml"}
# Within the archive nobody needs it again, and it is not there.
OFFER = re.compile(rb'\s*<a class="archive"[^>]*>[^<]*</a>')
EARLIEST = (1980, 1, 1, 0, 0, 0)
# The length of the header of a file in an archive, without its name.
HEADER = 30


def write_archive(site: Path) -> None:
    """Pack the site into a file in it; unpacked, it stands in a folder ``shardbook``.

    What has not changed is taken over as it is packed already: packing all would be a tenth of a rebuild.
    """
    before = packed(site / ARCHIVE)
    unfinished = site / f"{ARCHIVE}.part"
    with ZipFile(unfinished, "w") as archive:
        for file in sorted(site.rglob("*")):
            name = file.relative_to(site).as_posix()
            if file.is_dir() or name in HOSTS or name.startswith(ARCHIVE):
                continue
            content = file.read_bytes()
            if name.endswith("/index.html"):
                content = OFFER.sub(b"", content)
            entry = ZipInfo(f"shardbook/{name}", EARLIEST)
            entry.compress_type, entry.create_system, entry.external_attr = ZIP_DEFLATED, 3, 0o644 << 16
            entry.CRC, entry.file_size = zlib.crc32(content), len(content)
            append(archive, entry, before.get((entry.filename, entry.CRC, entry.file_size)) or deflate(content))
    unfinished.replace(site / ARCHIVE)


def deflate(content: bytes) -> bytes:
    """Content packed as archives have it."""
    packer = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return packer.compress(content) + packer.flush()


def append(archive: ZipFile, entry: ZipInfo, content: bytes) -> None:
    """Add a file that is packed already, which zipfile has no method for."""
    assert archive.fp is not None
    entry.header_offset, entry.compress_size = archive.fp.tell(), len(content)
    archive.fp.write(entry.FileHeader() + content)
    archive.filelist.append(entry)
    archive.NameToInfo[entry.filename] = entry
    archive.start_dir = archive.fp.tell()


def packed(file: Path) -> dict[tuple[str, int, int], bytes]:
    """The packed files of an archive that was written here, by name, checksum and size; none if it is spoiled."""
    try:
        with ZipFile(file) as archive:
            entries = archive.infolist()
    except (FileNotFoundError, BadZipFile):
        return {}
    content = file.read_bytes()
    found = {}
    for entry in entries:
        start = entry.header_offset + HEADER + len(entry.filename.encode())
        found[entry.filename, entry.CRC, entry.file_size] = content[start : start + entry.compress_size]
    return found
