"""Programs whose communication is known by arithmetic, on a mesh of x = 2 by y = 4 devices.

Each is a function of a mesh that returns what to compile and its arguments. What the decorator says is worked out by
hand from shapes and from what the operation is, never read off a compiler. Where a compiler does something else that is
right too, ``because`` says why, and that is worked out as well.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jax import lax
from jax.sharding import NamedSharding
from jax.sharding import PartitionSpec as P

SIZES = {"x": 2, "y": 4}
COMPILERS = ("cpu", "h100", "v5e")
F32, BF16 = 4, 2


class Communication(NamedTuple):
    """What one operation does; ``bytes`` is what a device receives each time."""

    operation: str
    axes: str | None
    bytes: float
    times: int | None = 1
    at_most: bool = False


@dataclass(frozen=True)
class Program:
    """A program, and what it must communicate on each compiler."""

    name: str
    make: Callable[[Any], tuple[Any, tuple[Any, ...]]]
    expected: dict[str, list[Communication]]
    because: str = ""
    slices: int = 1
    order: tuple[int, ...] = ()
    options: dict[str, Any] = field(default_factory=dict)
    axes: dict[str, int] = field(default_factory=SIZES.copy)
    explicit: bool = False


PROGRAMS: dict[str, Program] = {}


def program(*expected, because="", slices=1, order=(), options=(), axes=None, explicit=False, only=COMPILERS, **others):
    """Register a program.

    ``others`` are the compilers that do something else, ``only`` those that can compile it, ``options`` XLA's own.
    """
    assert bool(others) <= bool(because), "say why a compiler differs"

    def register(make):
        known = {name: list(others.get(name, expected)) for name in only}
        assert make.__name__ not in PROGRAMS
        PROGRAMS[make.__name__] = Program(
            make.__name__, make, known, because, slices, order, dict(options), axes or SIZES, explicit
        )
        return make

    return register


def members(axes):
    return math.prod(SIZES[axis] for axis in axes)


def all_reduce(axes, given, times=1, at_most=False):
    n = members(axes)
    return Communication("all-reduce", axes, 2 * given * (n - 1) / n, times, at_most)


def reduce_scatter(axes, given, times=1, at_most=False):
    n = members(axes)
    return Communication("reduce-scatter", axes, given * (n - 1) / n, times, at_most)


def all_gather(axes, given, times=1, at_most=False):
    return Communication("all-gather", axes, given * (members(axes) - 1), times, at_most)


def all_to_all(axes, given, times=1, at_most=False):
    n = members(axes)
    return Communication("all-to-all", axes, given * (n - 1) / n, times, at_most)


def permute(axes, given, times=1, at_most=False):
    return Communication("collective-permute", axes, given, times, at_most)


def struct(mesh, shape, *spec, dtype="float32"):
    return jax.ShapeDtypeStruct(shape, dtype, sharding=NamedSharding(mesh, P(*spec)))


def mapped(fn, mesh, *in_specs, out=("x", "y")):
    return jax.shard_map(
        fn, mesh=mesh, in_specs=tuple(P(*spec) for spec in in_specs), out_specs=P(*out), check_vma=False
    )


def whole(mesh, dtype="float32"):
    """1024 × 512 values split over both axes: each device has a block of 512 × 128."""
    return struct(mesh, (1024, 512), "x", "y", dtype=dtype)


def on_blocks(fn, mesh, dtype="float32"):
    return mapped(fn, mesh, ("x", "y")), (whole(mesh, dtype),)


BLOCK = 512 * 128 * F32
RING = [(at, (at + 1) % 4) for at in range(4)]

# By name: one operation of jax.lax each


@program(all_reduce("x", BLOCK))
def psum_x(mesh):
    return on_blocks(lambda a: lax.psum(a, "x"), mesh)


@program(all_reduce("y", BLOCK))
def psum_y(mesh):
    return on_blocks(lambda a: lax.psum(a, "y"), mesh)


@program(all_reduce("xy", BLOCK))
def psum_both(mesh):
    return on_blocks(lambda a: lax.psum(a, ("x", "y")), mesh)


@program(all_reduce("y", BLOCK))
def pmax_y(mesh):
    return on_blocks(lambda a: lax.pmax(a, "y"), mesh)


@program(all_reduce("y", 512 * 128 * 4))
def psum_of_integers(mesh):
    return on_blocks(lambda a: lax.psum(a, "y"), mesh, "int32")


@program(
    all_reduce("y", 512 * 128 * BF16),
    cpu=[all_reduce("y", 512 * 128 * F32)],
    because="XLA for CPU adds bfloat16 as float32",
)
def psum_of_bfloat16(mesh):
    return on_blocks(lambda a: lax.psum(a, "y"), mesh, "bfloat16")


@program(all_reduce("y", BLOCK + 512 * F32 + F32))
def psum_of_a_tree(mesh):
    def fn(a):
        return sum(jnp.sum(b) for b in lax.psum((a, a[:, 0] * 2, a[0, 0]), "y")) + a

    return on_blocks(fn, mesh)


@program(all_gather("y", BLOCK))
def gather_y(mesh):
    return mapped(lambda a: lax.all_gather(a, "y", tiled=True), mesh, ("x", "y")), (whole(mesh),)


@program(all_gather("x", BLOCK))
def gather_x_stacked(mesh):
    return mapped(lambda a: lax.all_gather(a, "x"), mesh, ("x", "y"), out=(None, "x", "y")), (whole(mesh),)


@program(all_gather("xy", BLOCK))
def gather_both(mesh):
    return mapped(lambda a: lax.all_gather(a, ("x", "y"), tiled=True), mesh, ("x", "y")), (whole(mesh),)


@program(
    all_gather("y", 512 * 128 * BF16),
    cpu=[all_gather("y", 512 * 128 * F32)],
    because="XLA for CPU carries bfloat16 as float32",
)
def gather_of_bfloat16(mesh):
    return mapped(lambda a: lax.all_gather(a, "y", tiled=True), mesh, ("x", "y")), (whole(mesh, "bfloat16"),)


@program(reduce_scatter("y", BLOCK))
def scatter_y(mesh):
    return on_blocks(lambda a: lax.psum_scatter(a, "y", tiled=True), mesh)


@program(reduce_scatter("x", BLOCK))
def scatter_x_columns(mesh):
    return on_blocks(lambda a: lax.psum_scatter(a, "x", scatter_dimension=1, tiled=True), mesh)


@program(reduce_scatter("xy", BLOCK))
def scatter_both(mesh):
    return on_blocks(lambda a: lax.psum_scatter(a, ("x", "y"), tiled=True), mesh)


@program(all_to_all("y", BLOCK))
def exchange_y(mesh):
    return on_blocks(lambda a: lax.all_to_all(a, "y", 0, 1, tiled=True), mesh)


@program(all_to_all("x", BLOCK))
def exchange_x(mesh):
    return on_blocks(lambda a: lax.all_to_all(a, "x", 1, 0, tiled=True), mesh)


@program(permute("y", BLOCK))
def ring_y(mesh):
    return on_blocks(lambda a: lax.ppermute(a, "y", RING), mesh)


@program(permute("x", BLOCK))
def one_pair_x(mesh):
    return on_blocks(lambda a: lax.ppermute(a, "x", [(0, 1)]), mesh)


@program(Communication("all-reduce", None, 2 * BLOCK / 2))
def sum_of_pairs(mesh):
    """Groups of two along an axis of four: no whole axis."""
    return on_blocks(lambda a: lax.psum(a, "y", axis_index_groups=[[0, 1], [2, 3]]), mesh)


@program(all_reduce("y", BLOCK), all_gather("x", BLOCK))
def sum_then_gather(mesh):
    return mapped(lambda a: lax.all_gather(lax.psum(a, "y"), "x", tiled=True), mesh, ("x", "y")), (whole(mesh),)


@program()
def nothing(mesh):
    return on_blocks(lambda a: jnp.sin(a) * lax.axis_index("x"), mesh)


# Loops and branches: how often


def turning(fn, length, **options):
    """``fn`` on a carried block, ``length`` times."""
    return lambda a: lax.scan(lambda c, _: (fn(jnp.sin(c)), None), a, None, length=length, **options)[0]


@program(all_reduce("y", BLOCK, times=7))
def scan_of_7(mesh):
    return on_blocks(turning(lambda c: lax.psum(c, "y"), 7), mesh)


@program(reduce_scatter("y", BLOCK, times=5), all_gather("y", BLOCK // 4, times=5))
def scan_of_scatter_and_gather(mesh):
    def fn(c):
        return lax.all_gather(jnp.cos(lax.psum_scatter(c, "y", tiled=True)), "y", tiled=True)

    return on_blocks(turning(fn, 5), mesh)


@program(all_reduce("y", BLOCK, times=15), all_reduce("x", BLOCK, times=3))
def scan_in_scan(mesh):
    return on_blocks(turning(lambda c: lax.psum(turning(lambda d: lax.psum(d, "y"), 5)(c), "x"), 3), mesh)


@program(permute("y", BLOCK, times=4))
def ring_in_a_loop(mesh):
    return on_blocks(lambda a: lax.fori_loop(0, 4, lambda _, c: lax.ppermute(jnp.sin(c), "y", RING), a), mesh)


@program(all_reduce("y", BLOCK, times=6))
def scan_backwards(mesh):
    def fn(a):
        xs = jnp.arange(6.0)
        return lax.scan(lambda c, x: (lax.psum(c * x, "y"), None), a, xs, reverse=True)[0]

    return on_blocks(fn, mesh)


@program(all_reduce("y", BLOCK, times=7))
def while_in_steps_of_3(mesh):
    """0, 3, … 18: seven turns before 20 is reached."""

    def fn(a):
        def body(state):
            i, c = state
            return i + 3, lax.psum(jnp.sin(c), "y")

        return lax.while_loop(lambda state: state[0] < 20, body, (0, a))[1]

    return on_blocks(fn, mesh)


@program(all_reduce("y", BLOCK, times=9))
def while_counting_down(mesh):
    def fn(a):
        def body(state):
            i, c = state
            return i - 1, lax.psum(jnp.sin(c), "y")

        return lax.while_loop(lambda state: state[0] > 0, body, (9, a))[1]

    return on_blocks(fn, mesh)


@program(all_reduce("y", BLOCK, times=None))
def while_on_data(mesh):
    """How often it turns is known to nobody before it runs."""

    def fn(a):
        return lax.while_loop(lambda c: c[0, 0] < 100.0, lambda c: lax.psum(c, "y") + 1, a)

    return on_blocks(fn, mesh)


@program(all_reduce("y", BLOCK, times=None))
def as_often_as_an_argument_says(mesh):
    fn = mapped(lambda n, a: lax.fori_loop(0, n, lambda _, c: lax.psum(jnp.sin(c), "y"), a), mesh, (), ("x", "y"))
    return fn, (struct(mesh, (), dtype="int32"), whole(mesh))


def choosing(choose, mesh, dtype="bool"):
    return mapped(choose, mesh, (), ("x", "y")), (struct(mesh, (), dtype=dtype), whole(mesh))


@program(all_reduce("y", BLOCK, at_most=True))
def in_one_branch(mesh):
    return choosing(lambda p, a: lax.cond(p, lambda b: lax.psum(b, "y"), lambda b: b * 2, a), mesh)


@program(all_reduce("y", BLOCK, at_most=True), permute("x", BLOCK, at_most=True))
def in_both_branches(mesh):
    def fn(p, a):
        return lax.cond(p, lambda b: lax.psum(b, "y"), lambda b: lax.ppermute(b * 2, "x", [(0, 1), (1, 0)]), a)

    return choosing(fn, mesh)


@program(
    all_reduce("y", BLOCK, at_most=True),
    all_reduce("x", BLOCK, at_most=True),
    all_reduce("xy", BLOCK, at_most=True),
)
def in_three_branches(mesh):
    def fn(i, a):
        return lax.switch(i, [lambda b, axes=axes: lax.psum(jnp.sin(b), axes) for axes in ("y", "x", ("x", "y"))], a)

    return choosing(fn, mesh, "int32")


@program(all_reduce("y", BLOCK, times=6, at_most=True))
def branch_in_a_loop(mesh):
    def fn(p, a):
        def body(c, x):
            return lax.cond(p & (x > 2), lambda b: lax.psum(b, "y"), jnp.sin, c), None

        return lax.scan(body, a, jnp.arange(6))[0]

    return choosing(fn, mesh)


# Automatic: what the partitioner inserts


def constrained(value, mesh, *spec):
    return lax.with_sharding_constraint(value, NamedSharding(mesh, P(*spec)))


def placed(fn, mesh, *out):
    return jax.jit(fn, out_shardings=NamedSharding(mesh, P(*out)))


def multiply(a, b):
    return a @ b


@program()
def product_of_rows_and_columns(mesh):
    return placed(multiply, mesh, "x", "y"), (struct(mesh, (1024, 512), "x"), struct(mesh, (512, 256), None, "y"))


@program(all_reduce("y", 1024 * 256 * F32))
def product_added_up(mesh):
    return placed(multiply, mesh), (struct(mesh, (1024, 512), None, "y"), struct(mesh, (512, 256), "y"))


@program(
    reduce_scatter("y", 512 * 256 * F32),
    cpu=[all_reduce("y", 512 * 256 * F32)],
    because="XLA for CPU has no reduce-scatter of its own: it adds everything up and keeps a part",
)
def product_scattered(mesh):
    return placed(multiply, mesh, "x", "y"), (struct(mesh, (1024, 512), "x", "y"), struct(mesh, (512, 256), "y"))


@program(
    all_gather("x", 256 * 256 * F32),
    v5e=[all_gather("x", 256 * 256 * BF16)],
    because="the TPU multiplies float32 as bfloat16 unless told otherwise, and rounds before it gathers",
)
def product_with_gathered_weights(mesh):
    """Rows over both axes stay; the weights, split over x as well, are gathered."""
    return placed(multiply, mesh, ("x", "y")), (struct(mesh, (8192, 512), ("x", "y")), struct(mesh, (512, 256), "x"))


@program(all_gather("y", 256 * 512 * F32))
def copies_of_rows(mesh):
    return placed(jnp.negative, mesh), (struct(mesh, (1024, 512), "y"),)


@program(all_to_all("y", 256 * 512 * F32))
def rows_to_columns(mesh):
    return placed(jnp.sin, mesh, None, "y"), (struct(mesh, (1024, 512), "y"),)


@program()
def copies_to_rows(mesh):
    return placed(jnp.sin, mesh, "y"), (struct(mesh, (1024, 512)),)


@program(all_reduce("x", 128 * F32))
def sum_of_rows(mesh):
    return placed(lambda a: a.sum(0), mesh, "y"), (whole(mesh),)


@program(
    all_reduce("xy", F32),
    cpu=[all_reduce("y", F32), all_reduce("x", F32)],
    because="XLA for CPU adds along one axis after the other",
)
def mean_of_all(mesh):
    return placed(jnp.mean, mesh), (whole(mesh),)


@program(permute("y", 256 * F32))
def shifted_by_one(mesh):
    """Each device needs the last column of the one before it, and none of its own."""
    fn = placed(lambda a: jnp.concatenate([a[:, -1:], a[:, :-1]], axis=1), mesh, None, "y")
    return fn, (struct(mesh, (256, 512), None, "y"),)


def two_layers(w, x):
    return jnp.tanh(x @ w["up"]) @ w["down"]


def loss(w, x):
    return jnp.sum(two_layers(w, x) ** 2)


WEIGHTS = 2 * 512 * 1024 * F32


@program(all_reduce("xy", WEIGHTS))
def data_parallel_gradient(mesh):
    """Weights on every device, the batch over both axes: the gradients are added."""
    w = {"up": struct(mesh, (512, 1024)), "down": struct(mesh, (1024, 512))}
    return placed(jax.grad(loss), mesh), (w, struct(mesh, (2048, 512), ("x", "y")))


@program(all_reduce("y", 1024 * 512 * F32))
def tensor_parallel_pair(mesh):
    """Columns, then rows: only the second product is added up, 1024 rows of the batch on each device."""
    w = {"up": struct(mesh, (512, 1024), None, "y"), "down": struct(mesh, (1024, 512), "y")}
    return placed(two_layers, mesh, "x"), (w, struct(mesh, (2048, 512), "x"))


@program(
    all_gather("y", 128 * 512 * F32, times=4),
    v5e=[all_gather("y", 128 * 512 * BF16, times=4)],
    because="the TPU multiplies float32 as bfloat16 unless told otherwise, and rounds before it gathers",
)
def gathered_layers_in_a_scan(mesh):
    """Each of four layers' weights, split over y, is gathered when its turn comes; the batch is split over y too."""

    def fn(w, x):
        return lax.scan(lambda c, layer: (jnp.tanh(c @ layer), None), x, w)[0]

    w = struct(mesh, (4, 512, 512), None, "y")
    return placed(fn, mesh, "y"), (w, struct(mesh, (65536, 512), "y"))


@program(all_reduce("x", F32))
def clipped_norm(mesh):
    def fn(a):
        return a * lax.rsqrt(jnp.sum(a * a) + 1e-6)

    return placed(fn, mesh, "x"), (struct(mesh, (1024, 512), "x"),)


@program(all_reduce("y", 256 * 512 * F32))
def rows_of_a_split_table(mesh):
    """Each device looks up what it has of the vocabulary, and the others' rows are zero."""
    fn = placed(lambda table, at: table[at], mesh)
    return fn, (struct(mesh, (4096, 512), "y"), struct(mesh, (256,), dtype="int32"))


@program(all_gather("x", 512 * 512 * F32))
def explicit_copies(mesh):
    explicit = jax.sharding.Mesh(mesh.devices, mesh.axis_names, axis_types=(jax.sharding.AxisType.Explicit,) * 2)
    a = struct(explicit, (1024, 512), "x")
    return jax.jit(lambda a: jax.sharding.reshard(jnp.sin(a), NamedSharding(explicit, P()))), (a,)


# Shapes in which real models come


@program(
    permute("y", 2 * 1024 * 64 * F32, times=4),
    v5e=[permute("y", 1024 * 64 * (BF16 + F32), times=4)],
    because="the TPU multiplies by the keys as bfloat16 and sends them so",
)
def attention_in_a_ring(mesh):
    """Keys and values go round; the fourth step brings them home."""

    def fn(q, k, v):
        def step(state, _):
            k, v, out = state
            out = out + jax.nn.softmax(q @ k.T) @ v
            k, v = lax.ppermute((k, v), "y", RING)
            return (k, v, out), None

        return lax.scan(step, (k, v, q), None, length=4)[0][2]

    spec = ("y",)
    return mapped(fn, mesh, spec, spec, spec, out=spec), (struct(mesh, (4096, 64), "y"),) * 3


@program(
    all_to_all("y", 2 * 512 * 256 * F32, times=3),
    v5e=[all_to_all("y", 512 * 256 * (BF16 + F32), times=3)],
    because="the TPU multiplies the tokens as bfloat16 and sends them so; their products come back as float32",
)
def experts_in_a_scan(mesh):
    """Tokens go to the experts' devices and come back, in each of three layers."""

    def fn(x, w):
        def layer(c, w):
            there = lax.all_to_all(c, "y", 0, 0, tiled=True)
            return lax.all_to_all(jnp.tanh(there @ w), "y", 0, 0, tiled=True), None

        return lax.scan(layer, x, w)[0]

    args = struct(mesh, (2048, 256), "y"), struct(mesh, (3, 256, 256))
    return mapped(fn, mesh, ("y",), (), out=("y",)), args


@program(
    permute("x", 256 * 512 * F32, times=5),
)
def pipeline_of_two_stages(mesh):
    """Four microbatches through two stages: five ticks."""

    def fn(w, batches):
        stage = lax.axis_index("x")

        def tick(state, t):
            given = jnp.where(stage == 0, batches[jnp.minimum(t, 3)], state)
            return lax.ppermute(jnp.tanh(given @ w[0]), "x", [(0, 1)]), None

        return lax.scan(tick, jnp.zeros_like(batches[0]), jnp.arange(5))[0][None]

    args = struct(mesh, (2, 512, 512), "x"), struct(mesh, (4, 256, 512))
    return mapped(fn, mesh, ("x",), (), out=("x",)), args


@program(all_reduce("xy", WEIGHTS))
def accumulated_in_one_loop(mesh):
    """Four microbatches, whose gradients are added on each device first, and over the devices once."""

    def fn(w, x):
        def local(w, x):
            def add(total, batch):
                return jax.tree.map(jnp.add, total, jax.grad(loss)(w, batch)), None

            total = lax.scan(add, jax.tree.map(jnp.zeros_like, w), x.reshape(4, -1, 512))[0]
            return lax.psum(total, ("x", "y"))

        return mapped(local, mesh, (), (("x", "y"),), out=())(w, x)

    w = {"up": struct(mesh, (512, 1024)), "down": struct(mesh, (1024, 512))}
    return fn, (w, struct(mesh, (8192, 512), ("x", "y")))


@program(
    all_reduce("xy", WEIGHTS),
    cpu=[all_reduce("xy", WEIGHTS, times=4)],
    because="the compilers for GPU and TPU take a sum of sums out of the loop",
)
def accumulated_in_every_turn(mesh):
    """The same with the sum over the devices inside the loop."""

    def fn(w, x):
        def local(w, x):
            def add(total, batch):
                found = lax.psum(jax.grad(loss)(w, batch), ("x", "y"))
                return jax.tree.map(jnp.add, total, found), None

            return lax.scan(add, jax.tree.map(jnp.zeros_like, w), x.reshape(4, -1, 512))[0]

        return mapped(local, mesh, (), (("x", "y"),), out=())(w, x)

    w = {"up": struct(mesh, (512, 1024)), "down": struct(mesh, (1024, 512))}
    return fn, (w, struct(mesh, (8192, 512), ("x", "y")))


@program(
    all_gather("y", 128 * 512 * F32, times=4),
    all_gather("y", 128 * 512 * F32, times=4),
    reduce_scatter("y", 512 * 512 * F32, times=4),
    v5e=[
        all_gather("y", 128 * 512 * BF16, times=4),
        all_gather("y", 128 * 512 * BF16, times=4),
        reduce_scatter("y", 512 * 512 * F32, times=4),
    ],
    h100=[
        all_gather("y", 128 * 512 * F32, times=4),
        *(
            one
            for times in (1, 3)
            for one in (all_gather("y", 128 * 512 * F32, times), reduce_scatter("y", 512 * 512 * F32, times))
        ),
    ],
    because="the TPU multiplies float32 as bfloat16 unless told otherwise, and rounds before it gathers; for the H100 one"
    " turn of the backward loop is taken out, so that communication overlaps with the turn beside it",
)
def recomputed_layers(mesh):
    """Each layer's weights are gathered forward and again backward, and their gradient is scattered."""

    def fn(w, x):
        @jax.checkpoint
        def layer(c, part):
            return jnp.tanh(c @ lax.all_gather(part, "y", tiled=True)), None

        return jax.grad(lambda w: jnp.sum(lax.scan(layer, x, w)[0] ** 2))(w)

    args = struct(mesh, (4, 512, 512), None, "y"), struct(mesh, (65536, 512), "y")
    return mapped(fn, mesh, (None, "y"), ("y",), out=(None, "y")), args


@program(all_reduce("y", 8 * 512 * F32))
def one_token_decoded(mesh):
    """Heads split over y, the cache with them: only the product that joins the heads is added up."""

    def fn(x, cache, at, w):
        q, k, v = (jnp.einsum("bd,dhk->bhk", x, w[name]) for name in "qkv")
        keys = lax.dynamic_update_slice_in_dim(cache["k"], k[:, :, None], at, 2)
        values = lax.dynamic_update_slice_in_dim(cache["v"], v[:, :, None], at, 2)
        weights = jax.nn.softmax(jnp.einsum("bhk,bhsk->bhs", q, keys))
        out = jnp.einsum("bhs,bhsk->bhk", weights, values)
        return jnp.einsum("bhk,hkd->bd", out, w["o"]), {"k": keys, "v": values}

    heads = {name: struct(mesh, (512, 16, 32), None, "y") for name in "qkv"} | {"o": struct(mesh, (16, 32, 512), "y")}
    cache = {name: struct(mesh, (16, 16, 128, 32), "x", "y") for name in "kv"}
    out = NamedSharding(mesh, P("x")), dict.fromkeys("kv", NamedSharding(mesh, P("x", "y")))
    args = struct(mesh, (16, 512), "x"), cache, struct(mesh, (), dtype="int32"), heads
    return jax.jit(fn, out_shardings=out), args


@program()
def born_split(mesh):
    """Random numbers are drawn where they lie."""
    return placed(lambda key: jax.random.normal(jax.random.wrap_key_data(key), (1024, 512)), mesh, "x", "y"), (
        struct(mesh, (2,), dtype="uint32"),
    )


@program(all_reduce("y", 512 * F32))
def uneven_rows(mesh):
    """Ten rows over four devices: padded to three each, and the sum of what each has is added."""
    return placed(lambda a: constrained(jnp.sin(a), mesh, "y").sum(0), mesh), (struct(mesh, (10, 512)),)


@program(
    reduce_scatter("y", 512 * 256 * F32),
    cpu=[all_reduce("y", 512 * 256 * F32)],
    because="XLA for CPU has no reduce-scatter of its own: it adds everything up and keeps a part",
)
def explicit_product(mesh):
    explicit = jax.sharding.Mesh(mesh.devices, mesh.axis_names, axis_types=(jax.sharding.AxisType.Explicit,) * 2)
    out = NamedSharding(explicit, P("x", "y"))
    args = struct(explicit, (1024, 512), "x", "y"), struct(explicit, (512, 256), "y")
    return lambda a, b: jnp.einsum("ij,jk->ik", a, b, out_sharding=out), args


LARGE = 2048 * 1024 * BF16


@program(
    all_gather("x", 3 * LARGE),
    cpu=[all_gather("x", 3 * 2 * LARGE)],
    because="XLA for CPU carries bfloat16 as float32",
)
def gathered_while_others_multiply(mesh):
    """Three layers of 4096 × 1024 weights, unrolled: the TPU gathers one while it multiplies by another."""

    def fn(weights, x):
        for w in weights:
            x = jnp.tanh(x @ lax.all_gather(w, "x", tiled=True))[:, :1024]
            x = jnp.concatenate([x] * 4, axis=1)
        return x

    weights = [struct(mesh, (4096, 4096), "x", "y", dtype="bfloat16")] * 3
    return mapped(fn, mesh, ("x", "y"), ("x",), out=("x",)), (
        weights,
        struct(mesh, (8192, 4096), "x", dtype="bfloat16"),
    )


@program(
    permute("y", 5 * 4096 * 2048 * BF16),
    cpu=[all_reduce("y", 4096 * 8192 * F32)],
    h100=[reduce_scatter("y", 4096 * 8192 * BF16)],
    because="the TPU sends partial sums round both ways while it multiplies: 3 hops of one half each way less the one"
    " that meets; the H100 scatters; the CPU adds everything up, as float32",
)
def large_product_scattered(mesh):
    args = (struct(mesh, (8192, 8192), "x", "y", dtype="bfloat16"), struct(mesh, (8192, 8192), "y", dtype="bfloat16"))
    return placed(multiply, mesh, "x", "y"), args


# NVIDIA's GPUs, told to send from one to the next beside other work

PIPELINED = {"xla_gpu_collective_permute_decomposer_threshold": 1, "xla_gpu_enable_pipelined_p2p": True}


@program(permute("y", BLOCK, times=4), only=("h100",), options=PIPELINED)
def ring_sent_and_received(mesh):
    """The whole ring is one permutation: each device receives once a turn, from the one before or the last."""
    return PROGRAMS["ring_in_a_loop"].make(mesh)


@program(permute("x", 256 * 512 * F32, times=5), only=("h100",), options=PIPELINED)
def stages_sent_and_received(mesh):
    return PROGRAMS["pipeline_of_two_stages"].make(mesh)


# Two slices of TPUs of four chips each, x between the slices


def between(*expected, order=()):
    return program(*expected, slices=2, only=("v5e",), order=order)


@between(all_reduce("x", BLOCK))
def sum_between_slices(mesh):
    return on_blocks(lambda a: lax.psum(a, "x"), mesh)


@between(all_gather("x", BLOCK))
def gather_between_slices(mesh):
    return mapped(lambda a: lax.all_gather(a, "x", tiled=True), mesh, ("x", "y")), (whole(mesh),)


@between(reduce_scatter("x", BLOCK))
def scatter_between_slices(mesh):
    return on_blocks(lambda a: lax.psum_scatter(a, "x", tiled=True), mesh)


@between(all_to_all("x", BLOCK))
def exchange_between_slices(mesh):
    return on_blocks(lambda a: lax.all_to_all(a, "x", 0, 1, tiled=True), mesh)


@between(permute("x", BLOCK))
def one_slice_to_the_other(mesh):
    return on_blocks(lambda a: lax.ppermute(a, "x", [(0, 1)]), mesh)


@between(reduce_scatter("y", BLOCK), all_reduce("x", BLOCK // 4), all_gather("y", BLOCK // 4))
def sum_within_and_between(mesh):
    """Scattered within the slice, so that only a quarter crosses the slow link; then gathered again."""
    return on_blocks(lambda a: lax.psum(a, ("x", "y")), mesh)


@between(all_reduce("y", BLOCK))
def sum_within_slices(mesh):
    return on_blocks(lambda a: lax.psum(a, "y"), mesh)


@between(all_reduce("x", BLOCK, times=7))
def scan_between_slices(mesh):
    return on_blocks(turning(lambda c: lax.psum(c, "x"), 7), mesh)


@between(permute("y", BLOCK), order=(2, 0, 3, 1))
def ring_in_slices_in_another_order(mesh):
    return on_blocks(lambda a: lax.ppermute(a, "y", RING), mesh)


@between(permute("x", BLOCK), order=(2, 0, 3, 1))
def slice_to_slice_in_another_order(mesh):
    return on_blocks(lambda a: lax.ppermute(a, "x", [(0, 1), (1, 0)]), mesh)
