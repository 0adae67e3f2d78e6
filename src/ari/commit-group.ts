import type { Connection } from '../postgres/connection.ts'
import type { Push } from '../http/call.ts'
import type { Needs } from '../postgres/needs.ts'
import { commitFailure } from '../postgres/store-faults.ts'
import { keepAnswers, keepPushes, type PushRecord } from '../push-log/keep.ts'
import { answerPush } from './answer-push.ts'
import { applyItems, asUnchanged } from './apply.ts'
import { monthsBeside } from './odd-values.ts'
import { Scratch } from './scratch.ts'
import type { BlockCache, HeldBlock } from './block-cache.ts'
import { Block, type Blocks, type Stamp } from './block.ts'
import { isCatalogOf, type Catalogs, type HotelCatalog } from './catalog.ts'
import { planPush, problemsIn, tooManyCells, type Plan, type ReadyPush, type RowChange } from './plan.ts'
import {
  blockKeyText,
  insertBlocks,
  lockHotels,
  selectBlocks,
  updateBlocks,
  writePricingModels,
  writeVersions,
  type BlockKey,
  type LockedHotel,
  type ModelChange,
  type WrittenBlock,
  type WrittenHotel,
} from './store.ts'

export type GroupNeeds = Needs & { catalogs: Catalogs; cache: BlockCache }

/** What the group works on; nothing of it outlives a failure. */
type Group = {
  hotels: Map<number, LockedHotel>
  keys: Map<string, BlockKey>
  held: Map<string, HeldBlock>
  /** Those of them that the cache has already. */
  cached: Set<string>
  blocks: Map<string, Block>
  models: Map<string, ModelChange>
}

/** `skip`: pushes for hotels that somebody else has locked are left out. `wait`: until they are let go. */
export type Locking = 'skip' | 'wait'

/**
 * Applies pushes in one transaction of two round trips, in their order, and gives their records once it is on disk;
 * undefined for those left out because their hotel is locked.
 */
export async function commitGroup(
  connection: Connection,
  pushes: readonly ReadyPush[],
  locking: Locking,
  needs: GroupNeeds,
): Promise<(PushRecord | undefined)[]> {
  const group = await readGroup(connection, pushes, locking, needs)
  const locked = pushes.filter(({ catalog }) => group.hotels.has(catalog.hotelId))
  const records = new Map<Push, PushRecord>()
  for (const ready of await withCurrentCatalogs(connection, locked, group, needs)) {
    records.set(ready.push, await applyReady(ready, group))
  }

  // A pooler may have led this group to a store that was promoted since the connection was opened.
  for (const { storeStamp } of group.hotels.values()) needs.db.epoch.confirm(storeStamp)
  const written = writtenBlocks(group)
  const nowMs = needs.clock.now()
  const ended = await connection
    .together(() => [
      updateBlocks(
        connection,
        written.filter(({ isStored }) => isStored),
        nowMs,
      ),
      insertBlocks(
        connection,
        written.filter(({ isStored }) => !isStored),
        nowMs,
      ),
      writeVersions(connection, hotelsOf(written, group), 'ari', nowMs),
      writePricingModels(connection, [...group.models.values()]),
      keepPushes(connection, [...records.values()], nowMs),
      keepAnswers(connection, [...records.values()], nowMs),
      connection.query('commit'),
    ])
    .catch((error: unknown) => {
      throw commitFailure(error)
    })
  const { command } = ended[6]
  if (command !== 'COMMIT') throw new Error(`a commit group ended with ${command}`)
  remember(group, written, needs.cache)
  return pushes.map(({ push }) => records.get(push))
}

/** Locks the hotels and reads the blocks that the cache doesn't have; those it has are used if they still hold. */
async function readGroup(
  connection: Connection,
  pushes: readonly ReadyPush[],
  locking: Locking,
  { cache }: GroupNeeds,
): Promise<Group> {
  const keys = new Map<string, BlockKey>()
  for (const { catalog, plan } of pushes) collectKeys(catalog.hotelId, plan, keys)
  const unknown = [...keys].filter(([text, { hotelId }]) => !cache.has(hotelId, text))
  const hotelIds = [...new Set(pushes.map(({ catalog }) => catalog.hotelId))]
  const [, hotels, read] = await connection.together(() => [
    connection.query('begin'),
    lockHotels(connection, hotelIds, locking),
    selectBlocks(
      connection,
      unknown.map(([, key]) => key),
    ),
  ])
  const held = new Map<string, HeldBlock>()
  // What was read of a hotel that is not locked may change at any moment.
  for (const [text, { hotelId }] of unknown) if (hotels.has(hotelId)) held.set(text, read.get(text) ?? null)
  const cached = new Set<string>()
  const outdated = new Map<string, BlockKey>()
  for (const [text, key] of keys) {
    if (held.has(text) || !hotels.has(key.hotelId)) continue
    const hotel = hotels.get(key.hotelId)
    const known = hotel && cache.isCurrent(key.hotelId, hotel) ? cache.get(key.hotelId, text) : undefined
    if (known === undefined) outdated.set(text, key)
    else {
      held.set(text, known)
      cached.add(text)
    }
  }
  const group: Group = { hotels, keys, held, cached, blocks: new Map(), models: new Map() }
  await readMore(connection, outdated, group)
  return group
}

async function readMore(
  connection: Connection,
  wanted: ReadonlyMap<string, BlockKey>,
  group: Group,
): Promise<void> {
  const read = await selectBlocks(connection, [...wanted.values()])
  for (const [text, key] of wanted) {
    group.keys.set(text, key)
    group.held.set(text, read.get(text) ?? null)
  }
}

function collectKeys(hotelId: number, plan: Plan, keys: Map<string, BlockKey>): void {
  const collect = (key: BlockKey): void => void keys.set(blockKeyText(key), key)
  for (const { rows } of plan.items) {
    for (const row of rows) {
      const { roomNo, rateNo, months } = row
      for (const { month } of months) collect({ hotelId, roomNo, rateNo, month })
      for (const beside of monthsBeside(row)) collect({ hotelId, ...beside })
    }
  }
}

/** Pushes whose hotel changed after its catalog was cached are planned anew, by the catalog that holds under the lock. */
async function withCurrentCatalogs(
  connection: Connection,
  pushes: readonly ReadyPush[],
  group: Group,
  needs: GroupNeeds,
): Promise<ReadyPush[]> {
  const current: ReadyPush[] = []
  for (const ready of pushes) {
    if (isCatalogOf(ready.catalog, group.hotels.get(ready.catalog.hotelId))) {
      current.push(ready)
      continue
    }
    const catalog = await needs.catalogs.reload(connection, ready.catalog)
    const plan = planPush(ready.body, ready.faultsByItem, catalog, needs.clock.now())
    const { ariCellsMax } = ready.push.caller.limits
    if (plan.cells > ariCellsMax) plan.refused.push(tooManyCells(plan.cells, ariCellsMax))
    const wanted = new Map<string, BlockKey>()
    collectKeys(catalog.hotelId, plan, wanted)
    for (const text of wanted.keys()) if (group.held.has(text)) wanted.delete(text)
    await readMore(connection, wanted, group)
    current.push({ ...ready, catalog, plan })
  }
  return current
}

async function applyReady(ready: ReadyPush, group: Group): Promise<PushRecord> {
  const { body, catalog, plan, push } = ready
  const hotel = group.hotels.get(catalog.hotelId)
  if (!hotel) throw new Error(`hotel ${catalog.hotelId} is gone`)
  const stamp: Stamp = {
    revision: hotel.revision + 1,
    sequence: body.sequence,
    keyId: push.caller.keyId,
    currencyRevision: hotel.currencyRevision,
  }
  const isAtomicBroken = body.atomic === true && plan.items.some((item) => problemsIn(item) > 0)
  if (plan.refused.length > 0 || isAtomicBroken) return answerPush(ready, [], hotel.revision)

  const held = heldBlocks(catalog.hotelId, group)
  const isDryRun = body.dryRun === true
  // One item can't undo another where there is only one.
  const scratch = isDryRun || plan.items.length > 1 ? new Scratch(held) : undefined
  const priced: RowChange[] = []
  const results = await applyItems(
    plan.items,
    { blocks: scratch ?? held, stamp, priced },
    { blocks: scratch?.after ?? held, before: scratch && held, priceFloor: catalog.priceFloor },
  )
  const changes = results.some(({ cellsChanged }) => cellsChanged > 0)
  const isUndone = changes && scratch?.isUnchanged(stamp) === true
  const told = isUndone ? results.map(asUnchanged) : results
  if (!isDryRun) {
    scratch?.adopt(isUndone, stamp)
    if (changes && !isUndone) {
      hotel.revision++
      noteModels(catalog, priced, group.models)
    }
  }
  return answerPush(ready, told, hotel.revision)
}

/** The group's blocks, made where there are none yet. */
function heldBlocks(hotelId: number, { held, blocks }: Group): Blocks {
  return {
    of: (roomNo, rateNo, month) => {
      const text = blockKeyText({ hotelId, roomNo, rateNo, month })
      const known = blocks.get(text)
      if (known) return known
      const bytes = held.get(text)
      const block = bytes ? Block.decode(bytes) : Block.empty()
      blocks.set(text, block)
      return block
    },
  }
}

function writtenBlocks({ blocks, keys, held }: Group): WrittenBlock[] {
  const written: WrittenBlock[] = []
  for (const [text, block] of blocks) {
    const key = keys.get(text)
    if (key && block.dirty)
      written.push({ key, text, bytes: block.encode(), isStored: held.get(text) !== null })
  }
  return written
}

function hotelsOf(written: readonly WrittenBlock[], { hotels }: Group): WrittenHotel[] {
  const found = new Map<number, WrittenHotel>()
  for (const { key } of written) {
    const hotel = hotels.get(key.hotelId)
    const known = found.get(key.hotelId)
    if (known) known.keys.push(key)
    else if (hotel) found.set(key.hotelId, { hotel, keys: [key] })
  }
  return [...found.values()]
}

/** What is on disk now, for the pushes to come. */
function remember(
  { hotels, held, cached, keys }: Group,
  written: readonly WrittenBlock[],
  cache: BlockCache,
): void {
  for (const { text, bytes } of written) {
    held.set(text, bytes)
    cached.delete(text)
  }
  const writtenHotels = new Set(written.map(({ key }) => key.hotelId))
  const byHotel = Map.groupBy(held, ([text]) => keys.get(text)?.hotelId ?? 0)
  for (const [hotelId, blocks] of byHotel) {
    const hotel = hotels.get(hotelId)
    if (!hotel) continue
    const { storeStamp, ariVersion: basedOn } = hotel
    const now = writtenHotels.has(hotelId) ? basedOn + 1 : basedOn
    const others = blocks.filter(([text]) => !cached.has(text))
    cache.keep(hotelId, { storeStamp, basedOn, now }, others)
  }
}

/** Which room-rates have another pricing model after the group than before it. */
function noteModels(
  { hotelId, productOf }: HotelCatalog,
  priced: readonly RowChange[],
  models: Map<string, ModelChange>,
): void {
  for (const { roomNo, rateNo, pricingModel } of priced) {
    if (pricingModel === undefined) continue
    const text = `${hotelId}/${roomNo}/${rateNo}`
    if (productOf(roomNo, rateNo)?.pricingModel === pricingModel) models.delete(text)
    else models.set(text, { hotelId, roomNo, rateNo, pricingModel })
  }
}
