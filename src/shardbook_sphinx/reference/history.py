"""The history pages, drawn from the records: names by release, and what each release changed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from docutils import nodes
from sphinx.locale import _
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

from shardbook_sphinx.domain import handbook
from shardbook_sphinx.languages import mark
from shardbook_sphinx.nodes import generated, literal, sentence, table
from shardbook_sphinx.records.changes import by_release
from shardbook_sphinx.records.records import site_records

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.environment import BuildEnvironment

    from shardbook_sphinx.records.changes import Changed, Difference
    from shardbook_sphinx.records.records import Records, Release

SUBJECT = "releases told of"

logger = logging.getLogger(__name__)


# What the programs in recorder.py ask, by the name under which the answer is kept. Code stands in backticks.
QUESTIONS = {
    "make_mesh-axis-type": mark("axis type of `jax.make_mesh((8,), ('x',))`"),
    "Mesh-axis-type": mark("axis type of `Mesh(devices, ('x',))`"),
    "AbstractMesh-axis-type": mark("axis type of `AbstractMesh((8,), ('x',))`"),
    "make_mesh-warning": mark("`jax.make_mesh` without axis types warns"),
    "device-name": mark("the first CPU device as text"),
    "spec-repr": mark("`PartitionSpec('x', None)` as text"),
    "spec-is-tuple": mark("a `PartitionSpec` is a tuple"),
    "spec-equals-tuple": mark("`PartitionSpec('x') == ('x',)`"),
    "spec-one-axis": mark("`PartitionSpec(('x',)) == PartitionSpec('x')`"),
    "spec-trailing-none": mark("`PartitionSpec('x') == PartitionSpec('x', None)`"),
    "sharding-repr": mark("a `NamedSharding` as text"),
    "mesh-repr": mark("a `Mesh` as text"),
    "memory-kind": mark("memory kind of a new array on a CPU"),
    "type-auto": mark("`jax.typeof` of an array split along an Auto axis"),
    "type-explicit": mark("`jax.typeof` of an array split along an Explicit axis"),
    "type-manual": mark("`jax.typeof` of a block inside `jax.shard_map`"),
    "uneven-put": mark("`device_put` of 10 rows split 8 ways along an Auto axis"),
    "uneven-constraint": mark(
        "what `jit` returns of 17 rows that `with_sharding_constraint` splits 8 ways is replicated"
    ),
    "constraint-explicit": mark("`with_sharding_constraint` that names an Explicit axis, no mesh set"),
    "contract-both": mark("product of two matrices whose contracting dimension is split, Explicit axes"),
    "index-explicit": mark("spec of `x[0]`, the rows of `x` split, Explicit axes"),
    "mesh-context": mark("`with mesh:` warns"),
    "spec-without-mesh": mark("`device_put` to a bare `PartitionSpec` with no mesh set"),
    "unknown-axis": mark("a `NamedSharding` along an axis that the mesh lacks"),
    "shard_map-mismatch": mark("`jax.shard_map` of an array split otherwise than `in_specs` says, Explicit axes"),
    "pmap-sharding": mark("type of the sharding that `jax.pmap` returns"),
    "psum-unknown-axis": mark("`psum` over an axis that does not exist, under `jit`"),
    "shardy": mark("Shardy is the default partitioner"),
    "threefry": mark("random numbers do not depend on the sharding"),
    "num-cpu-devices": mark("the option `jax_num_cpu_devices` exists"),
}
# Answers that are words and not code.
ANSWERS = {"True": mark("yes"), "False": mark("no"), "no": mark("no"), "not there": mark("not there yet")}
RAISES = mark("raises {error}")
KINDS = {
    "added": mark("New"),
    "deprecated": mark("Deprecated"),
    "removed": mark("Removed"),
    "signatures": mark("Parameters"),
    "behaviours": mark("Behaviour"),
}
PRESENT, DEPRECATED, ABSENT = "●", "○", ""


class Matrix(SphinxDirective):
    """A table of names by release: ``{api-matrix} MODULE [MODULE ...]`` shows the names of modules, not their members.

    The newest release comes first. A release has a column if one of these names came, went or was deprecated in it.
    """

    required_arguments = 1
    final_argument_whitespace = True
    option_spec: ClassVar[Any] = {}

    def run(self) -> list[nodes.Node]:
        """Draw the table."""
        records = site_records(self.env)
        modules = self.arguments[0].split()
        names = [name for name in records.names if name.rpartition(".")[0] in modules and not records.is_member(name)]
        if not names:
            raise self.error(f"no recorded release has a name in {' or '.join(modules)}")
        columns = shown_releases(records, names)[::-1]
        shown = {name: name.removeprefix(f"{modules[0]}.") if len(modules) == 1 else name for name in names}
        rows = [[literal(shown[name]), *(state(release, name) for release in columns)] for name in names]
        return [table([_("Name"), *(release.name for release in columns)], rows, "api-matrix")]


class Answers(SphinxDirective):
    """A table of what programs answered: ``{api-answers} NAME [NAME ...]``, each answer with its first release."""

    required_arguments = 1
    final_argument_whitespace = True
    option_spec: ClassVar[Any] = {}

    def run(self) -> list[nodes.Node]:
        """Draw the table."""
        records = site_records(self.env)
        rows: list[list[list[nodes.Node]]] = []
        for key in self.arguments[0].split():
            if key not in QUESTIONS:
                raise self.error(f"no program answers to {key}; there are {', '.join(QUESTIONS)}")
            lines = [
                nodes.list_item("", generated(nodes.strong("", since), nodes.Text(" "), *answered(text)))
                for since, text in answers(records, key)
            ]
            rows.append([sentence(_(QUESTIONS[key])), [nodes.bullet_list("", *lines)]])
        return [table([_("What was run"), _("Answer, since")], rows, "api-answers")]


class Changes(SphinxDirective):
    """What a release changed, as a list: ``{api-changes} RELEASE``."""

    required_arguments = 1
    option_spec: ClassVar[Any] = {}

    def run(self) -> list[nodes.Node]:
        """Draw the list, from the records of that release and the one before."""
        release = self.arguments[0]
        changed = by_release(site_records(self.env))
        if release not in changed:
            raise self.error(f"the records show no change in {release}; they do in {', '.join(changed)}")
        domain, page = handbook(self.env), self.env.current_document.docname
        domain.note(SUBJECT, [*domain.said(page, SUBJECT, []), release])
        return [change_list(changed[release])]


def shown_releases(records: Records, names: list[str]) -> list[Release]:
    """The oldest release, and each that is unlike the one before for one of the names."""
    found = [records.releases[0]]
    for release in records.releases[1:]:
        if any(presence(release, name) != presence(found[-1], name) for name in names):
            found.append(release)
    return found


def presence(release: Release, name: str) -> str:
    """Whether a release has a name: a sign for a table."""
    if name not in release.objects:
        return ABSENT
    return DEPRECATED if "deprecated" in release.objects[name] else PRESENT


def state(release: Release, name: str) -> list[nodes.Node]:
    """The sign in a table, with the word for it for who cannot see it."""
    sign = presence(release, name)
    word = {PRESENT: _("there"), DEPRECATED: _("deprecated"), ABSENT: ""}[sign]
    shown = f'<span class="sign" role="img" aria-label="{word}">{sign}</span>' if sign else ""
    return [nodes.raw("", shown, format="html", plain=sign)]


def answers(records: Records, key: str) -> list[tuple[str, str]]:
    """The answers to a question, each with the first release that gave it."""
    found: list[tuple[str, str]] = []
    for release in records.releases:
        if not found or found[-1][1] != release.behaviours[key]:
            found.append((release.name, release.behaviours[key]))
    return found


def answered(answer: str) -> list[nodes.Node]:
    """An answer of a program: a word in the reader's language, an error, or what was printed."""
    if answer in ANSWERS:
        return sentence(_(ANSWERS[answer]))
    if answer.startswith("raises "):
        return sentence(_(RAISES).format(error=f"`{answer.removeprefix('raises ')}`"))
    return literal(answer)


def change_list(changes: Difference) -> nodes.bullet_list:
    """A point for each kind of change, in the order of ``KINDS``."""
    points = nodes.bullet_list(bullet="-", classes=["api-changes"])
    for kind, word in KINDS.items():
        found = getattr(changes, kind)
        if not found:
            continue
        line: list[nodes.Node] = [nodes.strong("", _(word)), nodes.Text(" ")]
        if isinstance(found[0], str):
            for place, name in enumerate(found):
                line += [nodes.Text(_(", ") if place else ""), *literal(name)]
            points += nodes.list_item("", generated(*line))
            continue
        lines = [nodes.list_item("", generated(*change_line(kind, each))) for each in found]
        points += nodes.list_item("", generated(*line), nodes.bullet_list("", *lines))
    return points


def change_line(kind: str, change: Changed) -> list[nodes.Node]:
    """What one thing was, and what it is."""
    if kind == "behaviours":
        question = sentence(_(QUESTIONS[change.name]))
        return [*question, nodes.Text(_(": ")), *answered(change.before), nodes.Text(" → "), *answered(change.after)]
    gone, come = parameters(change.before), parameters(change.after)
    told = [*(f"−{each}" for each in gone if each not in come), *(f"+{each}" for each in come if each not in gone)]
    line = [*literal(change.name), nodes.Text(_(": "))]
    if not told:
        return [*line, *literal(change.before), nodes.Text(" → "), *literal(change.after)]
    for place, each in enumerate(told):
        line += [nodes.Text(_(", ") if place else ""), *literal(each)]
    return line


def parameters(signature: str) -> list[str]:
    """The parameters in a signature, as they stand there; without the signs for how they may be passed.

    >>> parameters("(mesh, *, names=('x', 'y'))")
    ['mesh', "names=('x', 'y')"]
    """
    found, depth, begun = [], 0, ""
    for sign in signature[1:-1] + ",":
        depth += (sign in "([{") - (sign in ")]}")
        if sign == "," and not depth:
            found.append(begun.strip())
            begun = ""
        else:
            begun += sign
    return [each for each in found if each not in {"", "*", "/"}]


def check_releases(_app: Sphinx, env: BuildEnvironment) -> None:
    """Once all pages are read: warn of a release that changed something of which no page tells."""
    told = {release for releases in handbook(env).pages(SUBJECT).values() for release in releases}
    for release in by_release(site_records(env)):
        if release not in told:
            logger.warning(
                "%s changed something for shardings: add {api-changes} %s to docs/history/releases.md",
                release,
                release,
                type="shardbook",
                subtype="history",
            )
