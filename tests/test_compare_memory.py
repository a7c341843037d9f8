"""The memory of plans side by side: rows with bars to one scale."""

import re
from dataclasses import replace

import jax
import pytest
from test_collectives import struct
from test_show import parsed

import shardbook as sb
from shardbook import _compare_memory_view as view
from shardbook._memory import Held

FOUND = sb.memory(abs, struct((64, 32), "x"))


def holding(arguments, outputs=0, aliased=0, temporaries=0, **more):
    return replace(FOUND, device=Held(arguments, outputs, aliased, temporaries, 0), **more)


PLANS = {
    "whole": holding(4096, 4096, 4096, 4096),
    "split": holding(1024, 2048, 1024, 0),
}


def boxes(comparison):
    """Of each bar the class, the begin and the width of its boxes."""
    rows = parsed(comparison).xpath("//tbody/tr")
    return [
        [(box.get("class"), int(box.get("x")), int(box.get("width"))) for box in row.xpath(".//rect")] for row in rows
    ]


def test_a_bar_a_plan():
    """As long as what it says beside it: the longest fills the column, the others are to its scale."""
    compared = sb.compare(PLANS)
    arguments, outputs, temporaries = view.COLOURS
    assert boxes(compared) == [
        [(arguments, 0, 100), (temporaries, 100, 100)],
        [(arguments, 0, 25), (outputs, 25, 25)],
    ]
    assert compared.parts == {"whole": (4096, 0, 4096), "split": (1024, 1024, 0)}
    assert compared.smallest == ("split",)
    assert [line.split()[:2] for line in str(compared).splitlines()[1:3]] == [
        ["whole", "█" * 6 + "░" * 6],
        ["split", "██▒"],
    ]


@pytest.mark.parametrize("sizes", [(1, 1, 1), (5, 0, 7), (0, 0, 0), (10**12, 1, 1)])
def test_a_bar_is_as_long_as_its_sum(sizes):
    """However its parts are rounded."""
    pieces = view._pieces(sizes, 3 * max(1, *sizes), 60)
    assert pieces[-1][1] == round(60 * sum(sizes) / (3 * max(1, *sizes)))
    assert all(begin <= end for begin, end in pieces)


def test_equal_plans_are_not_marked():
    assert "least" not in str(sb.compare({"a": PLANS["split"], "b": PLANS["split"]}))
    assert str(sb.compare(PLANS)).count("(least)") == 1


def test_against_the_chip():
    """A column more where a plan is for a chip that is known; a dash for those that are not."""
    chip = holding(3 * 2**30, chip="v5e", capacity=4 * 2**30, platform="tpu")
    compared = sb.compare({"chip": chip, "cpu": PLANS["whole"]})
    head, first, second = ([*row.itertext()] for row in parsed(compared).xpath("//tr"))
    assert head[-1] == "of chip"
    assert (first[-1], second[-1]) == ("75%", "—")
    assert "XLA for CPU" not in str(compared)
    assert "of chip" not in str(sb.compare(PLANS))
    assert "XLA for CPU" in str(sb.compare(PLANS))


def test_what_takes_turns_is_said():
    """A TPU needs its peak, which may be less than the sum that the bar shows."""
    peak = holding(4096, temporaries=4096, platform="tpu", peak=6144)
    compared = sb.compare({"a": peak, "b": holding(8192)})
    assert compared.smallest == ("a",)
    assert "take turns in one place" in " ".join(str(compared).split())


def test_80_columns_and_ascii():
    long = {f"a plan with a long name {number}": PLANS["whole"] for number in range(3)}
    for width in (40, 80, 200):
        assert max(line.cell_len for line in sb.compare(long).text(width)) <= width
    assert sb._display.in_ascii("█▒░") == "#=-"


def test_chinese_and_hostile_names():
    compared = sb.compare({"甲": PLANS["whole"], "<b>": PLANS["split"]}, language="zh")
    assert "<b>" not in compared.html()
    html = re.sub(r"<style>.*?</style>", "", compared.html())
    said = " ".join([*re.findall(r'aria-label="([^"]*)"', html), re.sub("<[^>]*>", " ", html)])
    assert set(re.findall("[A-Za-z]{4,}", said)) <= set()
    assert "2 KiB（最少）" in str(compared)


def test_one_kind_at_a_time():
    sent = sb.collectives(jax.numpy.sum, struct((64, 32), "x"))
    with pytest.raises(TypeError, match=r"got Collectives for 'a' and Memory for 'b'\. Compare each kind by"):
        sb.compare({"b": FOUND, "a": sent})
