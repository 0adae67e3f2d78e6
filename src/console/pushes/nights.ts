import { setImmediate as breathe } from 'node:timers/promises'
import type { Block } from '../../ari/block.ts'
import { fieldNumber, guestBucket, isGuestPriceField } from '../../ari/fields.ts'
import { selectHotelBlocks } from '../../ari/store.ts'
import { dayIn, firstDay, formatNight, monthOf, parseNight, type MonthNumber } from '../../base/calendar.ts'
import type { Queryable } from '../../postgres/postgres.ts'
import { isRecord } from '../../http/validate.ts'
import { selectRates, selectRooms } from '../../products/store.ts'
import { changesShownMax, type ChangedNights, type PushChanges } from './contract.ts'

/** The nights changed by a push that still have its values: blocks remember the revision of each value. */

type MadeRevision = { hotelId: number; revision: number }
type Held = { roomNo: number; rateNo: number; day: number; fields: string }

const nightsOfMonthMax = 31
/** Rows processed before yielding the event loop to other requests. */
const blocksAtOnce = 100
/** For a body without dates: the whole range that suppliers can push. */
const monthsAhead = 26

export async function readChangedNights(
  db: Queryable,
  { hotelId, revision }: MadeRevision,
  body: unknown,
  nowMs: number,
): Promise<Extract<PushChanges, { kind: 'nights' }>> {
  const { fromMonth, toMonth } = monthsNamed(body, monthOf(dayIn('UTC', nowMs)))
  const range = { fromMonth, toMonth, roomNos: undefined, rateNos: undefined }
  const blocks = await selectHotelBlocks(db, hotelId, range)
  const held: Held[] = []
  let cellsHeld = 0
  for (const [index, { key, block }] of blocks.entries()) {
    if (index % blocksAtOnce === blocksAtOnce - 1) await breathe()
    const mask = block.changedBetween(revision, revision)
    if (mask === 0) continue
    const columns = revisionColumns(block)
    for (let night = 0; night < nightsOfMonthMax; night++) {
      if ((mask & (1 << night)) === 0) continue
      const fields = columns.filter(({ revisions }) => revisions[night] === revision).map(({ name }) => name)
      held.push({
        roomNo: key.roomNo,
        rateNo: key.rateNo,
        day: firstDay(key.month) + night,
        fields: fields.join('\n'),
      })
      cellsHeld++
    }
  }
  const ranges = rangesOf(held)
  const shown = ranges.slice(0, changesShownMax)
  return {
    kind: 'nights',
    hotelId,
    nights: await named(db, hotelId, shown),
    moreNights: ranges.length - shown.length,
    cellsHeld,
  }
}

/** The months from the first to the last date in the items. */
function monthsNamed(
  body: unknown,
  thisMonth: MonthNumber,
): { fromMonth: MonthNumber; toMonth: MonthNumber } {
  const months = itemsOf(body).flatMap((item) =>
    ['date', 'startDate', 'endDate', 'from', 'to'].flatMap((member) => {
      const date = item[member]
      const day = typeof date === 'string' ? parseNight(date) : undefined
      return day === undefined ? [] : [monthOf(day)]
    }),
  )
  let [fromMonth, toMonth] = [months[0] ?? thisMonth - 1, months[0] ?? thisMonth + monthsAhead]
  for (const month of months) {
    fromMonth = Math.min(fromMonth, month)
    toMonth = Math.max(toMonth, month)
  }
  return { fromMonth, toMonth }
}

function itemsOf(body: unknown): Record<string, unknown>[] {
  const list = isRecord(body) ? body['ari'] : undefined
  if (Array.isArray(list)) return list.filter(isRecord)
  return isRecord(body) ? [body] : []
}

const plainFields = Object.entries(fieldNumber).filter(([name]) => name !== 'anyGuestPrice')

function revisionColumns(block: Block): { name: string; revisions: readonly number[] }[] {
  const guestFields = block.fields().filter(isGuestPriceField)
  const fields: [string, number][] = [
    ...plainFields,
    ...guestFields.map((field): [string, number] => [bucketName(field), field]),
  ]
  return fields.flatMap(([name, field]) => {
    const revisions = block.revisions(field)
    return revisions ? [{ name, revisions }] : []
  })
}

function bucketName(field: number): string {
  const { ageCategory, guests } = guestBucket(field)
  return `${ageCategory} ${guests}`
}

type Range = { roomNo: number; rateNo: number; from: number; to: number; fields: string }

/** Consecutive nights with the same fields set. */
function rangesOf(held: readonly Held[]): Range[] {
  const ranges: Range[] = []
  for (const { roomNo, rateNo, day, fields } of held) {
    const last = ranges.at(-1)
    const goesOn =
      last?.roomNo === roomNo && last.rateNo === rateNo && last.to === day - 1 && last.fields === fields
    if (last && goesOn) last.to = day
    else ranges.push({ roomNo, rateNo, from: day, to: day, fields })
  }
  return ranges
}

async function named(db: Queryable, hotelId: number, ranges: readonly Range[]): Promise<ChangedNights[]> {
  const codes = (list: Iterable<{ no: number; code: string }>) =>
    new Map([...list].map(({ no, code }) => [no, code]))
  const rooms = codes((await selectRooms(db, hotelId)).values())
  const rates = codes((await selectRates(db, hotelId)).values())
  return ranges.map(({ roomNo, rateNo, from, to, fields }) => ({
    roomId: rooms.get(roomNo) ?? '',
    // Number 0 is the room itself.
    rateId: rateNo === 0 ? null : (rates.get(rateNo) ?? ''),
    from: formatNight(from),
    to: formatNight(to),
    // A field without any value left in the month has no name any more.
    fields: fields === '' ? ['cleared'] : fields.split('\n'),
  }))
}
