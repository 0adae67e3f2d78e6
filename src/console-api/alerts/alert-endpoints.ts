import { alertErrors, alertKinds, severities } from '../../alerts/contract.ts'
import { parseAlertId, renderAlert } from '../../alerts/render-alert.ts'
import { acknowledge, alertColumns, type AlertRow } from '../../alerts/store.ts'
import { findingKinds, type FindingKind, type FindingState } from '../../findings/contract.ts'
import { answer, on, onEveryProblem, type Mounted } from '../../http/calls/mount.ts'
import { judgeQuery, pageOf, readLimit } from '../../http/calls/query.ts'
import { Rejected, reportedValue } from '../../http/rejected.ts'
import { audit } from '../../operators/accounts/audit.ts'
import type { Needs, Queryable } from '../../postgres/postgres.ts'
import { transaction } from '../../postgres/transaction.ts'
import { readNumber, readPosition, writePosition } from '../list-query.ts'
import {
  alertConsoleRoutes,
  alertViews,
  consoleAlertsPerPage,
  type AlertView,
  type ConsoleAlert,
} from './contract.ts'

const statesOf: Readonly<Record<AlertView, readonly FindingState[]>> = {
  open: ['open'],
  unresolved: ['open', 'acknowledged'],
  resolved: ['resolved'],
}

/** GET /alerts. */
export const searchAlerts = ({ db }: Needs): Mounted =>
  onEveryProblem(alertConsoleRoutes.searchAlerts, judgeSearch, async ({ read }) => {
    const { limit } = read
    const { page, last } = pageOf(await selectAlerts(db, { ...read, limit: limit + 1 }), limit)
    return answer(200, {
      alerts: page.map(listedAlert),
      nextCursor: last ? writePosition([last.weight, last.openedAtMs, last.id]) : null,
    })
  })

type AlertSearch = {
  supplierId: number | undefined
  hotelId: number | undefined
  kind: FindingKind | undefined
  states: readonly FindingState[]
  after: { weight: number; openedAtMs: number; id: number } | undefined
  limit: number
}

const judgeSearch = judgeQuery((query, problems): AlertSearch => {
  const [weight, openedAtMs, id] = readPosition(query, /^(\d) (\d{1,15}) (\d{1,15})$/, problems) ?? []
  const view = alertViews.find((one) => one === query['state']) ?? 'open'
  return {
    supplierId: readNumber('supplierId', query, problems),
    hotelId: readNumber('hotelId', query, problems),
    kind: findingKinds.find((one) => one === query['kind']),
    states: statesOf[view],
    after:
      id === undefined
        ? undefined
        : { weight: Number(weight), openedAtMs: Number(openedAtMs), id: Number(id) },
    limit: readLimit(query['limit'], consoleAlertsPerPage, problems),
  }
})

type Row = AlertRow & {
  supplierId: number
  supplier: string
  hotelNo: number | null
  hotelName: string | null
  weight: number
}

/** In the order of the kinds. */
const weights = findingKinds.map((kind) => severities.toReversed().indexOf(alertKinds[kind].severity))

/** The worst first, and of equals the newest. */
async function selectAlerts(db: Queryable, search: AlertSearch): Promise<Row[]> {
  const { supplierId, hotelId, kind, states, after, limit } = search
  const { rows } = await db.query<Row>(
    `select ${alertColumns}, supplier.id as "supplierId", supplier.name as supplier, hotel.id as "hotelNo",
       hotel.name as "hotelName", weight
     from finding join unnest($8::text[], $9::int[]) as weighed (kind, weight) on weighed.kind = finding.kind
       join supplier on supplier.id = finding.supplier_id
       left join hotel on hotel.id = finding.hotel_id
     where finding.state = any($1::text[]) and ($2::int is null or finding.supplier_id = $2)
       and ($3::int is null or finding.hotel_id = $3) and ($4::text is null or finding.kind = $4)
       and ($5::int is null or (weight, finding.opened_at, finding.id) < ($5, instant($6), $7::int8))
     order by weight desc, finding.opened_at desc, finding.id desc limit $10`,
    [
      states,
      supplierId ?? null,
      hotelId ?? null,
      kind ?? null,
      after?.weight ?? null,
      after?.openedAtMs ?? null,
      after?.id ?? null,
      findingKinds,
      weights,
      limit,
    ],
  )
  return rows
}

function listedAlert(row: Row): ConsoleAlert {
  const { supplierId, supplier, hotelNo, hotelName, acknowledgedBy } = row
  return { ...renderAlert(row), supplierId, supplier, hotelId: hotelNo, hotelName, acknowledgedBy }
}

/** POST /alerts/{alertId}/ack. */
export const acknowledgeAlert = ({ db, clock }: Needs): Mounted =>
  on(alertConsoleRoutes.acknowledgeAlert, async ({ params, operator, requestId }) => {
    const id = parseAlertId(params.alertId) ?? 0
    const acknowledged = await transaction(db, async (connection) => {
      const { rows } = await connection.query<{ supplierId: number; kind: string }>(
        'select supplier_id as "supplierId", kind from finding where id = $1',
        [id],
      )
      const [found] = rows
      if (!found)
        throw new Rejected(404, {
          ...alertErrors.notFound,
          path: 'alertId',
          value: reportedValue(params.alertId),
        })
      const { supplierId, kind } = found
      const by = operator.name
      const count = await acknowledge(connection, { ids: [id], supplierId, by, nowMs: clock.now() })
      const subject = `alert ${id} (${kind}) of supplier ${supplierId}`
      if (count > 0) await audit(connection, { operator, requestId, action: 'alert.acknowledge', subject })
      return count
    })
    return answer(200, { acknowledged })
  })
