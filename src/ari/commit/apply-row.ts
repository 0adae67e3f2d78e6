import type { Block, SetResult, Stamp } from '../blocks/block.ts'
import { unset } from '../blocks/block-codec.ts'
import type { MonthNights, NightMask } from '../blocks/month.ts'
import { fieldNumber, isGuestPriceField, isPriceField, type FieldValue } from '../fields.ts'
import type { PushGuard } from '../guard/push-guard.ts'
import { otherModel } from '../item-contract.ts'
import type { RowChange } from '../judge/plan.ts'

/** A month to which a row of a push is applied. */
type Target = { row: RowChange; month: number; block: Block; stamp: Stamp; guard: PushGuard | undefined }

/** `priced`: the nights on which a price was set. */
export type RowResult = SetResult & { priced: NightMask }

/**
 * Applies a row to a month: each field by itself, unless the row sets prices on nights that have prices of the other
 * model. Those nights' prices are one thing: the new ones come and all old ones go, or they stay as they are, where a
 * newer sequence or the guard demands it.
 */
export function applyRow(
  row: RowChange,
  { month, mask }: MonthNights,
  block: Block,
  stamp: Stamp,
  guard: PushGuard | undefined,
): RowResult {
  const target: Target = { row, month, block, stamp, guard }
  const whole = leftWhole(target, mask)
  const priceNights = mask & ~whole.superseded & ~whole.withheld
  let changed = 0
  let { superseded } = whole
  let priced = 0
  // Where the guard withholds every price of the row, it sets none: nothing of the other model is cleared either.
  let unpriced = row.pricingModel === undefined ? 0 : priceNights
  for (const { field, value } of row.sets) {
    const isPrice = isPriceField(field)
    const nights = isPrice ? priceNights : mask
    const isClearing = field === fieldNumber.unitPrice && row.pricingModel === 'guest'
    const result = setField(target, { field, value }, isClearing ? nights & ~unpriced : nights)
    changed |= result.changed
    superseded |= result.superseded
    if (!isPrice || value === unset) continue
    unpriced &= result.withheld
    priced |= nights & ~result.superseded & ~result.withheld
  }
  if (row.guestPricesKept) {
    const cleared = clearGuestPrices(target, priceNights & ~unpriced, row.guestPricesKept)
    changed |= cleared.changed
    superseded |= cleared.superseded
  }
  return { changed, superseded, priced }
}

/** The nights whose prices are left as they are, all of them. */
function leftWhole(target: Target, mask: NightMask): { superseded: NightMask; withheld: NightMask } {
  const { row, month, block, stamp, guard } = target
  let superseded = guard?.heldWholeSince({ row, month }, mask, stamp) ?? 0
  if (row.pricingModel === undefined) return { superseded, withheld: 0 }
  const changing = block.nightsPriced(otherModel[row.pricingModel], mask & ~superseded)
  if (changing === 0) return { superseded, withheld: 0 }
  const allowed = allowsModel(target, changing)
  superseded |= changing & ~allowed
  return { superseded, withheld: guard?.withholdModel({ row, month }, allowed, block, stamp) ?? 0 }
}

/** The nights on which no price, stored or of the row, has a newer sequence. */
function allowsModel({ row, block, stamp }: Target, nights: NightMask): NightMask {
  if (stamp.sequence === undefined) return nights
  let allowed = nights
  const allow = (field: number, concerned: NightMask) =>
    (allowed &= block.allows(field, concerned, stamp) | ~concerned)
  for (const { field } of row.sets) if (isPriceField(field)) allow(field, allowed)
  if (row.pricingModel === 'unit')
    for (const field of block.fields())
      if (isGuestPriceField(field)) allow(field, block.nightsWithValue(field, allowed))
  return allowed
}

type FieldResult = SetResult & { withheld: NightMask }

function setField(
  { row, month, block, stamp, guard }: Target,
  { field, value }: FieldValue,
  nights: NightMask,
): FieldResult {
  if (!guard) return { ...block.set(field, nights, value, stamp), withheld: 0 }
  const at = { row, month }
  const allowed = block.allows(field, nights, stamp) & ~guard.heldSince(at, field, nights, stamp)
  const withheld = guard.withhold(at, { field, value }, allowed, block, stamp)
  const applied = allowed & ~withheld
  guard.replaced(at, field, applied, stamp)
  const { changed } = block.set(field, applied, value, stamp)
  return { changed, superseded: nights & ~allowed, withheld }
}

function clearGuestPrices(
  { row, month, block, stamp, guard }: Target,
  nights: NightMask,
  kept: ReadonlySet<number>,
): SetResult {
  if (!guard) return block.clearGuestPrices(nights, kept, stamp)
  const at = { row, month }
  const newer = (field: number) => guard.heldSince(at, field, nights, stamp)
  const cleared = block.clearGuestPrices(nights, kept, stamp, newer)
  guard.replacedGuestPrices(at, kept, nights & ~cleared.superseded, stamp)
  return cleared
}
