// A plan as a program: the step, whole, and at its end this mesh, this state and a batch. It needs JAX and optax.

import { AXES, numbers } from "./plan.js";
import { SIZES } from "./plan_link.js";

/** Write the program of a plan that has no problems. */
export function python(/** @type {import("./plan.js").Plan} */ plan) {
  const { model, B, S, half, again } = plan;
  const flags = [...(model.gated ? [] : ["gated=False"]), ...(model.tied ? ["tied=True"] : [])];
  const axes = AXES.filter((axis) => plan[axis] > 1).map((axis) => `${axis}=${plan[axis]}`);
  const ways = [...(half ? [] : ["half=False"]), ...(again ? [] : ["again=False"])];
  return [
    numbers().STEP.trimEnd(),
    "",
    "",
    'if __name__ == "__main__":',
    `    model = Model(${[...SIZES.map((size) => `${size}=${model[size]}`), ...flags].join(", ")})`,
    `    plan = Plan(${["model", `B=${B}`, `S=${S}`, ...axes, ...ways].join(", ")})`,
    "    mesh = mesh_of(plan)",
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
