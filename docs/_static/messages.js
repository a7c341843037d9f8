// Which error a reader has pasted: the entries whose message has the rarest words of it, and most of them side by side.
// Sizes, dtypes and single letters are the reader's own. So are other names; they are simply not found.

const WORD = /[\p{L}_][\p{L}\p{N}_]+/gu;
const DTYPE = /^(?:bool|b?f|bfloat|float|complex|c|[su]?i?int|[ius]|key)\d+$/;
const UNKNOWN = 1; // the weight of a word that no message has; a rare one weighs about five

/** The words of a message, and each two and three that stand side by side. */
function parts(/** @type {string} */ text) {
  const words = [...(text.toLowerCase().match(WORD) ?? [])].filter((word) => !DTYPE.test(word));
  const runs = [1, 2, 3].flatMap((length) => words.map((_, start) => words.slice(start, start + length).join(" ")));
  return new Set(runs);
}

/**
 * A function that finds the entries of `messages`, pairs of a text and an id, that have at least a share of what a query
 * says: their ids, the best first.
 * @param {[text: string, id: number][]} messages
 * @returns {(query: string, share: number) => number[]}
 */
export function matcher(messages) {
  const said = messages.map(([text, id]) => ({ id, parts: parts(text) }));
  /** @type {Map<string, number>} */
  const count = new Map();
  for (const message of said) for (const part of message.parts) count.set(part, (count.get(part) ?? 0) + 1);
  const weight = (/** @type {string} */ part) => {
    const many = count.get(part);
    return many ? Math.log(1 + said.length / many) : UNKNOWN;
  };
  const sum = (/** @type {Iterable<string>} */ some) => [...some].reduce((total, part) => total + weight(part), 0);
  const known = said.map((message) => ({ ...message, weight: sum(message.parts) }));

  return (query, share) => {
    const asked = parts(query);
    const total = sum([...asked].filter((part) => count.has(part) || !part.includes(" ")));
    const scored = known.map((message) => {
      const shared = sum([...asked].filter((part) => message.parts.has(part)));
      return { ...message, shared };
    });
    const found = scored.filter(({ shared }) => shared >= share * total);
    // Of two that have as much of the query, the one that says less beside it.
    return found.sort((one, other) => other.shared - one.shared || one.weight - other.weight).map(({ id }) => id);
  };
}
