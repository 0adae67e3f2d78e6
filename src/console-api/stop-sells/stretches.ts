import type { Stretch } from '../../ari/blocks/stop-sell.ts'

/** Sets of nights of rows, as stretches. */

/** What is left of stretches without the nights of others. */
export function without(stretches: readonly Stretch[], others: readonly Stretch[]): Stretch[] {
  const othersByRow = Map.groupBy(others, rowOf)
  return stretches.flatMap((stretch) => {
    let left = [stretch]
    for (const hole of othersByRow.get(rowOf(stretch)) ?? []) left = left.flatMap((one) => cut(one, hole))
    return left
  })
}

/** The nights of stretches that are in others too. */
export function within(stretches: readonly Stretch[], others: readonly Stretch[]): Stretch[] {
  return without(stretches, without(stretches, others))
}

function rowOf({ roomNo, rateNo }: Stretch): string {
  return `${roomNo}/${rateNo}`
}

function cut(one: Stretch, hole: Stretch): Stretch[] {
  if (hole.to < one.from || hole.from > one.to) return [one]
  const parts = [
    { ...one, to: hole.from - 1 },
    { ...one, from: hole.to + 1 },
  ]
  return parts.filter(({ from, to }) => from <= to)
}
