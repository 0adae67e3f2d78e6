import type { Queryable } from '../../postgres/postgres.ts'
import { emailIn, type ReservationFilter } from './reservation-filter.ts'

/** Where no more match a filter, they are sorted; else they are looked for from the newest on. */
const fewMax = 2_000

type Narrowing = {
  isGiven: (filter: ReservationFilter) => boolean
  values: (filter: ReservationFilter) => unknown[]
  text: string
}

/** Two ends of a column, in the order of its index: otherwise the planner might look for the rows in that of another. */
function range(column: string, type: string, ends: (filter: ReservationFilter) => unknown[]): Narrowing {
  const at = (parameter: string): string => (type === 'date' ? parameter : `instant(${parameter})`)
  const isEnd = column === 'created_at' ? '<' : '<='
  return {
    isGiven: (filter) => ends(filter).some((end) => end !== undefined),
    values: (filter) => ends(filter).map((end) => end ?? null),
    text: `select id from reservation where ($1::${type} is null or ${column} >= ${at('$1')})
      and ($2::${type} is null or ${column} ${isEnd} ${at('$2')}) order by ${column}`,
  }
}

const narrowings: readonly Narrowing[] = [
  {
    isGiven: ({ email }) => email !== undefined,
    values: ({ email }) => [email],
    // Also of former versions, which the search then passes by.
    text: `select reservation_id as id from reservation_version as version where ${emailIn('version')} = lower($1)`,
  },
  range('arrival', 'date', ({ arrivalFrom, arrivalTo }) => [arrivalFrom, arrivalTo]),
  range('departure', 'date', ({ departureFrom, departureTo }) => [departureFrom, departureTo]),
  range('created_at', 'float8', ({ createdFromMs, createdUntilMs }) => [createdFromMs, createdUntilMs]),
  range('modified_at', 'float8', ({ modifiedFromMs }) => [modifiedFromMs, undefined]),
]

/**
 * All reservations that can match, if one of the filters leaves few; undefined otherwise. The planner takes what matches for
 * spread evenly over all reservations. Dates are not: those of long ago are the last that a search from the newest on meets.
 */
export async function selectFew(db: Queryable, filter: ReservationFilter): Promise<number[] | undefined> {
  for (const { isGiven, values, text } of narrowings) {
    if (!isGiven(filter)) continue
    const { rows } = await db.query<{ ids: number[] | null }>(fewOf(text), values(filter))
    const ids = rows[0]?.ids
    if (ids) return ids
  }
  return undefined
}

function fewOf(text: string): string {
  return `select case when count(*) <= ${fewMax} then coalesce(json_agg(distinct id), '[]') end as ids
    from (${text} limit ${fewMax + 1}) as few`
}
