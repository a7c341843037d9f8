"""Functions whose communication is known, and their bytes by hand."""

import os
import re
import subprocess
import sys
import threading
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax
from jax.sharding import AbstractMesh, AxisType, Mesh, NamedSharding
from jax.sharding import PartitionSpec as P
from test_show import parsed

import shardbook as sb
from shardbook import _xla_warnings
from shardbook._hlo import Module
from shardbook._stderr import stderr_kept

pytestmark = pytest.mark.skipif(not hasattr(jax, "shard_map"), reason="the names of today's JAX")


def grid(*sizes, types=AxisType.Auto, order=None):
    """A mesh of the first devices, with axes x, y, z."""
    devices = np.array(jax.devices()[: np.prod(sizes)])
    devices = devices if order is None else devices[list(order)]
    return Mesh(devices.reshape(sizes), ("x", "y", "z")[: len(sizes)], axis_types=(types,) * len(sizes))


MESH = grid(2, 4)


def struct(shape, *spec, mesh=MESH, dtype="float32"):
    return jax.ShapeDtypeStruct(shape, dtype, sharding=NamedSharding(mesh, P(*spec)))


def mapped(fn, mesh=MESH, **options):
    """``fn`` on blocks of 16 × 16: of an array of 32 × 64 split over x and y."""
    return jax.shard_map(fn, mesh=mesh, in_specs=P("x", "y"), out_specs=P("x", "y"), check_vma=False, **options)


X = struct((32, 64), "x", "y")
BLOCK = 16 * 16 * 4


RING = [(at, (at + 1) % 4) for at in range(4)]


@pytest.mark.parametrize(
    ("fn", "operation", "axes", "result", "received"),
    [
        (lambda a: lax.psum(a, "x"), "all-reduce", ("x",), (16, 16), 2 * BLOCK * 1 // 2),
        (lambda a: lax.psum(a, "y"), "all-reduce", ("y",), (16, 16), 2 * BLOCK * 3 // 4),
        (lambda a: lax.pmax(a, ("x", "y")), "all-reduce", ("x", "y"), (16, 16), 2 * BLOCK * 7 // 8),
        (lambda a: lax.all_gather(a, "y", tiled=True), "all-gather", ("y",), (64, 16), 3 * BLOCK),
        (lambda a: lax.all_gather(a, ("y", "x"), tiled=True), "all-gather", ("x", "y"), (128, 16), 7 * BLOCK),
        (lambda a: lax.psum_scatter(a, "y", tiled=True), "reduce-scatter", ("y",), (4, 16), BLOCK * 3 // 4),
        (lambda a: lax.ppermute(a, "y", RING), "collective-permute", ("y",), (16, 16), BLOCK),
    ],
)
def test_named_collectives(fn, operation, axes, result, received):
    """What is asked for by name is what is found, once, with its bytes."""
    (found,) = sb.collectives(mapped(fn), X)
    assert (found.operation, found.axes, found.results[0].shape) == (operation, axes, result)
    assert (found.bytes_per_device, found.times, found.at_most) == (received, 1, False)
    assert found.operands[0] == ("float32", (16, 16), 32)
    assert found.source.file == __file__


def test_all_to_all():
    """Each device keeps a quarter of its block and receives three."""
    (found,) = sb.collectives(mapped(lambda a: lax.all_to_all(a, "y", 0, 1, tiled=True)), X)
    assert (found.operation, found.axes, found.bytes_per_device) == ("all-to-all", ("y",), BLOCK * 3 // 4)
    assert sum(buffer.bytes for buffer in found.operands) == BLOCK


def test_a_permutation_that_moves_nothing_costs_nothing():
    """Every device to itself."""
    stay = [(at, at) for at in range(4)]
    assert sb.collectives(mapped(lambda a: lax.ppermute(a, "y", stay)), X).bytes_per_device == 0


def test_groups_within_an_axis():
    """Pairs along an axis of four are no whole axis, and the table says so."""
    found = sb.collectives(mapped(lambda a: lax.psum(a, "y", axis_index_groups=[[0, 1], [2, 3]])), X)
    (one,) = found
    assert (one.axes, one.groups) == (None, ((0, 1), (2, 3), (4, 5), (6, 7)))
    assert "part of y" in str(found)


def multiply(a, b):
    return a @ b


@pytest.mark.parametrize(
    ("left", "right", "out", "expected"),
    [
        # The scaling book's four cases. No contracting dimension is split: nothing moves.
        (("x",), (None, "y"), None, []),
        # One is: the other matrix is cut, or this one gathered, 3 blocks of 16 × 8 floats from others.
        ((None, "y"), (), None, [("all-gather", ("y",), 3 * 16 * 8 * 4)]),
        ((), ("y",), None, [("all-gather", ("y",), 3 * 8 * 64 * 4)]),
        # Both are, alike: partial products of 16 × 64 floats are added.
        ((None, "y"), ("y",), None, [("all-reduce", ("y",), 2 * 16 * 64 * 4 * 3 // 4)]),
        (("x", "y"), ("y",), ("x",), [("all-reduce", ("y",), 2 * 8 * 64 * 4 * 3 // 4)]),
        # Rows and columns over one axis cannot both stay.
        (("x", "y"), (None, "y"), ("x", "y"), [("all-gather", ("y",), 3 * 8 * 8 * 4)]),
        # The full grid: gather one side, add over the other.
        (
            ("x", "y"),
            ("y", "x"),
            None,
            [("all-gather", ("x",), 8 * 8 * 4), ("all-reduce", ("y",), 2 * 16 * 32 * 4 * 3 // 4)],
        ),
    ],
)
def test_matrix_products(left, right, out, expected):
    """16 × 32 by 32 × 64, in each way of splitting them."""
    fn = jax.jit(multiply, out_shardings=None if out is None else NamedSharding(MESH, P(*out)))
    found = sb.collectives(fn, struct((16, 32), *left), struct((32, 64), *right))
    assert [(one.operation, one.axes, one.bytes_per_device) for one in found] == expected
    assert all(one.source.function == "multiply" for one in found)
    assert found.name == "multiply"


def test_loops_count():
    """Five turns in three, and one besides: sixteen."""

    def fn(x):
        def outer(carry, _):
            return lax.scan(lambda c, _: (lax.psum(c, "y") / 4, None), carry, None, length=5)[0], None

        return lax.psum(lax.scan(outer, x, None, length=3)[0], "x")

    found = sb.collectives(mapped(fn), X)
    assert sorted((one.times, one.axes) for one in found) == [(1, ("x",)), (15, ("y",))]
    assert found.bytes_per_device == 15 * BLOCK * 3 // 2 + BLOCK


def test_a_loop_of_unknown_length():
    """How often is then unknown, and so is the sum; the condition is asked once more than the body runs."""
    found = sb.collectives(
        mapped(
            lambda x: lax.while_loop(lambda c: lax.psum(c, ("x", "y")).sum() < 9, lambda c: lax.psum(c, "y") + 1, x)
        ),
        X,
    )
    assert {one.times for one in found} == {None}
    assert found.bytes_per_device is None
    assert (found.bytes_once, found.bytes_per_turn) == (BLOCK * 7 // 4, BLOCK * 7 // 4 + BLOCK * 3 // 2)
    assert "each device receives  1.75 KiB once + 3.25 KiB per turn" in str(found)
    assert "Per turn: of each loop" in str(found)


def test_branches():
    """A branch may not be taken."""
    fn = jax.shard_map(
        lambda p, a: lax.cond(p, lambda a: lax.psum(a, "y") * 1.0, lambda a: a, a),
        mesh=MESH,
        in_specs=(P(), P("x", "y")),
        out_specs=P("x", "y"),
        check_vma=False,
    )
    found = sb.collectives(fn, struct((), dtype="bool"), X)
    assert [(one.times, one.at_most) for one in found] == [(1, True)]
    assert "≤ 1" in str(found)
    assert found.at_most
    assert "each device receives  ≤ 1.5 KiB" in str(found)


def test_of_several_branches_the_costliest_counts():
    """One of three is taken; what stands outside is always done; a branch in a branch counts with its own."""

    def fn(i, a):
        def inner(b):
            return lax.cond(i > 7, lambda c: lax.psum(c, "y"), lambda c: lax.psum(c, "x"), lax.psum(b, "x"))

        cheap, dear = (lambda b: lax.psum(b * 2, "x")), (lambda b: lax.psum(b * 3, ("x", "y")))
        return lax.psum(jnp.sin(lax.switch(i, [cheap, dear, inner], a)), "y")

    mesh_wide = jax.shard_map(fn, mesh=MESH, in_specs=(P(), P("x", "y")), out_specs=P("x", "y"), check_vma=False)
    found = sb.collectives(mesh_wide, struct((), dtype="int32"), X)
    over_x, over_y, over_both = BLOCK, BLOCK * 3 // 2, BLOCK * 7 // 4
    assert found.bytes_per_device == over_y + max(over_x, over_both, over_x + max(over_y, over_x))
    assert sorted(len(one.branch) for one in found) == [0, 1, 1, 1, 2, 2]


def test_an_inner_function_that_occurs_twice():
    """As two relus do, which JAX traces once."""
    found = sb.collectives(lambda a: jax.nn.relu(jax.nn.relu(a) - 1).sum(1), struct((16, 32), None, "y"))
    assert [one.axes for one in found] == [("y",)]


def test_a_mesh_that_stands_in_the_function_alone():
    """Neither arguments nor results tell of it."""
    fn = jax.shard_map(lambda: lax.psum(jnp.ones(4), "y"), mesh=MESH, in_specs=(), out_specs=P(), check_vma=False)
    lowered = jax.jit(lambda: fn() * 2).lower()
    assert sb.collectives(lowered).mesh == {"x": 2, "y": 4}


@pytest.mark.parametrize(("dtype", "carried"), [("bfloat16", "float32"), ("float16", "float16")])
def test_bytes_that_only_the_cpu_moves(dtype, carried):
    """XLA for CPU carries bfloat16 as float32, and the table says so; float16 it leaves as it is."""
    found = sb.collectives(mapped(lambda a: lax.psum(a, "y")), struct((32, 64), "x", "y", dtype=dtype))
    (one,) = found
    assert one.operands[0].dtype == carried
    assert one.widened == ("" if carried == dtype else dtype)
    assert (f"float32[16, 16] ({dtype})" in str(found)) == bool(one.widened)
    assert (f"carries {dtype} as float32" in str(found)) == bool(one.widened)
    assert (f"float32[16, 16]（{dtype}）" in str(sb.show(found, language="zh"))) == bool(one.widened)


def test_values_that_the_user_widened_are_the_user_s():
    """A sum in float32 of bfloat16 values was asked for."""
    fn = mapped(lambda a: lax.psum(a.astype("float32"), "y").astype("bfloat16"))
    (one,) = sb.collectives(fn, struct((32, 64), "x", "y", dtype="bfloat16"))
    assert (one.operands[0].dtype, one.widened) == ("float32", "")


def test_what_is_compiled_takes_no_arguments():
    """It has them already."""
    lowered = jax.jit(jnp.sin).lower(1.0)
    assert sb.collectives(lowered.compile()).name == "sin"
    for stage in (lowered, lowered.compile()):
        with pytest.raises(TypeError, match="has its arguments already"):
            sb.collectives(stage, 1.0)


def test_the_line_is_the_user_s_and_no_library_s():
    """Not that of numpy's wrapper, nor ours, where JAX's own function is given."""
    (one,) = sb.collectives(jnp.matmul, struct((16, 32), None, "y"), struct((32, 64), "y"))
    assert one.source.file == __file__


def loss(w, x):
    def layer(h, w):
        return jnp.tanh(h @ w), None

    return lax.scan(layer, x, w)[0].sum()


def test_gradients_say_their_line():
    """The line is that of the forward code, found through grad and scan, and the loop of six layers counts."""
    found = sb.collectives(jax.grad(loss), struct((6, 8, 8), None, "y"), struct((16, 8), "x", "y"))
    first = loss.__code__.co_firstlineno
    assert {one.source.line for one in found} <= {first + 2, first + 4}
    assert (first + 2, 6) in {(one.source.line, one.times) for one in found}


def test_explicit_mode():
    """Shardings in types: a reshard is an all-gather, and an out_sharding makes the sum explicit."""
    mesh = grid(2, 4, types=AxisType.Explicit)
    with jax.set_mesh(mesh):
        (gathered,) = sb.collectives(lambda a: jax.reshard(a, P()), struct((16, 32), "x", mesh=mesh))
        (summed,) = sb.collectives(
            lambda a, b: jnp.einsum("ij,jk->ik", a, b, out_sharding=P("x")),
            struct((16, 32), "x", "y", mesh=mesh),
            struct((32, 64), "y", mesh=mesh),
        )
    assert (gathered.operation, gathered.axes, gathered.bytes_per_device) == ("all-gather", ("x",), 8 * 32 * 4)
    assert (summed.operation, summed.axes) == ("all-reduce", ("y",))


def test_moves_is_a_bound():
    """Whatever the compiler does to reshard, each device receives at least what moves says."""
    for before, after in [(P("x"), P()), (P("x", "y"), P()), (P("x"), P(None, "x")), (P("x", "y"), P("y", "x"))]:
        x = jax.ShapeDtypeStruct((16, 32), "float32", sharding=NamedSharding(MESH, before))
        found = sb.collectives(jax.jit(lambda a: a, out_shardings=NamedSharding(MESH, after)), x)
        assert found.bytes_per_device >= sb.moves(x, after).bytes_per_device


def test_permuted_devices_and_size_one_axes():
    """Groups are positions in the mesh, whatever devices stand there; an axis of size 1 is never named."""
    for mesh in (grid(2, 4, order=[3, 1, 2, 0, 7, 6, 5, 4]), grid(2, 1, 4)):
        last = mesh.axis_names[-1]
        (found,) = sb.collectives(
            mapped(lambda a, last=last: lax.psum(a, last), mesh), struct((32, 64), "x", "y", mesh=mesh)
        )
        assert (found.axes, found.groups) == ((last,), ((0, 1, 2, 3), (4, 5, 6, 7)))


def test_ways_to_ask():
    """jitted or not, with static and keyword arguments, in_shardings, arrays, pytrees, and a partial."""
    sharding = NamedSharding(MESH, P(None, "y"))
    total = jax.jit(lambda tree, *, axis: tree["a"].sum(axis), static_argnames="axis")
    (found,) = sb.collectives(total, {"a": struct((16, 32), None, "y")}, axis=1)
    assert (found.axes, found.operands[0].shape) == (("y",), (16,))
    bare = jax.jit(lambda a: a.sum(1), in_shardings=sharding)
    assert [one.axes for one in sb.collectives(bare, jax.ShapeDtypeStruct((16, 32), "float32"))] == [("y",)]
    x = jax.device_put(jnp.ones((16, 32)), sharding)
    assert [one.axes for one in sb.collectives(lambda a: a.sum(1), x)] == [("y",)]
    assert not sb.collectives(jnp.sin, 1.0).operations
    constant = sb.collectives(lambda: lax.with_sharding_constraint(jnp.ones((16, 32)), sharding))
    assert (constant.operations, constant.mesh) == ((), {"x": 2, "y": 4})


def test_nothing_runs():
    """Neither the function's callbacks nor an allocation of 4 TiB."""
    ran = []

    def fn(a):
        jax.debug.callback(lambda: ran.append(1))
        return a.sum(1)

    assert len(sb.collectives(fn, struct((2**20, 2**20), None, "y"))) == 1
    assert not ran


def test_abstract_meshes_are_refused():
    """Compiling needs devices; the message says how to get them."""
    sharding = NamedSharding(AbstractMesh((2, 4), ("x", "y")), P("x"))
    with pytest.raises(ValueError, match=r"abstract mesh, and compiling needs devices: .*'jax_num_cpu_devices', 8"):
        sb.collectives(lambda a: a, {"w": jax.ShapeDtypeStruct((8,), "float32", sharding=sharding)})
    large = NamedSharding(AbstractMesh((64, 64), ("x", "y")), P("x"))
    with pytest.raises(ValueError, match="at most 2048 of the 4096: make the axes smaller"):
        sb.collectives(lambda a: a, jax.ShapeDtypeStruct((64,), "float32", sharding=large))


# Warnings


def involuntary(x):
    x = lax.with_sharding_constraint(x * 2, NamedSharding(CUBE, P(("x", "y", "z"))))
    return lax.with_sharding_constraint(x + 1, NamedSharding(CUBE, P(None, ("y", "x"), "z")))


CUBE = grid(2, 2, 2)
SPLIT = struct((8, 8, 8), ("x", "y", "z"), mesh=CUBE)


def test_full_rematerialization_is_data(capfd):
    """Each time it is asked, though JAX has compiled it before, and nothing reaches stderr."""
    for _ in range(2):
        found = sb.collectives(jax.jit(involuntary), SPLIT)
        (warning,) = found.warnings
        assert warning.before.startswith("{mesh['x'=2,'y'=2,'z'=2], [{'x', 'y', 'z'}")
        assert warning.after.endswith("[{}, {'y', 'x'}, {'z'}]}")
        assert warning.operation.startswith("%sharding_constraint")
        assert warning.source == (__file__, involuntary.__code__.co_firstlineno + 1, "involuntary")
        assert "Involuntary full rematerialization" in warning.message
    assert "XLA warns at test_collectives.py:" in str(found)
    assert "involuntary full rematerialization" in found.html("zh")
    assert capfd.readouterr().err == ""


def test_the_cache_on_disk_hides_nothing(tmp_path):
    """A program that was cached warns all the same, and none is added to the cache."""
    code = f"""
import jax, sys
jax.config.update("jax_platforms", "cpu")
jax.config.update("jax_num_cpu_devices", 64)
for name, value in (("jax_compilation_cache_dir", {str(tmp_path)!r}), ("jax_persistent_cache_min_compile_time_secs", 0.0),
                    ("jax_persistent_cache_min_entry_size_bytes", 0)):
    jax.config.update(name, value)
sys.path[:0] = {[str(Path(__file__).parent), str(Path(__file__).parent / "support")]!r}
import os, test_collectives as t, shardbook as sb
jax.jit(t.involuntary).lower(t.SPLIT).compile()
before = os.listdir({str(tmp_path)!r})
print(len(before) > 0, len(sb.collectives(t.involuntary, t.SPLIT).warnings), os.listdir({str(tmp_path)!r}) == before,
      jax.config.jax_persistent_cache_min_compile_time_secs)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=False)
    assert done.stdout == "True 1 True 0.0\n", done.stderr


def test_stderr_is_put_back(capfd):
    """After an error too; what is kept is what was written below Python and in it."""
    kept = []

    def fail():
        with stderr_kept() as kept_here:
            os.write(2, b"below\n")
            kept.append(kept_here)
            raise KeyError

    with pytest.raises(KeyError):
        fail()
    os.write(2, b"after\n")
    assert kept == [["below\n"]]
    assert capfd.readouterr().err.endswith("after\n")


def test_two_threads_do_not_swap_stderr(capfd):
    """One keeps at a time, so that the last one puts back the real one."""

    def keep():
        for _ in range(50):
            with stderr_kept():
                os.write(2, b"kept\n")

    threads = [threading.Thread(target=keep) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=30)
    os.write(2, b"after\n")
    assert capfd.readouterr().err == "after\n"


def test_a_failed_compilation_keeps_its_messages(capfd, monkeypatch):
    """What XLA printed before it gave up is printed after all, and stderr is put back."""

    def fail(_self, **_options):
        os.write(2, b"W1121 03:44:02.2 26002 a.cc:6] why\n")
        raise RuntimeError("no")

    monkeypatch.setattr(jax.stages.Lowered, "compile", fail)
    with pytest.raises(RuntimeError, match="no"):
        sb.collectives(jnp.sin, 1.0)
    os.write(2, b"after\n")
    assert capfd.readouterr().err == "W1121 03:44:02.2 26002 a.cc:6] why\nafter\n"
    assert jax.config.jax_persistent_cache_min_compile_time_secs < 1e6


def test_other_messages_are_left_for_stderr():
    """What is no such warning is printed after all."""
    text = "W1121 03:44:02.2 26002 a.cc:6] first\n  goes on\nW1121 03:44:02.3 26002 b.cc:7] [SPMD] Involuntary full rematerialization. x\n"
    warnings, rest = _xla_warnings.split_log("stray\n" + text)
    assert (len(warnings), rest) == (1, "stray\nW1121 03:44:02.2 26002 a.cc:6] first\n  goes on\n")


def test_the_old_wording_is_understood():
    """XLA of 2025."""
    text = (
        "E0421 10:00:00.0 1 spmd_partitioner.cc:613] [spmd] Involuntary full rematerialization. The compiler was not able "
        "to go from sharding {devices=[8,1]<=[8]} to {devices=[1,4,2]<=[8] last_tile_dim_replicate} without doing a full "
        'rematerialization of the tensor for HLO operation: %add.1 = f32[8,8]{1,0} add(%a, %b), metadata={op_name="jit(f)/add" '
        'source_file="/u/f.py" source_line=12}. You probably want to enrich the sharding annotations to prevent this from '
        "happening.\n"
    )
    found = _xla_warnings.read_warning(text, Module(""))
    assert (found.before, found.after) == ("{devices=[8,1]<=[8]}", "{devices=[1,4,2]<=[8] last_tile_dim_replicate}")
    assert str(found.source) == "f.py:12"
    assert found.operation.endswith("source_line=12}")


# What is shown


def test_plain_text():
    """A table, and the sums."""
    text = str(sb.collectives(mapped(lambda a: lax.psum(lax.all_gather(a, "y", tiled=True), "x")[:16]), X))
    assert (
        re.sub(r"…\S+:\d+", "LINE", text)
        == """\
<lambda>
operation   along  on each device              receives  times  line
all-reduce  x      float32[64, 16]             4 KiB     1      LINE
all-gather  y      float32[16, 16] → [64, 16]  3 KiB     1      LINE
mesh                  x=2, y=4
each device receives  7 KiB"""
    )


def test_html():
    """A table that can be reached by keyboard, no script, no request, no id, and at most 12 KB."""
    found = sb.collectives(mapped(lambda a: lax.psum(a, "y")), X)
    tree = parsed(found)
    assert [cell.text for cell in tree.xpath("//tbody/tr/td")][:5] == [
        "all-reduce",
        "y",
        "float32[16, 16]",
        "1.5 KiB",
        "1",
    ]
    assert tree.xpath("//*[@role='group']/@tabindex") == ["0"]
    assert not tree.xpath("//script | //@id | //@href | //@src")
    assert len(found.html().encode()) < 12 * 1024


def test_chinese():
    """show sets the language; only names stay in Latin letters."""
    found = sb.show(sb.collectives(mapped(lambda a: lax.psum(a, "y")), X), language="zh")
    html = re.sub(r"<style>.*?</style>", "", found.html())
    said = " ".join([*re.findall(r'aria-label="([^"]*)"', html), re.sub("<[^>]*>", " ", html)])
    assert set(re.findall("[A-Za-z]{4,}", said)) <= {"lambda", "reduce", "float", "test", "collectives"}
    assert "每个设备共接收" in str(found)
    chinese = sb.show(sb.collectives(jnp.sin, 1.0), language="zh")
    assert (chinese.language, sb.show(chinese).language, sb.show(chinese, language="en").language) == ("zh", "zh", "en")
    with pytest.raises(ValueError, match="language must be one of"):
        sb.show(chinese, language="fr")
