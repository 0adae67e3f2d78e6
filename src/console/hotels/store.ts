import { hotelColumns, type HotelRow } from '../../hotels/store.ts'
import { Parameters } from '../../postgres/parameters.ts'
import type { Queryable } from '../../postgres/postgres.ts'
import type { CancelPolicy } from '../../products/cancel-policy-contract.ts'
import { searchWordsMax, type GoLiveStage, type HotelOrder } from './contract.ts'

/** The supplier's name may hold it instead of the hotel's. */
export type SearchWord = { text: string; supplierIds: readonly number[] }

export type HotelSearch = {
  /** Parts of words, each of which must be found; undefined: all hotels. */
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

/** Where the page before ended: what its last hotel was sorted by, and its id. */
export type HotelPlace = { key: string; hotelId: number }

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

export type HotelsAsked = {
  search: HotelSearch
  order: HotelOrder
  after: HotelPlace | undefined
  /** The hotels whose id or code was typed in full: only these, or all but these. */
  exact: { hotelIds: readonly number[]; isOnly: boolean }
  limit: number
  nowMs: number
  thisMonth: number
}

/** What each order sorts by; the id decides between equals. */
const orders: Readonly<Record<HotelOrder, { key: string; type: string; isDescending?: true }>> = {
  name: { key: 's.name', type: 'text' },
  newest: { key: 'h.id', type: 'int', isDescending: true },
  stalest: { key: `coalesce(h.ari_at, '-infinity')`, type: 'timestamptz' },
  ending: { key: 'coalesce(h.ari_until_month, 0)::int', type: 'int' },
}

/** Both URLs, of any valid key: whose hotel it is doesn't matter, see webhooks/store.ts. */
const hasWebhooks = (now: string): string => `h.supplier_id in (
  select supplier_id from api_key
  where revoked_at is null and (expires_at is null or expires_at > instant(${now}))
  group by supplier_id
  having count(availability_webhook) > 0 and count(pushbook_webhook) > 0
)`

/**
 * Hotels in their order. Not named: planned anew with the values at hand, because what is quickest depends on them; and
 * of the two tables only those are read that are needed. decisions/012-hotel-search.md.
 */
export async function selectHotels(db: Queryable, asked: HotelsAsked): Promise<HotelFoundRow[]> {
  const parameters = new Parameters()
  const { key, type, isDescending } = orders[asked.order]
  const conditions = conditionsOf(asked, parameters)
  const place = asked.after
    ? `(${parameters.add(asked.after.key)}::${type}, ${parameters.add(asked.after.hotelId)}::int)`
    : undefined
  const from = tablesFor([key, ...conditions])
  if (place !== undefined) conditions.push(`(${key}, ${from.id}) ${isDescending ? '<' : '>'} ${place}`)
  const direction = isDescending ? 'desc' : 'asc'
  const now = parameters.add(asked.nowMs)
  const { rows } = await db.query<HotelFoundRow>(
    `with found as (
       select ${from.id} as hotel_id, ${key} as sort_key from ${from.tables}
       where ${conditions.join(' and ')}
       order by ${key} ${direction}, ${from.id} ${direction} limit ${parameters.add(asked.limit)}
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
  { search, order, exact, nowMs, thisMonth }: HotelsAsked,
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

/** search_text left nothing that `like` reads as a pattern. Where no supplier has the word, nothing hides how rare it is. */
function isNamed({ text, supplierIds }: SearchWord, parameters: Parameters): string {
  const isInWords = `s.words like '%' || ${parameters.add(text)}::text || '%'`
  if (supplierIds.length === 0) return isInWords
  return `(${isInWords} or s.supplier_id = any(${parameters.add(supplierIds)}::int[]))`
}

/** Each names its parameters only where it has them. */
const stageConditions: Readonly<
  Record<GoLiveStage, (hasAri: () => string, webhooks: () => string) => string>
> = {
  products: () => 'not h.is_offered',
  ari: (hasAri) => `h.is_offered and (${hasAri()}) is not true`,
  webhooks: (hasAri, webhooks) => `h.is_offered and ${hasAri()} and not ${webhooks()}`,
  ready: (hasAri, webhooks) => `h.is_offered and ${hasAri()} and ${webhooks()}`,
}

/** What a search compares, as the store spells names; beyond the first words it is a text, not a name. */
export async function selectSearchWords(db: Queryable, typed: string): Promise<SearchWord[]> {
  const { rows } = await db.query<SearchWord>(
    `select word as text, array(
       select id from supplier where search_text(name) like '%' || word || '%' order by id
     ) as "supplierIds"
     from string_to_table(search_text($1), ' ') with ordinality as typed (word, place)
     where word <> '' order by place limit ${searchWordsMax}`,
    [typed],
  )
  return rows
}

const exactMax = 20

/** The hotels that have what was typed as their id or code, the former first. */
export async function selectNamedHotels(db: Queryable, typed: string): Promise<number[]> {
  const { rows } = await db.query<{ id: number }>(
    `select id from (
       select id, 0 as place from hotel where id = $2
       union all
       -- Codes have an index by supplier.
       select named.id, 1 from supplier cross join lateral (
         select id from hotel where supplier_id = supplier.id and code = $1 offset 0
       ) as named
     ) as named group by id order by min(place), id limit ${exactMax}`,
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

/** What the page of a hotel shows beside what lists show. */
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

/** Of room-rates in the order of their numbers. */
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
