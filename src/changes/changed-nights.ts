import { setImmediate as breathe } from 'node:timers/promises'
import { Block } from '../ari/blocks/block.ts'
import { blockKeyText, selectBlocks, unpackBlockKey, type BlockKey } from '../ari/blocks/store.ts'
import { firstDay, formatNight, type DayNumber } from '../base/calendar.ts'
import type { Queryable } from '../postgres/postgres.ts'
import { platformRateId, platformRoomId } from '../products/store.ts'
import type { ChangedNights } from './contract.ts'
import { selectCodes, type ChangeRow } from './store.ts'

type Numbered = { roomNo: number; rateNo: number; from: DayNumber; to: DayNumber }

/** Number of blocks to scan before other requests get a turn of the event loop. */
const blocksAtOnce = 100

/**
 * The nights with a value from each change's own revisions, in order. Nights that a later change set again
 * are left out, because a block stores only the last revision of a night: the later change reports them.
 */
export async function changedNights(
  db: Queryable,
  changes: readonly ChangeRow[],
): Promise<Map<ChangeRow, ChangedNights[]>> {
  const keysByChange = new Map(
    changes.map((change) => [change, change.blocks.map((packed) => unpackBlockKey(change.hotelId, packed))]),
  )
  const keys = new Map([...keysByChange.values()].flat().map((key) => [blockKeyText(key), key]))
  const bytesByKey = await selectBlocks(db, [...keys.values()])
  const codes = await codesOf(db, [...keys.values()])
  const blockByKey = new Map<string, Block>()
  const nightsByChange = new Map<ChangeRow, ChangedNights[]>()
  let looked = 0
  for (const [change, ofChange] of keysByChange) {
    const ranges = new Ranges()
    for (const key of ofChange.toSorted(inOrder)) {
      if (++looked % blocksAtOnce === 0) await breathe()
      const text = blockKeyText(key)
      const bytes = bytesByKey.get(text)
      // The month was removed because it is past.
      if (!bytes) continue
      const block = blockByKey.get(text) ?? Block.decode(bytes)
      blockByKey.set(text, block)
      ranges.add(key, block.changedBetween(change.revisionFrom, change.revisionTo))
    }
    nightsByChange.set(
      change,
      ranges.found.flatMap((range) => named(change.hotelId, range, codes)),
    )
  }
  return nightsByChange
}

function inOrder(left: BlockKey, right: BlockKey): number {
  return left.roomNo - right.roomNo || left.rateNo - right.rateNo || left.month - right.month
}

/** Joins the nights of consecutive blocks into ranges, also across months. */
class Ranges {
  readonly found: Numbered[] = []

  add({ roomNo, rateNo, month }: BlockKey, mask: number): void {
    const first = firstDay(month)
    for (let rest = mask; rest !== 0; rest &= rest - 1) {
      const night = first + 31 - Math.clz32(rest & -rest)
      const last = this.found.at(-1)
      if (last?.roomNo === roomNo && last.rateNo === rateNo && last.to === night - 1) last.to = night
      else this.found.push({ roomNo, rateNo, from: night, to: night })
    }
  }
}

type Codes = { roomByText: ReadonlyMap<string, string>; rateByText: ReadonlyMap<string, string> }

async function codesOf(db: Queryable, keys: readonly BlockKey[]): Promise<Codes> {
  const distinct = (numbers: readonly { hotelId: number; no: number }[]) => [
    ...new Map(numbers.map((one) => [codeText(one.hotelId, one.no), one])).values(),
  ]
  const rooms = distinct(keys.map(({ hotelId, roomNo: no }) => ({ hotelId, no })))
  const rates = distinct(keys.map(({ hotelId, rateNo: no }) => ({ hotelId, no })))
  const found = keys.length === 0 ? [] : await selectCodes(db, rooms, rates)
  const byText = (isRoom: boolean) =>
    new Map(
      found
        .filter((one) => one.isRoom === isRoom)
        .map(({ hotelId, no, code }) => [codeText(hotelId, no), code]),
    )
  return { roomByText: byText(true), rateByText: byText(false) }
}

function codeText(hotelId: number, no: number): string {
  return `${hotelId}/${no}`
}

/** Empty if the hotel was removed between the reads: a later change reports that. */
function named(hotelId: number, range: Numbered, codes: Codes): ChangedNights[] {
  const { roomNo, rateNo, from, to } = range
  const roomId = codes.roomByText.get(codeText(hotelId, roomNo))
  const rateId = codes.rateByText.get(codeText(hotelId, rateNo))
  // Number 0 is the room itself.
  if (roomId === undefined || (rateNo !== 0 && rateId === undefined)) return []
  return [
    {
      roomId,
      platformRoomId: platformRoomId(hotelId, roomNo),
      ...(rateId === undefined ? {} : { rateId, platformRateId: platformRateId(hotelId, rateNo) }),
      startDate: formatNight(from),
      endDate: formatNight(to),
    },
  ]
}
