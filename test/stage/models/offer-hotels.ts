import type { Random } from '../fuzz/random.ts'
import {
  addDays,
  daysBetween,
  type NaiveHotel,
  type NaiveProduct,
  type NaiveTax,
  type RateNight,
} from './naive-offers.ts'
import { infantsBeside } from './ari-operations.ts'
import { naiveNames, naiveRestrictions, type Restrictions } from './naive-restrictions.ts'

/** Random hotels, as the requests that push them and in the naive evaluator's form. */

export type HotelSpec = {
  naive: NaiveHotel
  /**
   * The bodies of its hotel, its products, its taxes and its ARI, in the order of pushing; with stop-sells in
   * between.
   */
  pushes: { path: string; body: unknown }[]
}

/** The number of nights of the window that contains all stays. */
export const windowNights = 21
/** More nights than the window are filled, so that other stays can be suggested. */
const filledNights = 40

/** The first night of the window: in no zone after the present date. */
export function windowFromOf(nowMs: number): string {
  return addDays(new Date(nowMs).toISOString().slice(0, 10), -1)
}

const zones = [
  'UTC',
  'Europe/Paris',
  'America/New_York',
  'Asia/Tokyo',
  'Pacific/Kiritimati',
  'Pacific/Pago_Pago',
]
const currencies = [
  ['USD', 2],
  ['USD', 2],
  ['JPY', 0],
  ['KWD', 3],
] as const

export function randomHotel(random: Random, hotelId: string, nowMs: number): HotelSpec {
  const [currency, digits] = random.pick(currencies)
  const timezone = random.pick(zones)
  const minChildAge = 1 + random.below(4)
  const naive: NaiveHotel = {
    hotelId,
    digits,
    windowFrom: windowFromOf(nowMs),
    today: new Intl.DateTimeFormat('sv-SE', { timeZone: timezone }).format(nowMs),
    isAvailable: !random.chance(0.02),
    minChildAge,
    maxChildAge: minChildAge + random.below(12),
    products: randomProducts(random),
    taxes: [],
    rooms: new Map(),
    rates: new Map(),
    stopped: new Set(),
  }
  const hotel = {
    hotelId,
    hotelName: `Hotel ${hotelId}`,
    currency,
    isAvailable: naive.isAvailable,
    minChildAge,
    maxChildAge: naive.maxChildAge,
    timezone,
  }
  const pushes: HotelSpec['pushes'] = [
    { path: '/push/hotels', body: [hotel] },
    { path: '/push/products', body: productsBody(hotelId, naive.products) },
  ]
  pushes.push(...ariPushes(random, naive))
  if (random.chance(0.6)) pushes.push(taxPush(random, naive))
  if (random.chance(0.03)) pushes.push(...changeOfCurrency(random, naive, hotel))
  if (random.chance(0.1)) {
    for (const product of naive.products) if (random.chance(0.5)) product.occupancy = randomOccupancy(random)
    pushes.push({ path: '/push/products', body: productsBody(hotelId, naive.products) })
  }
  // Anywhere after the products: later pushes must not lift them.
  if (random.chance(0.3)) pushes.splice(2 + random.below(pushes.length - 1), 0, ...stopSells(random, naive))
  return { naive, pushes }
}

/** Not a push, but an operator's action, listed under this path. */
export const stopSellPath = 'stop-sell'

/** Some nights stopped, and some of them reopened. */
function stopSells(random: Random, naive: NaiveHotel): HotelSpec['pushes'] {
  return Array.from({ length: 1 + random.below(3) }, () => {
    const { roomId, rateId } = random.pick(naive.products)
    const first = Math.max(1, daysBetween(naive.windowFrom, naive.today)) + random.below(windowNights - 2)
    const [from, to] = [addDays(naive.windowFrom, first), addDays(naive.windowFrom, first + random.below(3))]
    const [ofRoom, isStop] = [random.chance(0.4), random.chance(0.75)]
    for (let night = from; night <= to; night = addDays(night, 1)) {
      const key = ofRoom ? `${roomId}|${night}` : `${roomId}|${rateId}|${night}`
      if (isStop) naive.stopped.add(key)
      else naive.stopped.delete(key)
    }
    const targets = [ofRoom ? { roomId } : { roomId, rateId }]
    return {
      path: stopSellPath,
      body: { action: isStop ? 'stop' : 'open', reason: 'model', targets, from, to },
    }
  })
}

function randomProducts(random: Random): NaiveProduct[] {
  const products: NaiveProduct[] = []
  for (const roomId of ['DBL', 'TWN'].slice(0, 1 + random.below(2))) {
    for (const rateId of ['BAR', 'NRF', 'WEEK'].slice(0, 1 + random.below(3))) {
      const occupancy = random.chance(0.7) ? { maxOccupancy: 4 } : randomOccupancy(random)
      products.push({ roomId, rateId, isAvailable: !random.chance(0.04), occupancy })
    }
  }
  return products
}

function randomOccupancy(random: Random): NaiveProduct['occupancy'] {
  const maxOccupancy = 1 + random.below(4)
  const most = (): number => 1 + random.below(maxOccupancy)
  const adults = random.chance(0.4) ? { maxAdult: most() } : {}
  const children = random.chance(0.4) ? { maxChild: most() - 1 } : {}
  return { maxOccupancy, ...adults, ...children, ...infantsBeside({ ...adults, ...children }) }
}

function productsBody(hotelId: string, products: readonly NaiveProduct[]): object {
  return {
    hotelId,
    products: products.map((product) => ({
      ...product,
      roomType: 'Double',
      roomName: `Room ${product.roomId}`,
      rateName: `Rate ${product.rateId}`,
    })),
  }
}

type Range = { startDate: string; endDate: string }

/** Three pushes: a fill of all nights, then two that change some. */
function ariPushes(random: Random, naive: NaiveHotel): HotelSpec['pushes'] {
  const whole = filledRange(naive)
  const fill = {
    hotelId: naive.hotelId,
    ari: naive.products.map((one) => fillItem(random, naive, one, whole)),
  }
  const changes = [0, 1].map(() => randomChange(random, naive))
  return [fill, ...changes].map((body) => ({ path: '/push/ari', body }))
}

function filledRange({ today, windowFrom }: NaiveHotel): Range {
  const yesterday = addDays(today, -1)
  const startDate = yesterday > windowFrom ? yesterday : windowFrom
  return { startDate, endDate: addDays(windowFrom, filledNights - 1) }
}

/** A push that changes some of the nights, and the naive hotel with them. */
export function randomChange(random: Random, naive: NaiveHotel): { hotelId: string; ari: object[] } {
  const whole = filledRange(naive)
  return {
    hotelId: naive.hotelId,
    ari: Array.from({ length: 2 + random.below(5) }, () =>
      changeItem(random, naive, random.pick(naive.products), whole),
    ),
  }
}

function fillItem(random: Random, naive: NaiveHotel, product: NaiveProduct, range: Range): object {
  const inventory = random.pick([1, 2, 2, 3, 5, 9])
  setRoom(naive, product.roomId, range, (night) => (night.inventory = inventory))
  const model = random.pick(['unit', 'guest'])
  const line = {
    rateId: product.rateId,
    pricingModel: model,
    ...prices(random, naive, product, range, model),
  }
  return { roomId: product.roomId, ...range, inventory, rates: [line] }
}

function changeItem(random: Random, naive: NaiveHotel, product: NaiveProduct, whole: Range): object {
  const { roomId, rateId } = product
  const from = random.below(daysBetween(whole.startDate, whole.endDate))
  const startDate = addDays(whole.startDate, from)
  const last = addDays(startDate, random.below(random.pick([1, 3, 10])))
  const range = { startDate, endDate: last > whole.endDate ? whole.endDate : last }
  switch (random.below(9)) {
    case 0: {
      const inventory = random.pick([0, 0, 1, 2, 4, null])
      setRoom(naive, roomId, range, (night) => setInventory(night, inventory))
      return { roomId, ...range, inventory }
    }
    case 1: {
      const closed = random.chance(0.7)
      setRoom(naive, roomId, range, (night) => (night.closed = closed))
      return { roomId, ...range, closed }
    }
    case 2: {
      const inventory = random.pick([0, 1, 2, 4, 9, null])
      setRate(naive, product, range, (night) => setInventory(night, inventory))
      return { roomId, ...range, rates: [{ rateId, inventory }] }
    }
    case 3: {
      const model = random.pick(['unit', 'guest'])
      const line = prices(random, naive, product, range, model)
      return { roomId, ...range, rates: [{ rateId, pricingModel: model, ...line }] }
    }
    case 4:
      setRate(naive, product, range, (night) => night.prices.clear())
      return { roomId, ...range, rates: [{ rateId, pricingModel: 'unit', price: null }] }
    default: {
      const restrictions = randomRestrictions(random)
      setRate(naive, product, range, (night) => {
        for (const [name, value] of Object.entries(restrictions)) Object.assign(night, { [name]: value })
      })
      return { roomId, ...range, rates: [{ rateId, ...restrictions }] }
    }
  }
}

const otherNames = naiveNames.filter((name) => !name.startsWith('closed'))

function randomRestrictions(random: Random): Restrictions {
  switch (random.below(6)) {
    case 0:
      return { closed: random.chance(0.7) }
    case 1:
      return { closedToArrival: true, ...(random.chance(0.5) ? { closedToDeparture: true } : {}) }
    case 2:
      return { minStayArrival: 1 + random.below(5), maxStayArrival: 3 + random.below(5) }
    default: {
      const name = random.pick(otherNames)
      const restriction = naiveRestrictions[name]
      if (restriction.kind === 'switch') return { [name]: true }
      const most = restriction.of === 'length' ? 6 : 14
      return { [name]: ('zeroBounds' in restriction ? 0 : 1) + random.below(most) }
    }
  }
}

function prices(
  random: Random,
  naive: NaiveHotel,
  product: NaiveProduct,
  range: Range,
  model: string,
): object {
  const minor = (most: number): number => Math.max(1, random.below(most))
  const amountOf = (value: number): string => {
    const text = String(value).padStart(naive.digits + 1, '0')
    return naive.digits === 0 ? text : `${text.slice(0, -naive.digits)}.${text.slice(-naive.digits)}`
  }
  if (model === 'unit') {
    // Sometimes less than the fixed taxes that it supposedly includes.
    const price = minor(random.chance(0.1) ? 300 : 40_000)
    setRate(naive, product, range, (night) => {
      night.prices.clear()
      night.prices.set('unit', price)
    })
    return { price: amountOf(price) }
  }
  const { maxOccupancy, maxAdult = maxOccupancy, maxChild = maxOccupancy, maxInfant } = product.occupancy
  const lines: [category: string, guests: number, minor: number][] = []
  for (let guests = 1; guests <= maxAdult; guests++)
    if (random.chance(0.9)) lines.push(['adult', guests, minor(40_000)])
  for (let guests = 1; guests <= maxChild; guests++)
    if (random.chance(0.7)) lines.push(['child', guests, random.below(5_000)])
  const infant = random.chance(0.4) ? random.below(1_000) : undefined
  if (infant !== undefined && maxInfant !== 0) lines.push(['infant', 1, infant])
  if (lines.every(([category]) => category !== 'adult')) lines.push(['adult', 1, minor(40_000)])
  setRate(naive, product, range, (night) => {
    night.prices.delete('unit')
    for (const [category, guests, value] of lines) night.prices.set(`${category} ${guests}`, value)
  })
  return {
    prices: lines.map(([ageCategory, guests, value]) => ({ ageCategory, guests, amount: amountOf(value) })),
  }
}

function setRoom(
  { rooms }: NaiveHotel,
  roomId: string,
  range: Range,
  set: (night: { inventory?: number; closed?: boolean }) => void,
): void {
  for (let date = range.startDate; date <= range.endDate; date = addDays(date, 1)) {
    const night = rooms.get(`${roomId}|${date}`) ?? {}
    set(night)
    rooms.set(`${roomId}|${date}`, night)
  }
}

function setRate(
  { rates }: NaiveHotel,
  { roomId, rateId }: NaiveProduct,
  range: Range,
  set: (night: RateNight) => void,
): void {
  for (let date = range.startDate; date <= range.endDate; date = addDays(date, 1)) {
    const key = `${roomId}|${rateId}|${date}`
    const night = rates.get(key) ?? { prices: new Map() }
    set(night)
    rates.set(key, night)
  }
}

function setInventory(night: { inventory?: number }, value: number | null): void {
  if (value === null) delete night.inventory
  else night.inventory = value
}

function taxPush(random: Random, naive: NaiveHotel): HotelSpec['pushes'][number] {
  const some = (): NaiveTax[] => Array.from({ length: 1 + random.below(3) }, () => randomTax(random, naive))
  const scopes: NaiveHotel['taxes'] = []
  if (random.chance(0.8)) scopes.push({ taxes: some() })
  const { roomId, rateId } = random.pick(naive.products)
  if (random.chance(0.3)) scopes.push({ roomId, taxes: some() })
  if (random.chance(0.3)) scopes.push({ rateId, taxes: some() })
  if (random.chance(0.3) || scopes.length === 0) scopes.push({ roomId, rateId, taxes: some() })
  naive.taxes = scopes
  const property = scopes.find((scope) => scope.roomId === undefined && scope.rateId === undefined)
  const products = scopes.filter((scope) => scope !== property)
  const body = {
    hotelId: naive.hotelId,
    ...(property ? { taxes: property.taxes } : {}),
    ...(products.length > 0 ? { products } : {}),
  }
  return { path: '/push/taxes', body }
}

function randomTax(random: Random, { digits, windowFrom }: NaiveHotel): NaiveTax {
  const type = random.pick(['VAT', 'VAT', 'CITY_TAX', 'LOCAL_TAX', 'GOV_TAX', 'OTHER_TAX'])
  const valueType = random.pick(['%', '%', 'fixed'] as const)
  const included = random.chance(0.4)
  const start = addDays(windowFrom, random.below(windowNights))
  const fixed = (random.below(400) / 10 ** digits).toFixed(digits)
  return {
    type,
    valueType,
    value: valueType === 'fixed' ? fixed : random.pick(['10', '7.7', '21', '0.5', '3.333333', '19']),
    appliedOn: type === 'VAT' ? 'net' : random.pick(['net', 'net+vat'] as const),
    appliedPer: random.pick([
      'per_room_per_night',
      'per_person_per_night',
      'per_room_per_stay',
      'per_person_per_stay',
    ]),
    included,
    payNow: included || random.chance(0.5),
    ...(random.chance(0.25) ? { startDate: start, endDate: addDays(start, random.below(10)) } : {}),
  }
}

/** Another currency with as many digits: amounts pushed before are unknown, but some prices are pushed again. */
function changeOfCurrency(random: Random, naive: NaiveHotel, hotel: object): HotelSpec['pushes'] {
  const currency = { 0: 'KRW', 2: 'EUR', 3: 'BHD' }[naive.digits] ?? 'EUR'
  for (const night of naive.rates.values()) {
    night.former = new Set(night.prices.keys())
    night.prices.clear()
  }
  // Copies: the others are in the bodies of the pushes.
  naive.taxes = naive.taxes.map((scope) => ({
    ...scope,
    taxes: scope.taxes.map((tax) => ({
      ...tax,
      isFormer: tax.valueType === 'fixed' && Number(tax.value) !== 0,
    })),
  }))
  const product = random.pick(naive.products)
  const range = { startDate: addDays(naive.today, 3), endDate: addDays(naive.today, 9) }
  const line = prices(random, naive, product, range, 'guest')
  const item = {
    roomId: product.roomId,
    ...range,
    rates: [{ rateId: product.rateId, pricingModel: 'guest', ...line }],
  }
  return [
    { path: '/push/hotels', body: [{ ...hotel, currency }] },
    { path: '/push/ari', body: { hotelId: naive.hotelId, ari: [item] } },
  ]
}
