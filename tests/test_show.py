"""The figures: what they say, that they say it in both languages and in both themes, and how big they are."""

import dataclasses
import math
import os
import re
import subprocess
import sys
from importlib.resources import files
from io import StringIO
from itertools import combinations, product

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given
from jax.sharding import AbstractMesh, AxisType, Mesh, NamedSharding
from jax.sharding import PartitionSpec as P
from lxml import etree
from rich.console import Console
from rich.text import Text
from strategies import Arranged, arrangements, needs_host_memory, needs_unreduced

import shardbook as sb
from shardbook import _palette, _svg
from shardbook._display import ASCII
from shardbook._messages import MESSAGES
from shardbook._palette import Colour


def on(sizes, spec, shape, dtype="float32"):
    """A layout on an abstract mesh with axes x, y, z."""
    mesh = AbstractMesh(sizes, ("x", "y", "z")[: len(sizes)], axis_types=(AxisType.Explicit,) * len(sizes))
    return sb.layout(NamedSharding(mesh, spec), shape, dtype)


EIGHT = on((2, 4), P("x", "y"), (4, 8))


def parsed(figure, language=None):
    """The figure's HTML as a tree; only well-formed markup parses."""
    return etree.fromstring(
        figure.html(language).replace("<style>", "<style><![CDATA[").replace("</style>", "]]></style>")
    )


def texts(figure, path="//text"):
    return ["".join(node.itertext()) for node in parsed(figure).xpath(path)]


ARRAYS = "//div[@class='sb-panels']/svg"
"""The drawings of the array; the others are of the mesh."""


def boxes(figure):
    """What each box says."""
    return texts(figure, f"{ARRAYS}/g[contains(@class, 'sb-holders')]/text")


def mesh_of(figure):
    """What stands in the mesh beside the array."""
    return texts(figure, "//div[@class='sb-mesh']//text")


# What is drawn


def test_a_plain_text_figure():
    """The mesh, labels on the side they split, a box a piece, and every number."""
    assert (
        str(sb.show(EIGHT))
        == """\
float32[4@x, 8@y]
                                       8@y
                              0:2   2:4   4:6   6:8
                            ┌─────┬─────┬─────┬─────┐
mesh                    0:2 │  0  │  1  │  2  │  3  │
    y →            4@x      ├─────┼─────┼─────┼─────┤
x ↓  0  1  2  3         2:4 │  4  │  5  │  6  │  7  │
     4  5  6  7             └─────┴─────┴─────┴─────┘
mesh               x=2, y=4 · Explicit
shard shape        [2, 2]
per device         16 B
whole array        128 B
pieces             8
devices per piece  1
Abstract mesh: the numbers are positions in it, not device ids."""
    )


def test_boxes_and_labels_in_html():
    """The drawing has the same labels and boxes."""
    assert boxes(sb.show(EIGHT)) == list("01234567")
    labels = texts(sb.show(EIGHT), f"{ARRAYS}/g[@class='sb-labels']/text")
    assert labels == ["8@y", "4@x", "0:2", "2:4", "4:6", "6:8", "0:2", "2:4"]
    assert mesh_of(sb.show(EIGHT)) == [*"01234567", "mesh", "y →", "x ↓"]


@given(arrangements())
def test_every_holder_is_shown(arranged: Arranged):
    """With 64 devices no device is missing, in HTML or in a terminal, and no line is too long."""
    layout = sb.layout(*arranged)
    figure = sb.show(layout)
    said = " ".join(boxes(figure))
    if not re.search("–|×|devices", said):
        expected = sorted(device for piece in layout.pieces for device in piece.devices)
        assert sorted(map(int, re.findall(r"\d+", said))) == expected
    plain = str(figure)
    assert all(len(line) <= 80 for line in plain.splitlines())
    assert all(line.cell_len <= 44 or "│" in line.plain for line in figure.text(44)[1:])
    assert len(re.findall(r"\d+", "".join(re.findall("│.*", plain)))) >= len(layout.pieces)
    assert parsed(figure).xpath("//figcaption")[0].text == str(layout)


@pytest.mark.parametrize(
    ("layout", "shown"),
    [
        (on((8,), P(), (3, 4)), ["0 1 2 3 4 5 6 7"]),
        (on((8,), P(), ()), ["0 1 2 3 4 5 6 7"]),
        (on((2, 4), P("y"), (4, 4)), ["0 4", "1 5", "2 6", "3 7"]),
        (on((512,), P(), (4,)), ["0–511"]),
        (on((8, 512), P("y"), (512 * 4,), "int8"), None),
    ],
)
def test_holders(layout, shown):
    """Copies are listed, long runs are shortened."""
    if shown is None:
        assert len(boxes(sb.show(layout))) >= 512
    else:
        assert boxes(sb.show(layout)) == shown


@pytest.mark.parametrize("layout", [on((16, 32), P("x", "y"), (1024, 50304)), on((512,), P("x"), (8192,))])
def test_512_devices_are_all_drawn(layout):
    """Every box says its device, every range stands at an edge."""
    figure = sb.show(layout)
    assert sorted(map(int, boxes(figure))) == list(range(512))
    said = "".join(texts(figure))
    assert all(f"{part.start}:{part.stop}" in said for piece in layout.pieces for part in piece.index)


@needs_unreduced
@pytest.mark.parametrize(("sizes", "shown"), [((2, 4), ["0+1+2+3", "4+5+6+7"]), ((2, 2, 2), ["0+2 1+3", "4+6 5+7"])])
def test_partial_results_are_added(sizes, shown):
    """Where there are copies too, one sum a copy."""
    assert boxes(sb.show(on(sizes, P("x", unreduced={"y"}), (4,)))) == shown


@needs_unreduced
def test_other_reductions_are_named():
    """An unreduced maximum is no sum."""
    kinds = jax.sharding.UnreducedKind
    layout = on((4,), P(unreduced={"x"}, unreduced_kind=kinds.max), (4,))
    assert boxes(sb.show(layout)) == ["max(0,1,2,3)"]
    assert "their max is the value" in str(sb.show(layout)).replace("\n", " ")
    assert str(layout) == "float32[4]{U_max:x}"


def test_leading_dimensions_are_small_multiples():
    """A third split dimension makes panels, titled with the index they show."""
    figure = sb.show(on((2, 2, 2), P("x", "y", "z"), (4, 6, 8)))
    assert len(parsed(figure).xpath(ARRAYS)) == 2
    assert "4@x  [0:2, :, :]" in texts(figure)
    assert "4@x  [2:4, :, :]" in texts(figure)


def test_split_dimensions_are_drawn_first():
    """A whole dimension between two split ones makes no panels."""
    figure = sb.show(on((2, 4), P("x", None, "y"), (8, 128, 512)))
    assert len(parsed(figure).xpath(ARRAYS)) == 1
    assert "[:, 0:128, :]" in texts(figure)


@pytest.mark.parametrize("shape", [(1024, 50304), (50304, 1024)])
def test_wide_and_tall_arrays_keep_every_label(shape):
    """Every index range stands beside its row or column."""
    layout = on((2, 4), P("x", "y"), shape)
    said = "".join(texts(sb.show(layout)))
    for piece in layout.pieces:
        for part in piece.index:
            assert f"{part.start}:{part.stop}" in said


def test_empty_arrays_are_dashed():
    """No elements, but still who would hold them."""
    figure = sb.show(on((2, 4), P("x", "y"), (0, 8)))
    assert len(parsed(figure).xpath("//rect[starts-with(@class, 'sb-empty')]")) == 8
    assert "A dimension of size 0" in str(figure)


def test_a_summary_beyond_512_pieces():
    """4096 pieces: the first, a gap, the last, and a sentence that says so."""
    figure = sb.show(on((64, 64), P("x", "y"), (640, 6400)))
    assert boxes(figure)[-1] == "4095"
    assert "4096 pieces; 16 are drawn" in str(figure)
    assert {"⋮", "⋯"} <= set(texts(figure))
    assert len(figure.html()) < 12 * 1024
    panels = sb.show(on((16, 16, 16), P("x", "y", "z"), (16, 16, 16)))
    assert "4096 pieces; 64 are drawn" in str(panels)


def test_remote_devices_are_marked():
    """Devices of another process carry an asterisk, which a note explains."""
    layout = dataclasses.replace(EIGHT, remote=frozenset({4, 5, 6, 7}))
    ids = ["0", "1", "2", "3", "4*", "5*", "6*", "7*"]
    assert boxes(sb.show(layout)) == ids
    assert mesh_of(sb.show(layout))[:8] == ids
    assert len(parsed(sb.show(layout)).xpath("//rect[contains(@class, 'sb-remote')]")) == 8
    assert "not addressable" in str(sb.show(layout))


@needs_host_memory
def test_permuted_devices_and_host_memory():
    """The true device ids, wherever the mesh puts them; host memory is said."""
    mesh = Mesh(np.array(jax.devices())[[3, 1, 2, 0]].reshape(2, 2), ("x", "y"))
    sharding = NamedSharding(mesh, P("x", "y"), memory_kind="pinned_host")
    figure = sb.show(jax.device_put(jnp.zeros((2, 2), "int4"), sharding))
    assert boxes(figure) == ["3", "1", "2", "0"]
    assert mesh_of(figure)[:4] == ["3", "1", "2", "0"]
    assert texts(figure, f"{ARRAYS}/g[@class='sb-labels']/text")[0] == "pinned_host"
    assert "In host memory" in str(figure)
    assert "pinned_host" in str(figure)


def test_pytrees_have_a_figure_a_leaf():
    """Each leaf with its path; what is no array is named."""
    figure = sb.show({"w": jnp.zeros((2, 3)), "key": jax.random.key(0), "step": 3})
    assert [path for path, _ in figure.leaves] == ["['key']", "['step']", "['w']"]
    assert len(parsed(figure).xpath("//figure")) == 2
    assert "['step'] int: not a jax.Array, so it has no sharding" in str(figure)
    assert str(sb.show({})) == "No arrays."
    with pytest.raises(TypeError, match="not ndarray"):
        sb.show(np.zeros(3))


# Languages


def test_the_languages_have_the_same_templates():
    """No word is missing in Chinese, and every template takes the same values."""
    english, chinese = MESSAGES["en"], MESSAGES["zh"]
    assert list(english) == list(chinese)
    for key, template in english.items():
        assert set(re.findall(r"{(\w+)}", template)) == set(re.findall(r"{(\w+)}", chinese[key])), key


@needs_unreduced
def test_a_chinese_figure_has_no_english_words():
    """Only notation is in Latin letters."""
    layout = dataclasses.replace(on((2, 2), P("x", unreduced={"y"}), (4, 0)), remote=frozenset({1}))
    html = re.sub(r"<style>.*?</style>", "", sb.show(layout, language="zh").html())
    said = " ".join([*re.findall(r'aria-label="([^"]*)"', html), re.sub("<[^>]*>", " ", html)])
    assert set(re.findall("[A-Za-z]{2,}", said)) == {"float", "sum"}
    assert 'lang="zh"' in html


def test_unknown_languages_are_refused():
    """The message lists what there is."""
    with pytest.raises(ValueError, match="language must be one of 'en', 'zh', got 'fr'"):
        sb.show(EIGHT, language="fr")


def test_the_display_carries_the_languages_asked_for(monkeypatch):
    """A notebook gets HTML and text; a site asks for Chinese as well, and for no stylesheet."""
    figure = sb.show(EIGHT)
    monkeypatch.delenv("SHARDBOOK_LANGUAGES", raising=False)
    assert list(figure._repr_mimebundle_()) == ["text/html", "text/plain"]
    monkeypatch.setenv("SHARDBOOK_LANGUAGES", "en,zh")
    monkeypatch.setenv("SHARDBOOK_STYLE", "linked")
    bundle = figure._repr_mimebundle_()
    chinese = ["text/vnd.shardbook.zh+html", "text/vnd.shardbook.zh+plain"]
    assert list(bundle) == ["text/html", "text/plain", *chinese]
    assert all("设备网格" in bundle[kind] for kind in chinese)
    assert "<style>" not in bundle["text/html"]


def test_chinese_labels_line_up_in_a_terminal():
    """A Chinese character takes two columns."""
    lines = [
        line.plain
        for line in sb.show(EIGHT, language="zh").text()
        if re.match("[设分每整块]", line.plain) and "│" not in line.plain
    ]
    starts = {Text(re.match(r"\S+ +", line).group()).cell_len for line in lines}
    assert (len(lines), len(starts)) == (6, 1)


def test_rich_draws_in_colour():
    """In a terminal boxes have the colour of their piece; piped, the text is plain."""
    console = Console(width=60, force_terminal=True, color_system="truecolor", record=True, file=StringIO())
    console.print(sb.show(EIGHT))
    coloured = console.export_text(styles=True)
    assert "48;2;183;228;255" in coloured


# Markup and size


@pytest.mark.parametrize(
    ("layout", "most"),
    [
        (EIGHT, 12),
        (on((2, 2, 2), P("x", "y", "z"), (8, 8, 8)), 12),
        (on((8,), P("x"), (50304,)), 12),
        (on((16, 32), P("x", "y"), (1024, 50304)), 100),
        (on((512,), P("x"), (8192,)), 100),
        (on((8, 8, 8), P("x", "y", "z"), (64, 64, 64)), 100),
    ],
)
def test_size(layout, most):
    """At most 12 KB for 8 devices and 100 KB for 512, stylesheet included."""
    for language in MESSAGES:
        assert len(sb.show(layout).html(language).encode()) <= most * 1024


@pytest.mark.parametrize("layout", [EIGHT, on((16, 32), P("x", "y"), (1024, 50304)), on((2,), P(), ())])
def test_markup(layout):
    """No script, no request, no id; a text equivalent; a focus only where there may be something to scroll."""
    tree = parsed(sb.show(layout))
    assert not tree.xpath("//script | //@id | //@href | //@src | //@onclick")
    (picture,) = tree.xpath("//*[@role='img']")
    assert picture.get("aria-label").startswith(f"{layout}. Pieces: {len(layout.pieces)}.")
    assert all(
        svg.xpath("ancestor-or-self::*[@aria-hidden='true']") and svg.get("viewBox") for svg in tree.xpath("//svg")
    )
    least = max(int(re.search(r"\d+", svg.get("style")).group()) for svg in tree.xpath(ARRAYS))
    assert (picture.get("tabindex") == "0") == (least > 300)


def test_the_text_equivalent_names_every_holder():
    """A screen reader hears who holds what."""
    (label,) = parsed(sb.show(on((2, 2), P("x"), (4,)))).xpath("//@aria-label")
    assert label == "float32[4@x]. Pieces: 2. Devices: 4. Each shard has shape [2]. [0:2] on 0–1; [2:4] on 2–3."


@pytest.mark.parametrize("spec", [P("x", "y"), P(("x", "y")), P(None, ("x", "y")), P("x"), P("y"), P()])
def test_common_figures_fit_a_phone(spec):
    """With 8 or 12 devices the text is at least 11 px on a screen 390 px wide, without scrolling."""
    for sizes in ((2, 4), (3, 4)):
        tree = parsed(sb.show(on(sizes, spec, (48, 24))))
        for svg in tree.xpath(ARRAYS):
            assert int(re.search(r"\d+", svg.get("style")).group()) <= 340
        assert all(float(svg.get("width")) <= 330 for svg in tree.xpath("//div[@class='sb-mesh']//svg"))


# Colours


def channels(colour):
    values = np.array([int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)])
    return np.where(values <= 0.04045, values / 12.92, ((values + 0.055) / 1.055) ** 2.4)


def contrast(one, other):
    """The WCAG contrast ratio."""
    dark, light = sorted(channels(colour) @ [0.2126, 0.7152, 0.0722] for colour in (one, other))
    return (light + 0.05) / (dark + 0.05)


# Machado, Oliveira and Fernandes 2009, severity 1, on linear RGB.
SIGHT = {
    "full": np.eye(3),
    "protan": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "deutan": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
    "tritan": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]],
}
TO_XYZ = np.array(
    [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750], [0.0193339, 0.1191920, 0.9503041]]
)


def seen(colour, sight):
    """CIE L*a*b* of a colour as it is seen."""
    xyz = TO_XYZ @ np.clip(SIGHT[sight] @ channels(colour), 0, 1) / [0.95047, 1, 1.08883]
    x, y, z = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116)
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


PLACES = [Colour(*place) for place in product(range(len(_palette.HUES)), range(len(_palette.LIGHT)))]


@pytest.mark.parametrize("shades", [_palette.LIGHT, _palette.DARK], ids=["light", "dark"])
def test_the_palette(shades):
    """The ink reads on every colour, and any two colours differ for every kind of sight."""
    colours = [_palette.rgb(place, shades) for place in PLACES]
    assert min(contrast(colour, _palette.INK) for colour in colours) >= 4.5
    for sight in SIGHT:
        for one, other in combinations(colours, 2):
            # 2.3 is a just noticeable difference.
            assert np.linalg.norm(seen(one, sight) - seen(other, sight)) > 6, (sight, one, other)


def test_the_stylesheet_has_the_palette():
    """figure.css repeats the numbers, the dark ones for a dark page and for a dark system."""
    text = files("shardbook").joinpath("figure.css").read_text(encoding="utf-8")
    shades = [tuple(map(float, re.findall(r"--sb-\d: ([\d.]+)", block))) for block in text.split("--sb-line: ")[1:]]
    assert shades == [_palette.LIGHT, _palette.DARK, _palette.DARK]
    hues = re.findall(r"\.sb-h(\d) \{ --sb-h: (\d+); --sb-c: ([\d.]+); --sb-l: (-?[\d.]+); \}", text)
    assert [(int(hue), float(chroma), float(offset)) for _, hue, chroma, offset in hues] == list(_palette.HUES)
    assert re.findall(r"--sb-ink: (#\w+)", text) == [_palette.INK]
    lit = re.findall(r"\.sb-figure:has\(\.sb-p(\d+):hover\) \.sb-p(\d+)[ ,]", text)
    assert lit == [(str(place), str(place)) for place in range(_svg.LIT)]


def test_devices_of_other_processes_are_pale_on_any_page():
    """Mixed with white, which only lightens, and not seen through: on a dark page that would hide the ink."""
    text = files("shardbook").joinpath("figure.css").read_text(encoding="utf-8")
    assert "fill-opacity" not in text
    ((white, colour),) = re.findall(
        r"\.sb-remote:is\(rect, path\) \{ fill: oklch\(calc\(([\d.]+) \+ ([\d.]+) \* ", text
    )
    assert float(white) + float(colour) == 1


@pytest.mark.parametrize("sizes", [(8,), (2, 4), (4, 8), (2, 2, 2), (2, 1, 8), (3, 5), (2, 2, 8), (1,), (1, 8), (4, 1)])
def test_devices_have_colours_of_their_own(sizes):
    """Up to 32 of them, eight along the last axis."""
    count = math.prod(sizes)
    assert len({_palette.colour(position, sizes) for position in range(count)}) == count


@pytest.mark.parametrize("sizes", [(16, 32), (64, 64), (512,), (100, 3), (2, 2, 2, 2, 2, 2), (3, 24)])
def test_many_devices_have_all_colours(sizes):
    """In order: hues go on along the last axis, shades along the others."""
    colours = np.array([_palette.colour(position, sizes) for position in range(math.prod(sizes))])
    last = sizes[-1]
    by_row = colours.reshape(-1, last, 2)
    assert (np.diff(by_row[0, :, 0]) >= 0).all()
    assert (np.diff(by_row[:, 0, 1]) >= 0).all()
    assert (by_row == by_row[:1, :, :] * [1, 0] + by_row[:, :1, :] * [0, 1]).all()
    assert len(set(by_row[0, :, 0])) == min(last, 8)
    assert len(set(by_row[:, 0, 1])) == min(len(by_row), 4)


# What the pictures tell apart


def painted(figure):
    """The colours of an array's boxes, the sheets behind them too, in the order in which they are painted."""
    classes = parsed(figure).xpath(f"{ARRAYS}/rect/@class")
    return [tuple(map(int, re.match(r"sb-h(\d) sb-s(\d)", name).groups())) for name in classes]


def test_the_order_of_axes_is_seen():
    """The same four pieces on the same four devices, dealt in another order."""
    one, other = (painted(sb.show(on((2, 2), P(order), (4, 4)))) for order in (("x", "y"), ("y", "x")))
    assert one == [(0, 0), (1, 0), (0, 2), (1, 2)]
    assert other == [(0, 0), (0, 2), (1, 0), (1, 2)]


def test_copies_are_sheets_and_one_device_is_one():
    """Behind the first lie the others, each in its colour and a little further out."""
    tree = parsed(sb.show(on((2, 4), P("x"), (4, 4))))
    rects = tree.xpath(f"{ARRAYS}/rect")
    assert [int(rect.get("class").split("sb-p")[1]) for rect in rects] == [3, 7, 2, 6, 1, 5, 0, 4]
    assert [float(rect.get("x")) - float(rects[-2].get("x")) for rect in rects[::2]] == [12, 8, 4, 0]
    assert painted(sb.show(jax.device_put(jnp.zeros((2, 3)), jax.devices()[0]))) == [(0, 0)]
    assert len(painted(sb.show(on((64,), P(), (4,))))) == _svg.SHEETS


@needs_unreduced
def test_partial_results_are_hatched():
    """Copies and partial results are both sheets."""
    copied, partial = (sb.show(on((2, 4), spec, (4, 4))) for spec in (P("x"), P("x", unreduced={"y"})))
    assert painted(copied) == painted(partial)
    assert not parsed(copied).xpath("//path")
    assert parsed(partial).xpath("//path/@class") == ["sb-partial"] * 4  # a layer each


@pytest.mark.parametrize("shape", [(64, 64), (4096, 16384), (3000, 1000), (64, 128), (40, 4000)])
@pytest.mark.parametrize("spec", [P("x", "y"), P("y", "x"), P(None, "y"), P("x"), P()])
def test_shapes_are_to_scale(shape, spec):
    """Whatever splits an array, its boxes together have its proportions, at most 4 to 1."""
    layout = on((2, 4), spec, shape)
    (box,) = {(float(rect.get("width")), float(rect.get("height"))) for rect in boxes_of(layout)}
    gap = 4 * (layout.replication - 1) + 3 if layout.replication > 1 else 0
    rows, columns = layout.grid
    drawn = rows * (box[1] + gap) / (columns * (box[0] + gap))
    assert drawn == pytest.approx(min(max(shape[0] / shape[1], 1 / 4), 4), rel=0.1)


def boxes_of(layout):
    return parsed(sb.show(layout)).xpath(f"{ARRAYS}/rect")


def test_a_move_is_drawn_in_one_size_with_one_mesh():
    """Both sides of 64 × 64 are as large, whichever axis splits them; another order of devices is another mesh."""
    sides = [on((8,), spec, (64, 64)) for spec in (P("x"), P(None, "x"))]
    tree = parsed(sb.moves(*sides))
    sizes = []
    for figure in tree.xpath("//div[@class='sb-moves']/figure"):
        rects = figure.xpath(".//div[@class='sb-panels']/svg/rect")
        parts = np.array([[float(rect.get(name)) for name in ("x", "y", "width", "height")] for rect in rects])
        sizes.append(((parts[:, :2] + parts[:, 2:]).max(axis=0) - parts[:, :2].min(axis=0)).tolist())
    assert sizes[0] == pytest.approx(sizes[1], abs=8)
    assert len(tree.xpath("//div[@class='sb-mesh']")) == 1
    turned = NamedSharding(Mesh(np.array(jax.devices()[:8])[::-1], ("x",)), P("x"))
    straight = NamedSharding(Mesh(np.array(jax.devices()[:8]), ("x",)), P("x"))
    moved = sb.moves(sb.layout(straight, (64, 64)), sb.layout(turned, (64, 64)))
    assert len(parsed(moved).xpath("//div[@class='sb-mesh']")) == 2


def test_a_tree_has_each_mesh_once():
    """Two leaves on one mesh, one on another."""
    tree = {"a": EIGHT, "b": on((2, 4), P("y"), (4,)), "c": on((4, 2), P("x"), (4,))}
    assert [len(figure.xpath(".//div[@class='sb-mesh']")) for figure in parsed(sb.show(tree)).xpath("//figure")] == [
        1,
        0,
        1,
    ]


@pytest.mark.parametrize("sizes", [(16, 32), (64, 64), (4096,), (16, 16, 16), (8, 8, 8, 8), (1, 4096)])
def test_a_mesh_too_large_for_numbers_has_a_box_a_colour(sizes):
    """At most 32 boxes a grid, with the number of devices along each axis."""
    names = ("a", "b", "c", "d")[: len(sizes)]
    mesh = AbstractMesh(sizes, names, axis_types=(AxisType.Explicit,) * len(sizes))
    figure = sb.show(sb.layout(NamedSharding(mesh, P()), (4,)))
    drawn = parsed(figure).xpath("//div[@class='sb-mesh']//svg")
    assert 1 <= len(drawn) <= 5
    assert all(len(svg.xpath("rect")) <= 32 for svg in drawn)
    assert any(f"{names[-1]}={sizes[-1]} →" == text for text in mesh_of(figure))


# Terminals that know less


def test_a_terminal_without_unicode(capfd):
    """print to one, and rich: the same figure in ASCII, every line as long."""
    code = """
import jax, shardbook as sb
from jax.sharding import AbstractMesh, NamedSharding, PartitionSpec as P
mesh = AbstractMesh((2, 2), ("x", "y"), axis_types=(jax.sharding.AxisType.Explicit,) * 2)
figure = sb.show(sb.layout(NamedSharding(mesh, P("x", "y")), (4, 6), "float32"))
print(figure)
print(sb.show(figure, language="zh"))
from rich.console import Console
Console().print(figure)
"""
    path = str(files("shardbook").joinpath("..").resolve())
    environment = {**os.environ, "PYTHONPATH": path, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0", "COLUMNS": "80"}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr.decode()
    lines = done.stdout.decode("ascii").splitlines()
    figure = sb.show(on((2, 2), P("x", "y"), (4, 6)))
    assert lines[:9] == [line.translate(ASCII) for line in str(figure).splitlines()[:9]]
    assert lines.count("mesh               x=2, y=2 . Explicit") == 3
    # What is not ASCII leaves as it is where it can be shown.
    assert "┌─────┬─────┐" in str(figure)


@pytest.mark.parametrize("system", ["standard", "256", "truecolor"])
def test_neighbours_differ_in_every_terminal(system):
    """A terminal with sixteen colours shows twelve of them, not the nearest grey twice."""
    console = Console(color_system=system, force_terminal=True, file=StringIO(), width=120, legacy_windows=False)
    console.print(sb.show(on((2, 6), P("x", "y"), (4, 12))))
    rows = [line for line in console.file.getvalue().splitlines() if line.count("│") == 7]
    colours = [re.findall(r"\x1b\[(?:30|38[;\d]*?);((?:4|10)\d(?:;[\d;]*)?)m", row) for row in rows]
    assert len(colours) == 2
    assert len({colour for row in colours for colour in row}) == 12
