"""What must move, against counting elements one by one."""

import math
import re

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from jax.sharding import Mesh, NamedSharding, SingleDeviceSharding
from jax.sharding import PartitionSpec as P
from strategies import Journey, journeys, needs_unreduced
from test_show import ARRAYS, on, parsed, texts

import shardbook as sb

ROWS = on((2, 4), P("x"), (8, 8))
COLUMNS = on((2, 4), P(None, "y"), (8, 8))


def owned(sharding, shape):
    """Which elements each device holds, as JAX says: a boolean array a device."""
    found = {}
    for device, index in sharding.devices_indices_map(shape).items():
        found[device.id] = np.zeros(shape, bool)
        found[device.id][index] = True
    return found


@given(journeys())
def test_each_device_receives_what_it_lacks(journey: Journey):
    """Element by element: needed afterwards and not held before, on meshes that may share no device."""
    before, after, shape = journey
    moves = sb.moves(sb.layout(before, shape, "float32"), sb.layout(after, shape, "float32"))
    had, has = owned(before, shape), owned(after, shape)
    lacking = {device: needed & ~had.get(device, np.zeros(shape, bool)) for device, needed in has.items()}
    assert [receipt.device for receipt in moves.receipts] == sorted(has)
    assert {receipt.device: receipt.elements for receipt in moves.receipts} == {
        device: int(lacks.sum()) for device, lacks in lacking.items()
    }
    assert moves.bytes == 4 * sum(int(lacks.sum()) for lacks in lacking.values())
    for receipt in moves.receipts:
        region = np.zeros(shape, bool)
        region[receipt.index] = True
        kept = np.zeros(shape, bool)
        if receipt.kept is not None:
            kept[receipt.kept] = True
        assert (region == has[receipt.device]).all()
        assert (region & ~kept == lacking[receipt.device]).all()


@given(journeys(), st.data())
def test_parts_are_what_is_lacking_and_who_has_it(journey: Journey, data: st.DataObject):
    """The parts of a device are disjoint, make up what it lacks, and every source holds its part before."""
    before, after, shape = journey
    moves = sb.moves(sb.layout(before, shape), sb.layout(after, shape))
    receipt = data.draw(st.sampled_from(moves.receipts))
    had = owned(before, shape)
    times = np.zeros(shape, int)
    for part in moves.parts(receipt.device):
        times[part.index] += 1
        assert receipt.device not in part.devices
        assert all(had[device][part.index].all() for device in part.devices)
    assert times.max(initial=0) <= 1
    assert times.sum() == receipt.elements


@given(journeys())
def test_nothing_moves_to_stay(journey: Journey):
    """The same layout twice moves nothing; and what is never held by a device it must receive whole."""
    before, _, shape = journey
    layout = sb.layout(before, shape, "float32")
    assert sb.moves(layout, layout).bytes == 0
    elsewhere = SingleDeviceSharding(jax.devices()[0])
    (receipt,) = sb.moves(layout, elsewhere).receipts
    held = 0 in before.mesh.device_ids
    assert held or receipt.elements == math.prod(shape)


@pytest.mark.parametrize(
    ("before", "after", "each", "total"),
    [
        # 64 float32 are 256 bytes.
        (P("x", "y"), P(), 256 - 32, 8 * 224),
        (P(), P("x", "y"), 0, 0),
        (P("x", "y"), P(None, "y"), 32, 8 * 32),
        (P("x"), P("y"), 64, 4 * 64),
        (P("x", "y"), P("y", "x"), 32, 4 * 32 + 4 * 16),
        (P(("x", "y")), P(("y", "x")), 32, 6 * 32),
    ],
)
def test_by_hand(before, after, each, total):
    """Known amounts: gathering costs the rest, slicing nothing, swapping axes all but what stays."""
    moves = sb.moves(on((2, 4), before, (8, 8)), on((2, 4), after, (8, 8)))
    assert (moves.bytes_per_device, moves.bytes) == (each, total)


def test_small_dtypes_count_bits():
    """Three int4 elements are two bytes; without a dtype there are none."""
    assert sb.moves(on((2,), P("x"), (6,), "int4"), on((2,), P(), (6,), "int4")).receipts[0].bytes == 2
    bare = sb.moves(on((2,), P("x"), (6,), None), on((2,), P(), (6,), None))
    assert (bare.bytes, bare.bytes_per_device, bare.elements) == (None, None, 6)
    assert "6 elements" in str(bare)


def test_arrays_and_shardings_will_do():
    """An array, a struct, a sharding or a spec for the same mesh: the same answer."""
    mesh = Mesh(np.array(jax.devices()[:8]).reshape(2, 4), ("x", "y"))
    x = jax.device_put(jnp.zeros((8, 8)), NamedSharding(mesh, P("x")))
    y = jax.device_put(x, NamedSharding(mesh, P(None, "y")))
    struct = jax.ShapeDtypeStruct(y.shape, y.dtype, sharding=y.sharding)
    assert len({sb.moves(x, after).bytes for after in (y, struct, y.sharding, P(None, "y"), sb.layout(y))}) == 1
    keys = jax.device_put(jax.random.split(jax.random.key(0), 8), NamedSharding(mesh, P("x")))
    assert sb.moves(keys, P()).bytes == 8 * 4 * 8


def test_no_dimensions():
    """A scalar is one element, which a device has or has not."""
    two = [Mesh(np.array(jax.devices()[at : at + 2]), ("x",)) for at in (0, 1)]
    moves = sb.moves(*(sb.layout(NamedSharding(mesh, P()), (), "int8") for mesh in two))
    assert [(receipt.device, receipt.elements, receipt.kept) for receipt in moves.receipts] == [
        (1, 0, ()),
        (2, 1, None),
    ]
    assert moves.parts(2) == (sb.Piece((), (0, 1)),)
    with pytest.raises(KeyError, match="device 0 holds nothing afterwards"):
        moves.parts(0)


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        (ROWS, on((2, 4), P(), (8, 4)), r"shapes differ: \(8, 8\) before, \(8, 4\) after; ask for .* same shape"),
        (ROWS, on((2, 4), P(), (8, 8), "int8"), "dtypes differ: float32 before, int8 after; a cast is no move"),
        (
            ROWS,
            sb.layout(SingleDeviceSharding(jax.devices()[0]), (8, 8), "float32"),
            "the mesh before is abstract, .* real mesh",
        ),
    ],
)
def test_refusals(before, after, message):
    """What cannot be compared is refused, with what to do."""
    with pytest.raises(ValueError, match=message):
        sb.moves(before, after)


@needs_unreduced
def test_partial_results_are_refused():
    """Their sum is no matter of moving."""
    with pytest.raises(ValueError, match=r"after holds partial results over 'y': .* collectives"):
        sb.moves(ROWS, on((2, 4), P(unreduced={"y"}), (8, 8)))


def test_plain_text():
    """Before, after, the sums, and a row for each device."""
    assert (
        str(sb.moves(on((2,), P("x"), (4,)), on((2,), P(), (4,))))
        == """\
before: float32[4@x]
              4@x
           0:2   2:4
mesh     ┌─────┬─────┐
x →      │  0  │  1  │
 0  1    └─────┴─────┘
after: float32[4]
   4
  0:4
┌─────┐
│ 0 1 │
└─────┘
must cross devices, at least  16 B
one device receives at most   8 B
devices that receive          2 of 2

device  needs  has already  must receive  from any of
0       [0:4]  [0:2]        8 B (50%)     1
1       [0:4]  [2:4]        8 B (50%)     0
Abstract mesh: the numbers are positions in it, not device ids."""
    )


def test_html_has_both_pictures_and_the_table():
    """Two drawings, an arrow nobody reads aloud, and the same rows."""
    tree = parsed(sb.moves(ROWS, COLUMNS))
    assert len(tree.xpath(ARRAYS)) == 2
    assert tree.xpath("//*[@class='sb-arrow']/@aria-hidden") == ["true"]
    assert ["".join(cell.itertext()) for cell in tree.xpath("//tbody/tr[1]/td")] == [
        "0", "[0:8, 0:2]", "[0:4, 0:2]", "32 B (50%)", "4–7",
    ]  # fmt: skip
    assert not tree.xpath("//script | //@id | //@href | //@src")


def test_many_devices_are_summed_up():
    """A row for all that need and keep as much; 4096 devices take no time."""
    moves = sb.moves(on((64, 64), P("x", "y"), (640, 6400)), on((64, 64), P("y", "x"), (640, 6400)))
    rows = parsed(moves).xpath("//tbody/tr")
    assert sum(int(texts(moves, f"//tbody/tr[{at + 1}]/td[1]")[0].split()[0]) for at in range(len(rows))) == 4096
    assert len(moves.html()) < 14 * 1024


def test_size():
    """Two pictures of 8 devices in 12 KB, of 512 in 100 KB."""
    assert len(sb.moves(ROWS, COLUMNS).html("zh").encode()) <= 12 * 1024
    many = [on((16, 32), spec, (1024, 50304)) for spec in (P("x", "y"), P("y", "x"))]
    assert len(sb.moves(*many).html("zh").encode()) <= 100 * 1024


def test_chinese():
    """Only notation is in Latin letters."""
    html = re.sub(r"<style>.*?</style>", "", sb.moves(ROWS, COLUMNS, language="zh").html())
    said = " ".join([*re.findall(r'aria-label="([^"]*)"', html), re.sub("<[^>]*>", " ", html)])
    assert set(re.findall("[A-Za-z]{2,}", said)) == {"float"}
    assert "要接收" in str(sb.moves(ROWS, COLUMNS, language="zh"))


def test_no_line_is_too_long():
    """Where the table does not fit, each row becomes a block."""
    moves = sb.moves(ROWS, COLUMNS)
    assert max(line.cell_len for line in moves.text(40)) <= 40
    assert "must receive  32 B (50%)" in "\n".join(line.plain for line in moves.text(40))
