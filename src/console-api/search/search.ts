import { instantOf, monthOf, dayIn } from '../../base/calendar.ts'
import { answer, on } from '../../http/calls/mount.ts'
import type { Needs, Queryable } from '../../postgres/postgres.ts'
import { readReservationId } from '../../bookings/store.ts'
import { searchWordsMax } from '../hotels/contract.ts'
import { selectHotels } from '../hotels/select-hotels.ts'
import { selectNamedHotels, selectSearchWords } from '../hotels/store.ts'
import { findKeysByEnding } from './find-key.ts'
import { foundMax, searchRoutes, type SearchResult } from './contract.ts'
import { selectGuestWords, customerName, hasGuest } from '../bookings/store.ts'
import { isInRange, rangeValues, readNewest } from '../../push-log/bodies/day-ranges.ts'
import { requestIdOfRow, uuidsBeginningWith } from '../../push-log/request-ids.ts'

/** GET /search: the search box of every page. */
export const search = (needs: Needs) =>
  on(searchRoutes.search, async ({ query }) => {
    const typed = query.text.trim()
    // Matches by id come before matches by name.
    const results = (
      await Promise.all([
        findReservation(needs, typed),
        findPushes(needs, typed),
        findKeysByEnding(needs, typed),
        findHotels(needs, typed),
        findSuppliers(needs, typed),
        findGuests(needs, typed),
      ])
    ).flat()
    return answer(200, { found: results })
  })

async function findReservation({ db }: Needs, typed: string): Promise<SearchResult[]> {
  const reservationId = readReservationId(typed)
  return reservationId === undefined ? [] : selectFoundReservation(db, reservationId)
}

/** Shorter beginnings match too many names. */
const guestLettersMin = 3

async function findGuests({ db }: Needs, typed: string): Promise<SearchResult[]> {
  const words = await selectGuestWords(db, typed)
  if (!words.some(({ length }) => length >= guestLettersMin)) return []
  return selectFoundGuests(db, words, foundMax)
}

/** Shorter text is not taken for the beginning of a request id. */
const requestIdBeginning = /^[A-Za-z0-9._-]{8,64}$/

async function findPushes({ db }: Needs, typed: string): Promise<SearchResult[]> {
  return requestIdBeginning.test(typed) ? selectFoundPushes(db, typed, foundMax) : []
}

async function findHotels({ db, clock }: Needs, typed: string): Promise<SearchResult[]> {
  const [hotelIds, allWords] = await Promise.all([selectNamedHotels(db, typed), selectSearchWords(db, typed)])
  const words = allWords.slice(0, searchWordsMax)
  const nowMs = clock.now()
  const query = {
    order: 'name' as const,
    after: undefined,
    limit: foundMax,
    nowMs,
    thisMonth: monthOf(dayIn('UTC', nowMs)),
  }
  const [named, called] = await Promise.all([
    hotelIds.length === 0
      ? []
      : selectHotels(db, { ...query, search: {}, exact: { hotelIds, isOnly: true } }),
    words.length === 0
      ? []
      : selectHotels(db, { ...query, search: { words }, exact: { hotelIds, isOnly: false } }),
  ])
  return [...named, ...called].slice(0, foundMax).map(({ hotelId, name, code, city, supplier }) => ({
    kind: 'hotel',
    hotelId,
    name,
    code,
    city,
    supplier,
  }))
}

function findSuppliers({ db }: Needs, typed: string): Promise<SearchResult[]> {
  return selectFoundSuppliers(db, typed, foundMax)
}

type OfKind<Kind extends SearchResult['kind']> = Extract<SearchResult, { kind: Kind }>

async function selectFoundReservation(
  db: Queryable,
  reservationId: number,
): Promise<OfKind<'reservation'>[]> {
  return selectFound(db, 'reservation.id = $2', 1, [reservationId])
}

/** The newest reservations with a guest name that has all the words, or words that begin with them. */
async function selectFoundGuests(
  db: Queryable,
  words: readonly string[],
  limit: number,
): Promise<OfKind<'reservation'>[]> {
  return selectFound(db, words.map((_, index) => hasGuest(`$${index + 2}`)).join(' and '), limit, words)
}

async function selectFound(
  db: Queryable,
  condition: string,
  limit: number,
  values: readonly unknown[],
): Promise<OfKind<'reservation'>[]> {
  const { rows } = await db.query<OfKind<'reservation'>>(
    `select 'reservation' as kind, found.id as "reservationId", hotel.name as "hotelName", supplier.name as supplier,
       found.arrival, found.status,
       ${customerName} as guest
     from (select * from reservation where ${condition} order by id desc limit $1) as found
       join hotel on hotel.id = found.hotel_id join supplier on supplier.id = found.supplier_id
       join reservation_version as present on present.reservation_id = found.id and present.version = found.version
     order by found.id desc`,
    [limit, ...values],
  )
  return rows
}

/** The newest pushes whose request id begins with the text. */
async function selectFoundPushes(db: Queryable, beginning: string, limit: number): Promise<OfKind<'push'>[]> {
  type PushRow = Omit<OfKind<'push'>, 'at'> & { atMs: number }
  const uuids = uuidsBeginningWith(beginning) ?? [null, null]
  const rows = await readNewest<PushRow>(db, { limit, idOf: ({ pushId }) => pushId }, async (range) => {
    const read = await db.query<PushRow>(
      // Ranges instead of patterns, because the indexes serve them in every collation.
      `select 'push' as kind, found.id as "pushId", found.request_id as "requestId",
         epoch_ms(found.at) as "atMs", supplier.name as supplier,
         found.kind as "pushKind", found.outcome
       from (
         select *, ${requestIdOfRow} as request_id from push_log
         where (request_text between $1 and $1 || '~' and starts_with(request_text, $1)
             or request_key(request_uuid) between request_key($3) and request_key($4) and request_uuid between $3 and $4)
           and ${isInRange('$5', '$6')}
         order by id desc limit $2
       ) as found join supplier on supplier.id = found.supplier_id
       order by found.id desc`,
      [beginning, limit, ...uuids, ...rangeValues(range)],
    )
    return read.rows
  })
  return rows.map(({ atMs, ...row }) => ({ ...row, at: instantOf(atMs) }))
}

async function selectFoundSuppliers(
  db: Queryable,
  typed: string,
  limit: number,
): Promise<OfKind<'supplier'>[]> {
  const { rows } = await db.query<OfKind<'supplier'>>(
    `select 'supplier' as kind, id as "supplierId", name from supplier, btrim(search_text($1)) as words
     where id::text = $1 or (words <> '' and strpos(search_text(name), words) > 0)
     order by id::text = $1 desc, name limit $2`,
    [typed, limit],
  )
  return rows
}
