/** The same random numbers every time, so that screenshots of two days can be compared. */
export type Chance = {
  /** From 0 to below `count`. */
  below: (count: number) => number
  of: <Value>(values: readonly Value[]) => Value
  /** True in this percentage of cases. */
  percent: (share: number) => boolean
}

export function chance(seed: number): Chance {
  let state = seed
  // Mulberry32.
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
  const below = (count: number): number => Math.floor(next() * count)
  return {
    below,
    of: (values) => {
      const value = values[below(values.length)]
      if (value === undefined) throw new Error('there is nothing to choose from')
      return value
    },
    percent: (share) => next() * 100 < share,
  }
}
