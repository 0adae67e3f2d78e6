import { setImmediate as breathe } from 'node:timers/promises'
import { fieldNumber, guestBucket, isGuestPriceField, isPriceField } from '../../ari/fields.ts'
import { formatNight, weekdayOf, weekdays, type DayNumber } from '../../base/calendar.ts'
import type { Queryable } from '../../postgres/postgres.ts'
import { isRecord } from '../../http/validation/validate.ts'
import {
  readBodiesOfPushes,
  selectAppliedPushes,
  selectNewestPushes,
  type AppliedPush,
} from '../../push-log/read/store.ts'
import type { BookableRoomRate, BookingCatalog } from '../stays/booking-catalog.ts'
import type { TestedRule } from './explain.ts'
import type { Origin } from './revisions.ts'

/**
 * The push that set a value, or the reservation that lowered an inventory. `item` is absent if the push's
 * body is too large to be searched, or no longer stored, and for the undo of a push.
 */
export type SetBy =
  | { requestId: string; at: string; item?: number }
  | { reservationId: string; at: string }
  | { operator: string; requestId: string; at: string }

/** The same with the rows of the store. */
export type Setter =
  | { push: AppliedPush; item: number | undefined }
  | { push?: undefined; reservationId: string; at: string }
  | { push?: undefined; reservationId?: undefined; operator: string; requestId: string; at: string }

/** Bytes of bodies searched per request; beyond this limit, pushes are reported without their item. */
const bodyBytesMax = 16 * 1024 * 1024
/** How many of the newest pushes of hotels and of products are searched for the requested item. */
const newestPushesMax = 20
/** Bytes parsed before other requests get a turn of the event loop. */
const bytesParsedAtOnce = 256 * 1024

/** Room-rates of a hotel whose values' origins are requested. */
export type RequestedOrigins = {
  catalog: BookingCatalog
  tested: readonly { roomRate: BookableRoomRate; rules: readonly Pick<TestedRule, 'origin'>[] }[]
}

type By<Known> = (
  catalog: BookingCatalog,
  roomRate: BookableRoomRate,
  origin: Origin | undefined,
) => Known | undefined
export type SetByOf = By<SetBy>
export type SetterOf = By<Setter>

/** The pushes and platform changes that set the values, in the shape of an answer. */
export async function readSetBy(db: Queryable, asked: readonly RequestedOrigins[]): Promise<SetByOf> {
  const setterOf = await readSetters(db, asked)
  return (...named) => {
    const setter = setterOf(...named)
    return setter?.push ? setByPush(setter.push, setter.item) : setter
  }
}

/** The pushes and platform changes that set the values; a few statements for any number of hotels. */
export async function readSetters(db: Queryable, asked: readonly RequestedOrigins[]): Promise<SetterOf> {
  const made = new Map<string, { hotelId: number; revision: number }>()
  const hotelsChanged = new Set<number>()
  const productsChanged = new Set<number>()
  for (const { catalog, tested } of asked) {
    const { hotelId } = catalog
    for (const { origin } of tested.flatMap(({ rules }) => rules)) {
      if (origin?.kind === 'ari')
        made.set(keyOf(hotelId, origin.revision), { hotelId, revision: origin.revision })
      else if (origin?.kind === 'hotel') hotelsChanged.add(hotelId)
      else if (origin?.kind === 'product') productsChanged.add(hotelId)
    }
  }
  const pushes = await selectAppliedPushes(db, [...made.values()])
  const platformByRevision = await platformChanges(db, [...made.values()])
  const newest = {
    hotel: await selectNewestPushes(db, [...hotelsChanged], 'hotels', newestPushesMax),
    product: await selectNewestPushes(db, [...productsChanged], 'products', newestPushesMax),
  }
  const all = [...pushes, ...[...newest.hotel.values(), ...newest.product.values()].flat()]
  const bodyById = await readBodies(db, all)
  const pushByRevision = new Map(pushes.map((push) => [keyOf(push.hotelId ?? 0, push.revision ?? 0), push]))
  return ({ hotelId, hotelCode }, roomRate, origin) => {
    if (origin === undefined) return undefined
    if (origin.kind === 'ari') {
      const key = keyOf(hotelId, origin.revision)
      const push = pushByRevision.get(key)
      if (!push) return platformByRevision.get(key)
      return { push, item: lastItemThatSets(bodyById.get(push.id), roomRate, origin) }
    }
    for (const push of newest[origin.kind].get(hotelId) ?? []) {
      const body = bodyById.get(push.id)
      const item =
        origin.kind === 'hotel' ? elementOfHotel(body, hotelCode) : elementOfProduct(body, roomRate)
      if (item !== undefined) return { push, item }
    }
    return undefined
  }
}

/** Reservations and stop-sells that created revisions of hotels, by hotel and revision. */
async function platformChanges(
  db: Queryable,
  made: readonly { hotelId: number; revision: number }[],
): Promise<Map<string, Setter>> {
  if (made.length === 0) return new Map()
  const { rows } = await db.query<{
    hotelId: number
    revision: number
    at: Date
    reservationId: number | null
    operator: string | null
    requestId: string | null
  }>(
    `with made as (select * from unnest($1::int[], $2::bigint[]) as made (hotel_id, revision))
     select hotel_id as "hotelId", revision, at, reservation_id as "reservationId", null as operator, null as "requestId"
     from reservation_version join made using (hotel_id, revision)
     union all
     select hotel_id, revision, at, null, operator, request_id from stop_sell join made using (hotel_id, revision)`,
    [made.map(({ hotelId }) => hotelId), made.map(({ revision }) => revision)],
  )
  return new Map(
    rows.map(({ hotelId, revision, reservationId, operator, requestId, ...row }) => {
      const at = row.at.toISOString()
      const setter: Setter =
        reservationId === null
          ? { operator: operator ?? '', requestId: requestId ?? '', at }
          : { reservationId: String(reservationId), at }
      return [keyOf(hotelId, revision), setter]
    }),
  )
}

function keyOf(hotelId: number, revision: number): string {
  return `${hotelId}/${revision}`
}

async function readBodies(
  db: Queryable,
  pushes: readonly AppliedPush[],
): Promise<ReadonlyMap<number, unknown>> {
  let bytesLeft = bodyBytesMax
  const searched = pushes.filter(({ bodyBytes }) => {
    if (bodyBytes > bytesLeft) return false
    bytesLeft -= bodyBytes
    return true
  })
  const bodies = new Map<number, unknown>()
  let bytesParsed = 0
  for (const [id, body] of await readBodiesOfPushes(db, searched)) {
    if (body.length > 0) bodies.set(id, JSON.parse(body.toString()))
    bytesParsed += body.length
    if (bytesParsed < bytesParsedAtOnce) continue
    bytesParsed = 0
    await breathe()
  }
  return bodies
}

function setByPush({ requestId, at }: AppliedPush, item: number | undefined): SetBy {
  return { requestId, at, ...(item === undefined ? {} : { item }) }
}

function elementOfHotel(body: unknown, hotelCode: string): number | undefined {
  return lastIndex(body, (hotel) => hotel['hotelId'] === hotelCode)
}

function elementOfProduct(body: unknown, { room, rate }: BookableRoomRate): number | undefined {
  return lastIndex(
    isRecord(body) ? body['products'] : undefined,
    (product) => product['roomId'] === room.code && product['rateId'] === rate.code,
  )
}

/** The last item of an ARI push that names the row, day and field; later items override earlier ones. */
function lastItemThatSets(
  body: unknown,
  { room, rate }: BookableRoomRate,
  { row, field, day }: Extract<Origin, { kind: 'ari' }>,
): number | undefined {
  if (!isRecord(body)) return undefined
  const isOverlay = body['mode'] === 'overlay'
  return lastIndex(body['ari'], (item) => {
    if (item['roomId'] !== room.code || !namesDay(item, day)) return false
    if (row === 'room') return namesOfRoom(item, field)
    const lines: unknown[] = Array.isArray(item['rates']) ? item['rates'] : [item]
    return lines.some((line) => {
      if (!isRecord(line) || line['rateId'] !== rate.code) return false
      // The flat form's inventory belongs to the room.
      if (line === item && field === fieldNumber.inventory) return isOverlay
      return isOverlay || namesField(line, field)
    })
  })
}

function lastIndex(
  list: unknown,
  matches: (element: Record<string, unknown>) => boolean,
): number | undefined {
  const elements: unknown[] = Array.isArray(list) ? list : []
  const index = elements.findLastIndex((element) => isRecord(element) && matches(element))
  return index === -1 ? undefined : index
}

/** Whether an item of an ARI push names the night. */
export function namesDay(item: Record<string, unknown>, day: DayNumber): boolean {
  const night = formatNight(day)
  const start = item['date'] ?? item['startDate']
  const end = item['date'] ?? item['endDate']
  if (typeof start !== 'string' || typeof end !== 'string' || night < start || night > end) return false
  const onDays = item['daysOfWeek']
  return !Array.isArray(onDays) || onDays.includes(weekdays[weekdayOf(day)])
}

function namesOfRoom(item: Record<string, unknown>, field: number): boolean {
  if (field === fieldNumber.inventory) return item['inventory'] !== undefined
  return item['closed'] !== undefined && item['rateId'] === undefined
}

const nameByField = new Map<number, string>(
  Object.entries(fieldNumber).map(([name, number]) => [number, name]),
)

function namesField(line: Record<string, unknown>, field: number): boolean {
  if (!isPriceField(field)) return line[nameByField.get(field) ?? ''] !== undefined
  if (line['price'] !== undefined || line['prices'] === null) return true
  if (!isGuestPriceField(field)) return line['prices'] !== undefined || line['amount'] !== undefined
  const { ageCategory, guests } = guestBucket(field)
  const isBucket = (price: unknown): boolean =>
    // A price without guests is a unit price, which clears all guest prices.
    isRecord(price) &&
    (price['guests'] === undefined || (price['guests'] === guests && price['ageCategory'] === ageCategory))
  if (line['amount'] !== undefined) return isBucket(line)
  const prices: unknown[] = Array.isArray(line['prices']) ? line['prices'] : []
  return prices.some(isBucket)
}
