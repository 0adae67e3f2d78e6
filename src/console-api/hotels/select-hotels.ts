import { Parameters } from '../../postgres/connections/queryable.ts'
import type { Queryable } from '../../postgres/postgres.ts'
import type { HotelListed, HotelOrder } from './contract.ts'
import {
  collectedMax,
  conditionsOf,
  directionOf,
  filtersOf,
  isBeyond,
  isNamed,
  isNewestOfSupplier,
  orders,
  suppliersWithWebhooks,
  tableNames,
  type Conditions,
  type HotelQuery,
  type SearchWord,
  type Table,
  type WordTest,
} from './hotel-conditions.ts'

/** The SQL of lists and searches of hotels. */

export type HotelFoundRow = Omit<HotelListed, 'createdAt' | 'lastAriAt' | 'ariUntilMonth' | 'goLive'> & {
  createdAt: Date
  lastAriAt: Date | null
  ariUntilMonth: number | null
  isOffered: boolean
  hasWebhooks: boolean
  sortKey: string
}

/** `filters`: as planned. `walk`: in order, through the next hotels only. `words`: all by the index of parts, then sorted. */
type Way = 'filters' | 'walk' | 'words'

const wordTests: Readonly<Record<Way, WordTest>> = { filters: 'like', walk: 'each', words: 'parts' }

type Sample = {
  /** Whether so many hotels have all the words that going through them in order soon fills a page. */
  isCommon: boolean
  /** The sort key at which a walk ends; null: at the last hotel. */
  walkedTo: string | null
}

/** A walk ends after about so many hotels. The index of names has the words too; by another table, each would be looked up. */
const walkedMax: Readonly<Record<Table, number>> = { s: 200_000, h: 10_000 }
/** Hotels of a walk that are looked up in the other table; if it fills no page, of those that pass the filters. */
const lookedUpMax = 25_000
/** Of so many hotels, evenly spread, three or more have words that are common: some 6,000 of a million. */
const sampledHotels = 500

/**
 * Hotels in the requested order. The index of parts of words finds rare words. For common ones it would collect very many
 * hotels, while a page is mostly full when the few that pass the filters have been looked up, or after a short walk.
 * decisions/012-hotel-search.md.
 */
export async function selectHotels(db: Queryable, query: HotelQuery): Promise<HotelFoundRow[]> {
  const { words = [], supplierId } = query.search
  const inIndex = words.filter(({ supplierIds }) => supplierIds.length === 0)
  if (query.exact.isOnly || supplierId !== undefined || inIndex.length === 0)
    return selectBy('filters', db, query)
  const [{ isCommon, walkedTo }, among] = await Promise.all([
    sampled(db, query, inIndex),
    selectFew(db, query, collectedMax),
  ])
  if (!isCommon) return selectBy('words', db, query)
  if (among) return selectBy('filters', db, { ...query, search: { ...query.search, among } })
  const walked = await selectBy('walk', db, query, walkedTo)
  if (walked.length === query.limit) return walked
  const more = await selectFew(db, query, lookedUpMax)
  if (more) return selectBy('filters', db, { ...query, search: { ...query.search, among: more } })
  return selectBy(orders[query.order].table === 's' ? 'words' : 'filters', db, query)
}

/**
 * The ids of the sample are spread by the golden ratio, because hotels of an import can repeat in equal steps. Where a
 * walk ends is a key, not a count of rows, so that the words are compared inside the scan of the index.
 */
async function sampled(db: Queryable, query: HotelQuery, words: readonly SearchWord[]): Promise<Sample> {
  const { order, after } = query
  const { table, key } = orders[order]
  const parameters = new Parameters()
  const conditions = words.map((word) => isNamed(word, parameters, 'each'))
  const end = (): string => {
    const isAhead = after ? isBeyond(order, after, parameters) : 'true'
    return `(array_agg(${key} order by ${key} ${directionOf(order)}) filter (where ${isAhead}))
       [ceil(${sampledHotels} * ${walkedMax.s}.0 / max(newest))]::text`
  }
  const { rows } = await db.query<{ hotels: number; walkedTo: string | null }>(
    `with ids as (select max(hotel_id) as newest from hotel_search)
     select count(*) filter (where ${conditions.join(' and ')})::int as hotels,
       ${table === 's' ? end() : 'null'} as "walkedTo"
     from hotel_search s cross join ids
     where hotel_id = any(array(
       select ceil(newest * (number * 0.6180339887 % 1))::int from ids, generate_series(1, ${sampledHotels}) as number
     ))`,
    parameters.values,
  )
  const [{ hotels, walkedTo } = { hotels: 0, walkedTo: null }] = rows
  // To collect a fifth of all hotels by the index of parts takes longer than to walk to the last name.
  return { isCommon: hotels >= 3, walkedTo: hotels < sampledHotels / 5 ? walkedTo : null }
}

/** The hotels that pass the filters by columns of their own; undefined: no such filter, or too many pass. */
async function selectFew(db: Queryable, query: HotelQuery, most: number): Promise<number[] | undefined> {
  const parameters = new Parameters()
  const conditions = filtersOf(query, parameters)
  if (conditions.length === 0) return undefined
  const { rows } = await db.query<{ id: number }>(
    `select id from hotel h where ${conditions.join(' and ')} limit ${most} + 1`,
    parameters.values,
  )
  return rows.length > most ? undefined : rows.map((row) => row.id)
}

/** Unnamed, so that it is planned with the actual values, on which the fastest plan depends; it joins only the tables it needs. */
async function selectBy(
  way: Way,
  db: Queryable,
  query: HotelQuery,
  walkedTo: string | null = null,
): Promise<HotelFoundRow[]> {
  const parameters = new Parameters()
  const { key, id, type, isDescending } = orders[query.order]
  const direction = directionOf(query.order)
  const first = isNewestOfSupplier(query) ? 's.supplier_id' : key
  const inOrder = `order by ${first} ${direction}, ${id} ${direction}`
  const conditions = await conditionsOf(db, query, parameters, wordTests[way])
  if (walkedTo !== null)
    conditions.ordered.push(`${key} ${isDescending ? '>=' : '<='} ${parameters.add(walkedTo)}::${type}`)
  const now = parameters.add(query.nowMs)
  const limit = parameters.add(query.limit)
  const { rows } = await db.query<HotelFoundRow>(
    `with found as (
       select ${id} as hotel_id, ${key} as sort_key from ${source(way, query.order, conditions, inOrder)}
       ${inOrder} limit ${limit}
     )
     select h.id as "hotelId", h.supplier_id as "supplierId", supplier.name as supplier, h.code, h.name,
       coalesce(h.city_matched, h.pushed ->> 'city') as city, h.pushed ->> 'countryCodeISO2' as "countryCode",
       h.currency, h.time_zone as "timeZone", h.is_available as "isAvailable", h.revision,
       h.created_at as "createdAt", h.ari_at as "lastAriAt", h.ari_until_month as "ariUntilMonth",
       h.is_offered as "isOffered", h.supplier_id in (${suppliersWithWebhooks(now)}) as "hasWebhooks",
       found.sort_key::text as "sortKey"
     from found join hotel h on h.id = found.hotel_id join supplier on supplier.id = h.supplier_id
     order by found.sort_key ${direction}, h.id ${direction}`,
    parameters.values,
  )
  return rows
}

/** What stands after `from`. */
function source(way: Way, order: HotelOrder, conditions: Conditions, inOrder: string): string {
  const { table } = orders[order]
  const other = table === 's' ? 'h' : 's'
  const where = (parts: readonly string[]): string => (parts.length > 0 ? `where ${parts.join(' and ')}` : '')
  const { ordered } = conditions
  // Neither of the inner selects can be merged with the outer one, which would change the way.
  const whole: Record<Table, string> = { ...tableNames }
  const outer: Record<Table, string[]> = { s: conditions.s, h: conditions.h }
  if (way === 'walk') {
    const walked = `select * from ${tableNames[table]} ${table} ${where([...ordered, ...(table === 's' ? outer.s : [])])}`
    whole[table] = `(${walked} ${inOrder} limit ${table === 's' ? lookedUpMax : walkedMax.h})`
  } else outer[table] = [...outer[table], ...ordered]
  if (way === 'words') {
    // Sorted before the others are looked up: few fill the page.
    whole.s = `(select * from hotel_search s ${where(outer.s)} ${table === 's' ? inOrder : ''} offset 0)`
  }
  if (whole.s !== tableNames.s) outer.s = []
  const isJoined = conditions[other].length > 0
  return `${whole[table]} ${table} ${isJoined ? `join ${whole[other]} ${other} on s.hotel_id = h.id` : ''}
    ${where([...outer.s, ...outer.h])}`
}
