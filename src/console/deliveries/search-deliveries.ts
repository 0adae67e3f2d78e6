import { answer, onEveryProblem, type Mounted } from '../../http/mount.ts'
import type { Needs } from '../../postgres/postgres.ts'
import { readLimit, judgeQuery, pageOf, type Query } from '../../http/query.ts'
import type { Problem } from '../../http/rejected.ts'
import { readPosition, writePosition, invalid, readCount, readNumber } from '../list-query.ts'
import { deliveriesPerPage, deliveryConsoleRoutes, openStates, type UndeliveredFilter } from './contract.ts'
import {
  selectAllDeliveries,
  selectOpenDeliveries,
  type DeliveryRow,
  type Page,
  type OpenSearch,
} from './store.ts'
import { endpointTextsOf, listedDelivery } from './displayed-delivery.ts'

/** GET /deliveries. */
export const searchDeliveries = (needs: Needs): Mounted =>
  onEveryProblem(deliveryConsoleRoutes.searchDeliveries, judge(needs), async ({ read }) => {
    const { db } = needs
    const { search, after, limit } = read
    const range: Page = { after, limit: limit + 1 }
    const rows =
      search.kind === 'open'
        ? await selectOpenDeliveries(db, search.search, range)
        : await selectAllDeliveries(db, search, range)
    const { page, last } = pageOf(rows, limit)
    const endpointTexts = await endpointTextsOf(db, page)
    return answer(200, {
      deliveries: page.map((row) => listedDelivery(row, endpointTexts)),
      nextCursor: last ? cursorOf(last) : null,
    })
  })

const judge = ({ clock }: Needs) =>
  judgeQuery((query, problems) => {
    const search = readDeliverySearch(query, clock.now(), problems)
    const [createdAtMs, id] = readPosition(query, positionText, problems) ?? []
    const after = id === undefined ? undefined : { createdAtMs: Number(createdAtMs), id }
    return { search, after, limit: readLimit(query['limit'], deliveriesPerPage, problems) }
  })

const positionText = /^(\d{1,15}) ([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/

function cursorOf({ createdAtMs, id }: DeliveryRow): string {
  return writePosition([createdAtMs, id])
}

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const countMax = { minutes: 1_000_000, hours: 100_000 }

/** Delivered and superseded deliveries are a long list, which can be filtered only by supplier and hotel. */
type DeliverySearch =
  | { kind: 'open'; search: OpenSearch }
  | {
      kind: 'all'
      supplierId: number | undefined
      hotelId: number | undefined
      status: 'delivered' | 'superseded' | undefined
    }

const openFilters = ['endpoint', 'olderThanMinutes', 'arrivalWithinHours', 'alerted'] as const

export function readDeliverySearch(query: Query, nowMs: number, problems: Problem[]): DeliverySearch {
  const state = query['state']
  const supplierId = readNumber('supplierId', query, problems)
  const hotelId = readNumber('hotelId', query, problems)
  const openState = openStates.find((one) => one === state)
  const narrowing = openFilters.filter((name) => query[name] !== undefined)
  const status = state === 'delivered' || state === 'superseded' ? state : undefined
  if (status !== undefined) {
    for (const name of narrowing)
      problems.push(invalid(name, query[name], `goes with undelivered deliveries, not with state ${status}`))
  }
  const olderThan = readCount('olderThanMinutes', query, countMax.minutes, problems)
  const arrivalWithin = readCount('arrivalWithinHours', query, countMax.hours, problems)
  const endpoint = readEndpoint(query['endpoint'], problems)
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
export function openSearchOf(filter: UndeliveredFilter, nowMs: number, problems: Problem[]): OpenSearch {
  const { state, supplierId, hotelId, olderThanMinutes, arrivalWithinHours, alerted } = filter
  return {
    state,
    supplierId,
    hotelId,
    endpoint: readEndpoint(filter.endpoint, problems),
    undeliveredBeforeMs: olderThanMinutes === undefined ? undefined : nowMs - olderThanMinutes * minuteMs,
    arrivesBeforeMs: arrivalWithinHours === undefined ? undefined : nowMs + arrivalWithinHours * hourMs,
    isAlerted: alerted ?? false,
  }
}

function readEndpoint(sent: string | undefined, problems: Problem[]): number | undefined {
  if (sent === undefined) return undefined
  if (/^[1-9]\d{0,14}$/.test(sent)) return Number(sent)
  problems.push(invalid('endpoint', sent, 'must be the id of an endpoint, as in the list'))
  return undefined
}
