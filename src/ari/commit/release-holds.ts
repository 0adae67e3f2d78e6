import { firstDay, formatNight, type DayNumber } from '../../base/calendar.ts'
import { answer } from '../../http/calls/mount.ts'
import { Rejected } from '../../http/rejected.ts'
import type { Queryable } from '../../postgres/postgres.ts'
import { guestsMaxOf } from '../../products/store.ts'
import type { PushRecord } from '../../push-log/keep/keep.ts'
import { noteModels } from './apply.ts'
import { BeforeValues } from '../blocks/before-values.ts'
import type { Block, Blocks, NightMask, Stamp } from '../blocks/block.ts'
import { unset } from '../blocks/block-codec.ts'
import type { HotelCatalog } from '../catalog/catalog.ts'
import { fieldNumber, guestBucket, isGuestPriceField, isPriceField } from '../fields.ts'
import { countNights, nightsWhere } from '../blocks/month.ts'
import type { ReadyPush, RowChange } from '../judge/plan.ts'
import { historyFieldOf } from '../history/replaced-values.ts'
import { namesOf } from '../catalog/row-names.ts'
import type { BlockKey, LockedHotel, ModelChange } from '../blocks/store.ts'
import { guardErrors, guardLimits } from '../guard/contract.ts'
import type { HoldEnder, SkippedCells } from '../guard/holds-contract.ts'
import type { HeldPart } from '../guard/hold-codec.ts'
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

type SkipReason = SkippedCells['reason']
type Skipped = { hold: Hold; part: HeldPart; nights: NightMask; reason: SkipReason }

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
    for (const part of hold.parts) {
      const block = blocks.of(part.roomNo, part.rateNo, part.month)
      const skip = (reason: SkipReason, nights: NightMask) => {
        if (nights !== 0) skipped.push({ hold, part, nights, reason })
      }
      const nights = releasable({ hold, part, block }, { catalog, hotel, today: plan.today ?? 0 }, skip)
      before.at(part, part.month)
      const result = block.set(part.field, nights, part.value, stamp)
      skip('changed', result.superseded)
      nightsByBlock.set(block, (nightsByBlock.get(block) ?? 0) | result.changed)
      if (isPriceField(part.field) && (nights & ~result.superseded) !== 0)
        priced.push({ ...part, pricingModel: isGuestPriceField(part.field) ? 'guest' : 'unit' })
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

/** The nights of a part that can still be set. */
function releasable(
  { hold, part, block }: { hold: Hold; part: HeldPart; block: Block },
  { catalog, hotel, today }: { catalog: HotelCatalog; hotel: LockedHotel; today: DayNumber },
  skip: (reason: SkipReason, nights: NightMask) => void,
): NightMask {
  const { field, month, mask } = part
  const isPrice = isPriceField(field)
  const none = (reason: SkipReason): NightMask => {
    skip(reason, mask)
    return 0
  }
  if (isPrice && hold.currencyRevision !== hotel.currencyRevision) return none('currency')
  if (!isSold(part, catalog)) return none('product')
  const first = firstDay(month)
  const past = nightsWhere(mask, (night) => first + night < today - 1)
  skip('past', past)
  const values = block.values(field)
  const revisions = isPrice && hotel.currencyRevision > 0 ? block.revisions(field) : undefined
  const present = (night: number): number => {
    const isFormer = revisions !== undefined && (revisions[night] ?? unset) <= hotel.currencyRevision
    return isFormer ? unset : (values?.[night] ?? unset)
  }
  const then = new Map<number, number>()
  nightsWhere(mask, (night) => then.set(night, part.before[then.size] ?? unset).size > 0)
  const changed =
    nightsWhere(mask & ~past, (night) => present(night) !== then.get(night)) |
    (isPrice ? otherModel(block, field, mask & ~past) : 0)
  skip('changed', changed)
  return mask & ~past & ~changed
}

function isSold({ roomNo, rateNo, field }: HeldPart, { productOf }: HotelCatalog): boolean {
  if (rateNo === 0) return true
  const product = productOf(roomNo, rateNo)
  if (!product?.isAvailable) return false
  if (!isGuestPriceField(field)) return true
  const { ageCategory, guests } = guestBucket(field)
  return guests <= guestsMaxOf(product)[ageCategory]
}

/** The nights with a price of the other model. */
function otherModel(block: Block, field: number, nights: NightMask): NightMask {
  if (isGuestPriceField(field)) return block.nightsWithValue(fieldNumber.unitPrice, nights)
  let found = 0
  for (const other of block.fields())
    if (isGuestPriceField(other)) found |= block.nightsWithValue(other, nights)
  return found
}

/** In ranges of nights. */
function listedSkipped(skipped: readonly Skipped[], catalog: HotelCatalog) {
  const names = namesOf(catalog)
  const listed: SkippedCells[] = []
  let more = 0
  for (const { hold, part, nights, reason } of skipped) {
    const first = firstDay(part.month)
    let from: DayNumber | undefined
    for (let night = 0; night <= 31; night++) {
      const isSkipped = night < 31 && ((nights >>> night) & 1) === 1
      if (isSkipped) from ??= first + night
      if (isSkipped || from === undefined) continue
      if (listed.length < guardLimits.skippedListedMax)
        listed.push({
          holdId: holdIdOf(hold.id),
          roomId: names.roomCode(part.roomNo),
          rateId: part.rateNo === 0 ? null : names.rateCode(part.rateNo),
          startDate: formatNight(from),
          endDate: formatNight(first + night - 1),
          field: historyFieldOf(part.field),
          ...(isGuestPriceField(part.field) ? guestBucket(part.field) : {}),
          reason,
        })
      else more++
      from = undefined
    }
  }
  return { skipped: listed, ...(more > 0 ? { moreSkipped: more } : {}) }
}
