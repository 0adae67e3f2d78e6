import { performance } from 'node:perf_hooks'
import { Memory } from '../postgres/memory.ts'
import type { Needs } from '../postgres/postgres.ts'
import { outboundCaller, type Called, type Came } from '../outbound/call.ts'
import type { CallFailure } from '../outbound/connect.ts'
import type { OutboundRules } from '../outbound/vet-url.ts'
import {
  sendCallback,
  type CalledBack,
  type CallbackMeans,
  type CallbackMessage,
} from '../webhooks/callback.ts'
import type { CallbackFaults } from '../webhooks/callback-faults.ts'
import type { CallbackWatch } from '../webhooks/callback-watch.ts'
import type { Callback } from '../webhooks/store.ts'
import type { PriceCheckRequest } from './callback-contract.ts'
import { Circuits, type CallResult, type CircuitChange, type CircuitState } from '../outbound/circuit.ts'
import { connectWithinMs, type FailedOutcome } from './contract.ts'
import {
  readLiveAnswer,
  saidByPart,
  type Expected,
  type InvalidReason,
  type LivePrice,
  type Said,
} from './live-answer.ts'

/** Calls suppliers for live prices: connections, circuits and pending calls. */

export type Failure = {
  outcome: FailedOutcome
  reason: CallFailure | InvalidReason | 'http_status' | 'circuit_open'
  message: string
  httpStatus?: number
  /** Absent: there was no answer. */
  said?: Said
  /** The supplier had ordered it in the sandbox. */
  isOrdered?: true
  /** Of a URL that is not called: for how much longer. */
  openForMs?: number
}

export type LiveQuery = {
  callback: Callback
  /** The platform's number for the hotel. */
  hotelId: number
  request: PriceCheckRequest
  expected: Expected
  /** The id of the call, if one is made. */
  callId: string
  requestId: string
  /** A deadline on the clock of performance.now(). */
  untilMs: number
}

export type SupplierReply = {
  /** The id of the call that was made, perhaps for another check; undefined if there was none. */
  callId: string | undefined
} & Answered

/** Exactly one of the two. */
type Answered = { live: LivePrice; failure?: undefined } | { live?: undefined; failure: Failure }

export type SupplierCalls = {
  /** Never throws because of the supplier's behaviour. */
  ask: (query: LiveQuery) => Promise<SupplierReply>
  /** The circuit's state in this process. */
  circuit: (url: string) => CircuitState
  close: () => void
}

const pool = { purpose: 'price_check', calls: 'priceCheck', connectionsPerHost: 100 } as const
const callsSharedMax = 10_000
/** With less time left, another try could not be answered. */
const retryLeftMinMs = 100
const webhookIdPrefix = 'chk_'
const messageCharactersMax = 300

export function webhookIdOf(callId: string): string {
  return webhookIdPrefix + callId
}

/** `callbackFaults` and `callbackWatch` are absent in production. */
export type SupplierCallNeeds = Needs & {
  outbound: OutboundRules
  callbackFaults?: CallbackFaults | undefined
  callbackWatch?: CallbackWatch | undefined
  circuitChanged?: (change: CircuitChange) => void
}

export function supplierCalls(needs: SupplierCallNeeds): SupplierCalls {
  const { telemetry } = needs
  const caller = outboundCaller(needs.outbound, telemetry, pool)
  const circuits = new Circuits(
    () => performance.now(),
    (change) => {
      telemetry.circuitChanges.inc({ state: change.state })
      needs.circuitChanged?.(change)
    },
  )
  telemetry.gauge(
    'ari_price_check_circuits_open',
    'URLs that are not called for a while because they failed',
    () => circuits.openCount(),
  )
  const means = { caller, faults: needs.callbackFaults, watch: needs.callbackWatch }
  const calls = new Memory<SupplierReply>(needs.db.epoch, { entriesMax: callsSharedMax })
  return {
    ask: (query) => {
      const { callback, request, expected } = query
      // The expected currency, with which the answer is compared, is part of the key.
      const key = JSON.stringify([callback.keyId, callback.url, request, expected.currency])
      const own: { reply?: Promise<SupplierReply> } = {}
      const reply = calls.get(key, () => (own.reply = askOnce(needs, means, circuits, query)))
      return reply === own.reply ? reply : withinOwnTime(reply, query.untilMs)
    },
    circuit: (url) => circuits.state(url),
    close: caller.close,
  }
}

/** A shared call may have a later deadline than this check. */
async function withinOwnTime(reply: Promise<SupplierReply>, untilMs: number): Promise<SupplierReply> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<SupplierReply>((resolve) => {
    timer = setTimeout(() => resolve({ callId: undefined, failure: sharedLate }), untilMs - performance.now())
  })
  try {
    return await Promise.race([reply, late])
  } finally {
    clearTimeout(timer)
  }
}

const sharedLate: Failure = {
  outcome: 'timeout',
  reason: 'timeout',
  message: 'another check of the same stay had made the call, and got no answer in time',
}

async function askOnce(
  needs: Needs,
  means: CallbackMeans,
  circuits: Circuits,
  query: LiveQuery,
): Promise<SupplierReply> {
  const settle = circuits.enter(query.callback.url)
  if (!settle) {
    const openForMs = circuits.openForMs(query.callback.url)
    return { callId: undefined, failure: { ...circuitOpen, openForMs } }
  }
  const called = await call(needs, means, query)
  settle(resultOf(called))
  const answered = answeredBy(called, query.expected)
  if (answered.failure && called.isOrdered) answered.failure.isOrdered = true
  return { callId: query.callId, ...answered }
}

const circuitOpen: Failure = {
  outcome: 'circuit_open',
  reason: 'circuit_open',
  message: 'not called: the URL failed several times in a row',
}

/** Retries once if no byte of the request can have reached the supplier. */
async function call(needs: Needs, means: CallbackMeans, query: LiveQuery): Promise<CalledBack> {
  const { callback, hotelId, request, callId, requestId, untilMs } = query
  const message: CallbackMessage = {
    id: webhookIdOf(callId),
    requestId,
    atMs: needs.clock.now(),
    body: Buffer.from(JSON.stringify(request)),
    about: { calls: 'priceCheck', hotelId },
  }
  const once = (): Promise<CalledBack> => {
    const withinMs = Math.max(1, Math.floor(untilMs - performance.now()))
    return sendCallback(means, callback, message, { connectWithinMs, withinMs })
  }
  const first = await once()
  const isFutile = first.kind === 'answered' || first.bytesSent || !mayHelp[first.reason]
  return isFutile || untilMs - performance.now() < retryLeftMinMs ? first : once()
}

/** Whether a retry of the same call may succeed a moment later. */
const mayHelp: Readonly<Record<CallFailure, boolean>> = {
  dns: true,
  connect: true,
  tls: true,
  timeout: true,
  reset: true,
  refused_address: false,
  too_large: false,
  malformed: false,
  busy: false,
  cancelled: false,
}

const outcomeByFailure: Readonly<Record<CallFailure, FailedOutcome>> = {
  refused_address: 'supplier_error',
  dns: 'supplier_error',
  connect: 'supplier_error',
  tls: 'supplier_error',
  reset: 'supplier_error',
  cancelled: 'supplier_error',
  timeout: 'timeout',
  // Too many other calls are waiting for the same server for this one to be made in time.
  busy: 'timeout',
  too_large: 'invalid_response',
  malformed: 'invalid_response',
}

function answeredBy(called: Called, expected: Expected): Answered {
  if (called.kind === 'failed') {
    const { reason, message, came } = called
    const said = came && saidBy(came)
    const failure = { outcome: outcomeByFailure[reason], reason, message: safeMessage(message) }
    return { failure: { ...failure, ...(said ? { said } : {}) } }
  }
  const { status: httpStatus, body, headers } = called
  const sent = { body, contentEncoding: headers['content-encoding'] }
  if (isError(httpStatus)) {
    const message = `answered with status ${httpStatus}`
    const said = saidBy(called)
    return { failure: { outcome: 'supplier_error', reason: 'http_status', message, httpStatus, said } }
  }
  const live = readLiveAnswer(sent, expected)
  if (!('fault' in live)) return { live }
  const { fault: reason, said } = live
  const message = safeMessage(live.message)
  return { failure: { outcome: 'invalid_response', reason, message, httpStatus, said } }
}

/** What an answer says that is no answer to the question, or only the beginning of one. */
function saidBy({ status, body, headers }: Came): Said {
  const said = saidByPart({ body, contentEncoding: headers['content-encoding'] })
  // Of an error only its units count: it says nothing of the price. What nobody can read may say anything.
  return isError(status) ? { ...said, isAnswer: said.isUnread === true } : said
}

function isError(status: number): boolean {
  return status < 200 || status > 299
}

/** Text that PostgreSQL can store and people can read. */
function safeMessage(message: string): string {
  return message
    .replaceAll(/\p{Cc}+/gu, ' ')
    .slice(0, messageCharactersMax)
    .toWellFormed()
}

const unavailableStatuses: ReadonlySet<number> = new Set([408, 425, 429])

/** A wrong answer to one question says nothing about the next; an endpoint that can't answer does. */
function resultOf(called: Called): CallResult {
  if (called.kind === 'answered')
    return called.status >= 500 || unavailableStatuses.has(called.status) ? 'failed' : 'answered'
  return called.reason === 'busy' || called.reason === 'cancelled' ? 'unknown' : 'failed'
}
