"""Sums by operation and axes, and the rows that a table has of many operations."""

import re

import jax
import pytest
from jax import lax
from jax.sharding import PartitionSpec as P
from test_collectives import BLOCK, MESH, X, mapped, struct
from test_corpus import CASES, found_in
from test_show import parsed

import shardbook as sb
from shardbook import _collectives_view, _totals
from shardbook._collectives import read_program
from shardbook._collectives_view import SHOWN_ROWS
from shardbook._messages import MESSAGES

KIB = 1024
ALONG_X, ALONG_Y = "[4,2]<=[2,4]T(1,0)", "[2,4]<=[8]"


def program(*operations):
    """A program of x = 2 by y = 4 devices: each operation is (opcode, groups, KiB it is given, line)."""
    lines = []
    for number, (opcode, groups, kib, line) in enumerate(operations):
        shape = f"f32[{kib * KIB // 4}]{{0}}"
        lines.append(f'  %a{number} = {shape} parameter({number}), metadata={{op_name="a"}}')
        lines.append(
            f"  %c{number} = {shape} {opcode}(%a{number}), replica_groups={groups}, to_apply=%add, "
            f'metadata={{op_name="jit(f)/psum" source_file="/u/model.py" source_line={line}}}'
        )
    body = "\n".join(lines)
    return f"HloModule jit_f, num_partitions=8\nENTRY %main () -> f32[] {{\n{body}\n}}\n"


def read(*operations):
    return read_program(program(*operations), [{"x": 2, "y": 4}], name="f")


# 24 of 30 lines add along y, the others along x: as many KiB as the number of their line, 21 or 23 times each.
MANY = [
    ("all-reduce", ALONG_Y if line <= 24 else ALONG_X, line, line)
    for line in range(1, 31)
    for _ in range(21 + line % 2 * 2)
]


def test_sums_by_hand():
    """Operation, axes, how many, bytes in one call: 3/2 of what is given along y, as much as is given along x."""
    found = read(*MANY)
    times = {line: 21 + line % 2 * 2 for line in range(1, 31)}
    along_y = sum(line * KIB * 3 // 2 * times[line] for line in range(1, 25))
    along_x = sum(line * KIB * times[line] for line in range(25, 31))
    assert found.totals == (
        sb.Total("all-reduce", ("y",), sum(times[line] for line in range(1, 25)), along_y, 0, False),
        sb.Total("all-reduce", ("x",), sum(times[line] for line in range(25, 31)), along_x, 0, False),
    )
    assert found.bytes_per_device == found.bytes_once == found.bytes_at_least == along_y + along_x
    assert [total.bytes_per_device for total in found.totals] == [along_y, along_x]


def rows_of(found):
    """The cells of the table of operations."""
    tables = parsed(found).xpath("//table")
    return [[cell.text for cell in row.xpath("td")] for row in tables[-1].xpath("tbody/tr")]


def test_equal_operations_share_a_row():
    """660 operations of 30 lines: 20 rows, the dearest first, and one line for the rest, whose sum it says."""
    found = read(*MANY)
    assert len(found) == 660
    rows = rows_of(found)
    assert len(rows) == SHOWN_ROWS
    cost = {line: line * KIB * (3 if line <= 24 else 2) // 2 * (21 + line % 2 * 2) for line in range(1, 31)}
    order = sorted(cost, key=cost.get, reverse=True)
    assert [row[-1] for row in rows] == [f"model.py:{line}" for line in order[:SHOWN_ROWS]]
    assert [row[-2] for row in rows] == [str(21 + line % 2 * 2) for line in order[:SHOWN_ROWS]]
    rest = sum(cost[line] for line in order[SHOWN_ROWS:]) / KIB**2
    assert f"\nand 10 more: {rest:.2f} MiB\n" in str(found)
    assert f"and 10 more: {rest:.2f} MiB" in found.html()
    # The order of the program stays what one iterates over.
    assert [operation.source.line for operation in found] == [line for *_, line in MANY]


def test_as_many_rows_as_are_shown_are_all():
    """Twenty need no line for the rest; twenty-one have one row in it."""
    lines = [("all-reduce", ALONG_Y, line, line) for line in range(1, SHOWN_ROWS + 2)]
    assert " more: " not in str(read(*lines[:-1]))
    assert "and 1 more: 1.5 KiB" in str(read(*lines))


def test_what_differs_has_rows_of_its_own():
    """Files of one name in two folders, and arrays of the same bytes."""
    text = program(("all-reduce", ALONG_Y, 4, 7), ("all-reduce", ALONG_Y, 4, 7))
    other = text.replace("/u/model.py", "/v/model.py", 1)
    assert len(rows_of(read_program(text, [{"x": 2, "y": 4}]))) == 1
    square = text.replace("f32[1024]{0}", "f32[32,32]{1,0}", 2)
    for each in (other, square):
        assert len(rows_of(read_program(each, [{"x": 2, "y": 4}]))) == 2


def test_the_sums_are_shown_where_they_tell_more():
    """Not of two operations that each run once: their rows are their sums."""
    one, other = ("all-reduce", ALONG_Y, 4, 1), ("all-reduce", ALONG_X, 4, 2)
    assert "in one call" not in str(read(one, other))
    assert "in one call" not in str(read(one, one))
    text = str(read(one, one, other))
    assert text.splitlines()[1:4] == [
        "operation   along  count  in one call  share",
        "all-reduce  y      2      12 KiB       75%",
        "all-reduce  x      1      4 KiB        25%",
    ]


def test_shares():
    """What is there has one: less than a hundredth is not none."""
    text = str(read(("all-reduce", ALONG_X, 1, 1), ("all-reduce", ALONG_X, 1, 2), ("all-reduce", ALONG_Y, 1000, 3)))
    assert "x      2      2 KiB        <1%" in text
    assert "1.46 MiB     100%" in text


def test_80_columns_hold_one_wide_row():
    """It is shortened, and makes no block of lines of every row; where there is room it is whole."""
    wide = ", ".join(f"f32[{size}]{{0}}" for size in range(100, 112))
    text = program(*[("all-reduce", ALONG_Y, 4, line) for line in range(1, 4)] * 2).replace(
        "ENTRY %main () -> f32[] {\n",
        "ENTRY %main () -> f32[] {\n"
        f'  %w = ({wide}) parameter(99), metadata={{op_name="w"}}\n'
        f"  %r = ({wide}) all-reduce(%w), replica_groups={ALONG_X}, to_apply=%add, "
        'metadata={op_name="jit(f)/psum" source_file="/u/a_rather_long_name.py" source_line=12}\n',
    )
    found = read_program(text, [{"x": 2, "y": 4}], name="f")
    for width in (80, 100):
        lines = [line.plain for line in found.text(width)]
        assert max(map(len, lines)) <= width
        # The name, sums of two, a line between, rows of four, each with its head, and two lines of facts.
        assert len(lines) == 1 + 3 + 1 + 5 + 2
        assert sum("…" in line for line in lines) == 1
    assert "…" not in "".join(line.plain for line in found.text(250))
    assert "…" not in found.html().partition("<table>")[2]


def test_a_line_of_another_width():
    """Every row keeps to any width, in blocks at last."""
    found = read(*MANY)
    for width in (30, 50, 70, 80, 120):
        assert max(line.cell_len for line in found.text(width)) <= width


# Loops and branches


def test_turns_in_turns():
    """Five turns in a loop of unknown length are five a turn; such a loop in three turns is three a turn."""

    def inside(x):
        five = lambda c: lax.scan(lambda d, _: (lax.psum(d, "y") / 4, None), c, None, length=5)[0]  # noqa: E731
        return lax.while_loop(lambda c: c.sum() < 9, five, lax.psum(x, "x"))

    def around(x):
        def turn(c, _):
            return lax.while_loop(lambda d: d.sum() < 9, lambda d: lax.psum(d, "y") + 1, c), None

        return lax.scan(turn, x, None, length=3)[0]

    five, three = sb.collectives(mapped(inside), X), sb.collectives(mapped(around), X)
    assert (five.bytes_once, five.bytes_per_turn) == (BLOCK, 5 * BLOCK * 3 // 2)
    assert (three.bytes_once, three.bytes_per_turn) == (0, 3 * BLOCK * 3 // 2)
    assert "each device receives  1 KiB once + 7.5 KiB per turn" in str(five)
    assert "each device receives  4.5 KiB per turn" in str(three)
    # What may turn any number of times comes first.
    assert [total.axes for total in five.totals] == [("y",), ("x",)]
    assert "share" not in str(five)
    assert "固定 1 KiB + 每轮 7.5 KiB" in five.plain("zh")


def either():
    """One branch adds along y, the other gathers along y; a sum along x is always made."""

    def fn(p, a):
        def gather(a):
            return lax.all_gather(a * 2, "y", tiled=True)[:16]

        return lax.psum(lax.cond(p, gather, lambda a: lax.psum(a * 3, "y"), a), "x")

    specs = {"in_specs": (P(), P("x", "y")), "out_specs": P("x", "y")}
    return sb.collectives(jax.shard_map(fn, mesh=MESH, check_vma=False, **specs), struct((), dtype="bool"), X)


def test_sums_of_branches_are_bounds():
    """Each is true of its operation; that they add up to more than the whole is said."""
    found = either()
    sums = {(total.operation, total.axes): (total.bytes_per_device, total.at_most) for total in found.totals}
    assert sums == {
        ("all-gather", ("y",)): (3 * BLOCK, True),
        ("all-reduce", ("y",)): (3 * BLOCK // 2, True),
        ("all-reduce", ("x",)): (BLOCK, False),
    }
    assert found.bytes_per_device == BLOCK + 3 * BLOCK
    assert found.bytes_at_least == BLOCK
    # Where there are no sums, as the rows say it already, nothing is said of them.
    assert "add up to more" not in str(found)
    assert "The sums by operation add up to more" in " ".join(str(sb.compare({"either": found})).split())
    assert "share" not in str(found)


# Real programs, and what could break


def consistent(found):
    """What holds of any program."""
    sums = found.totals
    assert sum(total.count for total in sums) == len(found)
    assert len({(total.operation, total.axes) for total in sums}) == len(sums)
    for whole, parts in (
        (found.bytes_once, [total.bytes_once for total in sums]),
        (found.bytes_per_turn, [total.bytes_per_turn for total in sums]),
    ):
        assert sum(parts) >= whole
        assert found.at_most or sum(parts) == whole
    assert any(total.at_most for total in sums) == found.at_most
    order = [(total.bytes_per_turn, total.bytes_once) for total in sums]
    assert order == sorted(order, reverse=True)
    rows = _collectives_view._rows(found, MESSAGES["en"])
    assert sum(len(row.operations) for row in rows) == len(found)
    costs = [[one.bytes_per_device * (one.times_per_turn + one.times_once) for one in row.operations] for row in rows]
    assert all(len(set(each)) == 1 for each in costs)
    exceeds = sum(total.bytes_once + total.bytes_per_turn for total in sums) > found.bytes_once + found.bytes_per_turn
    assert exceeds == ("add up to more" in str(sb.compare({"a": found})))
    assert not exceeds or ("in one call" in str(found)) == ("add up to more" in str(found))
    assert max((line.cell_len for line in found.text(80)), default=0) <= 80


@pytest.mark.parametrize(("name", "compiler"), CASES)
def test_the_sums_of_what_three_compilers_wrote(name, compiler):
    """They are the whole's, and every operation is in one row."""
    consistent(found_in(name, compiler))


FAULTS = {
    "of the branches the cheapest counts": (_totals, "max", min),
    "sums know no branches": (
        _totals,
        "_received",
        lambda operations, _: _totals.Received(0, sum(one.bytes_per_device * one.times_once for one in operations)),
    ),
    "rows are of all arrays of a line": (_collectives_view, "_arrays", lambda *_: ""),
    "rows that are not shown are not told": (_collectives_view, "_more", lambda *_: []),
    "what the sums exceed is not said": (_collectives_view, "_exceed", lambda _: False),
}


def everything():
    """Arithmetic, and what holds of any program."""
    test_sums_by_hand()
    test_equal_operations_share_a_row()
    test_what_differs_has_rows_of_its_own()
    test_sums_of_branches_are_bounds()
    consistent(either())
    for name, compiler in CASES:
        consistent(found_in(name, compiler))


@pytest.mark.parametrize("fault", FAULTS)
def test_planted_faults_are_found(fault, monkeypatch):
    """Each is seen."""
    monkeypatch.setattr(*FAULTS[fault], raising=False)
    with pytest.raises(AssertionError):
        everything()


def test_cells_are_escaped():
    """A function may be called anything."""
    text = program(("all-reduce", ALONG_Y, 4, 1)).replace("/u/model.py", "/u/<b>.py")
    html = read_program(text, [{"x": 2, "y": 4}], name="<i>").html()
    assert "<b>" not in html
    assert "<i>" not in html
    assert "&lt;b&gt;.py:1" in html


def test_chinese():
    """Its words, and only names in Latin letters."""
    text = read(*MANY).plain("zh")
    assert set(re.findall("[A-Za-z]{4,}", text)) <= {"reduce", "float", "model"}
    assert "另有 10 行" in text
