import { hotelColumns, type HotelRow } from '../../hotels/store.ts'
import { Parameters } from '../../postgres/parameters.ts'
import type { Queryable } from '../../postgres/postgres.ts'
import type { CancelPolicy } from '../../products/cancel-policy-contract.ts'
import { searchWordsMax, type GoLiveStage, type HotelOrder } from './contract.ts'

/** Whether the supplier's name may contain the word instead of the hotel's. */
export type SearchWord = { text: string; supplierIds: readonly number[] }

export type HotelSearch = {
  /** Parts of words, all of which must match; undefined: all hotels. */
  words?: readonly SearchWord[] | undefined
  supplierId?: number | undefined
  currency?: string | undefined
  country?: string | undefined
  isAvailable?: boolean | undefined
  goLive?: GoLiveStage | undefined
  hasAri?: boolean | undefined
  staleSinceMs?: number | undefined
  endsByMonth?: number | undefined
}

/** The end of the previous page: sort key and id of its last hotel. */
export type HotelPosition = { key: string; hotelId: number }

export type HotelFoundRow = {
  hotelId: number
  supplierId: number
  supplier: string
  code: string
  name: string
  city: string | null
  countryCode: string | null
  currency: string
  timeZone: string
  isAvailable: boolean
  revision: number
  createdAt: Date
  lastAriAt: Date | null
  ariUntilMonth: number | null
  isOffered: boolean
  hasWebhooks: boolean
  sortKey: string
}

export type HotelQuery = {
  search: HotelSearch
  order: HotelOrder
  after: HotelPosition | undefined
  /** The hotels whose full id or code was typed: only these, or all others. */
  exact: { hotelIds: readonly number[]; isOnly: boolean }
  limit: number
  nowMs: number
  thisMonth: number
}

/** The sort key of each order; ties are broken by id. */
const orders: Readonly<Record<HotelOrder, { key: string; type: string; isDescending?: true }>> = {
  name: { key: 's.name', type: 'text' },
  newest: { key: 'h.id', type: 'int', isDescending: true },
  stalest: { key: `coalesce(h.ari_at, '-infinity')`, type: 'timestamptz' },
  ending: { key: 'coalesce(h.ari_until_month, 0)::int', type: 'int' },
}

/** Both URLs, of any valid key of the supplier, see webhooks/store.ts. */
const hasWebhooks = (now: string): string => `h.supplier_id in (
  select supplier_id from api_key
  where revoked_at is null and (expires_at is null or expires_at > instant(${now}))
  group by supplier_id
  having count(availability_webhook) > 0 and count(pushbook_webhook) > 0
)`

/**
 * Hotels in the requested order. Unnamed, so that it is planned with the actual values, on which the fastest plan
 * depends; it joins only the tables it needs. decisions/012-hotel-search.md.
 */
export async function selectHotels(db: Queryable, query: HotelQuery): Promise<HotelFoundRow[]> {
  const parameters = new Parameters()
  const { key, type, isDescending } = orders[query.order]
  const conditions = conditionsOf(query, parameters)
  const position = query.after
    ? `(${parameters.add(query.after.key)}::${type}, ${parameters.add(query.after.hotelId)}::int)`
    : undefined
  const from = tablesFor([key, ...conditions])
  if (position !== undefined) conditions.push(`(${key}, ${from.id}) ${isDescending ? '<' : '>'} ${position}`)
  const direction = isDescending ? 'desc' : 'asc'
  const now = parameters.add(query.nowMs)
  const { rows } = await db.query<HotelFoundRow>(
    `with found as (
       select ${from.id} as hotel_id, ${key} as sort_key from ${from.tables}
       where ${conditions.join(' and ')}
       order by ${key} ${direction}, ${from.id} ${direction} limit ${parameters.add(query.limit)}
     )
     select h.id as "hotelId", h.supplier_id as "supplierId", supplier.name as supplier, h.code, h.name,
       coalesce(h.city_matched, h.pushed ->> 'city') as city, h.pushed ->> 'countryCodeISO2' as "countryCode",
       h.currency, h.time_zone as "timeZone", h.is_available as "isAvailable", h.revision,
       h.created_at as "createdAt", h.ari_at as "lastAriAt", h.ari_until_month as "ariUntilMonth",
       h.is_offered as "isOffered", ${hasWebhooks(now)} as "hasWebhooks", found.sort_key::text as "sortKey"
     from found join hotel h on h.id = found.hotel_id join supplier on supplier.id = h.supplier_id
     order by found.sort_key ${direction}, h.id ${direction}`,
    parameters.values,
  )
  return rows
}

function tablesFor(parts: readonly string[]): { tables: string; id: string } {
  const needs = (table: string) => parts.some((part) => part.includes(`${table}.`))
  if (!needs('s')) return { tables: 'hotel h', id: 'h.id' }
  if (!needs('h')) return { tables: 'hotel_search s', id: 's.hotel_id' }
  return { tables: 'hotel_search s join hotel h on h.id = s.hotel_id', id: 's.hotel_id' }
}

function conditionsOf(
  { search, order, exact, nowMs, thisMonth }: HotelQuery,
  parameters: Parameters,
): string[] {
  const { words, supplierId, currency, country, isAvailable, goLive } = search
  const { hasAri, staleSinceMs, endsByMonth } = search
  const usesNames = order === 'name' || (words !== undefined && !exact.isOnly)
  const [id, supplier] = usesNames ? ['s.hotel_id', 's.supplier_id'] : ['h.id', 'h.supplier_id']
  const conditions = ['true']
  const where = (value: unknown, condition: (parameter: string) => string): void => {
    if (value !== undefined) conditions.push(condition(parameters.add(value)))
  }
  if (exact.isOnly) where(exact.hotelIds, (ids) => `${id} = any(${ids}::int[])`)
  else {
    if (exact.hotelIds.length > 0) where(exact.hotelIds, (ids) => `${id} <> all(${ids}::int[])`)
    for (const word of words ?? []) conditions.push(isNamed(word, parameters))
  }
  where(supplierId, (number) => `${supplier} = ${number}`)
  where(currency, (code) => `h.currency = ${code}`)
  where(country, (code) => `h.pushed ->> 'countryCodeISO2' = ${code}`)
  where(isAvailable, (is) => `h.is_available = ${is}`)
  where(staleSinceMs, (ms) => `h.ari_at < instant(${ms}::float8 + h.clock_ahead_ms)`)
  where(endsByMonth, (month) => `h.ari_until_month <= ${month}`)
  if (hasAri !== undefined) conditions.push(`h.ari_at is ${hasAri ? 'not null' : 'null'}`)
  if (goLive !== undefined) {
    const hasNights = (): string => `h.ari_until_month >= ${parameters.add(thisMonth)}::int`
    conditions.push(stageConditions[goLive](hasNights, () => hasWebhooks(parameters.add(nowMs))))
  }
  return conditions
}

/** search_text has no characters special to `like`. If no supplier has the word, its condition is left out, so that the planner sees how rare it is. */
function isNamed({ text, supplierIds }: SearchWord, parameters: Parameters): string {
  const isInWords = `s.words like '%' || ${parameters.add(text)}::text || '%'`
  if (supplierIds.length === 0) return isInWords
  return `(${isInWords} or s.supplier_id = any(${parameters.add(supplierIds)}::int[]))`
}

/** Each condition adds its parameters only if it is used. */
const stageConditions: Readonly<
  Record<GoLiveStage, (hasAri: () => string, webhooks: () => string) => string>
> = {
  products: () => 'not h.is_offered',
  ari: (hasAri) => `h.is_offered and (${hasAri()}) is not true`,
  webhooks: (hasAri, webhooks) => `h.is_offered and ${hasAri()} and not ${webhooks()}`,
  ready: (hasAri, webhooks) => `h.is_offered and ${hasAri()} and ${webhooks()}`,
}

/** The search words, normalized like stored names; words beyond the limit are dropped. */
export async function selectSearchWords(db: Queryable, typed: string): Promise<SearchWord[]> {
  const { rows } = await db.query<SearchWord>(
    `select word as text, array(
       select id from supplier where search_text(name) like '%' || word || '%' order by id
     ) as "supplierIds"
     from string_to_table(search_text($1), ' ') with ordinality as typed (word, position)
     where word <> '' order by position limit ${searchWordsMax}`,
    [typed],
  )
  return rows
}

const exactMax = 20

/** The hotels whose id or code is the typed text, id matches first. */
export async function selectNamedHotels(db: Queryable, typed: string): Promise<number[]> {
  const { rows } = await db.query<{ id: number }>(
    `select id from (
       select id, 0 as position from hotel where id = $2
       union all
       -- Codes have an index by supplier.
       select named.id, 1 from supplier cross join lateral (
         select id from hotel where supplier_id = supplier.id and code = $1 offset 0
       ) as named
     ) as named group by id order by min(position), id limit ${exactMax}`,
    [typed, /^[1-9]\d{0,8}$/.test(typed) ? Number(typed) : null],
  )
  return rows.map(({ id }) => id)
}

export type HotelDetails = HotelRow & {
  pushed: Record<string, unknown>
  cityMatched: string | null
  createdAt: Date
  ariAt: Date | null
  channelManager: string | null
  productCount: number
  hasAvailableProduct: boolean
  hasTaxes: boolean
}

/** Details for the page of a hotel, beyond the list. */
export async function selectOptionalHotelDetails(
  db: Queryable,
  hotelId: number,
): Promise<HotelDetails | undefined> {
  const { rows } = await db.query<HotelDetails>(
    `select ${hotelColumns}, pushed, city_matched as "cityMatched", created_at as "createdAt", ari_at as "ariAt",
       (select channel_manager from api_key where id = hotel.key_id) as "channelManager",
       (select count(*)::int from room_rate where hotel_id = hotel.id) as "productCount",
       is_offered as "hasAvailableProduct", exists (select from tax where hotel_id = hotel.id) as "hasTaxes"
     from hotel where id = $1`,
    [hotelId],
  )
  return rows[0]
}

/** For room-rates, ordered by number. */
export async function selectCancelPolicies(
  db: Queryable,
  hotelId: number,
  limit: number,
): Promise<CancelPolicy[][]> {
  const { rows } = await db.query<{ policies: CancelPolicy[] }>(
    `select cancel_policies as policies from room_rate where hotel_id = $1 order by room_no, rate_no limit $2`,
    [hotelId, limit],
  )
  return rows.map(({ policies }) => policies)
}
