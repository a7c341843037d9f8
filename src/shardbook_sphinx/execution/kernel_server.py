"""A process that has imported JAX and becomes a kernel, once for each line on its standard input.

Run as a script by the Python of the kernel, which may be an old JAX's environment: nothing of ours is imported. It ends
with its input.
"""

import importlib
import json
import os
import signal
import sys

PRELOADED = ["ipykernel.kernelapp", "ipykernel.ipkernel", "ipykernel.zmqshell", "jax", "jax.numpy"]


def main() -> None:
    """Answer each request, JSON with ``argv``, ``env`` and ``cwd``, with the process id of a new kernel."""
    for name in PRELOADED:
        importlib.import_module(name)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # the system buries dead kernels
    for line in sys.stdin:
        process = os.fork()
        if not process:
            become_kernel(**json.loads(line))
        print(process, flush=True)


def become_kernel(argv: list[str], env: dict[str, str], cwd: str) -> None:
    """Turn this process into a kernel, in a session of its own; does not return."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    os.setsid()
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)
    os.environ.update(env)
    os.chdir(cwd)
    parent = f"--IPKernelApp.parent_handle={os.getppid()}"  # the kernel ends when this process does
    sys.modules["ipykernel.kernelapp"].IPKernelApp.launch_instance([*argv, parent])
    os._exit(0)


if __name__ == "__main__":
    main()
