import type { Block } from '../blocks/block.ts'
import type { SetResult, Stamp } from '../blocks/stamp.ts'
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
  // Where the guard keeps every price of the row away, it sets none: nothing of the other model is cleared either.
  let unpriced = row.pricingModel === undefined ? 0 : priceNights
  let keptAway = 0
  for (const { field, value } of row.sets) {
    const isPrice = isPriceField(field)
    const nights = isPrice ? priceNights : mask
    const isClearing = field === fieldNumber.unitPrice && row.pricingModel === 'guest'
    const result = setField(target, { field, value }, isClearing ? nights & ~unpriced : nights)
    changed |= result.changed
    superseded |= result.superseded
    if (!isPrice) continue
    keptAway |= result.keptAway
    if (value === unset) continue
    unpriced &= result.keptAway
    priced |= nights & ~result.superseded & ~result.keptAway
  }
  if (row.pricingModel !== undefined)
    guard?.replacedModel({ row, month }, otherModel[row.pricingModel], priced, stamp)
  if (row.guestPricesKept) {
    const nights = row.pricingModel === 'unit' ? priceNights & ~unpriced : priceNights
    const cleared = clearGuestPrices(target, nights, { kept: row.guestPricesKept, keptAway })
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
  const allowed =
    allowsModel(target, changing) & ~(guard?.heldSince({ row, month }, isPriceField, changing, stamp) ?? 0)
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

/** `keptAway`: the nights on which the guard withholds the value, or newer pushes of the key hold another. */
type FieldResult = SetResult & { keptAway: NightMask }

function setField(
  { row, month, block, stamp, guard }: Target,
  { field, value }: FieldValue,
  nights: NightMask,
): FieldResult {
  if (!guard) return { ...block.set(field, nights, value, stamp), keptAway: 0 }
  const at = { row, month }
  const held = guard.heldSince(at, (one) => one === field, nights, stamp)
  const allowed = block.allows(field, nights, stamp) & ~held
  const withheld = guard.withhold(at, { field, value }, allowed, block, stamp)
  const applied = allowed & ~withheld
  guard.replaced(at, field, applied, stamp)
  const { changed } = block.set(field, applied, value, stamp)
  return { changed, superseded: nights & ~allowed, keptAway: withheld | held }
}

/**
 * Clears guest prices, and remembers that of all there could be. Not so where the guard keeps one of them away: there,
 * each is cleared by itself.
 */
function clearGuestPrices(
  target: Target,
  nights: NightMask,
  { kept, keptAway }: { kept: ReadonlySet<number>; keptAway: NightMask },
): SetResult {
  const { row, month, block, stamp, guard } = target
  if (!guard) return block.clearGuestPrices(nights, kept, stamp)
  const at = { row, month }
  const isCleared = (field: number): boolean => isGuestPriceField(field) && !kept.has(field)
  const fields = guard.guestPricesOf(row, block).filter(isCleared)
  const freed = row.pricingModel === 'unit' ? 0 : guard.freesInfants(at, fields, nights, block)
  const apart = nights & (keptAway | freed | guard.heldSince(at, isCleared, nights, stamp))
  for (const field of fields) guard.replaced(at, field, block.allows(field, nights & ~apart, stamp), stamp)
  let { changed, superseded } = block.clearGuestPrices(nights & ~apart, kept, stamp)
  for (const field of apart === 0 ? [] : fields) {
    const result = setField(target, { field, value: unset }, apart)
    changed |= result.changed
    superseded |= block.nightsWithValue(field, result.superseded)
  }
  return { changed, superseded }
}
