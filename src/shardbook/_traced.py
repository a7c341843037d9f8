"""Draw what is traced, when the compiled function runs.

Under ``jit`` the compiler chooses the devices, once for each set of input shardings. So the question is put into the
program: an operation that the partitioner replaces by a number, and that number says which answer it gave. The number
is part of the executable, so a cached call tells the truth too, and no data leaves its device.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import jax
import jax.numpy as jnp
import jax.sharding
from jax.custom_batching import custom_vmap
from jax.experimental.custom_partitioning import custom_partitioning
from jax.sharding import NamedSharding, Sharding
from rich.console import Console

if TYPE_CHECKING:
    from shardbook._display import Display

spec: Any = jax.sharding.PartitionSpec

NOT_PARTITIONED = -1


def when_run(x: Any, answer: Callable[[tuple[int, ...], Sharding | None], Display]) -> None:
    """Have ``answer`` shown each time the value ``x``, traced under ``jit``, is computed.

    Parameters
    ----------
    x
        The traced array. Under ``vmap`` the question is about the whole batch.
    answer
        What to show, given the array's shape and its sharding, which is None in a program for one device.

    Raises
    ------
    NotImplementedError
        This JAX is too old for it.
    """

    @custom_vmap
    def ask(value: Any) -> tuple[()]:
        seen: list[Sharding] = []
        keys = jnp.issubdtype(value.dtype, jax.dtypes.prng_key)
        number = _sharding_number(jax.random.key_data(value) if keys else value, value.ndim, seen)

        def tell(at: Any) -> None:
            present(answer(value.shape, None if at == NOT_PARTITIONED else seen[int(at)]))

        jax.debug.callback(tell, number)
        return ()

    @ask.def_vmap
    def ask_of_the_batch(_size: int, _batched: Any, value: Any) -> tuple[tuple[()], tuple[()]]:
        ask(value)
        return (), ()

    value = jax.lax.stop_gradient(x)
    if not jax.make_jaxpr(ask)(value).effects:
        raise NotImplementedError(
            f"JAX {jax.__version__} would drop a drawing of a traced value without a word; JAX 0.12 does not; "
            f"return the value and show that"
        )
    # Eager code under grad and vmap is asked through a compiled function too.
    jax.jit(ask)(value)


def once(manual: tuple[str, ...], figure: Display) -> None:
    """Have ``figure`` shown each time the body of a ``shard_map`` runs: by the first device, not by all."""

    def tell(at: Any) -> None:
        if at == 0:
            present(figure)

    jax.debug.callback(tell, jax.lax.axis_index(manual))


def present(figure: Display) -> None:
    """Display a figure where the program's output goes: in a notebook, else in the terminal."""
    interactive = sys.modules.get("IPython")
    if interactive is not None and getattr(interactive.get_ipython(), "kernel", None) is not None:
        interactive.display.display(figure)
    else:
        Console().print(figure)


def _sharding_number(x: Any, rank: int, seen: list[Sharding]) -> Any:
    """A number that says, when the program runs, which entry of ``seen`` is the sharding of ``x`` in it.

    ``rank`` is the number of leading dimensions that the sharding is about.
    """

    def partition(mesh: Any, given: Any, _result: Any) -> tuple[Any, Callable[[Any], Any], Any, Any]:
        sharding = given[0].sharding
        if isinstance(sharding, NamedSharding):
            entries = getattr(sharding.spec, "partitions", sharding.spec)
            seen.append(NamedSharding(sharding.mesh, spec(*entries[:rank])))
        else:
            seen.append(sharding)
        number = len(seen) - 1
        return mesh, lambda _: jnp.int32(number), NamedSharding(mesh, spec()), (sharding,)

    wrap: Any = custom_partitioning

    @wrap  # type: ignore[untyped-decorator]
    def question(_value: Any) -> Any:
        return jnp.int32(NOT_PARTITIONED)

    question.def_partition(
        partition=partition,
        infer_sharding_from_operands=lambda mesh, _given, _result: NamedSharding(mesh, spec()),
        sharding_rule=" ".join(f"d{at}" for at in range(x.ndim)) + " -> ",
    )
    return question(x)
