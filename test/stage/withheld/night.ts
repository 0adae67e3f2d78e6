import type { Value } from '../models/read-back-nights.ts'
import { isGuest, isPrice, modelOf, pricedFields, type Line, type Model, type Prices } from './lines.ts'

/** The place of a push among those of its key. */
export type Order = { key: number; sequence: number | undefined }

/** A night of a room-rate, or of the room. */
export const keyOf = (rate: string, date: string): string => `${rate}|${date}`

/** Clearing all guest prices is remembered of those that there never were, too. */
const everyGuestPrice = 'every/guest'

/** One night of a room or room-rate without a guard: the rules of sequences and pricing models, from the contract. */
export class Night {
  readonly values: Map<string, Value>
  /** Prices in a former currency: there, but not for sale. */
  readonly former: Set<string>
  readonly #newest: Map<string, number>

  constructor(other?: Night) {
    this.values = new Map(other?.values)
    this.former = new Set(other?.former)
    this.#newest = new Map(other ? other.#newest : [])
  }

  price(field: string): number | undefined {
    const value = this.values.get(field)
    return value === true ? undefined : value
  }

  get prices(): [string, Value][] {
    return [...this.values].filter(([field]) => isPrice(field))
  }

  /** Whether there is a price of another model, in whatever currency. */
  hasOther(model: Model): boolean {
    return [...this.values.keys(), ...this.former].some((field) => isPrice(field) && modelOf(field) !== model)
  }

  /** Whether a newer push of the key has set the field. */
  isOld({ key, sequence }: Order, field: string): boolean {
    if (sequence === undefined) return false
    const names = isGuest(field) ? [field, everyGuestPrice] : [field]
    return names.some((name) => sequence < (this.#newest.get(`${key} ${name}`) ?? -1))
  }

  /** Whether prices that change the model are older than any price there, or any that they set. */
  isOldModel(order: Order, { sets }: Prices): boolean {
    const there = [...this.values.keys(), ...this.former].filter(isPrice)
    return [...there, ...sets.keys()].some((field) => this.isOld(order, field))
  }

  apply({ fields, prices }: Line, order: Order): void {
    for (const [field, value] of fields) this.#set(field, value, order)
    if (!prices) return
    if (prices.model && this.hasOther(prices.model) && this.isOldModel(order, prices)) return
    for (const field of pricedFields(prices)) {
      const amount = prices.sets.get(field) ?? null
      if (prices.sets.has(field) || this.values.has(field) || this.former.has(field))
        this.#set(field, amount, order)
    }
    if (prices.clearsBut) this.#remember(everyGuestPrice, order)
  }

  #set(field: string, value: Value | null, order: Order): void {
    if (this.isOld(order, field)) return
    this.#remember(field, order)
    this.former.delete(field)
    if (value === null) this.values.delete(field)
    else this.values.set(field, value)
  }

  #remember(field: string, { key, sequence }: Order): void {
    const name = `${key} ${field}`
    if (sequence !== undefined && sequence > (this.#newest.get(name) ?? -1)) this.#newest.set(name, sequence)
  }
}
