import { problemAt, type Problem } from '../../http/rejected.ts'
import { unset } from '../blocks/block-codec.ts'
import { fieldNumber, type FieldValue } from '../fields.ts'
import { itemErrors } from '../item-contract.ts'
import { limitsByZero, pushedRestrictions, type PushedRestriction } from '../restrictions.ts'
import type { LineLocation } from './plan-item.ts'
import type { ReadableItem, ReadableLine } from './readable.ts'

/** The values of an item or a rate line, except prices. */

/** Inventory and closure of the room. In the flat form `closed` belongs to the rate line. */
export function roomValues(item: ReadableItem): FieldValue[] {
  const sets = unitValues(item)
  if (item.closed !== undefined && item.rateId === undefined)
    sets.push({ field: fieldNumber.closed, value: item.closed === true ? 1 : unset })
  return sets
}

/** Everything except prices. In the flat form `inventory` belongs to the room. */
export function lineValues(line: ReadableLine, { flat }: LineLocation): FieldValue[] {
  const sets = flat ? [] : unitValues(line)
  for (const name of pushedRestrictions) {
    const value = line[name]
    if (value !== undefined) sets.push({ field: fieldNumber[name], value: storedValue(name, value) })
  }
  return sets
}

/** What restricts nothing (false, and 0 where it is no limit) is stored as no value. */
function storedValue(name: PushedRestriction, value: boolean | number | null): number {
  return value === 0 && limitsByZero(name) ? 0 : Number(value) || unset
}

/** An overbooked room has fewer than no units left: none are sold. */
function unitValues({ inventory }: Pick<ReadableLine, 'inventory'>): FieldValue[] {
  if (inventory === undefined) return []
  return [{ field: fieldNumber.inventory, value: inventory === null ? unset : Math.max(0, inventory) }]
}

export function unitWarnings({ inventory }: Pick<ReadableLine, 'inventory'>, path: string): Problem[] {
  if (typeof inventory !== 'number' || inventory >= 0) return []
  return [problemAt(itemErrors.negativeInventory, `${path}/inventory`, inventory)]
}
