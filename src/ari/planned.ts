import type { Problem } from '../http/rejected.ts'
import type { FieldValue } from './fields.ts'
import type { PricingModel } from './item-contract.ts'
import type { MonthNights } from './month.ts'

/** What one item or rate line does to one row (a room, or a room-rate) over its nights. */
export type RowChange = {
  roomNo: number
  /** 0: the room itself. */
  rateNo: number
  months: readonly MonthNights[]
  sets: readonly FieldValue[]
  /** Clears every guest price but these; absent: none is touched beyond `sets`. */
  guestPricesKept: ReadonlySet<number> | undefined
  /** The pricing model that the room-rate has from now on, where the push sets a price. */
  pricingModel: PricingModel | undefined
}

/** An item's changes, and what keeps it, or some of its rate lines, from being applied. */
export type PlannedItem = {
  rows: RowChange[]
  /** Those that the answer may list. */
  problems: Problem[]
  /** How many there are beside: they are counted, and never spelled out. */
  unlisted: number
  /** Whether anything is wrong but unknown rooms and rates. */
  breaksRule: boolean
  warnings: Problem[]
}

/** How many problems may still be spelled out. The items of a push share it: one answer lists no more. */
export type Listing = { room: number }

/** Takes down that something is wrong with the item; `spell` is asked for it only where it may be listed. */
export function found(planned: PlannedItem, listing: Listing, spell: () => Problem): void {
  planned.breaksRule = true
  foundUnknown(planned, listing, spell)
}

/** The same for a room or a rate that is unknown. */
export function foundUnknown(planned: PlannedItem, listing: Listing, spell: () => Problem): void {
  if (listing.room === 0) {
    planned.unlisted++
    return
  }
  listing.room--
  planned.problems.push(spell())
}

export function problemsIn({ problems, unlisted }: PlannedItem): number {
  return problems.length + unlisted
}
