/**
 * The meaning of ARI pushes, implemented a second time: from the contract, night by night, without any code
 * of src/. Slow and plain on purpose; the proof compares the service with it.
 */

import { limitKept, limitNames, switchNames } from './naive-restrictions.ts'

export const digitsByCurrency: Readonly<Record<string, number>> = { JPY: 0, USD: 2, EUR: 2, KWD: 3 }
const categories = ['adult', 'child', 'infant'] as const
export type Category = (typeof categories)[number]
const weekdayNames = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT']

export type Amount = number | string | null
export type PriceSent = { guests?: number; ageCategory?: Category; amount: Amount }
type Restrictions = { [Name in (typeof limitNames)[number]]?: number | string | null } & {
  [Name in (typeof switchNames)[number]]?: boolean | null
}
export type LineSent = Restrictions & {
  rateId?: string
  inventory?: number | null | undefined
  pricingModel?: string
  prices?: PriceSent[] | null
  price?: Amount
  amount?: Amount
  guests?: number
  ageCategory?: Category
}
export type ItemSent = LineSent & {
  roomId: string
  date?: string
  startDate?: string
  endDate?: string
  daysOfWeek?: string[]
  rates?: LineSent[]
}
export type PushSent = {
  hotelId: string
  pricingModel?: string
  currency?: string
  mode?: 'delta' | 'overlay'
  atomic?: boolean
  dryRun?: boolean
  sequence?: number
  ari: ItemSent[]
}

export type ProductSent = {
  roomId: string
  rateId: string
  isAvailable: boolean
  occupancy: { maxOccupancy: number; maxAdult?: number; maxChild?: number; maxInfant?: number }
}

export type ItemTold = { status: string; cellsChanged: number; hasErrors: boolean; isWithheld: boolean }
export type Told = { status: number; revision?: number; items?: ItemTold[] }

/** A value as text; a price knows its currency, and is `former` once the hotel has another. */
type Held = { value: string; currency?: string; former: boolean }
/**
 * One night of a room, or of a room-rate: immutable, so that a change can be undone by restoring the old one.
 */
type Cell = { held: ReadonlyMap<string, Held>; newest: ReadonlyMap<string, number> }
const emptyCell: Cell = { held: new Map(), newest: new Map() }

type Cause = 'shape' | 'unknown' | 'rule'
type Row = {
  room: string
  /** '' for the room itself. */
  rate: string
  nights: string[]
  sets: Map<string, string | null>
  /** Guest prices not named here are cleared. */
  clearsGuestsBut: ReadonlySet<string> | undefined
  /** The model of a price that is set, which replaces prices of the other model. */
  model: 'unit' | 'guest' | undefined
}
type Understood = { causes: Cause[]; rows: Row[] }

/**
 * The expected answer to an operation, and a function that carries it out; `make` returns a function that
 * undoes it.
 */
export type Judged = { told: Told; make: () => () => void }

const everyGuestPrice = 'every guest price'
const isGuestPrice = (field: string): boolean => field.includes('/')

export class NaiveHotel {
  revision = 0
  currency: string
  timeZone: string
  taxes = ''
  products = new Map<string, ProductSent>()
  cells = new Map<string, Cell>()

  constructor(currency: string, timeZone: string) {
    this.currency = currency
    this.timeZone = timeZone
  }

  judgePush(push: PushSent, keyName: string, nowMs: number): Judged {
    const wholeWrong = push.pricingModel !== undefined && !isModel(push.pricingModel)
    if (wholeWrong || lacksModel(push)) return { told: { status: 400 }, make: () => () => {} }
    const today = dateIn(this.timeZone, nowMs)
    const understood = push.ari.map((item) => this.#understand(item, push, today))
    const isOtherCurrency = push.currency !== undefined && push.currency !== this.currency
    const causes = [...(isOtherCurrency ? ['rule'] : []), ...understood.flatMap((item) => item.causes)]
    const isRefused = isOtherCurrency || (push.atomic === true && causes.length > 0)
    const changed = new Map<string, Cell>()
    const applied = understood.map((item): ItemTold => {
      if (isRefused) return { status: 'rejected', cellsChanged: 0, hasErrors: true, isWithheld: false }
      return this.#applyItem(item, { push, keyName, changed })
    })
    // A push whose items together leave everything as it was counts as unchanged, whatever the items did on
    // the way.
    const isUndone = [...changed].every(([key, cell]) => holdsSame(cell, this.cells.get(key) ?? emptyCell))
    const items = isUndone ? applied.map(asUndone) : applied
    const areAllRejected = items.every(({ status }) => status === 'rejected')
    const isPartial = items.some(({ status }) => status === 'rejected' || status === 'partial')
    const isChanging =
      !isRefused && push.dryRun !== true && items.some(({ cellsChanged }) => cellsChanged > 0)
    const refusedStatus = causes.every((cause) => cause === 'unknown') ? 404 : 400
    return {
      told: {
        status: areAllRejected ? refusedStatus : isPartial ? 207 : 200,
        revision: this.revision + (isChanging ? 1 : 0),
        items,
      },
      make: () => {
        if (isRefused || push.dryRun === true) return () => {}
        const undoCells = this.#putCells(changed)
        if (isChanging) this.revision++
        return () => {
          undoCells()
          if (isChanging) this.revision--
        }
      },
    }
  }

  judgeProducts(products: readonly ProductSent[]): Judged {
    const saved = new Map(this.products)
    for (const product of products) saved.set(`${product.roomId}|${product.rateId}`, product)
    const isChanging = products.some(
      (product) =>
        JSON.stringify(this.products.get(`${product.roomId}|${product.rateId}`)) !== JSON.stringify(product),
    )
    return this.#judgeWhole(isChanging, { products: saved })
  }

  judgeTaxes(taxes: string): Judged {
    return this.#judgeWhole(this.taxes !== taxes, { taxes })
  }

  judgeHotel(currency: string, timeZone: string): Judged {
    const isOther = currency !== this.currency
    const cells = isOther ? new Map([...this.cells].map(([key, cell]) => [key, outdated(cell)])) : this.cells
    return this.#judgeWhole(isOther || timeZone !== this.timeZone, { currency, timeZone, cells })
  }

  #judgeWhole(
    isChanging: boolean,
    next: Partial<Pick<NaiveHotel, 'products' | 'taxes' | 'currency' | 'timeZone' | 'cells'>>,
  ): Judged {
    const revision = this.revision + (isChanging ? 1 : 0)
    return {
      told: { status: 200, revision },
      make: () => {
        const { products, taxes, currency, timeZone, cells, revision: before } = this
        Object.assign(this, { ...next, revision })
        return () => Object.assign(this, { products, taxes, currency, timeZone, cells, revision: before })
      },
    }
  }

  /**
   * The stored values, `room|rate|date` to `field=value` in ascending order of name; either with all prices,
   * or without those of former currencies and those for more guests than the product takes.
   */
  read(from: string, to: string, prices: 'sellable' | 'stored'): Map<string, string> {
    const read = new Map<string, string>()
    for (const [key, { held }] of this.cells) {
      const date = key.slice(-10)
      if (date < from || date > to) continue
      const members = [...held]
        .filter(([field, { former }]) => prices === 'stored' || !(former || this.#isBeyond(key, field)))
        .map(([field, { value }]) => `${field}=${value}`)
      if (members.length > 0) read.set(key, members.sort().join(' '))
    }
    return read
  }

  #isBeyond(key: string, field: string): boolean {
    const product = this.products.get(key.slice(0, -11))
    const [category, guests] = field.split('/')
    return product !== undefined && guests !== undefined && Number(guests) > mostOf(product, category)
  }

  /** The currency in which each stored price of a night was pushed. */
  currencyAt(key: string, field: string): string {
    return this.cells.get(key)?.held.get(field)?.currency ?? this.currency
  }

  #understand(item: ItemSent, push: PushSent, today: string): Understood {
    const own = shapeCauses(item)
    for (const date of [item.date, item.startDate, item.endDate]) {
      if (date !== undefined && !isDate(date)) own.push('shape')
    }
    // There may be more faults, but one such cause decides the status.
    if (own.length > 0) return { causes: own, rows: [] }

    const { causes, nights } = nightsOf(item, today)
    if (!this.#isKnown(item.roomId, 'room')) causes.push('unknown')
    if (item.rates !== undefined && item.rateId !== undefined) causes.push('rule')
    else if (item.rateId === undefined && saysSomethingOfARate(item)) causes.push('rule')
    const isItemWrong = causes.length > 0

    const rows: Row[] = []
    const sets = new Map<string, string | null>()
    if (item.inventory !== undefined)
      sets.set('inventory', item.inventory === null ? null : unitsOf(item.inventory))
    if (item.closed !== undefined && item.rateId === undefined)
      sets.set('closed', item.closed === true ? 'true' : null)
    if (sets.size > 0)
      rows.push({ room: item.roomId, rate: '', nights, sets, clearsGuestsBut: undefined, model: undefined })
    const context = { item, push, nights }
    if (item.rateId !== undefined)
      this.#understandLine({ ...item, inventory: undefined }, context, causes, rows)
    const named = new Set<string>()
    for (const line of item.rates ?? []) {
      const wrong = shapeCauses(line)
      if (named.has(line.rateId ?? '')) wrong.push('rule')
      named.add(line.rateId ?? '')
      causes.push(...wrong)
      if (wrong.length === 0) this.#understandLine(line, context, causes, rows)
    }
    return { causes, rows: isItemWrong ? [] : rows }
  }

  #isKnown(code: string, kind: 'room' | 'rate'): boolean {
    return [...this.products.values()].some(({ roomId, rateId }) =>
      kind === 'room' ? roomId === code : rateId === code,
    )
  }

  #understandLine(
    line: LineSent,
    { item, push, nights }: { item: ItemSent; push: PushSent; nights: string[] },
    causes: Cause[],
    rows: Row[],
  ): void {
    const rate = line.rateId ?? ''
    const product = this.products.get(`${item.roomId}|${rate}`)
    // Whether an unknown room is sold at the rate can't be determined.
    if (!product && (this.#isKnown(item.roomId, 'room') || !this.#isKnown(rate, 'rate')))
      causes.push('unknown')
    const model = line.pricingModel ?? item.pricingModel ?? push.pricingModel
    const priced = pricesOf(line, model, product, digitsByCurrency[this.currency] ?? 2)
    if (priced === 'wrong') causes.push('rule')
    if (!product || priced === 'wrong') return
    const sets = new Map<string, string | null>()
    if (line.inventory !== undefined)
      sets.set('inventory', line.inventory === null ? null : unitsOf(line.inventory))
    for (const name of switchNames)
      if (line[name] !== undefined) sets.set(name, line[name] === true ? 'true' : null)
    for (const name of limitNames) {
      const value = line[name]
      if (value !== undefined) sets.set(name, limitKept(name, value) ?? null)
    }
    for (const [field, value] of priced.sets) sets.set(field, value)
    const isOverlay = push.mode === 'overlay'
    if (isOverlay) {
      for (const field of ['inventory', 'unit', ...switchNames, ...limitNames])
        if (!sets.has(field)) sets.set(field, null)
    }
    if (sets.size === 0) return
    const clearsGuestsBut = isOverlay || priced.clearsGuests ? new Set(priced.sets.keys()) : undefined
    rows.push({ room: item.roomId, rate, nights, sets, clearsGuestsBut, model: priced.model })
  }

  #applyItem(
    { causes, rows }: Understood,
    context: { push: PushSent; keyName: string; changed: Map<string, Cell> },
  ): ItemTold {
    let cellsChanged = 0
    let isWithheld = false
    for (const row of rows) {
      for (const night of row.nights) {
        const key = `${row.room}|${row.rate}|${night}`
        const before = context.changed.get(key) ?? this.cells.get(key) ?? emptyCell
        const outcome = applyToNight(before, row, { ...context, currency: this.currency })
        context.changed.set(key, outcome.cell)
        if (outcome.isChanged) cellsChanged++
        isWithheld ||= outcome.isWithheld
      }
    }
    const hasErrors = causes.length > 0
    const accepted = cellsChanged > 0 ? 'applied' : isWithheld ? 'superseded' : 'unchanged'
    return {
      status: hasErrors ? (rows.length > 0 ? 'partial' : 'rejected') : accepted,
      cellsChanged,
      hasErrors,
      isWithheld,
    }
  }

  #putCells(changed: ReadonlyMap<string, Cell>): () => void {
    const before = [...changed.keys()].map((key) => [key, this.cells.get(key)] as const)
    for (const [key, cell] of changed) this.cells.set(key, cell)
    return () => {
      for (const [key, cell] of before) {
        if (cell) this.cells.set(key, cell)
        else this.cells.delete(key)
      }
    }
  }
}

function asUndone(item: ItemTold): ItemTold {
  const status = item.status === 'applied' ? (item.isWithheld ? 'superseded' : 'unchanged') : item.status
  return { ...item, status, cellsChanged: 0 }
}

function holdsSame(one: Cell, other: Cell): boolean {
  if (one.held.size !== other.held.size) return false
  return [...one.held].every(([field, { value, former }]) => {
    const before = other.held.get(field)
    return before !== undefined && before.value === value && before.former === former
  })
}

function outdated(cell: Cell): Cell {
  const held = [...cell.held].map(
    ([field, value]) => [field, value.currency === undefined ? value : { ...value, former: true }] as const,
  )
  return { ...cell, held: new Map(held) }
}

/** Applies one row's line to one night: each field independently, but a change of the pricing model as one. */
function applyToNight(
  before: Cell,
  row: Row,
  { push: { sequence }, keyName, currency }: { push: PushSent; keyName: string; currency: string },
): { cell: Cell; isChanged: boolean; isWithheld: boolean } {
  const held = new Map(before.held)
  const newest = new Map(before.newest)
  let isChanged = false
  let isWithheld = false
  const memory = (field: string): string => `${keyName}: ${field}`
  const isOld = (field: string): boolean => {
    if (sequence === undefined) return false
    const known = [field, ...(isGuestPrice(field) ? [everyGuestPrice] : [])].map(
      (name) => newest.get(memory(name)) ?? -1,
    )
    return known.some((other) => sequence < other)
  }
  /** false when a newer sequence protects the present value. */
  const set = (field: string, value: string | null): boolean => {
    if (isOld(field)) return false
    if (sequence !== undefined) newest.set(memory(field), sequence)
    const now = held.get(field)
    if (value === null) {
      if (held.delete(field)) isChanged = true
    } else if (now?.value !== value || now.former) {
      const isPrice = field === 'unit' || isGuestPrice(field)
      held.set(field, { value, former: false, ...(isPrice ? { currency } : {}) })
      isChanged = true
    }
    return true
  }
  const isPriced = (field: string): boolean => field === 'unit' || isGuestPrice(field)
  // Where the model would change, all prices of the night count as one: the newest of them decides.
  const ofOther = [...held.keys()].filter((field) =>
    row.model === 'guest' ? field === 'unit' : row.model === 'unit' && isGuestPrice(field),
  )
  const prices = [...ofOther, ...[...row.sets.keys()].filter(isPriced)]
  const isBarred = ofOther.length > 0 && prices.some(isOld)
  const kept = isBarred ? undefined : row.clearsGuestsBut
  if (kept) {
    for (const field of held.keys()) {
      if (isGuestPrice(field) && !kept.has(field) && !set(field, null)) isWithheld = true
    }
  }
  for (const [field, value] of row.sets) {
    if ((isBarred && isPriced(field)) || !set(field, value)) isWithheld = true
  }
  if (kept && sequence !== undefined && sequence > (newest.get(memory(everyGuestPrice)) ?? -1)) {
    newest.set(memory(everyGuestPrice), sequence)
  }
  return { cell: { held, newest }, isChanged, isWithheld }
}

function isModel(model: string): boolean {
  return model === 'unit' || model === 'guest'
}

function saysPrice(line: LineSent): boolean {
  return line.prices !== undefined || line.price !== undefined || line.amount !== undefined
}

/** Members that are meaningless without a rate. */
function saysSomethingOfARate(item: ItemSent): boolean {
  const { closedToArrival, closedToDeparture } = item
  return (
    saysPrice(item) ||
    [closedToArrival, closedToDeparture, ...limitNames.map((name) => item[name])].some(
      (value) => value !== undefined,
    )
  )
}

/** A price was sent without any indication of its model. */
function lacksModel(push: PushSent): boolean {
  if (push.pricingModel !== undefined) return false
  return push.ari
    .filter((item) => item.pricingModel === undefined)
    .some(
      (item) =>
        saysPrice(item) ||
        (item.rates ?? []).some((line) => line.pricingModel === undefined && saysPrice(line)),
    )
}

/** Problems with a line's values that don't depend on the hotel. */
function shapeCauses(line: Omit<LineSent, 'rateId'>): Cause[] {
  const isCount = (value: unknown, most: number): boolean =>
    value === undefined ||
    value === null ||
    (Number.isInteger(value) && Number(value) >= 0 && Number(value) <= most)
  const amounts = [line.price, line.amount, ...(line.prices ?? []).map(({ amount }) => amount)]
  const guests = [line.guests, ...(line.prices ?? []).map((price) => price.guests)]
  const isWrong =
    !isCount(
      line.inventory === undefined || line.inventory === null ? null : Math.max(0, line.inventory),
      99_999,
    ) ||
    limitNames.some((name) => !isCount(line[name], 999)) ||
    guests.some((count) => count !== undefined && !(Number.isInteger(count) && count >= 1 && count <= 99)) ||
    amounts.some((amount) => typeof amount === 'string' && !/^-?(?:0|[1-9]\d*)(?:\.\d+)?$/.test(amount)) ||
    (line.pricingModel !== undefined && !isModel(line.pricingModel))
  return isWrong ? ['shape'] : []
}

/** Below zero there are none. */
function unitsOf(inventory: number): string {
  return String(Math.max(0, inventory))
}

type Priced = { sets: Map<string, string | null>; clearsGuests: boolean; model: 'unit' | 'guest' | undefined }

function pricesOf(
  line: LineSent,
  model: string | undefined,
  product: ProductSent | undefined,
  digits: number,
): Priced | 'wrong' {
  const { prices, price, amount, guests, ageCategory } = line
  const written = [prices, price, amount].filter((value) => value !== undefined)
  if (written.length > 1) return 'wrong'
  if (written.length === 0) return { sets: new Map(), clearsGuests: false, model: undefined }
  const single = price === undefined ? amount : price
  const [only, ...others] = prices ?? []
  const isSoleNull =
    only?.amount === null &&
    others.length === 0 &&
    only.guests === undefined &&
    only.ageCategory === undefined
  const clearsAll =
    prices === null || isSoleNull || (single === null && guests === undefined && ageCategory === undefined)
  if (clearsAll) return { sets: new Map([['unit', null]]), clearsGuests: true, model: undefined }
  const bucket = {
    ...(guests === undefined ? {} : { guests }),
    ...(ageCategory === undefined ? {} : { ageCategory }),
  }
  const lines: PriceSent[] = prices ?? (single === undefined ? [] : [{ ...bucket, amount: single }])
  const sets = new Map<string, string | null>()
  for (const sent of lines) {
    const field = model === 'unit' ? 'unit' : guestField(sent, product)
    const value = amountOf(sent, model, digits)
    if (field === undefined || value === undefined || sets.has(field)) return 'wrong'
    sets.set(field, value)
  }
  if ([...sets.values()].every((value) => value === null))
    return { sets, clearsGuests: false, model: undefined }
  if (model === 'unit') return { sets, clearsGuests: true, model }
  return { sets: sets.set('unit', null), clearsGuests: false, model: 'guest' }
}

function guestField(
  { guests, ageCategory }: PriceSent,
  product: ProductSent | undefined,
): string | undefined {
  if (guests === undefined || ageCategory === undefined) return undefined
  return !product || guests <= mostOf(product, ageCategory) ? `${ageCategory}/${guests}` : undefined
}

function mostOf({ occupancy }: ProductSent, category: string | undefined): number {
  const {
    maxOccupancy,
    maxAdult = maxOccupancy,
    maxChild = maxOccupancy,
    maxInfant = maxOccupancy,
  } = occupancy
  const own = category === 'adult' ? maxAdult : category === 'child' ? maxChild : maxInfant
  return Math.min(own, maxOccupancy)
}

/**
 * The amount as the shortest decimal; null clears; undefined when the currency or the rules don't permit it.
 */
function amountOf(
  { amount, ageCategory }: PriceSent,
  model: string | undefined,
  digits: number,
): string | null | undefined {
  if (amount === null) return null
  const [whole = '', decimals = ''] = String(amount).split('.')
  const significant = decimals.replace(/0+$/, '')
  if (significant.length > digits || whole.startsWith('-')) return undefined
  if (`${whole}${significant.padEnd(digits, '0')}`.replace(/^0+/, '').length > 12) return undefined
  const isFree = /^0*$/.test(whole + significant)
  if (isFree && (model === 'unit' || ageCategory === 'adult' || ageCategory === undefined)) return undefined
  return significant === '' ? whole : `${whole}.${significant}`
}

function nightsOf(item: ItemSent, today: string): { causes: Cause[]; nights: string[] } {
  const start = item.date ?? item.startDate
  const end = item.date ?? item.endDate
  const isMixed = item.date !== undefined && (item.startDate !== undefined || item.endDate !== undefined)
  if (isMixed || start === undefined || end === undefined || start > end)
    return { causes: ['rule'], nights: [] }
  if (start < addDays(today, -1) || end > addDays(today, 760)) return { causes: ['rule'], nights: [] }
  const nights: string[] = []
  for (let date = start; date <= end; date = addDays(date, 1)) {
    const weekday = weekdayNames[new Date(`${date}T00:00:00Z`).getUTCDay()] ?? ''
    if (item.daysOfWeek === undefined || item.daysOfWeek.includes(weekday)) nights.push(date)
  }
  return { causes: nights.length === 0 ? ['rule'] : [], nights }
}

function isDate(text: string): boolean {
  const atMs = Date.parse(`${text}T00:00:00Z`)
  return !Number.isNaN(atMs) && new Date(atMs).toISOString().startsWith(text)
}

export function addDays(date: string, days: number): string {
  return new Date(Date.parse(`${date}T00:00:00Z`) + days * 86_400_000).toISOString().slice(0, 10)
}

const formats = new Map<string, Intl.DateTimeFormat>()

export function dateIn(timeZone: string, nowMs: number): string {
  const shape = { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' } as const
  const format = formats.get(timeZone) ?? new Intl.DateTimeFormat('en', shape)
  formats.set(timeZone, format)
  const parts = format.formatToParts(nowMs)
  const part = (name: string): string => parts.find(({ type }) => type === name)?.value ?? ''
  return `${part('year')}-${part('month')}-${part('day')}`
}
