"""Reading HLO text, in the forms that CPU, GPU and TPU print and of the versions supported."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shardbook._hlo import Buffer, Module, Source, replica_groups
from shardbook._hlo_collectives import Times, find

HEAD = "HloModule jit_f, is_scheduled=true, entry_computation_layout={(f32[8]{0})->f32[8]{0}}, num_partitions=8\n"


def collectives(*lines, before=""):
    """What is found in a module whose entry has these lines."""
    body = "\n".join(f"  {line}" for line in lines)
    return find(Module(f"{HEAD}\n{before}\nENTRY %main.1_spmd (a: f32[8]) -> f32[8] {{\n{body}\n}}\n"))


@st.composite
def chosen_axes(draw):
    """Axis sizes, and some of the axes in any order."""
    sizes = draw(st.lists(st.integers(1, 4), min_size=1, max_size=4))
    return sizes, draw(st.permutations(range(len(sizes))))[: draw(st.integers(0, len(sizes)))]


@given(chosen_axes())
def test_the_three_forms_say_the_same(drawn):
    """Mesh axes, an iota and lists: the same groups, in the same order."""
    sizes, chosen = drawn
    order = [at for at in range(len(sizes)) if at not in chosen] + list(chosen)
    numbers = np.arange(np.prod(sizes)).reshape(sizes).transpose(order)
    rows = numbers.reshape(-1, int(np.prod([sizes[at] for at in chosen])))
    expected = tuple(map(tuple, rows.tolist()))
    mesh = ",".join(f"'a{at}'={size}" for at, size in enumerate(sizes))
    axes = ",".join(f"'a{at}'" for at in chosen)
    assert replica_groups(f"mesh[{mesh}] {{{axes}}}, to_apply=%add") == expected
    iota = ",".join(map(str, sizes))
    assert (
        replica_groups(f"[{rows.shape[0]},{rows.shape[1]}]<=[{iota}]T({','.join(map(str, order))}), dimensions={{0}}")
        == expected
    )
    lists = ",".join(f"{{{','.join(map(str, row))}}}" for row in expected)
    assert replica_groups(f"{{{lists}}}, use_global_device_ids=true") == expected


def test_parts_of_axes():
    """An axis of 8 can be taken apart: here into 2 × 2 × 2."""
    numbers = np.arange(8).reshape(2, 2, 2)
    assert replica_groups("mesh['x'=8] {'x':(1)2}") == tuple(map(tuple, numbers.reshape(2, 4).T.tolist()))
    assert replica_groups("mesh['x'=8] {'x':(2)2}") == ((0, 2), (1, 3), (4, 6), (5, 7))
    assert replica_groups("mesh['x'=8] {'x':(4)2}") == ((0, 1), (2, 3), (4, 5), (6, 7))
    assert replica_groups("mesh['x'=8] {'x':(4)2,'x':(1)2}") == ((0, 4, 1, 5), (2, 6, 3, 7))


def test_other_device_orders():
    """A mesh may number its devices itself."""
    assert replica_groups("mesh['x'=2,'y'=2], device_ids=(3,1,2,0) {'y'}") == ((3, 1), (2, 0))
    assert replica_groups("mesh['x'=2,'y'=2], device_ids=([4]<=[2,2]T(1,0)) {'y'}") == ((0, 2), (1, 3))


def test_unknown_groups_are_refused():
    """The message shows what was found."""
    with pytest.raises(ValueError, match=r"expected replica groups such as .* got 'all of them'"):
        replica_groups("all of them")


def test_no_groups_means_all():
    """`{}` is every partition."""
    (found,) = collectives("%a = f32[8]{0} parameter(0)", "ROOT %r = f32[8]{0} all-reduce(%a), replica_groups={}")
    assert found.groups == (tuple(range(8)),)


def test_types_of_every_width():
    """Layouts with tiles, tuples and comments do not confuse."""
    (found,) = collectives(
        "%a = bf16[4,128]{1,0:T(8,128)(2,1)S(1)} parameter(0)",
        "%b = s4[16]{0:E(4)} parameter(1)",
        "%c = f8e4m3fn[] parameter(2)",
        "ROOT %r = (bf16[4,128]{1,0:T(8,128)(2,1)}, s4[16]{0:E(4)}, /*index=2*/f8e4m3fn[]) all-reduce(%a, %b, /*index=2*/%c), "
        "channel_id=1, replica_groups={{0,1,2,3},{4,5,6,7}}, to_apply=%add",
    )
    assert list(map(str, found.operands)) == ["bfloat16[4, 128]", "int4[16]", "float8_e4m3fn[]"]
    assert [buffer.bytes for buffer in found.results] == [1024, 8, 1]


def test_operands_with_types():
    """Older modules write each operand's type before it, and no percent signs at all are possible too."""
    (found,) = collectives(
        "a = f32[8]{0} parameter(0)",
        "ROOT r = f32[16]{0} all-gather(f32[8]{0} a), replica_groups=[4,2]<=[8], dimensions={0}",
    )
    assert (found.operands, found.results) == ((Buffer("float32", (8,), 32),), (Buffer("float32", (16,), 32),))


def test_start_and_done_are_one():
    """An asynchronous operation counts once, with what its done gives."""
    found = collectives(
        "%a = f32[8]{0} parameter(0)",
        "%g = (f32[8]{0}, f32[16]{0}) all-gather-start(%a), replica_groups=[4,2]<=[8], dimensions={0}",
        "%p = (f32[8]{0}, f32[8]{0}, u32[], u32[]) collective-permute-start(%a), source_target_pairs={{0,1},{1,0}}",
        "%gd = f32[16]{0} all-gather-done(%g)",
        "ROOT %pd = f32[8]{0} collective-permute-done(%p)",
    )
    assert [(one.kind, one.asynchronous, str(one.results[0]), len(one.results)) for one in found] == [
        ("all-gather", True, "float32[16]", 1),
        ("collective-permute", True, "float32[8]", 1),
    ]
    assert found[1].groups == ((0, 1), (1, 0))


def test_wrapped_asynchronous_operations():
    """What an async-start calls counts once, though update and done name the same computation."""
    wrapped = (
        "%async_wrapped (p: f32[8]) -> f32[4] {\n  %p = f32[8]{0} parameter(0)\n"
        "  ROOT %s = f32[4]{0} reduce-scatter(%p), replica_groups=[4,2]<=[8], dimensions={0}, to_apply=%add\n}\n"
    )
    (found,) = collectives(
        "%a = f32[8]{0} parameter(0)",
        "%s = ((f32[8]{0}), f32[4]{0}, u32[]) async-start(%a), calls=%async_wrapped",
        "%u = ((f32[8]{0}), f32[4]{0}, u32[]) async-update(%s), calls=%async_wrapped",
        "ROOT %d = f32[4]{0} async-done(%u), calls=%async_wrapped",
        before=wrapped,
    )
    assert (found.kind, found.times) == ("reduce-scatter", Times(1))


@pytest.mark.parametrize(
    ("kind", "operands"),
    [
        ("collective-broadcast", "replica_groups={{0,1,2,3}}"),
        ("ragged-all-to-all", "replica_groups={{0,1,2,3},{4,5,6,7}}"),
    ],
)
def test_rarer_operations(kind, operands):
    """Those that CPU devices never show."""
    (found,) = collectives("%a = f32[8]{0} parameter(0)", f"ROOT %r = f32[8]{{0}} {kind}(%a), {operands}")
    assert (found.kind, found.groups[0]) == (kind, (0, 1, 2, 3))


def loop(trips):
    body = (
        "%body (p: f32[8]) -> f32[8] {\n  %p = f32[8]{0} parameter(0)\n"
        "  ROOT %r = f32[8]{0} all-reduce(%p), replica_groups={}, to_apply=%add\n}\n"
        "%cond (p: f32[8]) -> pred[] {\n  %p = f32[8]{0} parameter(0)\n  ROOT %t = pred[] constant(true)\n}\n"
    )
    known = (
        f', backend_config={{"known_trip_count":{{"n":"{trips}"}},"known_init_step":{{"init":"0"}}}}' if trips else ""
    )
    return collectives(
        "%a = f32[8]{0} parameter(0)",
        f"ROOT %w = f32[8]{{0}} while(%a), condition=%cond, body=%body{known}",
        before=body,
    )


@pytest.mark.parametrize("trips", [1, 7, None])
def test_loops_multiply(trips):
    """As often as the loop turns; unknown where the module does not say."""
    (found,) = loop(trips)
    assert found.times == (Times(trips) if trips else Times(0, per_turn=1))


def test_branches_are_at_most():
    """A branch may not be taken; a computation called twice counts twice."""
    branch = (
        "%yes (p: f32[8]) -> f32[8] {\n  %p = f32[8]{0} parameter(0)\n"
        "  ROOT %r = f32[8]{0} all-reduce(%p), replica_groups={}, to_apply=%add\n}\n"
    )
    (found,) = collectives(
        "%a = f32[8]{0} parameter(0)",
        "%i = s32[] constant(0)",
        "ROOT %c = f32[8]{0} conditional(%i, %a, %a), branch_computations={%yes, %yes}",
        before=branch,
    )
    assert found.times == Times(1, branch=(("main.1_spmd/c", 0),))
    (called,) = collectives(
        "%a = f32[8]{0} parameter(0)",
        "%b = f32[8]{0} call(%a), to_apply=%yes",
        "ROOT %c = f32[8]{0} call(%b), to_apply=%yes",
        before=branch,
    )
    assert called.times == Times(2)


TABLES = """
FileNames
1 "/home/u/model.py"
2 "/home/u/train.py"

FunctionNames
1 "<module>"
2 "block"

FileLocations
1 {file_name_id=2 function_name_id=1 line=40 end_line=40 column=0 end_column=9}
2 {file_name_id=1 function_name_id=2 line=7 end_line=9 column=4 end_column=8}

StackFrames
1 {file_location_id=1 parent_frame_id=1}
2 {file_location_id=2 parent_frame_id=2}

"""


def test_lines_from_tables_and_from_metadata():
    """The innermost frame is the user's line; older modules say it in place."""
    tables = Module(HEAD + TABLES)
    assert tables.source('metadata={op_name="jit(f)/dot" stack_frame_id=2}') == Source("/home/u/model.py", 7, "block")
    assert str(tables.source("metadata={stack_frame_id=2}")) == "model.py:7"
    assert tables.source('metadata={op_name="x" source_file="C:\\a\\b.py" source_line=3}') == Source(
        "C:\\a\\b.py", 3, ""
    )
    assert str(Source("C:\\a\\b.py", 3, "")) == "b.py:3"
    assert tables.source("metadata={stack_frame_id=9}") is tables.source("") is None


def test_a_notebooks_cell_is_called_by_its_function():
    """Its file has a number for a name."""
    assert str(Source("/home/u/ipykernel_123/456.py", 3, "f")) == "f:3"
    assert str(Source("/home/u/ipykernel_123/456.py", 3, "f.<locals>.step")) == "step:3"
    assert str(Source("C:\\Temp\\ipykernel_123\\456.py", 3, "")) == "cell:3"


def test_an_operation_without_a_line_takes_its_user_s():
    """A gathered argument is gathered for whoever needs it whole."""
    text = (
        HEAD + TABLES + "ENTRY %main (a: f32[8]) -> f32[16] {\n"
        '  %a = f32[8]{0} parameter(0), metadata={op_name="a"}\n'
        '  %g = f32[16]{0} all-gather(%a), replica_groups=[4,2]<=[8], dimensions={0}, metadata={op_name="a"}\n'
        "  %b = f32[16]{0} bitcast(%g)\n"
        '  ROOT %d = f32[16]{0} dot(%b), metadata={op_name="dot" stack_frame_id=2}\n}\n'
    )
    (found,) = find(Module(text))
    assert (found.op_name, str(found.source)) == ("a", "model.py:7")
