"""Build the handbook in both languages at once: python -m shardbook_sphinx.build.

The English build runs the cells; the Chinese one starts with it, loads its modules meanwhile, waits for the outputs,
and then both write their pages, each on a core of its own.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import IO

from shardbook_sphinx.cache import digest

LANGUAGES = {"en": "en", "zh": "zh_CN"}


def build(root: Path, *, languages: list[str], strict: bool) -> int:
    """Build ``root``/site; the exit code. What has not changed since a build that passed is not done again."""
    site, state = root / "site", root / ".build"
    stamp, unfinished, made_by = state / "stamp", state / "unfinished", state / "made-by"
    settings = [*languages, strict, *(os.environ.get(name) for name in ("SHARDBOOK_URL", "SOURCE_DATE_EPOCH"))]
    inputs = f"{digest(input_files(root), root)} {settings}"
    built = all((site / name / "index.html").is_file() for name in languages)
    if built and not unfinished.exists() and read(stamp) == inputs:
        print("Nothing has changed since the last build.")
        return announce(site, languages)
    maker = digest([path for path in input_files(root) if path.suffix not in {".md", ".po"}], root)
    if unfinished.exists():
        # A build was stopped while it wrote: Sphinx would take half a page for a whole one. Outputs stay cached.
        print("The last build did not end: all pages are written again.")
    if unfinished.exists() or read(made_by) != maker:
        # What another configuration left behind would be served too.
        shutil.rmtree(site, ignore_errors=True)
        shutil.rmtree(state / "doctrees", ignore_errors=True)
    state.mkdir(exist_ok=True)
    stamp.unlink(missing_ok=True)
    unfinished.touch()
    made_by.write_text(maker)
    with tempfile.TemporaryDirectory() as folder:
        failed = run_builds(root, languages, strict=strict, executed=Path(folder, "executed"))
    # A build that failed leaves whole pages behind; one that was killed may not.
    unfinished.unlink()
    if failed:
        # Sphinx warns of a page when it reads it: what is read again warns again.
        for name in languages:
            shutil.rmtree(state / "doctrees" / name, ignore_errors=True)
        print(f"The {' and '.join(failed)} build failed; see above.", file=sys.stderr)
        return 1
    shutil.copy(root / "docs/_templates/landing.html", site / "index.html")
    stamp.write_text(inputs)
    return announce(site, languages)


def read(path: Path) -> str:
    """What a file says, or "" if there is none."""
    return path.read_text() if path.is_file() else ""


def input_files(root: Path) -> list[Path]:
    """All that the site is made from."""
    files = [path for folder in ("docs", "src", "requirements") for path in (root / folder).rglob("*")]
    made = {".mo", ".pyc"}
    return [root / "conf.py", *(path for path in files if path.is_file() and path.suffix not in made)]


def run_builds(root: Path, languages: list[str], *, strict: bool, executed: Path) -> list[str]:
    """Run sphinx-build for each language, side by side; the names of those that failed."""
    environment = {"SOURCE_DATE_EPOCH": "0"} | os.environ | {"PYTHONHASHSEED": "0", "PYTHONUTF8": "1"}
    if "en" in languages:
        environment["SHARDBOOK_EXECUTED"] = str(executed)
    running: dict[str, subprocess.Popen[str]] = {}
    readers = []
    for name in languages:
        command = [sys.executable, "-m", "sphinx", "-b", "html", "-c", ".", "-D", f"language={LANGUAGES[name]}"]
        command += ["-d", f".build/doctrees/{name}", "-q", "-n", *(["-W", "--keep-going"] if strict else [])]
        command += ["docs", f"site/{name}"]
        running[name] = subprocess.Popen(
            command,
            cwd=root,
            env=environment,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
        )
        output = running[name].stdout
        assert output is not None
        readers.append(threading.Thread(target=relay, args=(name, output)))
        readers[-1].start()
    failed = []
    while running:
        for name, process in list(running.items()):
            if (code := process.poll()) is None:
                continue
            del running[name]
            if code:
                failed.append(name)
                # The others may be waiting for outputs that will never come.
                if not executed.exists():
                    for other in running.values():
                        other.terminate()
        time.sleep(0.02)
    for reader in readers:
        reader.join()
    return sorted(failed)


def relay(name: str, lines: IO[str]) -> None:
    """Print a build's lines as they come, each marked with its language."""
    for line in lines:
        print(f"{name} | {line}", end="", flush=True)


def announce(site: Path, languages: list[str]) -> int:
    """Say which file to open."""
    first = site / "index.html" if len(languages) > 1 else site / languages[0] / "index.html"
    print(f"Open {first.resolve().as_uri()}")
    return 0


def main() -> int:
    """Read the command line and build."""
    parser = argparse.ArgumentParser(
        prog="python -m shardbook_sphinx.build", description=(__doc__ or "").split("\n")[0]
    )
    parser.add_argument("--only", choices=LANGUAGES, help="build one language")
    parser.add_argument("--lenient", action="store_true", help="let warnings pass, as while writing")
    options = parser.parse_args()
    languages = [options.only] if options.only else list(LANGUAGES)
    return build(Path.cwd(), languages=languages, strict=not options.lenient)


if __name__ == "__main__":
    raise SystemExit(main())
