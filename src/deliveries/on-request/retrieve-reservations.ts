import { rejectUnlessEnabled } from '../../keys/suppliers.ts'
import { answer, onEveryProblem, on } from '../../http/calls/mount.ts'
import { type Needs, numberArray, type Queryable } from '../../postgres/postgres.ts'
import type { Delivery } from '../../bookings/callback-contract.ts'
import { deliveryRoutes, reservationsPerPage, deliveryErrors } from '../contract.ts'
import { readRangeAfter, writePageEnd, type RangeAfter } from '../../http/calls/page-end.ts'
import { judgePage } from '../../push-log/read/pages.ts'
import { readReservationId } from '../../bookings/store.ts'
import { supplierBody } from '../send/reservation-body.ts'
import type { ReservationStatus, ReservationVersion } from '../../bookings/state.ts'
import { rejectIfAny, reportedValue, type Problem } from '../../http/rejected.ts'
import { transaction } from '../../postgres/transaction.ts'
import { isCardNumberId } from '../../base/card-number.ts'
import { cardErrors } from '../../cards/contract.ts'
import { forgetCvvsOf } from '../../cards/store.ts'
import { withoutLetGo } from '../../bookings/stay-standing.ts'
import { reportsOf, writeConfirmations, type NewConfirmation } from '../../bookings/told-store.ts'
import { insertEvents } from '../../changes/write-events.ts'
import { deliveryEvents } from '../queue/events.ts'
import { accountTime } from '../queue/store.ts'

const listed = { rowsPerPage: reservationsPerPage, readId: readReservationId, writeId: String }

/** GET /push/webhook/pushbook/retrieve. */
export const retrieveReservations = (needs: Needs) =>
  onEveryProblem(
    deliveryRoutes.retrieveReservations,
    judgePage(needs, (query, problems) => readRangeAfter(query, listed, problems)),
    async ({ query, caller: { supplierId }, read }) => {
      await rejectUnlessEnabled(needs.db, supplierId, 'mayRetrieve')
      const { reservation_id: sentId, status, delivered } = query
      const reservationId = sentId === undefined ? undefined : readReservationId(sentId)
      const isNone = sentId !== undefined && reservationId === undefined
      // One more row than requested tells whether there is another page.
      const rows = isNone
        ? []
        : await selectForSupplier(needs.db, supplierId, {
            ...read,
            reservationId,
            status,
            isDelivered: delivered === undefined ? undefined : delivered === 'true',
            limit: read.limit + 1,
          })
      const page = rows.slice(0, read.limit)
      const last = rows.length > read.limit ? page.at(-1) : undefined
      return answer(200, {
        code: '200',
        message: 'Reservations retrieved successfully',
        data: bodiesOf(page),
        nextCursor: last ? writePageEnd({ atMs: last.modifiedAtMs, id: Number(last.id) }, listed) : null,
      })
    },
  )

/** Adjacent reservations of one hotel in one status share a body, which keeps the order. */
function bodiesOf(page: readonly Retrieved[]): Delivery[] {
  const groups: [Retrieved, ...Retrieved[]][] = []
  for (const one of page) {
    const group = groups.at(-1)
    if (group && group[0].hotelId === one.hotelId && group[0].status === one.status) group.push(one)
    else groups.push([one])
  }
  return groups.map((group) => supplierBody(group))
}

/** Reservations in their present state, filtered by a supplier's query. */
type SupplierSearch = RangeAfter<number> & {
  hotel: number | undefined
  reservationId: number | undefined
  status: ReservationStatus | undefined
  /** Whether the present version is delivered. */
  isDelivered: boolean | undefined
}

export type Retrieved = ReservationVersion

/** In the order of their last change. */
export async function selectForSupplier(
  db: Queryable,
  supplierId: number,
  search: SupplierSearch,
): Promise<Retrieved[]> {
  const { hotel, reservationId, sinceMs, untilMs, status, isDelivered, after, limit } = search
  const isOpen = `exists (select from delivery where delivery.supplier_id = $1
    and delivery.reservation_id = reservation.id and delivery.status in ('queued', 'sending', 'dead')
    and delivery.version = reservation.version and not delivery.is_repeat)`
  const delivered = { true: `and not ${isOpen}`, false: `and ${isOpen}` }
  const { rows } = await db.query<Retrieved>(
    `select reservation.id::text as id, reservation.hotel_id as "hotelId", reservation.version, reservation.status,
       epoch_ms(reservation.created_at) as "createdAtMs",
       epoch_ms(reservation.modified_at) as "modifiedAtMs", present.content,
       ${reportsOf('reservation.id')} as reports
     from reservation join reservation_version as present
       on present.reservation_id = reservation.id and present.version = reservation.version
     where reservation.supplier_id = $1 and ($2::int is null or reservation.hotel_id = $2)
       and ($3::int8 is null or reservation.id = $3)
       and ($4::float8 is null or reservation.modified_at >= instant($4))
       and ($5::float8 is null or reservation.modified_at < instant($5))
       and ($6::text is null or reservation.status = $6)
       and ($7::float8 is null or (reservation.modified_at, reservation.id) > (instant($7), $8::int8))
       ${isDelivered === undefined ? '' : delivered[`${isDelivered}`]}
     order by reservation.modified_at, reservation.id limit $9`,
    [
      supplierId,
      hotel ?? null,
      reservationId ?? null,
      sinceMs ?? null,
      untilMs ?? null,
      status ?? null,
      after?.atMs ?? null,
      after?.id ?? null,
      limit,
    ],
  )
  return rows.map((row) => ({ ...row, content: withoutLetGo(row.content, row) }))
}

/** POST /push/webhook/pushbook/ack. */
export const acknowledgeReservations = ({ db, clock }: Needs) =>
  on(deliveryRoutes.acknowledgeReservations, async ({ body, caller: { supplierId } }) => {
    await rejectUnlessEnabled(db, supplierId, 'mayRetrieve')
    const sent = body.reservations.map((one) => ({
      id: readReservationId(one.reservation_id),
      version: readReservationId(one.reservation_version),
    }))
    const versions = await selectVersions(
      db,
      supplierId,
      sent.flatMap(({ id }) => id ?? []),
    )
    const unknown = sent.flatMap(({ id, version }, index) => {
      const last = id === undefined ? undefined : versions.get(id)
      const one = body.reservations[index]
      if (!one) return []
      if (last === undefined) return [problem('notFound', index, 'reservation_id', one.reservation_id)]
      if (version !== undefined && version <= last) return []
      return [problem('versionNotFound', index, 'reservation_version', one.reservation_version)]
    })
    rejectIfAny(unknown, 404)
    rejectIfAny(body.reservations.flatMap(cardNumberIn))
    const nowMs = clock.now()
    const acknowledged = await transaction(db, async (connection) => {
      const count = await acknowledge(connection, sent, nowMs)
      await writeConfirmations(
        connection,
        await confirmationsIn(connection, supplierId, body.reservations, nowMs),
      )
      return count
    })
    return answer(200, { code: '200', message: 'Reservations acknowledged successfully', acknowledged })
  })

type Acknowledged = { reservation_id: string; confirmation_number?: string }

function cardNumberIn({ confirmation_number: number }: Acknowledged, index: number): Problem[] {
  if (number === undefined || !isCardNumberId(number)) return []
  return [{ ...cardErrors.elsewhere, path: `/reservations/${index}/confirmation_number` }]
}

/** The hotel's own numbers in an acknowledgement, by the account's clock. */
async function confirmationsIn(
  db: Queryable,
  supplierId: number,
  acknowledged: readonly Acknowledged[],
  nowMs: number,
): Promise<NewConfirmation[]> {
  const numbered = acknowledged.flatMap(({ reservation_id: id, confirmation_number: confirmationNumber }) => {
    const reservationId = readReservationId(id)
    if (reservationId === undefined || confirmationNumber === undefined) return []
    return [{ reservationId, roomNumber: 0, confirmationNumber }]
  })
  if (numbered.length === 0) return []
  const { rows } = await db.query<{ aheadMs: number }>(
    'select clock_ahead_ms as "aheadMs" from supplier where id = $1',
    [supplierId],
  )
  const atMs = nowMs + (rows[0]?.aheadMs ?? 0)
  return numbered.map((one) => ({ ...one, atMs }))
}

function problem(
  fault: 'notFound' | 'versionNotFound',
  index: number,
  member: string,
  value: string,
): Problem {
  return { ...deliveryErrors[fault], path: `/reservations/${index}/${member}`, value: reportedValue(value) }
}

/** The last version of each of the supplier's reservations. */
async function selectVersions(
  db: Queryable,
  supplierId: number,
  ids: readonly number[],
): Promise<Map<number, number>> {
  const { rows } = await db.query<{ id: number; version: number }>(
    'select id, version from reservation where supplier_id = $1 and id = any($2::int8[])',
    [supplierId, numberArray(ids)],
  )
  return new Map(rows.map(({ id, version }) => [id, version]))
}

/**
 * Returns how many were undelivered. A delivery that is being sent right now counts as delivered too,
 * whatever its outcome.
 */
async function acknowledge(
  connection: Queryable,
  sent: readonly { id: number | undefined; version: number | undefined }[],
  nowMs: number,
): Promise<number> {
  const { rows } = await connection.query<{ count: number }>(
    `with acknowledged as (
       update delivery set status = 'delivered', leased_until = null,
         delivered_at = ${accountTime('$3', 'delivery.supplier_id')}
       where id = any(array(
         select id from delivery
         where (reservation_id, version) in (select * from unnest($1::int8[], $2::int[]))
           and status in ('queued', 'sending', 'dead')
         -- In a fixed order, so that two acknowledgements cannot deadlock.
         order by id for update))
       returning reservation_id, version, delivered_at, hotel_id, status, is_repeat
     ), told as (
       ${insertEvents('delivery', deliveryEvents('acknowledged', 'not is_repeat'))}
     ), cleared as (
       update delivery_alert set cleared_at = acknowledged.delivered_at from acknowledged
       where delivery_alert.reservation_id = acknowledged.reservation_id and delivery_alert.cleared_at is null
     ), forgotten as (
       ${forgetCvvsOf('acknowledged')}
     )
     select count(*)::int as count from acknowledged`,
    [
      numberArray(sent.map(({ id }) => id ?? null)),
      numberArray(sent.map(({ version }) => version ?? null)),
      nowMs,
    ],
  )
  return rows[0]?.count ?? 0
}
