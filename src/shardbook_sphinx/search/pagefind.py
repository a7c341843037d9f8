"""Pagefind, asked over its service: its own client takes almost a minute for the handbook."""

from __future__ import annotations

import base64
import gzip
import json
import os
import subprocess
from contextlib import suppress
from typing import Any

from pagefind.service import get_executable

from shardbook_sphinx.exceptions import HandbookError
from shardbook_sphinx.search.records import Record, cut_words, title_words, url


def read_fragment(content: bytes) -> dict[str, Any]:
    """What Pagefind's file of a record says."""
    record: dict[str, Any] = json.loads(gzip.decompress(content).removeprefix(b"pagefind_dcd"))
    return record


def requests(pages: dict[str, list[Record]]) -> list[dict[str, Any]]:
    """What is asked of Pagefind to index the records of some pages, and at last to give the files of its index."""
    asked: list[dict[str, Any]] = [{"type": "NewIndex", "config": {}}]
    for page, records in pages.items():
        for record in records:
            meta = {"title": cut_words(record.title), "words": " ".join(title_words(record.title))}
            if record.within:
                meta["page"] = cut_words(record.within)
            asked.append(
                {
                    "type": "AddRecord",
                    "index_id": 0,
                    "url": url(page, record),
                    # What says nothing would be left out.
                    "content": cut_words(record.text or record.title),
                    # In either language the words are parted already, and English words have English endings.
                    "language": "en",
                    "meta": meta,
                }
            )
    # Asked to write them itself, it answers before it has written all, and ends.
    asked.append({"type": "GetFiles", "index_id": 0})
    return asked


def ask_pagefind(asked: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Pagefind's answers to what is asked, in that order.

    Its own client waits a tenth of a second for each answer: almost a minute for the handbook.
    """
    messages = [json.dumps({"message_id": number, "payload": payload}) for number, payload in enumerate(asked)]
    executable = get_executable()
    if executable is None:
        raise HandbookError("there is no Pagefind here: install pagefind-bin-extended")
    told, missing = bytearray(), len(asked)
    service = [str(executable), "--service"]
    # One that ends at once is found by the answers that are missing.
    with (
        suppress(BrokenPipeError),
        subprocess.Popen(service, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process,
    ):
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(b"".join(base64.b64encode(message.encode()) + b"," for message in messages))
        process.stdin.flush()
        while missing and (more := os.read(process.stdout.fileno(), 1 << 20)):
            told += more
            missing -= more.count(b",")
    answers = [json.loads(base64.b64decode(answer))["payload"] for answer in told.split(b",")[:-1]]
    for answer in answers:
        if answer["type"] == "Error":
            raise HandbookError(f"Pagefind: {answer['message']}")
    if missing:
        raise HandbookError("Pagefind ended before it had answered all")
    return answers
