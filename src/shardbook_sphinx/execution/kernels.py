"""Start kernels from a process that has imported JAX already: half of what a page costs is that import.

Forking is safe there because JAX starts no thread before its first computation. It is done on Linux only; elsewhere,
and for pages that set environment variables, which JAX reads while it is imported, kernels start as usual.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
import subprocess
import sys
import threading
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jupyter_client.provisioning.factory import KernelProvisionerFactory
from jupyter_client.provisioning.local_provisioner import LocalProvisioner
from nbclient.exceptions import DeadKernelError

if TYPE_CHECKING:
    from nbformat import NotebookNode

NAME = "shardbook-prefork"
LAUNCHER = ["-m", "ipykernel_launcher"]
# What a page says that sets variables before, or starts a process of its own.
ENVIRONMENT = re.compile(r"environ|putenv|^[!%]", re.MULTILINE)


def provisioner(notebook: NotebookNode) -> str:
    """The name of the provisioner, Jupyter's or ours, that suits a notebook."""
    code = "\n".join(cell.source for cell in notebook.cells if cell.cell_type == "code")
    if sys.platform != "linux" or ENVIRONMENT.search(code):
        return "local-provisioner"
    # Told to Jupyter here and not by the package's entry points: readers install the helper alone.
    known = KernelProvisionerFactory.instance().provisioners
    known[NAME] = EntryPoint(NAME, f"{__name__}:{ForkProvisioner.__name__}", KernelProvisionerFactory.GROUP_NAME)
    return NAME


class KernelServer:
    """The process that kernels of one Python are forked from."""

    running: dict[str, KernelServer] = {}  # noqa: RUF012, of the class: one server a Python

    def __init__(self, python: str, environment: dict[str, str]) -> None:
        command = [python, "-P", str(Path(__file__).with_name("kernel_server.py"))]
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(command, env=environment, text=True, stdin=pipe, stdout=pipe)
        self.lock = threading.Lock()

    @classmethod
    def of(cls, python: str, environment: dict[str, str]) -> KernelServer:
        """The server of a Python; started if need be."""
        if python not in cls.running:
            cls.running[python] = cls(python, environment)
        return cls.running[python]

    def fork(self, argv: list[str], env: dict[str, str], cwd: str) -> int:
        """The process id of a new kernel."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        with self.lock:
            print(json.dumps({"argv": argv, "env": env, "cwd": cwd}), file=self.process.stdin, flush=True)
            answer = self.process.stdout.readline()
        if not answer:
            raise DeadKernelError("the process that kernels are forked from ended; its error stands above")
        return int(answer)

    @classmethod
    def stop_all(cls) -> None:
        """End all servers."""
        for server in cls.running.values():
            server.process.kill()
            server.process.communicate()
        cls.running.clear()


class ForkedKernel:
    """What ``LocalProvisioner`` asks of a process, for one that is not our child."""

    stdin = stdout = stderr = None

    def __init__(self, pid: int) -> None:
        self.pid = pid

    def poll(self) -> int | None:
        """``None`` while the process lives."""
        try:
            os.kill(self.pid, 0)
        except ProcessLookupError:
            return 1
        return None

    wait = poll

    def send_signal(self, number: int) -> None:
        """Send a signal to the process."""
        os.kill(self.pid, number)

    def kill(self) -> None:
        """End the process at once."""
        self.send_signal(signal.SIGKILL)

    terminate = kill


class ForkProvisioner(LocalProvisioner):
    """Launch a kernel by asking the server of its Python."""

    async def launch_kernel(self, cmd: list[str], **kwargs: Any) -> Any:
        """Fork a kernel; ``cmd`` must be that of ipykernel."""
        python, arguments = cmd[0], cmd[1:]
        if arguments[:2] != LAUNCHER:
            return await super().launch_kernel(cmd, **kwargs)
        server = KernelServer.of(python, kwargs["env"])
        self.pid = await asyncio.to_thread(server.fork, arguments[2:], kwargs["env"], kwargs["cwd"])
        self.pgid = self.pid
        self.process = ForkedKernel(self.pid)  # type: ignore[assignment]
        return self.connection_info
