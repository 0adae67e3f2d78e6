import { firstDay, formatNight, instantOf, type DayNumber } from '../../base/calendar.ts'
import { fromMinor } from '../../base/money.ts'
import { unset } from '../blocks/block-codec.ts'
import type { ChangeBack } from './changes-back.ts'
import { fieldNumber, guestBucket, isGuestPriceField, isPriceField } from '../fields.ts'
import type { HistoryField, ListedChange } from './history-contract.ts'
import { blockAt, type PastBlocks } from './history.ts'
import { nightsIn } from '../blocks/month.ts'
import { isSwitch, restrictionNames } from '../restrictions.ts'

/** Consecutive nights of a row on which a change replaced a value of a field by another. */
export type Replaced = {
  roomNo: number
  rateNo: number
  field: number
  from: DayNumber
  to: DayNumber
  before: number
  after: number
}

export type Nights = { from: DayNumber; to: DayNumber }

/** What a change replaced on the nights. `past`: the state with the change. */
export function replacedBy(
  past: PastBlocks,
  hotelId: number,
  change: ChangeBack,
  nights: Nights,
): Replaced[] {
  const ranges: Replaced[] = []
  const lastByRow = new Map<string, Replaced>()
  for (const block of change.blocks) {
    if (!past.isWanted(block)) continue
    const { roomNo, rateNo, month, fields } = block
    const now = blockAt(past, hotelId, block)
    for (const { field, mask, values } of fields) {
      const present = now.values(field)
      const key = `${roomNo}/${rateNo}/${field}`
      for (const [index, night] of nightsIn(mask).entries()) {
        const before = values[index] ?? unset
        const after = present?.[night] ?? unset
        const day = firstDay(month) + night
        if (before === after || day < nights.from || day > nights.to) continue
        const last = lastByRow.get(key)
        if (last?.to === day - 1 && last.before === before && last.after === after) {
          last.to = day
          continue
        }
        const range = { roomNo, rateNo, field, from: day, to: day, before, after }
        lastByRow.set(key, range)
        ranges.push(range)
      }
    }
  }
  return ranges
}

const nameByNumber = new Map<number, HistoryField>([
  [fieldNumber.inventory, 'inventory'],
  ...restrictionNames.map((name) => [fieldNumber[name], name] as const),
])

export function historyFieldOf(field: number): HistoryField {
  if (isPriceField(field)) return 'price'
  const name = nameByNumber.get(field)
  if (name === undefined) throw new Error(`field ${field} has no name`)
  return name
}

export type Names = {
  minorDigits: number
  roomCode: (no: number) => string
  rateCode: (no: number) => string
}

/** A stored value as an answer shows it; null if there is none. */
export function valueOf(
  name: HistoryField,
  stored: number,
  { minorDigits }: Pick<Names, 'minorDigits'>,
): number | boolean | null {
  if (name !== 'price' && name !== 'inventory' && isSwitch(name)) return stored === 1
  if (stored === unset) return null
  return name === 'price' ? fromMinor(stored, minorDigits) : stored
}

export function listedChange(
  change: ChangeBack,
  { roomNo, rateNo, field, from, to, before, after }: Replaced,
  names: Names,
): ListedChange {
  const name = historyFieldOf(field)
  return {
    roomId: names.roomCode(roomNo),
    rateId: rateNo === 0 ? null : names.rateCode(rateNo),
    startDate: formatNight(from),
    endDate: formatNight(to),
    field: name,
    ...(isGuestPriceField(field) ? guestBucket(field) : {}),
    before: valueOf(name, before, names),
    after: valueOf(name, after, names),
    ...originOf(change),
  }
}

/** What made a change, as an answer names it. */
export function originOf({
  revision,
  atMs,
  by,
  source,
}: Pick<ChangeBack, 'revision' | 'atMs' | 'by' | 'source'>) {
  return {
    by,
    requestId: by === 'booking' ? null : source,
    ...(by === 'booking' ? { reservationId: source } : {}),
    revision,
    at: instantOf(atMs),
  }
}
