import { firstDay, monthOf, weekdayOf, type DayNumber } from '../../base/calendar.ts'
import type { Block, Blocks } from '../blocks/block.ts'
import { unset } from '../blocks/block-codec.ts'
import { isInfantPriceField } from '../fields.ts'
import { daysAheadMax } from '../item-contract.ts'
import type { RowChange } from '../judge/plan.ts'
import { learnBounds, type WeekBounds } from './rules/learned.ts'
import type { Guard, LearnedBound } from './rules/rules.ts'

/** The prices of a month from today on, without those in a former currency. */
export function futurePrices(
  block: Block,
  field: number,
  { month, today, currencyRevision }: { month: number; today: DayNumber; currencyRevision: number },
): { day: DayNumber; price: number }[] {
  const values = block.values(field)
  if (!values) return []
  const revisions = currencyRevision > 0 ? block.revisions(field) : undefined
  const first = firstDay(month)
  return values.flatMap((price, night) => {
    const isFormer = revisions !== undefined && (revisions[night] ?? unset) <= currencyRevision
    return price === unset || isFormer || first + night < today ? [] : [{ day: first + night, price }]
  })
}

/** The months whose prices teach bounds. */
function learningMonths(today: DayNumber): { from: number; to: number } {
  return { from: monthOf(today), to: monthOf(today + daysAheadMax) }
}

/** The months of a row with a price, or without one for infants, that must be read to learn its bounds. */
export function monthsToLearn(
  { rateNo, pricingModel, sets, guestPricesKept }: RowChange,
  { learned }: Guard,
  today: DayNumber | undefined,
): number[] {
  const mayFree = guestPricesKept !== undefined || sets.some(({ field }) => isInfantPriceField(field))
  if (!learned || rateNo === 0 || today === undefined || (pricingModel === undefined && !mayFree)) return []
  const { from, to } = learningMonths(today)
  return Array.from({ length: to - from + 1 }, (_, index) => from + index)
}

type Learning = { stored: Blocks; today: DayNumber; currencyRevision: number }

/** The bounds that a push is judged by, each learned when it is first needed. */
export class BoundsToJudgeBy {
  readonly #learning: Learning
  readonly #byPrice = new Map<string, WeekBounds | undefined>()

  constructor(learning: Learning) {
    this.#learning = learning
  }

  on(row: RowChange, field: number, day: DayNumber): LearnedBound | undefined {
    const key = `${row.roomNo}/${row.rateNo}/${field}`
    if (!this.#byPrice.has(key)) this.#byPrice.set(key, this.#learn(row, field))
    return this.#byPrice.get(key)?.byWeekday[weekdayOf(day)]
  }

  #learn({ roomNo, rateNo }: RowChange, field: number): WeekBounds | undefined {
    const { stored, today, currencyRevision } = this.#learning
    const { from, to } = learningMonths(today)
    const prices: { day: DayNumber; price: number }[] = []
    for (let month = from; month <= to; month++) {
      const block = stored.of(roomNo, rateNo, month)
      prices.push(...futurePrices(block, field, { month, today, currencyRevision }))
    }
    return learnBounds(prices)
  }
}
