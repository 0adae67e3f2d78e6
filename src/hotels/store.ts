import type { Queryable } from '../postgres/postgres.ts'
import type { Hotel } from './contract.ts'
import { selectFormerAmounts, type FormerAmounts } from './former-amounts.ts'
import { todayIn } from './hotel-clock.ts'
import { lockPlaces, refuseAbove } from './hotels-max.ts'
import type { OpenReservations } from './open-contract.ts'
import { selectOpenOfHotels } from './open-reservations.ts'

/** The columns of a hotel that other features use. */
export type HotelRow = {
  id: number
  code: string
  name: string
  currency: string
  isAvailable: boolean
  minChildAge: number
  maxChildAge: number
  timeZone: string
  /** How far its account's test clock is ahead. */
  aheadMs: number
  /** Raised by every push that changes anything about the hotel. */
  revision: number
  /** Raised by every change of the hotel itself, its rooms, rates or room-rates. */
  catalogVersion: number
  /** Prices set at this revision or before it are in a former currency. */
  currencyRevision: number
}

/** The columns of a HotelRow. */
export const hotelColumns = `id, code, name, currency, is_available as "isAvailable", min_child_age as "minChildAge",
  max_child_age as "maxChildAge", time_zone as "timeZone", clock_ahead_ms as "aheadMs", revision, catalog_version as "catalogVersion",
  currency_revision as "currencyRevision"`

/** A supplier's hotel, as committed; another supplier's hotel counts as unknown. */
export async function selectOptionalHotel(
  db: Queryable,
  supplierId: number,
  hotelCode: string,
): Promise<HotelRow | undefined> {
  const { rows } = await db.query<HotelRow>({
    name: 'select-optional-hotel',
    text: `select ${hotelColumns} from hotel where supplier_id = $1 and code = $2`,
    values: [supplierId, hotelCode],
  })
  return rows[0]
}

/** The same, locked until the transaction ends, so that pushes for one hotel are applied one by one. */
export async function lockHotel(
  connection: Queryable,
  supplierId: number,
  hotelCode: string,
): Promise<HotelRow | undefined> {
  const { rows } = await connection.query<HotelRow>({
    name: 'lock-hotel',
    text: `select ${hotelColumns} from hotel where supplier_id = $1 and code = $2 for no key update`,
    values: [supplierId, hotelCode],
  })
  return rows[0]
}

/** Members of a push that have no rule beyond their own check; stored and read back as sent. */
export type PlainMembers = Pick<
  Hotel,
  | 'countryCodeISO2'
  | 'city'
  | 'email'
  | 'chainCode'
  | 'latitude'
  | 'longitude'
  | 'state'
  | 'address'
  | 'phone'
  | 'timezone'
>

export type HotelToSave = Pick<
  Hotel,
  'hotelId' | 'hotelName' | 'currency' | 'isAvailable' | 'minChildAge' | 'maxChildAge'
> & {
  timeZone: string
  cityMatched: string | undefined
  /** The members of PlainMembers; undefined ones disappear in JSON. */
  plain: { [Member in keyof PlainMembers]: unknown }
}

export type SavedHotel = {
  id: number
  outcome: 'created' | 'updated' | 'unchanged'
  revision: number
  currencyBefore: string | undefined
  /** What is unknown because the push changed the currency. */
  former: FormerAmounts | undefined
  /** Whether it was open for bookings until now, and no longer is. */
  isClosed: boolean
  /** Of a hotel that the push closed, or whose currency it changed, if there are any. */
  open: OpenReservations | undefined
}

const asCreated = { currencyBefore: undefined, former: undefined, isClosed: false, open: undefined }

/** The pushing key. The platform calls the URLs of the key that last pushed a hotel. */
type Pusher = { supplierId: number; keyId: number }

/** Inserts or updates hotels to the full pushed state; skips unchanged ones. Results by code. */
export async function saveHotels(
  connection: Queryable,
  pusher: Pusher,
  hotels: readonly HotelToSave[],
  nowMs: number,
): Promise<Map<string, SavedHotel>> {
  const { supplierId, keyId } = pusher
  const hotelsMax = await lockPlaces(connection, supplierId)
  const inserted = await insertMissing(connection, pusher, hotels, nowMs)
  if (inserted.length > 0) await refuseAbove(connection, supplierId, hotelsMax)
  const saved = new Map<string, SavedHotel>()
  for (const { id, code, revision } of inserted) {
    saved.set(code, { id, outcome: 'created', revision, ...asCreated })
  }
  const present = hotels.filter(({ hotelId }) => !saved.has(hotelId))
  if (present.length === 0) return saved

  // Locked in order of id, like in every push that locks several hotels, so that two of them can't deadlock.
  const { rows: locked } = await connection.query<
    HotelRow & { sinceMs: number | null; keyId: number | null }
  >(
    `select ${hotelColumns}, epoch_ms(currency_changed_at) as "sinceMs", key_id as "keyId" from hotel
     where supplier_id = $1 and code = any($2::text[]) order by id for no key update`,
    [supplierId, present.map(({ hotelId }) => hotelId)],
  )
  const revisionById = await updateChanged(connection, supplierId, present, nowMs)
  const ofOtherKeys = locked.filter((held) => held.keyId !== keyId).map(({ id }) => id)
  // The hotel itself doesn't change, so its revision stays.
  if (ofOtherKeys.length > 0)
    await connection.query('update hotel set key_id = $1 where id = any($2::int[])', [keyId, ofOtherKeys])
  const sentByCode = new Map(present.map((hotel) => [hotel.hotelId, hotel]))
  const moved = locked.filter(({ code, currency }) => sentByCode.get(code)?.currency !== currency)
  const closed = locked.filter((held) => held.isAvailable && sentByCode.get(held.code)?.isAvailable === false)
  const formerById = await selectFormerAmounts(connection, moved)
  const affected = [...new Set([...closed, ...moved])].map((held) => ({
    ...held,
    today: todayIn(held, nowMs),
  }))
  const openById = await selectOpenOfHotels(connection, affected)
  for (const held of locked) {
    const { id, code, currency, revision } = held
    const risen = revisionById.get(id)
    saved.set(code, {
      id,
      outcome: risen === undefined ? 'unchanged' : 'updated',
      revision: risen ?? revision,
      currencyBefore: currency,
      former: formerById.get(id),
      isClosed: closed.includes(held),
      open: openById.get(id),
    })
  }
  return saved
}

/** Adds the hotels in `raised (id, revision)` to the change feed, in the statement that raises them. */
function noted(kind: 'hotel' | 'products' | 'taxes'): string {
  return `noted as (
       insert into change (kind, hotel_ids, revisions_from, revisions_to)
       select '${kind}', array_agg(id), array_agg(revision), array_agg(revision) from raised having count(*) > 0
     )`
}

/**
 * Indexes the hotels in `raised` for search by their current names, in the statement that changes them.
 * Expects the columns of `searchedColumns`.
 */
const searchable = `searchable as (
       insert into hotel_search (hotel_id, supplier_id, name, words)
       select id, supplier_id, left(search_text(name), 100), hotel_words(name, code, city_matched, pushed) from raised
       on conflict (hotel_id) do update set name = excluded.name, words = excluded.words
     )`
const searchedColumns = 'supplier_id, code, name, city_matched, pushed'

const pushedColumns = `code, name, currency, is_available, min_child_age, max_child_age, time_zone, pushed, city_matched`

function pushedTable(firstParameter: number): string {
  const types = ['text', 'text', 'text', 'boolean', 'int', 'int', 'text', 'jsonb', 'text']
  const arrays = types.map((type, index) => `$${firstParameter + index}::${type}[]`)
  return `unnest(${arrays.join(', ')}) as sent (${pushedColumns})`
}

function pushedValues(hotels: readonly HotelToSave[]): unknown[] {
  return [
    hotels.map(({ hotelId }) => hotelId),
    hotels.map(({ hotelName }) => hotelName),
    hotels.map(({ currency }) => currency),
    hotels.map(({ isAvailable }) => isAvailable),
    hotels.map(({ minChildAge }) => minChildAge),
    hotels.map(({ maxChildAge }) => maxChildAge),
    hotels.map(({ timeZone }) => timeZone),
    hotels.map(({ plain }) => JSON.stringify(plain)),
    hotels.map(({ cityMatched }) => cityMatched ?? null),
  ]
}

async function insertMissing(
  connection: Queryable,
  { supplierId, keyId }: Pusher,
  hotels: readonly HotelToSave[],
  nowMs: number,
): Promise<{ id: number; code: string; revision: number }[]> {
  const { rows } = await connection.query<{ id: number; code: string; revision: number }>(
    // Without "not exists" every existing hotel would consume an identity value. In order of code, so that
    // two pushes of the same new hotels wait in one direction only; the later one meets them as conflicts. A
    // hotel that a reset removed continues with its old numbers.
    `with raised as (
       insert into hotel (id, supplier_id, key_id, ${pushedColumns}, revision, catalog_version, ari_version,
         cells_revision, numbers_after, numbers_epoch, created_at, clock_ahead_ms) overriding system value
       select coalesce(removed.id, nextval('hotel_id_seq')), $1, $3, ${pushedColumns},
         coalesce(removed.revision, 0) + 1, coalesce(removed.catalog_version, 0) + 1, coalesce(removed.ari_version, 0),
         -- Its history begins anew: the reset stored no values.
         coalesce(removed.revision + 1, 0), coalesce(removed.numbers_after, 0), coalesce(removed.numbers_epoch, store_epoch_number()),
         instant($2), (select clock_ahead_ms from supplier where id = $1)
       from (
         select * from ${pushedTable(4)}
         where not exists (select from hotel as held where held.supplier_id = $1 and held.code = sent.code)
       ) as missing
         left join (select * from removed_hotel where supplier_id = $1) as removed (account_id, removed_code) on removed_code = code
       order by code
       -- Of the code, or of the old number that the other push of a removed hotel also takes.
       on conflict do nothing
       returning id, revision, ${searchedColumns}
     ), ${searchable}, ${noted('hotel')}, returned as (delete from removed_hotel using raised where removed_hotel.id = raised.id)
     select id, code, revision from raised`,
    [supplierId, nowMs, keyId, ...pushedValues(hotels)],
  )
  return rows
}

/** The hotels that differed, with their new revisions. Their rows must be locked. */
async function updateChanged(
  connection: Queryable,
  supplierId: number,
  hotels: readonly HotelToSave[],
  nowMs: number,
): Promise<Map<number, number>> {
  const { rows } = await connection.query<{ id: number; revision: number }>(
    `with raised as (
       update hotel as held
       set name = sent.name, currency = sent.currency, is_available = sent.is_available,
         min_child_age = sent.min_child_age, max_child_age = sent.max_child_age, time_zone = sent.time_zone,
         pushed = sent.pushed, city_matched = sent.city_matched,
         revision = held.revision + 1, catalog_version = held.catalog_version + 1,
         currency_revision =
           case when held.currency = sent.currency then held.currency_revision else held.revision + 1 end,
         -- After the rules of the guard, by whosever clock: their amounts are of the currency before.
         currency_changed_at = case when held.currency = sent.currency then held.currency_changed_at
           else greatest(instant($2), (select max(changed_at) from guard where guard.supplier_id = $1)) end
       from ${pushedTable(3)}
       where held.supplier_id = $1 and held.code = sent.code
         and (held.name, held.currency, held.is_available, held.min_child_age, held.max_child_age, held.time_zone,
             held.pushed, held.city_matched)
           is distinct from (sent.name, sent.currency, sent.is_available, sent.min_child_age,
             sent.max_child_age, sent.time_zone, sent.pushed, sent.city_matched)
       returning held.id, held.revision, ${searchedColumns
         .split(', ')
         .map((column) => `held.${column}`)
         .join()}
     ), ${searchable}, ${noted('hotel')}
     select id, revision from raised`,
    [supplierId, nowMs, ...pushedValues(hotels)],
  )
  return new Map(rows.map(({ id, revision }) => [id, revision]))
}

/** For changes of rooms, rates, room-rates or taxes; the row must be locked. Returns the new revision. */
export async function raiseCatalogVersion(
  connection: Queryable,
  hotelId: number,
  kind: 'products' | 'taxes',
): Promise<number> {
  const { rows } = await connection.query<{ revision: number }>(
    `with raised as (
       update hotel set revision = revision + 1, catalog_version = catalog_version + 1,
         is_offered = exists (select from room_rate where hotel_id = $1 and is_available)
       where id = $1
       returning id, revision
     ), ${noted(kind)}
     select revision from raised`,
    [hotelId],
  )
  const [raised] = rows
  if (!raised) throw new Error(`hotel ${hotelId} is gone although it was locked`)
  return raised.revision
}
