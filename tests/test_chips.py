"""Chips that nobody has here: their figures, and what is wrong with a mesh of them before a compiler is asked."""

import subprocess
import sys

import jax
import pytest

import shardbook as sb
from shardbook import _chips


def test_figures_are_of_one_order_of_magnitude():
    """A figure in Gbit, or of both directions, would stand out among the others."""
    for chip in _chips.CHIPS.values():
        assert 15 * 2**30 <= chip.memory <= 200 * 2**30
        assert 0.7 * chip.memory < chip.usable < 1.01 * chip.memory
        assert 100 < chip.flops / chip.bandwidth < 700, chip
        assert 4e-2 < chip.link / chip.bandwidth < 0.3, chip


def test_each_gpu_has_its_units_and_each_tpu_its_torus():
    by_platform = {
        kind: {name for name, chip in _chips.CHIPS.items() if chip.platform == kind} for kind in ("tpu", "cuda")
    }
    assert by_platform == {"tpu": set(_chips.TORUS), "cuda": set(_chips.GPU_UNITS)}


def test_a_device_has_the_figures_of_its_kind():
    class Device:
        device_kind = "TPU v5 lite"
        platform = "tpu"

    assert sb.chip(Device()) is sb.chip("v5e")
    assert _chips.platform_of(Device()) == "tpu"
    assert _chips.chip_of(jax.devices()[0]) is None
    with pytest.raises(ValueError, match=r"no figures for a device of kind 'cpu'; there are some for v4, v5e, "):
        sb.chip(jax.devices()[0])


@pytest.mark.parametrize(
    ("asked", "told"),
    {
        ("v9", "2x2", (2, 2)): "no figures for 'v9'; there are some for v4, v5e, v5p",
        ("v5e", "4x4x4", (8, 8)): "'4x4x4' is no topology of v5e: expected 2 sizes, such as 4x4",
        ("v4", "4x4", (4, 4)): "'4x4' is no topology of v4: expected 3 sizes, such as 4x4x4",
        ("H100", "8", (8, 1)): "'8' is no topology of H100: expected 2 sizes, such as 2x8, two hosts of eight",
        ("v5e", "0x4", (2, 2)): "'0x4' is no topology of v5e",
        ("v5e", "-2x-2", (2, 2)): "'-2x-2' is no topology of v5e",
        ("v5e", "32x32", (32, 32)): "32x32 is 1024 chips, a slice of v5e at most 256: use slices=",
    }.items(),
)
def test_what_no_compiler_need_be_asked(asked, told):
    name, topology, sizes = asked
    with pytest.raises(ValueError, match=f"^{told}"):
        sb.chip_mesh(name, topology, sizes, ("x", "y"))


@pytest.mark.parametrize("slices", [0, 2])
def test_only_tpus_have_slices(slices):
    with pytest.raises(ValueError, match=rf"slices={slices}: there is at least one, and only TPUs have several"):
        sb.chip_mesh("H100", "1x8", (2, 4), ("x", "y"), slices=slices)


@pytest.mark.parametrize(
    ("name", "topology", "wheel"), [("v5e", "2x4", "'jax[tpu]'"), ("H100", "1x8", "jax-cuda12-plugin ")]
)
def test_a_missing_compiler_is_named(monkeypatch, name, topology, wheel):
    monkeypatch.setattr(_chips, "find_spec", lambda _module: None)
    with pytest.raises(ModuleNotFoundError) as error:
        sb.chip_mesh(name, topology, (2, 4), ("x", "y"))
    assert f"the compiler for {name} is not installed: pip install {wheel}" in str(error.value)


def test_axes_must_fit_the_devices(monkeypatch):
    monkeypatch.setattr(_chips, "devices_of", lambda *_: jax.devices()[:8])
    assert dict(sb.chip_mesh("v5e", "2x4", (2, 4), ("x", "y")).shape) == {"x": 2, "y": 4}
    with pytest.raises(ValueError, match=r"v5e 2x4 has 8 devices: axes of sizes \(2, 2\) must be as many"):
        sb.chip_mesh("v5e", "2x4", (2, 2), ("x", "y"))
    with pytest.raises(ValueError, match=r"v5e 2 × 2x2 has 8 devices: .* must be as many, the first a multiple of 2"):
        sb.chip_mesh("v5e", "2x2", (1, 8), ("x", "y"), slices=2)


def test_names_of_chips_need_no_compiler():
    """Figures are read without libtpu or a plugin being looked for."""
    code = "import shardbook as sb, sys; sb.chip('v5e'); assert not {'libtpu', 'jax_plugins'} & sys.modules.keys()"
    subprocess.run([sys.executable, "-c", code], check=True)
