import { readableQuery } from '../../http/query.ts'
import { type Problem } from '../../http/rejected.ts'
import { invalid, readCount, readNumber, type Query } from '../bookings/booking-query.ts'
import { openStates, type UndeliveredFilter } from './contract.ts'
import type { OpenSearch } from './store.ts'

/** The filter of deliveries in a request. */

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const countMax = { minutes: 1_000_000, hours: 100_000 }

/** Delivered and superseded deliveries are a long list, which can be filtered only by supplier and hotel. */
export type DeliverySearch =
  | { kind: 'open'; search: OpenSearch }
  | {
      kind: 'all'
      supplierId: number | undefined
      hotelId: number | undefined
      status: 'delivered' | 'superseded' | undefined
    }

const ofOpenOnly = ['endpoint', 'olderThanMinutes', 'arrivalWithinHours', 'alerted'] as const

export function readDeliverySearch(query: Query, nowMs: number, wrong: Problem[]): DeliverySearch {
  const state = query['state']
  const supplierId = readNumber('supplierId', query, wrong)
  const hotelId = readNumber('hotelId', query, wrong)
  const openState = openStates.find((one) => one === state)
  const narrowing = ofOpenOnly.filter((name) => query[name] !== undefined)
  const status = state === 'delivered' || state === 'superseded' ? state : undefined
  if (status !== undefined) {
    for (const name of narrowing)
      wrong.push(invalid(name, query[name], `goes with undelivered deliveries, not with state ${status}`))
  }
  const olderThan = readCount('olderThanMinutes', query, countMax.minutes, wrong)
  const arrivalWithin = readCount('arrivalWithinHours', query, countMax.hours, wrong)
  const endpoint = readEndpoint(query['endpoint'], wrong)
  if (openState === undefined && narrowing.length === 0) return { kind: 'all', supplierId, hotelId, status }
  return {
    kind: 'open',
    search: {
      state: openState ?? 'undelivered',
      supplierId,
      hotelId,
      endpoint,
      undeliveredBeforeMs: olderThan === undefined ? undefined : nowMs - olderThan * minuteMs,
      arrivesBeforeMs: arrivalWithin === undefined ? undefined : nowMs + arrivalWithin * hourMs,
      isAlerted: query['alerted'] === 'true',
    },
  }
}

/** The same filter in a body. */
export function openSearchOf(filter: UndeliveredFilter, nowMs: number, wrong: Problem[]): OpenSearch {
  const { state, supplierId, hotelId, olderThanMinutes, arrivalWithinHours, alerted } = filter
  return {
    state,
    supplierId,
    hotelId,
    endpoint: readEndpoint(filter.endpoint, wrong),
    undeliveredBeforeMs: olderThanMinutes === undefined ? undefined : nowMs - olderThanMinutes * minuteMs,
    arrivesBeforeMs: arrivalWithinHours === undefined ? undefined : nowMs + arrivalWithinHours * hourMs,
    isAlerted: alerted ?? false,
  }
}

function readEndpoint(sent: string | undefined, wrong: Problem[]): number | undefined {
  if (sent === undefined) return undefined
  if (/^[1-9]\d{0,14}$/.test(sent)) return Number(sent)
  wrong.push(invalid('endpoint', sent, 'must be the id of an endpoint, as in the list'))
  return undefined
}

/** For routes that need nothing else from their query. */
export function readQueryOf(
  sent: unknown,
  shapeProblems: readonly Problem[],
): { query: Query; wrong: Problem[] } {
  return { query: readableQuery(sent, shapeProblems), wrong: [...shapeProblems] }
}
