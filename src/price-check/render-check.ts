import { instantOf } from '../base/calendar.ts'
import type { Static } from 'typebox'
import { minorText } from '../base/money.ts'
import type { PriceCheck } from './checker.ts'
import {
  driftNightsMax,
  type listedCheck,
  type ListedCheck,
  type Drift,
  type DriftNight,
} from './contract.ts'
import type { NightPrice } from './live-answer.ts'
import { minorDigits } from '../reference/currencies.ts'
import { webhookIdOf } from './ask-supplier.ts'
import {
  selectDriftNights,
  selectDriftTotals,
  type CheckRow,
  type DriftRow,
  type DriftScope,
} from './store.ts'
import type { Queryable } from '../postgres/postgres.ts'
import { selectAppliedPushes, type AppliedPush } from '../push-log/read/store.ts'

/** A check as answers show it. */
export type Compared = Pick<
  Static<typeof listedCheck>,
  'outcome' | 'bookable' | 'live' | 'stored' | 'difference' | 'durationMs' | 'failure' | 'termsDiffer'
>

export function comparedOf(
  { outcome, isBookable, stored, live, failure, difference, durationMs, termsDiffer }: PriceCheck,
  { currency, minorDigits: digits }: { currency: string; minorDigits: number },
): Compared {
  const before = ({ beforeTax }: NightPrice): string => minorText(beforeTax, digits)
  const after = ({ afterTax }: NightPrice): string => minorText(afterTax, digits)
  return {
    outcome,
    bookable: isBookable && stored.isBookable,
    live: live
      ? {
          currency,
          inventory: live.inventory,
          amountBeforeTax: live.nights.map(before),
          amountAfterTax: live.nights.map(after),
        }
      : null,
    stored: {
      currency,
      inventory: stored.inventory,
      amountBeforeTax: stored.nights?.map(before) ?? null,
      amountAfterTax: stored.nights?.map(after) ?? null,
      bookable: stored.isBookable,
      revision: stored.revision,
    },
    difference: difference === undefined ? null : signedText(difference, digits),
    durationMs,
    ...(failure ? { failure: failureOf(failure) } : {}),
    ...(termsDiffer.length > 0 ? { termsDiffer: [...termsDiffer] } : {}),
  }
}

export function failureOf({
  reason,
  message,
  httpStatus,
}: {
  reason: string
  message: string
  httpStatus?: number | undefined
}): NonNullable<Compared['failure']> {
  return { reason, message, ...(httpStatus === undefined ? {} : { httpStatus }) }
}

export function signedText(minor: number, digits: number): string {
  return minor < 0 ? `-${minorText(-minor, digits)}` : minorText(minor, digits)
}

/** A stored check as answers show it. */
export function listedCheckOf(row: CheckRow): ListedCheck {
  const { currency, reason, message, httpStatus, liveInventory, difference } = row
  const digits = minorDigits(currency) ?? 2
  const texts = (amounts: readonly number[] | null): string[] | null =>
    amounts && amounts.map((amount) => minorText(amount, digits))
  return {
    priceCheckId: row.checkId,
    webhookId: row.callId === null ? null : webhookIdOf(row.callId),
    at: instantOf(row.atMs),
    hotelId: row.hotelId,
    roomId: row.roomId,
    rateId: row.rateId,
    checkin: row.checkin,
    checkout: row.checkout,
    roomCount: row.roomCount,
    adultCount: row.adultCount,
    childAges: row.childAges,
    outcome: row.outcome,
    bookable: row.bookable,
    live:
      liveInventory === null
        ? null
        : {
            currency,
            inventory: liveInventory,
            amountBeforeTax: texts(row.liveBeforeTax) ?? [],
            amountAfterTax: texts(row.liveAfterTax) ?? [],
          },
    stored: {
      currency,
      inventory: row.storedInventory,
      amountBeforeTax: texts(row.storedBeforeTax),
      amountAfterTax: texts(row.storedAfterTax),
      bookable: row.storedBookable,
      revision: row.revision,
    },
    difference: difference === null ? null : signedText(difference, digits),
    durationMs: row.durationMs,
    ...(reason === null || message === null
      ? {}
      : { failure: failureOf({ reason, message, httpStatus: httpStatus ?? undefined }) }),
    ...(row.termsDiffer === null ? {} : { termsDiffer: row.termsDiffer }),
  }
}

/** How the live answers of a hotel differ from the stored prices, with the pushes that set those. */
export async function readDrift(db: Queryable, scope: DriftScope): Promise<Drift> {
  const [totals, nights] = await Promise.all([
    selectDriftTotals(db, scope),
    selectDriftNights(db, scope, driftNightsMax),
  ])
  const revisions = new Set(nights.flatMap(({ revision, sinceRevision }) => [revision, sinceRevision]))
  const origins = [...revisions].flatMap((revision) =>
    revision === null ? [] : [{ hotelId: scope.hotel, revision }],
  )
  const pushes = await selectAppliedPushes(db, origins)
  const pushByRevision = new Map(pushes.map((push) => [push.revision, push]))
  const digits = minorDigits(totals.currency) ?? 2
  return { ...totals, worst: nights.map((row) => renderNight(row, digits, pushByRevision)) }
}

function renderNight(
  row: DriftRow,
  digits: number,
  pushByRevision: ReadonlyMap<number | null, AppliedPush>,
): DriftNight {
  const { roomId, rateId, night, checks, differing, soldOut, largest, stored, live } = row
  const { mealPlanDiffers, cancelPolicyDiffers } = row
  const textOf = (minor: number | null): string | null => (minor === null ? null : minorText(minor, digits))
  const { sinceAtMs, sinceRevision } = row
  return {
    roomId,
    rateId,
    date: night,
    checks,
    differing,
    soldOut,
    mealPlanDiffers,
    cancelPolicyDiffers,
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
