import type { Connection } from '../../postgres/connections/connection.ts'
import { Block, type Blocks } from '../blocks/block.ts'
import type { StoredBlock } from './block-cache.ts'
import { monthsToLearn } from '../guard/future-prices.ts'
import { ratesToJudge } from '../guard/judged-push.ts'
import type { OpenHolds } from '../guard/open-holds.ts'
import { ratesOfRoom } from '../catalog/catalog.ts'
import { rowsBesideUnits } from '../history/undone-units.ts'
import { monthsBeside } from '../judge/odd-values.ts'
import type { ReadyPush } from '../judge/plan.ts'
import type { TouchedNights } from '../../hotels/live-touches.ts'
import {
  blockKeyText,
  selectBlocks,
  type BlockKey,
  type LockedHotel,
  type ModelChange,
} from '../blocks/store.ts'

/** The rows of ari_month that a group of pushes may read or change. */

export type Row = {
  key: BlockKey
  text: string
  /** The bytes as committed; undefined until they are read. */
  stored: StoredBlock | undefined
  /** Whether `stored` comes from the cache. */
  isCached: boolean
  /** Decoded on first use. */
  block: Block | undefined
}

/** The working state of a group; it is discarded after a failure. */
export type Group = {
  /** Whether the transaction has begun and locked the hotels. Otherwise it begins with its writes. */
  isLocked: boolean
  /** The hotels that are locked, or that the writes will lock first. */
  hotels: ReadonlyMap<number, LockedHotel>
  /** Every row of ari_month that a push of the group may read or change. */
  rows: Map<string, Row>
  models: Map<string, ModelChange>
  /** Of guarded hotels, as far as they concern the group. */
  holds: OpenHolds
  /** Of hotels that may have live answers, the nights about which these end. */
  touched: TouchedNights[]
}

/** Adds the rows that a push may read or change. */
export function addRows({ catalog, plan, undo }: ReadyPush, rows: Map<string, Row>): void {
  const { hotelId } = catalog
  const add = (roomNo: number, rateNo: number, month: number): void =>
    addRow({ hotelId, roomNo, rateNo, month }, rows)
  for (const { key } of undo?.blocks ?? []) add(key.roomNo, key.rateNo, key.month)
  for (const row of rowsBesideUnits(undo?.blocks ?? [], (roomNo) => ratesOfRoom(catalog, roomNo)))
    add(row.roomNo, row.rateNo, row.month)
  for (const item of plan.items) {
    for (const change of item.rows) {
      for (const { month } of change.months) add(change.roomNo, change.rateNo, month)
      monthsBeside(change, add)
      if (!catalog.guard) continue
      for (const month of monthsToLearn(change, catalog.guard, plan.today))
        add(change.roomNo, change.rateNo, month)
      for (const rateNo of ratesToJudge(change, catalog.guard, catalog))
        for (const { month } of change.months) add(change.roomNo, rateNo, month)
    }
  }
}

export function addRow(key: BlockKey, rows: Map<string, Row>): void {
  const text = blockKeyText(key)
  if (!rows.has(text)) rows.set(text, { key, text, stored: undefined, isCached: false, block: undefined })
}

/** Reads the rows that haven't been read yet. */
export async function readRest(connection: Connection, rows: ReadonlyMap<string, Row>): Promise<void> {
  const wanted = [...rows.values()].filter(({ stored }) => stored === undefined)
  const read = await selectBlocks(
    connection,
    wanted.map(({ key }) => key),
  )
  for (const row of wanted) row.stored = read.get(row.text) ?? null
}

/** The group's blocks of a hotel, created on demand. */
export function blocksOf(hotelId: number, rows: ReadonlyMap<string, Row>): Blocks {
  return {
    of: (roomNo, rateNo, month) => {
      const text = blockKeyText({ hotelId, roomNo, rateNo, month })
      const row = rows.get(text)
      if (!row) throw new Error(`row ${text} was not read`)
      return (row.block ??= row.stored ? Block.decode(row.stored) : Block.empty())
    },
  }
}
