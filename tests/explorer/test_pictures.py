"""The explorer's pictures: what shardbook.show draws, state by state, in both languages; and planted faults, which must show."""

import os
import re
import shutil
import sys

import jax
import judge
import numpy as np
import pytest
import states
from jax.sharding import AbstractMesh, AxisType, NamedSharding
from model import MODULES, PACKAGE, Model, faulty

import shardbook as sb
from shardbook._messages import MESSAGES
from shardbook_sphinx.exceptions import HandbookError
from shardbook_sphinx.explorer import script

CASES = 20_000 if os.environ.get("HYPOTHESIS_PROFILE") == "long" else 2000
SOME = 400  # in which a fault shows
AT_ONCE = 25
MANY = [[4096], [24, 24], [20, 20], [64, 64], [16, 16, 16], [8, 8, 8, 8], [1000, 3], [4, 4, 4, 4, 4, 4]]
LONG = "a_name_as_long_as_can_be"
# What only some pictures have: a part of the text of each.
PARTS = {
    "a box that names its piece": "<title>",
    "boxes of one colour as a path": "<path",
    "a label that is turned": "rotate(-90)",
    "ranges on two lines": ':</text><text class="sb-mid"',
    "a label in the corner": "sb-dim sb-end",
    "pieces that are left out": ">⋯</text>",
    "panels that are left out": "sb-gap",
    "bands or panels": "</svg><svg",
    "no elements": "sb-empty",
    "a mesh of numbers": '<rect class="sb-h1 sb-s0 sb-p1"',
    "a mesh without numbers": " →</text></g></svg></div><svg",
    "a mesh of several grids": ">x=1</text>",
    "a width that scrolls": "tabindex",
    "runs of devices": "–",
    "devices that are only counted": ">×",
}


def pictured(draw, number):
    """A state as for layouts; some over more devices than there are, some with long ranges or a long name."""
    state = many_devices(draw) if number % 20 == 0 else states.valid(draw, largest=draw.choice([3, 3, 40, 3000]))
    if number % 5 == 0:
        mesh, old = state["mesh"], state["mesh"]["names"][0]
        state["mesh"] = {**mesh, "names": [LONG, *mesh["names"][1:]]}
        state["spec"] = [[LONG if name == old else name for name in axes] for axes in state["spec"]]
    return {**state, "to": None, "product": None}


def many_devices(draw):
    """A state over thousands of devices; in half of all cases each axis splits a dimension of its own."""
    sizes = draw.choice(MANY)
    types = [draw.choice(["Auto", "Explicit"]) for _ in sizes]
    mesh = {"names": draw.sample(states.NAMES, len(sizes)), "sizes": sizes, "types": types, "order": None}
    spec = states.spec(draw, mesh, draw.randint(1, 4)) if draw.random() < 0.5 else [[name] for name in mesh["names"]]
    shape = [parts * draw.randint(1, 40) for parts in states.parts(mesh, spec, len(spec))]
    return {"shape": shape, "dtype": draw.choice(states.DTYPES), "mesh": mesh, "spec": spec}


@pytest.fixture(scope="module")
def pictures():
    """States, each with one of the languages, and what Python draws of each."""
    draw = states.dice()
    print("seed", draw.seed_used)
    asked = [(pictured(draw, number), ("en", "zh")[number % 2]) for number in range(CASES)]
    return asked, [drawn_by_python(*each) for each in asked]


def drawn_by_python(state, language):
    """The figure of shardbook.show, without the remark that devices of an abstract mesh are positions."""
    mesh = state["mesh"]
    if np.prod(mesh["sizes"]) <= len(jax.devices()):
        sharding = judge.sharding_of(state, state["spec"])
    else:
        types = tuple(AxisType[name] for name in mesh["types"])
        abstract = AbstractMesh(tuple(mesh["sizes"]), tuple(mesh["names"]), axis_types=types)
        sharding = NamedSharding(abstract, judge.partition_spec(state["spec"]))
    whole = sb.show(sb.layout(sharding, tuple(state["shape"]), state["dtype"])).html(language)
    figure = whole[whole.index("<figure>") : -len("</div>")]
    return figure.replace(f"<p>{MESSAGES[language]['abstract']}</p>", "")


def wrong_pictures(model, asked, theirs):
    """The cases that the explorer draws otherwise than Python, with both pictures."""
    ours = model.ask(["picture", "figure", *each] for each in asked)
    return [(case, one, other) for case, one, other in zip(asked, theirs, ours, strict=True) if one != other]


def shows(model, asked, theirs):
    """Whether some picture is otherwise; a few are asked for at a time, as most faults show in the first of them."""
    starts = range(0, SOME, AT_ONCE)
    return any(wrong_pictures(model, asked[at : at + AT_ONCE], theirs[at : at + AT_ONCE]) for at in starts)


def test_each_picture_is_that_of_python(model, pictures):
    """Boxes, labels, colours, ranges, what is left out, the numbers beside it and the text equivalent."""
    asked, theirs = pictures
    wrong = wrong_pictures(model, asked, theirs)
    assert not wrong, f"{len(wrong)}, first {wrong[0]}"
    # The cases are what they should be: of all kinds.
    counts = {part: sum(text in each for each in theirs) for part, text in PARTS.items()}
    print(counts)
    assert [part for part, count in counts.items() if count < CASES / 400] == []


FAULTS = [
    ("svg.js", "* LINE + 6", "* LINE + 7"),
    ("svg.js", "share - gutter) / columns - gap", "share - gutter) / columns"),
    ("svg.js", 'text(x, y - 14, `${start}:`, "sb-mid"), text(x, y, stop, "sb-mid")', 'text(x, y - 14, stop, "sb-mid"), text(x, y, `${start}:`, "sb-mid")'),
    ("svg.js", "Boolean(panel.rowLabel) && !stands(panel, tall)", "false"),
    ("svg.js", "Math.max(left + wide + box.behind + 1,", "Math.max(left + wide + 1,"),
    ("svg.js", "4.5 - ((lines.length - 1) * LINE) / 2", "4.5"),
    ("svg.js", "1 / MOST_UNEQUAL), MOST_UNEQUAL)", "0), MOST_UNEQUAL)"),
    ("svg.js", "ratio <= 1 ? [longer, longer * ratio]", "ratio <= 1 ? [longer, longer]"),
    ("svg.js", "top - SHEET * behind];", "top + SHEET * behind];"),
    ("svg.js", "? devices[devices.length - 1] : null", "? devices[behind] : null"),
    ("svg.js", "pieces.length <= TITLED_PIECES ? SHEETS : FEW_SHEETS", "FEW_SHEETS"),
    ("svg.js", "lit: lit(place,", "lit: lit(id,"),
    ("svg.js", "places.size <= NUMBERED && ", ""),
    ("svg.js", "length(down) * LABEL + 6 <= 60", "true"),
    ("mesh_picture.js", "(level * down + row) * across + column", "(level * across + column) * down + row"),
    ("mesh_picture.js", "ids[position]", "position"),
    ("mesh_picture.js", "axes.length > 2", "axes.length > 9"),
    ("mesh_picture.js", "before.shade === shade", "true"),
    ("panels.js", 'columnLabel: column === null ? "" : dims[column]', 'columnLabel: row === null ? "" : dims[row]'),
    ("panels.js", "rows.length === 1 ? 6 : 4", "4"),
    ("panels.js", "isSplit(one) - isSplit(other) || one - other", "one - other"),
    ("panels.js", 'title: start ? "" : panel.title', "title: panel.title"),
    ("panels.js", "column === null ? 0 : layout.shape[column]]", "row === null ? 0 : layout.shape[row]]"),
    ("device_labels.js", "linesNeeded(sizes, narrower, count) !== count", "false"),
    ("device_labels.js", "linesNeeded(sizes, narrower, count) !== count", "true"),
    ("device_labels.js", "return lines > most ? null : lines;", "return lines;"),
    ("palette.js", "last <= HUES ? along", "last <= 3 ? along"),
    ("palette.js", "sizes.findLast((size) => size > 1) ?? 1", "sizes[sizes.length - 1]"),
    ("palette.js", "Math.floor(position / last), position % last", "position % last, Math.floor(position / last)"),
    ("caption.js", "    [words.total, size(layout.totalBytes)],\n", ""),
    ("caption.js", "words.per_device, size(layout.bytesPerDevice)", "words.per_device, size(layout.totalBytes)"),
    ("caption.js", "empty: layout.shape.includes(0), ", ""),
    ("caption.js", "sizes[at] > 1", "true"),
    ("caption.js", "join(words.clause)", "join(words.list)"),
    ("figure.js", "width > shared.FITS_PHONE ? 0 : null", "0"),
    ("figure.js", "mesh ? [drawMesh(found.mesh, words.mesh)] : []", "[]"),
    ("notation.js", "fixed(amount, 2)", "fixed(amount, 1)"),
    ("notation.js", "below % 2 ? below + 1 : below", "below + 1"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("module", "right", "wrong"), FAULTS, ids=[f"{at}-{each[0]}" for at, each in enumerate(FAULTS)]
)
def test_a_planted_fault_shows(tmp_path, pictures, module, right, wrong):
    """A wrong length, a swapped label, a row that is missing, …"""
    with faulty(tmp_path, module, right, wrong) as found:
        assert shows(found, *pictures)


# The numbers that both have


def package_with(folder, module, right, wrong):
    """A copy of the package in which one thing is otherwise."""
    package = shutil.copytree(PACKAGE, folder / "shardbook", ignore=shutil.ignore_patterns("__pycache__"))
    path = package / f"{module}.py"
    text = path.read_text(encoding="utf-8")
    assert text.count(right) == 1
    path.write_text(text.replace(right, wrong), encoding="utf-8")
    return package


@pytest.mark.parametrize(
    "where",
    [
        "_svg.NUMBER",
        "_svg.WIDE",
        "_svg.LONGER",
        "_mesh_picture.MOST_LEVELS",
        "_layout_view.FITS_PHONE",
        "_panels.MAX_PIECES",
        "_caption.SPOKEN_PIECES",
    ],
)
def test_a_number_changed_in_the_package_is_changed_in_both(tmp_path, monkeypatch, pictures, where):
    module, name = where.split(".")
    old = script.constant(PACKAGE, module, name)
    value = old * 3 // 4
    package = package_with(tmp_path, module, f"\n{name} = {old}\n", f"\n{name} = {value}\n")
    asked, theirs = (each[:SOME] for each in pictures)
    with Model(package=package) as found:
        assert shows(found, asked, theirs)
        monkeypatch.setattr(sys.modules[f"shardbook.{module}"], name, value)
        assert not wrong_pictures(found, asked, [drawn_by_python(*each) for each in asked])


def test_a_number_that_the_package_no_longer_has_is_named(tmp_path):
    package = package_with(tmp_path, "_svg", "\nSTRIP = 44\n", "\nSTRIPE = 44\n")
    with pytest.raises(HandbookError, match=r"svg\.py has no STRIP"):
        script.shared(package)


def test_the_modules_ask_for_the_shared_numbers_that_there_are():
    """What their type names is what the build gives; the check of types sees to it that they ask for nothing else."""
    text = (MODULES / "model/shared.js").read_text(encoding="utf-8")
    assert sorted(re.findall(r"@property \{number(?:\[\])?\} (\w+)", text)) == sorted(script.shared(PACKAGE))
