/** Finds the name that was probably meant by a misspelt one. */

/** One letter in three may be wrong, so short names allow hardly any mistake. */
const lettersForTypo = 3

/**
 * The nearest of the known names; undefined if none is near. Upper and lower case, `_` and `-` don't count.
 */
export function nearestName(name: string, known: readonly string[]): string | undefined {
  // Other names are not typing mistakes, and would have to be cut and cleaned before an answer repeats them.
  if (!/^[\w-]{1,60}$/.test(name)) return undefined
  const plain = plainName(name)
  let nearest: { name: string; distance: number } | undefined
  for (const one of known) {
    const typosMax = Math.floor(one.length / lettersForTypo)
    if (Math.abs(one.length - plain.length) > typosMax) continue
    const distance = editDistance(plainName(one), plain)
    if (distance <= typosMax && distance < (nearest?.distance ?? Infinity)) nearest = { name: one, distance }
  }
  return nearest?.name
}

export function plainName(name: string): string {
  return name.toLowerCase().replaceAll(/[_-]/g, '')
}

/** The number of letters that must be inserted, removed, replaced or swapped with their neighbour. */
export function editDistance(left: string, right: string): number {
  let before: number[] = []
  let row = Array.from({ length: right.length + 1 }, (_, index) => index)
  for (const [done, letter] of [...left].entries()) {
    const next = [done + 1]
    for (const [index, other] of [...right].entries()) {
      const replaced = (row[index] ?? 0) + (letter === other ? 0 : 1)
      const isSwapped = letter !== other && letter === right[index - 1] && left[done - 1] === other
      const swapped = isSwapped ? (before[index - 1] ?? 0) + 1 : Infinity
      next.push(Math.min(replaced, swapped, (row[index + 1] ?? 0) + 1, (next[index] ?? 0) + 1))
    }
    before = row
    row = next
  }
  return row.at(-1) ?? 0
}
