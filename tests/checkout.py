"""A checkout in a folder of its own, which tests build, change and spoil."""

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

CHECKOUT = Path(__file__).parents[1]
MADE = shutil.ignore_patterns(".git", ".nox", ".build", "site", ".*_cache", "__pycache__", "*.mo", ".hypothesis")


@dataclass(frozen=True)
class Result:
    """What a build did."""

    passed: bool
    printed: str

    @property
    def ran(self) -> list[str]:
        """The pages whose cells were run, sorted."""
        return sorted(line.split("] ")[1].split(" on ")[0] for line in self.printed.splitlines() if "| ran [" in line)


@dataclass(frozen=True)
class Handbook:
    """A checkout in a folder of its own: its files can be changed and it can be built."""

    root: Path

    def command(self) -> tuple[list[str], dict[str, str]]:
        environment = {name: value for name, value in os.environ.items() if not name.startswith("SHARDBOOK")}
        return [sys.executable, "-m", "shardbook_sphinx.commands.build"], environment | {
            "PYTHONPATH": str(self.root / "src")
        }

    def build(self, *arguments: str, **settings: str) -> Result:
        """Build as ``nox -s docs`` does."""
        command, environment = self.command()
        return self.run([*command, *arguments], environment | settings)

    def plain_build(self, *arguments: str, into: str = "plain") -> Result:
        """Build the English pages with Sphinx's own command, which keeps in .build/doctrees what it has read."""
        command = [sys.executable, "-m", "sphinx", "-q", "-c", ".", "-d", f".build/doctrees/{into}", *arguments]
        return self.run([*command, "docs", f".build/{into}"], self.command()[1])

    def run(self, command: list[str], environment: dict[str, str]) -> Result:
        done = subprocess.run(
            command,
            cwd=self.root,
            env=environment,
            capture_output=True,
            encoding="utf-8",
            timeout=600,
            check=False,
        )
        return Result(done.returncode == 0, done.stdout + done.stderr)

    def edit(self, name: str, old: str, new: str) -> None:
        """Replace the one place in a file where ``old`` stands."""
        path = self.root / name
        text = path.read_text(encoding="utf-8")
        assert text.count(old) == 1, f"{old!r} stands {text.count(old)} times in {name}"
        path.write_text(text.replace(old, new), encoding="utf-8")

    def read(self, name: str) -> str:
        return (self.root / name).read_text(encoding="utf-8")
