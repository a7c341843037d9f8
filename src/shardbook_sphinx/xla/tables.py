"""What XLA inserts for a change of layout and for a matrix product: tables that the build measures.

They are measured beside the pages' cells, once for each state of the pins, of Python and of what measures, and kept in
.build/cache. The site has them as ``_static/measured/moves.js`` and ``products.js``, the same in each language: scripts
that set ``shardbookMeasured[NAME]``.

``moves``::

    {
      "jax": "0.12.0.1",
      "shape": [64, 64], "dtype": "float32",   what was moved
      "steps": [                                all that occur, each once
        {
          "kind": "all-gather",                 XLA's name of the operation
          "axes": [1],                          the mesh axes along which devices communicate, by place in the mesh
          "members": 4,                         devices that do so in one group; for a permutation the 2 of a pair
          "of": "x",                            the matrix that is communicated: of a product "a", "b" or "out"
          "fraction": 0.75                      bytes that a device receives, as a share of that whole matrix's
        }, …
      ],
      "meshes": [                               one for each mesh on which it was measured
        {
          "sizes": [2, 4],
          "specs": [[[], [0]], …],              a list of axes, by place, for each of the two dimensions
          "rows": [[3, 7], …],                  row number before * len(specs) + after: its steps in program order
          "warned": [12, …]                     rows where XLA warned of an involuntary full rematerialization
        }, …
      ]
    }

``moves-H100``, ``products-H100``, ``moves-v5e`` and ``products-v5e`` are the same of chips, as recorded: they have also
"chip", and "made", the release of its compiler; a step whose arrays have another dtype than was asked for has it as
"dtype". They are no part of ``warned`` on v5e, whose compiler keeps its warnings to itself.

``products`` is the same, with ``shapes`` of "a", "b" and "out" in place of ``shape``; its row number is
(a * len(specs) + b) * len(specs) + out. ``members`` are fewer than the axes have devices if the step goes
along a part of them. A step's bytes for another shape or dtype are ``fraction`` of that matrix's bytes: the fraction
depends on mesh and specs alone. Which steps XLA takes depends on the mesh, for products also on the proportions of
the matrices, and on the axis types: these are Auto, which leaves the choice to XLA.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shardbook_sphinx import fingerprint
from shardbook_sphinx.compilers.store import REMEDY, CompilerRecords
from shardbook_sphinx.exceptions import HandbookError
from shardbook_sphinx.execution.kernels import kernel_environment
from shardbook_sphinx.pins import pinned, pins_file
from shardbook_sphinx.xla.cases import (
    DTYPE,
    FOLDER,
    MESHES,
    MOVED,
    PRODUCT,
    PRODUCT_MESHES,
    are_wanted,
    cases,
    moves,
    product_specs,
    products,
    specs,
)
from shardbook_sphinx.xla.kinds import kinds, wanted
from shardbook_sphinx.xla.trials import ALL, CHIPS, DTYPES, UNITS, Trial, all_products, moved, recorded_trials
from shardbook_sphinx.xla.trials import shapes as matrices

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sphinx.application import Sphinx

    from shardbook_sphinx.xla.cases import Case, Sizes, Spec
    from shardbook_sphinx.xla.kinds import Recorded

Found = dict[str, Any]
"""What ``measuring.measure`` found for a case."""
Table = dict[str, Any]
"""One of the two files."""

MEASURERS = ("ask.py", "cases.py", "kinds.py", "steps.py", "tables.py", "trials.py", "worker.py")
MOST_PROCESSES = 4  # each has a JAX of its own


def cached(root: Path) -> Path:
    """Where the tables are kept for the present state of what they depend on."""
    measured_by = [
        *root.glob("src/shardbook/**/*.py"),
        *(root / "src/shardbook_sphinx/xla" / name for name in MEASURERS),
    ]
    sources = [fingerprint.code(path.read_bytes()) for path in sorted(measured_by)]
    compiler = fingerprint.pins(pins_file("python3", root).read_text(encoding="utf-8"), "jax", "jaxlib")
    recorded = [recorded_trials(root, chip).read_bytes() for chip in CHIPS if recorded_trials(root, chip).is_file()]
    return root / f".build/cache/measured-{fingerprint.digest([*sources, *compiler, *recorded])}.json"


class Measurers:
    """The processes that measure, each its share of the cases; they end when this one does."""

    running: list[subprocess.Popen[str]] = []  # noqa: RUF012, of the class: a build measures once

    @classmethod
    def start(cls, root: Path, count: int = min(os.cpu_count() or 1, MOST_PROCESSES)) -> None:
        """Begin to measure in so many processes, and to read what is recorded."""
        environment = kernel_environment(os.curdir)
        command = [sys.executable, "-m", "shardbook_sphinx.xla.worker"]
        cls.running = [
            subprocess.Popen(
                [*command, str(share), str(count), str(root)],
                env=environment,
                encoding="utf-8",
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
            )
            for share in range(count)
        ]

    @classmethod
    def finish(cls, root: Path) -> dict[str, Table]:
        """Wait for all and put the tables together."""
        started, cls.running = cls.running, []
        printed = [process.stdout.read() for process in started if process.stdout]
        for process in started:
            process.wait()  # before its input is closed, which would end it
            process.communicate()
        if any(process.returncode for process in started):
            raise HandbookError("measuring what XLA inserts failed; why stands above")
        release = pinned("python3")["jax"]
        shares = [json.loads(text) for text in printed]
        return tables(join(shares, release), release) | chip_tables(recorded(root, shares), root)


def join(shares: list[dict[str, Any]], release: str) -> dict[Case, Found]:
    """What was found for each case, given what each process printed; fail if that was on another JAX."""
    if others := {share["jax"] for share in shares} - {release}:
        told = f"{release} is pinned, but what XLA inserts was measured on JAX {', '.join(others)}. "
        raise HandbookError(told + "Make the environment anew: remove .nox, then python3 noxfile.py -s docs")
    found: list[Found] = [{}] * len(cases())
    for place, share in enumerate(shares):
        found[place :: len(shares)] = share["found"]
    return dict(zip(cases(), found, strict=True))


def tables(found: Mapping[Case, Found], release: str) -> dict[str, Table]:
    """The two tables, given what was found for each case."""
    head = {"jax": release, "dtype": DTYPE}
    moved = {mesh: (specs(len(mesh)), moves(mesh)) for mesh in MESHES}
    multiplied = {mesh: (product_specs(mesh), products(mesh)) for mesh in PRODUCT_MESHES}
    return {
        "moves": head | {"shape": MOVED} | rows(found, moved),
        "products": head | {"shapes": PRODUCT} | rows(found, multiplied),
    }


def recorded(root: Path, shares: list[dict[str, Any]]) -> Recorded:
    """What is recorded for each chip, by a trial's name; fail if that is not all, or by other compilers than pinned."""
    found: Recorded = {chip: {} for chip in CHIPS}
    for share in shares:
        for chip, some in share["chips"].items():
            found[chip] |= some
    pins = pinned("chips")
    for chip in CHIPS:
        path = recorded_trials(root, chip)
        if stale := CompilerRecords.read(path).stale(pins):
            raise HandbookError(f"{path.relative_to(root)} {stale}")
        lacking = [trial.name for trial in wanted(chip, found) if trial.name not in found[chip]]
        if lacking:
            raise HandbookError(f"for {chip} {lacking[0]} is not recorded, nor are {len(lacking) - 1} others: {REMEDY}")
    return found


def chip_tables(found: Recorded, root: Path) -> dict[str, Table]:
    """The tables of chips: moves and products as those of the CPU, and by size one product of each kind."""
    told: dict[str, Table] = {}
    for chip in ALL:
        made = CompilerRecords.read(recorded_trials(root, chip)).versions
        for name, trials in (("moves", moved(chip)), ("products", all_products(chip))):
            first = trials[0]
            head = {"jax": made["jax"], "made": made_by(chip, made), "chip": chip, "dtype": first.dtype}
            shapes = dict(first.shapes)
            sized: dict[str, Any] = {"shape": shapes["x"]} if name == "moves" else {"shapes": shapes}
            by_case = {trial.case: found[chip][trial.name] for trial in trials}
            meshes = dict.fromkeys(trial.case.mesh for trial in trials)
            splits = {mesh: specs(len(mesh)) if name == "moves" else product_specs(mesh) for mesh in meshes}
            asked = {mesh: (splits[mesh], [case for case in by_case if case.mesh == mesh]) for mesh in meshes}
            told[f"{name}-{chip}"] = head | sized | rows(by_case, asked)
    return told | {"sizes": sizes_table(found)}


def sizes_table(found: Recorded) -> Table:
    """One product of each kind, for each chip, dtype and size: its steps, and how many products are of its kind."""
    columns = [(chip, dtype, unit) for chip in CHIPS for dtype in DTYPES for unit in UNITS]
    steps: dict[str, int] = {}
    lines = []
    for case, alike in kinds(found).items():
        told = []
        for chip, dtype, unit in columns:
            trial = Trial(chip, dtype, tuple(matrices(unit).items()), case)
            told.append([steps.setdefault(json.dumps(step), len(steps)) for step in found[chip][trial.name]["steps"]])
        lines.append(
            {"a": case.operands[0], "b": case.operands[1], "out": case.result, "count": len(alike), "rows": told}
        )
    return {"columns": columns, "steps": list(map(json.loads, steps)), "kinds": lines}


def made_by(chip: str, versions: Mapping[str, str]) -> str:
    """The compiler of a chip and its release.

    >>> made_by("v5e", {"libtpu": "0.0.50.1"})
    'libtpu 0.0.50.1'
    """
    name = "jax-cuda12-plugin" if chip == "H100" else "libtpu"
    return f"{name} {versions[name]}"


def rows(found: Mapping[Case, Found], meshes: Mapping[Sizes, tuple[list[Spec], list[Case]]]) -> Table:
    """The part of a table that holds what was found: each step once, and each mesh with its rows."""
    steps: dict[str, int] = {}
    listed = []
    for sizes, (splits, asked) in meshes.items():
        here = [found[case] for case in asked]
        numbers = [[steps.setdefault(json.dumps(step), len(steps)) for step in each["steps"]] for each in here]
        warned = [place for place, each in enumerate(here) if each["warned"]]
        listed.append({"sizes": sizes, "specs": splits, "rows": numbers, "warned": warned})
    return {"steps": list(map(json.loads, steps)), "meshes": listed}


def start(app: Sphinx) -> None:
    """Before anything else: begin to measure if this build needs tables that nobody has measured."""
    if needs_tables(app) and app.config.language == "en" and not cached(Path(app.confdir)).is_file():
        Measurers.start(Path(app.confdir))


def finish(app: Sphinx) -> None:
    """Once the cells have run: wait for the tables and keep them."""
    if Measurers.running:
        begun = time.perf_counter()
        keep(Path(app.confdir), Measurers.finish(Path(app.confdir)))
        print(f"measured {len(cases())} cases, waited for {time.perf_counter() - begun:.1f} s", flush=True)


def keep(root: Path, measured: dict[str, Table]) -> None:
    """Write the tables into the cache, whole or not at all."""
    path = cached(root)
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_suffix(f".{os.getpid()}")
    unfinished.write_text(json.dumps(measured, separators=(",", ":")), encoding="utf-8")
    unfinished.replace(path)


def read_tables(root: Path) -> dict[str, Table]:
    """The tables of this state of the handbook."""
    path = cached(root)
    if not path.is_file():
        raise HandbookError(
            "what XLA inserts is not measured yet, and only the English build does that: python3 noxfile.py -s docs"
        )
    read: dict[str, Table] = json.loads(path.read_text(encoding="utf-8"))
    return read


def write_tables(app: Sphinx, exception: Exception | None) -> None:
    """Once all is written: put the tables where the explorer loads them, as scripts."""
    if exception or not needs_tables(app):
        return
    for name, table in read_tables(Path(app.confdir)).items():
        if name == "sizes":
            continue  # a page's alone
        file = Path(app.outdir, FOLDER, f"{name}.js")
        file.parent.mkdir(parents=True, exist_ok=True)
        script = f"(window.shardbookMeasured ??= {{}})[{name!r}] = {json.dumps(table, separators=(',', ':'))};\n"
        file.write_text(script, encoding="utf-8", newline="\n")


def needs_tables(app: Sphinx) -> bool:
    """Whether this is a build of HTML with a page that shows the tables."""
    return app.builder.format == "html" and are_wanted(Path(app.srcdir))
