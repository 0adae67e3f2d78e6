import { randomUUID } from 'node:crypto'
import { Gate } from '../base/gate.ts'
import type { Needs } from '../postgres/postgres.ts'
import { outboundCaller, type Called } from '../outbound/call.ts'
import type { OutboundRules } from '../outbound/vet-url.ts'
import type { CallbackWatch } from './callback-watch.ts'
import { sendCallback } from './callback.ts'
import type { Ping } from './contract.ts'
import type { Callback } from './store.ts'

/** Calls a URL only to see the answer. */
export type Pinger = {
  ping: (callback: Callback, requestId: string) => Promise<Ping>
  close: () => void
}

export const pingBody = Buffer.from('{"type":"ping"}')

/** A registration waits for its ping, so the timeouts are short. */
const limits = { connectWithinMs: 1_000, withinMs: 2_000 }
const connectionsPerHost = 4
/** Pings beyond these are skipped: nobody may flood a server with our help or delay others' registrations. */
const pingsOfKeyMax = 2
const pingsMax = 50

/** `callbackWatch`: absent in production. */
type PingerNeeds = Needs & { outbound: OutboundRules; callbackWatch?: CallbackWatch | undefined }

export function pinger(needs: PingerNeeds): Pinger {
  const caller = outboundCaller(needs.outbound, needs.telemetry, { purpose: 'ping', connectionsPerHost })
  const gate = new Gate({ passing: pingsOfKeyMax, waiting: 0 })
  const { callbackWatch: watch } = needs
  let underWay = 0
  return {
    ping: async (callback, requestId) => {
      const turn = underWay < pingsMax ? gate.enter(callback.keyId) : undefined
      if (!turn) return { status: 'skipped', reason: 'busy' }
      underWay++
      try {
        await turn
        const message = { id: `ping_${randomUUID()}`, requestId, atMs: needs.clock.now(), body: pingBody }
        return pingOf(await sendCallback({ caller, watch }, callback, message, limits))
      } finally {
        underWay--
        gate.leave(callback.keyId)
      }
    },
    close: caller.close,
  }
}

function pingOf(called: Called): Ping {
  const { durationMs } = called
  return called.kind === 'answered'
    ? { status: 'answered', httpStatus: called.status, durationMs }
    : { status: 'failed', reason: called.reason, message: called.message, durationMs }
}
