"""Start kernels and programs from a process that has imported JAX already: half of what they cost is that import.

Forking is safe there because JAX starts no thread before its first computation. It is done on Linux only; elsewhere,
and for code that sets environment variables, which JAX reads while it is imported, processes start as usual.
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
from contextlib import suppress
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jupyter_client.provisioning.factory import KernelProvisionerFactory
from jupyter_client.provisioning.local_provisioner import LocalProvisioner
from nbclient.exceptions import DeadKernelError

if TYPE_CHECKING:
    from nbformat import NotebookNode

NAME = "shardbook-fork"
LAUNCHER = ["-m", "ipykernel_launcher"]
KERNEL_OPTIONS = [
    "--HistoryManager.enabled=False",  # kernels would share its database
    "--InteractiveShell.xmode=Plain",  # the coloured traceback of an error inside JAX takes IPython a second
]
# What code says that sets variables before JAX is imported, or starts a process of its own.
ENVIRONMENT = re.compile(r"environ|putenv|^[!%]", re.MULTILINE)
# What a kernel gets of the reader's shell: where things are. All else could change what a page computes or prints.
KEPT = re.compile(
    r"(PATH|HOME|USER|TMPDIR|TEMP|TMP|SYSTEMROOT|WINDIR|COMSPEC|PATHEXT|.*APPDATA|USERPROFILE|.*_LIBRARY_PATH)$"
)


def kernel_environment(folder: str) -> dict[str, str]:
    """The environment of every kernel: CPU devices only, nothing of the reader's shell, IPython's files apart.

    What a page compiles it runs once: machine code is made without optimization, which takes half the time, and in
    one piece, which takes a fifth less than in 32. Layouts, collectives and memory are settled before that, so pages
    show the same of both.
    """
    kept = {name: value for name, value in os.environ.items() if KEPT.match(name.upper())}
    source = str(Path(__file__).parents[2])
    ours = {
        "JAX_DISABLE_MOST_OPTIMIZATIONS": "true",
        "JAX_PLATFORMS": "cpu",
        "PYTHONPATH": source,
        "PYTHONHASHSEED": "0",
        "SHARDBOOK_LANGUAGES": "en,zh",
        "SHARDBOOK_STYLE": "linked",
        "XLA_FLAGS": "--xla_cpu_parallel_codegen_split_count=1",
    }
    return kept | ours | {"IPYTHONDIR": folder, "COLUMNS": "100", "LANG": "C.UTF-8", "TZ": "UTC"}


def can_fork(code: str) -> bool:
    """Whether code runs in a forked process as it does in one of its own."""
    return sys.platform == "linux" and not ENVIRONMENT.search(code)


def provisioner(notebook: NotebookNode) -> str:
    """The name of the provisioner, Jupyter's or ours, that suits a notebook."""
    if not can_fork("\n".join(cell.source for cell in notebook.cells if cell.cell_type == "code")):
        return "local-provisioner"
    # Told to Jupyter here and not by the package's entry points: readers install the helper alone.
    known = KernelProvisionerFactory.instance().provisioners
    known[NAME] = EntryPoint(NAME, f"{__name__}:{ForkProvisioner.__name__}", KernelProvisionerFactory.GROUP_NAME)
    return NAME


class ForkServer:
    """The process that kernels and programs of one Python are forked from."""

    running: dict[str, ForkServer] = {}  # noqa: RUF012, of the class: one server a Python
    lock = threading.Lock()

    def __init__(self, python: str, environment: dict[str, str]) -> None:
        command = [python, "-P", str(Path(__file__).with_name("fork_server.py"))]
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(command, env=environment, text=True, stdin=pipe, stdout=pipe)

    @classmethod
    def fork(cls, python: str, env: dict[str, str], cwd: str, **become: list[str]) -> int:
        """The id of a new process, which becomes a ``kernel`` or a ``program`` with these arguments."""
        with cls.lock:
            if python not in cls.running:
                cls.running[python] = cls(python, env)
            server = cls.running[python].process
            assert server.stdin is not None
            assert server.stdout is not None
            print(json.dumps({"env": env, "cwd": cwd, **become}), file=server.stdin, flush=True)
            answer = server.stdout.readline()
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
        fork = asyncio.to_thread(ForkServer.fork, python, kwargs["env"], kwargs["cwd"], kernel=arguments[2:])
        self.pid = await fork
        self.pgid = self.pid
        self.process = ForkedKernel(self.pid)  # type: ignore[assignment]
        return self.connection_info


class ForkedProgram:
    """A program that was forked: it is not our child, and leaves its end in its folder."""

    def __init__(self, folder: Path, environment: dict[str, str], arguments: list[str]) -> None:
        self.status = folder / "status"
        self.pid = ForkServer.fork(sys.executable, environment, str(folder), program=arguments)

    def poll(self) -> int | None:
        """How the process ended, as of a ``Popen``; ``None`` while it lives."""
        return int(self.status.read_text(encoding="utf-8")) if self.status.is_file() else None

    def end(self) -> None:
        """End the process if it lives, and the one that watches it."""
        with suppress(ProcessLookupError):
            os.killpg(self.pid, signal.SIGKILL)


class StartedProgram:
    """A program in a process of its own Python."""

    def __init__(self, folder: Path, environment: dict[str, str], arguments: list[str]) -> None:
        with (folder / "out").open("wb") as out, (folder / "err").open("wb") as err:
            self.process = subprocess.Popen(
                [sys.executable, "-P", str(Path(__file__).with_name("program.py")), str(folder), *arguments],
                env=environment,
                cwd=folder,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
            )

    def poll(self) -> int | None:
        """How the process ended; ``None`` while it lives."""
        return self.process.poll()

    def end(self) -> None:
        """End the process if it lives."""
        self.process.kill()
        self.process.wait()
