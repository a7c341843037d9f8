"""The handbook's commands: python3 -m nox -s NAME.

docs     build site/ in English and Chinese, and say which file to open
tests    lint, types, unit tests, doctests, planted faults, and the site built from scratch and checked
browser  check the site in a real browser: search, keyboard, accessibility, policy; `-- --install` fetches a browser
live     serve the pages and rebuild them as you write; `nox -s live -- zh` serves the Chinese ones
i18n     bring the Chinese catalogues up to date and show what is missing
coverage print how many names of the installed JAX have an entry with a tested example
history  record what JAX releases offer for sharding; `nox -s history -- VERSION` one release anew
canary   `nox -s canary -- VERSION`: say what another JAX release would change in this handbook
links    ask every address outside the handbook that a page names whether it is still there; needs a network
bench    time the helper package against JAX and the build against plain scripts; weigh each page, time the explorer
pins     lock the newest releases that work together, with hashes, in requirements/
chips    compile the programs of tests/corpus anew, for CPU, H100 and TPU v5e; none of these chips is needed

Two more make the environments that these need: site, and kernels for the pages on old JAX releases.
"""

import hashlib
import json
import os
import shutil
import sys
from pathlib import Path

if sys.version_info < (3, 13):
    sys.exit(
        "shardbook needs Python 3.13 or newer, and this is {}.{}: install a newer one, or let uv bring it with "
        "`uvx --python 3.13 nox -s docs`.".format(*sys.version_info)
    )

import nox

nox.needs_version = ">=2025.10.14"
nox.options.default_venv_backend = "uv|virtualenv"
nox.options.reuse_existing_virtualenvs = True
nox.options.error_on_missing_interpreters = True
nox.options.sessions = ["docs"]

ROOT = Path(__file__).parent
BUILD = ROOT / ".build"
# All sessions but two run in the environment that `site` makes: JAX is installed once, not five times.
SITE = ROOT / ".nox" / "site"
# jaxlib 0.5.3 has no wheel for a newer Python than this one.
OLD_PYTHON = "3.13"
CPU = {"JAX_PLATFORMS": "cpu", "JAX_NUM_CPU_DEVICES": "8", "PYTHONHASHSEED": "0"}


def install(session: nox.Session, pins: str, *project: str) -> None:
    """Install a file of pins, then the project if asked, unless the environment holds exactly that already."""
    stamp = Path(session.virtualenv.location, "installed")
    files = [ROOT / "requirements" / pins, ROOT / "pyproject.toml"]
    wanted = hashlib.sha256(b"".join(path.read_bytes() for path in files)).hexdigest()
    if stamp.is_file() and stamp.read_text() == wanted:
        return
    # uv leaves compiling to the first import, and where Python may not write, to every one.
    session.install("--require-hashes", "-r", str(files[0]), env={"UV_COMPILE_BYTECODE": "1"})
    if project:
        session.install("--no-deps", "--no-build-isolation", *project)
    stamp.write_text(wanted)


def run(session: nox.Session, *command: str, **env: str) -> None:
    """Run a Python module in the site's environment."""
    folder = SITE / ("Scripts" if os.name == "nt" else "bin")
    path = os.pathsep.join([str(folder), os.environ["PATH"]])
    session.run(str(folder / "python"), "-m", *command, env={"PATH": path, **env}, external=True)


@nox.session
def site(session: nox.Session) -> None:
    """Make the environment that builds and tests the handbook."""
    install(session, "site.txt", "-e", ".")


@nox.session(python=None if sys.version_info[:2] == (3, 13) else OLD_PYTHON, requires=["site"])
def kernels(session: nox.Session) -> None:
    """Make the kernel of the pages on old JAX, jax-0.5.3, and tell the site's Jupyter of it."""
    name = "jax-0.5.3"
    install(session, f"{name}.txt")
    python = shutil.which("python", path=os.pathsep.join(session.virtualenv.bin_paths or []))
    spec = {
        "argv": [python, "-m", "ipykernel_launcher", "-f", "{connection_file}"],
        "display_name": name,
        "language": "python",
    }
    folder = SITE / "share" / "jupyter" / "kernels" / name
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "kernel.json").write_text(json.dumps(spec, indent=1))


@nox.session(venv_backend="none", requires=["kernels"])
def docs(session: nox.Session) -> None:
    """Build site/ in English and Chinese; fail on any warning."""
    run(session, "shardbook_sphinx.commands.build", *session.posargs)


@nox.session(venv_backend="none", requires=["kernels"], default=False)
def tests(session: nox.Session) -> None:
    """Check everything; `nox -s tests -- ARGS` passes ARGS to pytest and leaves the rest out.

    With HYPOTHESIS_PROFILE=long in the environment each property is tried on 2,000 examples.
    """
    if session.posargs:
        run(session, "pytest", *session.posargs, **CPU)
        return
    run(session, "ruff", "check")
    run(session, "ruff", "format", "--check")
    run(session, "mypy")
    # TypeScript, which deno has in it, and no package registry beside Python's.
    run(session, "deno", "check", "--quiet", "docs/_static", DENO_DIR=str(BUILD / "deno"), DENO_NO_UPDATE_CHECK="1")
    run(session, "pytest", "--ignore=tests/browser", **CPU)


@nox.session(venv_backend="none", requires=["kernels"], default=False)
def browser(session: nox.Session) -> None:
    """Check the site in the system's Chromium, or in Playwright's own, which `nox -s browser -- --install` fetches."""
    if session.posargs == ["--install"]:
        run(session, "playwright", "install", "chromium")
    else:
        run(session, "shardbook_sphinx.commands.build")  # once, and not in each of the processes that test
        run(session, "pytest", "tests/browser", "--numprocesses=logical", *session.posargs, **CPU)


@nox.session(venv_backend="none", requires=["kernels"], default=False)
def live(session: nox.Session) -> None:
    """Serve the pages on this machine and rebuild them on every change; English, or Chinese with `-- zh`."""
    language = session.posargs[0] if session.posargs else "en"
    command = [
        "-c",
        ".",
        "-D",
        "language=" + {"en": "en", "zh": "zh_CN"}[language],
        "-d",
        f".build/live/{language}-doctrees",
    ]
    watch = ["--watch", "src", "--watch", "conf.py", "--ignore", "*.mo"]
    run(
        session,
        "sphinx_autobuild",
        *watch,
        "--port",
        "0",
        "--open-browser",
        *command,
        "docs",
        f".build/live/{language}",
    )


@nox.session(venv_backend="none", requires=["kernels"], default=False)
def i18n(session: nox.Session) -> None:
    """Update the catalogues from the pages, drop what no page says any more, and list what is to translate."""
    templates = BUILD / "gettext"
    shutil.rmtree(templates, ignore_errors=True)
    run(session, "sphinx", "-q", "-b", "gettext", "-c", ".", "-d", ".build/doctrees/gettext", "docs", str(templates))
    run(session, "shardbook_sphinx.translation.catalogues", "update", str(templates))
    run(session, "shardbook_sphinx.translation.catalogues", "check", str(templates))


@nox.session(venv_backend="none", requires=["kernels"], default=False)
def links(session: nox.Session) -> None:
    """Ask each address outside the handbook that a page names; fail if one is gone or does not answer."""
    run(session, "sphinx", "-q", "-b", "linkcheck", "-c", ".", "-d", ".build/doctrees/links", "docs", ".build/links")


@nox.session(venv_backend="none", requires=["kernels"], default=False)
def bench(session: nox.Session) -> None:
    """Print what the build costs, how fast helper package and explorer are, and what each page weighs."""
    run(session, "tests.bench")
    run(session, "shardbook_sphinx.commands.bench", *session.posargs)
    run(session, "shardbook_sphinx.commands.build")
    for name in ("weights", "redraw"):
        run(session, name, PYTHONPATH=str(ROOT / "tests" / "browser"))


@nox.session(venv_backend="none", requires=["kernels"], default=False)
def coverage(session: nox.Session) -> None:
    """Print how many names of the installed JAX have an entry with a tested example; fail if one has none."""
    run(session, "shardbook_sphinx.commands.build")
    run(session, "shardbook_sphinx.commands.coverage", **CPU)


@nox.session(default=False)
def history(session: nox.Session) -> None:
    """Record in docs/_data/api what each JAX release offers: those not recorded yet, or `-- VERSION ...`."""
    session.install("uv")
    session.run("python", "-m", "shardbook_sphinx.records.releases", *session.posargs, env={"PYTHONPATH": "src"})


@nox.session(requires=["kernels"], default=False)
def canary(session: nox.Session) -> None:
    """Say in one page what another JAX release would change: `nox -s canary -- VERSION`."""
    if len(session.posargs) != 1:
        session.error("name one release: python3 -m nox -s canary -- 0.11.2")
    release = session.posargs[0]
    run(session, "shardbook_sphinx.commands.build")  # what the pinned JAX prints, to compare with
    session.install("--require-hashes", "-r", "requirements/site.txt", env={"UV_COMPILE_BYTECODE": "1"})
    session.install("--no-deps", "--no-build-isolation", "-e", ".")
    session.install(f"jax=={release}", f"jaxlib<={release}", env={"UV_COMPILE_BYTECODE": "1"})
    ours, theirs = (Path(folder, "share", "jupyter", "kernels") for folder in (session.virtualenv.location, SITE))
    for kernel in theirs.glob("jax-*"):
        shutil.copytree(kernel, ours / kernel.name, dirs_exist_ok=True)
    session.run("python", "-m", "shardbook_sphinx.commands.canary", release, env=CPU)


@nox.session(python=None if sys.version_info[:2] == (3, 13) else OLD_PYTHON, default=False)
def chips(session: nox.Session) -> None:
    """Compile the programs of known communication with three compilers: all, or `nox -s chips -- NAME ...`.

    It needs Linux on x86-64 and 1.8 GB; what the compilers write is kept in tests/corpus, where the tests read it.
    """
    install(session, "chips.txt")
    session.run("python", "-m", "corpus.make", *session.posargs, env={**CPU, "PYTHONPATH": "tests"})


@nox.session(default=False)
def pins(session: nox.Session) -> None:
    """Lock the newest releases that work together: versions and hashes, no addresses."""
    session.install("uv")
    common = [
        "--universal",
        "--python-version",
        OLD_PYTHON,
        "--generate-hashes",
        "--no-header",
        "--no-annotate",
        "--upgrade",
    ]
    for name, groups in {"site": ["site", "test"], "jax-0.5.3": ["jax-0.5.3"]}.items():
        chosen = [word for group in groups for word in ("--group", group)]
        session.run("uv", "pip", "compile", "-q", *common, *chosen, "-o", f"requirements/{name}.txt")
    # These wheels are for one platform, and their JAX is the site's.
    platform = ["--python-platform", "x86_64-manylinux_2_31", *(word for word in common if word != "--universal")]
    session.run("uv", "pip", "compile", "-q", *platform, "--group", "chips", "-o", "requirements/chips.txt")
