"""Write down what the JAX at hand offers for sharding, as JSON: python recorder.py FILE RECORDER.

Runs by itself in the environment of any JAX since 0.4.13, Python 3.10 or newer, and imports nothing but JAX: this is
how the files in docs/_data/api are made. ``MODULES`` says which modules are recorded whole, ``NEIGHBOURS`` which
objects besides, and ``BEHAVIOURS`` which small programs are run, since a default can change without its name.
"""

from __future__ import annotations

import ast
import enum
import functools
import importlib
import inspect
import json
import os
import re
import sys
import warnings
from pathlib import Path
from typing import Any

MODULES = ("jax.sharding",)
# Module → names; a name with a dot is a member, and stands for itself alone.
NEIGHBOURS = {
    "jax": (
        "Array.addressable_data",
        "Array.addressable_shards",
        "Array.committed",
        "Array.device",
        "Array.devices",
        "Array.format",
        "Array.global_shards",
        "Array.is_fully_addressable",
        "Array.is_fully_replicated",
        "Array.sharding",
        "NamedSharding",
        "P",
        "Shard",
        "device_put",
        "device_put_replicated",
        "device_put_sharded",
        "get_abstract_mesh",
        "get_mesh",
        "jit",
        "make_array_from_callback",
        "make_array_from_process_local_data",
        "make_array_from_single_device_arrays",
        "make_mesh",
        "pmap",
        "reshard",
        "set_mesh",
        "shard_map",
        "smap",
        "typeof",
        "use_abstract_mesh",
    ),
    "jax.debug": ("inspect_array_sharding", "visualize_array_sharding", "visualize_sharding"),
    "jax.experimental.layout": ("DeviceLocalLayout", "Format", "Layout"),
    "jax.experimental.maps": ("xmap",),
    "jax.experimental.mesh_utils": ("create_device_mesh", "create_hybrid_device_mesh"),
    "jax.experimental.multihost_utils": (
        "assert_equal",
        "broadcast_one_to_all",
        "global_array_to_host_local_array",
        "host_local_array_to_global_array",
        "live_devices",
        "process_allgather",
        "reached_preemption_sync_point",
        "sync_global_devices",
    ),
    "jax.experimental.pjit": ("pjit",),
    "jax.experimental.shard_map": ("shard_map",),
    "jax.lax": (
        "all_gather",
        "all_to_all",
        "axis_index",
        "axis_size",
        "pbroadcast",
        "pcast",
        "pmax",
        "pmean",
        "pmin",
        "ppermute",
        "pshuffle",
        "psum",
        "psum_scatter",
        "pswapaxes",
        "pvary",
        "ragged_all_to_all",
        "with_sharding_constraint",
    ),
}

# Classes whose objects have attributes that the class does not list, and a program whose answer is such an object.
INSTANCES = {
    "jax.experimental.layout.DeviceLocalLayout": "from jax.experimental import layout\nlayout.DeviceLocalLayout((0,))",
    "jax.experimental.layout.Layout": "from jax.experimental import layout\nlayout.Layout((0,))",
    "jax.sharding.AbstractDevice": "auto.abstract_mesh.abstract_device",
    "jax.sharding.AbstractMesh": "auto.abstract_mesh",
    "jax.sharding.Mesh": "auto",
}

# Small programs on eight devices, each by the name under which its answer is kept. The last line is the answer, and
# this stands before each.
START = """
import jax, jax.numpy as jnp, numpy as np, warnings
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P
devices = np.array(jax.devices())
auto = Mesh(devices, ("x",))
x = jax.device_put(np.arange(16.0, dtype=np.float32), NamedSharding(auto, P("x")))
def explicit():
    mesh = jax.make_mesh((2, 4), ("x", "y"), axis_types=(jax.sharding.AxisType.Explicit,) * 2)
    return mesh, lambda shape, *spec: jax.device_put(np.zeros(shape, np.float32), NamedSharding(mesh, P(*spec)))
"""
BEHAVIOURS = {
    "make_mesh-axis-type": "jax.make_mesh((8,), ('x',)).axis_types",
    "Mesh-axis-type": "auto.axis_types",
    "AbstractMesh-axis-type": "jax.sharding.AbstractMesh((8,), ('x',)).axis_types",
    "device-name": "str(jax.devices()[0])",
    "spec-repr": "repr(P('x', None))",
    "spec-is-tuple": "isinstance(P('x'), tuple)",
    "spec-equals-tuple": "P('x') == ('x',)",
    "spec-one-axis": "P(('x',)) == P('x')",
    "spec-trailing-none": "P('x') == P('x', None)",
    "sharding-repr": "repr(NamedSharding(auto, P('x')))",
    "mesh-repr": "repr(auto)",
    "memory-kind": "jnp.zeros(1).sharding.memory_kind",
    "type-auto": "str(jax.typeof(x))",
    "type-explicit": "str(jax.typeof(explicit()[1]((8, 4), 'x')))",
    "type-manual": """
seen = []
look = jax.shard_map(lambda v: (seen.append(str(jax.typeof(v))), v)[1], mesh=auto, in_specs=P('x'), out_specs=P('x'))
jax.jit(look)(x)
seen[0]
""",
    "uneven-put": "jax.device_put(np.zeros(10), NamedSharding(auto, P('x'))).sharding",
    "make_mesh-warning": "warned('jax.make_mesh((8,), (\\'x\\',))')",
    "uneven-constraint": """
constrain = lambda v: jax.lax.with_sharding_constraint(v, NamedSharding(auto, P('x')))
str(jax.jit(constrain)(np.zeros(17)).sharding.is_fully_replicated)
""",
    "constraint-explicit": """
mesh, put = explicit()
constrain = lambda v: jax.lax.with_sharding_constraint(v, NamedSharding(mesh, P(None, 'y')))
jax.jit(constrain)(put((8, 8), 'x')).sharding.spec
""",
    "contract-both": """
mesh, put = explicit()
jnp.matmul(put((8, 8), None, 'x'), put((8, 8), 'x', None)).sharding.spec
""",
    "index-explicit": "explicit()[1]((8, 4), 'x')[0].sharding.spec",
    "mesh-context": "warned('with auto: pass')",
    "spec-without-mesh": "jax.device_put(np.zeros(8), P()).sharding",
    "unknown-axis": "NamedSharding(auto, P('z'))",
    "shard_map-mismatch": """
mesh, put = explicit()
same = jax.shard_map(lambda v: v, mesh=mesh, in_specs=P('y'), out_specs=P('y'))
same(put((8, 8), 'x')).sharding.spec
""",
    "pmap-sharding": "type(jax.pmap(lambda v: v)(np.zeros((8, 2))).sharding).__name__",
    "psum-unknown-axis": "jax.jit(lambda v: jax.lax.psum(v, 'z'))(np.zeros(8))",
    "shardy": "jax.config.jax_use_shardy_partitioner",
    "threefry": "jax.config.jax_threefry_partitionable",
    "num-cpu-devices": "'jax_num_cpu_devices' in jax.config.values",
}

ADDRESS = re.compile(r" at 0x[0-9a-f]+")


def record() -> dict[str, Any]:
    """Everything about the JAX that is installed: its version, its objects by name, its answers by key."""
    jax, jaxlib = importlib.import_module("jax"), importlib.import_module("jaxlib")
    return {
        "jax": jax.__version__,
        "jaxlib": jaxlib.__version__,
        "recorder": sys.argv[2],
        "objects": dict(sorted(objects().items())),
        "behaviours": {key: answer(program) for key, program in BEHAVIOURS.items()},
    }


def objects() -> dict[str, dict[str, str]]:
    """Every object that is recorded, by its full name."""
    found: dict[str, dict[str, str]] = {}
    for module in MODULES:
        for name in public_names(importlib.import_module(module)):
            describe(f"{module}.{name}", found)
    for module, names in NEIGHBOURS.items():
        for name in names:
            describe(f"{module}.{name}", found)
    return found


def public_names(module: Any) -> set[str]:
    """The names of a module that it has now or had: ``dir`` hides those that are deprecated.

    None is asked for with ``getattr``: JAX warns of a deprecated name the first time only.
    """
    listed = {*dir(module), *getattr(module, "_deprecations", {})}
    return {name for name in listed if not name.startswith("_") and not inspect.ismodule(vars(module).get(name))}


def describe(name: str, found: dict[str, dict[str, str]]) -> None:
    """Add an object and its public members to ``found``, or nothing if this JAX does not have it."""
    module, _, short_name = name.rpartition(".")
    if module == "jax.Array":
        cls = type(importlib.import_module("jax.numpy").zeros(()))  # jax.Array itself does not list all of them
        if hasattr(cls, short_name):
            found[name] = member(cls, short_name)
        return
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            value = getattr(importlib.import_module(module), short_name)
        except Exception:  # noqa: BLE001, this release lacks the name or its module, or refuses to give it
            return
    found[name] = whole(value)
    if told := [str(warning.message) for warning in caught if issubclass(warning.category, DeprecationWarning)]:
        found[name]["deprecated"] = " ".join(told[0].split())
    if inspect.isclass(value):
        if module == "jax" and short_name != "Shard":  # members stand with the name in jax.sharding
            return
        for each in members(value):
            found[f"{name}.{each}"] = member(value, each)
        for each in set(instance_members(name)) - set(members(value)):
            found[f"{name}.{each}"] = {"kind": "attribute"}


def members(value: Any) -> list[str]:
    """The public members of a class or an object; of an enumeration those that it enumerates."""
    if isinstance(value, enum.EnumMeta):
        return list(value.__members__)
    return [name for name in dir(value) if not name.startswith("_")]


def instance_members(name: str) -> list[str]:
    """The public members of an object of a class in ``INSTANCES``, if this release can make one."""
    try:
        return members(evaluate(INSTANCES[name])) if name in INSTANCES else []
    except Exception:  # noqa: BLE001, what an older release cannot make, it does not record
        return []


def whole(value: Any) -> dict[str, str]:
    """Kind and signature of an object of a module."""
    if inspect.isclass(value):
        if issubclass(value, enum.Enum):
            return {"kind": "class"}
        return {"kind": "class", "signature": signature(value)}
    if inspect.isfunction(value) or inspect.isbuiltin(value) or not hasattr(type(value), "__enter__"):
        return {"kind": "function", "signature": signature(value)}
    return {"kind": "function", "signature": signature(value.__call__)}  # a setting, used as a context manager


def member(cls: type, name: str) -> dict[str, str]:
    """Kind and signature of a member; a field, a property and a cached property are all a property."""
    static = inspect.getattr_static(cls, name)
    if isinstance(cls, enum.EnumMeta):
        return {"kind": "attribute"}
    if isinstance(static, (staticmethod, classmethod)):
        kind = "staticmethod" if isinstance(static, staticmethod) else "classmethod"
        return {"kind": kind, "signature": signature(getattr(cls, name))}
    if inspect.isfunction(static) or (inspect.ismethoddescriptor(static) and callable(static)):
        return {"kind": "method", "signature": signature(static, bound=True)}
    descriptor = hasattr(static, "__get__") or hasattr(type(static), "__set_name__")
    return {"kind": "property" if descriptor else "attribute"}


def signature(value: Any, *, bound: bool = False) -> str:
    """The parameters, without types, without private ones and without ``self``.

    Types are left out: they change from release to release while nothing changes for whoever calls.
    """
    parameters = None
    if native := native_signature(value):
        parameters = list(native.parameters.values())[1:]
    else:
        try:
            parameters = list(inspect.signature(value).parameters.values())[int(bound) :]
        except (TypeError, ValueError):
            return "(...)"
    if not native and inspect.isclass(value) and [p.name for p in parameters] == ["args", "kwargs"]:
        return signature(value.__init__, bound=True) if inspect.isfunction(value.__init__) else "(...)"
    public = (each for each in parameters if not each.name.startswith("_"))
    return str(inspect.Signature([each.replace(annotation=each.empty, default=short(each.default)) for each in public]))


class Shown:
    """A default value as a signature shows it."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __repr__(self) -> str:
        return self.text


def short(default: Any) -> Any:
    """A default as it could be typed, or ``...`` if nobody could."""
    if default is inspect.Parameter.empty or isinstance(default, Shown):
        return default
    if isinstance(default, enum.Enum):
        return Shown(f"{type(default).__name__}.{default.name}")
    if inspect.isfunction(default) or inspect.isclass(default):
        return Shown(default.__name__)
    text = repr(default)
    return Shown("..." if text.startswith("<") or text.endswith("Value") else text)


def native_signature(value: Any) -> inspect.Signature | None:
    """The signature of a class written in C++, which tells it in a docstring; ``None`` for any other."""
    text = getattr(getattr(value, "__init__", None), "__doc__", None) or ""
    found = re.match(r"__init__(\(.*\))(?: -> None)?$", text.strip().split("\n")[0])
    if not inspect.isclass(value) or not found or "Overloaded" in text:
        return None
    # Types come in C++'s spelling, and defaults that no one could type in angle brackets.
    plain = re.sub(r"<[^<>]*>", "...", found[1]).replace("::", ".")
    arguments = ast.parse(f"def f{plain}: pass").body[0].args  # type: ignore[attr-defined]
    kinds = inspect.Parameter
    result = []
    positional = [*arguments.posonlyargs, *arguments.args]
    defaults = [*[None] * (len(positional) - len(arguments.defaults)), *arguments.defaults]
    for each, default in zip(positional, defaults, strict=True):
        result.append(native_parameter(each, kinds.POSITIONAL_OR_KEYWORD, default))
    if arguments.vararg:
        result.append(native_parameter(arguments.vararg, kinds.VAR_POSITIONAL, None))
    for each, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        result.append(native_parameter(each, kinds.KEYWORD_ONLY, default))
    return inspect.Signature(result)


def native_parameter(node: ast.arg, kind: Any, default: ast.expr | None) -> inspect.Parameter:
    made = inspect.Parameter(node.arg, kind)
    return made if default is None else made.replace(default=Shown(ast.unparse(default)))


def answer(program: str) -> str:
    """What the last line of a program gives, as text; of an error its type."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            value = evaluate(program)
        except AttributeError:  # of JAX, whose older releases lack what the program asks for
            return "not there"
        except BaseException as error:  # noqa: BLE001, what it raises is the answer
            return f"raises {type(error).__name__}"
    return ADDRESS.sub("", value if isinstance(value, str) else plain(value))


def evaluate(program: str) -> Any:
    """Run a program, with ``START`` before it; what its last line gives."""
    *lines, last = program.strip().split("\n")
    names: dict[str, Any] = {}
    names["warned"] = functools.partial(warned, names)
    exec(START, names)  # noqa: S102, the programs are ours
    exec("\n".join(lines), names)  # noqa: S102
    return eval(last, names)  # noqa: S307


def warned(names: dict[str, Any], program: str) -> str:
    """The types of the warnings that a program causes, or "no"."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        exec(program, names)  # noqa: S102
    return ", ".join(sorted({warning.category.__name__ for warning in caught})) or "no"


def plain(value: Any) -> str:
    """An answer's text; axis types by their names, however a release prints them."""
    text = repr(value)
    names = re.findall(r"\b(Auto|Explicit|Manual)\b", text)
    return names[0] if names and "=" not in text else text


def main() -> None:
    """Write the record of this environment's JAX; some releases print to stdout themselves."""
    os.environ["JAX_PLATFORMS"] = "cpu"
    os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=8"
    os.environ.pop("JAX_NUM_CPU_DEVICES", None)
    text = "{\n" + ",\n".join(f'"{key}": {lines(value)}' for key, value in record().items()) + "\n}\n"
    Path(sys.argv[1]).write_text(text, encoding="utf-8")


def lines(value: Any) -> str:
    """JSON with one line an object."""
    if not isinstance(value, dict):
        return json.dumps(value)
    return "{\n" + ",\n".join(f"  {json.dumps(key)}: {json.dumps(each)}" for key, each in value.items()) + "\n}"


if __name__ == "__main__":
    main()
