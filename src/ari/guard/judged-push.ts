import { firstDay, monthOf, weekdayOf, type DayNumber } from '../../base/calendar.ts'
import { guestsMaxOf } from '../../products/store.ts'
import { unset } from '../blocks/block-codec.ts'
import type { Block, Blocks, NightMask } from '../blocks/block.ts'
import type { HotelCatalog } from '../catalog/catalog.ts'
import { fieldNumber, isPriceField } from '../fields.ts'
import { daysAheadMax } from '../item-contract.ts'
import { countNights, nightsWhere } from '../blocks/month.ts'
import type { PlannedItem, RowChange } from '../judge/plan.ts'
import { futurePrices } from './future-prices.ts'
import { learnBounds, type WeekBounds } from './learned.ts'
import {
  closes,
  judgeInventory,
  judgeMass,
  judgePrice,
  mayBeHeld,
  opens,
  type Guard,
  type LearnedBound,
  type Verdict,
} from './rules/rules.ts'

/** Judges the values of one push by what is stored. */

export type JudgingContext = {
  guard: Guard
  catalog: HotelCatalog
  /** Before the push. */
  stored: Blocks
  currencyRevision: number
  today: DayNumber
}

/** The months whose prices teach bounds. */
function learningMonths(today: DayNumber): { from: number; to: number } {
  return { from: monthOf(today), to: monthOf(today + daysAheadMax) }
}

/** A rule about a whole push that it breaks, and the first item that does. */
export type MassVerdict = { verdict: Verdict & { bound: number }; item: number; nights: number }

export class PushJudge {
  readonly #context: JudgingContext
  readonly massOpen: MassVerdict | undefined
  readonly massClose: MassVerdict | undefined
  /** Of an atomic push, a part of which is held or rejected: so is the rest. */
  whole: Verdict | undefined
  readonly #boundsByPrice = new Map<string, WeekBounds | undefined>()

  constructor(context: JudgingContext, items: readonly PlannedItem[]) {
    this.#context = context
    const { massOpen, massClose } = context.guard
    if (massOpen.length > 0) this.massOpen = this.#mass('massOpen', items)
    if (massClose.length > 0) this.massClose = this.#mass('massClose', items)
  }

  #mass(reason: 'massOpen' | 'massClose', items: readonly PlannedItem[]): MassVerdict | undefined {
    const { guard, stored } = this.#context
    const isCounted = reason === 'massOpen' ? opens : closes
    const nightsByBlock = new Map<Block, NightMask>()
    let first: number | undefined
    for (const [index, { rows }] of items.entries())
      for (const { row, month, mask } of rows.flatMap(monthsOf)) {
        const block = stored.of(row.roomNo, row.rateNo, month)
        const counted = countedNights(row, mask, block, isCounted)
        if (counted === 0) continue
        first ??= index
        nightsByBlock.set(block, (nightsByBlock.get(block) ?? 0) | counted)
      }
    let nights = 0
    for (const counted of nightsByBlock.values()) nights += countNights(counted)
    const verdict = judgeMass(reason, guard[reason], nights)
    return verdict && first !== undefined ? { verdict, item: first, nights } : undefined
  }

  /** Whether any rule could judge a set of this field. */
  concerns(field: number, value: number): boolean {
    if (this.whole) return true
    const { guard } = this.#context
    if (isPriceField(field)) return value !== unset && (guard.prices.length > 0 || guard.learned)
    if (field === fieldNumber.inventory)
      return value > 0 && (guard.jumps.length > 0 || this.massOpen !== undefined)
    return field === fieldNumber.closed && value === unset && this.massOpen !== undefined
  }

  /** The value that a block has on the night; `unset` for a price in a former currency. */
  before(field: number, night: number, block: Block): number {
    const value = block.values(field)?.[night] ?? unset
    const { currencyRevision } = this.#context
    if (currencyRevision === 0 || value === unset || !isPriceField(field)) return value
    return (block.revisions(field)?.[night] ?? unset) <= currencyRevision ? unset : value
  }

  /**
   * `before`: what the items before left on the night; a held value leaves it there. The rules compare the value with
   * what was stored before the push: a price that is cleared and set again is a changed price.
   */
  verdict(
    row: RowChange,
    { month, field, value }: { month: number; field: number; value: number },
    night: number,
    before: number,
  ): Verdict | undefined {
    if (!mayBeHeld(field, before, value)) return undefined
    return (
      this.#own(row, { month, field, value }, night) ??
      this.#wholeUnless(row, field, value, firstDay(month) + night)
    )
  }

  #own(
    row: RowChange,
    { month, field, value }: { month: number; field: number; value: number },
    night: number,
  ): Verdict | undefined {
    const { guard, stored } = this.#context
    const before = this.before(field, night, stored.of(row.roomNo, row.rateNo, month))
    if (isPriceField(field)) {
      const day = firstDay(month) + night
      const bounds = guard.learned ? this.#boundsOn(row, field, day) : undefined
      const verdict = judgePrice(guard, field, before, value, bounds)
      if (!verdict || verdict.action === 'warn') return this.whole ? undefined : verdict
      return this.#closes(row, value, day) ? undefined : verdict
    }
    const opening = opens(field, before, value) ? this.massOpen?.verdict : undefined
    const jump = field === fieldNumber.inventory ? judgeInventory(guard.jumps, before, value) : undefined
    // What a rule about the whole push only warns of, is warned of once.
    const own = opening && opening.action !== 'warn' ? opening : jump
    return own?.action === 'warn' && this.whole ? undefined : own
  }

  #wholeUnless(row: RowChange, field: number, value: number, day: DayNumber): Verdict | undefined {
    return this.whole && isPriceField(field) && this.#closes(row, value, day) ? undefined : this.whole
  }

  /**
   * A price below the taxes that it includes can't be sold: it closes the night to a party, if only to the largest
   * that pays taxes, and closures are never held.
   */
  #closes({ roomNo, rateNo }: RowChange, value: number, day: DayNumber): boolean {
    const { priceFloor, productOf } = this.#context.catalog
    const product = priceFloor && productOf(roomNo, rateNo)
    if (!product) return false
    const { adult, child } = guestsMaxOf(product)
    return value < priceFloor.on(day, roomNo, rateNo, Math.min(product.maxOccupancy, adult + child))
  }

  #boundsOn(row: RowChange, field: number, day: DayNumber): LearnedBound | undefined {
    const key = `${row.roomNo}/${row.rateNo}/${field}`
    if (!this.#boundsByPrice.has(key)) this.#boundsByPrice.set(key, this.#learn(row, field))
    return this.#boundsByPrice.get(key)?.byWeekday[weekdayOf(day)]
  }

  #learn({ roomNo, rateNo }: RowChange, field: number): WeekBounds | undefined {
    const { stored, today, currencyRevision } = this.#context
    const { from, to } = learningMonths(today)
    const prices: { day: DayNumber; price: number }[] = []
    for (let month = from; month <= to; month++) {
      const block = stored.of(roomNo, rateNo, month)
      prices.push(...futurePrices(block, field, { month, today, currencyRevision }))
    }
    return learnBounds(prices)
  }
}

function monthsOf(row: RowChange) {
  return row.months.map(({ month, mask }) => ({ row, month, mask }))
}

function countedNights(
  { sets }: RowChange,
  mask: NightMask,
  block: Block,
  isCounted: typeof opens,
): NightMask {
  let counted = 0
  for (const { field, value } of sets) {
    if (field !== fieldNumber.closed && field !== fieldNumber.inventory) continue
    const values = block.values(field)
    counted |= nightsWhere(mask, (night) => isCounted(field, values?.[night] ?? unset, value))
  }
  return counted
}

/** The months of a row with a price that must be read to learn its bounds. */
export function monthsToLearn(
  { rateNo, pricingModel }: RowChange,
  { learned }: Guard,
  today: DayNumber | undefined,
): number[] {
  if (!learned || rateNo === 0 || pricingModel === undefined || today === undefined) return []
  const { from, to } = learningMonths(today)
  return Array.from({ length: to - from + 1 }, (_, index) => from + index)
}
