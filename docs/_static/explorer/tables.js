// What XLA inserted when the build asked it: look up moves.json and products.json, whose form is described in
// src/shardbook_sphinx/measured.py. Pure: no DOM, no network.

// The steps from one spec to another, or null if no such move was measured. Dimensions that neither spec splits do not
// count, and there may be two others.
export function measuredMove(table, mesh, before, after) {
  const rank = Math.max(before.length, after.length);
  const split = [...Array(rank).keys()].filter((at) => before[at]?.length || after[at]?.length);
  if (split.length > 2) return null;
  const dimensions = [...split, rank, rank + 1].slice(0, 2);
  return find(table, mesh, [before, after].map((spec) => dimensions.map((at) => spec[at] ?? [])));
}

// The steps of A @ B, or null if this was not measured.
export function measuredProduct(table, mesh, a, b, out) {
  return find(table, mesh, [a, b, out].map((spec) => [spec[0] ?? [], spec[1] ?? []]));
}

// { on, exact, warned, steps: [{ kind, axes, part, of, fraction }] } of the row for these specs, axes by name.
//
// `on` has the axis sizes of the mesh it was measured on. If it is not `exact`, no mesh with these sizes was: it is one
// where the same axis is the longer, and `fraction` is null. `part` says that devices communicate along a part of the
// axes only. The axes of a mesh may come in another order than in the table, but not those of a tuple.
function find(table, { names, sizes }, specs) {
  for (const exact of [true, false]) {
    const fits = exact ? sameSizes : sameOrder;
    for (const entry of table.meshes) {
      for (const places of orders(entry.sizes.length)) {
        if (sizes.length !== places.length || !fits(places.map((at) => sizes[at]), entry.sizes)) continue;
        const own = places.map((at) => names[at]);
        const row = rowNumber(entry.specs, specs, own);
        if (row >= 0) return { on: entry.sizes, exact, ...read(table, entry, row, own, exact) };
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

// The orders in which one or two axes can be taken.
function orders(count) {
  return count === 2 ? [[0, 1], [1, 0]] : [[0]];
}

function sameSizes(some, others) {
  return some.every((size, at) => size === others[at]);
}

function sameOrder(some, others) {
  return some.every((size) => size > 1) && Math.sign(some[0] - (some[1] ?? 0)) === Math.sign(others[0] - (others[1] ?? 0));
}
