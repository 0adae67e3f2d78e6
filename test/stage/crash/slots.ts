/**
 * The pushes of the load. A slot is a set of places (rooms, dates, fields, hotels) that each of its pushes
 * writes completely, with one number, the marker: so all values read there must be from one push.
 */
import { formatNight } from '../../../src/base/calendar.ts'
import type { Client } from './http.ts'

export type Slot = {
  name: string
  path: '/push/ari' | '/push/products' | '/push/taxes' | '/push/hotels'
  /** Number of clients that push to it concurrently. */
  writers: number
  /** Whether its pushes carry an Idempotency-Key and are repeated until acknowledged. */
  isRepeated: boolean
  /**
   * The push that determines the slot's final values: the last one applied, or the one with the highest
   * sequence.
   */
  winner: 'last' | 'highest'
  body: (marker: number, writer: number) => object
  /** The values expected when all are from this push, one line a place. */
  written: (marker: number) => string[]
  read: (client: Client) => Promise<string[]>
  /** The marker found in any of the places. */
  markerIn: (lines: readonly string[]) => number | undefined
}

const firstNight = Math.floor(Date.now() / 86_400_000) + 20

type AriSlot = {
  name: string
  hotelId: string
  rooms: readonly string[]
  rates: readonly string[]
  /** Days after the first night of all slots. */
  from: number
  nights: number
  model: 'unit' | 'guest'
} & Partial<Pick<Slot, 'writers' | 'isRepeated' | 'winner'>>

function ariSlot({ name, hotelId, rooms, rates, from, nights, model, ...more }: AriSlot): Slot {
  const startDate = formatNight(firstNight + from)
  const endDate = formatNight(firstNight + from + nights - 1)
  const winner = more.winner ?? 'last'
  const inventory = (marker: number): number => marker % 99_999
  const minLengthStay = (marker: number): number => (marker % 998) + 1
  return {
    name,
    path: '/push/ari',
    writers: more.writers ?? 1,
    isRepeated: more.isRepeated ?? false,
    winner,
    body: (marker) => ({
      hotelId,
      pricingModel: model,
      ...(winner === 'highest' ? { sequence: marker } : {}),
      ari: [
        ...rooms.map((roomId) => ({
          roomId,
          startDate,
          endDate,
          inventory: inventory(marker),
          rates: rates.map((rateId) => ({
            rateId,
            minLengthStay: minLengthStay(marker),
            prices: pricesOf(marker, model),
          })),
        })),
        // Some pushes have an item that can't be applied: the push's other items are.
        ...(marker % 7 === 0 ? [{ roomId: 'NONE', date: startDate, inventory: 1 }] : []),
      ],
    }),
    written: (marker) =>
      rooms
        .flatMap((room) => [
          `${room} ${startDate}..${endDate} inventory=${inventory(marker)}`,
          ...rates.map((rate) => {
            const prices = pricesOf(marker, model).map(priceText).sort()
            return `${room}/${rate} ${startDate}..${endDate} min=${minLengthStay(marker)} ${prices.join(' ')}`
          }),
        ])
        .sort(),
    read: async (client) => {
      const range = { hotelId, roomIds: rooms, rateIds: rates, startDate, endDate }
      return ariLines(await bodyOf<{ ari: ReadItem[] }>(client, '/push/getAri', range))
    },
    markerIn: (lines) => {
      const amount = lines.map((line) => / (?:adult1|unit)=([\d.]+)/.exec(line)?.[1]).find(Boolean)
      return amount === undefined ? undefined : Math.round(Number(amount) * 100)
    },
  }
}

type Price = { guests?: number; ageCategory?: string; amount: string | number }

function pricesOf(marker: number, model: 'unit' | 'guest'): Price[] {
  const amount = (minor: number): string => (minor / 100).toFixed(2)
  if (model === 'unit') return [{ amount: amount(marker) }]
  return [
    { guests: 1, ageCategory: 'adult', amount: amount(marker) },
    { guests: 2, ageCategory: 'adult', amount: amount(marker + 1) },
    { guests: 1, ageCategory: 'child', amount: amount(marker + 2) },
  ]
}

function priceText({ guests, ageCategory, amount }: Price): string {
  return `${ageCategory ?? 'unit'}${guests ?? ''}=${Number(amount)}`
}

type ReadItem = { roomId: string; startDate: string; endDate: string; inventory?: number; rates?: ReadRate[] }
type ReadRate = { rateId: string; minLengthStay?: number; prices?: Price[] }

function ariLines(body: { ari: ReadItem[] }): string[] {
  return body.ari
    .flatMap(({ roomId, startDate, endDate, inventory, rates = [] }) => [
      ...(inventory === undefined ? [] : [`${roomId} ${startDate}..${endDate} inventory=${inventory}`]),
      ...rates.map(({ rateId, minLengthStay, prices = [] }) => {
        const shown = prices.map(priceText).sort().join(' ')
        return `${roomId}/${rateId} ${startDate}..${endDate} min=${minLengthStay} ${shown}`
      }),
    ])
    .sort()
}

const rooms = ['R1', 'R2', 'R3', 'R4', 'R5']
const rates = ['BAR', 'NRF']

function productSlot(hotelId: string): Slot {
  return {
    name: `products of ${hotelId}`,
    path: '/push/products',
    writers: 1,
    isRepeated: true,
    winner: 'last',
    body: (marker) => productsBody(hotelId, marker),
    written: (marker) =>
      rooms.flatMap((room) =>
        rates.map((rate) => `${room}/${rate} Room ${marker} Rate ${marker} for ${2 + (marker % 8)}`),
      ),
    read: async (client) => {
      type Mapping = {
        [name in 'roomId' | 'rateId' | 'roomName' | 'rateName']: string
      } & { occupancy: { maxOccupancy: number } }
      const path = '/push/getRoomRateMappings'
      const { mappings } = await bodyOf<{ mappings: Mapping[] }>(client, path, { hotelId })
      return mappings
        .map(
          ({ roomId, rateId, roomName, rateName, occupancy }) =>
            `${roomId}/${rateId} ${roomName} ${rateName} for ${occupancy.maxOccupancy}`,
        )
        .sort()
    },
    markerIn: ([line = '']) => numberIn(/Room (\d+)/, line),
  }
}

/** Five rooms by two rates; the marker is in every name and every occupancy. */
export function productsBody(hotelId: string, marker: number): object {
  return {
    hotelId,
    products: rooms.flatMap((roomId) =>
      rates.map((rateId) => ({
        roomId,
        rateId,
        roomType: 'Double',
        roomName: `Room ${marker}`,
        rateName: `Rate ${marker}`,
        isAvailable: true,
        occupancy: { maxOccupancy: 2 + (marker % 8), maxAdult: 2, maxChild: 1 },
      })),
    ),
  }
}

function taxSlot(hotelId: string): Slot {
  const taxes = (marker: number) => [
    {
      type: 'CITY_TAX',
      valueType: 'fixed',
      value: marker,
      appliedOn: 'net',
      appliedPer: 'per_room_per_stay',
      included: false,
      payNow: true,
    },
  ]
  const scopes = [{}, { roomId: 'R1' }, { rateId: 'BAR' }, { roomId: 'R2', rateId: 'NRF' }] as const
  const line = (scope: object, value: number): string => `${JSON.stringify(scope)} ${value}`
  return {
    name: `taxes of ${hotelId}`,
    path: '/push/taxes',
    writers: 2,
    isRepeated: false,
    winner: 'last',
    body: (marker) => ({
      hotelId,
      taxes: taxes(marker),
      products: scopes.slice(1).map((scope) => ({ ...scope, taxes: taxes(marker) })),
    }),
    written: (marker) => scopes.map((scope) => line(scope, marker)).sort(),
    read: async (client) => {
      type Scope = { roomId?: string; rateId?: string; taxes: { value: number }[] }
      const read = await bodyOf<Scope & { products: Scope[] }>(client, '/push/getTaxes', { hotelId })
      const of = ({ roomId, rateId, taxes: found }: Scope): string[] =>
        found.map(({ value }) => line({ ...(roomId && { roomId }), ...(rateId && { rateId }) }, value))
      return [...of({ taxes: read.taxes }), ...read.products.flatMap(of)].sort()
    },
    markerIn: ([read = '']) => numberIn(/ (\d+)$/, read),
  }
}

const manyHotels = Array.from({ length: 20 }, (_, index) => `G${String(index + 1).padStart(2, '0')}`)

/** Twenty hotels a push, by two clients, each in its own order. */
function hotelSlot(): Slot {
  return {
    name: 'twenty hotels',
    path: '/push/hotels',
    writers: 2,
    isRepeated: true,
    winner: 'last',
    body: (marker, writer) => {
      const order = writer % 2 === 0 ? manyHotels : manyHotels.toReversed()
      return order.map((hotelId) => hotelBody(hotelId, marker))
    },
    written: (marker) => manyHotels.map((hotelId) => `${hotelId} Hotel ${marker} in Town ${marker}`),
    read: async (client) => {
      type Hotel = { hotelId: string; hotelName: string; address: string[] }
      const { hotels } = await bodyOf<{ hotels: Hotel[] }>(client, '/push/getHotels', {
        hotelIds: manyHotels,
      })
      return hotels.map(({ hotelId, hotelName, address }) => `${hotelId} ${hotelName} in ${address.join()}`)
    },
    markerIn: ([line = '']) => numberIn(/Hotel (\d+)/, line),
  }
}

export function hotelBody(hotelId: string, marker: number): object {
  return {
    hotelId,
    hotelName: `Hotel ${marker}`,
    currency: 'USD',
    isAvailable: true,
    minChildAge: 2,
    maxChildAge: 12,
    timezone: 'UTC',
    address: [`Town ${marker}`],
  }
}

function numberIn(pattern: RegExp, line: string): number | undefined {
  const found = pattern.exec(line)?.[1]
  return found === undefined ? undefined : Number(found)
}

async function bodyOf<Body>(client: Client, path: string, asked: object): Promise<Body> {
  const answered = await client.send(path, asked)
  if (!answered.isAnswered) throw new Unreadable(`${path}: ${answered.why}`)
  if (answered.status !== 200) throw new Unreadable(`${path}: ${answered.status} ${answered.text}`)
  return JSON.parse(answered.text)
}

/** A read that was not answered with 200: expected while the service or PostgreSQL is down. */
export class Unreadable extends Error {}

/** Hotels with one catalog each, which the slots below push to. */
export const catalogHotels = ['SMALL-1', 'SMALL-2', 'LARGE', 'SEQ', 'BUSY', 'TAXED'] as const

/** The mixed load: 16 clients. */
export function allSlots(): Slot[] {
  const small = { nights: 3, model: 'unit', rates: ['BAR'] } as const
  return [
    ariSlot({ ...small, name: 'small 1', hotelId: 'SMALL-1', rooms: ['R1'], from: 0, isRepeated: true }),
    ariSlot({ ...small, name: 'small 2', hotelId: 'SMALL-1', rooms: ['R2'], from: 5 }),
    ariSlot({
      ...small,
      name: 'small 3',
      hotelId: 'SMALL-2',
      rooms: ['R1', 'R2'],
      from: 28,
      isRepeated: true,
    }),
    ariSlot({ ...small, name: 'small shared', hotelId: 'SMALL-2', rooms: ['R3'], from: 40, writers: 3 }),
    ariSlot({
      name: 'large',
      hotelId: 'LARGE',
      rooms,
      rates,
      from: 0,
      nights: 200,
      model: 'guest',
      writers: 2,
    }),
    ariSlot({
      name: 'sequence',
      hotelId: 'SEQ',
      rooms: ['R1', 'R2'],
      rates,
      from: 0,
      nights: 40,
      model: 'guest',
      writers: 2,
      winner: 'highest',
    }),
    ariSlot({ ...small, name: 'beside products', hotelId: 'BUSY', rooms: ['R4', 'R5'], from: 0 }),
    productSlot('BUSY'),
    taxSlot('TAXED'),
    hotelSlot(),
  ]
}
