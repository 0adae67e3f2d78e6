import { setTimeout as wait } from 'node:timers/promises'
import { firstPushes, pushOf, priceOf, smallPush, wrongPush } from './ari.ts'
import { chance, type Chance } from './chance.ts'
import { dataHotels, suppliers, type DataHotel, type DataSupplier } from './hotels.ts'
import type { Ask, Json, PastService } from './service.ts'
import { startSuppliersServer, type SuppliersServer } from './suppliers-server.ts'

/** Four days of a service: pushes, bookings, and failures. */

type World = {
  service: PastService
  server: SuppliersServer
  platform: Ask
  askBySupplier: ReadonlyMap<string, Ask>
  hotels: readonly DataHotel[]
  dice: Chance
  /** Reservations that may be changed or cancelled. */
  booked: string[]
}

const hourMs = 3_600_000
const stepMs = hourMs / 4
const slowStepMs = 4 * hourMs
const beginsBehindMs = 96 * hourMs
const lastDayBehindMs = 25 * hourMs
/** Long enough for the worker to deliver the bookings. */
const deliveryMs = 60
const pushesAtOnce = 8
const seed = 4_711

export async function fillService(
  service: PastService,
  announce: (text: string) => void,
): Promise<SuppliersServer> {
  const hotels = dataHotels()
  const server = await startSuppliersServer(hotels)
  await service.goTo(beginsBehindMs)
  const askBySupplier = new Map<string, Ask>()
  for (const supplier of suppliers)
    askBySupplier.set(supplier.name, await openAccount(service, server, supplier))
  const platform = await service.platform()
  const world = { service, server, platform, askBySupplier, hotels, dice: chance(seed), booked: [] }
  announce(`${suppliers.length} suppliers push ${hotels.length} hotels`)
  await pushHotels(world)
  announce('Four days pass')
  for (let behindMs = beginsBehindMs; behindMs > lastDayBehindMs; behindMs -= slowStepMs) {
    await service.goTo(behindMs)
    await step(world, behindMs)
  }
  for (let behindMs = lastDayBehindMs; behindMs >= 0; behindMs -= stepMs) {
    await service.goTo(behindMs)
    await step(world, behindMs)
  }
  await service.goTo(0)
  await openCircuit(world)
  return server
}

async function openAccount(
  service: PastService,
  server: SuppliersServer,
  { name, channelManager, path }: DataSupplier,
): Promise<Ask> {
  const ask = await service.supplier(name, channelManager)
  if (path === undefined) return ask
  await must(ask('/push/webhook/availability', { webhook: server.urlOf(path, 'price-check') }))
  await must(ask('/push/webhook/pushbook', { webhook: server.urlOf(path, 'reservations') }))
  return ask
}

async function pushHotels(world: World): Promise<void> {
  const { service, hotels, dice } = world
  const today = dayOf(service.now())
  await eachOf(hotels, async (hotel) => {
    const ask = askOf(world, hotel)
    await must(ask('/push/hotels', [detailsOf(hotel)]))
    if (hotel.fate === 'noProducts') return
    await must(ask('/push/products', { hotelId: hotel.hotelId, products: productsOf(hotel) }))
    await must(ask('/push/taxes', { hotelId: hotel.hotelId, taxes: [vat] }))
    if (hotel.fate === 'noAri') return
    for (const push of firstPushes(hotel, today, dice)) await must(ask('/push/ari', push))
  })
}

function detailsOf({ hotelId, name, place }: DataHotel): Json {
  return {
    hotelId,
    hotelName: name,
    currency: place.currency,
    isAvailable: true,
    minChildAge: 3,
    maxChildAge: 12,
    countryCodeISO2: place.country,
    city: place.city,
    timezone: place.zone,
  }
}

function productsOf({ rooms, rates }: DataHotel): Json[] {
  return rooms.flatMap(({ roomId, roomType, roomName }) =>
    rates.map((rate) => ({
      roomId,
      roomType,
      roomName,
      rateId: rate.rateId,
      rateName: rate.rateName,
      mealPlan: rate.mealPlan,
      isAvailable: true,
      occupancy: { maxOccupancy: 3, maxAdult: 2, maxChild: 1 },
    })),
  )
}

const vat = {
  type: 'VAT',
  valueType: '%',
  value: 10,
  appliedOn: 'net',
  appliedPer: 'per_room_per_night',
  included: true,
  payNow: true,
}

/** The events of a quarter of an hour: more by day than by night. */
async function step(world: World, behindMs: number): Promise<void> {
  const { service, server, dice } = world
  const hour = new Date(service.now()).getUTCHours()
  const busy = hour >= 7 && hour <= 20 ? 16 : 5
  // Alpenblick is down at the beginning, comes back, and is down again from ten hours ago.
  const isDown = behindMs > 90 * hourMs || (behindMs < 10 * hourMs && behindMs >= 0)
  server.behave('alpenblick', 'reservations', isDown ? 'badly' : 'well')
  const today = dayOf(service.now())
  const selling = world.hotels.filter(
    ({ fate }) => fate === 'usual' || fate === 'large' || fate === 'drifts' || fate === 'endsSoon',
  )
  const pushing = Array.from({ length: busy + dice.below(busy) }, () => dice.of(selling))
  await eachOf(pushing, async (hotel) => {
    const isWrong = dice.percent(hotel.supplier === 'Costa Connect' ? (behindMs < 5 * hourMs ? 42 : 7) : 1)
    const push = isWrong ? wrongPush(hotel, today, dice) : smallPush(hotel, today, dice)
    await askOf(world, hotel)('/push/ari', push)
  })
  const bookings = 1 + dice.below(behindMs > lastDayBehindMs ? 5 : 2)
  for (let count = 0; count < bookings; count++) await book(world, dice.of(selling))
  if (dice.percent(30)) await changeMind(world)
  for (let count = dice.below(3); count >= 0; count--) await checkPrice(world, dice.of(selling))
  await wait(deliveryMs)
}

const guests = [
  { firstName: 'Ada', lastName: 'Lovelace' },
  { firstName: 'Marie', lastName: 'Curie' },
  { firstName: 'Joaquim', lastName: 'Pereira' },
  { firstName: 'Astrid', lastName: 'Lindqvist' },
  { firstName: 'Kenji', lastName: 'Watanabe' },
  { firstName: 'Lucía', lastName: 'Fernández' },
  { firstName: 'Oluwaseun', lastName: 'Adeyemi' },
]

function stayOf({ service, dice }: World, hotel: DataHotel): Json {
  const arrival = dayOf(service.now()).add({ days: 1 + dice.below(dice.percent(30) ? 3 : 30) })
  const room = dice.of(hotel.rooms)
  const rate = dice.of(hotel.rates)
  return {
    hotel: { supplier: hotel.supplier, hotelId: hotel.hotelId },
    checkin: String(arrival),
    checkout: String(arrival.add({ days: 1 + dice.below(4) })),
    roomId: room.roomId,
    rateId: rate.rateId,
  }
}

async function book(world: World, hotel: DataHotel): Promise<void> {
  const { roomId, rateId, ...stay } = stayOf(world, hotel)
  const guest = world.dice.of(guests)
  const { status, body } = await world.platform('/booking/reservations', {
    ...stay,
    rooms: [{ roomId, rateId, adults: 2, childAges: [], guest }],
    customer: guest,
    payment: { type: 'Channel Collect' },
  })
  // Restrictions and prices refuse some, as they should.
  if (status < 300 && typeof body['reservationId'] === 'string') world.booked.push(body['reservationId'])
}

async function changeMind({ platform, booked, dice }: World): Promise<void> {
  if (booked.length < 10) return
  const [id = ''] = booked.splice(dice.below(booked.length), 1)
  await platform(`/booking/reservations/${id}/cancel`, {})
}

async function checkPrice(world: World, hotel: DataHotel): Promise<void> {
  await world.platform('/booking/priceCheck', {
    ...stayOf(world, hotel),
    roomCount: 1,
    adultCount: 2,
    childAges: [],
  })
}

const checksToOpen = 6

/** Alpenblick's price checks fail one after another, which opens the circuit of its URL. */
async function openCircuit(world: World): Promise<void> {
  const theirs = world.hotels.filter(
    ({ supplier, fate }) => supplier === 'Alpenblick PMS' && fate === 'usual',
  )
  world.server.behave('alpenblick', 'price-check', 'badly')
  for (const hotel of theirs.slice(0, checksToOpen)) await checkPrice(world, hotel)
  const drifting = world.hotels.filter(({ fate }) => fate === 'drifts')
  for (const hotel of drifting) await checkPrice(world, hotel)
  await raisePrices(world)
}

/** A visible change of price in the calendar: the last push of a few hotels. */
async function raisePrices(world: World): Promise<void> {
  const today = dayOf(world.service.now())
  for (const hotel of world.hotels.filter(({ fate }) => fate === 'usual').slice(0, 12)) {
    const [room] = hotel.rooms
    const [rate] = hotel.rates
    if (!room || !rate) continue
    const from = today.add({ days: 100 })
    const price = Number(priceOf(hotel, room, rate, from)) + 100
    const dates = { startDate: String(from), endDate: String(from.add({ days: 6 })) }
    const item = { roomId: room.roomId, ...dates, rates: [{ rateId: rate.rateId, price }] }
    await askOf(world, hotel)('/push/ari', pushOf(hotel, [item]))
  }
}

function askOf({ askBySupplier }: World, { supplier }: DataHotel): Ask {
  const ask = askBySupplier.get(supplier)
  if (!ask) throw new Error(`${supplier} has no key`)
  return ask
}

function dayOf(atMs: number): Temporal.PlainDate {
  return Temporal.Instant.fromEpochMilliseconds(atMs).toZonedDateTimeISO('UTC').toPlainDate()
}

async function must(reply: Promise<{ status: number; body: Json }>): Promise<void> {
  const { status, body } = await reply
  if (status >= 300) throw new Error(`The service refused what it should take: ${JSON.stringify(body)}`)
}

async function eachOf<Value>(values: readonly Value[], work: (value: Value) => Promise<void>): Promise<void> {
  const waiting = values.values()
  await Promise.all(
    Array.from({ length: pushesAtOnce }, async () => {
      for (const value of waiting) await work(value)
    }),
  )
}
