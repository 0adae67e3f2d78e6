import { setTimeout as wait } from 'node:timers/promises'
import { Memory } from '../postgres/memory.ts'
import type { Needs } from '../postgres/needs.ts'
import type { Called } from '../outbound/call.ts'
import { selectKeysWithFaults, takeFault, type SpoiledCall } from './fault-store.ts'
import type { CallbackFault } from './faults-contract.ts'

/**
 * Injects faults into calls in the sandbox. Few accounts order any, so the set of those that do is cached for
 * a moment, and calls of other accounts cost nothing. Another process sees an order once its cache expires,
 * this one at once.
 */
export type CallbackFaults = {
  /** The fault to inject into a call; undefined if none. Never throws: a failing store spoils nothing. */
  take: (call: SpoiledCall) => Promise<CallbackFault | undefined>
  /** To be called after this process changed orders. */
  forget: () => void
}

const memory = { trustedMs: 200, entriesMax: 1 }
const onlyKey = 'all'

export function callbackFaults({ db, clock, log }: Needs): CallbackFaults {
  const remembered = new Memory<ReadonlySet<number>>(db.epoch, memory)
  const keysWithFaults = () =>
    remembered.get(onlyKey, async () => new Set(await selectKeysWithFaults(db, clock.now())))
  return {
    take: async (call) => {
      try {
        return (await keysWithFaults()).has(call.keyId) ? await takeFault(db, call, clock.now()) : undefined
      } catch (error) {
        log.warn({ err: error }, 'faults of the sandbox can not be read')
        return undefined
      }
    },
    forget: () => remembered.forget(onlyKey),
  }
}

type Spoiled = { withinMs: number; signal?: AbortSignal | undefined; call: () => Promise<Called> }

/** The platform's result of a spoiled call. Only with a lost reply does the call reach the supplier. */
export const spoil: Readonly<Record<CallbackFault, (spoiled: Spoiled) => Promise<Called>>> = {
  timeout: async ({ withinMs, signal }) => {
    const startedMs = performance.now()
    const isGivenUp = await wait(withinMs, false, { signal }).catch(() => true)
    const durationMs = Math.round(performance.now() - startedMs)
    return isGivenUp
      ? failed('cancelled', 'we gave the call up', durationMs)
      : failed('timeout', `no whole answer within ${withinMs} ms`, durationMs)
  },
  status500: async () => {
    const body = Buffer.from('{"code":"500","message":"Ordered with POST /push/sandbox/faults"}')
    return { kind: 'answered', status: 500, body, headers: {}, durationMs: 0 }
  },
  lostReply: async ({ call }) => {
    const { durationMs } = await call()
    return failed('reset', 'the connection broke before the answer came', durationMs)
  },
  garbage: async () => failed('malformed', 'the answer is not HTTP', 0),
}

function failed(
  reason: 'cancelled' | 'timeout' | 'reset' | 'malformed',
  message: string,
  durationMs: number,
): Called {
  return {
    kind: 'failed',
    reason,
    bytesSent: true,
    durationMs,
    message: `${message} (ordered in the sandbox)`,
  }
}
