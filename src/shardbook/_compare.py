"""What several plans for a function, or several compilers, communicate or hold: side by side."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import overload

from rich.text import Text

from shardbook._collectives import Collectives
from shardbook._compare_memory import MemoryComparison
from shardbook._compare_view import comparison_html, comparison_lines
from shardbook._display import Display
from shardbook._memory import Memory
from shardbook._messages import messages
from shardbook._public import public
from shardbook._totals import Total


@public
@dataclass(frozen=True, repr=False)
class Comparison(Display):
    """Several plans side by side.

    Displays itself as a table in a notebook, through rich, and by ``print``: a row for each operation and its axes, a
    column for each plan.

    Attributes
    ----------
    plans
        The communication of each plan, by the plan's name.
    language
        Of the words, "en" or "zh".
    """

    plans: Mapping[str, Collectives]
    language: str = "en"

    @property
    def rows(self) -> Mapping[tuple[str, tuple[str, ...] | None], Mapping[str, Total]]:
        """For each operation and its axes the total of each plan that has any, by its name; most expensive first."""
        found: dict[tuple[str, tuple[str, ...] | None], dict[str, Total]] = {}
        for name, plan in self.plans.items():
            for total in plan.totals:
                found.setdefault((total.operation, total.axes), {})[name] = total

        def dearest(row: tuple[object, Mapping[str, Total]]) -> tuple[int, int]:
            return max((total.bytes_per_turn, total.bytes_once) for total in row[1].values())

        return dict(sorted(found.items(), key=dearest, reverse=True))

    @property
    def cheapest(self) -> tuple[str, ...]:
        """The plans whose devices receive the fewest bytes, whatever branches are taken and however loops turn.

        Several if they receive as many; none if branches or loops decide it.
        """
        least = {name: plan.bytes_at_least for name, plan in self.plans.items()}
        return tuple(
            name
            for name, plan in self.plans.items()
            if plan.bytes_per_device is not None
            and all(plan.bytes_per_device <= least[other] for other in self.plans if other != name)
        )

    def _html(self, messages: Mapping[str, str]) -> str:
        return comparison_html(self, messages)

    def _lines(self, messages: Mapping[str, str], width: int) -> list[Text]:
        return comparison_lines(self, messages, width)


@overload
def compare(plans: Mapping[str, Collectives], *, language: str | None = None) -> Comparison: ...


@overload
def compare(plans: Mapping[str, Memory], *, language: str | None = None) -> MemoryComparison: ...


@public
def compare(
    plans: Mapping[str, Collectives] | Mapping[str, Memory], *, language: str | None = None
) -> Comparison | MemoryComparison:
    """Put side by side what one device receives, or holds, under several plans.

    >>> import jax
    >>> from jax.sharding import NamedSharding, PartitionSpec as P
    >>> from shardbook import collectives
    >>> mesh = jax.make_mesh((2, 4), ("x", "y"), axis_types=(jax.sharding.AxisType.Auto,) * 2)
    >>> def struct(shape, *spec):
    ...     return jax.ShapeDtypeStruct(shape, "float32", sharding=NamedSharding(mesh, P(*spec)))
    >>> def multiply(a, b):
    ...     return a @ b
    >>> a = struct((16, 32), None, "y")
    >>> both = compare({
    ...     "gather": collectives(multiply, a, struct((32, 64))),
    ...     "add": collectives(multiply, a, struct((32, 64), "y")),
    ... })
    >>> print(both)
    operation   along  gather           add
    all-reduce  y      —                6 KiB
    all-gather  y      1.5 KiB          —
    together           1.5 KiB (least)  6 KiB
    mesh  x=2, y=4
    >>> both.cheapest
    ('gather',)

    Of what a device holds there is a bar for each:

    >>> from shardbook import memory
    >>> whole, split = struct((64, 32)), struct((64, 32), "x", "y")
    >>> print(compare({"whole": memory(abs, whole), "split": memory(abs, split)}))
    plan   to scale      █ arguments  ▒ results  ░ temporaries  together
    whole  ██████▒▒▒▒▒▒  8 KiB        8 KiB      0 B            16 KiB
    split  █▒            1 KiB        1 KiB      0 B            2 KiB (least)
    This is XLA for CPU: other compilers need other temporaries.

    Parameters
    ----------
    plans
        What ``collectives`` has returned, or what ``memory`` has, by a name for each. Meshes, functions and compilers
        may differ: operations are told apart by their names and those of their axes.
    language
        Of the table's words, "en" (the default) or "zh".

    Returns
    -------
    Comparison or MemoryComparison
        A table: a row for each operation and its axes, or a row and a stacked bar for each plan.

    Raises
    ------
    TypeError
        ``plans`` is no mapping, or holds something else, or both kinds.
    ValueError
        There are no plans. Or there is no such language.
    """
    messages(language or "en")
    if not isinstance(plans, Mapping):
        raise TypeError(
            f'compare takes a dict of plans by their names, such as {{"rows": collectives(...)}}: got '
            f"{type(plans).__name__}"
        )
    if not plans:
        raise ValueError("compare needs one plan at least, got none")
    for name, plan in plans.items():
        if not isinstance(name, str) or not isinstance(plan, Collectives | Memory):
            raise TypeError(
                f"compare takes what collectives or memory returns, by names: got {type(plan).__name__} for {name!r}"
            )
    sent = {name: plan for name, plan in plans.items() if isinstance(plan, Collectives)}
    held = {name: plan for name, plan in plans.items() if isinstance(plan, Memory)}
    if sent and held:
        raise TypeError(
            f"compare takes plans of one kind: got Collectives for {next(iter(sent))!r} and Memory for "
            f"{next(iter(held))!r}. Compare each kind by itself"
        )
    return Comparison(sent, language or "en") if sent else MemoryComparison(held, language or "en")
