// Numbers that the Python package has too. They stand there: src/shardbook_sphinx/explorer/script.py reads them, and the
// build puts them before these modules, as do the tests. What they mean is said there as well.

/**
 * @typedef {object} Shared
 * @property {number} COLOURS  of pieces
 * @property {number} FITS_PHONE
 * @property {number} LABEL  advance width of a label's characters
 * @property {number} LINE
 * @property {number} MAX_PIECES
 * @property {number} NUMBER  advance width of a device number's characters
 * @property {number} PHONE
 * @property {number} ROWS
 * @property {number} RUNS
 * @property {number} SMALLEST_TEXT
 * @property {number} SPOKEN_PIECES
 * @property {number} TITLED_PIECES
 * @property {number} WIDE
 */

export const shared = /** @type {{ shardbookShared: Shared }} */ (/** @type {unknown} */ (globalThis)).shardbookShared;
