// Which name a reader means who slipped: a letter left out, doubled, swapped or wrong, or the name written in words.

const LETTERS = /[\p{L}\p{N}]/gu;

/** The letters of a name alone, in lower case: `with_sharding_constraint` is as good as three words. */
export function squashed(/** @type {string} */ text) {
  return (text.toLowerCase().match(LETTERS) ?? []).join("");
}

/** How many slips a name of some letters may have and still be told. */
function most(/** @type {number} */ length) {
  return length < 4 ? 0 : length < 8 ? 1 : 2;
}

/**
 * How many letters are left out, put in, wrong, or swapped with the next one; beyond `limit` it does not matter.
 * @param {string} one
 * @param {string} other
 * @param {number} limit
 */
function distance(one, other, limit) {
  if (Math.abs(one.length - other.length) > limit) return limit + 1;
  /** @type {number[]} */
  let before = [];
  let row = Array.from({ length: other.length + 1 }, (_, place) => place);
  for (let i = 1; i <= one.length; i++) {
    const next = [i];
    for (let j = 1; j <= other.length; j++) {
      const wrong = one[i - 1] !== other[j - 1];
      next[j] = Math.min(row[j] + 1, next[j - 1] + 1, row[j - 1] + Number(wrong));
      if (wrong && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1]) next[j] = Math.min(next[j], before[j - 2] + 1);
    }
    if (Math.min(...next) > limit) return limit + 1;
    [before, row] = [row, next];
  }
  return row[other.length];
}

/**
 * A function that finds the nearest of some names, or of their ends after a dot: as it is written, and how many slips
 * there are. Of those equally near it is the one written most alike, then the first one. `extra` slips are forgiven.
 * @param {string[]} names
 * @returns {(typed: string, extra?: number) => { name: string, slips: number } | null}
 */
export function nearest(names) {
  const ends = new Map();
  for (const name of names) {
    const parts = name.split(".");
    for (const start of parts.keys()) {
      const end = parts.slice(start).join(".");
      ends.set(end, squashed(end));
    }
  }

  return (typed, extra = 0) => {
    const text = typed.toLowerCase();
    const sought = squashed(text);
    /** @type {{ name: string, slips: number, unlike: number } | null} */
    let found = null;
    for (const [name, letters] of ends) {
      const limit = Math.min(most(letters.length) + (letters.length > 3 ? extra : 0), found?.slips ?? Infinity);
      const slips = letters === sought ? 0 : distance(sought, letters, limit);
      // Of two slips none is in the first letter, nor is one in a short name.
      if (slips > limit || ((slips > 1 || letters.length < 5) && sought[0] !== letters[0])) continue;
      const unlike = distance(text, name, Infinity);
      if (!found || slips < found.slips || unlike < found.unlike) found = { name, slips, unlike };
    }
    return found;
  };
}
