// Numbers that the Python package has too. They stand there: src/shardbook_sphinx/explorer/script.py reads them, and the
// build puts them before these modules, as do the tests. What they mean is said there as well.

/**
 * @typedef {object} Shared
 * @property {number} BLOCK
 * @property {number} FEW_SHEETS
 * @property {number} FITS_PHONE
 * @property {number[]} GROWTH
 * @property {number} HUES  how many
 * @property {number} LABEL  advance width of a label's characters
 * @property {number} LINE
 * @property {number} LIT
 * @property {number} LONGER
 * @property {number} LONGER_OF_SEVERAL
 * @property {number} MAX_PIECES
 * @property {number} MESH_WIDTH
 * @property {number} MOST_LEVELS
 * @property {number} MOST_UNEQUAL
 * @property {number} NUMBER  advance width of a device number's characters
 * @property {number} NUMBERED
 * @property {number} PHONE
 * @property {number} ROWS
 * @property {number} RUNS
 * @property {number} SEAT
 * @property {number} SHADES  how many
 * @property {number} SHEET
 * @property {number} SHEETS
 * @property {number} SMALLEST_TEXT
 * @property {number} SPOKEN_PIECES
 * @property {number} STRIP
 * @property {number} TALLEST
 * @property {number} TITLED_PIECES
 * @property {number} WIDE
 */

export const shared = /** @type {{ shardbookShared: Shared }} */ (/** @type {unknown} */ (globalThis)).shardbookShared;
