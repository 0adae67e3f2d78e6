import { referenceNotFound } from '../offers/stay-request.ts'
import { randomUUID } from 'node:crypto'
import { performance } from 'node:perf_hooks'
import type { BookableRoomRate } from '../offers/stays/booking-catalog.ts'
import { partiesOf } from '../offers/party.ts'
import type { HotelStay } from '../offers/stays/stays.ts'
import { overloaded } from '../http/rejected.ts'
import { formatNight } from '../base/calendar.ts'
import type { Needs } from '../postgres/postgres.ts'
import { selectCallback } from '../webhooks/store.ts'
import { supplierCalls, type Failure, type SupplierCallNeeds, type SupplierCalls } from './ask-supplier.ts'
import type { PriceCheckRequest } from './callback-contract.ts'
import type { CircuitState } from '../outbound/circuit.ts'
import { priceCheckBudgetMs } from './contract.ts'
import { storedPriceOf, type StayQuery, type StoredPrice } from './stored-price.ts'
import { checkLedger, comparedNightsOfCheck, type Ledger, type StoredCheck } from './ledger.ts'
import type { LivePrice } from './live-answer.ts'
import { judge, type Judged } from './outcome.ts'
import type { Heard } from './remember/heard.ts'
import { pauseTeller, type PauseNeeds } from './remember/pauses.ts'
import { answerMemory, type MemoryNeeds } from './remember/remember.ts'
import { selectOptionalTerms } from './store.ts'

/** The stay to check: rooms of one room-rate of a hotel, already read, with the same party in each. */
export type CheckQuery = StayQuery & {
  stay: HotelStay
  roomRate: BookableRoomRate
  /** Sent along, so that both sides find the call in their logs. Defaults to the check's own id. */
  requestId?: string
}

/** Amounts are in minor units, for one room; the difference is for all rooms. */
export type PriceCheck = Judged & {
  priceCheckId: string
  stored: StoredPrice
  /** The supplier's answer or the reason why there is none; neither is set if there was no URL to call. */
  live: LivePrice | undefined
  failure: Failure | undefined
  durationMs: number
  /** Whether the account takes no bookings at terms that differ. */
  isStrict: boolean
}

export type PriceChecker = {
  /**
   * Compares the live price with the stored one. Whatever the supplier does, it returns within the budget,
   * which began at `beganMs` (by performance.now()). No transaction may be open meanwhile.
   */
  check: (query: CheckQuery, beganMs?: number) => Promise<PriceCheck>
  /**
   * Remembers answers about one room-rate and stay, one for each of several parties; `check` itself does so with one.
   * `isShort`: there are too few units for all of them.
   */
  heard: (heard: readonly [Heard, ...Heard[]], more: { isShort: boolean }) => void
  ledger: Ledger
  /** Whether this process has paused calls to a URL because they failed repeatedly. */
  circuit: (url: string) => CircuitState
  close: () => Promise<void>
}

/** Reserved from the budget for comparing, and for sending the answer to the caller. */
const answerReserveMs = 50
/** With less time left, the supplier would be blamed for our own slowness. */
const callBudgetMinMs = 500

type CheckNeeds = Needs & {
  /** Defaults to two seconds. */
  checkBudgetMs?: number | undefined
}

export function priceChecker(
  needs: Omit<SupplierCallNeeds, 'circuitChanged'> & CheckNeeds & MemoryNeeds & PauseNeeds,
): PriceChecker {
  const calls = supplierCalls({ ...needs, circuitChanged: pauseTeller(needs) })
  const ledger = checkLedger(needs)
  const memory = answerMemory(needs)
  return {
    check: async (query, beganMs = performance.now()) => {
      const { isStrict, ...checked } = await checkOne(needs, calls, query, beganMs)
      ledger.keep(checked)
      memory.heard([{ query, checked }])
      count(needs, checked)
      const { checkId: priceCheckId, outcome, isBookable, difference, ...more } = checked
      const { termsDiffer, isRejectedForTerms, stored, live, failure, durationMs } = more
      const judged = { outcome, isBookable, difference, termsDiffer, isRejectedForTerms }
      return { ...judged, priceCheckId, stored, live, failure, durationMs, isStrict }
    },
    heard: memory.heard,
    ledger,
    circuit: calls.circuit,
    close: async () => {
      calls.close()
      await Promise.all([memory.close(), ledger.close()])
    },
  }
}

async function checkOne(
  { db, clock, checkBudgetMs = priceCheckBudgetMs }: CheckNeeds,
  calls: SupplierCalls,
  { stay, roomRate, arrival, departure, roomCount, unitsNeeded, room, ...more }: CheckQuery,
  beganMs: number,
): Promise<StoredCheck & Pick<PriceCheck, 'isStrict'>> {
  const { hotelId, currency, minorDigits, timeZone } = stay.catalog
  const atMs = clock.now()
  const [callback, terms] = await db.pipelined((connection) => [
    selectCallback(connection, hotelId, 'availability', atMs),
    selectOptionalTerms(connection, hotelId),
  ])
  if (!terms) throw referenceNotFound({ platformHotelId: String(hotelId) })
  const query = { arrival, departure, roomCount, unitsNeeded, room }
  const stored = storedPriceOf(stay, roomRate, query, atMs)
  const checkId = randomUUID()
  const requestId = more.requestId ?? checkId
  const untilMs = beganMs + checkBudgetMs - answerReserveMs
  if (callback && untilMs - performance.now() < callBudgetMinMs) throw overloaded()
  const expected = {
    roomId: roomRate.room.code,
    rateId: roomRate.rate.code,
    currency,
    minorDigits,
    nightCount: departure - arrival,
  }
  const request = requestOf(stay, roomRate, query)
  const reply =
    callback &&
    (await calls.ask({ callback, hotelId, request, expected, callId: checkId, requestId, untilMs }))
  const persons = partiesOf([room], stay.catalog).distinct[0]?.persons ?? 0
  const sold = { roomRate, timeZone, minorDigits, arrival, persons }
  return {
    ...judge(reply, stored, query, terms, sold),
    checkId,
    callId: reply?.callId,
    atMs,
    supplierId: terms.supplierId,
    hotelId,
    roomNo: roomRate.roomNo,
    rateNo: roomRate.rateNo,
    requestId,
    query,
    durationMs: Math.round(performance.now() - beganMs),
    currency,
    stored,
    live: reply?.live,
    failure: reply?.failure,
    isStrict: terms.onTermsDiffer === 'reject',
  }
}

function requestOf(
  { catalog }: HotelStay,
  roomRate: BookableRoomRate,
  { arrival, departure, roomCount, room }: StayQuery,
): PriceCheckRequest {
  return {
    hotelId: catalog.hotelCode,
    roomId: roomRate.room.code,
    rateId: roomRate.rate.code,
    checkin: formatNight(arrival),
    checkout: formatNight(departure),
    roomCount,
    adultCount: room.adults,
    childAges: [...room.childAges],
  }
}

function count({ telemetry }: Needs, checked: StoredCheck): void {
  telemetry.priceChecks.observe({ outcome: checked.outcome }, checked.durationMs / 1_000)
  for (const { found } of comparedNightsOfCheck(checked)) telemetry.comparedNights.inc({ found })
}
