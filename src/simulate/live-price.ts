import { ariRoutes, mappingRoutes, type Mapping } from '../ari/contract.ts'
import type { AriItem, PriceLine, RateLine } from '../ari/item-contract.ts'
import { hotelRoutes, type StoredHotel } from '../hotels/contract.ts'
import { formatNight, parseNight, weekdayOf, weekdays, type DayNumber } from '../base/calendar.ts'
import { toMinor } from '../base/money.ts'
import type { AnswerOf } from '../http/route.ts'
import type { PriceCheckRequest } from '../price-check/callback-contract.ts'
import { referenceRoutes } from '../reference/contract.ts'
import { computeTaxes, type TaxFault } from '../taxes/compute/compute.ts'
import { taxRoutes, type Tax } from '../taxes/contract.ts'
import { prepareTaxes, taxesFor } from '../taxes/room-rate-taxes.ts'
import type { GatewayClient } from './gateway-client.ts'

/**
 * A supplier's own price of a stay, computed night by night from its pushes: it knows nothing of the
 * platform's offers.
 */

/** For one room, in minor units. */
export type LivePrice = {
  currency: string
  minorDigits: number
  inventory: number
  nights: readonly { beforeTax: number; afterTax: number }[]
  mealPlan: string | null
}

/** The reason why there is no price; a known room that is not on sale has no units and costs nothing. */
export type NoPrice = { why: string; unsold?: LivePrice }

type Taxes = Pick<AnswerOf<typeof taxRoutes.getTaxes>, 'taxes' | 'products'>

export async function livePrice(
  gateway: GatewayClient,
  request: PriceCheckRequest,
): Promise<LivePrice | NoPrice> {
  const { hotelId, roomId, rateId } = request
  const arrival = parseNight(request.checkin) ?? 0
  const departure = parseNight(request.checkout) ?? 0
  if (departure <= arrival) return { why: 'the stay has no night' }
  const range = { startDate: request.checkin, endDate: formatNight(departure - 1) }
  const [hotels, mapped, taxes, ari, reference] = await Promise.all([
    gateway.ask(hotelRoutes.getHotels, { hotelIds: [hotelId] }),
    gateway.ask(mappingRoutes.getRoomRateMappings, { hotelId }),
    gateway.ask(taxRoutes.getTaxes, { hotelId }),
    gateway.ask(ariRoutes.getAri, { hotelId, roomIds: [roomId], rateIds: [rateId], ...range }),
    gateway.ask(referenceRoutes.getReference, undefined),
  ])
  const [hotel] = hotels.hotels
  const product = mapped.mappings.find((one) => one.roomId === roomId && one.rateId === rateId)
  const currency = reference.currencies.find(({ code }) => code === hotel?.currency)
  if (!hotel || !product || !currency) return { why: 'the hotel, the room-rate or the currency is not known' }
  const { minorDigits } = currency
  const guests = guestsOf(request, hotel)
  const found = fits(hotel, product, guests)
    ? nightsOf(ari.ari, request, { arrival, departure }, guests, minorDigits)
    : { why: 'the hotel or the room-rate is not on sale, or the party too large for it' }
  const priced =
    'why' in found ? found : taxed(found, { request, hotel, product, taxes, guests, minorDigits })
  if (!('why' in priced)) return priced
  const nights = Array.from({ length: departure - arrival }, () => ({ beforeTax: 0, afterTax: 0 }))
  const unsold = { currency: hotel.currency, minorDigits, inventory: 0, nights, mealPlan: product.mealPlan }
  return { why: priced.why, unsold }
}

function fits(
  hotel: StoredHotel,
  { isAvailable, occupancy }: Mapping,
  { adult, child, infant }: Guests,
): boolean {
  const {
    maxOccupancy,
    maxAdult = maxOccupancy,
    maxChild = maxOccupancy,
    maxInfant = maxOccupancy,
  } = occupancy
  return (
    hotel.isAvailable &&
    isAvailable &&
    adult <= maxAdult &&
    child <= maxChild &&
    infant <= maxInfant &&
    adult + child <= maxOccupancy
  )
}

type Guests = Readonly<Record<'adult' | 'child' | 'infant', number>>

function guestsOf({ adultCount, childAges }: PriceCheckRequest, hotel: StoredHotel): Guests {
  const guests = { adult: adultCount, child: 0, infant: 0 }
  for (const age of childAges) {
    if (age < hotel.minChildAge) guests.infant++
    else if (age <= hotel.maxChildAge) guests.child++
    else guests.adult++
  }
  return guests
}

type Night = { day: DayNumber; price: number; units: number }

/** The items' values for the stay, in their order: later items override earlier ones. */
function nightsOf(
  items: readonly AriItem[],
  { roomId, rateId }: PriceCheckRequest,
  { arrival, departure }: { arrival: DayNumber; departure: DayNumber },
  guests: Guests,
  minorDigits: number,
): Night[] | NoPrice {
  const nights: Night[] = []
  for (let day = arrival; day < departure; day++) {
    const state = stateOn(items, { roomId, rateId, day })
    const price = priceFor(state.rate?.prices ?? [], guests, minorDigits)
    const date = formatNight(day)
    if (state.isClosed) return { why: `${date} is closed` }
    if (price === undefined) return { why: `${date} has no price for the party` }
    if (state.units === undefined) return { why: `${date} has no inventory` }
    nights.push({ day, price, units: state.units })
  }
  return nights
}

type NightState = { isClosed: boolean; units: number | undefined; rate: RateLine | undefined }

function stateOn(
  items: readonly AriItem[],
  { roomId, rateId, day }: { roomId: string; rateId: string; day: DayNumber },
): NightState {
  const found: NightState = { isClosed: false, units: undefined, rate: undefined }
  const inventories: number[] = []
  for (const item of items) {
    if (item.roomId !== roomId || !holds(item, day)) continue
    if (item.closed === true) found.isClosed = true
    if (typeof item.inventory === 'number') inventories.push(item.inventory)
    const rate = item.rates?.find((one) => one.rateId === rateId)
    if (!rate) continue
    found.rate = rate
    if (rate.closed === true) found.isClosed = true
    if (typeof rate.inventory === 'number') inventories.push(rate.inventory)
  }
  // Both the room's own units and the rate's apply: the smaller one counts.
  if (inventories.length > 0) found.units = Math.min(...inventories)
  return found
}

function holds({ date, startDate, endDate, daysOfWeek }: AriItem, day: DayNumber): boolean {
  const from = parseNight(startDate ?? date ?? '') ?? Number.POSITIVE_INFINITY
  const to = parseNight(endDate ?? date ?? '') ?? Number.NEGATIVE_INFINITY
  const weekday = weekdays[weekdayOf(day)]
  return day >= from && day <= to && (!daysOfWeek || (weekday !== undefined && daysOfWeek.includes(weekday)))
}

/** The unit's price, or the sum of the party's lines; infants without a line are free. */
function priceFor(lines: readonly PriceLine[], guests: Guests, minorDigits: number): number | undefined {
  const amountOf = (line: PriceLine | undefined): number | undefined => {
    const amount = line?.amount ?? undefined
    return amount === undefined ? undefined : toMinor(amount, minorDigits)
  }
  const unit = lines.find(({ ageCategory }) => ageCategory === undefined)
  if (unit) return amountOf(unit)
  const line = (category: 'adult' | 'child' | 'infant'): number | undefined =>
    guests[category] === 0
      ? 0
      : amountOf(lines.find((one) => one.ageCategory === category && one.guests === guests[category]))
  const [adults, children] = [line('adult'), line('child')]
  if (adults === undefined || children === undefined) return undefined
  return adults + children + (line('infant') ?? 0)
}

type Priced = {
  request: PriceCheckRequest
  hotel: StoredHotel
  product: Mapping
  taxes: Taxes
  guests: Guests
  minorDigits: number
}

const whyUntaxed: Readonly<Record<TaxFault['fault'], string>> = {
  FORMER_CURRENCY: 'a fixed tax is in a currency that the hotel had before',
  TAXES_EXCEED_PRICE: 'the taxes in the price exceed it',
  TOTAL_TOO_LARGE: 'the total is too large to be exact',
}

function taxed(
  nights: readonly Night[],
  { request, hotel, product, taxes, guests, minorDigits }: Priced,
): LivePrice | NoPrice {
  // All applicable taxes, as if they were the property's (0 stands for any room and rate): their owner
  // changes no amount.
  const applying = [{ roomNo: 0, rateNo: 0, taxes: taxesOf(taxes, request) }]
  const stay = computeTaxes([
    {
      taxes: taxesFor(prepareTaxes(applying, minorDigits), 1, 1),
      nights,
      persons: guests.adult + guests.child,
    },
  ])
  const [room] = stay.fault === undefined ? stay.rooms : []
  if (!room) return { why: whyUntaxed[stay.fault ?? 'TAXES_EXCEED_PRICE'] }
  return {
    currency: hotel.currency,
    minorDigits,
    inventory: Math.min(...nights.map(({ units }) => units)),
    nights: room.nights.map(({ beforeTax, afterTax }) => ({ beforeTax, afterTax })),
    mealPlan: product.mealPlan,
  }
}

function taxesOf({ taxes, products }: Taxes, { roomId, rateId }: PriceCheckRequest): Tax[] {
  const scoped = products.filter(
    (scope) =>
      (scope.roomId === undefined || scope.roomId === roomId) &&
      (scope.rateId === undefined || scope.rateId === rateId),
  )
  return [...taxes, ...scoped.flatMap((scope) => scope.taxes)]
}
