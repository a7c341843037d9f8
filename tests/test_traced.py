"""Traced values: under jit they are drawn when the function runs, inside shard_map as blocks."""

import sys
import types

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax
from jax.sharding import AxisType, Mesh, NamedSharding
from jax.sharding import PartitionSpec as P
from test_show import ARRAYS, boxes, parsed, texts

import shardbook as sb
from shardbook import _traced

pytestmark = pytest.mark.skipif(not hasattr(jax, "shard_map"), reason="the names of today's JAX")


def grid(*sizes, types=AxisType.Auto):
    devices = np.array(jax.devices()[: np.prod(sizes)]).reshape(sizes)
    return Mesh(devices, ("x", "y", "z")[: len(sizes)], axis_types=(types,) * len(sizes))


MESH = grid(2, 4)


def put(*spec, shape=(4, 8), mesh=MESH):
    return jax.device_put(jnp.ones(shape), NamedSharding(mesh, P(*spec)))


@pytest.fixture
def shown(monkeypatch):
    """What runs of functions have shown since it was last asked, as figures."""
    figures = []
    monkeypatch.setattr(_traced, "present", figures.append)

    def take():
        jax.effects_barrier()
        found = [*figures]
        figures.clear()
        return found

    return take


def captions(figures):
    return [str(leaf) for figure in figures for _, leaf in figure.leaves]


# Under jit


def test_each_run_is_drawn(shown):
    """Not only the first, and not when it is only traced."""
    fn = jax.jit(lambda x: (sb.show(x), x + 1)[1])
    fn.lower(put("x")).compile()
    assert shown() == []
    for _ in range(3):
        fn(put("x", "y"))
    assert captions(shown()) == ["float32[4@x, 8@y]"] * 3


def test_each_executable_knows_its_own_sharding(shown):
    """One trace, compiled for several shardings: whichever runs, it says its own; other devices too."""
    traces = []
    fn = jax.jit(lambda x: (traces.append(1), sb.show(x), x + 1)[2])
    a, b = put("x"), put(None, "y")
    permuted = Mesh(MESH.devices[::-1, ::-1], ("x", "y"))
    c = put("x", mesh=permuted)
    for x in (a, b, c, a, b, c):
        fn(x)
    found = shown()
    assert captions(found) == ["float32[4@x, 8]", "float32[4, 8@y]", "float32[4@x, 8]"] * 2
    assert len(traces) < 3
    assert [figure.leaves[0][1].pieces for figure in found] == [sb.layout(x).pieces for x in (a, b, c)] * 2


def test_what_the_compiler_chose_is_drawn(shown):
    """An intermediate value, laid out by propagation or by a constraint."""

    @jax.jit
    def fn(x):
        sb.show(x @ x.T)
        sb.show(lax.with_sharding_constraint(x * 2, NamedSharding(MESH, P(None, "x"))))
        return x

    fn(put("x", "y"))
    assert sorted(captions(shown())) == ["float32[4, 8@x]", "float32[4@x, 4]"]


@pytest.mark.parametrize("shape", [(), (5,), (2, 2, 4)])
def test_any_rank(shown, shape):
    """Scalars too."""
    jax.jit(lambda x: (sb.show(x), x)[1])(put(shape=shape))
    (figure,) = shown()
    assert figure.leaves[0][1].replication == 8


@pytest.mark.parametrize("dtype", ["bool", "int4", "bfloat16", "float8_e4m3fn"])
def test_any_dtype(shown, dtype):
    """Packed ones too."""
    x = jax.device_put(jnp.zeros((4, 8), dtype), NamedSharding(MESH, P("x")))
    jax.jit(lambda x: (sb.show(x), x)[1])(x)
    assert captions(shown()) == [f"{dtype}[4@x, 8]"]


def test_keys(shown):
    """A key's own dimensions are none of the array's."""
    keys = jax.device_put(jax.random.split(jax.random.key(0), 8), NamedSharding(MESH, P("y")))
    jax.jit(lambda x: (sb.show(x), x)[1])(keys)
    assert captions(shown()) == ["key<fry>[8@y]"]


def loop(fn):
    return lambda x: lax.scan(lambda c, _: (fn(c), None), x, None, length=3)[0]


TRANSFORMED = {
    "vmap": (jax.vmap, 1),
    "vmap under jit": (lambda fn: jax.jit(jax.vmap(fn)), 1),
    "vmap twice": (lambda fn: jax.jit(jax.vmap(jax.vmap(fn))), 1),
    "grad": (lambda fn: jax.jit(jax.grad(lambda x: (fn(x) ** 2).sum())), 1),
    "grad, not jitted": (lambda fn: jax.grad(lambda x: (fn(x) ** 2).sum()), 1),
    "scan": (lambda fn: jax.jit(loop(fn)), 3),
    "grad of scan": (lambda fn: jax.jit(jax.grad(lambda x: loop(fn)(x).sum())), 3),
    "remat": (lambda fn: jax.jit(jax.grad(lambda x: jax.checkpoint(fn)(x).sum())), 1),
    "cond": (lambda fn: jax.jit(lambda x: lax.cond(x.sum() > 0, fn, lambda x: x, x)), 1),
}


@pytest.mark.parametrize("name", TRANSFORMED)
def test_under_transformations(shown, name):
    """The whole batch under vmap, once a turn in a loop; derivatives neither draw nor break."""
    transform, times = TRANSFORMED[name]
    fn = transform(lambda x: (sb.show(x), x * 2)[1])
    x = put("x", "y")
    for _ in range(2):
        fn(x)
    assert captions(shown()) == ["float32[4@x, 8@y]"] * times * 2


def test_one_device(shown):
    """A program for one device has no shardings."""
    jax.jit(lambda x: (sb.show(x), x)[1])(jnp.ones(3))
    assert [str(figure) for figure in shown()] == ["float32[3]: on one device"]


def test_trees_and_languages(shown):
    """Each traced leaf is drawn with its path, in the language asked for; what is not traced is returned."""

    @jax.jit
    def fn(x):
        returned.append(sb.show({"w": x, "step": 3}, language="zh"))
        return x

    returned = []
    fn(put("x"))
    (figure,) = shown()
    assert str(figure).startswith("['w'] float32[4@x, 8]")
    assert "设备网格" in str(figure)
    assert str(returned[0]).splitlines() == [
        "['step'] int：不是 jax.Array，没有分片方式",
        "",
        "['w'] float32[4, 8]：函数每次运行时画出",
    ]


def test_the_result_does_not_change(shown):
    """What the function computes, and how it is laid out, is as without."""
    x = put("x", "y")
    plain, drawn = (jax.jit(fn)(x) for fn in (lambda x: x @ x.T, lambda x: (sb.show(x), x @ x.T)[1]))
    np.testing.assert_array_equal(plain, drawn)
    assert plain.sharding == drawn.sharding
    assert len(shown()) == 1
    for fn in (lambda x: x + 1, lambda x: (sb.show(x), x + 1)[1]):
        assert not sb.collectives(fn, x).operations


def test_explicit_types_are_known_while_tracing(shown):
    """In Explicit mode layout reads the type; show still draws when it runs."""
    mesh = grid(2, 4, types=AxisType.Explicit)
    traced = []
    with jax.set_mesh(mesh):
        jax.jit(lambda x: (traced.append(sb.layout(x)), sb.show(x), x)[2])(put("y", "x", mesh=mesh))
    assert (str(traced[0]), traced[0].abstract) == ("float32[4@y, 8@x]", True)
    assert captions(shown()) == ["float32[4@y, 8@x]"]


def test_auto_mode_is_not_known_while_tracing():
    """The refusal says what to do instead."""
    with pytest.raises(TypeError, match=r"traced value here: .* use shardbook\.show\(x\), which draws it each time"):
        jax.jit(sb.layout)(put("x"))


# Inside shard_map


def blocks(fn, spec, mesh=MESH, **options):
    """The layouts that ``fn`` of a block has inside shard_map."""
    found = []
    x = jax.ShapeDtypeStruct((8, 8), "float32", sharding=NamedSharding(mesh, P()))
    jax.eval_shape(
        jax.shard_map(lambda a: found.append(sb.layout(fn(a))), mesh=mesh, in_specs=spec, out_specs=None, **options), x
    )
    return found[0]


@pytest.mark.parametrize(
    ("fn", "spec", "caption", "held"),
    [
        (lambda a: a, P("x", "y"), "float32[4, 2]{V:(x,y)}", list("01234567")),
        (lambda a: a, P("x"), "float32[4, 8]{V:x}", ["0 1 2 3", "4 5 6 7"]),
        (lambda a: a, P(None, "y"), "float32[8, 2]{V:y}", ["0 4", "1 5", "2 6", "3 7"]),
        (lambda a: lax.psum(a, "y"), P("x", "y"), "float32[4, 2]{V:x}", ["0 1 2 3", "4 5 6 7"]),
        (lambda a: lax.psum(a, ("x", "y")), P("x", "y"), "float32[4, 2]", ["0 1 2 3 4 5 6 7"]),
        (lambda a: a.sum(), P("y", "x"), "float32[]{V:(x,y)}", list("01234567")),
    ],
)
def test_blocks(fn, spec, caption, held):
    """The block's own shape, the axes it varies over as JAX's type says, and who has which."""
    layout = blocks(fn, spec)
    assert str(layout) == caption
    assert boxes(sb.show(layout)) == held
    assert layout.device_count == 8
    assert layout.shape == layout.shard_shape


def test_places():
    """Rows and columns are mesh axes, boxes name their place, and a sentence says what the blocks would make."""
    figure = sb.show(blocks(lambda a: a, P("x", "y")))
    assert texts(figure, f"{ARRAYS}/g[@class='sb-labels']/text") == ["y", "x", "0", "1", "2", "3", "0", "1"]
    assert texts(figure, "//title")[:2] == ["x=0, y=0", "x=0, y=1"]
    said = str(figure)
    assert "Put together by out_specs, for instance P('x', 'y'): float32[8@x, 8@y]." in said
    chinese = str(sb.show(figure, language="zh"))
    assert "例如 out_specs 为 P('x', 'y') 时，拼成 float32[8@x, 8@y]。" in chinese
    assert "all blocks         256 B" in said
    (label,) = parsed(figure).xpath("//@aria-label")
    assert "x=0, y=1 on 1" in label
    three = sb.show(blocks(lambda a: a, P(("x", "y", "z")), grid(2, 2, 2)))
    assert texts(three, f"{ARRAYS}/g[@class='sb-labels']/text")[0] == "x=0"
    assert "P(('x', 'y'), 'z'): float32[4@(x,y), 16@z]" in str(three).replace("\n", " ")


def test_blocks_fit_a_phone():
    """Legible at 390 px without scrolling, and small."""
    for spec in (P("x", "y"), P("x"), P(("y", "x"))):
        figure = sb.show(blocks(lambda a: a, spec))
        for svg in parsed(figure).xpath(ARRAYS):
            assert int(svg.get("style").removeprefix("min-width:").removesuffix("px")) <= 340
        assert len(figure.html("zh").encode()) <= 12 * 1024


def test_unchecked_blocks_are_not_called_equal():
    """With check_vma=False JAX keeps no account: every device may have its own."""
    layout = blocks(lambda a: lax.psum(a, ("x", "y")), P("x", "y"), check_vma=False)
    assert (str(layout), layout.varying, layout.checked, len(layout.pieces)) == ("float32[4, 2]", ("x", "y"), False, 8)
    assert "With check_vma=False JAX does not know" in str(sb.show(layout))
    assert "Put together" not in str(sb.show(layout))


def test_some_axes_manual():
    """Along Auto axes the compiler may split further; Explicit ones do, as the type says."""
    auto = blocks(lambda a: a, P("x"), axis_names={"x"})
    assert (auto.undecided, auto.replicated, auto.replication) == (("y",), (), 1)
    assert "Along y the compiler may split a block further." in str(sb.show(auto))
    mesh = grid(2, 2, 2, types=AxisType.Explicit)
    found = []
    with jax.set_mesh(mesh):
        fn = jax.shard_map(
            lambda a: (found.append(sb.layout(a)), a)[1], in_specs=P("x"), out_specs=P("x"), axis_names={"x"}
        )
        jax.jit(fn)(put("x", "y", mesh=mesh))
    assert (str(found[0]), found[0].shard_shape) == ("float32[2, 8@y]{V:x}", (2, 4))
    assert boxes(sb.show(found[0])) == ["0 1", "2 3", "4 5", "6 7"]


@pytest.mark.parametrize("jit", [True, False])
@pytest.mark.parametrize("check", [True, False])
def test_blocks_are_drawn_once_a_run(shown, jit, check):
    """By one device for all, jitted or not."""
    fn = jax.shard_map(
        lambda a: (sb.show(a), a)[1], mesh=MESH, in_specs=P("x", "y"), out_specs=P("x", "y"), check_vma=check
    )
    for _ in range(2):
        (jax.jit(fn) if jit else fn)(put("x", "y"))
    assert captions(shown()) == ["float32[2, 2]" + "{V:(x,y)}" * check] * 2


def test_blocks_do_not_move():
    """A block's place in an array is for the out_specs to say."""
    layout = blocks(lambda a: a, P("x"))
    with pytest.raises(ValueError, match="is a block inside shard_map"):
        sb.moves(layout, layout)


# Where it is shown


def test_in_a_terminal(capsys):
    """Printed, in colour if it can be."""
    _traced.present(sb.show(sb.layout(put("x"))))
    assert capsys.readouterr().out.startswith("float32[4@x, 8]\n")


def test_in_a_notebook(monkeypatch):
    """Displayed, so that HTML is drawn."""
    displayed = []
    fake = types.SimpleNamespace(
        get_ipython=lambda: types.SimpleNamespace(kernel=object()),
        display=types.SimpleNamespace(display=displayed.append),
    )
    monkeypatch.setitem(sys.modules, "IPython", fake)
    figure = sb.show(sb.layout(put("x")))
    _traced.present(figure)
    assert displayed == [figure]


def test_chinese_blocks():
    """Only notation, and names of JAX's, in Latin letters."""
    said = str(sb.show(blocks(lambda a: a, P("x"), axis_names={"x"}), language="zh"))
    assert "块的形状" in said
    assert "沿 y 编译器还可能继续切分块。" in said
