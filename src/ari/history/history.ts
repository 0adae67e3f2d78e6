import { setImmediate as breathe } from 'node:timers/promises'
import { Rejected, reportedValue, type Problem } from '../../http/rejected.ts'
import { parseInstant } from '../../http/calls/query.ts'
import type { Queryable } from '../../postgres/postgres.ts'
import { Block } from '../blocks/block.ts'
import { changesBack, type ChangeBack, type HotelPast, type PastPosition } from './changes-back.ts'
import { changesReadMax, historyErrors, type MomentBody } from './history-contract.ts'
import { packBlockKey, type BlockKey } from '../blocks/store.ts'

/** Earlier states of a hotel's ARI: the blocks of now with the values before later changes put back. */

/** Milliseconds since 1970, or a revision of the hotel. */
export type Moment = { revision: number; timeMs?: undefined } | { revision?: undefined; timeMs: number }

/** The problems of a moment besides those of its shape. `path` is its location in the body. */
export function momentProblems(
  moment: MomentBody | undefined,
  path: string,
  shapeProblems: readonly Problem[],
): Problem[] {
  if (moment === undefined || shapeProblems.some((problem) => problem.path?.startsWith(`${path}/`))) return []
  if ((moment.revision === undefined) === (moment.time === undefined))
    return [{ ...historyErrors.momentUnclear, path }]
  if (moment.time === undefined || parseInstant(moment.time) !== undefined) return []
  return [{ ...historyErrors.timeInvalid, path: `${path}/time`, value: reportedValue(moment.time) }]
}

export function momentOf({ revision, time }: MomentBody): Moment {
  return revision === undefined ? { timeMs: parseInstant(time ?? '') ?? 0 } : { revision }
}

/** The blocks of a hotel that are wanted, and those of them that are read so far. */
export type PastBlocks = {
  isWanted: (row: Omit<BlockKey, 'hotelId'>) => boolean
  blocks: Map<number, { key: BlockKey; block: Block }>
}

export function pastBlocks(
  blocks: readonly { key: BlockKey; block: Block }[],
  isWanted: PastBlocks['isWanted'],
): PastBlocks {
  return { isWanted, blocks: new Map(blocks.map((one) => [packBlockKey(one.key), one])) }
}

export function blockAt({ blocks }: PastBlocks, hotelId: number, row: Omit<BlockKey, 'hotelId'>): Block {
  const packed = packBlockKey(row)
  const known = blocks.get(packed)
  if (known) return known.block
  const block = Block.empty()
  const { roomNo, rateNo, month } = row
  blocks.set(packed, { key: { hotelId, roomNo, rateNo, month }, block })
  return block
}

/** By room, rate and month. */
export function inOrder({ blocks }: PastBlocks): { key: BlockKey; block: Block }[] {
  return [...blocks].sort(([left], [right]) => left - right).map(([, one]) => one)
}

/** Puts back the values before a change. */
export function putBack(
  past: PastBlocks,
  hotelId: number,
  { revision, blocks }: Pick<ChangeBack, 'revision' | 'blocks'>,
): void {
  for (const before of blocks) {
    if (!past.isWanted(before)) continue
    const block = blockAt(past, hotelId, before)
    for (const { field, mask, values } of before.fields) block.putBack(field, mask, values, revision)
  }
}

/**
 * Walks from now back to a moment and calls `visit` with every change after it. Returns the revision of the last
 * change at or before the moment. If that is further back than the stored changes, throws 410, or with
 * `endsAtOldest` returns how far it got.
 */
export async function walkBackTo(
  connection: Queryable,
  hotel: HotelPast,
  moment: Moment,
  {
    path,
    visit,
    endsAtOldest = false,
  }: { path: string; visit: (change: ChangeBack) => 'go on' | 'stop'; endsAtOldest?: boolean },
): Promise<number> {
  refuseBehindCurrency(hotel, moment, path)
  let reached = newestOf(hotel)
  const lowest = moment.revision ?? hotel.currencyRevision
  if (reached.revision <= lowest) return reached.revision
  let changes = 0
  let blocks = 0
  for await (const change of changesBack(connection, hotel, reached)) {
    if (moment.revision === undefined && change.atMs <= moment.timeMs) return change.revision
    if (++changes > changesReadMax) {
      if (endsAtOldest) return change.revision
      throw tooLong(path)
    }
    if (visit(change) === 'stop') return change.revision
    reached = change.next
    if (reached.revision <= lowest) return reached.revision
    blocks += change.blocks.length
    if (blocks < blocksAtOnce) continue
    blocks = 0
    await breathe()
  }
  if (reached.revision === 0 || endsAtOldest) return reached.revision
  throw expired(path, reached.revision)
}

/** Work between two turns of other requests. */
const blocksAtOnce = 200

/** Where a walk back begins. Without a known change it ends there, too. */
export function newestOf({ cellsRevision, revision }: HotelPast): PastPosition {
  return { revision: cellsRevision ?? revision, beforeId: undefined }
}

function refuseBehindCurrency(hotel: HotelPast, { revision, timeMs }: Moment, path: string): void {
  refuseAhead(hotel, revision, `${path}/revision`)
  const { currencyRevision, currencySinceMs } = hotel
  const isBehind =
    revision === undefined
      ? currencySinceMs !== null && timeMs < currencySinceMs
      : revision < currencyRevision
  if (isBehind) throw behindCurrency(currencyRevision, path)
}

export function refuseAhead(hotel: HotelPast, revision: number | undefined, path: string): void {
  if (revision === undefined || revision <= hotel.revision) return
  const message = `The hotel is at revision ${hotel.revision}`
  throw new Rejected(400, { ...historyErrors.revisionAhead, message, path, value: revision })
}

export function behindCurrency(currencyRevision: number, path: string): Rejected {
  const message = `History does not reach behind revision ${currencyRevision}: the hotel's currency changed`
  return new Rejected(
    410,
    { ...historyErrors.expired, message, path },
    { extra: { oldestRevision: currencyRevision } },
  )
}

export function expired(path: string, oldestRevision: number): Rejected {
  const message = `History does not reach behind revision ${oldestRevision}: earlier changes are no longer stored`
  return new Rejected(410, { ...historyErrors.expired, message, path }, { extra: { oldestRevision } })
}

function tooLong(path: string): Rejected {
  return new Rejected(400, { ...historyErrors.tooLong, path })
}
