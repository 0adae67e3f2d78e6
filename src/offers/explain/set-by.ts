import type { Queryable } from '../../postgres/postgres.ts'
import { workOn } from '../../push-log/bodies/body-work.ts'
import {
  readBodiesOfPushes,
  selectAppliedPushes,
  selectNewestPushes,
  type AppliedPush,
} from '../../push-log/read/store.ts'
import type { BookableRoomRate, BookingCatalog } from '../stays/booking-catalog.ts'
import type { TestedRule } from './explain.ts'
import { readItemsAsked, type BodyQuestion } from './items-of-body.ts'
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
  const pushByRevision = new Map(pushes.map((push) => [keyOf(push.hotelId ?? 0, push.revision ?? 0), push]))
  /** The pushes in which the item is searched, the first that has it first. */
  const searchedFor = ({ hotelId }: BookingCatalog, origin: Origin): readonly AppliedPush[] => {
    if (origin.kind !== 'ari') return newest[origin.kind].get(hotelId) ?? []
    const push = pushByRevision.get(keyOf(hotelId, origin.revision))
    return push ? [push] : []
  }
  const itemIn = await readItems(db, asked, searchedFor)
  return (catalog, roomRate, origin) => {
    if (origin === undefined) return undefined
    const searched = searchedFor(catalog, origin)
    const question = questionOf(catalog, roomRate, origin)
    if (origin.kind === 'ari') {
      const [push] = searched
      if (!push) return platformByRevision.get(keyOf(catalog.hotelId, origin.revision))
      return { push, item: itemIn(push, question) }
    }
    for (const push of searched) {
      const item = itemIn(push, question)
      if (item !== undefined) return { push, item }
    }
    return undefined
  }
}

function questionOf(
  { hotelCode }: BookingCatalog,
  { room, rate }: BookableRoomRate,
  origin: Origin,
): BodyQuestion {
  const named = { roomId: room.code, rateId: rate.code }
  if (origin.kind === 'ari') {
    const { row, field, day } = origin
    return { kind: 'ari', ...named, row, field, day }
  }
  return origin.kind === 'hotel' ? { kind: 'hotel', hotelId: hotelCode } : { kind: 'product', ...named }
}

type Questions = { push: AppliedPush; byKey: Map<string, BodyQuestion> }

/** Asks each body all of its questions at once: it is parsed once, and not by the thread that answers requests. */
async function readItems(
  db: Queryable,
  asked: readonly RequestedOrigins[],
  searchedFor: (catalog: BookingCatalog, origin: Origin) => readonly AppliedPush[],
): Promise<(push: AppliedPush, question: BodyQuestion) => number | undefined> {
  const questionsById = new Map<number, Questions>()
  for (const { catalog, tested } of asked) {
    for (const { roomRate, rules } of tested) {
      for (const { origin } of rules) {
        if (!origin) continue
        const question = questionOf(catalog, roomRate, origin)
        const key = JSON.stringify(question)
        for (const push of searchedFor(catalog, origin)) {
          const { byKey } = questionsById.get(push.id) ?? setDefault(questionsById, push)
          byKey.set(key, question)
        }
      }
    }
  }
  const itemByKey = new Map<string, number>()
  const bodies = await readSearchedBodies(
    db,
    [...questionsById.values()].map(({ push }) => push),
  )
  for (const [id, body] of bodies) {
    const questions = questionsById.get(id)
    if (!questions || body.length === 0) continue
    const { push, byKey } = questions
    const items = await workOn(readItemsAsked, push.supplierId, [body], [...byKey.values()])
    for (const [index, key] of [...byKey.keys()].entries()) {
      const item = items[index]
      if (item !== undefined) itemByKey.set(`${id} ${key}`, item)
    }
  }
  return ({ id }, question) => itemByKey.get(`${id} ${JSON.stringify(question)}`)
}

function setDefault(questionsById: Map<number, Questions>, push: AppliedPush): Questions {
  const questions = { push, byKey: new Map<string, BodyQuestion>() }
  questionsById.set(push.id, questions)
  return questions
}

function readSearchedBodies(
  db: Queryable,
  pushes: readonly AppliedPush[],
): Promise<ReadonlyMap<number, Buffer>> {
  let bytesLeft = bodyBytesMax
  const searched = pushes.filter(({ bodyBytes }) => {
    if (bodyBytes > bytesLeft) return false
    bytesLeft -= bodyBytes
    return true
  })
  return readBodiesOfPushes(db, searched)
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

function setByPush({ requestId, at }: AppliedPush, item: number | undefined): SetBy {
  return { requestId, at, ...(item === undefined ? {} : { item }) }
}
