import type { StoppedRow } from '../../ari/blocks/stop-sell.ts'
import { selectOptionalOpenOfNights } from '../../hotels/open-reservations.ts'
import { readId } from '../../http/calls/query.ts'
import { commonLimits } from '../../keys/contract.ts'
import type { BookingCatalog } from '../../offers/stays/booking-catalog.ts'
import { parseNight } from '../../base/calendar.ts'
import { answer, besideShape, onEveryProblem, type Mounted } from '../../http/calls/mount.ts'
import { rejectIfAny, reportedValue, type Problem } from '../../http/rejected.ts'
import type { BodyOf } from '../../http/route.ts'
import { transaction } from '../../postgres/transaction.ts'
import { isRecord } from '../../http/validation/validate.ts'
import { calendarRoutes } from './contract.ts'
import { hotelNotFound, roomRateNamed } from '../hotels/store.ts'
import {
  lockSales,
  resumeNights,
  stopSales,
  type LockedSales,
  type SalesNeeds,
} from '../stop-sells/change-sales.ts'
import { readInstant } from '../suppliers/rules.ts'

type Route = typeof calendarRoutes.stopSell
type Body = BodyOf<Route>

/** POST /hotels/{hotelId}/stop-sell: stops or resumes sales by the platform; a preview changes nothing. */
export const stopSell = (needs: SalesNeeds): Mounted =>
  onEveryProblem(
    calendarRoutes.stopSell,
    (sent, shapeProblems) =>
      rejectIfAny(besideShape(shapeProblems, [...datesReversed(sent), ...reasonMissing(sent)])),
    async ({ params, body, operator, requestId }) => {
      const startedMs = performance.now()
      const untilMs = body.until === undefined ? null : readInstant('until', body.until)
      const hotelId = readId(params.hotelId)
      if (hotelId === undefined) throw hotelNotFound(params.hotelId)
      const [from, to] = [parseNight(body.from) ?? 0, parseNight(body.to) ?? 0]
      const outcome = await transaction(needs.db, async (connection) => {
        const sales = await lockSales(connection, needs, hotelId)
        if (!sales) throw hotelNotFound(params.hotelId)
        rejectIfAny([...outOfWindow(body, from, to, sales.today), ...untilPast(body, untilMs, sales)])
        const stretches = rowsOf(sales.catalog, body).map((row) => ({ ...row, from, to }))
        const by = { operator, requestId, startedMs }
        const { reason = '', preview: isPreview = false } = body
        const { revision, changed, nightsChanged } =
          body.action === 'stop'
            ? await stopSales(connection, sales, { stretches, reason, untilMs, isPreview }, by)
            : await resumeNights(connection, sales, { stretches, reason: body.reason, isPreview }, by)
        const affected =
          body.action === 'stop'
            ? await selectOptionalOpenOfNights(connection, { hotelId, today: sales.today }, stretches)
            : undefined
        const changedIn = ({ roomNo, rateNo }: StoppedRow): number =>
          changed
            .filter((one) => one.roomNo === roomNo && one.rateNo === rateNo)
            .reduce((sum, { nights }) => sum + nights, 0)
        return {
          isPreview,
          revision,
          requestId,
          rows: body.targets.map(({ roomId, rateId }, index) => ({
            roomId,
            rateId: rateId ?? null,
            nights: to - from + 1,
            changed: changedIn(stretches[index] ?? { roomNo: 0, rateNo: 0 }),
          })),
          nightsChanged,
          affected: affected ?? null,
        }
      })
      return answer(200, outcome)
    },
  )

/** Whoever finds a stopped hotel at night has to know why; a preview needs none. */
function reasonMissing(sent: unknown): Problem[] {
  if (!isRecord(sent) || sent['action'] !== 'stop' || sent['preview'] === true) return []
  const { reason } = sent
  if (typeof reason === 'string' ? reason.trim() !== '' : reason !== undefined) return []
  const hint = 'Say briefly why sales are stopped'
  return [{ type: 'REASON_REQUIRED', message: 'reason is required to stop sales', path: '/reason', hint }]
}

function untilPast({ until }: Body, untilMs: number | null, { nowMs, catalog }: LockedSales): Problem[] {
  if (untilMs === null || untilMs > nowMs + catalog.aheadMs) return []
  return [{ type: 'END_IN_THE_PAST', message: 'until must be in the future', path: '/until', value: until }]
}

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
