// The second spec: what must move at least, and what XLA inserts for it.

import { captioned, laidOut, pairs } from "./figure.js";
import { format, index, runs, size } from "./notation.js";
import { html, table } from "./dom.js";
import { measuredMove } from "./tables.js";
import { moves } from "./moves.js";
import { python } from "./python.js";
import { showSteps } from "./steps.js";

const EACH_DEVICE = 16; // beyond, devices that need and keep as much share a row
const RUNS = 4;

/** Show the move in the page from now on. */
export function move({ root, words }) {
  const place = root.querySelector(".explorer-moved");
  const inserted = root.querySelector(".explorer-move-steps");
  let turn = 0;

  return (state) => {
    const mine = ++turn;
    if (!state.to) return;
    const [before, after] = [laidOut(state), laidOut(state, state.to)];
    const found = moves(before, after);
    place.replaceChildren(...outcome(before, after, found, words));
    const measure = `${python({ ...state, product: null })}\nimport shardbook\n\nprint(shardbook.collectives(move, x))\n`;
    const kase = { table: "moves", find: measuredMove, state, bytes: () => before.totalBytes, measure };
    showSteps(inserted, kase, words, () => mine === turn);
  };
}

function outcome(before, after, { bytes, perDevice }, words) {
  const said = words.figure;
  const side = (label, layout) => captioned(layout, said, `${label}${said.colon}${layout.notation}`);
  const arrow = html("span", { class: "sb-arrow", "aria-hidden": "true" }, "→");
  const lacking = perDevice.filter((receipt) => receipt.elements > 0).length;
  const facts = [
    [said.must_cross, size(bytes)],
    [said.most, size(perDevice.reduce((most, receipt) => Math.max(most, receipt.bytes), 0))],
    [said.receivers, format(said.of, { part: lacking, whole: perDevice.length })],
  ];
  const each = perDevice.length <= EACH_DEVICE ? eachDevice(perDevice, said) : grouped(perDevice, said);
  return [
    html(
      "figure",
      {},
      html("div", { class: "sb-moves" }, side(said.before, before), arrow, side(said.after, after)),
      pairs(facts),
      html("details", {}, html("summary", {}, said.moves_table), each),
    ),
  ];
}

const volume = (box) => box.reduce((product, [start, stop]) => product * (stop - start), 1);

function eachDevice(perDevice, said) {
  const rows = perDevice.map(({ device, index: needed, kept, elements, bytes }) => [
    `${device}`,
    index(needed),
    kept ? index(kept) : "—",
    elements ? size(bytes) + share(elements, volume(needed), said) : "—",
  ]);
  return table(said.moves_table, [said.device, said.needs, said.keeps, said.receives], rows);
}

function grouped(perDevice, said) {
  const groups = new Map();
  for (const receipt of perDevice) {
    const key = `${volume(receipt.index)} ${receipt.elements}`;
    if (!groups.has(key)) groups.set(key, []);
    groups.get(key).push(receipt);
  }
  const rows = [...groups.values()].map((receipts) => {
    const [{ index: needed, elements, bytes }] = receipts;
    const whole = volume(needed);
    const written = runs(receipts.map((receipt) => receipt.device));
    const listed = (written.length <= RUNS ? written : [...written.slice(0, RUNS - 1), "…"]).join(said.list);
    return [format(said.counted, { count: receipts.length, listed }), elements ? size(bytes) + share(elements, whole, said) : "—"];
  });
  return table(said.moves_table, [said.devices, said.receives], rows);
}

function share(lacking, needed, said) {
  return lacking === needed ? "" : format(said.share, { percent: Math.max(1, Math.round((100 * lacking) / needed)) });
}
