import type { Value } from '../models/read-back-nights.ts'
import { addDays, type PushSent } from '../models/naive-ari.ts'
import {
  adults,
  isOfInfants,
  isPrice,
  isSupplement,
  itemsOf,
  linesOf,
  modelOf,
  parties,
  pricedFields,
  pricesWithout,
  type Line,
  type Party,
  type Prices,
} from './lines.ts'
import { lineOfPart, NaiveHolds, type Part } from './holds.ts'
import { keyOf, Night, type Order } from './night.ts'
import { judgeOpened, judgePrice, judgeUnits, mayBeHeld, openedBy, opens, strictest } from './rules.ts'
import type { Action, Compared, Settings } from './rules.ts'

/**
 * A guarded hotel as the guide describes it, night by night: which parts of a push are withheld, and what is held. It
 * stores only what a hotel without a guard would if the withheld parts had never been sent.
 */

type Ended = { price: number; atMs: number; place: number }

/** One push in progress. */
type Pass = {
  push: number
  order: Order
  nowMs: number
  /** All that it says. */
  lines: readonly Line[]
  stored: ReadonlyMap<string, Night>
  opening: Action | undefined
  /** Of an atomic push, a part of which is withheld: so is the rest. */
  whole: Action | undefined
  withheld: Action[]
  /** Changes of a night's model that are withheld because of what other items say of it. */
  sharedChanges: number
}

const supplements = ['child/1', 'child/2', 'infant/1', 'infant/2', 'infant/3']

/** Infants without a price are free. */
function priceOf(
  { adults: count, children, infants }: Party,
  price: (guest: string) => number | undefined,
): number | undefined {
  const parts = [
    price(`adult/${count}`),
    children === 0 ? 0 : price(`child/${children}`),
    infants === 0 ? 0 : (price(`infant/${infants}`) ?? 0),
  ]
  let total = 0
  for (const part of parts) {
    if (part === undefined) return undefined
    total += part
  }
  return total
}

const dayMs = 86_400_000
const hourMs = 3_600_000
const none = new Night()

export class NaiveGuard {
  #settings: Settings
  /** Of the settings: amounts are in the currency that the hotel had then. */
  #eraOfSettings = 0
  #nights = new Map<string, Night>()
  readonly holds = new NaiveHolds()
  /** Prices that ended, by night and field. */
  readonly #ended = new Map<string, Ended>()
  #place = 0
  /** Rises with every change of currency. */
  #era = 0
  /** Since the last reading. */
  #isOtherCurrency = false
  /** Below it, a price doesn't cover the taxes that it includes. */
  readonly #floorOn: (date: string) => number

  constructor(settings: Settings, floorOn: (date: string) => number) {
    this.#settings = settings
    this.#floorOn = floorOn
  }

  get settings(): Settings {
    return this.#settings
  }

  set settings(settings: Settings) {
    this.#settings = settings
    this.#eraOfSettings = this.#era
  }

  /** Carries a push out. `ari`: the items without the withheld parts; undefined: nothing is withheld. */
  push(sent: PushSent, order: Order, number: number, nowMs: number) {
    const items = linesOf(sent)
    const lines = items.flat()
    const stored = this.#copyOfNights()
    const opening = judgeOpened(this.settings.rules, openedBy(lines, stored))
    const pass: Pass = {
      push: number,
      order,
      nowMs,
      lines,
      stored,
      opening,
      whole: undefined,
      withheld: [],
      sharedChanges: 0,
    }
    if (sent.atomic === true) {
      const held = this.holds.parts
      this.#carryOut(items, pass)
      this.#nights = new Map(stored)
      this.holds.parts = held
    }
    const whole = strictest(pass.withheld)
    const last = { ...pass, stored: this.#copyOfNights(), whole, sharedChanges: 0 }
    const remaining = this.#carryOut(items, last)
    return { ari: remaining && remaining.flatMap(itemsOf), sharedChanges: last.sharedChanges }
  }

  #copyOfNights(): Map<string, Night> {
    return new Map([...this.#nights].map(([key, night]) => [key, new Night(night)]))
  }

  #carryOut(items: readonly Line[][], pass: Pass): Line[] | undefined {
    const carried = items.flat().map((line) => {
      const rest = this.#withoutWithheld(line, pass)
      this.#nightOf(line).apply(rest, pass.order)
      return { rest, isWhole: rest.fields.size === line.fields.size && rest.prices === line.prices }
    })
    return carried.every(({ isWhole }) => isWhole) ? undefined : carried.map(({ rest }) => rest)
  }

  #nightOf({ rate, date }: Pick<Line, 'rate' | 'date'>): Night {
    const key = keyOf(rate, date)
    const night = this.#nights.get(key) ?? new Night()
    this.#nights.set(key, night)
    return night
  }

  #withoutWithheld(line: Line, pass: Pass): Line {
    const fields = [...line.fields].filter(([field, value]) => this.#passes(line, field, value, pass))
    return {
      ...line,
      fields: new Map(fields),
      prices: line.prices && this.#passingPrices(line, line.prices, pass),
    }
  }

  /** Whether a value gets past what is held and the rules. */
  #passes(line: Line, field: string, value: Value | null, pass: Pass): boolean {
    if (this.holds.newer(line, pass.order).some((part) => part.field === field)) return false
    const night = this.#nightOf(line)
    if (night.isOld(pass.order, field)) return true
    const isClosure =
      value === null && isPrice(field) && !this.#cheapestBeside(field, this.#pricesAfter(line, pass))
    const action =
      !isClosure && mayBeHeld(field, night.values.get(field), value)
        ? strictest([this.#judge(line, field, value, pass), this.#wholeOf(line, field, value, pass)])
        : undefined
    if (!action) {
      this.holds.end(line, pass.order, [field])
      return true
    }
    pass.withheld.push(action)
    if (action === 'reject') return false
    // A price takes those of the other model away.
    const replaced = isPrice(field)
      ? (one: string) => one === field || (isPrice(one) && modelOf(one) !== modelOf(field))
      : (one: string) => one === field
    this.holds.end(line, pass.order, replaced)
    const before = new Map([...night.values].filter(([name]) => name === field))
    this.#hold(line, pass, { field, sets: new Map(value === null ? [] : [[field, value]]), before })
    return false
  }

  #passingPrices(line: Line, prices: Prices, pass: Pass): Prices | undefined {
    const { model } = prices
    const newer = this.holds
      .newer(line, pass.order)
      .filter(({ field }) => field === undefined || isPrice(field))
    if (
      newer.some(
        ({ field, sets }) => field === undefined || (model && sets.size > 0 && modelOf(field) !== model),
      )
    )
      return undefined
    const night = this.#nightOf(line)
    if (model && night.hasOther(model)) {
      if (night.isOldModel(pass.order, prices)) return prices
      return newer.length > 0 ? undefined : this.#passingModel(line, prices, pass)
    }
    const left = new Set<string>()
    for (const [field, amount] of prices.sets)
      if (amount !== null && !this.#passes(line, field, amount, pass)) left.add(field)
    const set = [...prices.sets].filter(([field, amount]) => amount !== null && !left.has(field))
    const setsAny = set.length > 0
    if (model && set.some(([field]) => !night.isOld(pass.order, field)))
      this.holds.end(line, pass.order, (field) => isPrice(field) && modelOf(field) !== model)
    for (const field of pricedFields(prices)) {
      if ((prices.sets.get(field) ?? null) !== null) continue
      // Without a new price, the other model's stays.
      if (model && !setsAny && modelOf(field) !== model) continue
      if (!this.#passes(line, field, null, pass)) left.add(field)
    }
    return pricesWithout(prices, left)
  }

  /** Prices that change the model are one thing, with those of the same model in other items. */
  #passingModel(line: Line, prices: Prices, pass: Pass): Prices | undefined {
    const night = this.#nightOf(line)
    const { model, clearsBut } = prices
    const isOfNight = ({ rate, date }: { rate: string; date: string }): boolean =>
      rate === line.rate && date === line.date
    const ofItems = pass.lines.filter((one) => isOfNight(one) && one.prices?.model === model)
    const own = this.#judgeAll(line, [...prices.sets], pass)
    const action = strictest(
      ofItems.map((one) =>
        this.#judgeAll(
          one,
          [...(one.prices?.sets ?? [])].filter(([field]) => !night.isOld(pass.order, field)),
          pass,
        ),
      ),
    )
    if (!action) {
      this.holds.end(line, pass.order, pricedFields(prices))
      return prices
    }
    if (action !== own) pass.sharedChanges++
    pass.withheld.push(action)
    if (action === 'hold') {
      const before = this.holds.parts.find(
        (part) => part.push === pass.push && isOfNight(part) && part.field === undefined,
      )
      this.holds.end(line, pass.order, isPrice)
      // What items before set in the model is held on, unless this one sets or clears it.
      const kept =
        clearsBut === undefined
          ? [...(before?.sets ?? [])].filter(([field]) => modelOf(field) === model && !prices.sets.has(field))
          : []
      const sets = new Map(
        [...prices.sets].flatMap(([field, value]) => (value === null ? [] : [[field, value] as const])),
      )
      this.#hold(line, pass, {
        field: undefined,
        sets: new Map<string, Value>([...kept, ...sets]),
        before: new Map(night.prices),
      })
    }
    return undefined
  }

  #judgeAll(line: Line, sets: readonly (readonly [string, number | null])[], pass: Pass): Action | undefined {
    return strictest(
      sets.flatMap(([field, value]) =>
        value === null
          ? []
          : [this.#judge(line, field, value, pass), this.#wholeOf(line, field, value, pass)],
      ),
    )
  }

  /** A price that doesn't cover its taxes closes the night, and closures are never held. */
  #closes(line: Line, field: string, value: Value | null, pass: Pass): boolean {
    // In another currency the taxes are unknown.
    if (this.#era !== 0 || !isPrice(field)) return false
    const beside = isSupplement(field) ? this.#cheapestBeside(field, this.#pricesAfter(line, pass)) : 0
    return beside !== undefined && beside + Number(value ?? 0) < this.#floorOn(line.date)
  }

  #wholeOf(line: Line, field: string, value: Value | null, pass: Pass): Action | undefined {
    return this.#closes(line, field, value, pass) ? undefined : pass.whole
  }

  #judge(line: Line, field: string, value: Value | null, pass: Pass): Action | undefined {
    if (this.#closes(line, field, value, pass)) return undefined
    const hasLapsed = this.#era !== this.#eraOfSettings
    const rules = this.settings.rules.filter(({ amount }) => !hasLapsed || amount === undefined)
    const stored = pass.stored.get(keyOf(line.rate, line.date)) ?? none
    if (isPrice(field)) {
      const compared =
        value === null
          ? [{ price: stored.price(field) ?? 0, isLast: false, to: 0 }]
          : this.#comparedWith(line, field, Number(value), pass)
      return strictest(compared.map((one) => judgePrice(rules, field, one, Number(value ?? 0))))
    }
    const before = stored.values.get(field)
    return strictest([
      opens(field, before, value) ? pass.opening : undefined,
      field === 'inventory' ? judgeUnits(rules, before, Number(value)) : undefined,
    ])
  }

  /** The party's price before the push, in whatever model, or else its last one. */
  #comparedWith(line: Line, field: string, to: number, pass: Pass): Compared[] {
    const stored = pass.stored.get(keyOf(line.rate, line.date)) ?? none
    const own = stored.price(field)
    if (own !== undefined && (own > 0 || !isSupplement(field))) return [{ price: own, isLast: false, to }]
    const last = (fields: string[]): Compared => {
      const ended = this.#lastOf(line, fields, pass)
      return ended && { price: ended.price, isLast: true, to }
    }
    if (isSupplement(field)) return this.#supplementComparedWith(line, field, to, pass)
    if (field !== 'unit') {
      const price = stored.price('unit')
      return [price === undefined ? last(['unit', field]) : { price, isLast: false, to }]
    }
    const alone = adults.map((adult): Compared => {
      const price = stored.price(adult)
      return price === undefined ? last(['unit', adult]) : { price, isLast: false, to }
    })
    const paid = (guest: string): number | undefined => {
      const ended = adults.includes(guest)
        ? this.#lastOf(line, ['unit', guest], pass)
        : this.#lastOf(line, [guest], pass)
      return stored.price(guest) ?? (ended?.field === guest ? ended.price : undefined)
    }
    const withOthers = parties
      .filter(({ children, infants }) => children + infants > 0)
      .flatMap((party): Compared[] => {
        const price = priceOf(party, paid)
        return price === undefined ? [] : [{ price, isLast: true, to }]
      })
    const isAnyPaid = supplements.some((guest) => (paid(guest) ?? 0) > 0)
    return isAnyPaid ? [...alone, ...withOthers] : alone
  }

  /** A price for children or infants who stayed free, or who had none. */
  #supplementComparedWith(line: Line, field: string, to: number, pass: Pass): Compared[] {
    const stored = pass.stored.get(keyOf(line.rate, line.date)) ?? none
    const after = this.#pricesAfter(line, pass)
    /** What parties with these guests would pay at most. */
    const dearest = (): number | undefined => {
      const totals = parties
        .filter(({ children, infants }) => [`child/${children}`, `infant/${infants}`].includes(field))
        .flatMap((party) => priceOf(party, (guest) => (guest === field ? to : after(guest))) ?? [])
      return totals.length === 0 ? undefined : Math.max(...totals)
    }
    const against = (price: number, isLast: boolean, total: number | undefined): Compared[] =>
      total === undefined ? [undefined] : [{ price, isLast, to: total }]
    const unit = stored.price('unit')
    if (unit !== undefined) return against(unit, false, dearest())
    const own = stored.price(field)
    const cheapest =
      own === 0 || isOfInfants(field)
        ? this.#cheapestBeside(field, (guest) => stored.price(guest))
        : undefined
    const free = cheapest === undefined ? [] : against(cheapest, false, cheapest + to)
    if (own !== undefined) return free.length > 0 ? free : [undefined]
    const last = this.#lastOf(line, ['unit', field], pass)
    if (last?.field === field) return [{ price: last.price, isLast: true, to }, ...free]
    if (free.length > 0) return free
    return last ? against(last.price, true, dearest()) : [undefined]
  }

  /** The adults with whom such guests can stay, at the lowest price. */
  #cheapestBeside(field: string, price: (guest: string) => number | undefined): number | undefined {
    const totals = parties
      .filter(({ children, infants }) => [`child/${children}`, `infant/${infants}`].includes(field))
      .flatMap((party) => price(`adult/${party.adults}`) ?? [])
    return totals.length === 0 ? undefined : Math.min(...totals)
  }

  /** What the push would leave of a night's prices by guests. */
  #pricesAfter({ rate, date }: Line, pass: Pass): (guest: string) => number | undefined {
    const stored = pass.stored.get(keyOf(rate, date)) ?? none
    const said = pass.lines
      .flatMap((one) => (one.rate === rate && one.date === date && one.prices ? [one.prices] : []))
      .filter(({ model }) => model !== 'unit')
      .toReversed()
    return (guest) => {
      if (stored.isOld(pass.order, guest)) return stored.price(guest)
      const last = said.find(({ sets, clearsBut }) => sets.has(guest) || clearsBut?.has(guest) === false)
      return last ? (last.sets.get(guest) ?? undefined) : stored.price(guest)
    }
  }

  /** The last of the prices that ended within a day. */
  #lastOf({ rate, date }: Line, fields: string[], { nowMs }: Pass) {
    const ended = fields
      .flatMap((field) => {
        const one = this.#ended.get(`${keyOf(rate, date)}|${field}`)
        return one && nowMs - one.atMs <= dayMs ? [{ ...one, field }] : []
      })
      .sort((one, other) => other.place - one.place)
    return ended[0]
  }

  #hold({ rate, date }: Line, pass: Pass, held: Pick<Part, 'field' | 'sets' | 'before'>): void {
    const { expiryHours, onExpiry } = this.settings
    const { push, order, nowMs } = pass
    const expiresAtMs = nowMs + expiryHours * hourMs
    this.holds.add({ push, order, rate, date, expiresAtMs, onExpiry, era: this.#era, ...held })
  }

  /** Releases what is held of a push. Returns the push that says the same, without what can't be set any more. */
  release(push: number, today: string): { order: Order; ari: PushSent['ari'] } | undefined {
    const parts = this.holds.parts.filter((part) => part.push === push)
    this.holds.giveUp(push)
    const [first] = parts
    const lines = parts.filter((part) => this.#isReleasable(part, today)).map(lineOfPart)
    for (const line of lines) if (first) this.#nightOf(line).apply(line, first.order)
    return first && lines.length > 0 ? { order: first.order, ari: lines.flatMap(itemsOf) } : undefined
  }

  #isReleasable({ rate, date, field, sets, before, era }: Part, today: string): boolean {
    if (date < addDays(today, -1)) return false
    const night = this.#nightOf({ rate, date })
    if (field !== undefined && !isPrice(field)) return night.values.get(field) === before.get(field)
    if (era !== this.#era) return false
    if (field !== undefined)
      return night.values.get(field) === before.get(field) && !night.hasOther(modelOf(field))
    const names = [...before.keys(), ...sets.keys(), ...night.prices.map(([name]) => name)]
    return names.every((name) => night.values.get(name) === before.get(name))
  }

  /** All prices are former ones then, with which none is compared. */
  changeCurrency(): void {
    this.#era++
    this.#ended.clear()
    this.#isOtherCurrency = true
    for (const night of this.#nights.values())
      for (const [field] of night.prices) {
        night.values.delete(field)
        night.former.add(field)
      }
  }

  /** What is stored, as `room-rate|date` to the values. */
  read(from: string): Map<string, ReadonlyMap<string, Value>> {
    return new Map(
      [...this.#nights]
        .filter(([key, { values }]) => values.size > 0 && key.slice(-10) >= from)
        .map(([key, { values }]) => [key, values]),
    )
  }

  /** Takes what was read as what is stored, and notes the prices that ended. `previous`: what was read before. */
  adopt(
    read: ReadonlyMap<string, ReadonlyMap<string, Value>>,
    previous: ReadonlyMap<string, ReadonlyMap<string, Value>>,
    { from, nowMs }: { from: string; nowMs: number },
  ): void {
    const place = ++this.#place
    for (const key of new Set([...read.keys(), ...previous.keys(), ...this.#nights.keys()])) {
      if (key.slice(-10) < from) continue
      const [now, then] = [read.get(key), previous.get(key)]
      for (const [field, price] of then ?? [])
        if (isPrice(field) && !now?.has(field) && !this.#isOtherCurrency)
          this.#ended.set(`${key}|${field}`, { price: Number(price), atMs: nowMs, place })
      for (const field of now?.keys() ?? []) this.#ended.delete(`${key}|${field}`)
      const [rate = '', date = ''] = key.split('|')
      const night = this.#nightOf({ rate, date })
      night.values.clear()
      for (const [field, value] of now ?? []) {
        night.values.set(field, value)
        night.former.delete(field)
      }
    }
    this.#isOtherCurrency = false
  }
}
