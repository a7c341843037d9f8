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
        return [sys.executable, "-m", "shardbook_sphinx.build"], environment | {"PYTHONPATH": str(self.root / "src")}

    def build(self, *arguments: str, **settings: str) -> Result:
        command, environment = self.command()
        done = subprocess.run(
            [*command, *arguments],
            cwd=self.root,
            env=environment | settings,
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
