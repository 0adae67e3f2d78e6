import { firstDay, monthOf, parseNight } from '../../base/calendar.ts'
import type { Queryable } from '../../postgres/postgres.ts'
import { positionOf, type Comparison } from './compare-digests.ts'
import type { NamedProduct } from './digest-read.ts'

type Differing = NonNullable<Comparison['differs']>[number]

/**
 * The days that differ, each with its cause where that is known: if only the inventory differs and a booking was what
 * changed it last, the other side may not have that booking yet.
 */
export async function withCauses(
  db: Queryable,
  hotelId: number,
  products: readonly NamedProduct[],
  differs: readonly Differing[],
): Promise<(Differing & { cause?: 'bookings' })[]> {
  const revisionOf = inventoryRevisions(products)
  const revisions = differs.map((one) => (one.groups.join() === 'inv' ? revisionOf(one) : undefined))
  const wanted = [...new Set(revisions.filter((revision) => revision !== undefined))]
  if (wanted.length === 0) return [...differs]
  const { rows } = await db.query<{ revision: number }>(
    'select revision from reservation_version where hotel_id = $1 and revision = any($2::bigint[])',
    [hotelId, wanted],
  )
  const ofBookings = new Set<number | undefined>(rows.map(({ revision }) => revision))
  return differs.map((one, index) =>
    ofBookings.has(revisions[index]) ? { ...one, cause: 'bookings' as const } : one,
  )
}

/** The revision that last changed the inventory of a day. */
function inventoryRevisions(products: readonly NamedProduct[]) {
  const revisionsByMonth = new Map(
    products.flatMap(({ roomId, rateId, months }) =>
      months.map(({ month, inventoryRevisions: revisions }) => [
        `${positionOf({ roomId, ...(rateId === undefined ? {} : { rateId }) })}${month}`,
        revisions,
      ]),
    ),
  )
  return ({ roomId, rateId, date = '' }: Differing): number | undefined => {
    const night = parseNight(date)
    if (roomId === undefined || night === undefined) return undefined
    const month = monthOf(night)
    const position = positionOf({ roomId, ...(rateId === undefined ? {} : { rateId }) })
    return revisionsByMonth.get(`${position}${month}`)?.[night - firstDay(month)]
  }
}
