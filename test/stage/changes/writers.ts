/**
 * Eight clients that change hotels, products, taxes and ARI of the same few hotels, whatever happens to the
 * services.
 */
import { randomInt } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import type { Client } from '../crash/http.ts'

export const hotelIds = ['H1', 'H2', 'H3', 'H4', 'H5', 'H6'] as const
const rooms = ['R1', 'R2', 'R3'] as const
const rates = ['BAR', 'NRF'] as const
export const firstDate = Temporal.Now.plainDateISO('UTC').add({ days: 1 })
export const dates = 700
const writersAtOnce = 8
const afterFailureMs = 20
/** In percent. */
const chancesOfNights = 70

export type Writers = {
  /**
   * From now on only nights are changed: reading a whole hotel again would hide changes that were skipped
   * before.
   */
  onlyNights: () => void
  /** Resolves with the number of acknowledged pushes of each kind. */
  stop: () => Promise<Record<string, number>>
}

export async function pushEverything(client: Client): Promise<void> {
  await mustSend(client, '/push/hotels', hotelIds.map(hotel))
  for (const hotelId of hotelIds) {
    const products = rooms.flatMap((roomId) => rates.map((rateId) => product(roomId, rateId)))
    await mustSend(client, '/push/products', { hotelId, products })
  }
}

export function startWriters(clientOf: () => Client): Writers {
  const life = { isOver: false, chances: 100 }
  const acknowledged: Record<string, number> = { ari: 0, products: 0, taxes: 0, hotels: 0 }
  const write = async (): Promise<void> => {
    while (!life.isOver) {
      const { kind, path, body } = anyPush(randomInt(life.chances))
      const answered = await clientOf().send(path, body)
      if (answered.isAnswered && answered.status < 300) acknowledged[kind] = (acknowledged[kind] ?? 0) + 1
      else await wait(afterFailureMs)
    }
  }
  const writers = Array.from({ length: writersAtOnce }, write)
  return {
    onlyNights: () => {
      life.chances = chancesOfNights
    },
    stop: async () => {
      life.isOver = true
      await Promise.all(writers)
      return acknowledged
    },
  }
}

async function mustSend(client: Client, path: string, body: unknown): Promise<void> {
  const answered = await client.send(path, body)
  if (!answered.isAnswered || answered.status !== 200) throw new Error(`${path}: ${JSON.stringify(answered)}`)
}

type Push = { kind: string; path: string; body: unknown }

function anyPush(chance: number): Push {
  if (chance < chancesOfNights) return { kind: 'ari', path: '/push/ari', body: anyAri() }
  if (chance < 80) {
    const products = [product(any(rooms), any(rates)), product('R1', 'BAR')]
    return { kind: 'products', path: '/push/products', body: { hotelId: any(hotelIds), products } }
  }
  if (chance < 90) return { kind: 'taxes', path: '/push/taxes', body: anyTaxes() }
  // Several at once, so that transactions wait for each other.
  const several = hotelIds.filter(() => chance % 2 === 0)
  return {
    kind: 'hotels',
    path: '/push/hotels',
    body: [any(hotelIds), ...several].filter(isFirst).map(hotel),
  }
}

function anyAri(): object {
  const days = 1 + randomInt(40)
  const first = firstDate.add({ days: randomInt(dates - days) })
  const value = randomInt(20) === 0 ? null : 50 + randomInt(200)
  const line = {
    rateId: any(rates),
    price: value,
    ...(value === null ? {} : { minLengthStay: 1 + (value % 5) }),
  }
  return {
    hotelId: any(hotelIds),
    pricingModel: 'unit',
    mode: randomInt(10) === 0 ? 'overlay' : 'delta',
    ari: [
      {
        roomId: any(rooms),
        startDate: first.toString(),
        endDate: first.add({ days: days - 1 }).toString(),
        ...(randomInt(2) === 0 ? { inventory: randomInt(9), closed: randomInt(4) === 0 } : {}),
        rates: [line],
      },
    ],
  }
}

function anyTaxes(): object {
  const vat = {
    type: 'VAT',
    valueType: '%',
    value: 1 + randomInt(20),
    appliedOn: 'net',
    appliedPer: 'per_room_per_night',
    included: false,
    payNow: true,
  }
  const scope = { roomId: any(rooms), taxes: randomInt(3) === 0 ? [] : [vat] }
  return { hotelId: any(hotelIds), taxes: [vat], products: [scope] }
}

function hotel(hotelId: string): object {
  return {
    hotelId,
    hotelName: `${hotelId} ${randomInt(1_000)}`,
    // Rarely, because it makes every price unsellable until it is pushed again.
    currency: randomInt(20) === 0 ? 'EUR' : 'USD',
    isAvailable: true,
    minChildAge: 2,
    maxChildAge: 12,
    timezone: 'UTC',
  }
}

function product(roomId: string, rateId: string): object {
  return {
    roomId,
    roomType: 'Double',
    rateId,
    roomName: `Room ${randomInt(100)}`,
    rateName: `Rate ${rateId}`,
    isAvailable: randomInt(5) > 0,
    occupancy: { maxOccupancy: 2 + randomInt(3) },
  }
}

function any<Value>(values: readonly [Value, ...Value[]]): Value {
  return values[randomInt(values.length)] ?? values[0]
}

function isFirst(value: string, index: number, values: readonly string[]): boolean {
  return values.indexOf(value) === index
}
