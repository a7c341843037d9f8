"""What pages say of three compilers: the programs they speak of, and the operations that were read off the HLO by eye.

``claim`` names the entry that tells of a program. Bytes are what a device receives each time.
"""

import jax
import jax.numpy as jnp
from jax import lax
from jax.sharding import NamedSharding, auto_axes
from jax.sharding import PartitionSpec as P

from corpus.programs import Communication, program, struct


def claim(entry, axes=None, explicit=False, **seen):
    """Register a program that an entry of a page tells of."""
    return program(because=entry, axes=axes, explicit=explicit, **seen)


def on(mesh, *spec, **kinds):
    return NamedSharding(mesh, P(*spec, **kinds))


def accumulated(mesh, dtype, **kinds):
    """Gradients of twelve batches, added up in a scan."""

    def loss(w, batch):
        return jnp.sum((batch @ w).astype("float32") ** 2)

    def fn(w, batches):
        def step(total, batch):
            return total + jax.grad(loss)(w, batch).astype("float32"), None

        begun = jax.reshard(jnp.zeros(w.shape), on(mesh, unreduced=jax.typeof(w).sharding.spec.reduced))
        return jax.reshard(lax.scan(step, begun, batches)[0], on(mesh))

    w = jax.ShapeDtypeStruct((512, 512), dtype, sharding=on(mesh, **kinds))
    return fn, (w, struct(mesh, (12, 128, 512), None, "x", dtype=dtype))


@claim(
    "reference/unreduced",
    cpu=[Communication("all-reduce", "x", 1048576, times=12)],
    h100=[Communication("all-reduce", "x", 524288)],
    v5e=[Communication("all-reduce", "x", 524288)],
    explicit=True,
)
def accumulate_plain_bfloat16(mesh):
    """The same without reduced: CPU one in each turn; v5e and H100 take it out of the loop (and send bfloat16 if the weights are)."""
    return accumulated(mesh, "bfloat16")


@claim(
    "reference/unreduced",
    cpu=[Communication("all-reduce", "x", 1048576, times=12)],
    h100=[Communication("all-reduce", "x", 1048576)],
    v5e=[Communication("all-reduce", "x", 1048576)],
    explicit=True,
)
def accumulate_plain_float32(mesh):
    """The same without reduced: CPU one in each turn; v5e and H100 take it out of the loop (and send bfloat16 if the weights are)."""
    return accumulated(mesh, "float32")


@claim(
    "reference/unreduced",
    cpu=[Communication("all-reduce", "x", 1048576)],
    h100=[Communication("all-reduce", "x", 1048576)],
    v5e=[Communication("all-reduce", "x", 1048576)],
    explicit=True,
)
def accumulate_reduced_bfloat16(mesh):
    """Gradients of 12 batches in a scan, weights reduced: one all-reduce outside, float32."""
    return accumulated(mesh, "bfloat16", reduced={"x"})


@claim(
    "reference/unreduced",
    cpu=[Communication("all-reduce", "x", 1048576)],
    h100=[Communication("all-reduce", "x", 1048576)],
    v5e=[Communication("all-reduce", "x", 1048576)],
    explicit=True,
)
def accumulate_reduced_float32(mesh):
    """Gradients of 12 batches in a scan, weights reduced: one all-reduce outside, float32."""
    return accumulated(mesh, "float32", reduced={"x"})


@claim(
    "reference/collectives",
    cpu=[Communication("all-gather", "y", 786432)],
    h100=[Communication("all-gather", "y", 786432)],
    v5e=[Communication("all-gather", "y", 786432)],
    explicit=True,
)
def all_gather_128x512(mesh):
    """lax.all_gather of blocks (128, 512): v5e makes an all-reduce of the small one."""

    return jax.shard_map(
        lambda b: lax.all_gather(b, "y", axis=1, tiled=True), mesh=mesh, in_specs=P("x", "y"), out_specs=P("x", "y")
    ), (struct(mesh, (256, 2048), "x", "y"),)


@claim(
    "reference/collectives",
    cpu=[Communication("all-gather", "y", 48)],
    h100=[Communication("all-gather", "y", 48)],
    v5e=[Communication("all-reduce", "y", 96)],
    explicit=True,
)
def all_gather_1x4(mesh):
    """lax.all_gather of blocks (1, 4): v5e makes an all-reduce of the small one."""

    return jax.shard_map(
        lambda b: lax.all_gather(b, "y", axis=1, tiled=True), mesh=mesh, in_specs=P("x", "y"), out_specs=P("x", "y")
    ), (struct(mesh, (2, 16), "x", "y"),)


@claim(
    "errors/traps#trap-constraint-uneven",
    cpu=[Communication("all-gather", "x", 84)],
    h100=[Communication("all-gather", "x", 84)],
    v5e=[Communication("all-reduce", "x", 168)],
    axes={"x": 8},
)
def constraint_uneven(mesh):
    """with_sharding_constraint of 17 over 8: gathered from 24 (CPU, H100), added up (v5e)."""

    return (lambda a: lax.with_sharding_constraint(2 * a, on(mesh, "x"))), (jax.ShapeDtypeStruct((17,), "float32"),)


@claim(
    "errors/explicit#error-explicit-cumsum",
    cpu=[Communication("all-gather", "x", 3670016)],
    h100=[Communication("all-gather", "x", 28)],
    v5e=[
        Communication("all-reduce", "x", 448),
        Communication("collective-permute", "x", 28),
        Communication("collective-permute", "x", 4),
    ],
    axes={"x": 8},
    explicit=True,
)
def cumsum_auto_axes(mesh):
    """Cumsum along a split dimension: CPU gathers all, v5e adds 64 numbers over all and permutes 7 and 1, H100 gathers one number each."""

    return auto_axes(lambda a: jnp.cumsum(a, axis=0), out_sharding=on(mesh, "x")), (struct(mesh, (2**20,), "x"),)


@claim("errors/jit#error-donation-unused", cpu=[], h100=[], v5e=[], axes={"x": 8})
def donate_reshape(mesh):
    """Donation of [8000, 3] f32 for its 24000 numbers: alias 12000 on CPU and H100, 0 on v5e (16384 and 12288)."""

    return jax.jit(lambda a: 2 * a.reshape(24000), donate_argnums=0, out_shardings=on(mesh, "x")), (
        struct(mesh, (8000, 3), "x"),
    )


@claim(
    "errors/jit#error-donation-unused, reference/jit",
    cpu=[Communication("all-to-all", "x", 672)],
    h100=[Communication("all-to-all", "x", 672)],
    v5e=[Communication("all-to-all", "x", 672)],
    axes={"x": 8},
)
def donate_rows_to_columns(mesh):
    """Donation of [64, 24] f32 by rows for a result by columns: alias 768 on CPU and H100, 0 on v5e (4096 and 2048 bytes in tiles)."""

    return jax.jit(lambda a: 2 * a, donate_argnums=0, out_shardings=on(mesh, None, "x")), (struct(mesh, (64, 24), "x"),)


@claim(
    "errors/explicit#error-explicit-contracting",
    cpu=[Communication("all-gather", "x", 1048576)],
    h100=[Communication("all-gather", "x", 1048576)],
    v5e=[Communication("all-gather", "x", 524288)],
    explicit=True,
)
def explicit_fsdp_asked(mesh):
    """The same with jax.reshard(W, P()) first: one gather, half of the bytes."""

    return (lambda x, w: x @ jax.reshard(w, on(mesh))), (
        struct(mesh, (4096, 1024), "x"),
        struct(mesh, (1024, 512), "x"),
    )


@claim(
    "errors/explicit#error-explicit-contracting",
    cpu=[Communication("collective-permute", "xy", 524288), Communication("all-gather", "y", 1572864)],
    h100=[Communication("collective-permute", "xy", 524288), Communication("all-gather", "y", 1572864)],
    v5e=[Communication("collective-permute", "xy", 262144), Communication("all-gather", "y", 786432)],
    explicit=True,
)
def explicit_fsdp_left_4096(mesh):
    """x['x'] @ W['x', None], batch 4096: pieces of W permuted, then gathered or summed along y."""

    return jnp.matmul, (struct(mesh, (4096, 1024), "x"), struct(mesh, (1024, 512), "x"))


@claim(
    "errors/explicit#error-explicit-contracting",
    cpu=[Communication("collective-permute", "xy", 524288), Communication("all-reduce", "y", 786432)],
    h100=[Communication("collective-permute", "xy", 524288), Communication("all-reduce", "y", 786432)],
    v5e=[Communication("collective-permute", "xy", 262144), Communication("all-reduce", "y", 786432)],
    explicit=True,
)
def explicit_fsdp_left_512(mesh):
    """x['x'] @ W['x', None], batch 512: pieces of W permuted, then gathered or summed along y."""

    return jnp.matmul, (struct(mesh, (512, 1024), "x"), struct(mesh, (1024, 512), "x"))


@claim(
    "errors/explicit#error-explicit-contracting",
    cpu=[Communication("all-gather", "x", 2097152)],
    h100=[Communication("all-gather", "x", 2097152)],
    v5e=[Communication("all-gather", "x", 1048576)],
    explicit=True,
)
def explicit_gathers_left(mesh):
    """P(None,'x') @ P() in Explicit mode: the whole left operand is gathered, no error; TPU sends it as bfloat16."""

    return (lambda a, b: a @ b), (struct(mesh, (1024, 1024), None, "x"), struct(mesh, (1024, 1024)))


@claim(
    "errors/traps#trap-gradient-layout",
    cpu=[Communication("all-gather", "x", 3670016), Communication("all-reduce", "x", 7340032)],
    h100=[Communication("all-gather", "x", 3670016), Communication("all-reduce", "x", 7340032)],
    v5e=[Communication("all-gather", "x", 1835008), Communication("all-reduce", "x", 7340032)],
    axes={"x": 8},
)
def gradient_bare(mesh):
    """Gradient of ((rows @ w)**2).mean(), both split by x, Auto: P() whole."""

    def loss(w, rows):
        return ((rows @ w) ** 2).mean()

    return jax.grad(loss), (struct(mesh, (1024, 1024), "x"),) * 2


@claim(
    "errors/traps#trap-gradient-layout",
    cpu=[Communication("all-gather", "x", 3670016), Communication("all-reduce", "x", 7340032)],
    h100=[Communication("all-gather", "x", 3670016), Communication("reduce-scatter", "x", 3670016)],
    v5e=[Communication("all-gather", "x", 1835008), Communication("reduce-scatter", "x", 3670016)],
    axes={"x": 8},
)
def gradient_beside(mesh):
    """Gradient of ((rows @ w)**2).mean(), both split by x, Auto: g returned beside w - 0.1 g comes out P(x)."""

    def loss(w, rows):
        return ((rows @ w) ** 2).mean()

    def f(w, r):
        g = jax.grad(loss)(w, r)
        return w - 0.1 * g, g

    return f, (struct(mesh, (1024, 1024), "x"),) * 2


@claim(
    "errors/traps#trap-gradient-layout",
    cpu=[Communication("all-gather", "x", 3670016), Communication("all-reduce", "x", 7340032)],
    h100=[Communication("all-gather", "x", 3670016), Communication("reduce-scatter", "x", 3670016)],
    v5e=[Communication("all-gather", "x", 1835008), Communication("reduce-scatter", "x", 3670016)],
    axes={"x": 8},
)
def gradient_pinned(mesh):
    """Gradient of ((rows @ w)**2).mean(), both split by x, Auto: out_shardings P(x)."""

    def loss(w, rows):
        return ((rows @ w) ** 2).mean()

    return jax.jit(jax.grad(loss), out_shardings=on(mesh, "x")), (struct(mesh, (1024, 1024), "x"),) * 2


@claim(
    "errors/traps#trap-gradient-layout",
    cpu=[Communication("all-gather", "x", 3670016), Communication("all-reduce", "x", 7340032)],
    h100=[Communication("all-gather", "x", 3670016), Communication("reduce-scatter", "x", 3670016)],
    v5e=[Communication("all-gather", "x", 1835008), Communication("reduce-scatter", "x", 3670016)],
    axes={"x": 8},
)
def gradient_step(mesh):
    """Gradient of ((rows @ w)**2).mean(), both split by x, Auto: w - 0.1 g comes out P(x)."""

    def loss(w, rows):
        return ((rows @ w) ** 2).mean()

    return (lambda w, r: w - 0.1 * jax.grad(loss)(w, r)), (struct(mesh, (1024, 1024), "x"),) * 2


@claim(
    "guides/cost-of-moving",
    cpu=[Communication("all-reduce", "x", 28672, times=12)],
    h100=[Communication("reduce-scatter", "x", 14336, times=12)],
    v5e=[Communication("all-reduce", "x", 28672, times=12)],
    axes={"x": 8},
    explicit=True,
)
def layers_scan_64(mesh):
    """Twelve layers: all-reduce each turn (CPU, v5e), reduce-scatter (H100)."""

    def layers(h, w):
        def layer(h, w):
            return jax.reshard(jnp.matmul(h, w, out_sharding=on(mesh)), on(mesh, None, "x")), None

        return lax.scan(layer, h, w)[0]

    return layers, (struct(mesh, (64, 64), None, "x"), struct(mesh, (12, 64, 64), None, "x"))


@claim(
    "errors/traps#trap-map-gathers",
    cpu=[Communication("all-gather", "x", 3670016)],
    h100=[Communication("all-gather", "x", 3670016, times=1024)],
    v5e=[Communication("all-gather", "x", 3670016, times=1024)],
    axes={"x": 8},
)
def map_over_split(mesh):
    """lax.map over split rows: CPU gathers before the loop, v5e and H100 inside it, at each of 1024 turns."""

    return (lambda a: lax.map(lambda row: 2 * jnp.sin(row), a)), (struct(mesh, (1024, 1024), "x"),)


@claim(
    "guides/cost-of-moving",
    cpu=[Communication("all-reduce", "x", 7340032)],
    h100=[Communication("reduce-scatter", "x", 3670016)],
    v5e=[Communication("reduce-scatter", "x", 3670016)],
    axes={"x": 8},
    explicit=True,
)
def product_by_rows_1024(mesh):
    """P(None,x) @ P(x) -> P(x), 1024 rows: reduce-scatter on H100; on v5e only where tiles are full."""

    return (lambda a, b: jnp.matmul(a, b, out_sharding=on(mesh, "x"))), (
        struct(mesh, (1024, 1024), None, "x"),
        struct(mesh, (1024, 1024), "x"),
    )


@claim(
    "guides/cost-of-moving",
    cpu=[Communication("all-reduce", "x", 28672)],
    h100=[Communication("reduce-scatter", "x", 14336)],
    v5e=[Communication("all-reduce", "x", 28672)],
    axes={"x": 8},
    explicit=True,
)
def product_by_rows_64(mesh):
    """P(None,x) @ P(x) -> P(x), 64 rows: reduce-scatter on H100; on v5e only where tiles are full."""

    return (lambda a, b: jnp.matmul(a, b, out_sharding=on(mesh, "x"))), (
        struct(mesh, (64, 64), None, "x"),
        struct(mesh, (64, 64), "x"),
    )


@claim(
    "explain/product-cost",
    cpu=[Communication("reduce-scatter", "y", 100663296)],
    h100=[Communication("reduce-scatter", "y", 50331648)],
    v5e=[Communication("reduce-scatter", "y", 50331648)],
    explicit=True,
)
def product_psum_scatter_bf16_8192(mesh):
    """shard_map with psum_scatter: one reduce-scatter on all three (blocking on v5e)."""

    @jax.shard_map(mesh=mesh, in_specs=(P("x", "y"), P("y")), out_specs=P("x", "y"))
    def f(a, b):
        return lax.psum_scatter(a @ b, "y", scatter_dimension=1, tiled=True)

    return f, (
        struct(mesh, (8192, 8192), "x", "y", dtype="bfloat16"),
        struct(mesh, (8192, 8192), "y", dtype="bfloat16"),
    )


@claim(
    "explain/product-cost",
    cpu=[Communication("all-reduce", "y", 201326592)],
    h100=[Communication("reduce-scatter", "y", 50331648)],
    v5e=[
        Communication("collective-permute", "y", 16777216),
        Communication("collective-permute", "y", 16777216),
        Communication("collective-permute", "y", 16777216),
        Communication("collective-permute", "y", 16777216),
        Communication("collective-permute", "y", 16777216),
    ],
)
def product_scatter_bf16_8192(mesh):
    """The same, bfloat16, 8192: v5e a ring of five permutes of 16 MiB, three overlapped with parts of the product. CPU reduces in float32."""

    given = [jax.ShapeDtypeStruct(shape, "bfloat16") for shape in ((8192, 8192),) * 2]
    return jax.jit(
        jnp.matmul, in_shardings=(on(mesh, "x", "y"), on(mesh, "y")), out_shardings=on(mesh, "x", "y")
    ), given


@claim(
    "explain/product-cost",
    cpu=[Communication("all-reduce", "y", 8464128)],
    h100=[Communication("reduce-scatter", "y", 4232064)],
    v5e=[Communication("reduce-scatter", "y", 4271616), Communication("collective-permute", "y", 39552)],
)
def product_scatter_f32(mesh):
    """A P(x,y) @ B P(y) -> P(x,y), float32: CPU all-reduce and cut, v5e a fusion %all-reduce-scatter (then 12 columns to a neighbour: 428 is no multiple of 128; its all-reduce inside is padded to 1728), H100 reduce-scatter."""

    given = [jax.ShapeDtypeStruct(shape, "float32") for shape in ((1648, 1616), (1616, 1712))]
    return jax.jit(
        jnp.matmul, in_shardings=(on(mesh, "x", "y"), on(mesh, "y")), out_shardings=on(mesh, "x", "y")
    ), given


@claim(
    "reference/collectives",
    cpu=[Communication("reduce-scatter", "y", 196608)],
    h100=[Communication("reduce-scatter", "y", 196608)],
    v5e=[Communication("reduce-scatter", "y", 196608)],
    explicit=True,
)
def psum_scatter_128x512(mesh):
    """lax.psum_scatter of blocks (128, 512): v5e makes an all-reduce of the small one."""

    return jax.shard_map(
        lambda b: lax.psum_scatter(b, "y", scatter_dimension=1, tiled=True),
        mesh=mesh,
        in_specs=P("x", "y"),
        out_specs=P("x", "y"),
    ), (struct(mesh, (256, 2048), "x", "y"),)


@claim(
    "reference/collectives",
    cpu=[Communication("reduce-scatter", "y", 12)],
    h100=[Communication("reduce-scatter", "y", 12)],
    v5e=[Communication("all-reduce", "y", 24)],
    explicit=True,
)
def psum_scatter_1x4(mesh):
    """lax.psum_scatter of blocks (1, 4): v5e makes an all-reduce of the small one."""

    return jax.shard_map(
        lambda b: lax.psum_scatter(b, "y", scatter_dimension=1, tiled=True),
        mesh=mesh,
        in_specs=P("x", "y"),
        out_specs=P("x", "y"),
    ), (struct(mesh, (2, 16), "x", "y"),)


@claim(
    "guides/cost-of-moving",
    cpu=[Communication("all-to-all", None, 1024), Communication("collective-permute", "xy", 2048)],
    h100=[Communication("all-to-all", None, 1024), Communication("collective-permute", "xy", 2048)],
    v5e=[Communication("all-to-all", None, 1024), Communication("collective-permute", "xy", 2048)],
    explicit=True,
)
def reshard_axes_exchanged(mesh):
    """64 x 64 float32 over 2 x 4: the same on all three."""

    return (lambda v: jax.reshard(v, on(mesh, "y", "x"))), (struct(mesh, (64, 64), "x", "y"),)


@claim(
    "guides/cost-of-moving",
    cpu=[Communication("all-gather", "x", 8192)],
    h100=[Communication("all-gather", "x", 8192)],
    v5e=[Communication("all-gather", "x", 8192)],
    explicit=True,
)
def reshard_involuntary(mesh):
    """64 x 64 float32 over 2 x 4: the same on all three."""

    return (lambda v: jax.reshard(v, on(mesh, None, "y"))), (struct(mesh, (64, 64), "x"),)


@claim(
    "guides/cost-of-moving",
    cpu=[Communication("collective-permute", "xy", 2048)],
    h100=[Communication("collective-permute", "xy", 2048)],
    v5e=[Communication("collective-permute", "xy", 2048)],
    explicit=True,
)
def reshard_names_swapped(mesh):
    """64 x 64 float32 over 2 x 4: the same on all three."""

    return (lambda v: jax.reshard(v, on(mesh, *(("y", "x"),)))), (struct(mesh, (64, 64), *(("x", "y"),)),)


@claim(
    "guides/cost-of-moving",
    cpu=[Communication("all-to-all", "x", 1792)],
    h100=[Communication("all-to-all", "x", 1792)],
    v5e=[Communication("all-to-all", "x", 1792)],
    axes={"x": 8},
    explicit=True,
)
def reshard_rows_to_columns(mesh):
    """64 x 64 float32 over 8: the same on all three."""

    return (lambda v: jax.reshard(v, on(mesh, None, "x"))), (struct(mesh, (64, 64), "x"),)


@claim(
    "guides/cost-of-moving",
    cpu=[Communication("all-gather", "x", 14336)],
    h100=[Communication("all-gather", "x", 14336)],
    v5e=[Communication("all-gather", "x", 14336)],
    axes={"x": 8},
    explicit=True,
)
def reshard_rows_to_whole(mesh):
    """64 x 64 float32 over 8: the same on all three."""

    return (lambda v: jax.reshard(v, on(mesh, *()))), (struct(mesh, (64, 64), "x"),)


@claim("guides/cost-of-moving", cpu=[], h100=[], v5e=[], axes={"x": 8}, explicit=True)
def reshard_whole_to_rows(mesh):
    """64 x 64 float32 over 8: the same on all three."""

    return (lambda v: jax.reshard(v, on(mesh, "x"))), (struct(mesh, (64, 64), *()),)


@claim(
    "errors/explicit#error-explicit-sort",
    cpu=[Communication("all-gather", "x", 3670016)],
    h100=[Communication("all-gather", "x", 3670016)],
    v5e=[Communication("all-gather", "x", 3670016)],
    axes={"x": 8},
    explicit=True,
)
def sort_auto_axes(mesh):
    """A split array sorted by auto_axes: all three gather it whole."""

    return auto_axes(jnp.sort, out_sharding=on(mesh, "x")), (struct(mesh, (2**20,), "x"),)


@claim(
    "errors/traps#trap-top-k",
    cpu=[Communication("all-gather", "x", 29360128)],
    h100=[],
    v5e=[],
    axes={"x": 8},
    explicit=True,
)
def top_k_along_rows(mesh):
    """top_k of rows that lie split by rows: only CPU gathers."""

    return (lambda a: lax.top_k(a, 2)[0]), (struct(mesh, (64, 131072), "x"),)


@claim(
    "errors/explicit#error-explicit-top-k",
    cpu=[Communication("all-to-all", "xy", 3670016), Communication("all-gather", "xy", 29360128)],
    h100=[Communication("all-to-all", "xy", 3670016)],
    v5e=[Communication("all-to-all", "xy", 3670016)],
    explicit=True,
)
def top_k_by_batch(mesh):
    """Logits split by vocabulary resharded by batch, then top_k: CPU gathers all of them besides."""

    return (lambda a: lax.top_k(jax.reshard(a, on(mesh, ("x", "y"))), 2)), (
        struct(mesh, (64, 131072), None, ("x", "y")),
    )


@claim(
    "errors/explicit#error-explicit-top-k",
    cpu=[Communication("all-gather", "xy", 3584), Communication("all-gather", "xy", 3584)],
    h100=[Communication("all-gather", "xy", 7168)],
    v5e=[Communication("all-gather", "xy", 3584), Communication("all-gather", "xy", 3584)],
    explicit=True,
)
def top_k_candidates(mesh):
    """Local top_k, candidates gathered (H100 combines the two gathers; its bytes are both)."""

    def candidates(block):
        values, indices = lax.top_k(block, 2)
        return values, indices + lax.axis_index(("x", "y")) * block.shape[1]

    def top_k(a):
        split = P(None, ("x", "y"))
        found = jax.shard_map(candidates, mesh=mesh, in_specs=split, out_specs=split)(a)
        values, indices = jax.reshard(found, on(mesh))
        values, best = lax.top_k(values, 2)
        return values, jnp.take_along_axis(indices, best, axis=1)

    return top_k, (struct(mesh, (64, 131072), None, ("x", "y")),)


@claim(
    "reference/unreduced",
    cpu=[Communication("all-reduce", "x", 320)],
    h100=[Communication("all-reduce", "x", 160)],
    v5e=[Communication("all-reduce", "x", 160)],
    explicit=True,
)
def unreduced_early(mesh):
    """Two partial sums added late/early: CPU early sends both arrays in one all-reduce, v5e and H100 one array either way."""

    return (lambda a, b: jnp.matmul(a, b, out_sharding=on(mesh)) + jnp.matmul(2 * a, b, out_sharding=on(mesh))), (
        struct(mesh, (4, 6), None, "x"),
        struct(mesh, (6, 10), "x"),
    )


@claim(
    "reference/unreduced",
    cpu=[Communication("all-reduce", "x", 160)],
    h100=[Communication("all-reduce", "x", 160)],
    v5e=[Communication("all-reduce", "x", 160)],
    explicit=True,
)
def unreduced_late(mesh):
    """Two partial sums added late/early: CPU early sends both arrays in one all-reduce, v5e and H100 one array either way."""

    return (
        lambda a, b: jax.reshard(
            (
                jnp.matmul(a, b, out_sharding=on(mesh, unreduced={"x"}))
                + jnp.matmul(2 * a, b, out_sharding=on(mesh, unreduced={"x"}))
            ),
            on(mesh),
        )
    ), (struct(mesh, (4, 6), None, "x"), struct(mesh, (6, 10), "x"))


@claim(
    "guides/cost-of-moving",
    cpu=[Communication("all-gather", "x", 14336, times=None), Communication("all-reduce", "x", 7, times=None)],
    h100=[Communication("all-reduce", "x", 7, times=None)],
    v5e=[Communication("all-reduce", "x", 7, times=None)],
    axes={"x": 8},
    explicit=True,
)
def while_cut_again(mesh):
    """A while loop that gathers and cuts again: v5e and H100 leave the gather out. Turns unknown."""

    def larger(a):
        return 2 * jax.reshard(jax.reshard(a, on(mesh)), on(mesh, "x"))

    return (lambda a: lax.while_loop(lambda a: a[0, 0] < 100, larger, a)), (struct(mesh, (64, 64), "x"),)
