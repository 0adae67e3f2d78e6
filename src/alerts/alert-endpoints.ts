import { hotelNotFound } from '../hotels/hotel-rules.ts'
import { selectOptionalHotel } from '../hotels/store.ts'
import { answer, on } from '../http/calls/mount.ts'
import { readPageEnd, writePageEnd } from '../http/calls/page-end.ts'
import { Rejected, rejectIfAny, reportedValue, type Problem } from '../http/rejected.ts'
import type { Needs } from '../postgres/postgres.ts'
import { unknownHotelError } from '../push-log/contract.ts'
import { alertErrors, alertRoutes, alertsPerPage } from './contract.ts'
import { alertIdOf, parseAlertId, renderAlert } from './render-alert.ts'
import { acknowledge, selectAlertsOfSupplier, selectKnownAlerts } from './store.ts'

const listed = { readId: parseAlertId, writeId: alertIdOf }
const statesByDefault = ['open', 'acknowledged'] as const

/** POST /push/alerts. */
export const listAlerts = ({ db }: Needs) =>
  on(alertRoutes.listAlerts, async ({ body, caller: { supplierId } }) => {
    const { states = statesByDefault, kinds, hotelId: code, limit = alertsPerPage.usual, cursor } = body
    const problems: Problem[] = []
    const after = readPageEnd(cursor, listed, problems)
    rejectIfAny(problems.map((problem) => ({ ...problem, path: '/cursor' })))
    const hotel = code === undefined ? undefined : await selectOptionalHotel(db, supplierId, code)
    if (code !== undefined && !hotel) throw new Rejected(404, hotelNotFound(code, unknownHotelError))
    // One more row than requested tells whether there is another page.
    const search = { states, kinds, hotelId: hotel?.id, after, limit: limit + 1 }
    const rows = await selectAlertsOfSupplier(db, supplierId, search)
    const page = rows.slice(0, limit)
    const last = rows.length > limit ? page.at(-1) : undefined
    return answer(200, {
      code: '200',
      message: 'Alerts retrieved successfully',
      alerts: page.map(renderAlert),
      nextCursor: last ? writePageEnd({ atMs: last.openedAtMs, id: last.id }, listed) : null,
    })
  })

/** POST /push/alerts/ack. */
export const acknowledgeAlerts = ({ db, clock }: Needs) =>
  on(alertRoutes.acknowledgeAlerts, async ({ body: { alertIds }, caller: { supplierId } }) => {
    const ids = alertIds.map(parseAlertId)
    const known = await selectKnownAlerts(
      db,
      supplierId,
      ids.flatMap((id) => id ?? []),
    )
    const unknown = alertIds.flatMap((sent, index) =>
      known.has(ids[index] ?? 0)
        ? []
        : [{ ...alertErrors.notFound, path: `/alertIds/${index}`, value: reportedValue(sent) }],
    )
    rejectIfAny(unknown, 404)
    const acknowledged = await acknowledge(db, {
      ids: [...known],
      supplierId,
      by: null,
      nowMs: clock.now(),
    })
    return answer(200, { code: '200', message: 'Alerts acknowledged', acknowledged })
  })
