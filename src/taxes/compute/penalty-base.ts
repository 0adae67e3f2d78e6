import type { TaxEntry } from '../room-rate-taxes.ts'
import type { PricedNight, TaxLine } from './amounts.ts'
import { taxesByNight } from './nights.ts'
import type { StayPlan } from './stay-plan.ts'

/**
 * A room's price as penalties are taken of it, in minor units: with its taxes, but without those that are owed
 * for nights slept.
 */
export type PenaltyBase = {
  /** The full stay. */
  stay: number
  /** Each night by itself, without what is charged once a stay. */
  nights: readonly number[]
}

/** Computes nights on demand: most penalties are of the full stay. */
export class RoomPenaltyBase implements PenaltyBase {
  readonly stay: number
  readonly #plan: StayPlan
  readonly #priced: readonly PricedNight[]
  readonly #lines: readonly TaxLine[]
  readonly #isSmall: boolean
  #nights: readonly number[] | undefined

  constructor(plan: StayPlan, priced: readonly PricedNight[], lines: readonly TaxLine[], isSmall: boolean) {
    let stay = 0
    for (const { price } of priced) stay += price
    for (const [index, entry] of plan.entries.entries()) {
      const amount = lines[index]?.amount ?? 0
      if (entry.included && entry.isForNightsSlept) stay -= amount
      if (entry.isAdded && !entry.isForNightsSlept) stay += amount
    }
    this.stay = stay
    this.#plan = plan
    this.#priced = priced
    this.#lines = lines
    this.#isSmall = isSmall
  }

  get nights(): readonly number[] {
    this.#nights ??= this.#byNight()
    return this.#nights
  }

  #byNight(): number[] {
    const taxes = (counts: (entry: TaxEntry) => boolean): number[] | undefined =>
      taxesByNight(this.#plan, this.#priced, this.#lines, this.#isSmall, counts)
    const off = taxes((entry) => entry.included && !isOfNight(entry))
    const on = taxes((entry) => entry.isAdded && isOfNight(entry))
    return this.#priced.map(({ price }, index) => price - (off?.[index] ?? 0) + (on?.[index] ?? 0))
  }
}

/** Whether a night that isn't slept in is charged with the tax. */
function isOfNight({ isForNightsSlept, isPercent, isPerStay }: TaxEntry): boolean {
  return !isForNightsSlept && (isPercent || !isPerStay)
}
