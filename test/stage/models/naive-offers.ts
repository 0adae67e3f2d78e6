/**
 * Which stays can be booked and at what price, implemented a second time: from the contract, night by night,
 * without any code of src/. Slow and plain on purpose; the proof compares the service with it.
 */

import { limitNames, naiveRestrictions, switchNames, type Restrictions } from './naive-restrictions.ts'

export type NaiveTax = {
  type: string
  valueType: '%' | 'fixed'
  /** A decimal. */
  value: string
  appliedOn: 'net' | 'net+vat'
  appliedPer: string
  included: boolean
  payNow: boolean
  startDate?: string
  endDate?: string
  /** A fixed amount of a former currency. */
  isFormer?: boolean
}

export type NaiveProduct = {
  roomId: string
  rateId: string
  isAvailable: boolean
  occupancy: { maxOccupancy: number; maxAdult?: number; maxChild?: number; maxInfant?: number }
}

/** A night of a room-rate; prices in minor units, `unit` or by category and guests ("adult 2"), never both. */
export type RateNight = Restrictions & {
  inventory?: number
  prices: Map<string, number>
  /** The lines that were last pushed in a former currency. */
  former?: ReadonlySet<string>
}
export type RoomNight = { inventory?: number; closed?: boolean }

export type NaiveHotel = {
  hotelId: string
  digits: number
  /** The first night of the stays that are compared. */
  windowFrom: string
  today: string
  isAvailable: boolean
  minChildAge: number
  maxChildAge: number
  products: NaiveProduct[]
  taxes: { roomId?: string; rateId?: string; taxes: NaiveTax[] }[]
  /** By room and date. */
  rooms: Map<string, RoomNight>
  /** By room, rate and date. */
  rates: Map<string, RateNight>
  /** Rooms with a date, and rooms with a rate and a date, that an operator has stopped. */
  stopped: Set<string>
}

export type NaiveRoom = { adults: number; childAges: readonly number[] }
export type NaiveStay = { checkin: string; checkout: string; rooms: readonly NaiveRoom[] }
/** No hotel of the model has fees. */
export type NaiveTotal = Readonly<
  Record<'beforeTax' | 'tax' | 'afterTax' | 'dueAtProperty' | 'feesAtProperty' | 'allIn', string>
>
export type Judged = {
  /** The rules that forbid the stay. */
  broken: Set<string>
  unitsLeft: number
  total: NaiveTotal | undefined
}

const neighbours = new Map<string, string>()

/** Cached, because it is called more often than anything else. */
export function addDays(date: string, days: number): string {
  const key = `${date} ${days}`
  const known = neighbours.get(key) ?? reckoned(date, days)
  neighbours.set(key, known)
  return known
}

function reckoned(date: string, days: number): string {
  const at = new Date(`${date}T00:00:00Z`)
  at.setUTCDate(at.getUTCDate() + days)
  return at.toISOString().slice(0, 10)
}

export function daysBetween(from: string, to: string): number {
  return (Date.parse(to) - Date.parse(from)) / 86_400_000
}

export function nightsOf({ checkin, checkout }: { checkin: string; checkout: string }): string[] {
  const nights: string[] = []
  for (let night = checkin; night < checkout; night = addDays(night, 1)) nights.push(night)
  return nights
}

type Counts = { adults: number; children: number; infants: number }

export function countsOf(room: NaiveRoom, hotel: Pick<NaiveHotel, 'minChildAge' | 'maxChildAge'>): Counts {
  const counts = { adults: room.adults, children: 0, infants: 0 }
  for (const age of room.childAges) {
    if (age < hotel.minChildAge) counts.infants++
    else if (age <= hotel.maxChildAge) counts.children++
    else counts.adults++
  }
  return counts
}

/** Checks every rule of the contract's table, one after another. */
export function judge(hotel: NaiveHotel, product: NaiveProduct, stay: NaiveStay): Judged {
  const broken = new Set<string>()
  const { roomId, rateId, occupancy } = product
  const nights = nightsOf(stay)
  const length = nights.length
  const advance = daysBetween(hotel.today, stay.checkin)
  const rateOn = (date: string): RateNight | undefined => hotel.rates.get(`${roomId}|${rateId}|${date}`)
  const parties = stay.rooms.map((room) => countsOf(room, hotel))

  if (!hotel.isAvailable) broken.add('hotelAvailable')
  if (!product.isAvailable) broken.add('productAvailable')
  if (stay.checkin < hotel.today) broken.add('arrivalDate')
  for (const { adults, children, infants } of parties) {
    if (adults + children > occupancy.maxOccupancy) broken.add('occupancy')
    if (occupancy.maxAdult !== undefined && adults > occupancy.maxAdult) broken.add('occupancy')
    if (occupancy.maxChild !== undefined && children > occupancy.maxChild) broken.add('occupancy')
    if (infants > Math.min(occupancy.maxInfant ?? Infinity, occupancy.maxOccupancy)) broken.add('occupancy')
  }

  let unitsLeft = Number.POSITIVE_INFINITY
  for (const night of nights) {
    const room = hotel.rooms.get(`${roomId}|${night}`)
    const rate = rateOn(night)
    const units = Math.min(room?.inventory ?? Infinity, rate?.inventory ?? Infinity)
    if (units === Infinity || units < stay.rooms.length) broken.add('inventory')
    unitsLeft = Math.min(unitsLeft, units)
    if (room?.closed === true) broken.add('closed')
    if (hotel.stopped.has(`${roomId}|${night}`)) broken.add('stopSell')
    if (hotel.stopped.has(`${roomId}|${rateId}|${night}`)) broken.add('stopSell')
    if (parties.some((party) => priceOf(rate, party) === undefined)) broken.add('price')
  }
  const daysOf = { nights, arrival: [stay.checkin], departure: [stay.checkout] }
  for (const name of switchNames) {
    const { at } = naiveRestrictions[name]
    if (daysOf[at].some((day) => rateOn(day)?.[name] === true)) broken.add(name)
  }
  const asked = { length, advance }
  for (const name of limitNames) {
    const { at, kind, of } = naiveRestrictions[name]
    for (const day of daysOf[at]) {
      const value = rateOn(day)?.[name]
      if (value === undefined) continue
      if (kind === 'min' ? asked[of] < value : asked[of] > value) broken.add(name)
    }
  }

  const taxes = taxesOf(hotel, roomId, rateId)
  if (nights.some((night) => isTaxUnknown(hotel, { roomId, rateId }, night))) broken.add('taxes')
  if (broken.has('price') || broken.has('taxes')) return { broken, unitsLeft, total: undefined }
  const rooms = parties.map((party) => ({
    persons: party.adults + party.children,
    prices: nights.map((night) => ({ night, price: priceOf(rateOn(night), party) ?? 0 })),
  }))
  const total = totalOf(taxes, rooms, hotel.digits)
  if (total === undefined) broken.add('taxes')
  return { broken, unitsLeft, total: broken.size === 0 ? total : undefined }
}

/** Of a night, in minor units; undefined: it has none for the party. */
export function priceOf(
  night: RateNight | undefined,
  { adults, children, infants }: Counts,
): number | undefined {
  if (night === undefined) return undefined
  const unit = night.prices.get('unit')
  if (unit !== undefined) return unit
  const forAdults = night.prices.get(`adult ${adults}`)
  const forChildren = children === 0 ? 0 : night.prices.get(`child ${children}`)
  if (forAdults === undefined || forChildren === undefined) return undefined
  const forInfants = infants === 0 ? 0 : night.prices.get(`infant ${infants}`)
  if (forInfants === undefined && night.former?.has(`infant ${infants}`)) return undefined
  return forAdults + forChildren + (forInfants ?? 0)
}

/** Whether the night needs a fixed tax of a former currency: no stay over it has a price. */
export function isTaxUnknown(
  hotel: NaiveHotel,
  { roomId, rateId }: Pick<NaiveProduct, 'roomId' | 'rateId'>,
  night: string,
): boolean {
  return taxesOf(hotel, roomId, rateId).some((tax) => tax.isFormer === true && applies(tax, night))
}

function taxesOf(hotel: NaiveHotel, roomId: string, rateId: string): NaiveTax[] {
  return hotel.taxes
    .filter((scope) => scope.roomId === undefined || scope.roomId === roomId)
    .filter((scope) => scope.rateId === undefined || scope.rateId === rateId)
    .flatMap(({ taxes }) => taxes)
}

/** An exact fraction: a numerator and a denominator. */
type Fraction = { of: bigint; in: bigint }

const whole = (value: number): Fraction => ({ of: BigInt(value), in: 1n })
const plus = (a: Fraction, b: Fraction): Fraction => ({ of: a.of * b.in + b.of * a.in, in: a.in * b.in })
const minus = (a: Fraction, b: Fraction): Fraction => plus(a, { of: -b.of, in: b.in })
const times = (a: Fraction, b: Fraction): Fraction => ({ of: a.of * b.of, in: a.in * b.in })
const sum = (all: readonly Fraction[]): Fraction => {
  let total = whole(0)
  for (const one of all) total = plus(total, one)
  return total
}
const over = (a: Fraction, b: Fraction): Fraction => ({ of: a.of * b.in, in: a.in * b.of })

function decimal(text: string): Fraction {
  const [units = '', decimals = ''] = text.split('.')
  return { of: BigInt(units + decimals), in: 10n ** BigInt(decimals.length) }
}

/** Half up, for values that are not negative. */
function rounded({ of, in: parts }: Fraction): bigint {
  return (2n * of + parts) / (2n * parts)
}

type TaxRoom = { persons: number; prices: { night: string; price: number }[] }

/** Section 5 of the contract; undefined when the included taxes exceed the price. */
function totalOf(
  taxes: readonly NaiveTax[],
  rooms: readonly TaxRoom[],
  digits: number,
): NaiveTotal | undefined {
  let [prices, included, added, due] = [0n, 0n, 0n, 0n]
  for (const room of rooms) {
    for (const { price } of room.prices) prices += BigInt(price)
    const amounts = amountsOf(taxes, room, digits)
    if (amounts === undefined) return undefined
    for (const [index, tax] of taxes.entries()) {
      const amount = amounts[index] ?? 0n
      if (tax.included) included += amount
      else if (tax.payNow) added += amount
      else due += amount
    }
  }
  if (included > prices) return undefined
  const text = (minor: bigint): string => {
    const padded = String(minor).padStart(digits + 1, '0')
    return digits === 0 ? padded : `${padded.slice(0, -digits)}.${padded.slice(-digits)}`
  }
  return {
    beforeTax: text(prices - included),
    tax: text(included + added),
    afterTax: text(prices + added),
    dueAtProperty: text(due),
    feesAtProperty: text(0n),
    allIn: text(prices + added + due),
  }
}

/** The rounded amount of each tax for a room; undefined when a night's net is negative. */
function amountsOf(
  taxes: readonly NaiveTax[],
  { persons, prices }: TaxRoom,
  digits: number,
): bigint[] | undefined {
  const perNight = (tax: NaiveTax): Fraction => {
    const value = times(decimal(tax.value), whole(10 ** digits))
    const amount = times(value, whole(tax.appliedPer.startsWith('per_person') ? persons : 1))
    if (tax.appliedPer.endsWith('night')) return amount
    return over(amount, whole(prices.filter(({ night }) => applies(tax, night)).length))
  }
  const sums = taxes.map(() => whole(0))
  for (const { night, price } of prices) {
    const tonight = taxes.filter((tax) => applies(tax, night))
    const percent = ({ value }: NaiveTax): Fraction => over(decimal(value), whole(100))
    const vat = tonight.filter(({ type }) => type === 'VAT')
    const V = sum(vat.filter(({ valueType }) => valueType === '%').map(percent))
    const W = sum(vat.filter(({ valueType }) => valueType === 'fixed').map(perNight))
    const rate = (tax: NaiveTax): Fraction => {
      if (tax.valueType === 'fixed') return whole(0)
      return tax.appliedOn === 'net' ? percent(tax) : times(percent(tax), plus(whole(1), V))
    }
    const constant = (tax: NaiveTax): Fraction => {
      if (tax.valueType === 'fixed') return perNight(tax)
      return tax.appliedOn === 'net' ? whole(0) : times(percent(tax), W)
    }
    const contained = tonight.filter((tax) => tax.included)
    const net = over(
      minus(whole(price), sum(contained.map(constant))),
      plus(whole(1), sum(contained.map(rate))),
    )
    if (net.of < 0n) return undefined
    for (const [index, tax] of taxes.entries()) {
      if (applies(tax, night))
        sums[index] = plus(sums[index] ?? whole(0), plus(times(net, rate(tax)), constant(tax)))
    }
  }
  return sums.map(rounded)
}

function applies(tax: NaiveTax, night: string): boolean {
  return (
    tax.startDate === undefined ||
    tax.endDate === undefined ||
    (tax.startDate <= night && night <= tax.endDate)
  )
}
