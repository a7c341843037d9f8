# /// script
# dependencies = ["nox[uv]>=2025.10.14"]
# ///
"""The handbook's commands: python3 noxfile.py -s NAME, with any Python from 3.9 on, or nox -s NAME where nox is.

docs     build site/ in English and Chinese, and say which file to open
tests    lint, types, unit tests, doctests, planted faults, and the site checked; of what is alike, a sample
browser  check the site in a real browser: search, keyboard, accessibility, policy; `-- --install` fetches a browser
long     everything that `tests` and `browser` try a sample of, and a second build from scratch that must be the same
live     serve the pages and rebuild them as you write; `nox -s live -- zh` serves the Chinese ones
i18n     bring the Chinese catalogues up to date and show what is missing
coverage print how many names of the installed JAX have an entry with a tested example
history  record what JAX releases offer for sharding; `nox -s history -- VERSION` one release anew
canary   `nox -s canary -- VERSION`: say what another JAX release would change in this handbook
links    ask every address outside the handbook that a page names whether it is still there; needs a network
bench    time the helper package against JAX and the build against plain scripts; weigh each page, time the explorer
pins     lock the newest releases that work together, with hashes, in requirements/
chips    have the compilers for H100 and TPU make what pages show of them, where it is stale; no chip is needed
corpus   compile the programs of tests/corpus anew, for CPU, H100 and TPU v5e
floor    test the package's wheel on the oldest Python and JAX that it declares, and on the newest

Three more make the environments that these need: site, kernels for the pages on old JAX releases, and compilers.
"""

import hashlib
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent


def main() -> None:
    """Put nox and uv into .nox/tool, an environment of this Python, and let that nox do what was asked.

    Systems whose Python belongs to them (PEP 668) refuse pip, but no environment. What nox needs stands at the top of
    this file for every other way to start it too: a nox without uv fetches itself one.
    """
    tool = ROOT / ".nox" / "tool"
    python = str(tool / ("Scripts/python.exe" if os.name == "nt" else "bin/python"))
    # Asked anew each time: an environment lasts no longer than the Python that it was made of.
    if not shutil.which(python) or subprocess.call([python, "-c", "import nox, uv"], stderr=subprocess.DEVNULL):
        print("Getting nox and uv into .nox/tool", flush=True)
        if subprocess.call([sys.executable, "-m", "venv", "--clear", str(tool)]):
            sys.exit("This Python cannot make environments. On Debian and Ubuntu: sudo apt install python3-venv")
        if subprocess.call(
            [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "nox[uv]>=2025.10.14"]
        ):
            sys.exit("pip could not install nox and uv into .nox/tool. This needs a network, and Python 3.9 or newer.")
    command = [python, "-m", "nox", "--noxfile", str(ROOT / "noxfile.py"), *sys.argv[1:]]
    if os.name == "nt":
        sys.exit(subprocess.call(command))
    os.execv(python, command)  # noqa: S606 - so that nox alone hears Ctrl-C, and has its time to stop what it runs


if __name__ == "__main__":
    main()

import nox  # noqa: E402

nox.needs_version = ">=2025.10.14"
nox.options.default_venv_backend = "uv|virtualenv"
nox.options.reuse_existing_virtualenvs = True
nox.options.error_on_missing_interpreters = True
nox.options.sessions = ["docs"]
# A Python that uv downloads is for the sessions, and no command of the user's.
os.environ.setdefault("UV_PYTHON_INSTALL_BIN", "0")

BUILD = ROOT / ".build"
# All sessions but two run in the environment that `site` makes: JAX is installed once, not five times.
SITE = ROOT / ".nox" / "site"
COMPILERS = ROOT / ".nox" / "compilers" / "bin" / "python"
# The newest Python that jaxlib 0.5.3 has a wheel for: this one, or one that nox finds beside it, or that uv downloads.
VERSION = "3.13"
PYTHON = None if sys.version_info[:2] == (3, 13) else VERSION
# The tests of a file share what they build.
BY_FILE = "--dist=loadfile"
BY_LOAD = "--dist=worksteal"
CPU = {"JAX_PLATFORMS": "cpu", "JAX_NUM_CPU_DEVICES": "8", "PYTHONHASHSEED": "0"}
# Tests compile what they run once: machine code made without optimization and in one piece takes less than half the
# time, and sends the same.
QUICKLY = {"JAX_DISABLE_MOST_OPTIMIZATIONS": "true", "XLA_FLAGS": "--xla_cpu_parallel_codegen_split_count=1"}


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


@nox.session(python=PYTHON)
def site(session: nox.Session) -> None:
    """Make the environment that builds and tests the handbook."""
    install(session, "site.txt", "-e", ".")


@nox.session(python=PYTHON, requires=["site"])
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


def run_tests(session: nox.Session, *arguments: str, **env: str) -> None:
    """Build the site, once and not in each of the processes that test, and test with one more than there are cores.

    One of them always waits: for the frames of a page, or for a process to end.
    """
    run(session, "shardbook_sphinx.commands.build")
    run(session, "pytest", f"--numprocesses={(os.cpu_count() or 1) + 1}", *arguments, **CPU, **QUICKLY, **env)


@nox.session(venv_backend="none", requires=["kernels"], default=False)
def tests(session: nox.Session) -> None:
    """Check everything but in a browser; `nox -s tests -- ARGS` passes ARGS to pytest and leaves the rest out."""
    if session.posargs:
        run(session, "pytest", *session.posargs, **CPU)
        return
    run(session, "ruff", "check")
    run(session, "ruff", "format", "--check")
    run(session, "mypy")
    # TypeScript, which deno has in it, and no package registry beside Python's.
    run(session, "deno", "check", "--quiet", "docs/_static", DENO_DIR=str(BUILD / "deno"), DENO_NO_UPDATE_CHECK="1")
    run_tests(session, "--ignore=tests/browser", BY_FILE)


@nox.session(venv_backend="none", requires=["kernels"], default=False)
def browser(session: nox.Session) -> None:
    """Check the site in the system's Chromium, or in Playwright's own, which `nox -s browser -- --install` fetches.

    With HYPOTHESIS_PROFILE=long in the environment axe looks at all of every page in every theme and width.
    """
    if session.posargs == ["--install"]:
        run(session, "playwright", "install", "chromium")
    else:
        run_tests(session, "tests/browser", BY_LOAD, *session.posargs)


@nox.session(venv_backend="none", requires=["kernels"], default=False)
def long(session: nox.Session) -> None:
    """Try all that `tests` and `browser` try a sample of: 2,000 examples a property, every copy, every notebook.

    And build the handbook a second time from nothing, which must give the same site, file for file.
    """
    long = {"HYPOTHESIS_PROFILE": "long"}
    run_tests(session, "--ignore=tests/browser", BY_FILE, *session.posargs, **long)
    run_tests(session, "tests/browser", BY_LOAD, *session.posargs, **long)


@nox.session(venv_backend="none", requires=["kernels"], default=False)
def live(session: nox.Session) -> None:
    """Serve the pages on this machine and rebuild them on every change; English, or Chinese with `-- zh`."""
    language = session.posargs[0] if session.posargs else "en"
    serve = ["--watch", "src", "--watch", "conf.py", "--ignore", "*.mo", "--port", "0", "--open-browser"]
    build = ["-q", "-c", ".", "-D", "language=" + {"en": "en", "zh": "zh_CN"}[language]]
    folder = f".build/live/{language}"
    run(session, "sphinx_autobuild", *serve, *build, "-d", f"{folder}-doctrees", "docs", folder)


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
    folders = os.pathsep.join(str(ROOT / "tests" / name) for name in ("", "browser"))
    run(session, "measures.helper", PYTHONPATH=folders)
    run(session, "shardbook_sphinx.commands.bench", *session.posargs)
    run(session, "shardbook_sphinx.commands.build")
    for name in ("weights", "redraw", "arrival"):
        run(session, f"measures.{name}", PYTHONPATH=folders)


@nox.session(venv_backend="none", requires=["kernels"], default=False)
def coverage(session: nox.Session) -> None:
    """Print how many names of the installed JAX have an entry with a tested example; fail if one has none."""
    run(session, "shardbook_sphinx.commands.build")
    run(session, "shardbook_sphinx.commands.coverage", **CPU)


@nox.session(python=PYTHON, default=False)
def history(session: nox.Session) -> None:
    """Record in docs/_data/api what each JAX release offers: those not recorded yet, or `-- VERSION ...`."""
    session.install("uv")
    session.run("python", "-m", "shardbook_sphinx.records.releases", *session.posargs, env={"PYTHONPATH": "src"})


@nox.session(python=PYTHON, requires=["kernels"], default=False)
def canary(session: nox.Session) -> None:
    """Say in one page what another JAX would change, `nox -s canary -- VERSION`, or compiler, `-- libtpu==VERSION`."""
    if not session.posargs:
        session.error("name a release: nox -s canary -- 0.11.2, or compilers: nox -s canary -- libtpu==0.0.49")
    if "==" in session.posargs[0]:
        other_compilers(session)
        return
    release = session.posargs[0]
    run(session, "shardbook_sphinx.commands.build")  # what the pinned JAX prints, to compare with
    session.install("--require-hashes", "-r", "requirements/site.txt", env={"UV_COMPILE_BYTECODE": "1"})
    session.install("--no-deps", "--no-build-isolation", "-e", ".")
    session.install(f"jax=={release}", f"jaxlib<={release}", env={"UV_COMPILE_BYTECODE": "1"})
    ours, theirs = (Path(folder, "share", "jupyter", "kernels") for folder in (session.virtualenv.location, SITE))
    for kernel in theirs.glob("jax-*"):
        shutil.copytree(kernel, ours / kernel.name, dirs_exist_ok=True)
    session.run("python", "-m", "shardbook_sphinx.commands.canary", release, env=CPU)


def other_compilers(session: nox.Session) -> None:
    """Compile with other releases what is recorded, and say what changes; `--seconds S` does as much by chance."""
    packages = [word for word in session.posargs if "==" in word]
    options = [word for word in session.posargs if word not in packages]
    session.install("--require-hashes", "-r", "requirements/chips.txt")
    session.install("--no-deps", *packages)
    with_compilers = Path(session.virtualenv.location, "bin", "python")
    command = [
        str(SITE / "bin" / "python"),
        "-m",
        "shardbook_sphinx.commands.compilers",
        str(with_compilers),
        "--check",
    ]
    session.run(*command, *options, external=True, success_codes=[0, 1])  # 1 is that something changes: no failure here


@nox.session(python=PYTHON, default=False)
def compilers(session: nox.Session) -> None:
    """Make the environment with the compilers for TPUs and NVIDIA's GPUs: Linux on x86-64, 1.8 GB, no chip needed."""
    install(session, "chips.txt")


@nox.session(default=False, venv_backend="none", requires=["site", "compilers"])
def chips(session: nox.Session) -> None:
    """Renew what pages show of compilers, where it is stale, or `-- PAGE`; `-- --check` compiles all and compares."""
    run(session, "shardbook_sphinx.commands.compilers", str(COMPILERS), *session.posargs)


@nox.session(default=False, venv_backend="none", requires=["compilers"])
def corpus(session: nox.Session) -> None:
    """Compile the programs of known communication anew, in tests/corpus, where the tests read them, or `-- NAME`."""
    paths = os.pathsep.join(["tests", "src"])
    session.run(str(COMPILERS), "-m", "corpus.make", *session.posargs, env={**CPU, "PYTHONPATH": paths}, external=True)


@nox.session(python=PYTHON, default=False)
def pins(session: nox.Session) -> None:
    """Lock the newest releases that work together: versions and hashes, no addresses."""
    session.install("uv")
    common = [
        "--universal",
        "--python-version",
        VERSION,
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
    for name, (python, resolution) in FLOOR.items():
        options = ["--python-version", python, "--resolution", resolution, "--group", "floor"]
        written = f"requirements/floor/{name}.txt"
        session.run("uv", "pip", "compile", "-q", *common, *options, "pyproject.toml", "-o", written)


# What the package declares in pyproject.toml, and the newest that the handbook runs on.
FLOOR = {"oldest": ("3.11", "lowest-direct"), "newest": (VERSION, "highest")}
FLOOR_TESTS = ("oldest", "layout", "moves", "hlo", "show", "traced", "collectives", "memory", "chips", "command")


@nox.session(requires=["site"], default=False, reuse_venv=False)
@nox.parametrize("python,pins", [nox.param(python, name, id=name) for name, (python, _) in FLOOR.items()])
def floor(session: nox.Session, pins: str) -> None:
    """Install the built wheel in an empty environment, draw with it, and run its tests and doctests."""
    made = session.create_tmp()
    run(session, "hatchling", "build", "--target", "wheel", "-d", made)
    (wheel,) = Path(made).glob("*.whl")
    session.install("--require-hashes", "-r", f"requirements/floor/{pins}.txt")
    # With its needs, which are there: a pin below what the package declares would fail here.
    session.install("--offline", str(wheel))
    session.run("python", "-m", "shardbook", "--version")
    session.run("python", "-m", "shardbook", "8,16", "x=2,y=4", "P('x', 'y')", "--to", "P('y')")
    # The tests are this checkout's, the package is the one that was installed. conftest.py is left out: its fixtures
    # are those of the handbook, and import what builds it.
    tests = [f"tests/test_{name}.py" for name in FLOOR_TESTS]
    options = ["--noconftest", "-o", "pythonpath=tests tests/support"]
    session.run("pytest", *options, "--pyargs", "shardbook", *tests, env=CPU)
