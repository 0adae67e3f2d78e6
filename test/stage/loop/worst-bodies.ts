import { bodyNestingMax, bodyValuesMax } from '../../../src/http/route.ts'

/** Parts of bodies that take longest to parse for their length, within the limits of a key. */

/** So many bytes of lists with 691 empty lists each. */
export function emptyLists(bytes: number): unknown[] {
  const list = Array.from({ length: 691 }, () => [])
  return Array.from({ length: Math.floor(bytes / (691 * 3)) }, () => list)
}

/** As many lists as a body may have, each in the one before it as deep as a body may be: 1.5 MB. */
export function nestedLists(): unknown[] {
  // Below the body, its list of items, the item and this list.
  const levels = bodyNestingMax - 4
  let nested: unknown = []
  for (let level = 1; level < levels; level++) nested = [nested]
  return Array.from({ length: Math.floor(bodyValuesMax / levels) - 100 }, () => nested)
}

/** As many objects as a body may have: 6 MB. */
export function smallObjects(): unknown[] {
  return Array.from({ length: bodyValuesMax - 1_000 }, () => ({ a: 1 }))
}
