"""States in addresses: they come back as they were, and what strangers write there does no harm."""

import json

import pytest
import states
from model import faulty

LINK = "#v=1&shape=8,16&mesh=x:2,y:4&spec=x,y&dtype=float32"


def test_states_come_back(model):
    """Every state within the limits is restored by its link, also when a program has escaped it."""
    come_back(model)


def come_back(model):
    draw = states.dice()
    cases = [(states.valid if at % 2 else states.doubtful)(draw) for at in range(1000)]
    cases += [each["state"] for each in model.ask([["presets", "presets"]])[0]]
    hashes = model.map("state", "toHash", cases)
    expected = [{"state": case, "problems": []} for case in cases]
    assert model.map("state", "fromHash", hashes) == expected
    escaped = [each.replace(",", "%2C").replace(":", "%3a") for each in hashes]
    assert model.map("state", "fromHash", escaped) == expected
    # As it stands in an address bar: nothing that a browser or messenger would change.
    assert all(each.isascii() and not set(each) & set(" <>\"'`()[]{}|\\^+%") and each[-1].isalnum() for each in hashes)


def test_links_are_short_and_readable(model):
    """They read as what they mean, and runs in a device order are one word."""
    (default,) = model.ask([["state", "defaultState"]])
    mesh = {**default["mesh"], "types": ["Explicit", "Auto"], "order": [7, 6, 5, 4, 0, 1, 2, 3]}
    state = {
        **default,
        "mesh": mesh,
        "spec": [[], ["y", "x"]],
        "to": [],
        "product": {"b": [["x"]], "out": [[]], "columns": 32},
    }
    assert model.map("state", "toHash", [default, state]) == [
        LINK,
        "#v=1&shape=8,16&mesh=x:2,y:4:Auto&order=7-4,0-3&spec=-,y.x&to=&b=x&out=-&columns=32&dtype=float32",
    ]


def test_4096_devices_in_any_order_fit(model):
    """The longest link that the page can make is read again."""
    order = states.dice().sample(range(4096), 4096)
    (default,) = model.ask([["state", "defaultState"]])
    state = {**default, "mesh": {"names": ["x", "y"], "sizes": [64, 64], "types": ["Auto"] * 2, "order": order}}
    (link,) = model.map("state", "toHash", [state])
    (found,) = model.timed([["state", "fromHash", link]])
    assert found.value == {"state": state, "problems": []}
    assert found.milliseconds < 50


@pytest.mark.parametrize("link", ["", "#", "#what-must-move", "#id1"])
def test_no_state_is_no_problem(model, link):
    """Without a hash, and at an anchor of the page, the page begins as it does for everyone."""
    (default,) = model.ask([["state", "defaultState"]])
    assert model.map("state", "fromHash", [link]) == [{"state": default, "problems": []}]


def changed(**parts):
    """The link with some parts put, or with None taken away."""
    whole = dict(part.split("=") for part in LINK[1:].split("&")) | parts
    return "#" + "&".join(f"{key}={value}" for key, value in whole.items() if value is not None)


HOSTILE = [
    # Markup and script
    "#<script>alert(1)</script>",
    "#v=1&<img src=x onerror=alert(1)>",
    "#javascript:alert(1)",
    "#data:text/html,<script>alert(1)</script>",
    changed(shape="<svg/onload=alert(1)>"),
    changed(dtype="<script>alert(1)</script>"),
    changed(dtype="%3Cscript%3Ealert(1)%3C/script%3E"),
    changed(dtype="&lt;b&gt;"),
    changed(mesh="<b>:2,y:4"),
    changed(mesh="x:2,y:4:<i>"),
    changed(spec="<a href=javascript:alert(1)>,y"),
    changed(spec='x," onmouseover="alert(1)'),
    changed(spec="${alert(1)},`y`"),
    changed(to="{{constructor.constructor('alert(1)')()}}"),
    # Names that objects already have
    changed(dtype="constructor"),
    changed(dtype="__proto__"),
    changed(dtype="toString"),
    LINK + "&__proto__=1",
    LINK + "&constructor=1",
    # Numbers
    changed(shape="NaN,16"),
    changed(shape="Infinity,16"),
    changed(shape="-8,16"),
    changed(shape="-0,16"),
    changed(shape="1e9,16"),
    changed(shape="0x10,16"),
    changed(shape="8.5,16"),
    changed(shape="08,16"),
    changed(shape="9007199254740993,16"),
    changed(shape="9" * 400),
    changed(shape="9007199254740991,9007199254740991"),
    changed(shape=",".join(["2"] * 7)),
    changed(shape="1," * 10_000),
    changed(shape="1," * 3_000_000),
    changed(mesh="x:0,y:4"),
    changed(mesh="x:-2,y:4"),
    changed(mesh="x:NaN,y:4"),
    changed(mesh="x:4097"),
    changed(mesh="x:4096,y:2"),
    changed(mesh="x:9007199254740991,y:9007199254740991"),
    changed(mesh=",".join(f"a{at}:1" for at in range(7))),
    changed(mesh=""),
    changed(mesh="x"),
    changed(mesh="x:2,x:4"),
    changed(mesh="x:2:Auto:Auto,y:4"),
    changed(mesh="x:2:Manual,y:4"),
    changed(order="0-9007199254740991"),
    changed(order="9007199254740991-0"),
    changed(order="0-7,0-7"),
    changed(order="0,0,0,0,0,0,0,0"),
    changed(order="1-8"),
    changed(order="0-1-7"),
    changed(order="-"),
    changed(order=""),
    changed(order=",".join(["0-39999"] * 200)),
    # Shapes of the grammar
    "#v=1",
    "#v=2&shape=8&mesh=x:2&spec=x&dtype=float32",
    "#v=&shape=8&mesh=x:2&spec=x&dtype=float32",
    changed(v="1.0"),
    changed(v=None),
    changed(shape=None),
    changed(spec=None),
    changed(dtype=None),
    changed(dtype=""),
    changed(spec=".,y"),
    changed(spec="x..y"),
    changed(spec=",".join(["x"] * 13)),
    changed(spec=".".join(["x"] * 13)),
    changed(b="x"),
    changed(b="x", out="y"),
    changed(b="x", out="y", columns="-3"),
    changed(b="x", out="y", columns="9" * 30),
    changed(b="x", out="y", columns="8", shape="8"),
    LINK + "&v=1",
    LINK + "&",
    LINK + "&other=1",
    LINK.replace("=", "=="),
    # Text
    "#%",
    "#%E0%A4%A",
    "#%00",
    changed(dtype="float32%00"),
    changed(mesh="网格:2,y:4"),
    changed(mesh="ｘ:2,y:4"),
    changed(mesh="\u202ex:2,y:4"),
    changed(spec="𝕩,y"),
    changed(spec="\ud800,y"),
    changed(spec="x,y\n"),
    "#🙂",
    '#{"shape": [8, 16], "dtype": "float32"}',
    '#{"shape": [8, 16',
    "#" + json.dumps({"__proto__": {"polluted": True}}),
    "#" + "[" * 100_000,
    "#v=1&" * 10_000,
    "#" + "%25" * 100_000,
    "#" + "a" * 10_000_000,
    "#v=1&shape=" + "1" * 39_000,
    "#v=1&spec=" + "x." * 19_000 + "&shape=8&mesh=x:2&dtype=float32",
    "#" + "-" * 39_000,
]  # fmt: skip


def test_hostile_links_give_the_default_and_a_problem(model):
    """Markup, huge numbers, NaN, broken JSON and unicode: at once, and nothing of it is kept."""
    assert len(HOSTILE) >= 50
    do_no_harm(model)


def do_no_harm(model):
    (default,) = model.ask([["state", "defaultState"]])
    # One that is an anchor by its form has no problem.
    anchors = [link for link in HOSTILE if set(link[1:]) == {"a"}]
    for link, found in zip(HOSTILE, model.timed(["state", "fromHash", link] for link in HOSTILE), strict=True):
        assert found.value["state"] == default, link[:200]
        assert bool(found.value["problems"]) == (link not in anchors), link[:200]
        assert all(set(each) == {"field", "kind", "values"} for each in found.value["problems"])
        # Numbers at most, of what was in the link: no text of it is handed on.
        said = json.dumps(found.value["problems"])
        assert not any(sign in said for sign in "<>`$&'\\"), said
        assert found.milliseconds < 50, link[:200]
    assert not model.map("limits", "limits", [default])[0]


@pytest.mark.parametrize(
    ("module", "right", "wrong", "check"),
    [
        ("state.js", "problems.length ? failed(...problems) : { state, problems }", "{ state, problems }", do_no_harm),
        ("state.js", "more.length || room < 0", "more.length", do_no_harm),
        ("state.js", "hash.length > LONGEST", "false", do_no_harm),
        ("limits.js", "Object.hasOwn(DTYPE_BITS, dtype)", "(dtype in DTYPE_BITS)", do_no_harm),
        ("limits.js", "count > LIMITS.devices", "count > 1e6", do_no_harm),
        ("state.js", "first + at * Math.sign(last - first)", "first + at", come_back),
        ("state.js", "order: mesh.order && writeRuns(mesh.order)", "order: null", come_back),
        ("state.js", 'axes.join(".") || "-"', 'axes.join(".")', come_back),
    ],
)
def test_a_planted_fault_shows(tmp_path, module, right, wrong, check):
    """A check left out, and a part of the state left out, are found."""
    with faulty(tmp_path, module, right, wrong) as found, pytest.raises(AssertionError):
        check(found)
