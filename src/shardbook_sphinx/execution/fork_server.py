"""A process that has imported JAX and becomes a kernel or a program, once for each line on its standard input.

Run as a script by the Python of the kernel, which may be an old JAX's environment: nothing of ours is imported, but for
programs what they are run by. It ends with its input.
"""

import importlib.util
import json
import os
import signal
import sys
from pathlib import Path

PRELOADED = ["ipykernel.kernelapp", "ipykernel.ipkernel", "ipykernel.zmqshell", "jax", "jax.numpy"]


def main() -> None:
    """Answer each request, JSON with what to become, ``env`` and ``cwd``, with the id of a new process."""
    for name in PRELOADED:
        importlib.import_module(name)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # the system buries dead kernels
    for line in sys.stdin:
        request = json.loads(line)
        process = os.fork()
        if not process:
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            os.setsid()
            os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
            os.environ.update(request["env"])
            os.chdir(request["cwd"])
            if "kernel" in request:
                become_kernel(request["kernel"])
            become_program(Path(request["cwd"]), request["program"])
            return  # as a script ends that is run by itself, with all that JAX does then
        print(process, flush=True)


def become_kernel(argv: list[str]) -> None:
    """Be a kernel; does not return."""
    os.dup2(2, 1)
    parent = f"--IPKernelApp.parent_handle={os.getppid()}"  # the kernel ends when this process does
    sys.modules["ipykernel.kernelapp"].IPKernelApp.launch_instance([*argv, parent])
    os._exit(0)


def become_program(folder: Path, arguments: list[str]) -> None:
    """Be the program in a folder, watched by a process that leaves its end there, since it is nobody's child."""
    if watched := os.fork():
        _, status = os.waitpid(watched, 0)
        unfinished = folder / "status.unfinished"
        unfinished.write_text(str(os.waitstatus_to_exitcode(status)), encoding="utf-8")
        unfinished.rename(folder / "status")
        os._exit(0)
    for name, number in {"out": 1, "err": 2}.items():
        os.dup2(os.open(folder / name, os.O_WRONLY | os.O_CREAT), number)
    spec = importlib.util.spec_from_file_location("program", Path(__file__).with_name("program.py"))
    assert spec is not None
    assert spec.loader is not None
    program = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(program)
    program.be_program(folder, *arguments)


if __name__ == "__main__":
    main()
