"""What a page's kernel runs in place of a cell that is run apart: nothing here needs more than Jupyter."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

PROGRAM = Path(__file__).with_name("program.py")


def tell(printed: str, raised: tuple[str, str] | None) -> None:
    """Print what a program printed, and raise what it raised, under a class that Jupyter calls by the same name."""
    print(printed, end="")
    if raised:
        name, message = raised
        raise type(name, (Exception,), {})(message)


class Companion:
    """A process on another kernel's Python that runs one cell after another, like a kernel, for one page."""

    running: dict[str, Companion] = {}  # noqa: RUF012, of the class: one process a kernel

    def __init__(self, kernel: str) -> None:
        from jupyter_client.kernelspec import KernelSpecManager  # noqa: PLC0415, the older Python needs none

        python = KernelSpecManager().get_kernel_spec(kernel).argv[0]
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(
            [python, "-P", str(PROGRAM)], stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, encoding="utf-8"
        )

    def run(self, source: str) -> dict[str, Any]:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        print(json.dumps(source), file=self.process.stdin, flush=True)
        answer: dict[str, Any] = json.loads(self.process.stdout.readline() or '{"printed": "", "raised": null}')
        if self.process.poll() is not None:
            answer["raised"] = ("DeadKernelError", "the process on the other JAX ended")
        return answer


def run_on(kernel: str, source: str) -> None:
    """Run a program where the former ones of this page on that kernel ran; print and raise what it does."""
    if kernel not in Companion.running:
        Companion.running[kernel] = Companion(kernel)
    answer = Companion.running[kernel].run(source)
    tell(answer["printed"], answer["raised"])
