"""What a device holds, by hand: arguments, results, what is donated, and what is said of it."""

import os
import re
from dataclasses import replace
from types import SimpleNamespace

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.sharding import AbstractMesh, Mesh, NamedSharding
from jax.sharding import PartitionSpec as P
from test_show import parsed

import shardbook as sb
from shardbook import _memory

MESH = Mesh(np.array(jax.devices()[:8]).reshape(2, 4), ("x", "y"))
F32 = 4
CHIP = SimpleNamespace(name="H100", memory=80 * 2**30)


def struct(shape, *spec, dtype="float32"):
    return jax.ShapeDtypeStruct(shape, dtype, sharding=NamedSharding(MESH, P(*spec)))


def step(state, batch, unused=None):
    return {name: array - batch.sum() for name, array in state.items()}, batch.mean()


STATE = {"bias": struct((256,)), "kernel": struct((512, 256), "x", "y"), "rows": struct((64, 32), "y")}
BATCH = struct((32, 16), "x")
KERNEL, ROWS, BIAS, INPUT = 256 * 64 * F32, 16 * 32 * F32, 256 * F32, 16 * 16 * F32
TABLE = 4 * 8
"""Results are several, so that a table has the address of each."""


def test_arguments_by_leaf():
    """Each is what its sharding gives one device, the largest first; their sum is what the compiler counts."""
    found = sb.memory(step, STATE, BATCH)
    assert [(leaf.path, leaf.bytes_per_device) for leaf in found.leaves] == [
        ("state['kernel']", KERNEL),
        ("state['rows']", ROWS),
        ("state['bias']", BIAS),
        ("batch", INPUT),
    ]
    assert [str(leaf.layout) for leaf in found.leaves][:2] == ["float32[512@x, 256@y]", "float32[64@y, 32]"]
    assert found.device.arguments == KERNEL + ROWS + BIAS + INPUT
    assert found.device.outputs == KERNEL + ROWS + BIAS + F32 + TABLE
    assert (found.name, found.devices, found.platform, found.chip, found.fits) == ("step", 8, "cpu", "", None)
    assert (found.host.total, found.peak) == (0, None)
    assert "compiler counts" not in str(found)


def test_the_total():
    """Arguments, results and temporaries; the program is not in it."""
    assert sb.memory(step, STATE, BATCH).device.code == 0
    held = _memory.Held(arguments=100, outputs=50, aliased=30, temporaries=7, code=1000)
    assert held.total == 127
    found = replace(sb.memory(step, STATE, BATCH), device=held)
    assert found.total == 127


def test_donation():
    """Results take the place of the arguments that are donated."""
    kept, given = sb.memory(step, STATE, BATCH), sb.memory(jax.jit(step, donate_argnums=0), STATE, BATCH)
    assert (kept.device.aliased, given.device.aliased) == (0, KERNEL + ROWS + BIAS)
    for found in (kept, given):
        assert found.total == KERNEL + ROWS + BIAS + INPUT + found.device.outputs - found.device.aliased + (
            found.device.temporaries
        )
    assert kept.device._replace(aliased=0, temporaries=0) == given.device._replace(aliased=0, temporaries=0)
    assert re.search(r"in donated memory +− 67 KiB\n", str(given))


def test_temporaries():
    """The whole of an array that is split over all devices is gathered on each."""

    def whole(a):
        gathered = jax.lax.with_sharding_constraint(a, NamedSharding(MESH, P()))
        return jnp.sort(gathered, axis=0)[0]

    a = struct((1024, 64), ("x", "y"))
    found = sb.memory(whole, a)
    assert found.device.arguments == 1024 * 64 * F32 // 8
    assert found.device.temporaries >= 1024 * 64 * F32


def test_what_others_hold_too():
    """Whatever is not split over all axes lies on another device as well."""
    found = sb.memory(step, STATE, BATCH)
    assert found.replicated == ROWS + BIAS + INPUT
    share = round(100 * found.replicated / found.device.arguments)
    assert re.search(rf"arguments that others hold too +4 KiB \({share}%\)", str(found))
    alone = sb.memory(jnp.sin, jnp.ones(4))
    assert (alone.devices, alone.replicated) == (1, 0)
    assert "others" not in str(alone)


def test_what_is_not_used_is_not_passed():
    """The compiler never sees it; with keep_unused it does."""
    large = {"log": struct((1024, 1024))}
    found = sb.memory(step, STATE, BATCH, large)
    assert found.unused == ("args[2]['log']",)
    assert found.device.arguments == KERNEL + ROWS + BIAS + INPUT
    assert "does not use them (1): args[2]['log']" in str(found).replace("\n", " ")
    kept = sb.memory(jax.jit(step, keep_unused=True), STATE, BATCH, large)
    assert (kept.unused, kept.leaves[0].path) == ((), "unused['log']")
    assert kept.device.arguments - found.device.arguments == 1024 * 1024 * F32
    many = sb.memory(lambda a, **_: a, BATCH, **{f"k{at}": BATCH for at in range(6)})
    assert many.unused == ("k0", "k1", "k2", "k3", "k4", "k5")
    assert "(6): k0, k1, k2, k3, …" in str(many).replace("\n", " ")


def test_a_difference_is_told(monkeypatch):
    """If the compiler counts what no array explains."""
    held = _memory._held
    monkeypatch.setattr(
        _memory, "_held", lambda *which: held(*which)._replace(**({} if which[1] else {"arguments": 69000}))
    )
    text = str(sb.memory(step, STATE, BATCH)).replace("\n", " ")
    assert (
        f"The compiler counts 69,000 B for arguments, these arrays come to {KERNEL + ROWS + BIAS + INPUT:,} B" in text
    )


# Arrays that lie on every device, XLA for TPU v5e's layouts of them, and the bytes that it counts for them in all: of
# libtpu 0.0.50.1.
TILED = [
    (((100, 100), "float32", (0, 1), ((8, 128),)), 53248),
    (((7,), "bfloat16", (0,), ((256,), (128,), (2, 1))), 512),
    (((), "float32", (), ((128,),)), 512),
    (((8, 3, 5), "int8", (2, 1, 0), ((4, 128), (4, 1))), 2560),
    (((16,), "int4", (0,), ((1024,), (128,), (8, 1))), 512),
    (((), jax.random.key(0).dtype, (0,), ((128,),)), 512),
]


@pytest.mark.parametrize(("array", "stored"), TILED)
def test_tiles(array, stored):
    """A TPU stores arrays in whole tiles."""
    shape, dtype, order, tiling = array
    layout = sb.layout(NamedSharding(MESH, P()), shape, dtype)
    assert _memory._stored_bytes(layout, SimpleNamespace(major_to_minor=order, tiling=tiling)) == stored
    assert _memory._stored_bytes(layout, SimpleNamespace(major_to_minor=order, tiling=())) == layout.bytes_per_device
    assert _memory._stored_bytes(layout, None) == layout.bytes_per_device


def test_tiles_are_told():
    """What they take beyond the elements."""
    found = sb.memory(step, STATE, BATCH)
    leaves = tuple(leaf._replace(bytes_per_device=2 * leaf.bytes_per_device) for leaf in found.leaves)
    text = str(replace(found, leaves=leaves)).replace("\n", " ")
    assert "stores arguments in tiles, which adds 68 KiB to 68 KiB of elements." in text


@pytest.mark.parametrize(
    ("platform", "total", "verdict", "remark"),
    [
        ("gpu", 30, "38%: fits", ""),
        ("gpu", 60, "75%: fits", ""),
        ("gpu", 61, "76%: fits", "more than the 75% of a GPU that JAX reserves by default"),
        ("gpu", 80, "100%: fits", "XLA_PYTHON_CLIENT_MEM_FRACTION must be larger"),
        ("gpu", 80.1, "101%: does not fit", "The GPU compiler does not refuse it"),
        ("tpu", 61, "76%: fits", ""),
        ("gpu", 0.1, "<1%: fits", ""),
    ],
)
def test_against_the_chip(monkeypatch, platform, total, verdict, remark):
    """What is published of it, and the share of a GPU that JAX takes."""
    monkeypatch.setattr(_memory, "chip_of", lambda _: CHIP)
    held = _memory.Held(0, int(total * 2**30), 0, 0, 0)
    found = replace(sb.memory(step, STATE, BATCH), platform=platform, device=held)
    assert found.fits == (total <= 80)
    text = str(found)
    assert re.search(rf"of 80 GiB \(H100\) +{verdict}\n", text)
    said = text.replace("\n", " ")
    assert remark in said
    assert remark or not re.search("reserves|refuse", said)


def test_a_tpu_needs_what_it_holds_at_once():
    """Results may lie where temporaries lay before: its compiler refuses by the most at once, and takes more in sum."""
    parts = _memory.Held(arguments=20 * 2**30, outputs=20 * 2**30, aliased=0, temporaries=50 * 2**30, code=0)
    found = replace(sb.memory(step, STATE, BATCH), platform="tpu", chip="v5p", capacity=80 * 2**30, device=parts)
    assert (found.total, found.fits) == (parts.total, False)
    assert "take turns" not in str(found)
    told = replace(found, peak=75 * 2**30)
    assert (told.total, told.fits) == (75 * 2**30, True)
    assert re.search(r"each device holds +75 GiB\n", str(told))
    assert "These add up to 90 GiB" in str(told)
    assert not re.search("^most at once", str(told), re.MULTILINE)
    assert replace(told, platform="gpu").total == parts.total
    assert re.search("^most at once +75 GiB$", str(replace(told, platform="gpu")), re.MULTILINE)


def test_the_hosts_memory_stands_apart():
    """In a device's total it does not count."""
    found = sb.memory(step, STATE, BATCH)
    offloaded = replace(found, host=_memory.Held(2048, 1024, 0, 512, 0))
    assert offloaded.total == found.total
    lines = str(offloaded).splitlines()
    assert "host memory, for each device    3.5 KiB" in lines
    assert "on the host: arguments          2 KiB" in lines


def test_ways_to_ask():
    """Arrays, static and keyword arguments, None in a tree; and what is lowered or compiled already: the same."""

    def scaled(state, power, x, *, scale):
        return state["w"] @ x**power * scale

    fn = jax.jit(scaled, static_argnums=1)
    state, x = {"none": None, "w": struct((64, 64), "x")}, struct((64,))
    asked = sb.memory(fn, state, 2, x, scale=jnp.float32(2))
    assert [leaf.path for leaf in asked.leaves] == ["state['w']", "x", "scale"]
    lowered = fn.lower(state, 2, x, scale=jnp.float32(2))
    assert sb.memory(lowered) == sb.memory(lowered.compile()) == asked
    key = sb.memory(lambda key: jax.random.normal(key, (8,)), jax.random.key(0))
    assert (str(key.leaves[0].layout), key.device.arguments) == ("key<fry>[]", 8)
    assert sb.memory(lambda: jnp.ones(4)).leaves == ()
    nibbles = sb.memory(jnp.sin, struct((16,), dtype="bfloat16")), sb.memory(lambda a: a, struct((16,), dtype="int4"))
    assert [found.device.arguments for found in nibbles] == [32, 8]


def test_ordered_effects_pass_no_argument():
    """JAX gives the program a token besides, which has no name."""

    def fn(a, b):
        jax.debug.print("{}", a[0], ordered=True)
        return a, b + 1

    found = sb.memory(fn, jnp.ones(8), jnp.ones(4))
    assert [leaf.path for leaf in found.leaves] == ["a", "b"]
    assert found.device.arguments == 12 * F32


def test_names_are_of_the_entrys_parameters():
    """Whatever computations stand around it; without names, the place of each."""
    paths = [path for path, _ in jax.tree_util.tree_flatten_with_path((([1.0], 2.0), {}))[0]]
    inner = '%f {\n  %p = f32[] parameter(0), metadata={op_name="inner"}\n}\n'
    first, second = (f"  %p.{at} = f32[]{{:T(128)S(5)}} parameter({at})" for at in range(2))
    entry = f'ENTRY %m {{\n{second}, metadata={{op_name="b"}}\n{first}, metadata={{op_name="a[0]"}}\n}}\n'
    assert list(_memory._argument_names(inner + entry + inner, paths).values()) == ["a", "b"]
    assert _memory._argument_names(entry.replace("op_name", "other"), paths) == {}
    assert _memory._argument_names("", paths) == {}


def test_nothing_runs():
    """An argument of 4 TiB, and a callback."""
    ran = []

    def fn(a):
        jax.debug.callback(lambda: ran.append(1))
        return a.sum(1)

    assert sb.memory(fn, struct((2**20, 2**20), None, "y")).device.arguments == 2**40
    assert not ran


def test_one_compilation(monkeypatch):
    """However it is asked."""
    compiled = []
    compile_ = jax.stages.Lowered.compile
    monkeypatch.setattr(
        jax.stages.Lowered, "compile", lambda *args, **options: compiled.append(1) or compile_(*args, **options)
    )
    sb.memory(step, STATE, BATCH)
    assert len(compiled) == 1
    done = jax.jit(step).lower(STATE, BATCH).compile()
    sb.memory(done)
    sb.collectives(done)
    assert len(compiled) == 2


def test_what_the_compiler_prints_is_printed(monkeypatch, capfd):
    """The GPU's says there that arguments are too large."""
    compile_ = jax.stages.Lowered.compile
    line = "E1122 16:04:47.7 5937 gpu_hlo_schedule.cc:1076] The byte size of input/output arguments exceeds the limit\n"
    monkeypatch.setattr(
        jax.stages.Lowered,
        "compile",
        lambda *args, **options: os.write(2, line.encode()) and compile_(*args, **options),
    )
    sb.memory(step, STATE, BATCH)
    assert capfd.readouterr().err == line


def test_what_is_refused(monkeypatch):
    """An abstract mesh, arguments for what has its own, a language that is none, a compiler that tells nothing."""
    abstract = NamedSharding(AbstractMesh((2, 4), ("x", "y")), P("x"))
    if jax.__version_info__ >= (0, 7):  # the oldest has another signature
        with pytest.raises(ValueError, match=r"abstract mesh, and compiling needs devices: .*'jax_num_cpu_devices', 8"):
            sb.memory(step, {"w": jax.ShapeDtypeStruct((8,), "float32", sharding=abstract)}, BATCH)
    compiled = jax.jit(step).lower(STATE, BATCH).compile()
    with pytest.raises(TypeError, match="Compiled has its arguments already: give it alone"):
        sb.memory(compiled, STATE, BATCH)
    with pytest.raises(ValueError, match="language must be one of"):
        sb.memory(step, STATE, BATCH, language="fr")
    for nothing in (None, SimpleNamespace(argument_size_in_bytes=3)):
        monkeypatch.setattr(jax.stages.Compiled, "memory_analysis", lambda _self, nothing=nothing: nothing)
        with pytest.raises(
            NotImplementedError, match=r"says nothing of memory for what it has compiled for cpu: .*gives "
        ):
            sb.memory(compiled)


# What is shown


def layers(count, alike=True):
    return [{"w": struct((64, 64 if alike else 64 + 4 * at), "y"), "b": struct((64,))} for at in range(count)]


def forward(params, moments, x):
    return jax.tree.map(lambda p, m: p + m * x.sum(), params, moments)


def test_hundreds_of_arrays_at_a_glance():
    """Those of one type and layout are one row, with what their paths have in common."""
    found = sb.memory(forward, layers(50), layers(50), jnp.float32(1))
    assert len(found.leaves) == 201
    lines = str(found).splitlines()
    table = lines[lines.index("") + 1 :]
    assert [re.split(" {2,}", line) for line in table[1:4]] == [
        ["400 KiB", "100", "float32[64@y, 64]", "params…['w'], moments…['w']"],
        ["25 KiB", "100", "float32[64]", "params…['b'], moments…['b']"],
        ["4 B", "1", "float32[]", "x"],
    ]
    assert len(lines) <= 14


def test_the_rest_is_one_row():
    """Twelve kinds are enough to see; what the others take is summed."""
    found = sb.memory(forward, layers(15, alike=False), layers(15, alike=False), jnp.float32(1))
    (last,) = [line for line in str(found).splitlines() if "kinds more" in line]
    # Of 15 kinds of w the three smallest, all b and x.
    rest = sum(2 * 16 * (64 + 4 * at) * F32 for at in range(3)) + 30 * 64 * F32 + F32
    size, count, more = re.split(" {2,}", last)[:3]
    assert (size, count, more) == (f"{rest // 1024} KiB", str(6 + 30 + 1), "and 5 kinds more")
    assert len(re.findall(r"^[\d.]+ \w+ +\d+  ", str(found), re.MULTILINE)) == 12 + 1


def test_what_takes_most_together_is_first():
    """Many small arrays before one that is larger than each."""
    found = sb.memory(forward, layers(50), layers(50), struct((256, 64), "y"))
    assert found.leaves[0].path == "x"
    assert re.findall(r"^[\d.]+ \w+ +(\d+)  ", str(found), re.MULTILINE) == ["100", "100", "1"]


def test_plain_text():
    """The sums first, then a row for each kind."""
    assert (
        str(sb.memory(jax.jit(lambda state: jax.tree.map(lambda a: 2 * a, state), donate_argnums=0), STATE))
        == """\
<lambda>
each device holds               67.02 KiB
arguments                       67 KiB
outputs                         67.02 KiB
in donated memory               − 67 KiB
temporaries                     0 B
arguments that others hold too  3 KiB (4%)

per device  arrays  type                   argument
64 KiB      1       float32[512@x, 256@y]  state['kernel']
2 KiB       1       float32[64@y, 32]      state['rows']
1 KiB       1       float32[256]           state['bias']
This is XLA for CPU: other compilers need other temporaries."""
    )


def test_lines_are_no_wider_than_asked():
    """Whatever there is to say, in either language."""
    found = sb.memory(step, STATE | {"k" * 40: struct((8,))}, BATCH, {"n" * 70: BATCH})
    found = replace(
        found,
        name="f" * 130,
        platform="gpu",
        chip="H100",
        capacity=80 * 2**30,
        peak=5,
        host=_memory.Held(9, 9, 9, 9, 9),
        device=_memory.Held(70 * 2**30, 1, 1, 1, 1),
    )
    for language in ("en", "zh"):
        for width in (30, 50, 80, 120):
            lines = sb.show(found, language=language).text(width)
            assert max(line.cell_len for line in lines) <= width


def test_html():
    """Sums and a table that can be reached by keyboard; what comes from the program is escaped."""
    found = sb.memory(lambda s, x, _: step(s, x), {"<b>&": STATE["bias"]}, BATCH, {"<i>": BATCH})
    tree = parsed(found)
    assert tree.xpath("//figcaption/text()") == ["<lambda>"]
    assert "args[2]['<i>']" in "".join(tree.itertext())
    assert tree.xpath("//dt/text()")[:2] == ["each device holds", "arguments"]
    assert [cell.text for cell in tree.xpath("//tbody/tr/td")][:4] == ["1 KiB", "1", "float32[256]", "s['<b>&']"]
    assert tree.xpath("//*[@role='group']/@tabindex") == ["0"]
    assert not tree.xpath("//script | //@id | //@href | //@src | //b | //i")
    assert "<table" not in sb.memory(lambda: jnp.ones(4)).html()
    assert len(sb.memory(forward, layers(50), layers(50), jnp.float32(1)).html().encode()) < 12 * 1024


def test_chinese():
    """Asked for, or shown so; only names stay in Latin letters."""
    found = sb.memory(step, STATE, BATCH, {"log": BATCH}, language="zh")
    full = replace(
        found, platform="gpu", chip="H100", capacity=80 * 2**30, peak=5, device=_memory.Held(81 * 2**30, 1, 1, 1, 1)
    )
    html = re.sub(r"<style>.*?</style>", "", full.html())
    said = " ".join([*re.findall(r'aria-label="([^"]*)"', html), re.sub("<[^>]*>", " ", html)])
    names = {"step", "state", "kernel", "rows", "bias", "batch", "float", "args", "keep", "unused", "True"}
    assert set(re.findall("[A-Za-z]{4,}", said)) <= names
    assert "每个设备占用" in str(found)
    assert sb.show(found, language="en").plain() == sb.memory(step, STATE, BATCH, {"log": BATCH}).plain()
