import assert from 'node:assert/strict'
import type { Random } from '../fuzz/random.ts'
import type { Reply } from '../harness.ts'
import type { Hotel } from './hotel.ts'
import type { Reservation } from '../sale/reservation.ts'
import type { Stage } from './stage.ts'

/** What happened to one hotel and its guests. */

export type History = {
  stage: Stage
  hotel: Hotel
  random: Random
  /** Oldest first; the last one is changed and cancelled. */
  reservations: Reservation[]
  /** The most that the hotel was told to get, as quoted before each change, of the last reservation; in minor units. */
  everOwed: number
  note: (what: unknown) => void
  /** For failures. */
  readonly text: string
}

export function newHistory(stage: Stage, hotel: Hotel, random: Random): History {
  const lines: string[] = []
  return {
    stage,
    hotel,
    random,
    reservations: [],
    everOwed: 0,
    note: (what) => {
      lines.push(`${new Date(stage.gateway.clock.now()).toISOString()} ${JSON.stringify(what)}`)
    },
    get text() {
      const { hotelId, zone, currency } = hotel.naive
      return [`${hotelId} in ${zone}, ${currency} by now`, ...lines].join('\n')
    },
  }
}

export function expectStatus({ text }: History, reply: Reply, status: number): Reply {
  assert.equal(reply.status, status, `${reply.text}, after\n${text}`)
  return reply
}

/** The type of a refusal. */
export function refusalOf(history: History, reply: Reply): string {
  const { errors } = expectStatus(history, reply, 409).body
  return String(Object([errors].flat()[0]).type)
}
