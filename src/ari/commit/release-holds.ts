import { answer } from '../../http/calls/mount.ts'
import { Rejected } from '../../http/rejected.ts'
import type { Queryable } from '../../postgres/postgres.ts'
import type { PushRecord } from '../../push-log/keep/keep.ts'
import { noteModels } from './apply.ts'
import { releasableParts, type Skipped } from './releasable.ts'
import { listedSkipped } from './skipped-nights.ts'
import { BeforeValues } from '../blocks/before-values.ts'
import type { Block, Blocks } from '../blocks/block.ts'
import type { SetResult, Stamp } from '../blocks/stamp.ts'
import { unset } from '../blocks/block-codec.ts'
import { fieldNumber, isPriceField, modelOf } from '../fields.ts'
import { countNights, type NightMask } from '../blocks/month.ts'
import type { ReadyPush, RowChange } from '../judge/plan.ts'
import type { BlockKey, LockedHotel, ModelChange } from '../blocks/store.ts'
import { guardErrors, guardLimits } from '../guard/contract.ts'
import type { HoldEnder } from '../guard/holds-contract.ts'
import type { HeldPart } from '../guard/held-parts.ts'
import { lockHolds, lockOpenHolds } from '../guard/hold-store.ts'
import type { Hold, OpenHolds } from '../guard/open-holds.ts'
import { holdIdOf, readHoldId } from '../guard/hold-id.ts'

type Releasing = {
  hotel: LockedHotel
  blocks: Blocks
  models: Map<string, ModelChange>
  holds: OpenHolds
  by: HoldEnder
  /** The time of the account. */
  accountMs: number
  read: (keys: readonly Omit<BlockKey, 'hotelId'>[]) => Promise<void>
}

/**
 * Applies what is held, as a push with a revision of its own. The hotel is locked. Left out are nights that are past,
 * whose value is no longer the one of then, or whose product or currency changed.
 */
export async function releaseHolds(
  connection: Queryable,
  { catalog, push, plan, release }: ReadyPush,
  releasing: Releasing,
): Promise<PushRecord> {
  const { hotel, blocks, models, by } = releasing
  const { holds, hasMore } = await openHolds(connection, release?.holdIds, releasing)
  await releasing.read(holds.flatMap(({ parts }) => parts))
  const before = new BeforeValues()
  const priced: Pick<RowChange, 'roomNo' | 'rateNo' | 'pricingModel'>[] = []
  const skipped: Skipped[] = []
  const released = holds.map((hold) => {
    const stamp: Stamp = {
      revision: hotel.revision + 1,
      sequence: hold.sequence ?? undefined,
      keyId: hold.keyId,
      currencyRevision: hotel.currencyRevision,
      before,
    }
    const nightsByBlock = new Map<Block, NightMask>()
    const nightsOf = releasableParts(hold, blocks, { catalog, hotel, today: plan.today ?? 0 }, skipped)
    for (const [part, nights] of nightsOf) {
      const block = blocks.of(part.roomNo, part.rateNo, part.month)
      before.at(part, part.month)
      const result = applyPart(block, part, nights, stamp)
      if (result.superseded !== 0) skipped.push({ hold, part, nights: result.superseded, reason: 'changed' })
      nightsByBlock.set(block, (nightsByBlock.get(block) ?? 0) | result.changed)
      if (part.value !== unset && isPriceField(part.field) && (nights & ~result.superseded) !== 0)
        priced.push({ ...part, pricingModel: modelOf(part.field) })
    }
    releasing.holds.close(hold, 'released', by)
    let cellsChanged = 0
    for (const changed of nightsByBlock.values()) cellsChanged += countNights(changed)
    return { hold, cellsChanged }
  })
  const cellsChanged = released.reduce((sum, one) => sum + one.cellsChanged, 0)
  let encoded: Buffer | undefined
  if (cellsChanged > 0) {
    hotel.revision++
    noteModels(catalog, priced, models)
    encoded = before.encode(hotel.revision, hotel.cellsRevision)
    hotel.cellsRevision = hotel.revision
  }
  const isPartial = skipped.length > 0
  const listed = listedSkipped(skipped, catalog)
  const body = {
    code: isPartial ? '207' : '200',
    message: isPartial ? 'Holds partially released' : 'Holds released successfully',
    hotelId: catalog.hotelCode,
    revision: hotel.revision,
    requestId: push.requestId,
    cellsChanged,
    holds: released.map(({ hold, cellsChanged: changed }) => ({
      holdId: holdIdOf(hold.id),
      cellsChanged: changed,
    })),
    ...listed,
    ...(hasMore ? { hasMore } : {}),
  }
  const outcome = isPartial ? 'partial' : cellsChanged > 0 ? 'applied' : 'unchanged'
  const { hotelId, hotelCode } = catalog
  return {
    push,
    kept: { hotelId, hotelCode, revision: hotel.revision, cellsChanged, outcome, before: encoded },
    answer: answer(isPartial ? 207 : 200, body),
  }
}

async function openHolds(
  connection: Queryable,
  ids: readonly string[] | undefined,
  { hotel, holds, accountMs }: Releasing,
): Promise<{ holds: Hold[]; hasMore: boolean }> {
  if (ids === undefined) {
    const all = await lockOpenHolds(connection, hotel.id, accountMs)
    const taken = all.slice(0, guardLimits.holdsPerRequestMax)
    for (const hold of taken) holds.read(hold)
    return { holds: taken, hasMore: all.length > taken.length }
  }
  const uuids = ids.map((id) => readHoldId(id))
  const known = uuids.filter((id) => id !== undefined)
  for (const hold of await lockHolds(connection, hotel.id, known)) holds.read(hold)
  const named = uuids.map((id, index) => {
    const hold = id === undefined ? undefined : holds.get(id)
    if (!hold)
      throw new Rejected(404, { ...guardErrors.holdNotFound, path: `/holdIds/${index}`, value: ids[index] })
    const isOver = hold.onExpiry === 'discard' && hold.expiresAtMs <= accountMs
    if (hold.state === 'open' && !isOver) return hold
    throw notOpen(hold.state === 'open' ? 'expired' : hold.state, ids[index], index)
  })
  return { holds: [...new Set(named)], hasMore: false }
}

export function notOpen(state: Hold['state'], value: string | undefined, index: number): Rejected {
  const message = `The hold is ${state}`
  return new Rejected(409, { ...guardErrors.holdNotOpen, message, path: `/holdIds/${index}`, value })
}

/** As a push of it would: a price takes those of the other model away. */
function applyPart(block: Block, part: HeldPart, nights: NightMask, stamp: Stamp): SetResult {
  const { field, value } = part
  const result = block.set(field, nights, value, stamp)
  if (value === unset || !isPriceField(field)) return result
  const applied = nights & ~result.superseded
  const cleared =
    modelOf(field) === 'unit'
      ? block.clearGuestPrices(applied, none, stamp)
      : block.set(fieldNumber.unitPrice, applied, unset, stamp)
  return { changed: result.changed | cleared.changed, superseded: result.superseded }
}

const none: ReadonlySet<number> = new Set()
