"""Keep what native code writes to stderr, which Python's own redirection does not see."""

import os
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager

STDERR = 2
_one_at_a_time = threading.RLock()  # a block may stand within another


@contextmanager
def stderr_kept() -> Iterator[list[str]]:
    """Keep what is written to file descriptor 2 meanwhile; the list holds it, once, after the block.

    The descriptor is put back whatever happens. It belongs to the whole process: other threads' writes are kept too.

    >>> with stderr_kept() as kept:
    ...     _ = os.write(2, b"from below")
    >>> kept
    ['from below']
    """
    kept: list[str] = []
    with _one_at_a_time:
        try:
            saved = os.dup(STDERR)
        except OSError:
            # A program without a stderr has nothing to keep.
            yield kept
            return
        with tempfile.TemporaryFile() as file:
            _flush()
            os.dup2(file.fileno(), STDERR)
            try:
                yield kept
            finally:
                _flush()
                os.dup2(saved, STDERR)
                os.close(saved)
                file.seek(0)
                kept.append(file.read().decode(errors="replace"))


def _flush() -> None:
    if sys.stderr is not None and not sys.stderr.closed:
        sys.stderr.flush()
