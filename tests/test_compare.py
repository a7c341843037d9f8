"""Plans side by side."""

import re

import pytest
from jax import lax
from test_collectives import BLOCK, X, grid, mapped, struct
from test_corpus import found_in
from test_show import parsed
from test_totals import ALONG_X, ALONG_Y, either, read

import shardbook as sb

ADD, ADD_TWICE, OTHER = (
    read(("all-reduce", ALONG_Y, 4, 1)),
    read(("all-reduce", ALONG_Y, 4, 1), ("all-reduce", ALONG_Y, 4, 2)),
    read(("all-reduce", ALONG_X, 4, 1)),
)


def cells(comparison):
    """The table: its head and its rows."""
    (table,) = parsed(comparison).xpath("//table")
    return [["".join(cell.itertext()) for cell in row.xpath("th|td")] for row in table.xpath(".//tr")]


def test_a_column_a_plan():
    """A row for each operation and its axes, dearest first, then the sum; the cheapest is marked."""
    compared = sb.compare({"one": ADD, "two": ADD_TWICE, "other": OTHER})
    assert cells(compared) == [
        ["operation", "along", "one", "two", "other"],
        ["all-reduce", "y", "6 KiB", "12 KiB", "—"],
        ["all-reduce", "x", "—", "—", "4 KiB"],
        ["together", "", "6 KiB", "12 KiB", "4 KiB (least)"],
    ]
    assert compared.cheapest == ("other",)
    assert list(compared.rows) == [("all-reduce", ("y",)), ("all-reduce", ("x",))]
    assert compared.rows["all-reduce", ("y",)]["two"] == sb.Total("all-reduce", ("y",), 2, 12288, 0, False)
    assert list(compared.plans) == ["one", "two", "other"]
    assert str(compared).endswith("mesh  x=2, y=4")


def test_equal_plans_are_not_marked():
    """Two of three may be; none is where all cost the same."""
    assert "least" not in str(sb.compare({"a": ADD, "b": ADD}))
    some = sb.compare({"a": OTHER, "b": OTHER, "c": ADD})
    assert some.cheapest == ("a", "b")
    assert str(some).count("(least)") == 2


def test_a_plan_is_cheapest_only_if_it_is_so_in_any_case():
    """Neither a branch nor a loop that may turn often or never decides it."""
    loop = sb.collectives(
        mapped(lambda x: lax.while_loop(lambda c: c.sum() < 9, lambda c: lax.psum(c, "y") + 1, lax.psum(x, "x"))), X
    )
    branches = either()
    assert (loop.bytes_at_least, branches.bytes_at_least, branches.bytes_per_device) == (BLOCK, BLOCK, 4 * BLOCK)
    small, middle, large = (read(("all-reduce", ALONG_X, kib, 1)) for kib in (1, 2, 5))
    assert sb.compare({"loop": loop, "small": small}).cheapest == ("small",)
    assert sb.compare({"loop": loop, "middle": middle}).cheapest == ()
    assert sb.compare({"loop": loop, "large": large}).cheapest == ()
    assert sb.compare({"branches": branches, "small": small}).cheapest == ("small",)
    assert sb.compare({"branches": branches, "middle": middle}).cheapest == ()
    assert sb.compare({"branches": branches, "large": large}).cheapest == ("branches",)
    text = " ".join(str(sb.compare({"loop": loop, "branches": branches})).split())
    for said in ("1 KiB once + 1.5 KiB per turn", "≤ 4 KiB", "Per turn:", "≤: in a branch", "add up to more"):
        assert said in text


def test_other_meshes():
    """Names of axes are what is compared; each plan says its mesh."""
    eight = grid(8)
    one = sb.collectives(lambda a: a.sum(0), struct((16, 32), "x", mesh=eight))
    compared = sb.compare({"<b>": one, "grid": ADD, "none": sb.collectives(lambda a: a + 1, 1.0)})
    assert str(compared).splitlines()[-3:] == ["<b>   x=8", "grid  x=2, y=4", "none  devices 1"]
    assert "<b>" not in compared.html()
    assert "&lt;b&gt;" in compared.html()
    assert compared.cheapest == ("none",)
    nothing = sb.compare({"none": sb.collectives(lambda a: a + 1, 1.0)})
    assert cells(nothing)[1:] == [["together", "", "0 B"]]


def test_three_compilers():
    """What they make of one sum in bfloat16: the CPU's is of float32, and that is said."""
    compared = sb.compare({name: found_in("psum_of_bfloat16", name) for name in ("cpu", "h100", "v5e")})
    assert compared.cheapest == ("h100", "v5e")
    assert cells(compared)[1:] == [
        ["all-reduce", "y", "384 KiB", "192 KiB", "192 KiB"],
        ["together", "", "384 KiB", "192 KiB (least)", "192 KiB (least)"],
    ]
    assert "cpu: XLA for CPU carries bfloat16 as float32" in str(compared)
    assert "h100: " not in str(compared)


def test_groups_that_are_no_whole_axes():
    """One row of them all: what they are is said if all are alike."""
    halves = mapped(lambda a: lax.psum(a, "y", axis_index_groups=[[0, 1], [2, 3]]))
    first = sb.collectives(halves, X)
    assert cells(sb.compare({"a": first, "b": first}))[1][:2] == ["all-reduce", "part of y"]
    alone = read(("all-reduce", "{{0,5},{1,2},{3,4},{6,7}}", 4, 1))
    assert cells(sb.compare({"a": first, "b": alone}))[1][:2] == ["all-reduce", "other groups"]


def test_80_columns():
    """Plans of many names stand below each other where they do not fit beside each other."""
    compared = sb.compare({f"a plan with a long name {number}": ADD for number in range(6)})
    for width in (40, 80, 200):
        assert max(line.cell_len for line in compared.text(width)) <= width
    assert len(compared.text(200)) == 4


def test_chinese():
    """Only names stay in Latin letters; show sets the language."""
    compared = sb.show(sb.compare({"甲": ADD, "乙": OTHER}), language="zh")
    assert "4 KiB（最少）" in str(compared)
    html = re.sub(r"<style>.*?</style>", "", compared.html())
    said = " ".join([*re.findall(r'aria-label="([^"]*)"', html), re.sub("<[^>]*>", " ", html)])
    assert set(re.findall("[A-Za-z]{4,}", said)) <= {"reduce"}
    assert sb.compare({"甲": ADD}, language="zh").language == "zh"


def test_what_is_no_plan_is_refused():
    """With what was given, and what to give."""
    with pytest.raises(TypeError, match=r"takes a dict of plans by their names.*: got Collectives"):
        sb.compare(ADD)
    with pytest.raises(TypeError, match="takes what collectives or memory returns, by names: got int for 'a'"):
        sb.compare({"a": 3})
    with pytest.raises(TypeError, match="by names: got Collectives for 3"):
        sb.compare({3: ADD})
    with pytest.raises(ValueError, match="one plan at least, got none"):
        sb.compare({})
    with pytest.raises(ValueError, match="language must be one of"):
        sb.compare({"a": ADD}, language="fr")
