// What the build measured of XLA: src/shardbook_sphinx/measured.py says what is in the tables. To look a case up, axes
// and dimensions that no spec of it names are left out, since XLA has nothing to do along them.

import { DTYPE_BITS } from "./dtypes.js";
import { operands, product } from "./layout.js";

const loaded = new Map();

/** One of the two tables, "moves" or "products"; it is fetched once. */
export function table(name) {
  if (!loaded.has(name)) {
    const asked = fetch(new URL(`${name}.json`, import.meta.url)).then((answer) => {
      if (!answer.ok) throw new Error(`${name}.json: ${answer.status}`);
      return answer.json();
    });
    asked.catch(() => loaded.delete(name)); // the next change asks again
    loaded.set(name, asked);
  }
  return loaded.get(name);
}

/**
 * What XLA does for a state's move, or null if that was not measured.
 * @returns {{ steps: object[], warned: boolean, sizes: number[], narrowed: boolean } | null}
 */
export function moveSteps(moves, state) {
  const { mesh, shape } = state;
  const specs = [state.spec, state.to].map((spec) => shape.map((_, at) => spec[at] ?? []));
  const used = mesh.names.filter((name) => specs.flat(2).includes(name));
  const split = shape.map((_, at) => at).filter((at) => specs.some((spec) => spec[at].length));
  const all = { names: mesh.names, dimensions: shape.map((_, at) => at) };
  for (const { names, dimensions } of [all, { names: used, dimensions: split }]) {
    const sizes = names.map((name) => mesh.sizes[mesh.names.indexOf(name)]);
    if (dimensions.length > 2 || (dimensions.length < 2 && dimensions === all.dimensions)) continue;
    const [before, after] = specs.map((spec) => places(dimensions.map((at) => spec[at]), names));
    const found = row(moves, sizes, [before, after]);
    if (found) {
      const bytes = bytesOf(state);
      return { ...found, steps: found.steps.map((step) => named(step, names, () => bytes)), narrowed: dimensions !== all.dimensions };
    }
  }
  return null;
}

/** What XLA does for a state's product, or null if that was not measured. */
export function productSteps(products, state) {
  const matrices = operands(state);
  const { names, sizes } = state.mesh;
  const found = row(products, sizes, [matrices.a, matrices.b, matrices.out].map(({ spec }) => places(spec, names)));
  return found && { ...found, steps: found.steps.map((step) => named(step, names, () => bytesOf(matrices[step.of]))) };
}

/** A table's row for specs on a mesh. */
function row({ steps, meshes }, sizes, specs) {
  const mesh = meshes.find((each) => String(each.sizes) === String(sizes));
  if (!mesh) return null;
  const known = mesh.specs.map((spec) => JSON.stringify(spec));
  const numbers = specs.map((spec) => known.indexOf(JSON.stringify(spec)));
  if (numbers.includes(-1)) return null;
  const place = numbers.reduce((sum, number) => sum * known.length + number, 0);
  return { steps: mesh.rows[place].map((number) => steps[number]), warned: mesh.warned.includes(place), sizes };
}

/** A matrix' spec with axes by their places in the mesh; two dimensions. */
const places = (spec, names) => [0, 1].map((at) => (spec[at] ?? []).map((name) => names.indexOf(name)));

/** A step with the axes' names and the bytes that a device receives. */
function named(step, names, bytes) {
  return { ...step, axes: step.axes.map((at) => names[at]), bytes: Math.round(step.fraction * bytes()) };
}

const bytesOf = ({ shape, dtype }) => (product(shape) * DTYPE_BITS[dtype]) / 8;
