// The second spec: what must move at least, and what XLA inserts for it.

import { compared, laidOut, pairs } from "../picture/figure.js";
import { format, index, deviceRuns, size } from "../model/notation.js";
import { html, table, the } from "../picture/dom.js";
import { measuredMove } from "../model/tables.js";
import { moves, volume } from "../model/moves.js";
import { python } from "../model/python.js";
import { shared } from "../model/shared.js";
import { showSteps } from "./steps.js";

/**
 * @typedef {import("../model/moves.js").Receipt} Receipt
 * @typedef {import("../picture/caption.js").LaidOut} LaidOut
 * @typedef {import("../picture/caption.js").Words} Words
 */

/** Show the move in the page from now on. */
export function move(/** @type {import("./explorer.js").Page} */ { root, words }) {
  const place = the(root, ".explorer-moved");
  const inserted = the(root, ".explorer-move-steps");
  let turn = 0;

  return (/** @type {import("../model/layout.js").State} */ state) => {
    const mine = ++turn;
    if (!state.to) return;
    const [before, after] = [laidOut(state), laidOut(state, state.to)];
    place.replaceChildren(outcome(before, after, words.figure));
    const measure = `${python({ ...state, product: null })}\nimport shardbook\n\nprint(shardbook.collectives(move, x))\n`;
    /** @type {import("./steps.js").Case} */
    const asked = { table: "moves", find: measuredMove, state, bytes: () => before.totalBytes, measure };
    showSteps(inserted, asked, words, () => mine === turn);
  };
}

/** Both layouts, what must cross at least, and what each device must receive. */
function outcome(/** @type {LaidOut} */ before, /** @type {LaidOut} */ after, /** @type {Words} */ said) {
  const { bytes, perDevice } = moves(before, after);
  const caption = (/** @type {string} */ label, /** @type {LaidOut} */ layout) => `${label}${said.colon}${layout.notation}`;
  const [one, other] = compared(before, after, said, [caption(said.before, before), caption(said.after, after)]);
  const arrow = html("span", { class: "sb-arrow", "aria-hidden": "true" }, "→");
  const lacking = perDevice.filter((receipt) => receipt.elements > 0).length;
  /** @type {[label: string, value: string][]} */
  const facts = [
    [said.must_cross, size(bytes)],
    [said.most, size(perDevice.reduce((most, receipt) => Math.max(most, receipt.bytes), 0))],
    [said.receivers, format(said.of, { part: lacking, whole: perDevice.length })],
  ];
  const each = perDevice.length <= shared.ROWS ? eachDevice(perDevice, said) : grouped(perDevice, said);
  return html(
    "figure",
    {},
    html("div", { class: "sb-moves" }, one, arrow, other),
    pairs(facts),
    html("details", {}, html("summary", {}, said.moves_table), each),
  );
}

/** A table with a row for each device. */
function eachDevice(/** @type {Receipt[]} */ perDevice, /** @type {Words} */ said) {
  const rows = perDevice.map(({ device, index: needed, kept, elements, bytes }) => [
    `${device}`,
    index(needed),
    kept ? index(kept) : "—",
    elements ? size(bytes) + share(elements, volume(needed), said) : "—",
  ]);
  return table(said.moves_table, [said.device, said.needs, said.keeps, said.receives], rows);
}

/** A table with a row for all devices that need and lack as much. */
function grouped(/** @type {Receipt[]} */ perDevice, /** @type {Words} */ said) {
  const groups = Map.groupBy(perDevice, ({ index: needed, elements }) => `${volume(needed)} ${elements}`);
  const rows = [...groups.values()].map((receipts) => {
    const [{ index: needed, elements, bytes }] = receipts;
    const whole = volume(needed);
    const written = deviceRuns(receipts.map((receipt) => receipt.device));
    const listed = (written.length <= shared.RUNS ? written : [...written.slice(0, shared.RUNS - 1), "…"]).join(said.list);
    return [format(said.counted, { count: receipts.length, listed }), elements ? size(bytes) + share(elements, whole, said) : "—"];
  });
  return table(said.moves_table, [said.devices, said.receives], rows);
}

/** Which share of what a device needs it lacks, unless that is all. */
function share(/** @type {number} */ lacking, /** @type {number} */ needed, /** @type {Words} */ said) {
  return lacking === needed ? "" : format(said.share, { percent: Math.max(1, Math.round((100 * lacking) / needed)) });
}
