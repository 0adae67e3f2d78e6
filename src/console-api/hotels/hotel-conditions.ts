import type { Parameters } from '../../postgres/connections/queryable.ts'
import type { Queryable } from '../../postgres/postgres.ts'
import type { GoLiveStage, HotelOrder } from './contract.ts'

/** Which hotels a list or search is for, in which order, and the SQL of these conditions. */

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
  /** No others. */
  among?: readonly number[] | undefined
}

/** The end of the previous page: sort key and id of its last hotel. */
export type HotelPosition = { key: string; hotelId: number }

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

/** `s`: hotel_search, `h`: hotel. */
export type Table = 's' | 'h'
export const tableNames: Readonly<Record<Table, string>> = { s: 'hotel_search', h: 'hotel' }

/** The expression of the index hotel_by_ari_end; 0: no ARI. */
export const ariEnd = 'coalesce(h.ari_until_month, 0)'

/** The sort key of each order; ties are broken by id. Each pair has an index. */
export const orders: Readonly<
  Record<HotelOrder, { table: Table; key: string; id: string; type: string; isDescending?: true }>
> = {
  name: { table: 's', key: 's.name', id: 's.hotel_id', type: 'text' },
  newest: { table: 's', key: 's.hotel_id', id: 's.hotel_id', type: 'int', isDescending: true },
  stalest: { table: 'h', key: 'h.ari_day', id: 'h.id', type: 'int' },
  ending: { table: 'h', key: ariEnd, id: 'h.id', type: 'int' },
  nameLast: { table: 's', key: 's.name', id: 's.hotel_id', type: 'text', isDescending: true },
  freshest: { table: 'h', key: 'h.ari_day', id: 'h.id', type: 'int', isDescending: true },
  endingLast: { table: 'h', key: ariEnd, id: 'h.id', type: 'int', isDescending: true },
}

export const directionOf = (order: HotelOrder): 'asc' | 'desc' =>
  orders[order].isDescending ? 'desc' : 'asc'

/** The condition for hotels after the end of the previous page. */
export function isBeyond(
  order: HotelOrder,
  { key: last, hotelId }: HotelPosition,
  parameters: Parameters,
): string {
  const { key, id, type, isDescending } = orders[order]
  const position = `(${parameters.add(last)}::${type}, ${parameters.add(hotelId)}::int)`
  return `(${key}, ${id}) ${isDescending ? '<' : '>'} ${position}`
}

/**
 * The condition for hotels of a supplier, with lower ids than `before`, in hotel_search. With an order by supplier and
 * id only the index of both serves it. If the supplier were compared by `=`, the order of the ids would be enough, and
 * the planner might walk through the newer hotels of all others.
 */
export function ofSupplierById(supplier: string, before: string): string {
  return `(s.supplier_id, s.hotel_id) > (${supplier}, 0) and (s.supplier_id, s.hotel_id) < (${supplier}, ${before})`
}

/** Above every id of a hotel. */
export const anyHotelId = '2147483647'

/** Both URLs, of any valid key of the supplier, see webhooks/store.ts, except for what its contract doesn't need. */
export const suppliersWithWebhooks = (now: string): string => `
  select account.id from supplier as account left join api_key
    on supplier_id = account.id and revoked_at is null and (expires_at is null or expires_at > instant(${now}))
  group by account.id
  having (count(availability_webhook) > 0 or account.unneeded_steps ? 'availabilityWebhook')
    and (count(pushbook_webhook) > 0 or account.unneeded_steps ? 'pushbookWebhook')`

/** More hotels than this are not looked up in the other table. */
export const collectedMax = 5_000

export const isNewestOfSupplier = ({ order, search }: HotelQuery): boolean =>
  order === 'newest' && search.supplierId !== undefined

/** Of each table, and those of the order: which hotels come after the previous page, and of which suppliers. */
export type Conditions = Record<Table | 'ordered', string[]>

export async function conditionsOf(
  db: Queryable,
  query: HotelQuery,
  parameters: Parameters,
  by: WordTest,
): Promise<Conditions> {
  const { search, order, after, exact, nowMs, thisMonth } = query
  const { table, id } = orders[order]
  const conditions: Conditions = { s: [], h: filtersOf(query, parameters), ordered: [] }
  const where = (which: keyof Conditions, value: unknown, condition: (parameter: string) => string): void => {
    if (value !== undefined) conditions[which].push(condition(parameters.add(value)))
  }
  if (isNewestOfSupplier(query)) {
    const before = after ? parameters.add(after.hotelId) : anyHotelId
    where('ordered', search.supplierId, (number) => ofSupplierById(number, before))
  } else {
    if (after) conditions.ordered.push(isBeyond(order, after, parameters))
    where('ordered', search.supplierId, (number) => `${table}.supplier_id = ${number}`)
  }
  if (exact.isOnly) where('ordered', exact.hotelIds, (ids) => `${id} = any(${ids}::int[])`)
  else {
    if (exact.hotelIds.length > 0) where('ordered', exact.hotelIds, (ids) => `${id} <> all(${ids}::int[])`)
    for (const word of search.words ?? []) conditions.s.push(isNamed(word, parameters, by))
  }
  where('ordered', search.among, (ids) => `${id} = any(${ids}::int[])`)
  const { goLive } = search
  if (goLive === 'ari' && search.supplierId !== undefined) {
    const ids = await selectLackingAri(db, search.supplierId, thisMonth)
    // Without any, the planner would look for none among all.
    if (ids?.length === 0) conditions.ordered.push('false')
    else where('ordered', ids, (list) => `${id} = any(${list}::int[])`)
  }
  if (goLive === 'webhooks' || goLive === 'ready') {
    const ids = await selectSuppliers(db, goLive === 'ready', nowMs)
    where('ordered', ids, (list) => `${table}.supplier_id = any(${list}::int[])`)
  }
  return conditions
}

/** The filters by the hotel's own columns. */
export function filtersOf({ search, thisMonth }: HotelQuery, parameters: Parameters): string[] {
  const conditions: string[] = []
  const where = (value: unknown, condition: (parameter: string) => string): void => {
    if (value !== undefined) conditions.push(condition(parameters.add(value)))
  }
  where(search.currency, (code) => `h.currency = ${code}`)
  where(search.country, (code) => `h.pushed ->> 'countryCodeISO2' = ${code}`)
  if (search.isAvailable !== undefined) conditions.push(`${search.isAvailable ? '' : 'not '}h.is_available`)
  where(search.staleSinceMs, (ms) => `h.ari_at < instant(${ms}::float8 + h.clock_ahead_ms)`)
  where(search.staleSinceMs && dayOf(search.staleSinceMs), (day) => `h.ari_day between 1 and ${day}::int`)
  where(search.endsByMonth, (month) => `${ariEnd} between 1 and ${month}::int`)
  if (search.hasAri !== undefined) conditions.push(`h.ari_day ${search.hasAri ? '>' : '='} 0`)
  const { goLive } = search
  if (goLive === 'products') conditions.push('not h.is_offered')
  else if (goLive) {
    conditions.push('h.is_offered')
    where(thisMonth, (month) => `${ariEnd} ${goLive === 'ari' ? '<' : '>='} ${month}::int`)
  }
  return conditions
}

/** By the service's clock, as in hotel.ari_day. */
const dayOf = (ms: number): number => Math.floor(ms / 86_400_000)

/** `parts`: by their index. `each`: word by word, in the least time. `like`: so that the planner sees how rare they are. */
export type WordTest = 'parts' | 'each' | 'like'

/** search_text has no characters special to `like`. If no supplier has the word, its condition is left out, so that the planner sees how rare it is. */
export function isNamed({ text, supplierIds }: SearchWord, parameters: Parameters, by: WordTest): string {
  const part = `${parameters.add(text)}::text`
  const isInWords = by === 'each' ? `strpos(s.words, ${part}) > 0` : `s.words like '%' || ${part} || '%'`
  if (supplierIds.length > 0)
    return `(${isInWords} or s.supplier_id = any(${parameters.add(supplierIds)}::int[]))`
  return by === 'parts'
    ? `search_parts(s.words) @> ${parameters.add(partsOf(text))}::text[] and ${isInWords}`
    : isInWords
}

/** The longest parts that the index has of words that contain the text. */
function partsOf(text: string): string[] {
  const letters = Array.from(text)
  const length = Math.min(letters.length, partLettersMax)
  return Array.from({ length: letters.length - length + 1 }, (_, at) =>
    letters.slice(at, at + length).join(''),
  )
}

/** As in the function search_parts. */
const partLettersMax = 3

/** Undefined: too many to be read. Written like {@link ofSupplierById}, so that the index is read. */
async function selectLackingAri(
  db: Queryable,
  supplierId: number,
  thisMonth: number,
): Promise<number[] | undefined> {
  const { rows } = await db.query<{ id: number }>(
    `select id from hotel h
     where (supplier_id, ${ariEnd}) >= ($1, 0) and (supplier_id, ${ariEnd}) < ($1, $2::int)
     order by supplier_id, ${ariEnd}, id limit ${collectedMax} + 1`,
    [supplierId, thisMonth],
  )
  return rows.length > collectedMax ? undefined : rows.map((row) => row.id)
}

/** Those with both URLs, or the others: few, while hotels are many, so that the planner knows how many hotels they have. */
async function selectSuppliers(db: Queryable, haveWebhooks: boolean, nowMs: number): Promise<number[]> {
  const { rows } = await db.query<{ id: number }>(
    `select id from supplier where id ${haveWebhooks ? 'in' : 'not in'} (${suppliersWithWebhooks('$1')})`,
    [nowMs],
  )
  return rows.map((row) => row.id)
}
