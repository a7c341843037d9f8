"""What people type: anything that can only mean one thing is read, and the rest has a reason."""

import jax
import judge
import pytest
import states
from jax.sharding import AxisType, PartitionSpec


@pytest.mark.parametrize(
    ("typed", "spec"),
    [
        ("P('x', None, ('y', 'z'))", [["x"], [], ["y", "z"]]),
        ('jax.P("x", None, ("y", "z"),)', [["x"], [], ["y", "z"]]),
        ("jax.sharding.PartitionSpec('x')", [["x"]]),
        ("PartitionSpec()", []),
        ("", []),
        ("()", []),
        ("x", [["x"]]),
        ("x, y", [["x"], ["y"]]),
        ("('x', 'y')", [["x"], ["y"]]),
        ("(('x', 'y'),)", [["x", "y"]]),
        ("(x, y), z", [["x", "y"], ["z"]]),
        ("[['x'], [], ['y', 'z']]", [["x"], [], ["y", "z"]]),
        ("x,,y", [["x"], [], ["y"]]),
        (",x", [[], ["x"]]),
        ("x, null, NONE, ()", [["x"], [], [], []]),
        ("P(‘x’，None，（“y”，「z」））", [["x"], [], ["y", "z"]]),
        ("Ｐ（＇ｘ＇、ｙ）", [["x"], ["y"]]),
        ("`data`, «model»", [["data"], ["model"]]),
        ("P('x', ('y', 'z'", [["x"], ["y", "z"]]),
        ("P('x',", [["x"]]),
        ("P(P)", [["P"]]),
        ("None_1, P", [["None_1"], ["P"]]),
    ],
)
def test_specs_are_read(model, typed, spec):
    """With any quotes, brackets and commas, from any keyboard, and half typed."""
    assert model.map("spec", "parseSpec", [typed]) == [{"spec": spec}]


@pytest.mark.parametrize(
    ("typed", "kind", "values"),
    [
        ("x y", "comma", {"before": "x", "after": "y"}),
        ("P('x' 'y')", "comma", {"before": "x", "after": "y"}),
        ("P('x'))", "unopened", {"found": ")"}),
        ("P('a b')", "name", {"found": "a b"}),
        ("P('')", "name", {"found": ""}),
        ("<script>", "comma", {"before": "<", "after": "script"}),
        ("3", "name", {"found": "3"}),
        ("a.b", "name", {"found": "a.b"}),
        ("x" * 25, "name", {"found": "x" * 25}),
        ("((x, (y, z)),)", "nested", {}),
        ("((x, None),)", "none-in-tuple", {}),
        ("P('x', P.UNCONSTRAINED)", "unconstrained", {}),
        ("P('x', unreduced={'y'})", "keyword", {"found": "unreduced"}),
        ("x," * 2000, "too-long-text", {"most": "2000"}),
    ],
)
def test_what_is_no_spec_has_a_reason(model, typed, kind, values):
    """The reason is a kind, for the page's words, and the text it is about."""
    assert model.map("spec", "parseSpec", [typed]) == [{"error": {"kind": kind, "values": values}}]


def test_specs_are_read_as_python_reads_them(model):
    """What is printed is Python for the same spec, is read again, and with repr is JAX's own text."""
    draw = states.dice()
    specs = [states.valid(draw)["spec"] for _ in range(500)]
    printed = model.map("spec", "printSpec", specs)
    written = model.map("spec", "reprSpec", specs)
    for spec, one, other in zip(specs, printed, written, strict=True):
        expected = judge.partition_spec(spec)
        assert eval(one, {"P": PartitionSpec}) == eval(other, {"P": PartitionSpec}) == expected  # noqa: S307
        assert other == repr(expected)
    assert model.map("spec", "parseSpec", printed + written) == [{"spec": spec} for spec in specs * 2]


@pytest.mark.parametrize(
    ("typed", "shape"),
    [
        ("8, 16", [8, 16]),
        ("(8, 16)", [8, 16]),
        ("(8,)", [8]),
        ("[8 16]", [8, 16]),
        ("8x16X2", [8, 16, 2]),
        ("8 × 16 * 2", [8, 16, 2]),
        ("1_024", [1024]),
        ("８，１６", [8, 16]),
        ("", []),
        ("()", []),
        ("0", [0]),
    ],
)
def test_shapes_are_read(model, typed, shape):
    assert model.map("spec", "parseShape", [typed]) == [{"shape": shape}]


@pytest.mark.parametrize("typed", ["-1", "1.5", "1e3", "x", "8x", "NaN", "Infinity", "9" * 20, "0b1", "٨", "8,<b>"])
def test_what_is_no_shape_has_a_reason(model, typed):
    (found,) = model.map("spec", "parseShape", [typed])
    assert found["error"]["kind"] == "size"
    assert found["error"]["values"]["found"] in typed


@pytest.mark.parametrize(
    "typed",
    [
        "x=2, y=4",
        "x = 2 y = 4",
        "x:2,y:4",
        "{'x': 2, 'y': 4}",
        "('x', 2), ('y', 4)",
        "(2, 4), ('x', 'y')",
        "('x', 'y'), (2, 4)",
        "jax.make_mesh((2, 4), ('x', 'y'))",
        "Mesh('x': 2, 'y': 4)",
        "jax.sharding.AbstractMesh((2, 4), ('x', 'y'))",
        "ｘ＝２，ｙ＝４",
        "dict(x=2, y=4)",
    ],
)
def test_meshes_are_read(model, typed):
    """Also as JAX prints them, and as the arguments of what makes them."""
    assert model.map("spec", "parseMesh", [typed]) == [{"mesh": {"names": ["x", "y"], "sizes": [2, 4]}}]


@pytest.mark.parametrize(
    ("typed", "kind"),
    [
        ("x=2, 4", "mesh"),
        ("x=", "mesh"),
        ("x=2=3", "mesh"),
        ("x, y", "counts"),
        ("(2, 4), ('x',)", "counts"),
        ("x=a", "size"),
        ("x=-2", "size"),
        ("<b>=2", "name"),
        ("x=2," * 1000, "too-long-text"),
    ],
)
def test_what_is_no_mesh_has_a_reason(model, typed, kind):
    assert model.map("spec", "parseMesh", [typed])[0]["error"]["kind"] == kind


def test_meshes_are_read_as_jax_prints_them(model):
    """The text of a real mesh is a mesh with the types of its axes, and so is the call that makes it."""
    mesh = jax.make_mesh((2, 4), ("x", "data"), axis_types=(AxisType.Auto, AxisType.Explicit))
    texts = [
        str(mesh),
        "jax.make_mesh((2, 4), ('x', 'data'), axis_types=(AxisType.Auto, AxisType.Explicit))",
        "x=2, data=4, axis_types=(AxisType.Explicit,) * 2",
        "x=2, data=4, axis_types=(Auto,)",
    ]
    found = [each.get("mesh", {}).get("types") for each in model.map("spec", "parseMesh", texts)]
    assert found == [["Auto", "Explicit"], ["Auto", "Explicit"], ["Explicit", "Explicit"], None]
    assert model.map("spec", "parseMesh", texts)[0]["mesh"]["names"] == ["x", "data"]


@pytest.mark.parametrize("reader", ["parseSpec", "parseShape", "parseMesh"])
def test_no_text_takes_long(model, reader):
    """Whatever is typed or pasted is answered at once."""
    texts = [
        sign * count
        for count in (1999, 10**6)
        for sign in ["(", ")", " ", "'", ",", "=", "x ", "x=", "((,", "ﷺ", "x\n", "𝕩", "\u202e", "1 ", "'x"]
    ]
    assert all(answer.milliseconds < 50 for answer in model.timed(["spec", reader, text] for text in texts))
