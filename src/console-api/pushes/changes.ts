import type { Queryable } from '../../postgres/postgres.ts'
import { workOn } from '../../push-log/bodies/body-work.ts'
import { comparePushes, isOfNights, readMonthsNamed, type Months } from './compared-pushes.ts'
import { changesShownMax, type PushChanges, type NightsOfPush } from './contract.ts'
import { ArchiveUnavailable, type Archive } from '../../push-log/bodies/archive.ts'
import { selectFormerPushes } from './former-pushes.ts'
import type { LoggedPush } from './store.ts'
import { setImmediate as breathe } from 'node:timers/promises'
import type { Block } from '../../ari/blocks/block.ts'
import { fieldNumber, guestBucket, isGuestPriceField } from '../../ari/fields.ts'
import { selectHotelBlocks } from '../../ari/blocks/block-range.ts'
import { dayIn, firstDay, formatNight, monthOf } from '../../base/calendar.ts'
import { selectRates, selectRooms } from '../../products/store.ts'

/**
 * The changes of a push: nights from the blocks, which remember the revision that set each value; everything else by
 * comparing it with earlier pushes of the same kind.
 */

/** Larger bodies are not compared. */
const comparedBytesMax = 4 * 1024 * 1024

/** `body` is undefined if it is not JSON. */
export async function readChanges(
  { db, archive }: { db: Queryable; archive: Archive },
  push: LoggedPush,
  body: Buffer | undefined,
  nowMs: number,
): Promise<PushChanges> {
  const { supplierId, kind, hotelId, revision, outcome } = push
  const hasApplied = outcome === 'applied' || outcome === 'partial'
  if (!hasApplied || body === undefined || body.length > comparedBytesMax) return { kind: 'none' }
  if (isOfNights(kind)) {
    if (hotelId === null || revision === null || push.cellsChanged === 0) return { kind: 'none' }
    const months = await workOn(readMonthsNamed, supplierId, [body], monthOf(dayIn('UTC', nowMs)))
    return readChangedNights(db, { hotelId, revision }, months)
  }
  try {
    const formers = await selectFormerPushes(db, push, archive)
    const asked = { kind, formers: formers.map(({ body: _body, ...former }) => former) }
    const bodies = [body, ...formers.map((former) => former.body)]
    return await workOn(comparePushes, supplierId, bodies, asked)
  } catch (error) {
    // The push itself is shown all the same.
    if (error instanceof ArchiveUnavailable) return { kind: 'none' }
    throw error
  }
}

type ChangedCell = { roomNo: number; rateNo: number; day: number; fields: string }

const nightsOfMonthMax = 31
/** Rows processed before yielding the event loop to other requests. */
const blocksAtOnce = 100

/** The nights changed by a push that still have its values: blocks remember the revision of each value. */
async function readChangedNights(
  db: Queryable,
  { hotelId, revision }: { hotelId: number; revision: number },
  { fromMonth, toMonth }: Months,
): Promise<Extract<PushChanges, { kind: 'nights' }>> {
  const range = { fromMonth, toMonth, roomNos: undefined, rateNos: undefined }
  const blocks = await selectHotelBlocks(db, hotelId, range)
  const cells: ChangedCell[] = []
  let cellsHeld = 0
  for (const [index, { key, block }] of blocks.entries()) {
    if (index % blocksAtOnce === blocksAtOnce - 1) await breathe()
    const mask = block.changedBetween(revision, revision)
    if (mask === 0) continue
    const columns = revisionColumns(block)
    for (let night = 0; night < nightsOfMonthMax; night++) {
      if ((mask & (1 << night)) === 0) continue
      const fields = columns.filter(({ revisions }) => revisions[night] === revision).map(({ name }) => name)
      cells.push({
        roomNo: key.roomNo,
        rateNo: key.rateNo,
        day: firstDay(key.month) + night,
        fields: fields.join('\n'),
      })
      cellsHeld++
    }
  }
  const ranges = rangesOf(cells)
  const listed = ranges.slice(0, changesShownMax)
  return {
    kind: 'nights',
    hotelId,
    nights: await named(db, hotelId, listed),
    moreNights: ranges.length - listed.length,
    cellsHeld,
  }
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
function rangesOf(cells: readonly ChangedCell[]): Range[] {
  const ranges: Range[] = []
  for (const { roomNo, rateNo, day, fields } of cells) {
    const last = ranges.at(-1)
    const goesOn =
      last?.roomNo === roomNo && last.rateNo === rateNo && last.to === day - 1 && last.fields === fields
    if (last && goesOn) last.to = day
    else ranges.push({ roomNo, rateNo, from: day, to: day, fields })
  }
  return ranges
}

async function named(db: Queryable, hotelId: number, ranges: readonly Range[]): Promise<NightsOfPush[]> {
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
