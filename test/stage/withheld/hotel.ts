import assert from 'node:assert/strict'
import type { TestClient } from '../harness.ts'
import { addDays, dateIn, type ItemSent, type PushSent } from '../models/naive-ari.ts'
import { readBackNights, type NightsRead, type Value } from '../models/read-back-nights.ts'
import { expectOk, pushStoryHotel } from '../story.ts'
import { mostGuests, rateIds, roomId } from './lines.ts'
import { NaiveGuard } from './naive-guard.ts'
import type { Order } from './night.ts'
import type { Settings } from './rules.ts'
import { timeZone, type Stage } from './stage.ts'

/** A push to `guarded`, and what its twin was sent of it; undefined: nothing. */
export type Done = { push: number | undefined; guarded: string; free: string | undefined }

const filledNights = 20
/** Of all filled nights, and all that pushes touch. */
const readNights = 30

/** A hotel of `guarded`, its twin of `free`, and what the naive guard knows. */
export class Hotel {
  readonly number: number
  readonly hotelId: string
  readonly naive: NaiveGuard
  readonly #stage: Stage
  #read: NightsRead = new Map()
  #history: unknown[] = []
  /** What can be undone. */
  done: Done[] = []
  pushes = 0
  currency = 'USD'
  readonly requestIdOf = new Map<number, string>()

  constructor(stage: Stage, number: number, naive: NaiveGuard) {
    this.#stage = stage
    this.number = number
    this.hotelId = `H${number}`
    this.naive = naive
  }

  /** The present moment, later than that of any other step. */
  tick(): number {
    const { clock } = this.#stage.gateway
    clock.set(new Date(clock.now() + 1).toISOString())
    return clock.now()
  }

  get today(): string {
    return dateIn(timeZone, this.#stage.gateway.clock.now())
  }

  note(what: unknown): void {
    this.#history = [...this.#history.slice(-40), what]
  }

  /** What happened; of pushes, what they say of these nights, as `room-rate|date`. */
  history(keys?: readonly string[]): string {
    const isOf = ({ startDate = '', endDate = startDate, date = '', rates }: ItemSent): boolean =>
      !keys ||
      keys.some((key) => {
        const [rate, night = ''] = key.split('|')
        const isNight = date === night || (startDate <= night && night <= endDate)
        return isNight && (rate === '' || rates?.some(({ rateId }) => rateId === rate) === true)
      })
    const shown = (name: string, value: unknown): unknown =>
      name === 'ari' && Array.isArray(value) ? value.filter(isOf) : value
    return this.#history.map((one) => JSON.stringify(one, shown)).join('\n')
  }

  /** Sends the twin a push; returns its request id. */
  async sendTwin({ key, sequence }: Order, push: PushSent): Promise<string> {
    const client = this.#stage.free[key]
    if (!client) throw new RangeError(`no key ${key}`)
    const { status, body, text } = await client.post('/push/ari', {
      pricingModel: 'unit',
      ...push,
      ...(sequence === undefined ? {} : { sequence }),
    })
    assert.equal(status, 200, `${text}, after\n${this.history()}`)
    return String(body['requestId'])
  }

  /** Releases by the naive guard, to the twin. Returns the requests that the twin was sent. */
  async releaseToTwin(pushes: readonly number[]): Promise<string[]> {
    const sent: string[] = []
    for (const push of pushes) {
      const released = this.naive.release(push, this.today)
      if (!released) continue
      this.note({ released })
      sent.push(await this.sendTwin(released.order, { hotelId: this.hotelId, ari: released.ari }))
    }
    return sent
  }

  async expire(): Promise<void> {
    const nowMs = this.tick()
    const before = this.naive.holds.pushes.length
    const applied = this.naive.holds.expire(nowMs)
    this.note({ expired: applied })
    await this.releaseToTwin(applied)
    this.#stage.counted.expired += before - this.naive.holds.pushes.length
    await this.compare()
  }

  /** What is stored of both is the same, and as the naive guard says. `isAsNaive`: it says so. */
  async compare({ isAsNaive = true } = {}): Promise<void> {
    const { guarded, free, gateway } = this.#stage
    const from = addDays(this.today, -1)
    const [found, expected] = [
      await this.#readBackNights(guarded, from),
      await this.#readBackNights(free, from),
    ]
    const naive = this.naive.read(from)
    if (isAsNaive) this.#assertSame(expected, naive, 'the twin and the naive model')
    this.#assertSame(found, expected, 'the guarded hotel and its twin')
    this.naive.adopt(found, this.#read, { from, nowMs: gateway.clock.now() })
    this.#read = found
  }

  #assertSame(
    found: ReadonlyMap<string, ReadonlyMap<string, Value>>,
    expected: ReadonlyMap<string, ReadonlyMap<string, Value>>,
    whose: string,
  ): void {
    const [one, other] = [linesOf(found), linesOf(expected)]
    const differing = [...new Set([...one.keys(), ...other.keys()])].filter(
      (key) => one.get(key) !== other.get(key),
    )
    const differences = differing.map((key) => `${key}: ${one.get(key)} and ${other.get(key)}`)
    assert.equal(
      differing.length,
      0,
      `${this.hotelId}: ${whose} differ:\n${differences.join('\n')}\nafter\n${this.history(differing)}`,
    )
  }

  async #readBackNights([client]: readonly TestClient[], from: string): Promise<NightsRead> {
    const range = { startDate: from, endDate: addDays(from, readNights) }
    const reply = await client?.post('/push/getAri', { hotelId: this.hotelId, ...range })
    const ari: ItemSent[] = Object(reply && expectOk(reply).body).ari
    return readBackNights(ari)
  }

  /** The ids of the open holds by the request that they are of; as many requests as the naive guard knows. */
  async openHolds(): Promise<Map<string, string[]>> {
    const [client] = this.#stage.guarded
    const ids = new Map<string, string[]>()
    for (let cursor: unknown; cursor !== null;) {
      const reply = await client?.post('/push/guard/holds', { hotelId: this.hotelId, limit: 200, cursor })
      const page: { holds: { holdId: string; requestId: string }[]; nextCursor: unknown } = Object(
        reply && expectOk(reply).body,
      )
      for (const { holdId, requestId } of page.holds)
        ids.set(requestId, [...(ids.get(requestId) ?? []), holdId])
      cursor = page.nextCursor
    }
    const expected = this.naive.holds.pushes.map((push) => this.requestIdOf.get(push) ?? '')
    assert.deepEqual(
      [...ids.keys()].sort(),
      expected.sort(),
      `${this.hotelId}: other pushes are held, after\n${this.history()}`,
    )
    return ids
  }
}

function linesOf(read: ReadonlyMap<string, ReadonlyMap<string, Value>>): Map<string, string> {
  return new Map(
    [...read].map(([key, values]) => [
      key,
      [...values]
        .map(([name, value]) => `${name}=${value}`)
        .sort()
        .join(' '),
    ]),
  )
}

type Tax = { value: number; per: 'room' | 'person'; startDate?: string; endDate?: string }

/** Included in the price: below them, a night can't be sold. By room or person, on all nights or some. */
function taxesOf(number: number, today: string): Tax[] {
  const dated = { startDate: addDays(today, 2), endDate: addDays(today, 4) }
  const byRoom: Tax = { value: 30, per: 'room' }
  const byPerson: Tax = { value: 10, per: 'person' }
  const kinds = [
    [byRoom],
    [byPerson],
    [{ ...byRoom, ...dated }],
    [
      { ...byPerson, ...dated },
      { value: 5, per: 'room' as const },
    ],
    [],
  ]
  return kinds[number % kinds.length] ?? []
}

export async function openHotel(stage: Stage, number: number, settings: Settings): Promise<Hotel> {
  const today = dateIn(timeZone, stage.gateway.clock.now())
  const taxes = taxesOf(number, today)
  const floorOn = (date: string): number =>
    taxes
      .filter(({ startDate = date, endDate = date }) => startDate <= date && date <= endDate)
      .reduce((sum, { value, per }) => sum + value * (per === 'room' ? 1 : mostGuests), 0)
  const hotel = new Hotel(stage, number, new NaiveGuard(settings, floorOn))
  const { hotelId } = hotel
  const rates = rateIds.map((rateId) => ({ rateId, price: 100 }))
  const ari = [{ roomId, startDate: today, endDate: addDays(today, filledNights - 1), inventory: 4, rates }]
  for (const [client] of [stage.guarded, stage.free]) {
    if (!client) throw new RangeError('no key')
    await pushStoryHotel(client, { hotelId })
    const sent = taxes.map(({ per, ...tax }) => ({
      type: 'CITY_TAX',
      valueType: 'fixed',
      appliedOn: 'net',
      appliedPer: `per_${per}_per_night`,
      included: true,
      payNow: true,
      ...tax,
    }))
    expectOk(await client.post('/push/taxes', { hotelId, taxes: sent }))
    expectOk(await client.post('/push/ari', { hotelId, pricingModel: 'unit', ari }))
  }
  expectOk(await setGuard(stage, hotel))
  await hotel.compare({ isAsNaive: false })
  return hotel
}

export function setGuard({ guarded }: Stage, { hotelId, naive }: Hotel) {
  const [client] = guarded
  if (!client) throw new RangeError('no key')
  return client.post('/push/guard', { hotelId, ...naive.settings })
}
