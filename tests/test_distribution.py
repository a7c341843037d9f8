"""What pip installs: the helper and nothing of the handbook, with a README whose examples are true."""

import os
import re
import shlex
import shutil
import subprocess
import sys
import tarfile
import zipfile
from email import message_from_string
from pathlib import Path

import pytest

import shardbook as sb

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src/shardbook"
README = PACKAGE / "README.md"
NEEDED = {"jax", "numpy", "rich"}


def python(*words, path, **options):
    environment = {**os.environ, "PYTHONPATH": str(path), "JAX_PLATFORMS": "cpu", "COLUMNS": "80", "PYTHONUTF8": "1"}
    return subprocess.run([sys.executable, *words], env=environment, encoding="utf-8", check=False, **options)


def build(root, into):
    """Build wheel and sdist as pip would, without a network; say how they can be read."""
    done = python("-m", "hatchling", "build", "-d", str(into), path="", cwd=root, capture_output=True, timeout=120)
    assert done.returncode == 0, done.stderr
    (wheel,), (sdist,) = into.glob("*.whl"), into.glob("*.tar.gz")
    return zipfile.ZipFile(wheel), tarfile.open(sdist)


@pytest.fixture
def source(tmp_path):
    """A copy of what the distributions are made from, and of what must not get into them."""
    root = tmp_path / "checkout"
    shutil.copytree(ROOT / "src", root / "src", ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "LICENSE", "README.md", "CHANGELOG.md", "conf.py", "noxfile.py", ".gitignore"):
        shutil.copy(ROOT / name, root / name)
    return root


def files():
    return {
        path.relative_to(PACKAGE.parent).as_posix()
        for path in PACKAGE.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }


def problems(wheel, sdist):
    """What is in the distributions and should not be, and what is not and should."""
    base = f"shardbook-{sb.__version__}"
    about = {f"{base}.dist-info/{name}" for name in ("METADATA", "RECORD", "WHEEL", "licenses/LICENSE")}
    # The README is in the metadata.
    wanted, packed = files() - {"shardbook/README.md"} | about, set(wheel.namelist())
    found = [f"the wheel has {name}" for name in sorted(packed - wanted)]
    found += [f"the wheel lacks {name}" for name in sorted(wanted - packed)]
    wanted = {f"src/{name}" for name in files()} | {".gitignore", "LICENSE", "PKG-INFO", "pyproject.toml"}
    packed = {member.name.removeprefix(f"{base}/") for member in sdist if member.isfile()}
    found += [f"the sdist has {name}" for name in sorted(packed - wanted)]
    found += [f"the sdist lacks {name}" for name in sorted(wanted - packed)]
    metadata = message_from_string(wheel.read(f"{base}.dist-info/METADATA").decode())
    needed = {re.match(r"[\w-]+", line)[0] for line in metadata.get_all("Requires-Dist", [])}
    found += [f"the metadata needs {name}" for name in sorted(needed ^ NEEDED)]
    if metadata.get_all("Provides-Extra"):
        found.append("the metadata has extras")
    if metadata["Version"] != sb.__version__:
        found.append(f"the metadata says {metadata['Version']}")
    description = metadata.get_payload()
    found += [f"the README has {link}" for link in re.findall(r"\]\((?!https://)[^)]*\)", description)]
    found += [f"the README speaks of {word}" for word in ("nox", "sphinx", "shardbook_sphinx") if word in description]
    return found


def test_the_distributions_hold_the_helper_alone(source, tmp_path):
    """Every file of it, nothing else; the wheel made from the sdist is the same; what is installed runs."""
    wheel, sdist = build(source, tmp_path / "made")
    assert problems(wheel, sdist) == []
    sdist.extractall(tmp_path, filter="data")
    again, _ = build(tmp_path / f"shardbook-{sb.__version__}", tmp_path / "again")
    assert {name: again.read(name) for name in again.namelist()} == {
        name: wheel.read(name) for name in wheel.namelist()
    }
    installed = tmp_path / "installed"
    wheel.extractall(installed)  # noqa: S202, our own
    code = """
import importlib.metadata, jax, shardbook
print(shardbook.__file__, shardbook.__version__ == importlib.metadata.version("shardbook"))
print("sb-figure" in shardbook.show(jax.numpy.ones(4)).html())
"""
    done = python("-c", code, path=installed, cwd=tmp_path, stdout=subprocess.PIPE, timeout=120)
    assert done.stdout.splitlines() == [f"{installed / 'shardbook/__init__.py'} True", "True"]


@pytest.mark.parametrize(
    ("file", "old", "new", "told"),
    [
        ("pyproject.toml", 'packages = ["src/shardbook"]', 'packages = ["src/shardbook", "src/stray"]', "the wheel has stray/__init__.py"),
        ("pyproject.toml", 'only-include = ["src/shardbook"]', 'only-include = ["src"]', "the sdist has src/stray/__init__.py"),
        ("pyproject.toml", 'only-include = ["src/shardbook"]', "", "the sdist has conf.py"),
        ("pyproject.toml", 'exclude = ["README.md"]', 'exclude = ["*.css"]', "the wheel lacks shardbook/figure.css"),
        ("pyproject.toml", '"rich>=13"]', '"rich>=13", "sphinx"]', "the metadata needs sphinx"),
        ("pyproject.toml", "[tool.hatch.version]", '[project.scripts]\nsite = "stray:main"\n\n[tool.hatch.version]', f"the wheel has shardbook-{sb.__version__}.dist-info/entry_points.txt"),
        ("pyproject.toml", 'readme = "src/shardbook/README.md"', 'readme = "README.md"', "the README speaks of nox"),
        ("src/shardbook/README.md", "# shardbook\n", "# shardbook\n\n![A page](page.png)\n", "the README has ](page.png)"),
    ],
)  # fmt: skip
def test_what_does_not_belong_is_told(source, tmp_path, file, old, new, told):  # noqa: PLR0917, as parametrized
    """A stray package, a file left out, a need, an entry point, a README that is not the package's."""
    (source / "src/stray").mkdir()
    (source / "src/stray/__init__.py").touch()
    path = source / file
    text = path.read_text(encoding="utf-8")
    assert text.count(old) == 1
    path.write_text(text.replace(old, new), encoding="utf-8")
    assert told in problems(*build(source, tmp_path / "made"))


# The README

# The file of a line typed at the prompt is <stdin>.
PROMPT = """
import doctest, re, sys
class Checker(doctest.OutputChecker):
    def check_output(self, want, got, flags):
        return super().check_output(want, re.sub("<doctest [^>]*>", "<stdin>", got), flags)
text = re.sub("(?m)^```.*$", "", sys.stdin.read())
runner = doctest.DocTestRunner(Checker())
runner.run(doctest.DocTestParser().get_doctest(text, {}, "README", None, 0))
print(runner.tries, "tried")
sys.exit(runner.failures)
"""


def examples(text):
    """Run the examples of the README, as from a prompt."""
    return python("-c", PROMPT, path=PACKAGE.parent, input=text, stdout=subprocess.PIPE, timeout=120)


def test_the_readme_says_what_the_prompt_prints():
    done = examples(README.read_text(encoding="utf-8"))
    assert (done.returncode, done.stdout) == (0, "19 tried\n")


def test_a_wrong_readme_is_told():
    """A number that is not what comes."""
    text = README.read_text(encoding="utf-8").replace("3 KiB     1", "4 KiB     1")
    assert examples(text).returncode == 1


def test_the_readme_says_what_the_command_prints():
    """Each command, on the terminal of 80 columns."""
    (shell,) = re.findall(
        r"^```console\n(\$ python .*?)^```$", README.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL
    )
    commands = re.findall(r"^\$ python (.*)\n((?:(?!\$ ).*\n)*)", shell, re.MULTILINE)
    assert len(commands) == 2
    for command, printed in commands:
        words = shlex.split(command)
        done = python(*words, path=PACKAGE.parent, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=120)
        assert [line.rstrip() for line in done.stdout.splitlines()] == printed.splitlines()
