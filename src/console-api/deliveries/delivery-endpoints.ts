import { answer, onEveryProblem, type Mounted, on, type Judge } from '../../http/calls/mount.ts'
import { minuteMs, hourMs } from '../../base/calendar.ts'
import type { Needs, Queryable } from '../../postgres/postgres.ts'
import { readLimit, judgeQuery, pageOf, type Query, readableQuery } from '../../http/calls/query.ts'
import { type Problem, Rejected, rejectIfAny, reportedValue } from '../../http/rejected.ts'
import { readPosition, writePosition, invalid, readCount, readNumber } from '../list-query.ts'
import {
  deliveriesPerPage,
  deliveryConsoleRoutes,
  openStates,
  type UndeliveredFilter,
  sentAgainMax,
  type SentAgainAnswer,
} from './contract.ts'
import {
  selectAllDeliveries,
  selectOpenDeliveries,
  type DeliveryRow,
  type Page,
  type OpenSearch,
  selectStates,
  selectToSendAgain,
} from './store.ts'
import { endpointTextsOf, listedDelivery } from './displayed-delivery.ts'
import { audit } from '../../operators/accounts/audit.ts'
import type { Operator } from '../../http/calls/call.ts'
import type { BodyOf } from '../../http/route.ts'
import { transaction } from '../../postgres/transaction.ts'
import { isRecord } from '../../http/validation/validate.ts'
import { deliveryIdOf, parseDeliveryId } from '../../bookings/outbox/delivery-queue.ts'
import { sendAgain } from '../../deliveries/on-request/send-again.ts'

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

function readDeliverySearch(query: Query, nowMs: number, problems: Problem[]): DeliverySearch {
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
function openSearchOf(
  filter: Omit<UndeliveredFilter, 'supplierId'> & { supplierId: number | undefined },
  nowMs: number,
  problems: Problem[],
): OpenSearch {
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

/**
 * Sends deliveries again, like `ari deliveries again`, with the operator's name in the audit log. To people of a supplier
 * the deliveries of others are unknown, and a filter is of their supplier whatever it says.
 */

type By = { operator: Operator; requestId: string }

/** POST /deliveries/{deliveryId}/send-again. */
export const sendDeliveryAgain = ({ db, clock }: Needs): Mounted =>
  on(deliveryConsoleRoutes.sendDeliveryAgain, async ({ params, operator, requestId }) => {
    const sent = await transaction(db, (connection) =>
      sendSelected(connection, [params.deliveryId], { operator, requestId }, clock.now()),
    )
    return answer(200, sent)
  })

/** GET /deliveries/count-to-send. */
export const countDeliveriesToSend = ({ db, clock }: Needs): Mounted =>
  onEveryProblem(deliveryConsoleRoutes.countDeliveriesToSend, judgeCount(clock), async ({ read }) => {
    const ids = await selectToSendAgain(db, read, sentAgainMax.byFilter + 1)
    return answer(200, {
      count: Math.min(ids.length, sentAgainMax.byFilter),
      isMore: ids.length > sentAgainMax.byFilter,
    })
  })

const judgeCount =
  (clock: Needs['clock']): Judge<OpenSearch> =>
  (sent, shapeProblems) => {
    const problems = [...shapeProblems]
    const query = { state: 'undelivered', ...readableQuery(sent, shapeProblems) }
    const read = readDeliverySearch(query, clock.now(), problems)
    rejectIfAny(problems)
    if (read.kind === 'open') return read.search
    throw new Rejected(400, { ...filterNeeded, path: '?state' })
  }

/** Delivered reservations are sent again only one by one, never by a filter. */
const filterNeeded = {
  type: 'UNDELIVERED_ONLY',
  message: 'A filter can send only undelivered deliveries again',
  hint: 'Select delivered ones one by one',
} as const

/** POST /deliveries/send-again. */
export const sendDeliveriesAgain = ({ db, clock }: Needs): Mounted =>
  onEveryProblem(
    deliveryConsoleRoutes.sendDeliveriesAgain,
    (body, shapeProblems) => rejectIfAny([...shapeProblems, ...problemsOf(body)]),
    async ({ body, operator, requestId }) => {
      const by = { operator, requestId }
      const nowMs = clock.now()
      const sent = await transaction(db, (connection) =>
        body.deliveryIds
          ? sendSelected(connection, body.deliveryIds, by, nowMs)
          : sendMatching(connection, body, by, nowMs),
      )
      return answer(200, sent)
    },
  )

function problemsOf(body: unknown): Problem[] {
  if (!isRecord(body)) return []
  const isChosen = body['deliveryIds'] !== undefined
  const isFiltered = body['filter'] !== undefined
  if (isChosen !== isFiltered && (isChosen || body['count'] !== undefined)) return []
  return [
    {
      type: 'CHOICE_REQUIRED',
      message: 'Send either deliveryIds, or filter and count',
      path: '',
      hint: 'count is the number returned by GET /console/api/deliveries/count-to-send',
    },
  ]
}

async function sendSelected(
  connection: Queryable,
  deliveryIds: readonly string[],
  { operator, requestId }: By,
  nowMs: number,
): Promise<SentAgainAnswer> {
  const ids = deliveryIds.map(parseDeliveryId)
  const before = await selectStates(
    connection,
    ids.flatMap((id) => id ?? []),
    operator.supplier?.supplierId,
  )
  const unknown = deliveryIds.filter((_, index) => !before.has(ids[index] ?? ''))
  rejectIfAny(unknown.map(deliveryUnknown), 404)
  const sent = await sendAgain(connection, { ids: [...before.keys()] }, nowMs)
  rejectIfNothing(sent)
  await audit(connection, {
    operator,
    requestId,
    action: 'delivery.send-again',
    subject: deliveryIds.length === 1 ? `delivery ${deliveryIds[0]}` : `${before.size} deliveries`,
    before: {
      deliveries: [...before].map(([id, standing]) => ({ deliveryId: deliveryIdOf(id), ...standing })),
    },
    after: sent,
  })
  return sent
}

function rejectIfNothing({ again, repeated, nowhere }: SentAgainAnswer): void {
  if (again + repeated > 0) return
  throw new Rejected(409, nowhere > 0 ? noUrl : nothingToSend)
}

const noUrl = {
  type: 'NO_URL',
  message: 'Nothing was sent: the supplier has registered no URL for reservations',
  hint: 'Inform the hotel by other means. The supplier can register one with POST /push/webhook/pushbook, or fetch its reservations',
} as const

const nothingToSend = {
  type: 'NOTHING_TO_SEND',
  message: 'Nothing was sent',
  hint: 'It is being sent, a newer version replaced it, or it is already queued again',
} as const

export function deliveryNotFound(sent: string): Rejected {
  return new Rejected(404, deliveryUnknown(sent))
}

function deliveryUnknown(sent: string): Problem {
  return { type: 'DELIVERY_NOT_FOUND', message: 'Delivery not found', value: reportedValue(sent) }
}

async function sendMatching(
  connection: Queryable,
  { filter, count = 0 }: BodyOf<typeof deliveryConsoleRoutes.sendDeliveriesAgain>,
  { operator, requestId }: By,
  nowMs: number,
): Promise<SentAgainAnswer> {
  const problems: Problem[] = []
  const supplierId = operator.supplier?.supplierId ?? filter?.supplierId
  const search = filter && openSearchOf({ ...filter, supplierId }, nowMs, problems)
  rejectIfAny(problems)
  const ids = search ? await selectToSendAgain(connection, search, count + 1) : []
  if (ids.length > count) throw new Rejected(409, moreByNow)
  const sent = await sendAgain(connection, { ids }, nowMs)
  rejectIfNothing(sent)
  await audit(connection, {
    operator,
    requestId,
    action: 'delivery.send-again',
    subject: 'deliveries by filter',
    before: { filter: { ...filter, supplierId } },
    after: sent,
  })
  return sent
}

const moreByNow = {
  type: 'MORE_BY_NOW',
  message: 'More deliveries match than were counted; none was sent',
  hint: 'Count them again, and confirm the number',
} as const
