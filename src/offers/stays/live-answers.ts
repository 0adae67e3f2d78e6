import type { DayNumber } from '../../base/calendar.ts'
import { roomRateKey } from '../../products/store.ts'
import type { RequestedRoom } from '../party.ts'

/** What suppliers said when they were asked about a stay, for as long as searches heed it (decision 072). */

/** The amounts of each night of one room, in minor units. */
export type LiveNights = readonly { beforeTax: number; afterTax: number }[]

export type LiveAnswer = {
  roomNo: number
  rateNo: number
  arrival: DayNumber
  departure: DayNumber
  /** All rooms asked, as `roomTexts` has them. */
  rooms: readonly string[]
  outcome: 'sold_out' | 'price_changed'
  /** By different room, in their order; undefined: sold out. */
  prices: readonly LiveNights[] | undefined
  atMs: number
  /** How far the account's clock was ahead then. */
  aheadMs: number
  untilMs: number
}

/** Memory of an answer, as measured, and of each of its amounts. */
const answerBytes = 400
const amountBytes = 8

export function bytesOfLive(answers: readonly LiveAnswer[]): number {
  let bytes = 0
  for (const { prices = [] } of answers) {
    bytes += answerBytes
    for (const nights of prices) bytes += 2 * amountBytes * nights.length
  }
  return bytes
}

/** The guests of each room as text, in an order that doesn't depend on how they were asked. */
export function roomTexts(rooms: readonly RequestedRoom[]): string[] {
  return rooms.map(roomText).sort()
}

function roomText({ adults, childAges }: RequestedRoom): string {
  return `${adults}:${childAges.toSorted((one, other) => one - other).join()}`
}

export function roomOfText(text: string): RequestedRoom {
  const [adults = '', ages = ''] = text.split(':')
  return { adults: Number(adults), childAges: ages === '' ? [] : ages.split(',').map(Number) }
}

/** Whether each of some rooms is among the others, both in the order of `roomTexts`. */
export function areAmong(some: readonly string[], others: readonly string[]): boolean {
  let at = 0
  for (const room of some) {
    while (at < others.length && (others[at] ?? '') < room) at++
    if (others[at] !== room) return false
    at++
  }
  return true
}

/** The answers about a hotel, as a column of its row `hotel`; null if there is none. */
export const liveAnswersColumn = `(
  select json_agg(json_build_array(room_no, rate_no, arrival - '1970-01-01'::date, departure - '1970-01-01'::date, rooms,
    prices, epoch_ms(at), ahead_ms, epoch_ms(until)))::text
  from live_answer where hotel_id = hotel.id)`

type LiveRow = [
  number,
  number,
  DayNumber,
  DayNumber,
  string[],
  (readonly [number, number])[][] | null,
  number,
  number,
  number,
]

const none: readonly LiveAnswer[] = []

export function liveAnswersOf(json: string | null): readonly LiveAnswer[] {
  if (json === null) return none
  // oxlint-disable-next-line typescript/no-unsafe-assignment -- The boundary: `liveAnswersColumn` made it.
  const rows: LiveRow[] = JSON.parse(json)
  return rows.map(([roomNo, rateNo, arrival, departure, rooms, prices, atMs, aheadMs, untilMs]) => ({
    roomNo,
    rateNo,
    arrival,
    departure,
    rooms,
    outcome: prices ? 'price_changed' : 'sold_out',
    prices: prices?.map((nights) => nights.map(([beforeTax, afterTax]) => ({ beforeTax, afterTax }))),
    atMs,
    aheadMs,
    untilMs,
  }))
}

/** The stay that is asked for. */
export type LiveStay = { arrival: DayNumber; departure: DayNumber; rooms: readonly string[] }

/** The answers about one hotel that count now. */
export class LiveAnswers {
  readonly #byRoomRate: Map<number, LiveAnswer[]>

  /** Undefined without any: most hotels have none. */
  static of(
    { live, catalog }: { live: readonly LiveAnswer[]; catalog: { aheadMs: number } },
    nowMs: number,
  ): LiveAnswers | undefined {
    if (live.length === 0) return undefined
    const current = live.filter((answer) => counts(answer, nowMs, catalog.aheadMs))
    return current.length === 0 ? undefined : new LiveAnswers(current)
  }

  private constructor(answers: readonly LiveAnswer[]) {
    this.#byRoomRate = Map.groupBy(answers, ({ roomNo, rateNo }) => roomRateKey(roomNo, rateNo))
  }

  /** The answer by which these rooms can't be had: it was about them, or about some of them. */
  soldOut(key: number, stay: LiveStay): LiveAnswer | undefined {
    return this.#of(key, stay).find(
      ({ outcome, rooms }) => outcome === 'sold_out' && areAmong(rooms, stay.rooms),
    )
  }

  /** The answer with another price for exactly these rooms. */
  otherPrice(key: number, stay: LiveStay): LiveAnswer | undefined {
    return this.#of(key, stay).find(
      ({ outcome, rooms }) =>
        outcome === 'price_changed' && rooms.length === stay.rooms.length && areAmong(rooms, stay.rooms),
    )
  }

  /** The answers that one about these rooms, which had units for them, overrules. */
  overruledBy(key: number, stay: LiveStay): LiveAnswer[] {
    return this.#of(key, stay).filter(({ rooms }) => areAmong(rooms, stay.rooms))
  }

  #of(key: number, { arrival, departure }: LiveStay): LiveAnswer[] {
    const answers = this.#byRoomRate.get(key) ?? []
    return answers.filter((one) => one.arrival === arrival && one.departure === departure)
  }
}

/** Until its time, also by the account's own clock, which may leap. */
function counts({ aheadMs, untilMs }: LiveAnswer, nowMs: number, aheadNowMs: number): boolean {
  const leaptMs = Math.max(0, aheadNowMs - aheadMs)
  return nowMs + leaptMs < untilMs
}
