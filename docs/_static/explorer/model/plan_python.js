// A plan as a program: the step, whole, and at its end this mesh, this state and a batch. It needs JAX and optax.

import { AXES, devices, inAHost, numbers } from "./plan.js";
import { SIZES } from "./plan_link.js";

// Chips of a host of TPUs, at least: with more, a plan may have several hosts.
const TPU_HOST = 4;

/** Write the program of a plan that has no problems. */
export function python(/** @type {import("./plan_link.js").Planned} */ { plan, chip }) {
  const { model, B, S, half, again } = plan;
  const flags = [...(model.gated ? [] : ["gated=False"]), ...(model.tied ? ["tied=True"] : [])];
  const axes = AXES.filter((axis) => plan[axis] > 1).map((axis) => `${axis}=${plan[axis]}`);
  const ways = [...(half ? [] : ["half=False"]), ...(again ? [] : ["again=False"])];
  const { platform } = numbers().CHIPS[chip];
  const several = devices(plan) > (platform === "tpu" ? TPU_HOST : numbers().HOST);
  return [
    numbers().STEP.trimEnd(),
    "",
    "",
    'if __name__ == "__main__":',
    ...(several ? ["    jax.distributed.initialize()"] : []),
    `    model = Model(${[...SIZES.map((size) => `${size}=${model[size]}`), ...flags].join(", ")})`,
    `    plan = Plan(${["model", `B=${B}`, `S=${S}`, ...axes, ...ways].join(", ")})`,
    ...(several && platform === "cuda" ? overHosts(plan) : ["    mesh = mesh_of(plan)"]),
    "    train = step_on(mesh, plan)",
    "    places = shardings(mesh, plan, described(plan)[0])",
    "    state = jax.jit(start, static_argnums=1, out_shardings=places)(jax.random.key(0), model)",
    '    rows = NamedSharding(mesh, P(ROWS, "sequence"))',
    "    draw = jax.jit(lambda key: jax.random.randint(key, (plan.B, plan.S), 0, model.V), out_shardings=rows)",
    "    tokens = draw(jax.random.key(1))",
    '    state, loss = train(state, {"tokens": tokens, "targets": tokens})',
    "    print(loss)",
    "",
  ].join("\n");
}

/** The mesh of GPUs in several hosts, which jax.make_mesh refuses. */
function overHosts(/** @type {import("./plan.js").Plan} */ plan) {
  const inside = inAHost(plan);
  const tuple = (/** @type {number[]} */ lengths) => `(${lengths.join(", ")})`;
  return [
    "    from jax.experimental.mesh_utils import create_hybrid_device_mesh",
    "",
    "    # Devices of each axis in one host, and hosts that it goes over.",
    `    inside, across = ${tuple(AXES.map((axis) => inside[axis]))}, ${tuple(AXES.map((axis) => plan[axis] / inside[axis]))}`,
    "    grid = create_hybrid_device_mesh(inside, across)",
    "    mesh = jax.sharding.Mesh(grid, AXES, axis_types=(AxisType.Auto,) * len(AXES))",
  ];
}
