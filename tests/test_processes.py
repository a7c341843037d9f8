"""Two processes that share an array: each sees its own devices and marks the other's."""

import socket
import subprocess
import sys
from pathlib import Path

import jax
import pytest

pytestmark = pytest.mark.skipif(not hasattr(jax, "shard_map"), reason="the names of today's JAX")

SECONDS = 90


@pytest.fixture(scope="module")
def printed(tmp_path_factory):
    """What each of the two processes printed; neither outlives the time limit."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    script = Path(__file__).with_name("two_processes.py")
    paths = [tmp_path_factory.mktemp("printed") / str(number) for number in range(2)]
    children = [
        subprocess.Popen(
            [sys.executable, script, str(port), str(number), str(paths[number])],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
        )
        for number in range(2)
    ]
    try:
        outputs = [child.communicate(timeout=SECONDS) for child in children]
    finally:
        for child in children:
            child.kill()
    assert [child.returncode for child in children] == [0, 0], outputs
    return [path.read_text(encoding="utf-8") for path in paths]


def test_remote_devices_are_marked(printed):
    """With an asterisk that a note explains; process 1's device ids begin at 2048."""
    first, second = printed
    for text, row in ((first, "0 2048*"), (second, "0* 2048")):
        assert text.startswith("float32[4, 8@y]\n")
        assert f"│ {row} │" in text.replace("  ", " ").replace("  ", " ")
        assert "* Device of another process: not addressable from this one." in text


def test_moves_and_collectives_see_all_devices(printed):
    """Both processes say the same."""
    for text in printed:
        assert {"moves 0 768", "collectives all-reduce ('y',) 24"} <= set(text.splitlines())


def test_a_run_is_drawn_once(printed):
    """By the first process, for both."""
    assert [text.count("devices per piece  2 (copied along x)") for text in printed] == [2, 1]
