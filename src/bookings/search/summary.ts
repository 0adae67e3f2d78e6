import { sumText } from '../../base/money.ts'
import { Rejected } from '../../http/rejected.ts'
import type { AnswerOf } from '../../http/route.ts'
import { numberArray, type Queryable } from '../../postgres/postgres.ts'
import { minorDigits } from '../../reference/currencies.ts'
import { penaltyNow } from '../price/penalty-now.ts'
import type { ReservationContent, ReservationStatus, StayReport } from '../state.ts'
import { hasNoShow, withoutLetGo } from '../stay-standing.ts'
import { reportsOf } from '../told-store.ts'
import {
  filterParameters,
  filterValues,
  reservationsOf,
  type ReservationFilter,
} from './reservation-filter.ts'
import { searchErrors, summaryMax, type searchRoutes, type SummaryGrouping } from './search-contract.ts'

type Summary = Pick<AnswerOf<typeof searchRoutes.summarizeReservations>, 'groups' | 'totals'>
type Group = Summary['groups'][number]
type Figures = Summary['totals'][number]

/** Adds up what a filter finds, in minor units, so that sums are exact whatever their size. */
export async function summaryOf(
  db: Queryable,
  filter: ReservationFilter,
  by: SummaryGrouping,
): Promise<Summary> {
  const found = await selectSums(db, filter, by)
  const reservations = found.reduce(
    (sum, { confirmed, cancelled }) => sum + confirmed.count + cancelled.count,
    0,
  )
  if (reservations > summaryMax.reservations || found.length > summaryMax.groups)
    throw new Rejected(400, searchErrors.tooMany)
  const penalties = await penaltiesOf(
    db,
    found.flatMap(({ cancelledIds, reportedIds }) => [...cancelledIds, ...reportedIds]),
  )
  const totals = new Map<string, Sums>()
  const groups = found.map((group) => {
    const sums = sumsOf(group, penalties)
    totals.set(group.currency, plus(totals.get(group.currency), sums))
    return { ...group.named, ...rendered(group.currency, sums) }
  })
  const inOrder = [...totals].sort(([left], [right]) => (left < right ? -1 : 1))
  return { groups, totals: inOrder.map(([currency, sums]) => rendered(currency, sums)) }
}

/** As the statement sums it: `afterTax` is the text of an integer of any size. */
type StoredPart = { count: number; rooms: number; roomNights: number; afterTax: string }

type StoredSums = {
  currency: string
  confirmed: StoredPart
  cancelled: StoredPart
  cancelledIds: number[]
  /** Those that stand, of which a no-show was reported. */
  reportedIds: number[]
  /** The members that name the group. */
  named: Pick<Group, 'day' | 'platformHotelId' | 'supplier' | 'hotelId' | 'hotelName'>
}

/** What names a group, and the order of groups. */
const groupings: Readonly<
  Record<SummaryGrouping, { key: string; named: string; joins: string; order: string }>
> = {
  day: {
    key: `to_char(created_at at time zone 'UTC', 'YYYY-MM-DD')`,
    named: `json_build_object('day', summed.key)`,
    joins: '',
    order: 'summed.key',
  },
  hotel: {
    key: 'hotel_id',
    named: `json_build_object('platformHotelId', hotel.id::text, 'supplier', supplier.name, 'hotelId', hotel.code,
      'hotelName', hotel.name)`,
    joins: 'join hotel on hotel.id = summed.key join supplier on supplier.id = hotel.supplier_id',
    order: 'summed.key',
  },
  supplier: {
    key: 'supplier_id',
    named: `json_build_object('supplier', supplier.name)`,
    joins: 'join supplier on supplier.id = summed.key',
    order: 'supplier.name collate "C"',
  },
}

const partOf = (status: 'Confirm' | 'Cancel'): string => {
  const those = `filter (where status = '${status}')`
  return `json_build_object('count', count(*) ${those}, 'rooms', coalesce(sum(rooms) ${those}, 0),
    'roomNights', coalesce(sum(rooms::int8 * (departure - arrival)) ${those}, 0),
    'afterTax', coalesce(sum(total_after_tax) ${those}, 0)::text)`
}

async function selectSums(
  db: Queryable,
  filter: ReservationFilter,
  by: SummaryGrouping,
): Promise<StoredSums[]> {
  const { key, named, joins, order } = groupings[by]
  const { rows } = await db.query<StoredSums>(
    `with found as (
       select reservation.* from ${reservationsOf(filter)}
       limit $${filterParameters + 1}
     ), summed as (
       select ${key} as key, currency, ${partOf('Confirm')} as confirmed, ${partOf('Cancel')} as cancelled,
         coalesce(json_agg(id) filter (where status = 'Cancel'), '[]') as "cancelledIds",
         coalesce(json_agg(id) filter (where status = 'Confirm' and exists (
           select from reservation_report where reservation_id = found.id and report = 'no_show')), '[]') as "reportedIds"
       from found group by 1, 2 limit $${filterParameters + 2}
     )
     select summed.currency, confirmed, cancelled, "cancelledIds", "reportedIds",
       ${named} as named
     from summed ${joins} order by ${order}, summed.currency`,
    [...filterValues(filter), summaryMax.reservations + 1, summaryMax.groups + 1],
  )
  return rows
}

type Penalty = { amount: number; isUnknown: boolean }

type Due = {
  id: number
  status: ReservationStatus
  version: number
  modifiedAtMs: number
  content: ReservationContent
  reports: StayReport[]
}

const readAtOnce = 500

/** By reservation: of those that were cancelled, and of those whose guests did not come. */
async function penaltiesOf(db: Queryable, ids: readonly number[]): Promise<Map<number, Penalty>> {
  const penalties = new Map<number, Penalty>()
  for (let from = 0; from < ids.length; from += readAtOnce) {
    const { rows } = await db.query<Due>({
      name: 'select-due',
      text: `select reservation.id, reservation.status, reservation.version, epoch_ms(at) as "modifiedAtMs", content,
          ${reportsOf('reservation.id')} as reports
        from reservation join reservation_version as present
          on present.reservation_id = reservation.id and present.version = reservation.version
        where reservation.id = any($1::int8[])`,
      values: [numberArray(ids.slice(from, from + readAtOnce))],
    })
    for (const { content, ...row } of rows) {
      // Of several reports the last one counts.
      if (row.status === 'Confirm' && !hasNoShow(content, row.reports)) continue
      const penalty = penaltyNow({ ...row, content: withoutLetGo(content, row) })
      penalties.set(row.id, {
        amount: penalty?.amount ?? 0,
        isUnknown: penalty === null || penalty.unknown.length > 0,
      })
    }
  }
  return penalties
}

type Part = { reservations: number; rooms: number; roomNights: number; afterTax: bigint }
type Penalties = { penalties: bigint; penaltiesUnknown: number }
type Sums = { confirmed: Part; cancelled: Part & Penalties; noShows: { reservations: number } & Penalties }

function sumsOf(
  { confirmed, cancelled, cancelledIds, reportedIds }: StoredSums,
  penalties: ReadonlyMap<number, Penalty>,
): Sums {
  const noShows = reportedIds.filter((id) => penalties.has(id))
  return {
    confirmed: part(confirmed),
    cancelled: { ...part(cancelled), ...sumOf(cancelledIds, penalties) },
    noShows: { reservations: noShows.length, ...sumOf(noShows, penalties) },
  }
}

function sumOf(ids: readonly number[], penaltyById: ReadonlyMap<number, Penalty>): Penalties {
  const sums = { penalties: 0n, penaltiesUnknown: 0 }
  for (const id of ids) {
    const penalty = penaltyById.get(id)
    sums.penalties += BigInt(penalty?.amount ?? 0)
    if (penalty?.isUnknown !== false) sums.penaltiesUnknown++
  }
  return sums
}

function part({ count, rooms, roomNights, afterTax }: StoredPart): Part {
  return { reservations: count, rooms, roomNights, afterTax: BigInt(afterTax) }
}

function plus(left: Sums | undefined, right: Sums): Sums {
  if (!left) return right
  return {
    confirmed: plusPart(left.confirmed, right.confirmed),
    cancelled: {
      ...plusPart(left.cancelled, right.cancelled),
      ...plusPenalties(left.cancelled, right.cancelled),
    },
    noShows: {
      reservations: left.noShows.reservations + right.noShows.reservations,
      ...plusPenalties(left.noShows, right.noShows),
    },
  }
}

function plusPenalties(left: Penalties, right: Penalties): Penalties {
  return {
    penalties: left.penalties + right.penalties,
    penaltiesUnknown: left.penaltiesUnknown + right.penaltiesUnknown,
  }
}

function plusPart(left: Part, right: Part): Part {
  return {
    reservations: left.reservations + right.reservations,
    rooms: left.rooms + right.rooms,
    roomNights: left.roomNights + right.roomNights,
    afterTax: left.afterTax + right.afterTax,
  }
}

function rendered(currency: string, { confirmed, cancelled, noShows }: Sums): Figures {
  const digits = minorDigits(currency) ?? 2
  const amount = (minor: bigint): string => sumText(minor, digits)
  return {
    currency,
    confirmed: { ...confirmed, afterTax: amount(confirmed.afterTax) },
    cancelled: {
      ...cancelled,
      afterTax: amount(cancelled.afterTax),
      penalties: amount(cancelled.penalties),
    },
    noShows: { ...noShows, penalties: amount(noShows.penalties) },
  }
}
