"""What one device holds under several plans for a function, or several compilers: side by side."""

from collections.abc import Mapping
from dataclasses import dataclass

from rich.text import Text

from shardbook._compare_memory_view import memory_comparison_html, memory_comparison_lines
from shardbook._display import Display
from shardbook._memory import Memory
from shardbook._public import public


@public
@dataclass(frozen=True, repr=False)
class MemoryComparison(Display):
    """What one device holds under several plans, side by side.

    Displays itself as a table in a notebook, through rich, and by ``print``: a row for each plan, with a bar of its
    arguments, results and temporaries, all bars to one scale.

    Attributes
    ----------
    plans
        What a device holds under each plan, by the plan's name.
    language
        Of the words, "en" or "zh".
    """

    plans: Mapping[str, Memory]
    language: str = "en"

    @property
    def smallest(self) -> tuple[str, ...]:
        """The plans that need the fewest bytes of a device's memory; several if they need as many."""
        least = min(plan.total for plan in self.plans.values())
        return tuple(name for name, plan in self.plans.items() if plan.total == least)

    @property
    def parts(self) -> Mapping[str, tuple[int, int, int]]:
        """Of what each plan's bar is made: bytes of arguments, of results not in their place, and of temporaries."""
        held = {name: plan.device for name, plan in self.plans.items()}
        return {name: (one.arguments, one.outputs - one.aliased, one.temporaries) for name, one in held.items()}

    def _html(self, messages: Mapping[str, str]) -> str:
        return memory_comparison_html(self, messages)

    def _lines(self, messages: Mapping[str, str], width: int) -> list[Text]:
        return memory_comparison_lines(self, messages, width)
