/** A cache that knows only the changes in the feed, and reads exactly those again. */
import { setTimeout as wait } from 'node:timers/promises'
import { minutes } from '../pace.ts'
import type { Client } from '../crash/http.ts'
import { cellsOf } from '../models/ari-history.ts'
import { addDays } from '../models/naive-ari.ts'
import { dates, firstDate } from './writers.ts'

type Nights = { roomId: string; rateId?: string; startDate: string; endDate: string }
export type Change = {
  cursor: string
  kind: 'hotel' | 'products' | 'taxes' | 'ari'
  hotelId: string
  /** Absent: an event. */
  revision?: number
  nights?: Nights[]
}

export type CachedHotel = {
  revision: number
  hotel?: unknown
  products?: unknown
  taxes?: unknown
  cells: Map<string, string>
}

const everything = { startDate: firstDate.toString(), endDate: firstDate.add({ days: dates - 1 }).toString() }
const afterFailureMs = 20
const patienceMs = minutes(3)
const pendingEveryMs = 50

/** Retries until it gets an answer: services are restarted, but not for long. */
export async function read(
  clientOf: () => Client,
  path: string,
  body?: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<Record<string, unknown>> {
  const untilMs = performance.now() + patienceMs
  while (performance.now() < untilMs) {
    const answered = await clientOf().send(path, body, headers)
    if (answered.isAnswered && answered.status === 200) {
      try {
        return JSON.parse(answered.text)
      } catch {
        // Cut short by the end of a service.
      }
    } else if (answered.isAnswered && answered.status !== 503)
      throw new Error(`${path}: ${answered.status} ${answered.text}`)
    await wait(afterFailureMs)
  }
  throw new Error(`${path}: no answer for ${patienceMs} ms`)
}

export class Cache {
  readonly hotels = new Map<string, CachedHotel>()
  /** Revisions that did not increase. */
  readonly disorder: string[] = []
  changes = 0
  readonly #clientOf: () => Client
  #pending: Change[] = []
  #isOver = false
  readonly #applied: Promise<void>

  constructor(clientOf: () => Client) {
    this.#clientOf = clientOf
    this.#applied = this.#applyAll()
  }

  /** Records a change; the data it names are read later, together with changes that arrive until then. */
  note(change: Change): void {
    const { hotelId, revision } = change
    this.changes++
    // An event, after which nothing is read again.
    if (revision === undefined) return
    const cached = this.hotels.get(hotelId) ?? { revision: 0, cells: new Map<string, string>() }
    this.hotels.set(hotelId, cached)
    if (revision <= cached.revision) this.disorder.push(`${hotelId}: ${revision} after ${cached.revision}`)
    cached.revision = revision
    this.#pending.push(change)
  }

  /** Resolves when everything recorded has been read. */
  finish(): Promise<void> {
    this.#isOver = true
    return this.#applied
  }

  async #applyAll(): Promise<void> {
    while (!this.#isOver || this.#pending.length > 0) {
      const changes = this.#pending
      this.#pending = []
      const byHotel = [...Map.groupBy(changes, ({ hotelId }) => hotelId)]
      await Promise.all(byHotel.map(([hotelId, ofHotel]) => this.#apply(hotelId, ofHotel)))
      await wait(pendingEveryMs)
    }
  }

  async #apply(hotelId: string, changes: readonly Change[]): Promise<void> {
    const cached = this.hotels.get(hotelId)
    if (!cached) return
    if (changes.some(({ kind }) => kind === 'hotel' || kind === 'products')) {
      Object.assign(cached, await this.#whole(hotelId))
      return
    }
    if (changes.some(({ kind }) => kind === 'taxes')) cached.taxes = await this.#taxes(hotelId)
    const nights = changes.flatMap((change) => change.nights ?? [])
    for (const [roomId, ofRoom] of Map.groupBy(nights, (range) => range.roomId)) {
      await this.#readNights(hotelId, roomId, ofRoom)
    }
  }

  /** Takes over the nights named, and no others. */
  async #readNights(hotelId: string, roomId: string, nights: readonly Nights[]): Promise<void> {
    const [first = ''] = nights.map(({ startDate }) => startDate).sort()
    const last =
      nights
        .map(({ endDate }) => endDate)
        .sort()
        .at(-1) ?? ''
    const found = await this.#cells({ hotelId, roomIds: [roomId], startDate: first, endDate: last })
    const cells = this.hotels.get(hotelId)?.cells
    for (const { rateId, startDate, endDate } of nights) {
      for (let date = startDate; date <= endDate; date = addDays(date, 1)) {
        const key = `${roomId}|${rateId ?? ''}|${date}`
        const held = found.get(key)
        if (held === undefined) cells?.delete(key)
        else cells?.set(key, held)
      }
    }
  }

  async #cells(asked: object): Promise<Map<string, string>> {
    const { ari } = await read(this.#clientOf, '/push/getAri', asked)
    return cellsOf(ari)
  }

  async #taxes(hotelId: string): Promise<unknown> {
    const { taxes, products } = await read(this.#clientOf, '/push/getTaxes', { hotelId })
    return { taxes, products }
  }

  async #whole(hotelId: string): Promise<Omit<CachedHotel, 'revision'>> {
    const { hotels } = await read(this.#clientOf, '/push/getHotels', [hotelId])
    const { mappings } = await read(this.#clientOf, '/push/getRoomRateMappings', { hotelId })
    return {
      hotel: onlyPushed(Object(hotels)[0]),
      products: Object(mappings).map(onlyPushed),
      taxes: await this.#taxes(hotelId),
      cells: await this.#cells({ hotelId, ...everything }),
    }
  }

  /** The stored truth, read once all is quiet. */
  async truth(hotelId: string): Promise<CachedHotel> {
    const { hotels } = await read(this.#clientOf, '/push/getHotels', [hotelId])
    return { revision: Object(hotels)[0].revision, ...(await this.#whole(hotelId)) }
  }
}

const changedElsewhere = ['revision', 'lastAriAt', 'goLive', 'ariFrom', 'ariTo', 'status', 'pricingModel']

/** Without values that pushes of ARI and the date also change. */
function onlyPushed(value: unknown): unknown {
  return Object.fromEntries(
    Object.entries(Object(value)).filter(([name]) => !changedElsewhere.includes(name)),
  )
}
