"""Compile every program with every compiler and keep what they wrote: nox -s corpus [-- NAME ...]."""

import io
import json
import sys
import tarfile
import time
from importlib.metadata import version
from pathlib import Path

import jax

from corpus import claims  # noqa: F401, which registers its programs
from corpus.chips import mesh
from corpus.programs import COMPILERS, PROGRAMS

FOLDER = Path(__file__).parent
PACKAGES = ("jax", "jaxlib", "libtpu", "jax-cuda12-pjrt", "nvidia-cuda-nvcc-cu12")


def compiled(program, compiler):
    """The text of the compiled program, and of what its devices are."""
    grid = mesh(compiler, program.axes, program.explicit, program.slices, program.order)
    fn, args = program.make(grid)
    lowered = (fn if hasattr(fn, "lower") else jax.jit(fn)).lower(*args)
    devices = list(grid.devices.flat)
    record = {"mesh": dict(grid.shape)}
    if program.slices > 1:
        record |= {"ids": [device.id for device in devices], "slices": [device.slice_index for device in devices]}
    return lowered.compile(compiler_options=program.options or None).as_text(), record


def write(path, files):
    """Pack files so that the same content gives the same bytes."""
    with tarfile.open(path, "w:xz", preset=9) as archive:
        for name, content in sorted(files.items()):
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))


def main(chosen):
    # The folder of this checkout has no place in a record.
    jax.config.update("jax_hlo_source_file_canonicalization_regex", r".*[/\\](?=corpus[/\\])")
    for compiler in COMPILERS:
        path = FOLDER / f"{compiler}.tar.xz"
        files = {}
        if chosen and path.is_file():
            with tarfile.open(path) as archive:
                files = {member.name: archive.extractfile(member).read() for member in archive}
        index = json.loads(files.pop("index.json", b"{}"))
        for program in PROGRAMS.values():
            if compiler not in program.expected or (chosen and program.name not in chosen):
                continue
            begun = time.monotonic()
            text, index[program.name] = compiled(program, compiler)
            files[f"{program.name}.hlo"] = text.encode()
            print(
                f"{compiler} | {program.name} | {len(text) / 1024:.0f} KB after {time.monotonic() - begun:.1f} s",
                flush=True,
            )
        write(path, files | {"index.json": json.dumps(index, indent=1, sort_keys=True).encode()})
    versions = {name: version(name) for name in PACKAGES}
    (FOLDER / "versions.json").write_text(json.dumps(versions, indent=1) + "\n", encoding="utf-8")
    print(f"{sum(path.stat().st_size for path in FOLDER.glob('*.tar.xz')) / 1024:.0f} KB in {FOLDER}")


if __name__ == "__main__":
    main(sys.argv[1:])
