import { allOf, type Connection } from '../../postgres/connections/connection.ts'
import type { Needs } from '../../postgres/postgres.ts'
import { commitFailure } from '../../postgres/connections/store-errors.ts'
import { keepAnswers, keepPushes, type PushRecord } from '../../push-log/keep/keep.ts'
import { endLiveAnswers } from '../../hotels/live-touches.ts'
import { answerPush } from './answer-push.ts'
import { applyPush, type Observe } from './apply.ts'
import { applyUndo } from './apply-undo.ts'
import type { BlockCache, CacheTrust, StoredBlock } from './block-cache.ts'
import { isCatalogOf, type Catalogs } from '../catalog/catalog.ts'
import { addRow, addRows, blocksOf, readRest, type Group, type Row } from './group-rows.ts'
import { writeHolds } from '../guard/hold-store.ts'
import { OpenHolds } from '../guard/open-holds.ts'
import { readGuarded } from './read-guarded.ts'
import { releaseHolds } from './release-holds.ts'
import { nightsNamed, touching } from './touched-nights.ts'
import { blocksToCompare, impactOf, type ReadSoldHotel } from '../impact/impact.ts'
import { unlessStale } from '../impact/plan-id.ts'
import { planPush, tooManyCells, type ReadyPush } from '../judge/plan.ts'
import {
  claimHotels,
  isMissedClaim,
  lockHotels,
  selectBlocks,
  writeBlocks,
  writePricingModels,
  writeVersions,
  type LockedHotel,
  type WrittenBlock,
  type WrittenHotel,
} from '../blocks/store.ts'

export type GroupNeeds = Needs & {
  catalogs: Catalogs
  cache: BlockCache
  trust: CacheTrust
  readSoldHotel: ReadSoldHotel
  /** Sends further statements of the transaction. */
  alongside?: (connection: Connection, records: readonly PushRecord[]) => Promise<void>
}

/** `skip`: leave out pushes for hotels that another transaction has locked. `wait`: wait for those locks. */
export type Locking = 'skip' | 'wait'

/**
 * Applies pushes, in order, in one transaction. Returns their records once the transaction is on disk;
 * undefined for pushes left out because their hotel is locked. If the cache has everything, the transaction
 * is one round trip, whose first statement locks the hotels and fails if the cache was out of date. Otherwise,
 * and after such a failure, it is two: lock and read, then write.
 */
export async function commitGroup(
  connection: Connection,
  pushes: readonly ReadyPush[],
  locking: Locking,
  needs: GroupNeeds,
): Promise<(PushRecord | undefined)[]> {
  // An undo reads what changed since its push, under the lock, and an impact reads all that it compares.
  const mayClaim = needs.trust.isGiven && pushes.every(({ undo, body }) => !undo && body.impact !== true)
  const cached = mayClaim ? cachedGroup(pushes, needs) : undefined
  if (cached) {
    try {
      return await applyAndCommit(connection, pushes, cached, needs)
    } catch (error) {
      if (!isMissedClaim(error)) throw error
      needs.trust.observe(true)
    }
  }
  return applyAndCommit(connection, pushes, await lockAndRead(connection, pushes, locking, needs), needs)
}

/** The group as the cache has it; undefined if anything must be read. */
function cachedGroup(pushes: readonly ReadyPush[], { cache, telemetry }: GroupNeeds): Group | undefined {
  const hotels = new Map<number, LockedHotel>()
  const rows = new Map<string, Row>()
  for (const push of pushes) {
    const { hotelId, guard } = push.catalog
    // What is held is read under the lock.
    if (guard || push.release) return undefined
    const hotel = hotels.get(hotelId) ?? cache.hotel(hotelId)
    if (!hotel || !isCatalogOf(push.catalog, hotel)) return undefined
    hotels.set(hotelId, hotel)
    addRows(push, rows)
  }
  for (const row of rows.values()) {
    row.stored = cache.get(row.key.hotelId, row.text)
    row.isCached = true
    if (row.stored === undefined) return undefined
  }
  telemetry.cacheLookups.inc({ cache: 'blocks', outcome: 'hit' }, rows.size)
  return { isLocked: false, hotels, rows, models: new Map(), holds: new OpenHolds(), touched: [] }
}

async function applyAndCommit(
  connection: Connection,
  pushes: readonly ReadyPush[],
  group: Group,
  needs: GroupNeeds,
): Promise<(PushRecord | undefined)[]> {
  const records: (PushRecord | undefined)[] = []
  for (const push of pushes) {
    const hotel = group.hotels.get(push.catalog.hotelId)
    records.push(hotel && (await recordOf(connection, push, { hotel, group, earlier: records }, needs)))
  }
  const written = await writeAndCommit(connection, group, records, needs)
  remember(group, written, needs.cache)
  return records
}

/** Locks the hotels and reads the blocks that are not in the cache or no longer valid there. */
async function lockAndRead(
  connection: Connection,
  pushes: readonly ReadyPush[],
  locking: Locking,
  { cache, telemetry, trust }: GroupNeeds,
): Promise<Group> {
  const rows = new Map<string, Row>()
  for (const push of pushes) addRows(push, rows)
  const unknown = [...rows.values()].filter(
    ({ key, text }) => trust.isUseless || !cache.has(key.hotelId, text),
  )
  const hotelIds = [...new Set(pushes.map(({ catalog }) => catalog.hotelId))]
  const [, hotels, read] = await connection.pipelined(() => [
    connection.query('begin'),
    lockHotels(connection, hotelIds, locking),
    selectBlocks(
      connection,
      unknown.map(({ key }) => key),
    ),
  ])
  trust.observe(hotelIds.some((hotelId) => cache.isOutdated(hotelId, hotels.get(hotelId))))
  for (const row of unknown) row.stored = read.get(row.text) ?? null
  for (const [text, row] of rows) {
    const { hotelId } = row.key
    const hotel = hotels.get(hotelId)
    // Blocks read for a hotel that isn't locked may change at any moment.
    if (!hotel) rows.delete(text)
    else if (row.stored === undefined && cache.isCurrent(hotelId, hotel)) {
      row.stored = cache.get(hotelId, text)
      row.isCached = row.stored !== undefined
    }
  }
  await readRest(connection, rows)
  const hits = [...rows.values()].filter(({ isCached }) => isCached).length
  telemetry.cacheLookups.inc({ cache: 'blocks', outcome: 'hit' }, hits)
  telemetry.cacheLookups.inc({ cache: 'blocks', outcome: 'miss' }, rows.size - hits)
  return { isLocked: true, hotels, rows, models: new Map(), holds: new OpenHolds(), touched: [] }
}

/** Applies a push; plans it again under the lock if its hotel has changed since its catalog was cached. */
async function recordOf(
  connection: Connection,
  push: ReadyPush,
  {
    hotel,
    group,
    earlier,
  }: { hotel: LockedHotel; group: Group; earlier: readonly (PushRecord | undefined)[] },
  needs: GroupNeeds,
): Promise<PushRecord> {
  const current = isCatalogOf(push.catalog, hotel) ? push : await planAnew(connection, push, needs)
  if (current !== push) {
    addRows(current, group.rows)
    await readRest(connection, group.rows)
  }
  const ready = unlessStale(current, hotel.revision)
  const blocks = blocksOf(hotel.id, group.rows)
  const { undo } = ready
  const nowMs = needs.clock.now()
  if (undo)
    return touching(
      group.touched,
      hotel,
      nowMs,
      await applyUndo(connection, { ...ready, undo }, { ...group, hotel, blocks }, nowMs),
    )
  if (push.release) {
    const released = await releaseHolds(connection, ready, {
      ...group,
      hotel,
      blocks,
      by: push.release.by,
      accountMs: nowMs + ready.catalog.aheadMs,
      read: (keys) => {
        for (const key of keys) addRow({ hotelId: hotel.id, ...key }, group.rows)
        return readRest(connection, group.rows)
      },
    })
    return touching(group.touched, hotel, nowMs, released)
  }
  const guarded =
    ready.catalog.guard &&
    (await readGuarded(connection, ready, { hotel, blocks, holds: group.holds, earlier }))
  const observe =
    ready.body.impact === true ? await observer(connection, ready, { hotel, group }, needs) : undefined
  const applied = await applyPush(ready, hotel, blocks, group.models, { guarded, observe })
  const record = answerPush(ready, applied, hotel.revision)
  const kept = { ...record.kept, before: applied.before }
  return touching(group.touched, hotel, nowMs, { ...record, kept }, () => nightsNamed(ready, applied.results))
}

/** Reads what the impact of a push compares. */
async function observer(
  connection: Connection,
  ready: ReadyPush,
  { hotel, group }: { hotel: LockedHotel; group: Group },
  { readSoldHotel }: GroupNeeds,
): Promise<Observe> {
  const sold = await readSoldHotel(connection, hotel.id)
  for (const key of blocksToCompare({ ready, sold })) addRow({ hotelId: hotel.id, ...key }, group.rows)
  await readRest(connection, group.rows)
  const { revision: baseRevision } = hotel
  return (states, results) => impactOf(states, results, { ready, sold, baseRevision })
}

async function planAnew(connection: Connection, push: ReadyPush, needs: GroupNeeds): Promise<ReadyPush> {
  const catalog = await needs.catalogs.reload(connection, push.catalog)
  if (push.undo) return { ...push, catalog }
  const plan = planPush(push.body, push.problemsByItem, catalog, needs.clock.now())
  const { ariCellsMax } = push.push.caller.limits
  if (plan.cells > ariCellsMax) plan.refused.push(tooManyCells(plan.cells, ariCellsMax))
  return { ...push, catalog, plan }
}

async function writeAndCommit(
  connection: Connection,
  group: Group,
  records: readonly (PushRecord | undefined)[],
  needs: GroupNeeds,
): Promise<WrittenBlock[]> {
  // A connection pooler may have routed this group to a store that was promoted after the connection was
  // opened.
  for (const { storeStamp } of group.hotels.values()) needs.db.epoch.confirm(storeStamp)
  const written: WrittenBlock[] = []
  for (const { key, text, stored, block } of group.rows.values())
    if (block?.dirty) written.push({ key, text, bytes: block.encode(), isStored: stored !== null })
  const kept = records.filter((record) => record !== undefined)
  const nowMs = needs.clock.now()
  const ended = await connection
    .pipelined(() => [
      group.isLocked ? noStatement : beginClaiming(connection, [...group.hotels.values()]),
      writeBlocks(connection, written, nowMs),
      writeVersions(connection, hotelsOf(written, group), 'ari', nowMs),
      writePricingModels(connection, [...group.models.values()]),
      writeHolds(connection, group.holds, nowMs),
      endLiveAnswers(connection, group.touched, nowMs),
      keepPushes(connection, kept, nowMs),
      keepAnswers(connection, kept, nowMs),
      needs.alongside?.(connection, kept) ?? noStatement,
      connection.query('commit'),
    ])
    .catch((error: unknown) => {
      throw commitFailure(error)
    })
  const { command } = ended[9]
  if (command !== 'COMMIT') throw new Error(`a commit group ended with ${command}`)
  return written
}

const noStatement = Promise.resolve()

/** If the claim fails, so does every later statement of the transaction. */
async function beginClaiming(connection: Connection, hotels: readonly LockedHotel[]): Promise<void> {
  await allOf([connection.query('begin'), claimHotels(connection, hotels)])
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

/** Updates the cache with the blocks that are on disk now. */
function remember(
  { hotels, rows, models }: Group,
  written: readonly WrittenBlock[],
  cache: BlockCache,
): void {
  const bytesByText = new Map(written.map(({ text, bytes }) => [text, bytes]))
  const writtenHotels = new Set(written.map(({ key }) => key.hotelId))
  for (const [hotelId, ofHotel] of Map.groupBy(rows.values(), ({ key }) => key.hotelId)) {
    const hotel = hotels.get(hotelId)
    if (!hotel) continue
    const { storeStamp, ariVersion: basedOn } = hotel
    const now = writtenHotels.has(hotelId) ? basedOn + 1 : basedOn
    const changed: [string, StoredBlock][] = []
    for (const { text, stored, isCached } of ofHotel) {
      const bytes = bytesByText.get(text)
      if (bytes || !isCached) changed.push([text, bytes ?? stored ?? null])
    }
    // A change of pricing models raises the catalog's version in the statement itself.
    const hasNewModels = models.values().some((model) => model.hotelId === hotelId)
    const row = hasNewModels ? undefined : { ...hotel, revisionBefore: hotel.revision, ariVersion: now }
    cache.keep(hotelId, { storeStamp, basedOn, now }, changed, row)
  }
}
