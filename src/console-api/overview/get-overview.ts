import {
  dayMs,
  instantOf,
  dayIn,
  firstDay,
  formatNight,
  monthOf,
  optionalInstant,
} from '../../base/calendar.ts'
import { answer, on } from '../../http/calls/mount.ts'
import { Memory } from '../../postgres/memory.ts'
import type { Needs } from '../../postgres/postgres.ts'
import type { PriceChecker } from '../../price-check/checker.ts'
import type { CardVault } from '../../cards/card-vault.ts'
import { hostAndPath } from '../../webhooks/callback.ts'
import {
  overviewLimits,
  overviewRoutes,
  type NamedCircuit,
  type Overview,
  type WatchedHotel,
} from './contract.ts'
import { countStopSells, selectStopSells } from '../stop-sells/store.ts'
import { overviewRates, type OverviewRates } from './rates.ts'
import {
  countOpenAlerts,
  countOpenHolds,
  countUndelivered,
  hasHotels,
  selectCheckedUrls,
  selectDriftingHotels,
  selectUrgent,
  selectWatchedHotels,
  type WatchedRow,
} from './store.ts'

export type OverviewNeeds = Needs & {
  priceChecks: Pick<PriceChecker, 'circuit'>
  vault: Pick<CardVault, 'status'>
}

/** However many people have the page open, the store is read once in this time. */
const memory = { trustedMs: 5_000, entriesMax: 1 }
const onlyKey = 'all'

/** GET /overview. */
export const getOverview = (needs: OverviewNeeds) => {
  const rates = overviewRates(needs)
  const remembered = new Memory<Omit<Overview, keyof BusyPart>>(needs.db.epoch, memory)
  return on(overviewRoutes.getOverview, async () => {
    const [overview, busy] = await Promise.all([
      remembered.get(onlyKey, () => readOverview(needs)),
      rates(needs.clock.now()),
    ])
    return answer(200, { ...overview, ...busy })
  })
}

type BusyPart = Awaited<ReturnType<OverviewRates>>

async function readOverview(needs: OverviewNeeds): Promise<Omit<Overview, keyof BusyPart>> {
  const nowMs = needs.clock.now()
  const [undelivered, watched, drifting, alerts, stopSells, holds, circuits, isUsed] = await Promise.all([
    readUndelivered(needs, nowMs),
    readWatched(needs, nowMs),
    readDrifting(needs, nowMs),
    readAlerts(needs),
    readStopSells(needs, nowMs),
    readHolds(needs, nowMs),
    readCircuits(needs, nowMs),
    hasHotels(needs.db),
  ])
  const { state, cardsToRewrap, cardsUnreadable } = needs.vault.status()
  return {
    at: instantOf(nowMs),
    undelivered,
    ...watched,
    drifting,
    alerts,
    stopSells,
    holds,
    vault: { state, cardsToRewrap, cardsUnreadable },
    circuits,
    hasHotels: isUsed,
  }
}

const counted = (count: number, most: number = overviewLimits.counted) => ({
  count: Math.min(count, most),
  isMore: count > most,
})

async function readUndelivered({ db }: Needs, nowMs: number): Promise<Overview['undelivered']> {
  const [counts, urgent] = await Promise.all([countUndelivered(db, nowMs), selectUrgent(db, nowMs)])
  const { all, quarterHour, hour, day, arrivingInDay, arrivingInThreeDays, dead, withoutUrl } = counts
  return {
    all: counted(all),
    olderThan: { quarterHour, hour, day },
    arrivingWithin: { day: arrivingInDay, threeDays: arrivingInThreeDays },
    dead,
    withoutUrl,
    urgent,
  }
}

async function readWatched(
  { db }: Needs,
  nowMs: number,
): Promise<Pick<Overview, 'stale' | 'neverPushed' | 'ending'>> {
  // A whole day (UTC), because the linked page filters by day.
  const staleSince = dayIn('UTC', nowMs) - overviewLimits.staleAfterDays
  const endsByMonth = monthOf(dayIn('UTC', nowMs + overviewLimits.endsWithinDays * dayMs))
  const watched = await selectWatchedHotels(db, { staleSince, endsByMonth })
  const few = (count: number, first: readonly WatchedRow[]) => ({
    ...counted(count, overviewLimits.scatteredCounted),
    hotels: first.map((row) => watchedHotel(row)),
  })
  return {
    stale: { ...few(watched.stale, watched.stalest), since: formatNight(staleSince) },
    neverPushed: few(watched.neverPushed, watched.neverPushedFirst),
    ending: { ...few(watched.ending, watched.endingFirst), endsBy: monthText(endsByMonth) },
  }
}

function watchedHotel({ createdAtMs, ariAtMs, ariUntilMonth, ...row }: WatchedRow): WatchedHotel {
  return {
    ...row,
    createdAt: instantOf(createdAtMs),
    lastAriAt: optionalInstant(ariAtMs),
    ariUntilMonth: ariUntilMonth === null ? null : monthText(ariUntilMonth),
  }
}

/** `2027-04`. */
function monthText(month: number): string {
  return formatNight(firstDay(month)).slice(0, 'YYYY-MM'.length)
}

async function readAlerts({ db }: Needs): Promise<Overview['alerts']> {
  const { open, critical } = await countOpenAlerts(db)
  return { ...counted(open), critical }
}

async function readStopSells({ db }: Needs, nowMs: number): Promise<Overview['stopSells']> {
  const { counted: countedMax, listed } = overviewLimits
  const every = { supplierId: undefined, hotelId: undefined, isEnded: false, beforeId: undefined }
  const [{ active, hotels }, first] = await Promise.all([
    countStopSells(db, countedMax + 1, nowMs),
    selectStopSells(db, { ...every, limit: listed }, nowMs),
  ])
  return { ...counted(active), hotels, first }
}

async function readHolds({ db }: Needs, nowMs: number): Promise<Overview['holds']> {
  const { open, hotels } = await countOpenHolds(db, nowMs)
  return { ...counted(open), hotels }
}

async function readDrifting({ db }: Needs, nowMs: number): Promise<Overview['drifting']> {
  const { nights, hotels } = await selectDriftingHotels(db, formatNight(dayIn('UTC', nowMs)))
  return {
    nights: counted(nights, overviewLimits.scatteredCounted),
    hotels: hotels.map(({ mostShare, ...hotel }) => ({
      ...hotel,
      mostPercent: Math.round(mostShare * 1_000) / 10,
    })),
  }
}

async function readCircuits({ db, priceChecks }: OverviewNeeds, nowMs: number): Promise<NamedCircuit[]> {
  const urls = await selectCheckedUrls(db, nowMs)
  return urls.flatMap(({ url, ...supplier }) => {
    const state = priceChecks.circuit(url)
    return state === 'closed' ? [] : [{ ...supplier, place: hostAndPath(url), state }]
  })
}
