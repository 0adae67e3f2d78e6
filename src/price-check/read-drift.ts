import { minorText } from '../base/money.ts'
import type { Queryable } from '../postgres/postgres.ts'
import { selectAppliedPushes, type AppliedPush } from '../push-log/store.ts'
import { minorDigits } from '../reference/currencies.ts'
import { driftNightsMax, type Drift, type DriftNight } from './contract.ts'
import { signedText } from './shown-check.ts'
import { selectDriftNights, selectDriftTotals, type DriftRow, type DriftScope } from './store.ts'

/** How the live answers of a hotel differ from the stored prices, with the pushes that set those. */
export async function readDrift(db: Queryable, scope: DriftScope): Promise<Drift> {
  const [totals, nights] = await Promise.all([
    selectDriftTotals(db, scope),
    selectDriftNights(db, scope, driftNightsMax),
  ])
  const revisions = new Set(nights.flatMap(({ revision, sinceRevision }) => [revision, sinceRevision]))
  const made = [...revisions].flatMap((revision) =>
    revision === null ? [] : [{ hotelId: scope.hotel, revision }],
  )
  const pushes = await selectAppliedPushes(db, made)
  const pushByRevision = new Map(pushes.map((push) => [push.revision, push]))
  const digits = minorDigits(totals.currency) ?? 2
  return { ...totals, worst: nights.map((row) => shownNight(row, digits, pushByRevision)) }
}

function shownNight(
  row: DriftRow,
  digits: number,
  pushByRevision: ReadonlyMap<number | null, AppliedPush>,
): DriftNight {
  const { roomId, rateId, night, checks, differing, soldOut, largest, stored, live } = row
  const textOf = (minor: number | null): string | null => (minor === null ? null : minorText(minor, digits))
  const { sinceAtMs, sinceRevision } = row
  return {
    roomId,
    rateId,
    date: night,
    checks,
    differing,
    soldOut,
    largest: signedText(largest, digits),
    stored: textOf(stored),
    live: textOf(live),
    setBy: row.revision === null ? null : pushOf(row.revision, pushByRevision),
    lastAt: instantOf(row.lastAtMs),
    differsSince:
      sinceAtMs === null || sinceRevision === null
        ? null
        : { at: instantOf(sinceAtMs), setBy: pushOf(sinceRevision, pushByRevision) },
  }
}

function pushOf(
  revision: number,
  pushByRevision: ReadonlyMap<number | null, AppliedPush>,
): NonNullable<DriftNight['setBy']> {
  const push = pushByRevision.get(revision)
  return push ? { revision, requestId: push.requestId, at: push.at } : { revision }
}

function instantOf(epochMs: number): string {
  return new Date(Math.round(epochMs)).toISOString()
}
