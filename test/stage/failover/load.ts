/**
 * Suppliers who push prices, platforms that search, and guests who book, continuously; with the answers that
 * each of them got.
 */
import { setTimeout as wait } from 'node:timers/promises'
import { clientOf, type Client } from '../crash/http.ts'
import { nightAhead } from '../nights.ts'

export const hotels = ['H1', 'H2', 'H3'] as const
const stay = { checkin: nightAhead(20), checkout: nightAhead(21) }
const range = { startDate: nightAhead(15), endDate: nightAhead(25) }
const pauseMs = 5

export type World = { supplier: Client; platform: Client; supplierName: string }

export function worldOf(url: string, keys: { apiKey: string; token: string; supplierName: string }): World {
  const platform = clientOf(url, '')
  const authorization = `Bearer ${keys.token}`
  return {
    supplierName: keys.supplierName,
    supplier: clientOf(url, keys.apiKey),
    platform: {
      ...platform,
      send: (path, body, headers, method) => platform.send(path, body, { authorization, ...headers }, method),
    },
  }
}

type Replied = { status: number; body: Record<string, unknown> }

export async function send(client: Client, path: string, body?: unknown): Promise<Replied> {
  const reply = await client.send(path, body)
  if (!reply.isAnswered) return { status: 0, body: {} }
  try {
    return { status: reply.status, body: JSON.parse(reply.text) }
  } catch {
    return { status: 0, body: {} }
  }
}

/** Repeats the call until its answer is something other than that the store is away. */
export async function served(client: Client, path: string, body?: unknown): Promise<Replied> {
  for (;;) {
    const reply = await send(client, path, body)
    if (reply.status !== 503 && reply.status !== 0) return reply
    await wait(50)
  }
}

export async function pushHotel({ supplier }: World, hotelId: string, price: number): Promise<void> {
  const hotel = { hotelId, hotelName: hotelId, currency: 'EUR', isAvailable: true, timezone: 'UTC' }
  const room = { roomId: 'DBL', roomType: 'Double', roomName: 'Double', rateId: 'BAR', rateName: 'BAR' }
  const product = { ...room, isAvailable: true, occupancy: { maxOccupancy: 2 } }
  const replies = [
    await served(supplier, '/push/hotels', [{ ...hotel, minChildAge: 3, maxChildAge: 12 }]),
    await served(supplier, '/push/products', { hotelId, products: [product] }),
    await served(supplier, '/push/ari', ariOf(hotelId, price)),
  ]
  for (const { status, body } of replies) if (status !== 200) throw new Error(JSON.stringify(body))
}

export function ariOf(hotelId: string, price: number): object {
  const item = { roomId: 'DBL', ...range, inventory: 1_000, rates: [{ rateId: 'BAR', price }] }
  return { hotelId, pricingModel: 'unit', ari: [item] }
}

/** The price at which a hotel is sold; undefined if unknown, and absent if nobody answered. */
export async function priceSold(
  { platform, supplierName }: World,
  hotelId: string,
  ask = send,
): Promise<{ price: number | undefined } | undefined> {
  const body = {
    hotels: [{ supplier: supplierName, hotelId }],
    ...stay,
    rooms: [{ adults: 1, childAges: [] }],
  }
  const { status, body: answer } = await ask(platform, '/booking/offers', body)
  if (status !== 200) return undefined
  const [hotel] = Array.from(Object(answer['hotels']))
  const offer = Object(hotel).offers?.[0]
  return { price: offer === undefined ? undefined : Number(offer.total.afterTax) }
}

export function bookingOf(supplier: string, hotelId: string): object {
  const guest = { firstName: 'Ada', lastName: 'Lovelace' }
  const rooms = [{ roomId: 'DBL', rateId: 'BAR', adults: 1, childAges: [], guest }]
  return {
    hotel: { supplier, hotelId },
    ...stay,
    rooms,
    customer: guest,
    payment: { type: 'Channel Collect' },
  }
}

export type Load = {
  /** By hotel: the highest acknowledged price, and the highest price sent. */
  acknowledged: Map<string, number>
  sent: Map<string, number>
  /** Ids of reservations that were answered with 201, and their hotels. */
  booked: { id: number; hotelId: string }[]
  /** Violations. */
  wrong: string[]
  counts: { pushes: number; searches: number; bookings: number; unavailable: number }
  /** The longest time without an acknowledged push since the last call. */
  longestGapMs: () => number
  stop: () => Promise<void>
}

/** Prices only rise, so a price below an acknowledged one is wrong, and so is one that was never sent. */
export function startLoad(world: World, firstPrice: number): Load {
  const acknowledged = new Map<string, number>(hotels.map((hotelId) => [hotelId, firstPrice]))
  const sent = new Map(acknowledged)
  const booked: Load['booked'] = []
  const wrong: string[] = []
  const counts = { pushes: 0, searches: 0, bookings: 0, unavailable: 0 }
  let isOver = false
  let acknowledgedMs = performance.now()
  let longestGapMs = 0
  const loop = async (work: () => Promise<number>): Promise<void> => {
    while (!isOver) {
      const status = await work()
      if (status === 503 || status === 0) counts.unavailable++
      else if (status >= 500) wrong.push(`answered with ${status}`)
      await wait(pauseMs)
    }
  }
  const pushing = hotels.map((hotelId) =>
    loop(async () => {
      const price = (sent.get(hotelId) ?? 0) + 1
      sent.set(hotelId, price)
      const { status } = await send(world.supplier, '/push/ari', ariOf(hotelId, price))
      if (status !== 200) return status
      acknowledged.set(hotelId, price)
      counts.pushes++
      longestGapMs = Math.max(longestGapMs, performance.now() - acknowledgedMs)
      acknowledgedMs = performance.now()
      return status
    }),
  )
  const searching = hotels.map((hotelId) =>
    loop(async () => {
      const least = acknowledged.get(hotelId) ?? 0
      const found = await priceSold(world, hotelId)
      if (!found) return 503
      counts.searches++
      const { price = 0 } = found
      const most = sent.get(hotelId) ?? 0
      if (price < least || price > most) wrong.push(`${hotelId} sold at ${price}, not ${least} to ${most}`)
      return 200
    }),
  )
  const booking = hotels.map((hotelId) =>
    loop(async () => {
      const { status, body } = await send(
        world.platform,
        '/booking/reservations',
        bookingOf(world.supplierName, hotelId),
      )
      if (status !== 201) return status
      counts.bookings++
      booked.push({ id: Number(body['reservationId']), hotelId })
      return status
    }),
  )
  return {
    acknowledged,
    sent,
    booked,
    wrong,
    counts,
    longestGapMs: () => {
      const gap = Math.max(longestGapMs, performance.now() - acknowledgedMs)
      longestGapMs = 0
      return gap
    },
    stop: async () => {
      isOver = true
      await Promise.all([...pushing, ...searching, ...booking])
    },
  }
}
