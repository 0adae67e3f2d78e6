import type { Reply } from '../harness.ts'
import type { HotelSpec, Operation } from './ari-operations.ts'
import {
  addDays,
  NaiveHotel,
  type ItemSent,
  type ItemTold,
  type Judged,
  type LineSent,
  type Told,
} from './naive-ari.ts'

/**
 * Looks for a serial order of the operations on one hotel that explains every answer. An operation answered
 * before another was sent comes before it; otherwise the order is free, and the model gives the answer at
 * each position.
 */

/** An operation with its answer; `sentAt` and `answeredAt` count the events of the sequence. */
export type Played = { operation: Operation; reply: Reply; sentAt: number; answeredAt: number }

export type Explained =
  | { isExplained: true; hotel: NaiveHotel; order: Played[] }
  | { isExplained: false; placed: Played[]; unexplained: string[] }

/** Far more than any order of 40 operations by 8 clients has needed. */
const judgementsMax = 1_000_000

function newHotel({ currency, timeZone, products }: HotelSpec): NaiveHotel {
  const hotel = new NaiveHotel(currency, timeZone)
  // The answers to pushing the hotel and its products, before the sequence began.
  hotel.revision = 2
  hotel.products = new Map(products.map((product) => [`${product.roomId}|${product.rateId}`, product]))
  return hotel
}

/** `differenceAtEnd` compares a state with the service's final state; answers alone may permit several. */
export function explain(
  index: number,
  spec: HotelSpec,
  played: readonly Played[],
  { nowMs, differenceAtEnd }: { nowMs: number; differenceAtEnd: (hotel: NaiveHotel) => string | undefined },
): Explained {
  const hotel = newHotel(spec)
  const left = new Set(played.filter(({ operation }) => concerns(operation, index)))
  const order: Played[] = []
  let deepest: Played[] = []
  let unexplained: string[] = []
  let judgements = 0
  const search = (): boolean => {
    if (left.size === 0) {
      const difference = differenceAtEnd(hotel)
      if (difference === undefined) return true
      deepest = [...order]
      unexplained = [`the end: ${difference}`]
      return false
    }
    const firstAnswer = Math.min(...[...left].map(({ answeredAt }) => answeredAt))
    const next = [...left].filter(({ sentAt }) => sentAt <= firstAnswer)
    const reasons: string[] = []
    for (const one of next) {
      if (++judgements > judgementsMax)
        throw new RangeError(`no end of the search after ${judgementsMax} judgements`)
      const judged = judge(hotel, index, one, nowMs)
      const difference = differenceOf(judged, one, index, hotel)
      if (difference !== undefined) {
        if (revisionOf(one) <= hotel.revision + 1) reasons.push(difference)
        continue
      }
      // An operation that saw a lower revision must come first; later its position is lost.
      const waiting = next.find((other) => other !== one && revisionOf(other) < (judged.told.revision ?? 0))
      if (waiting) continue
      const undo = judged.make()
      left.delete(one)
      order.push(one)
      if (search()) return true
      undo()
      left.add(one)
      order.pop()
    }
    if (order.length >= deepest.length && reasons.length > 0) {
      deepest = [...order]
      unexplained = reasons
    }
    return false
  }
  return search() ? { isExplained: true, hotel, order } : { isExplained: false, placed: deepest, unexplained }
}

/** The revision that an answer names; answers without one fit anywhere. */
function revisionOf({ reply }: Played): number {
  const { revision } = reply.body
  return typeof revision === 'number' ? revision : Number.POSITIVE_INFINITY
}

function concerns(operation: Operation, index: number): boolean {
  return operation.kind === 'hotels'
    ? operation.hotels.some(({ hotel }) => hotel === index)
    : operation.hotel === index
}

function judge(hotel: NaiveHotel, index: number, { operation }: Played, nowMs: number): Judged {
  switch (operation.kind) {
    case 'ari':
      return hotel.judgePush(operation.body, `key ${operation.keyNo}`, nowMs)
    case 'products':
      return hotel.judgeProducts(operation.products)
    case 'taxes':
      return hotel.judgeTaxes(String(operation.percent))
    case 'hotels': {
      const sent = operation.hotels.find((one) => one.hotel === index)
      return hotel.judgeHotel(sent?.currency ?? hotel.currency, sent?.timeZone ?? hotel.timeZone)
    }
    case 'read':
      return { told: { status: 200, revision: hotel.revision }, make: () => () => {} }
  }
}

/** How the answer differs from the model's at this position; undefined when it doesn't. */
function differenceOf(
  { told }: Judged,
  { operation, reply }: Played,
  index: number,
  hotel: NaiveHotel,
): string | undefined {
  const answered = toldBy(reply)
  // The answer to a push of hotels names no revision: its neighbours determine its position.
  if (operation.kind === 'hotels') return differenceOfHotels({ operation, reply }, index, hotel)
  const compared =
    operation.kind === 'ari' ? answered : { status: answered.status, revision: answered.revision }
  const expectedText = JSON.stringify(told)
  const answeredText = JSON.stringify(compared)
  if (expectedText !== answeredText) {
    return `${operation.kind} ${JSON.stringify(operation)}\n    model:   ${expectedText}\n    service: ${answeredText} ${reply.text}`
  }
  if (operation.kind !== 'read') return undefined
  const expected = hotel.read(operation.startDate, operation.endDate, 'sellable')
  return differenceOfCells(expected, cellsOf(reply.body['ari']))
}

/** It warns of a changed currency, which shows in which order the currencies came. */
function differenceOfHotels(
  { operation, reply }: Pick<Played, 'operation' | 'reply'>,
  index: number,
  hotel: NaiveHotel,
): string | undefined {
  if (reply.status !== 200 || operation.kind !== 'hotels') return `hotels: ${reply.text}`
  const place = operation.hotels.findIndex((one) => one.hotel === index)
  const warnings = JSON.stringify(reply.body['warnings'])
  const isChanged = operation.hotels[place]?.currency !== hotel.currency
  if (warnings.includes(`"/${place}/currency"`) === isChanged) return undefined
  return `hotels ${JSON.stringify(operation)}, currency ${hotel.currency} before: ${reply.text}`
}

function toldBy({ status, body }: Reply): Told {
  const results: unknown = body['results']
  const items = Array.isArray(results)
    ? results.map((result): ItemTold => {
        const { cellsChanged, errors, warnings } = result
        return {
          status: result.status,
          cellsChanged,
          hasErrors: errors !== undefined,
          isWithheld: JSON.stringify(warnings ?? []).includes('"SUPERSEDED"'),
        }
      })
    : undefined
  const revision = typeof body['revision'] === 'number' ? { revision: body['revision'] } : {}
  return { status, ...revision, ...(items ? { items } : {}) }
}

/** The items of POST /push/getAri as one line a night, in the format of NaiveHotel.read. */
export function cellsOf(ari: unknown): Map<string, string> {
  const cells = new Map<string, string>()
  const items: ItemSent[] = Array.isArray(ari) ? ari : []
  for (const item of items) {
    const { startDate = '', endDate = '' } = item
    for (let date = startDate; date <= endDate; date = addDays(date, 1)) {
      if (item.daysOfWeek && !item.daysOfWeek.includes(weekdayOf(date))) continue
      if (item.inventory !== undefined || item.closed !== undefined) {
        addCell(
          cells,
          `${item.roomId}||${date}`,
          membersOf({ inventory: item.inventory ?? null, closed: item.closed ?? null }),
        )
      }
      for (const line of item.rates ?? [])
        addCell(cells, `${item.roomId}|${line.rateId}|${date}`, membersOf(line))
    }
  }
  return cells
}

const weekdayNames = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'] as const

function weekdayOf(date: string): string {
  return weekdayNames[new Date(`${date}T00:00:00Z`).getUTCDay()] ?? ''
}

function addCell(cells: Map<string, string>, key: string, members: string): void {
  cells.set(key, cells.has(key) ? `${cells.get(key)} and again ${members}` : members)
}

function membersOf(line: LineSent): string {
  const { prices, ...plain } = line
  const members = Object.entries(plain).flatMap(([name, value]) =>
    value === null || name === 'rateId' || name === 'pricingModel' ? [] : [`${name}=${String(value)}`],
  )
  for (const { guests, ageCategory, amount } of prices ?? []) {
    members.push(`${ageCategory === undefined ? 'unit' : `${ageCategory}/${guests}`}=${amount}`)
  }
  return members.sort().join(' ')
}

export function differenceOfCells(
  expected: ReadonlyMap<string, string>,
  found: ReadonlyMap<string, string>,
): string | undefined {
  const differences = [...new Set([...expected.keys(), ...found.keys()])]
    .sort()
    .filter((key) => expected.get(key) !== found.get(key))
    .map((key) => `${key}: model ${expected.get(key) ?? 'nothing'}, service ${found.get(key) ?? 'nothing'}`)
  return differences.length === 0
    ? undefined
    : `cells differ:\n    ${differences.slice(0, 10).join('\n    ')}`
}
