import { performance } from 'node:perf_hooks'
import type { Log } from '../../base/log.ts'
import type { Called } from '../../outbound/call.ts'
import { hostAndPath } from '../../webhooks/callback.ts'
import type { Callback } from '../../webhooks/store.ts'
import type { Message } from './messages.ts'
import { outcomeOf } from '../../bookings/outbox/delivery-schedule.ts'

/**
 * Logs when an endpoint begins to fail, and when it accepts reservations again: one line each, however many
 * attempts there are in between. Each process reports its own observations.
 */
export type EndpointHealth = {
  record: (callback: Callback, message: Message, called: Called, nowMs?: number) => void
}

/** An endpoint that fails now and then is not reported each time. */
const quietMs = 60_000
const endpointsRememberedMax = 10_000

type State = { isFailing: boolean; warnedMs: number; failures: number }

export function endpointHealth(log: Log): EndpointHealth {
  const stateByUrl = new Map<string, State>()

  const failed = (url: string, message: Message, called: Called, nowMs: number): void => {
    const state = stateByUrl.get(url) ?? { isFailing: false, warnedMs: -Infinity, failures: 0 }
    state.failures++
    if (!state.isFailing && nowMs - state.warnedMs >= quietMs) {
      Object.assign(state, { isFailing: true, warnedMs: nowMs })
      const [{ id: deliveryId, hotelId }] = message.claimed
      log.warn(
        { endpoint: hostAndPath(url), hotelId, deliveryId, ...describeOutcome(called) },
        'deliveries begin to fail',
      )
    }
    if (!stateByUrl.has(url)) {
      const [oldest] = stateByUrl.keys()
      if (stateByUrl.size >= endpointsRememberedMax && oldest !== undefined) stateByUrl.delete(oldest)
      stateByUrl.set(url, state)
    }
  }

  const arrived = (url: string, nowMs: number): void => {
    const state = stateByUrl.get(url)
    if (!state) return
    if (state.isFailing) {
      const { failures } = state
      log.info({ endpoint: hostAndPath(url), failures }, 'deliveries arrive again')
      Object.assign(state, { isFailing: false, failures: 0 })
    } else if (nowMs - state.warnedMs >= quietMs) {
      stateByUrl.delete(url)
    }
  }

  return {
    record: ({ url }, message, called, nowMs = performance.now()) => {
      // We cancelled the call; it says nothing about the supplier.
      if (called.kind === 'failed' && (called.reason === 'cancelled' || called.reason === 'busy')) return
      if (called.kind === 'answered' && outcomeOf(called.status) === 'accepted') arrived(url, nowMs)
      else failed(url, message, called, nowMs)
    },
  }
}

function describeOutcome(called: Called): { outcome: string; httpStatus?: number } {
  return called.kind === 'answered'
    ? { outcome: outcomeOf(called.status), httpStatus: called.status }
    : { outcome: called.reason }
}
