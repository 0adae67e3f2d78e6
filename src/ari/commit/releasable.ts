import { firstDay, type DayNumber } from '../../base/calendar.ts'
import { guestsMaxOf } from '../../products/store.ts'
import { unset } from '../blocks/block-codec.ts'
import type { Block, Blocks } from '../blocks/block.ts'
import { nightsWhere, type NightMask } from '../blocks/month.ts'
import { packBlockKey, type LockedHotel } from '../blocks/store.ts'
import type { HotelCatalog } from '../catalog/catalog.ts'
import { guestBucket, isGuestPriceField, isPriceField, modelOf } from '../fields.ts'
import { nightsHeldWhole, type HeldPart } from '../guard/held-parts.ts'
import type { SkippedCells } from '../guard/holds-contract.ts'
import type { Hold } from '../guard/open-holds.ts'
import { otherModel } from '../item-contract.ts'

type SkipReason = SkippedCells['reason']
/** Nights of a part that are not released. */
export type Skipped = { hold: Hold; part: HeldPart; nights: NightMask; reason: SkipReason }

type Present = { catalog: HotelCatalog; hotel: LockedHotel; today: DayNumber }

/**
 * The parts of a hold, each with its nights that can still be set; adds the others to `skipped`. Where the prices of a
 * night are held as one thing, they are released together or not at all.
 */
export function releasableParts(
  hold: Hold,
  blocks: Blocks,
  present: Present,
  skipped: Skipped[],
): Map<HeldPart, NightMask> {
  const nightsOf = new Map<HeldPart, NightMask>()
  for (const [, parts] of Map.groupBy(hold.parts, packBlockKey)) {
    const whole = nightsHeldWhole(parts)
    const wholeBy = new Map<SkipReason, NightMask>()
    for (const part of parts) {
      const block = blocks.of(part.roomNo, part.rateNo, part.month)
      const nights = releasable({ hold, part, parts, block }, present, (reason, left) => {
        if (left === 0) return
        skipped.push({ hold, part, nights: left, reason })
        if (isPriceField(part.field)) wholeBy.set(reason, (wholeBy.get(reason) ?? 0) | (left & whole))
      })
      nightsOf.set(part, nights)
    }
    for (const part of parts)
      for (const [reason, left] of isPriceField(part.field) ? wholeBy : []) {
        const nights = nightsOf.get(part) ?? 0
        if ((nights & left) !== 0) skipped.push({ hold, part, nights: nights & left, reason })
        nightsOf.set(part, nights & ~left)
      }
  }
  return nightsOf
}

type Releasable = { hold: Hold; part: HeldPart; parts: readonly HeldPart[]; block: Block }

/** The nights of a part that can still be set. `parts`: what the hold has of the block. */
function releasable(
  { hold, part, parts, block }: Releasable,
  { catalog, hotel, today }: Present,
  skip: (reason: SkipReason, nights: NightMask) => void,
): NightMask {
  const { field, month, mask, value } = part
  const isPrice = isPriceField(field)
  const none = (reason: SkipReason): NightMask => {
    skip(reason, mask)
    return 0
  }
  if (isPrice && hold.currencyRevision !== hotel.currencyRevision) return none('currency')
  // What is cleared need not be sold.
  if (!(isPrice && value === unset) && !isSold(part, catalog)) return none('product')
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
    (isPrice && value !== unset ? othersPriced(part, parts, block, mask & ~past) : 0)
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

/** The nights with a price of the other model that the hold would not clear. */
function othersPriced(
  { field }: HeldPart,
  parts: readonly HeldPart[],
  block: Block,
  nights: NightMask,
): NightMask {
  const other = otherModel[modelOf(field)]
  let found = 0
  for (const one of block.fields()) {
    if (!isPriceField(one) || modelOf(one) !== other) continue
    let cleared = 0
    for (const part of parts) if (part.field === one) cleared |= part.mask
    found |= block.nightsWithValue(one, nights & ~cleared)
  }
  return found
}
