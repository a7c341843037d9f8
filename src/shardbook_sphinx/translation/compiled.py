"""Compiled catalogues are those of the present text, whatever the times of files say."""

from __future__ import annotations

import json
import os
from hashlib import sha256
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

FOLDER = "docs/locale"
RECORD = ".build/compiled.json"


def remove_stale(root: Path) -> None:
    """Remove each compiled catalogue that is not of the present text, so that Sphinx compiles it anew.

    Sphinx goes by times alone; and of a catalogue that is gone it would go on using what was compiled.
    """
    folder, record = root / FOLDER, root / RECORD
    now = {path.relative_to(folder).as_posix(): sha256(path.read_bytes()).hexdigest() for path in folder.rglob("*.po")}
    known = json.loads(record.read_text(encoding="utf-8")) if record.is_file() else {}
    for made in folder.rglob("*.mo"):
        name = made.relative_to(folder).with_suffix(".po").as_posix()
        if known.get(name) != now.get(name) or name not in now:
            made.unlink(missing_ok=True)
    if known != now:
        record.parent.mkdir(exist_ok=True)
        unfinished = record.with_suffix(f".{os.getpid()}")
        unfinished.write_text(json.dumps(now), encoding="utf-8")
        unfinished.replace(record)
