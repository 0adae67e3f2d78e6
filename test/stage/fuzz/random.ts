/** Randomness that a seed repeats. */
export type Random = {
  /** From 0 inside to 1 outside. */
  fraction: () => number
  /** From 0 to below. */
  below: (below: number) => number
  chance: (probability: number) => boolean
  pick: <Value>(values: readonly Value[]) => Value
  /** A string of up to that many characters, of every kind there is, lone surrogates included. */
  junk: (lengthMax: number) => string
}

/** Mulberry32. */
export function seeded(seed: number): Random {
  let state = seed >>> 0
  const fraction = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (limit: number): number => Math.floor(fraction() * limit)
  const pick = <Value>(values: readonly Value[]): Value => {
    const value = values[below(values.length)]
    if (value === undefined && values.length === 0) throw new RangeError('nothing to pick from')
    // The boundary: the index is inside.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    return value as Value
  }
  const character = (): string => {
    switch (below(8)) {
      case 0:
        return pick(['\0', '\u0001', '\t', '\n', '\r', '\u001f', '\u007f', '\u0085', '\u009f'])
      case 1:
        return pick(['\ud800', '\udfff', '\udbff', '\ufeff', '\ufffe', '\uffff', '\u2028', '\u2029'])
      case 2:
        return pick(['\u200b', '\u200e', '\u202e', '\u00ad', '\u2060', '\ue000', '\u0301', '\u{e0001}'])
      case 3:
        return pick(['😀', '👩‍👩‍👧', 'İ', 'ß', 'ſ', 'Å', '한', 'ﷺ', '\u{10ffff}'])
      case 4:
        return pick(["'", '"', '\\', '%', '$1', '{', '}', '/', '~1', '--', ';', '\\u0000', '{}', '::', '?'])
      case 5:
        return String.fromCodePoint(below(0x11_0000))
      default:
        return String.fromCharCode(32 + below(95))
    }
  }
  return {
    fraction,
    below,
    chance: (probability) => fraction() < probability,
    pick,
    junk: (lengthMax) => Array.from({ length: below(lengthMax + 1) }, character).join(''),
  }
}
