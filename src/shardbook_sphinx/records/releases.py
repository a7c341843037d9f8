"""Record what each JAX release offers for sharding: python -m shardbook_sphinx.records.releases [VERSION ...].

Each release is installed by uv into an environment of its own, where recorder.py writes docs/_data/api/VERSION.json. A
release whose record is there, made by the present recorder.py, is left alone. One that cannot be installed is told of
at the end and in docs/_data/api/missing.json, with the reason.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path

from shardbook_sphinx import fingerprint

DATA = Path("docs/_data/api")
RECORDER = Path(__file__).with_name("recorder.py")
# Every release since the first with jax.sharding. Add the newest at the end.
RELEASES = (
    *(f"0.4.{patch}" for patch in range(1, 39) if patch not in {2, 15, 32}),  # 15 and 32 were withdrawn
    *("0.5.0", "0.5.1", "0.5.2", "0.5.3", "0.6.0", "0.6.1", "0.6.2", "0.7.0", "0.7.1", "0.7.2"),
    *("0.8.0", "0.8.1", "0.8.2", "0.8.3", "0.9.0", "0.9.0.1", "0.9.1", "0.9.2"),
    *("0.10.0", "0.10.1", "0.10.2", "0.11.0", "0.11.1", "0.11.2", "0.12.0", "0.12.0.1"),
)


def order(release: str) -> tuple[int, ...]:
    """A release as numbers, to sort by.

    >>> sorted(["0.10.0", "0.9.2", "0.9.0.1"], key=order)
    ['0.9.0.1', '0.9.2', '0.10.0']
    """
    return tuple(map(int, release.split(".")))


def requirements(release: str) -> tuple[str, list[str]]:
    """The Python that a release runs on, and what to install there.

    >>> requirements("0.4.20")
    ('3.10', ['jax==0.4.20', 'jaxlib<=0.4.20', 'numpy<2', 'scipy<1.13'])
    """
    wanted = [f"jax=={release}", f"jaxlib<={release}"]
    if order(release) < (0, 4, 34):  # the first with wheels for Python 3.13, and long after the last without NumPy 2
        return "3.10", [*wanted, "numpy<2", "scipy<1.13"]
    return "3.13", wanted


def is_current(path: Path) -> bool:
    """Whether a record was made by the present recorder.py."""
    return path.is_file() and json.loads(path.read_text(encoding="utf-8"))["recorder"] == recorder()


def recorder() -> str:
    """A short hash of what makes the records, so that a comment in it leaves them as they are."""
    return hashlib.sha256(fingerprint.code(RECORDER.read_bytes()).encode()).hexdigest()[:12]


def record(release: str, path: Path) -> str:
    """Install a release and record it into ``path``; "" or why that failed."""
    python, wanted = requirements(release)
    asked = [word for each in wanted for word in ("--with", each)]
    command = ["uv", "run", "--quiet", "--no-project", "--isolated", "--python", python, *asked]
    done = subprocess.run(
        [*command, "python", str(RECORDER.resolve()), str(path.resolve()), recorder()],
        capture_output=True,
        encoding="utf-8",
        check=False,
        env={name: value for name, value in os.environ.items() if name not in {"PYTHONPATH", "VIRTUAL_ENV"}},
    )
    return "" if done.returncode == 0 else reason(done.stderr)


def reason(told: str) -> str:
    """What matters in an installer's refusal: that a package has no such version, else its last line.

    >>> reason("error: No solution found, because there is no jaxlib==0.4.6 and you require jaxlib<=0.4.6, no")
    'no jaxlib<=0.4.6 can be installed'
    """
    if lacking := re.search(r"you require\s+(jax\S*)", " ".join(told.split())):
        return f"no {lacking[1].rstrip(',')} can be installed"
    if "python-build" in told:
        return "the Python it needs is not here and could not be fetched"
    return (told.strip().splitlines() or ["it ended without a word"])[-1].strip()


def main() -> int:
    """Record what is missing, or the releases named; 1 if one failed that was recorded before or was named."""
    asked = sys.argv[1:]
    DATA.mkdir(parents=True, exist_ok=True)
    missing = DATA / "missing.json"
    known = json.loads(missing.read_text(encoding="utf-8")) if missing.is_file() else {}
    stale = asked or [name for name in RELEASES if not is_current(DATA / f"{name}.json")]
    failed = {}
    for number, release in enumerate(stale, 1):
        start = time.perf_counter()
        if why := record(release, DATA / f"{release}.json"):
            failed[release] = why
        known.pop(release, None)
        told = why or f"recorded in {time.perf_counter() - start:.1f} s"
        print(f"[{number}/{len(stale)}] {release}: {told}", flush=True)
    known = dict(sorted({**known, **failed}.items(), key=lambda item: order(item[0])))
    missing.write_text(json.dumps(known, indent=1) + "\n", encoding="utf-8")
    recorded = sorted((path.stem for path in DATA.glob("0.*.json")), key=order)
    print(f"{len(recorded)} releases are recorded, from {recorded[0]} to {recorded[-1]}; {len(known)} are not:")
    for release, why in known.items():
        print(f"  {release}: {why}")
    return int(any((DATA / f"{release}.json").is_file() or release in asked for release in failed))


if __name__ == "__main__":
    raise SystemExit(main())
