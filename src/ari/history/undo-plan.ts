import { setImmediate as breathe } from 'node:timers/promises'
import { hotelNotFound } from '../../hotels/hotel-rules.ts'
import { Rejected, rejectIfAny } from '../../http/rejected.ts'
import type { BodyOf } from '../../http/route.ts'
import type { Queryable } from '../../postgres/postgres.ts'
import type { FieldBefore } from '../blocks/before-values.ts'
import { Block, type Blocks } from '../blocks/block.ts'
import { unset } from '../blocks/block-codec.ts'
import type { Catalogs, HotelCatalog } from '../catalog/catalog.ts'
import {
  changesBack,
  selectHotelPast,
  type ChangeBack,
  type HotelPast,
  type PastPosition,
} from './changes-back.ts'
import { fieldNumber, isPriceField } from '../fields.ts'
import {
  behindCurrency,
  blockAt,
  expired,
  pastBlocks,
  putBack,
  refuseAhead,
  walkBackTo,
  type PastBlocks,
} from './history.ts'
import { countNights, nightsIn } from '../blocks/month.ts'
import { historyFieldOf } from './replaced-values.ts'
import { numbersOf } from '../catalog/row-names.ts'
import { blockKeyText, packBlockKey, selectBlocks, type BlockKey } from '../blocks/store.ts'
import type { undoRoutes } from './undo-contract.ts'
import { readUndoTarget, type UndoTarget } from './undo-target.ts'

export type UndoBody = BodyOf<typeof undoRoutes.undo>

/** A field of a month that the push changed: for each night of the mask, the value before it and the one it wrote. */
export type UndoField = FieldBefore & { written: readonly number[] }

export type UndoBlock = {
  key: BlockKey
  fields: readonly UndoField[]
  /** By field and night, the revision of the newest change since the push; of prices, whether it wrote them or not. */
  changedAt: Map<number, number[]>
}

/** What changed a value since the push. */
export type Changer = Pick<ChangeBack, 'revision' | 'atMs' | 'by' | 'source'>

export type UndoPlan = {
  body: UndoBody
  target: Omit<UndoTarget, 'blocks'>
  /** By room, rate and month. */
  blocks: readonly UndoBlock[]
  /** By revision. */
  changers: Map<number, Changer>
  hotel: HotelPast
  /** Conflicts that arose after it refuse the undo even if it skips conflicts. */
  seenRevision?: number | undefined
  /** Nights of rows whose inventory the push changed, while the undo doesn't name inventory. */
  inventoryLeftOut: number
  cells: number
}

/** Work between two turns of other requests. */
const blocksAtOnce = 200

/**
 * Reads in one snapshot what a push replaced, what it wrote, and what changed that since. The values that it replaced and
 * wrote are facts, so they still hold when the undo is applied under the hotel's lock; only what changed since may then be more.
 */
export async function planUndo(
  connection: Queryable,
  catalogs: Catalogs,
  supplierId: number,
  body: UndoBody,
): Promise<{ catalog: HotelCatalog; plan: UndoPlan }> {
  await connection.query('set transaction isolation level repeatable read read only')
  const catalog = await catalogs.current(connection, { supplierId, hotelCode: body.hotelId })
  if (!catalog) throw new Rejected(404, hotelNotFound(body.hotelId))
  const { roomNos, problems } = numbersOf(body.roomIds ? { roomIds: body.roomIds } : {}, catalog)
  rejectIfAny(problems, 404)
  const hotel = await selectHotelPast(connection, catalog.hotelId)
  refuseAhead(hotel, body.revision, '/revision')
  const { blocks: replaced, ...target } = await readUndoTarget(connection, supplierId, hotel, body)
  const named = new Set<string>(body.fields ?? [])
  const rooms = roomNos && new Set(roomNos)
  let inventoryLeftOut = 0
  const wanted: Omit<UndoBlock, 'changedAt'>[] = []
  for (const { roomNo, rateNo, month, fields } of replaced) {
    if (rooms?.has(roomNo) === false) continue
    const ofBlock: UndoField[] = []
    for (const field of fields) {
      const name = historyFieldOf(field.field)
      if (named.size > 0 ? named.has(name) : name !== 'inventory') ofBlock.push({ ...field, written: [] })
      else if (name === 'inventory') inventoryLeftOut += countNights(field.mask)
    }
    if (ofBlock.length > 0)
      wanted.push({ key: { hotelId: hotel.id, roomNo, rateNo, month }, fields: ofBlock })
  }
  const changers = new Map<number, Changer>()
  const blocks = await withWrittenValues(connection, { hotel, target, body, wanted, changers })
  const cells = blocks.reduce((sum, block) => sum + countCells(block), 0)
  return { catalog, plan: { body, target, blocks, changers, hotel, inventoryLeftOut, cells } }
}

/** The nights of a row that the push changed in any field. */
function countCells({ fields }: Pick<UndoBlock, 'fields'>): number {
  let mask = 0
  for (const field of fields) mask |= field.mask
  return countNights(mask)
}

type Walk = {
  hotel: HotelPast
  target: Omit<UndoTarget, 'blocks'>
  body: UndoBody
  wanted: readonly Omit<UndoBlock, 'changedAt'>[]
  changers: Map<number, Changer>
}

/** The state with the push, from the blocks of now with all later changes put back. */
async function withWrittenValues(
  connection: Queryable,
  { hotel, target, body, wanted, changers }: Walk,
): Promise<UndoBlock[]> {
  const stored = await selectBlocks(
    connection,
    wanted.map(({ key }) => key),
  )
  const blocks = wanted.map((one): UndoBlock => ({ ...one, changedAt: new Map() }))
  const blockByKey = new Map(blocks.map((block) => [packBlockKey(block.key), block]))
  const present = blocks.map(({ key }) => {
    const bytes = stored.get(blockKeyText(key))
    return { key, block: bytes ? Block.decode(bytes) : Block.empty() }
  })
  const past = pastBlocks(present, (row) => blockByKey.has(packBlockKey(row)))
  const visit = (change: ChangeBack): 'go on' => {
    noteChange(change, { past, hotelId: hotel.id, blockByKey, changers })
    putBack(past, hotel.id, change)
    return 'go on'
  }
  await walkBackTo(connection, hotel, { revision: target.revision }, { path: pathOf(body), visit })
  const complete: UndoBlock[] = []
  for (const [index, block] of blocks.entries()) {
    if (index % blocksAtOnce === blocksAtOnce - 1) await breathe()
    const then = blockAt(past, hotel.id, block.key)
    const fields = block.fields.map((field) => ({
      ...field,
      written: valuesOn(field.mask, then.values(field.field)),
    }))
    complete.push({ ...block, fields })
  }
  return complete
}

function valuesOn(mask: number, values: readonly number[] | undefined): number[] {
  return nightsIn(mask).map((night) => values?.[night] ?? unset)
}

/** Adds the changes that came after the plan was made. The hotel is locked, so no other can come. */
export async function noteLaterChanges(
  connection: Queryable,
  { hotel, blocks, changers, body }: UndoPlan,
  cellsRevision: number | null,
  stored: Blocks,
): Promise<void> {
  if (cellsRevision === null || cellsRevision === hotel.cellsRevision) return
  const blockByKey = new Map(blocks.map((block) => [packBlockKey(block.key), block]))
  const copies = blocks.map(({ key }) => ({
    key,
    block: stored.of(key.roomNo, key.rateNo, key.month).copy(),
  }))
  const past = pastBlocks(copies, (row) => blockByKey.has(packBlockKey(row)))
  const planned = hotel.cellsRevision ?? hotel.revision
  let reached: PastPosition = { revision: cellsRevision, beforeId: undefined }
  for await (const change of changesBack(connection, hotel, reached)) {
    if (change.revision <= planned) return
    noteChange(change, { past, hotelId: hotel.id, blockByKey, changers })
    putBack(past, hotel.id, change)
    reached = change.next
  }
  // The hotel was removed and came back: its history begins anew, with other rooms and rates.
  if (reached.revision > planned) throw expired(pathOf(body), reached.revision)
}

type Noting = {
  /** The state with the change. */
  past: PastBlocks
  hotelId: number
  blockByKey: ReadonlyMap<number, UndoBlock>
  changers: Map<number, Changer>
}

function noteChange(
  { blocks, revision, atMs, by, source }: ChangeBack,
  { past, hotelId, blockByKey, changers }: Noting,
): void {
  for (const changed of blocks) {
    const block = blockByKey.get(packBlockKey(changed))
    if (!block) continue
    const after = blockAt(past, hotelId, changed)
    const hasPrices = block.fields.some(({ field }) => isPriceField(field))
    for (const replaced of changed.fields) {
      const { field } = replaced
      const isRelevant = isPriceField(field) ? hasPrices : block.fields.some((one) => one.field === field)
      if (!isRelevant || field === fieldNumber.stopSell) continue
      changers.set(revision, { revision, atMs, by, source })
      const nights = block.changedAt.get(field) ?? new Array<number>(31).fill(0)
      block.changedAt.set(field, nights)
      for (const night of nightsReplaced(replaced, after.values(field)))
        nights[night] = Math.max(nights[night] ?? 0, revision)
    }
  }
}

/** Without those on which the change put the value back itself. */
function nightsReplaced({ mask, values }: FieldBefore, after: readonly number[] | undefined): number[] {
  return nightsIn(mask).filter((night, index) => values[index] !== (after?.[night] ?? unset))
}

/** Amounts on both sides of a change of currency are not comparable. */
export function refuseFormerCurrency({ hotel, body }: UndoPlan, currencyRevision: number): void {
  if (currencyRevision === hotel.currencyRevision) return
  throw behindCurrency(currencyRevision, pathOf(body))
}

function pathOf({ requestId }: UndoBody): string {
  return requestId === undefined ? '/revision' : '/requestId'
}
