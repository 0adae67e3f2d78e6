import { stopSell as stopNights, type StoppedRow } from '../../ari/stop-sell.ts'
import { readId } from '../../http/query.ts'
import { lockHotels, writeBlocks, writeVersions } from '../../ari/store.ts'
import { todayIn } from '../../hotels/hotel-clock.ts'
import { commonLimits } from '../../keys/contract.ts'
import type { BookingCatalog } from '../../offers/booking-catalog.ts'
import { audit } from '../../operators/audit.ts'
import { parseNight } from '../../base/calendar.ts'
import type { Call } from '../../http/call.ts'
import { answer, besideShape, onEveryProblem, type Mounted } from '../../http/mount.ts'
import type { Queryable } from '../../postgres/postgres.ts'
import { rejectIfAny, reportedValue, type Problem } from '../../http/rejected.ts'
import type { AnswerOf, BodyOf } from '../../http/route.ts'
import { transaction } from '../../postgres/transaction.ts'
import { isRecord } from '../../http/validate.ts'
import { keepPushes } from '../../push-log/keep.ts'
import { calendarRoutes, type StopSellAnswer } from './contract.ts'
import { insertStopSell, selectHotelSupplier } from './store.ts'
import { hotelNotFound, roomRateNamed } from '../hotels/store.ts'
import type { CalendarNeeds } from './get-calendar.ts'

type Route = typeof calendarRoutes.stopSell
type Body = BodyOf<Route>

/** POST /hotels/{hotelId}/stop-sell: stops or resumes sales by the platform; a preview changes nothing. */
export const stopSell = (needs: CalendarNeeds): Mounted =>
  onEveryProblem(
    calendarRoutes.stopSell,
    (sent, shapeProblems) => rejectIfAny(besideShape(shapeProblems, datesReversed(sent))),
    async (call) => {
      const { params, body } = call
      const [from, to] = [parseNight(body.from) ?? 0, parseNight(body.to) ?? 0]
      const startedMs = performance.now()
      const nowMs = needs.clock.now()
      const hotelId = readId(params.hotelId)
      if (hotelId === undefined) throw hotelNotFound(params.hotelId)
      const nights = to - from + 1
      const outcome = await transaction(needs.db, async (connection) => {
        const hotel = (await lockHotels(connection, [hotelId], 'wait')).get(hotelId)
        // Under the lock, which may have waited for a push of products or a reset of the sandbox.
        const range = { firstDay: from, lastDay: from }
        const stay = hotel && (await needs.stays.readWithin(connection, { ...hotel, hotelId }, range))
        if (!stay) throw hotelNotFound(params.hotelId)
        const { catalog } = stay
        rejectIfAny(outOfWindow(body, from, to, todayIn(catalog, nowMs)))
        const rows = rowsOf(catalog, body)
        const isStopped = body.action === 'stop'
        const { written, changedOf, before } = await stopNights(connection, hotel, {
          rows,
          from,
          to,
          isStopped,
        })
        const nightsChanged = changedOf.reduce((sum, changed) => sum + changed, 0)
        const isPreview = body.preview === true
        const changes = nightsChanged > 0 && !isPreview
        const revision = changes ? hotel.revision + 1 : hotel.revision
        const answered: AnswerOf<Route> = {
          isPreview,
          revision,
          requestId: call.requestId,
          rows: body.targets.map(({ roomId, rateId }, index) => ({
            roomId,
            rateId: rateId ?? null,
            nights,
            changed: changedOf[index] ?? 0,
          })),
          nightsChanged,
        }
        if (changes) {
          await writeBlocks(connection, written, nowMs)
          const risen = { id: hotelId, revision, revisionBefore: hotel.revision }
          const keys = written.map(({ key }) => key)
          await writeVersions(connection, [{ hotel: risen, keys }], 'stopSell', nowMs)
          await note(connection, call, { catalog, answered, before, nowMs, startedMs })
        }
        return answered
      })
      return answer(200, outcome)
    },
  )

function datesReversed(sent: unknown): Problem[] {
  if (!isRecord(sent) || typeof sent['from'] !== 'string' || typeof sent['to'] !== 'string') return []
  if (sent['from'] <= sent['to']) return []
  return [
    {
      type: 'DATES_REVERSED',
      message: 'to must not be before from',
      path: '/to',
      value: reportedValue(sent['to']),
    },
  ]
}

/** The nights that can be pushed. */
function outOfWindow(body: Body, from: number, to: number, today: number): Problem[] {
  const problems: Problem[] = []
  if (from < today - 1)
    problems.push({
      type: 'DATE_PAST',
      message: 'from must not be before yesterday',
      path: '/from',
      value: body.from,
    })
  if (to > today + commonLimits.ariDaysAhead) {
    const message = `to must be at most ${commonLimits.ariDaysAhead} days ahead`
    problems.push({ type: 'DATE_TOO_FAR', message, path: '/to', value: body.to })
  }
  return problems
}

function rowsOf(catalog: BookingCatalog, { targets }: Body): StoppedRow[] {
  const seen = new Set<string>()
  const twice: Problem[] = []
  const rows = targets.map(({ roomId, rateId }, index) => {
    const path = `/targets/${index}`
    const { roomNo, rateNo } = roomRateNamed(catalog, { roomId, rateId }, `${path}/roomId`, `${path}/rateId`)
    const row = { roomNo, rateNo: rateId === undefined ? 0 : rateNo }
    const text = `${row.roomNo}/${row.rateNo}`
    if (seen.has(text)) {
      const message = 'A room or rate appears twice in the request'
      twice.push({ type: 'DUPLICATE_TARGET', message, path, value: reportedValue(rateId ?? roomId) })
    }
    seen.add(text)
    return row
  })
  rejectIfAny(twice)
  return rows
}

type Noted = {
  catalog: BookingCatalog
  answered: StopSellAnswer
  before: Buffer
  nowMs: number
  startedMs: number
}

/** Records the stop-sell as the origin of closed nights, in the supplier's push log, and in the audit log. */
async function note(
  connection: Queryable,
  { operator, requestId, body }: Call<Route>,
  { catalog, answered, before, nowMs, startedMs }: Noted,
): Promise<void> {
  const { hotelId, hotelCode } = catalog
  const { revision, nightsChanged } = answered
  const { action, reason, targets, from, to } = body
  const isStopped = action === 'stop'
  await insertStopSell(connection, { hotelId, revision, operator: operator.name, requestId, atMs: nowMs })
  const loggedBody = {
    hotelId: hotelCode,
    action,
    ...(reason === undefined ? {} : { reason }),
    ari: targets.map(({ roomId, rateId }) => ({
      roomId,
      startDate: from,
      endDate: to,
      ...(rateId === undefined ? { stopSell: isStopped } : { rates: [{ rateId, stopSell: isStopped }] }),
    })),
  }
  const loggedAnswer = {
    code: '200',
    message: isStopped ? 'Sale stopped by the platform' : 'Sale opened by the platform',
    hotelId: hotelCode,
    revision,
    requestId,
  }
  const supplierId = await selectHotelSupplier(connection, hotelId)
  const push = {
    kind: 'stopSell',
    requestId,
    rawBody: Buffer.from(JSON.stringify(loggedBody)),
    startedMs,
    caller: { supplierId, keyId: null },
  }
  const changed = { hotelId, hotelCode, revision, cellsChanged: nightsChanged, before }
  const kept = { outcome: 'applied', ...changed } as const
  await keepPushes(connection, [{ push, answer: answer(200, loggedAnswer), kept }], nowMs)
  await audit(connection, {
    operator,
    requestId,
    action: isStopped ? 'ari.stop-sell' : 'ari.open-again',
    subject: `hotel ${hotelId} "${hotelCode}"`,
    after: { from, to, targets, ...(reason === undefined ? {} : { reason }), nightsChanged, revision },
  })
}
