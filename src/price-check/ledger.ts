import { setTimeout as wait } from 'node:timers/promises'
import type { Database, Needs, Queryable } from '../postgres/postgres.ts'
import { isUnavailable, OutcomeUnknown } from '../postgres/connections/store-errors.ts'
import { transaction } from '../postgres/transaction.ts'
import { instantOf, formatNight, optionalInstant } from '../base/calendar.ts'
import type { Failure } from './ask-supplier.ts'
import type { StayQuery, StoredPrice } from './stored-price.ts'
import type { LivePrice } from './live-answer.ts'
import { drifted, comparedNightsOf, type ComparedNight } from './drift.ts'
import type { Judged } from './outcome.ts'
import { isAnyStored, isInProgress, selectTransactionId } from './store.ts'

/**
 * Stores checks in the background: a guest is waiting, and no answer or booking depends on it. A check is written a
 * moment later, together with those that arrived meanwhile, and a process that is killed loses no more than those.
 * While the store is unavailable, checks wait in memory.
 */
export type Ledger = {
  keep: (check: StoredCheck) => void
  /** Resolves when all checks so far are written, or after a limited wait: readers find recent answers. */
  written: () => Promise<void>
  /** Tries to write the remaining checks. */
  close: () => Promise<void>
}

const batchChecksMax = 500
const batchNightsMax = 5_000
/** About 10 MB; checks beyond this are lost, and counted. */
const waitingMax = 10_000
/** Checks that arrive within this time are written together. */
const gatherMs = 25
const retryMs = 500
const writtenPatienceMs = 1_000
const closePatienceMs = 700

export function checkLedger({ db, log, telemetry }: Needs): Ledger {
  const waiting: StoredCheck[] = []
  const closing = new AbortController()
  let writing: Promise<void> | undefined
  const { insert, storedAfterAll } = batchInserter(db)

  const lose = (count: number): void => telemetry.priceChecksLost.inc(count)

  /** Writes the first of the waiting checks. */
  const write = async (count: number): Promise<void> => {
    const batch = waiting.slice(0, count)
    try {
      await insert(batch)
    } catch (error) {
      if (isUnavailable(error)) throw error
      // A check that PostgreSQL refuses must not take the others with it.
      if (count > 1) {
        for (let written = 0; written < count; written++) await write(1)
        return
      }
      log.error({ err: error, checkId: batch[0]?.checkId }, 'a price check could not be stored')
      lose(count)
    }
    waiting.splice(0, count)
  }

  const writeAll = async (): Promise<void> => {
    while (waiting.length > 0) {
      await wait(gatherMs, undefined, { signal: closing.signal }).catch(() => undefined)
      try {
        const stored = await storedAfterAll()
        if (stored > 0) waiting.splice(0, stored)
        else await write(batchLength(waiting))
      } catch (error) {
        log.warn({ err: error, waiting: waiting.length }, 'price checks wait for the store')
        if (closing.signal.aborted) return
        await wait(retryMs, undefined, { signal: closing.signal }).catch(() => undefined)
      }
    }
  }

  const begin = (): Promise<void> => {
    writing ??= writeAll().finally(() => {
      writing = undefined
    })
    return writing
  }

  return {
    keep: (check) => {
      if (waiting.length >= waitingMax) return lose(1)
      waiting.push(check)
      begin().catch((error: unknown) => log.error({ err: error }, 'price checks could not be stored'))
    },
    written: () => within(begin(), writtenPatienceMs),
    close: async () => {
      closing.abort()
      await within(begin(), closePatienceMs)
      if (waiting.length > 0) log.error({ lost: waiting.length }, 'price checks were not stored')
    },
  }
}

/** Inserts one batch after the other, each once: when the answer to a commit is lost, the store is asked for the checks. */
function batchInserter(db: Database): {
  insert: (batch: readonly StoredCheck[]) => Promise<void>
  /** How many checks the last insert stored although it failed. Throws while PostgreSQL is still at it. */
  storedAfterAll: () => Promise<number>
} {
  let unsettled: { id: string; batch: readonly StoredCheck[] } | undefined
  return {
    insert: async (batch) => {
      try {
        await transaction(db, async (connection) => {
          unsettled = { id: await selectTransactionId(connection), batch }
          connection.lastly((later) => insertChecks(later, batch))
        })
        unsettled = undefined
      } catch (error) {
        if (!(error instanceof OutcomeUnknown)) unsettled = undefined
        throw error
      }
    },
    storedAfterAll: async () => {
      if (!unsettled) return 0
      const { id, batch } = unsettled
      if (await isInProgress(db, id)) throw new Error('a transaction whose connection broke is still running')
      const isStored = await isAnyStored(db, batch)
      unsettled = undefined
      return isStored ? batch.length : 0
    },
  }
}

async function within(work: Promise<void>, ms: number): Promise<void> {
  const over = new AbortController()
  try {
    await Promise.race([work, wait(ms, undefined, { signal: over.signal }).catch(() => undefined)])
  } finally {
    over.abort()
  }
}

function batchLength(checks: readonly StoredCheck[]): number {
  let nights = 0
  for (const [index, check] of checks.entries()) {
    nights += comparedNightsOfCheck(check).length
    if (index >= batchChecksMax || (index > 0 && nights > batchNightsMax)) return index
  }
  return checks.length
}

/** A check as stored. */
export type StoredCheck = Judged & {
  checkId: string
  callId: string | undefined
  atMs: number
  supplierId: number
  hotelId: number
  roomNo: number
  rateNo: number
  requestId: string
  query: StayQuery
  durationMs: number
  currency: string
  stored: StoredPrice
  /** Both are undefined if there was no URL to call. */
  live: LivePrice | undefined
  failure: Failure | undefined
}

/** The nights that the check compared; empty if another check with the same call reports them. */
export function comparedNightsOfCheck({ callId, ...check }: StoredCheck): ComparedNight[] {
  const { checkId, live, outcome, hotelId, roomNo, rateNo } = check
  if ((!live && outcome !== 'sold_out') || callId !== checkId) return []
  return comparedNightsOf({ ...check, key: { hotelId, roomNo, rateNo } })
}

/**
 * Stores checks and the nights they compared in one statement, so that both are kept or neither is. Nothing
 * is kept for a hotel that was removed meanwhile, even if it was pushed again.
 */
export async function insertChecks(db: Queryable, checks: readonly StoredCheck[]): Promise<void> {
  await db.query({
    name: 'insert-price-checks',
    text: `
      with kept as (
        insert into price_check (${checkColumns}) select ${checkColumns}
        from jsonb_populate_recordset(null::price_check, $1) as sent where ${isThere}
      )
      insert into price_drift as present (${driftColumns}) select ${driftColumns}
      from jsonb_populate_recordset(null::price_drift, $2) as sent where ${isThere}
      on conflict (hotel_id, room_no, rate_no, night) do update set
        currency = excluded.currency,
        ${counts.map(summed).join(', ')},
        largest = case when present.currency = excluded.currency and abs(present.largest) >= abs(excluded.largest)
          then present.largest else excluded.largest end,
        last_at = excluded.last_at,
        ${['stored', 'live', 'revision'].map(presentUnlessCompared).join(', ')},
        ${sinceThen('since_at')},
        ${sinceThen('since_revision')}`,
    values: [
      rowsText(checkValues, checks),
      rowsText(driftValues, drifted(checks.flatMap(comparedNightsOfCheck))),
    ],
  })
}

/**
 * Whether the room-rate exists: a hotel that was removed and pushed again meanwhile has other ones. This is a
 * subquery for each row, not a join, to keep the order of the rows sent; it takes no lock, so it waits for no
 * push.
 */
const isThere = `(select true from room_rate as there
  where there.hotel_id = sent.hotel_id and there.room_no = sent.room_no and there.rate_no = sent.rate_no)`

const counts = ['checks', 'differing', 'sold_out', 'meal_plan_differs', 'cancel_policy_differs'] as const

/** Counted anew in another currency. */
function summed(column: string): string {
  return `${column} = case when present.currency = excluded.currency then present.${column} else 0 end + excluded.${column}`
}

/** Answers that only said sold out leave the last comparison unchanged. */
function presentUnlessCompared(column: string): string {
  return `${column} = case when present.currency = excluded.currency and excluded.checks = excluded.sold_out
    then present.${column} else excluded.${column} end`
}

/** The current run of differences continues if every comparison differed. */
function sinceThen(column: string): string {
  return `${column} = case
    when present.currency <> excluded.currency then excluded.${column}
    when excluded.checks = excluded.sold_out then present.${column}
    when excluded.differing = excluded.checks - excluded.sold_out then coalesce(present.${column}, excluded.${column})
    else excluded.${column} end`
}

/** The stored values of a check, by column of price_check. */
const checkValues = {
  check_id: ({ checkId }) => checkId,
  call_id: ({ callId }) => callId,
  at: ({ atMs }) => instantOf(atMs),
  supplier_id: ({ supplierId }) => supplierId,
  hotel_id: ({ hotelId }) => hotelId,
  room_no: ({ roomNo }) => roomNo,
  rate_no: ({ rateNo }) => rateNo,
  request_id: ({ requestId }) => requestId,
  arrival: ({ query }) => formatNight(query.arrival),
  departure: ({ query }) => formatNight(query.departure),
  room_count: ({ query }) => query.roomCount,
  adults: ({ query }) => query.room.adults,
  child_ages: ({ query }) => query.room.childAges,
  outcome: ({ outcome }) => outcome,
  bookable: ({ isBookable, stored }) => isBookable && stored.isBookable,
  duration_ms: ({ durationMs }) => durationMs,
  reason: ({ failure }) => failure?.reason,
  message: ({ failure }) => failure?.message,
  http_status: ({ failure }) => failure?.httpStatus,
  is_ordered: ({ failure }) => failure?.isOrdered === true,
  currency: ({ currency }) => currency,
  revision: ({ stored }) => stored.revision,
  stored_bookable: ({ stored }) => stored.isBookable,
  stored_inventory: ({ stored }) => stored.inventory,
  stored_before_tax: ({ stored }) => stored.nights?.map(({ beforeTax }) => beforeTax),
  stored_after_tax: ({ stored }) => stored.nights?.map(({ afterTax }) => afterTax),
  live_inventory: ({ live }) => live?.inventory,
  live_before_tax: ({ live }) => live?.nights.map(({ beforeTax }) => beforeTax),
  live_after_tax: ({ live }) => live?.nights.map(({ afterTax }) => afterTax),
  difference: ({ difference }) => difference,
  terms_differ: ({ termsDiffer }) => (termsDiffer.length > 0 ? termsDiffer : undefined),
} satisfies Values<StoredCheck>

/** The stored values of a compared night, by column of price_drift. */
const driftValues = {
  hotel_id: ({ hotelId }) => hotelId,
  room_no: ({ roomNo }) => roomNo,
  rate_no: ({ rateNo }) => rateNo,
  night: ({ night }) => formatNight(night),
  currency: ({ currency }) => currency,
  checks: ({ checks }) => checks,
  differing: ({ differing }) => differing,
  sold_out: ({ soldOut }) => soldOut,
  meal_plan_differs: ({ mealPlanDiffers }) => mealPlanDiffers,
  cancel_policy_differs: ({ cancelPolicyDiffers }) => cancelPolicyDiffers,
  largest: ({ largest }) => largest,
  last_at: ({ lastAtMs }) => instantOf(lastAtMs),
  stored: ({ stored }) => stored,
  live: ({ live }) => live,
  revision: ({ revision }) => revision,
  since_at: ({ sinceAtMs }) => optionalInstant(sinceAtMs),
  since_revision: ({ sinceRevision }) => sinceRevision,
} satisfies Values<ReturnType<typeof drifted>[number]>

type Values<Row> = Readonly<Record<string, (row: Row) => unknown>>

const checkColumns = Object.keys(checkValues).join(', ')
const driftColumns = Object.keys(driftValues).join(', ')

function rowsText<Row>(values: Values<Row>, all: readonly Row[]): string {
  const columns = Object.entries(values)
  return JSON.stringify(
    all.map((row) => Object.fromEntries(columns.map(([column, of]) => [column, of(row)]))),
  )
}
