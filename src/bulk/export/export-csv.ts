import { ageByLetter, ariColumns, currencyColumn } from '../csv/ari-columns.ts'
import { writtenCell } from '../csv/csv.ts'
import type { AriItem, PriceLine } from '../../ari/item-contract.ts'
import { pushedRestrictions } from '../../ari/restrictions.ts'
import type { GuestsMax } from '../../products/store.ts'

/** The columns of an export: all that a load knows, and the hotel's revision. New ones are the last, for readers who count. */
export function exportColumns(guestsMax: GuestsMax): string[] {
  const prices = Object.entries(ageByLetter).flatMap(([letter, ageCategory]) =>
    Array.from({ length: guestsMax[ageCategory] }, (_, index) => `${letter}${index + 1}`),
  )
  return [...ariColumns, ...prices, 'revision', currencyColumn]
}

/**
 * A line for the room's own values or those of one room-rate. Undefined if there is no column for one of its prices.
 */
export function csvLine(
  {
    hotelId,
    currency,
    revision,
    item,
  }: { hotelId: string; currency: string; revision: number; item: AriItem },
  columns: readonly string[],
): string | undefined {
  const [rate] = item.rates ?? []
  const values = new Map<string, string>([
    ['hotelId', hotelId],
    [currencyColumn, currency],
    ['roomId', item.roomId],
    ['startDate', item.startDate ?? ''],
    ['endDate', item.endDate ?? ''],
    ['daysOfWeek', item.daysOfWeek?.join(' ') ?? ''],
    ['revision', String(revision)],
  ])
  if (rate) values.set('rateId', rate.rateId)
  const members = rate ?? item
  if (typeof members.inventory === 'number')
    values.set(rate ? 'rateInventory' : 'inventory', String(members.inventory))
  for (const name of pushedRestrictions) {
    const value = members[name]
    if (value !== undefined && value !== null) values.set(name, String(value))
  }
  for (const price of rate?.prices ?? []) {
    const column = columnOf(price)
    if (!columns.includes(column)) return undefined
    values.set(column, String(price.amount))
  }
  return `${columns.map((name) => writtenCell(values.get(name) ?? '')).join(',')}\n`
}

function columnOf({ guests, ageCategory = 'adult' }: PriceLine): string {
  if (guests === undefined) return 'price'
  const [letter = ''] = Object.entries(ageByLetter).find(([, category]) => category === ageCategory) ?? []
  return `${letter}${guests}`
}
