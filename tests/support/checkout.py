"""A checkout in a folder of its own, which tests build, change and spoil."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import prefork

CHECKOUT = Path(__file__).parents[2]
CATALOGUES = "docs/locale/zh_CN/LC_MESSAGES"

# The build command says of which language a line is.
RAN = re.compile(r"^(?:\w\w \| )?ran \[\d+/\d+\] (\S+) on ", re.MULTILINE)


@dataclass(frozen=True)
class Result:
    """What a build did."""

    passed: bool
    printed: str

    @property
    def ran(self) -> list[str]:
        """The pages whose cells were run, sorted."""
        return sorted(RAN.findall(self.printed))


@dataclass(frozen=True)
class Handbook:
    """A checkout in a folder of its own: its files can be changed and it can be built."""

    root: Path

    @property
    def environment(self) -> dict[str, str]:
        """The environment of a build: the modules are those of this folder."""
        kept = {name: value for name, value in os.environ.items() if not name.startswith("SHARDBOOK")}
        return kept | {"PYTHONPATH": str(self.root / "src")}

    def run(self, *command: str, **settings: str) -> Result:
        """Run a module of Python in this folder."""
        environment = self.environment | settings
        # What Python and JAX look at when they start needs a start of its own.
        if sys.platform == "linux" and not any(name.startswith(("PYTHON", "JAX")) for name in settings):
            code, printed = prefork.run(command, self.root, environment)
            return Result(code == 0, printed)
        done = subprocess.run(
            [sys.executable, "-m", *command],
            cwd=self.root,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            timeout=900,
            check=False,
        )
        return Result(done.returncode == 0, done.stdout)

    def build(self, *arguments: str, **settings: str) -> Result:
        """Build as ``nox -s docs`` does."""
        return self.run("shardbook_sphinx.commands.build", *arguments, **settings)

    def plain_build(self, *arguments: str, into: str = "plain", read: str = "", pages: Iterable[str] = ()) -> Result:
        """Build pages, all if none are named, by Sphinx's own command, from what a language's build has READ, if named.

        What it makes goes to .build/INTO, and what it reads itself to .build/doctrees/INTO.
        """
        doctrees = self.root / ".build/doctrees"
        if read:
            shutil.rmtree(doctrees / into, ignore_errors=True)
            shutil.copytree(doctrees / read, doctrees / into)
        where = ("docs", f".build/{into}", *pages)
        return self.run("sphinx", "-q", "-c", ".", "-d", str(doctrees / into), *arguments, *where)

    def start(self) -> subprocess.Popen[bytes]:
        """Start a build in a session of its own, to end it half-way; nothing it says is kept."""
        command = [sys.executable, "-m", "shardbook_sphinx.commands.build"]
        return subprocess.Popen(
            command,
            cwd=self.root,
            env=self.environment,
            start_new_session=True,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    def edit(self, name: str, old: str, new: str) -> None:
        """Replace the one place in a file where ``old`` stands."""
        text = self.read(name)
        assert text.count(old) == 1, f"{old!r} stands {text.count(old)} times in {name}"
        self.write(name, text.replace(old, new))

    def write(self, name: str, text: str) -> None:
        """Write a file, in a folder that may be new."""
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def read(self, name: str) -> str:
        return (self.root / name).read_text(encoding="utf-8")


def put_back(workplace: tuple[Handbook, Path]) -> Handbook:
    """A handbook as it was when it was copied, times of files too; in its old folder, with the copy beside it."""
    handbook, built = workplace
    shutil.rmtree(handbook.root)
    shutil.copytree(built, handbook.root)
    return handbook


def spoil(path: Path, old: str, new: str) -> None:
    """Replace the first place in a file where ``old`` stands."""
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
