"""Run pieces of code, each in a process that begins with nothing but an imported JAX: run_copies.py JOBS.

For any JAX: it runs in the kernels of old releases too.
"""

import ast
import contextlib
import doctest
import importlib
import io
import json
import linecache
import os
import sys
from pathlib import Path

for name in ("jax", "jax.numpy", "numpy", "shardbook"):
    with contextlib.suppress(ImportError):  # the package needs a newer JAX than the oldest kernel's
        importlib.import_module(name)


class Checker(doctest.OutputChecker):
    """Takes what any example may ask for, as the page does not show flags, and what a function prints when traced."""

    def check_output(self, want: str, got: str, optionflags: int) -> bool:
        normal = optionflags | doctest.NORMALIZE_WHITESPACE
        check = super().check_output
        return any(check(begin + want, got, flags) for begin in ("", "...\n") for flags in (optionflags, normal))


def run(text: str, examples: str) -> dict[str, str]:
    """What a text printed and raised; of a doctest, what came out otherwise than its examples say."""
    names = {"__name__": "__main__"}
    printed = io.StringIO()
    raised = ""
    # The statements of a doctest's own block run as its examples do.
    own = doctest.DocTestParser().get_doctest(examples, names, "block", "page", 0) if examples else None
    count = sum(len(ast.parse(each.source).body) for each in own.examples) if own else 0
    statements = ast.parse(text).body
    # Whoever pastes it into a file or a notebook can read its source back.
    linecache.cache["copy"] = (len(text), None, text.splitlines(keepends=True), "copy")
    with contextlib.redirect_stdout(printed):
        try:
            for statement in statements[: len(statements) - count]:
                if statement is statements[-1] and isinstance(statement, ast.Expr):
                    repr(eval(compile(ast.Expression(statement.value), "copy", "eval"), names))  # noqa: S307, our own
                else:
                    exec(compile(ast.Module([statement], []), "copy", "exec"), names)  # noqa: S102, our own code
        except Exception as error:  # noqa: BLE001, whatever it is, it is told
            raised = f"{type(error).__name__}: {error}"
    if own and not raised:
        told = io.StringIO()
        own.globs = names
        runner = doctest.DocTestRunner(Checker(), optionflags=doctest.ELLIPSIS, verbose=False)
        runner.run(own, out=told.write, clear_globs=False)
        raised = told.getvalue()
    return {"printed": printed.getvalue(), "raised": raised}


def main() -> None:
    jobs = json.loads(Path(sys.argv[1]).read_text())
    running: dict[int, int] = {}
    files = [Path(f"result-{number}.json") for number in range(len(jobs))]
    for number, job in enumerate(jobs):
        if len(running) == (os.cpu_count() or 1):
            running.pop(os.wait()[0])
        if not (process := os.fork()):
            try:
                files[number].write_text(json.dumps(run(**job)))
            finally:
                os._exit(0)
        running[process] = number
    for process in running:
        os.waitpid(process, 0)
    results = [json.loads(file.read_text()) if file.exists() else {"printed": "", "raised": "died"} for file in files]
    Path("results.json").write_text(json.dumps(results))


if __name__ == "__main__":
    main()
