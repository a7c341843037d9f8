// What XLA inserted when the build asked it: look up the tables moves and products, whose form is described in
// src/shardbook_sphinx/xla/tables.py. Pure: no DOM, no network.

// What the table moves says of the way from state.spec to state.to, or null if it says nothing. Dimensions that neither
// spec splits are passed over; at most two others were measured.
export function measuredMove(table, { shape, mesh, spec, to }) {
  const split = [...shape.keys()].filter((at) => spec[at]?.length || to[at]?.length);
  if (split.length > 2) return null;
  const whole = [...shape.keys()].filter((at) => !split.includes(at));
  const dimensions = shape.length === 2 ? [0, 1] : [...split, ...whole, shape.length, shape.length].slice(0, 2);
  const specs = [spec, to].map((each) => dimensions.map((at) => each[at] ?? []));
  return find(table, mesh, specs, shape.length === 2);
}

// What the table products says of state.product, or null.
export function measuredProduct(table, { mesh, spec, product }) {
  return find(table, mesh, [spec, product.b, product.out].map((each) => [each[0] ?? [], each[1] ?? []]), true);
}

// { on, exact, warned, steps: [{ kind, axes, part, of, fraction }] } of the row for these specs, axes by name.
//
// `on` has the axis sizes of the mesh it was measured on. `exact`: it was a mesh with these sizes, and a matrix. If not,
// it was a matrix on a mesh where the same axis is the longer, and `fraction` is null. `part` says that devices
// communicate along a part of the axes only. Axes of size 1 split nothing and are passed over; if the table does not have
// the axes in their order, it may have them in the other.
function find(table, mesh, specs, matrix) {
  const long = mesh.names.filter((_, at) => mesh.sizes[at] > 1);
  const size = (name) => mesh.sizes[mesh.names.indexOf(name)];
  const wanted = specs.map((spec) => spec.map((axes) => axes.filter((name) => long.includes(name))));
  for (const same of [true, false]) {
    for (const names of [long, long.toReversed()]) {
      for (const entry of table.meshes.filter(({ sizes }) => sizes.length === long.length)) {
        if (!(same ? sameSizes : sameOrder)(names.map(size), entry.sizes)) continue;
        const row = rowNumber(entry.specs, wanted, names);
        const exact = same && matrix;
        if (row >= 0) return { on: entry.sizes, exact, ...read(table, entry, row, names, exact) };
      }
    }
  }
  return null;
}

function read(table, entry, row, names, exact) {
  const steps = entry.rows[row].map((number) => {
    const { kind, axes, members, of, fraction } = table.steps[number];
    const devices = axes.reduce((count, at) => count * entry.sizes[at], 1);
    const part = kind !== "collective-permute" && members < devices;
    return { kind, axes: axes.map((at) => names[at]), part, of, fraction: exact ? fraction : null };
  });
  return { warned: entry.warned.includes(row), steps };
}

// The number of the row for some specs, or -1 if there is none.
function rowNumber(known, specs, names) {
  const texts = known.map((spec) => JSON.stringify(spec));
  const places = specs.map((spec) => JSON.stringify(spec.map((axes) => axes.map((name) => names.indexOf(name)))));
  const numbers = places.map((text) => texts.indexOf(text));
  return numbers.includes(-1) ? -1 : numbers.reduce((row, number) => row * known.length + number, 0);
}

function sameSizes(some, others) {
  return some.every((size, at) => size === others[at]);
}

function sameOrder([one, other], [first, second]) {
  return other === undefined || Math.sign(one - other) === Math.sign(first - second);
}
