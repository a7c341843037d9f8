"""Collectives one can watch: each ends as JAX's own on CPU devices, moves the bytes of its formula, and a fault is found."""

import re
from dataclasses import replace
from fractions import Fraction

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from babel.messages.pofile import read_po
from jax import lax
from jax.sharding import NamedSharding
from jax.sharding import PartitionSpec as P

import shardbook as sb
from shardbook_sphinx.watch import exchange
from shardbook_sphinx.watch.model import FILMS, Send, after
from shardbook_sphinx.watch.picture import draw_step, spoken
from shardbook_sphinx.watch.words import FRAME, NOTES, READING, STEPS, TITLES, TRUTH

N = 4
RING = [(device, (device + 1) % N) for device in range(N)]
COLLECTIVES = {
    "all-gather": lambda block: lax.all_gather(block, "x", tiled=True),
    "reduce-scatter": lambda block: lax.psum_scatter(block, "x", tiled=True),
    "all-reduce": lambda block: lax.psum(block, "x"),
    "all-to-all": lambda block: lax.all_to_all(block, "x", 0, 0, tiled=True),
    "permute": lambda block: lax.ppermute(block, "x", RING),
}
WHOLE_BLOCKS = {"all-gather", "permute"}


def mesh():
    return jax.make_mesh((N,), ("x",), devices=jax.devices()[:N])


def on_devices(function, *arrays):
    """What each device holds once a function of blocks has run on numbered arrays."""
    mapped = jax.jit(jax.shard_map(function, mesh=mesh(), in_specs=P("x"), out_specs=P("x"), check_vma=False))
    split = [jax.device_put(array, NamedSharding(mesh(), P("x"))) for array in arrays]
    shards = sorted(mapped(*split).addressable_shards, key=lambda shard: shard.device.id)
    return [np.asarray(shard.data) for shard in shards]


def numbered(parts):
    """An array in which every part of every device's block is a bit of its own, so that a sum tells its terms."""
    return np.array([1 << (device * parts + part) for device in range(N) for part in range(parts)], np.int32)


def terms(value, parts):
    return frozenset(divmod(bit, parts) for bit in range(N * parts) if int(value) >> bit & 1)


def as_jax_has_it(name):
    parts = 1 if name in WHOLE_BLOCKS else N
    held = on_devices(COLLECTIVES[name], numbered(parts))
    return [{slot: terms(value, parts) for slot, value in enumerate(block)} for block in held]


def ends_with(film):
    """What the model holds at the end; of a scattered sum a device has its one slot first."""
    last = film.steps[-1].state
    if film.name == "reduce-scatter":
        assert [set(held) for held in last] == [{device} for device in range(N)]
        return [{0: held[device]} for device, held in enumerate(last)]
    return list(last)


@pytest.mark.parametrize("name", COLLECTIVES)
def test_the_last_step_is_what_jax_gives(name):
    assert ends_with(FILMS[name](N)) == as_jax_has_it(name)


@pytest.mark.parametrize("name", COLLECTIVES)
def test_a_fault_in_the_model_is_found(name):
    """A term that is lost, and two devices that have each other's."""
    film = FILMS[name](N)
    right = as_jax_has_it(name)
    state = [dict(held) for held in film.steps[-1].state]
    slot = next(iter(state[1]))
    lost = [dict(held) for held in state]
    lost[1][slot] = frozenset(sorted(lost[1][slot])[1:])
    for wrong in (lost, [state[1], state[0], *state[2:]]):
        if film.name in {"all-gather", "all-reduce"} and wrong is not lost:
            continue  # there all devices hold the same
        with_fault = replace(film, steps=(*film.steps[:-1], film.steps[-1]._replace(state=tuple(wrong))))
        if film.name == "reduce-scatter" and wrong is not lost:
            with pytest.raises(AssertionError):
                ends_with(with_fault)
        else:
            assert ends_with(with_fault) != right


@pytest.mark.parametrize("n", [2, 4, 8])
def test_each_step_moves_what_the_formula_says(n):
    """In blocks: with n devices a gather brings n−1, a scatter and an exchange (n−1)/n, an all-reduce twice that."""
    turns = {
        "all-gather": (n - 1, Fraction(1)),
        "reduce-scatter": (n - 1, Fraction(1, n)),
        "all-reduce": (2 * (n - 1), Fraction(1, n)),
        "all-to-all": (n - 1, Fraction(1, n)),
        "permute": (1, Fraction(1)),
        "collective-matmul": (n - 1, Fraction(1)),
    }
    for name, (count, share) in turns.items():
        film = FILMS[name](n)
        sending = [step for step in film.steps if step.sends]
        assert len(sending) == count
        for step in sending:
            assert sorted(send.to for send in step.sends) == sorted(send.source for send in step.sends) == [*range(n)]
        assert film.share == share
        assert film.received(len(film.steps) - 1) == count * share
        # A ring sends to the next device only, and what it sends arrives.
        for before, step in zip(film.steps, film.steps[1:], strict=False):
            for send in step.sends:
                assert name == "all-to-all" or send.to == (send.source + 1) % n
                assert before.state[send.source][send.slot] <= step.state[send.to][send.into]


@pytest.mark.parametrize("name", COLLECTIVES)
def test_the_bytes_are_those_that_the_compiler_is_charged_for(name):
    block = jax.ShapeDtypeStruct((16,), jnp.float32, sharding=NamedSharding(mesh(), P("x")))
    mapped = jax.shard_map(COLLECTIVES[name], mesh=mesh(), in_specs=P("x"), out_specs=P("x"), check_vma=False)
    film = FILMS[name](N)
    (operation,) = sb.collectives(mapped, block)
    assert operation.bytes_per_device == film.received(len(film.steps) - 1) * 16


def test_what_a_device_does_not_have_is_not_sent_and_no_term_counts_twice():
    state = FILMS["reduce-scatter"](N).steps[0].state
    with pytest.raises(ValueError, match="device 0 has nothing there"):
        after(state, [Send(0, 9, 1, 0)])
    with pytest.raises(ValueError, match="device 0 would count"):
        after(after(state, [Send(0, 0, 1, 0, kept=True)]), [Send(1, 0, 0, 0)])
    with pytest.raises(ValueError, match="a power of two of them, not 6"):
        FILMS["all-to-all"](6)


@pytest.mark.parametrize("turns", range(1, N + 1))
def test_the_ring_of_a_product_is_that_of_a_program_after_each_turn(turns):
    """Rows are primes and columns other primes, so that a product tells whose it is; zero is what is not there yet."""
    rows, columns = np.array([2, 3, 5, 7], np.int32), np.array([11, 13, 17, 19], np.int32)

    def program(a, b):
        products = jnp.zeros(N, jnp.int32)
        for turn in range(turns):
            products = products.at[(lax.axis_index("x") - turn) % N].set((a * b)[0])
            a = lax.ppermute(a, "x", RING) if turn < N - 1 else a
        return jnp.concatenate([a, products])

    whose = {int(a * b): (row, column) for row, a in enumerate(rows) for column, b in enumerate(columns)}
    held = [
        {0: frozenset({(rows.tolist().index(block[0]), 0)})}
        | {slot: frozenset({whose[int(value)]}) for slot, value in enumerate(block[1:], 1) if value}
        for block in on_devices(program, rows, columns)
    ]
    film = FILMS["collective-matmul"](N)
    assert list(film.steps[turns].state) == held
    assert list(film.steps[turns - 1].state) != held


def by_device(layout):
    return {device: piece.index for piece in layout.pieces for device in piece.devices}


def test_the_move_is_the_one_that_the_compiler_makes():
    """The layouts at the ends are JAX's; the exchange is in its groups, the permutation is of its pairs."""
    grid = jax.make_mesh((2, 4), ("x", "y"))
    ends = [NamedSharding(grid, P("x", "y")), NamedSharding(grid, P("y", "x"))]
    first, halves, last = exchange.layouts()
    for found, sharding in zip((first, last), ends, strict=True):
        theirs = sharding.devices_indices_map(exchange.SHAPE)
        assert by_device(found) == {
            device.id: tuple(slice(*part.indices(64)[:2]) for part in index) for device, index in theirs.items()
        }
    array = jax.ShapeDtypeStruct(exchange.SHAPE, jnp.float32, sharding=ends[0])
    operations = sb.collectives(lambda array: jax.reshard(array, ends[1]), array)
    charged = {each.operation: each.bytes_per_device for each in operations}
    assert charged == {"all-to-all": exchange.received(1), "collective-permute": exchange.received(2)}
    text = jax.jit(lambda array: jax.reshard(array, ends[1])).lower(array).compile().as_text()
    assert "replica_groups=mesh['x'=2,'y'=4] {'y':(2)2}" in text
    senders = {
        receipt.device: {one for part in sb.moves(first, halves).parts(receipt.device) for one in part.devices}
        for receipt in sb.moves(first, halves).receipts
    }
    assert senders == {device: {device ^ 1} for device in range(8)}
    (pairs,) = re.findall(r"source_target_pairs=\{(\S+)\}, ", text)
    theirs = {int(to): int(source) for source, to in re.findall(r"\{(\d),(\d)\}", pairs)}
    before, after_it = by_device(halves), by_device(last)
    assert {to: source for to in after_it for source in before if before[source] == after_it[to]} == theirs


def test_a_wrong_layout_in_between_is_found(monkeypatch):
    path = list(exchange.PATH)
    path[1] = ("halves", exchange.CUT_MESH, (("x", "y₁"), "y₂"))
    monkeypatch.setattr(exchange, "PATH", tuple(path))
    with pytest.raises(AssertionError):
        test_the_move_is_the_one_that_the_compiler_makes()


def test_pictures_show_what_the_model_says():
    film = FILMS["all-reduce"](N)
    words = {"holds": "{device}: {contents}", "nothing": "nothing", "list": ", ", "clause": "; ", "stop": "."}
    assert spoken(film, film.steps[3], words) == "; ".join(f"{device}: 0+1+2+3" for device in range(N)) + "."
    start, middle = draw_step(film, film.steps[0]), draw_step(film, film.steps[3])
    assert len(re.findall(r'class="watch-ink"', start)) == 4 + 16
    assert "sb-partial" in start
    assert "watch-new" not in start
    assert "sb-partial" not in middle
    (empty,) = re.findall(r'class="sb-empty" d="([^"]*)"', middle)
    assert empty.count("M") == 12
    assert middle.count("watch-new") == 4


def test_every_sentence_is_used_and_said_in_chinese(pytestconfig):
    with (pytestconfig.rootpath / "docs/locale/zh_CN/LC_MESSAGES/sphinx.po").open("rb") as file:
        said = {message.id: message.string for message in read_po(file)}
    for message in [*TITLES.values(), *STEPS.values(), *READING.values(), *TRUTH.values(), *FRAME.values()]:
        assert said.get(message), message
    assert NOTES.keys() == TITLES.keys() == FILMS.keys() | {"exchanged-axes"}
    assert {each for pair in NOTES.values() for each in pair} == READING.keys() | TRUTH.keys()
    said = {step.said for film in FILMS.values() for step in film(N).steps} | {said for said, *_ in exchange.PATH}
    assert said == STEPS.keys()
