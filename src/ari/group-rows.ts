import type { Connection } from '../postgres/connection.ts'
import { Block, type Blocks } from './block.ts'
import type { StoredBlock } from './block-cache.ts'
import { monthsBeside } from './odd-values.ts'
import type { ReadyPush } from './plan.ts'
import { blockKeyText, selectBlocks, type BlockKey } from './store.ts'

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

/** Adds the rows that a push may read or change. */
export function addRows({ catalog, plan, undo }: ReadyPush, rows: Map<string, Row>): void {
  const { hotelId } = catalog
  const add = (roomNo: number, rateNo: number, month: number): void => {
    const text = blockKeyText({ hotelId, roomNo, rateNo, month })
    if (rows.has(text)) return
    const key = { hotelId, roomNo, rateNo, month }
    rows.set(text, { key, text, stored: undefined, isCached: false, block: undefined })
  }
  for (const { key } of undo?.blocks ?? []) add(key.roomNo, key.rateNo, key.month)
  for (const item of plan.items) {
    for (const change of item.rows) {
      for (const { month } of change.months) add(change.roomNo, change.rateNo, month)
      for (const { roomNo, rateNo, month } of monthsBeside(change)) add(roomNo, rateNo, month)
    }
  }
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
