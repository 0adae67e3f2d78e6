/** The invariants of a hotel's reservations, computed only from the answers and from the stored data. */
import type { Market } from './market.ts'

/** A reservation as reported to the platform. */
export type Told = { reservationId: string; version: number; status: string }

export type Finding = { kind: 'lost' | 'oversold' | 'miscounted' | 'undelivered'; text: string }

type Stored = {
  id: string
  version: number
  status: string
  checkin: string
  checkout: string
  rooms: { roomNo: number; rateNo: number }[]
}

/** `units`: for each night, before the first booking. */
export async function audit(
  market: Market,
  hotelId: string,
  units: number,
  told: readonly Told[],
): Promise<Finding[]> {
  const stored = await market.rows<Stored>(
    `select reservation_id::text as id, held.version, held.status, content->>'checkin' as checkin,
       content->>'checkout' as checkout, content->'rooms' as rooms
     from reservation_version as held join hotel on hotel.id = held.hotel_id
     where hotel.code = $1 order by reservation_id, held.version`,
    [hotelId],
  )
  const versions = new Set(stored.map(({ id, version, status }) => `${id} ${version} ${status}`))
  const lost = told.filter((one) => !versions.has(`${one.reservationId} ${one.version} ${one.status}`))
  return [
    ...lost.map((one) => finding('lost', JSON.stringify(one))),
    ...(await countFindings(market, hotelId, units, stored)),
    ...(await deliveryFindings(market, hotelId)),
  ]
}

function finding(kind: Finding['kind'], text: string): Finding {
  return { kind, text }
}

const dayMs = 86_400_000

/**
 * Night by night: the units left are the initial units minus the most that a reservation ever had: what it gives up stays
 * its own until units are pushed, and none are.
 */
async function countFindings(
  market: Market,
  hotelId: string,
  units: number,
  stored: readonly Stored[],
): Promise<Finding[]> {
  const taken = new Map<string, number>()
  for (const versions of Map.groupBy(stored, ({ id }) => id).values()) {
    const most = new Map<string, number>()
    for (const version of versions)
      for (const night of nightsOf(version))
        most.set(night, Math.max(most.get(night) ?? 0, version.rooms.length))
    for (const [night, rooms] of most) taken.set(night, (taken.get(night) ?? 0) + rooms)
  }
  const left = await market.rows<{ night: string; inventory: number }>(
    `select night::text, inventory::int from ari_night join hotel on hotel.id = hotel_id
     where hotel.code = $1 and rate_no = 0 order by night`,
    [hotelId],
  )
  return left.flatMap(({ night, inventory }) => {
    const expected = units - (taken.get(night) ?? 0)
    return [
      ...(expected < 0 || inventory < 0
        ? [finding('oversold', `${night}: ${taken.get(night)} of ${units} sold`)]
        : []),
      ...(inventory === expected
        ? []
        : [finding('miscounted', `${night}: ${inventory} left instead of ${expected}`)]),
    ]
  })
}

function nightsOf({ checkin, checkout, status }: Stored): string[] {
  // A cancellation takes no units.
  if (status === 'Cancel') return []
  const nights = []
  for (let at = Date.parse(checkin); at < Date.parse(checkout); at += dayMs)
    nights.push(new Date(at).toISOString().slice(0, 10))
  return nights
}

/** Each version was queued once, in the transaction that created it. */
async function deliveryFindings(market: Market, hotelId: string): Promise<Finding[]> {
  const wrong = await market.rows<{ id: string; version: number; queued: number }>(
    `select held.reservation_id::text as id, held.version, count(delivery.id)::int as queued
     from reservation_version as held join hotel on hotel.id = held.hotel_id
       left join delivery on delivery.reservation_id = held.reservation_id and delivery.version = held.version
     where hotel.code = $1 group by 1, 2 having count(delivery.id) <> 1`,
    [hotelId],
  )
  return wrong.map((one) => finding('undelivered', JSON.stringify(one)))
}
