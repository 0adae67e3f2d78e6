import { type Called, type OutboundCall, type OutboundCaller, outboundCaller } from '../outbound/call.ts'
import { signedHeaders } from '../outbound/signature.ts'
import { spoil, type CallbackFaults } from './callback-faults.ts'
import type { CallbackWatch } from './callback-watch.ts'
import type { Ping } from './contract.ts'
import { webhookErrors } from './url-errors.ts'
import type { SpoilableCalls } from './callback-contract.ts'
import { noteProvenSecret, type Callback } from './store.ts'
import { vetUrl, type OutboundRules, type UrlFault } from '../outbound/vet-url.ts'
import { randomUUID } from 'node:crypto'
import { Gate } from '../base/gate.ts'
import type { Needs } from '../postgres/postgres.ts'

/** How every supplier's URL is called, for any purpose. */

/** `faults` and `watch` are absent in production, and if nothing is spoiled or watched. */
export type CallbackMeans = {
  caller: OutboundCaller
  faults?: CallbackFaults | undefined
  watch?: CallbackWatch | undefined
}

export type CallbackMessage = {
  /** Stays the same over retries; contains no dot. */
  id: string
  requestId: string
  atMs: number
  body: Buffer
  /** The subject of the call, by which the sandbox selects a fault to inject. */
  about?: { calls: SpoilableCalls; hotelId: number }
}

type CallbackLimits = Pick<OutboundCall, 'connectWithinMs' | 'withinMs' | 'headSuffices' | 'signal'>

const answerBytesMax = 262_144

/** `isOrdered`: the supplier had ordered the failure. */
export type CalledBack = Called & { isOrdered?: true }

export async function sendCallback(
  { caller, faults, watch }: CallbackMeans,
  { keyId, url, secrets }: Callback,
  { id, requestId, atMs, body, about }: CallbackMessage,
  limits: CallbackLimits,
): Promise<CalledBack> {
  const call = (): Promise<Called> =>
    caller.post({
      url,
      body,
      headers: {
        'content-type': 'application/json',
        accept: 'application/json',
        'x-request-id': requestId,
        ...signedHeaders({ id, atMs, body, secrets }),
      },
      answerBytesMax,
      ...limits,
    })
  const fault = faults && about && (await faults.take({ keyId, ...about }))
  const called: CalledBack = fault
    ? { ...(await spoil[fault]({ ...limits, call })), isOrdered: true }
    : await call()
  const calls = about?.calls ?? 'ping'
  watch?.record({ keyId, calls, url, requestId, webhookId: id, atMs, body, called })
  return called
}

/** A URL for people and logs: host and path only, because the rest may contain a secret. */
export function hostAndPath(href: string): string {
  const { host, pathname } = new URL(href)
  return host + pathname
}

type DescribedFault = { type: string; message: string; hint: string }

/** Why a URL is not called, in the words of a refused registration; undefined if it may be called. */
export async function faultOfUrl(url: string, rules: OutboundRules): Promise<DescribedFault | undefined> {
  const result = await vetUrl(url, rules)
  return 'fault' in result ? describeFault(result.fault) : undefined
}

export function describeFault({ kind, form }: UrlFault): DescribedFault {
  const fault = webhookErrors[kind]
  return form === undefined ? fault : { ...fault, hint: `Write the host as ${form}` }
}

/** Calls a URL only to see the answer. */
export type Pinger = {
  ping: (callback: Callback, requestId: string) => Promise<Ping>
  close: () => void
}

/** Somebody asks whether the endpoint answers: a 2xx shows that it has the secret. */
export async function testCallback(
  { db, clock, pings }: Needs & { pings: Pinger },
  callback: Callback,
  requestId: string,
): Promise<Ping> {
  const ping = await pings.ping(callback, requestId)
  const { httpStatus = 0 } = ping
  if (httpStatus >= 200 && httpStatus <= 299) await noteProvenSecret(db, callback.keyId, clock.now())
  return ping
}

const pingBody = Buffer.from('{"type":"ping"}')

/** A registration waits for its ping, so the time is short. */
const usualPingWithinMs = 2_000
const pool = { purpose: 'ping', calls: 'ping', connectionsPerHost: 4 } as const
/** Pings beyond these are skipped: nobody may flood a server with our help or delay others' registrations. */
const pingsOfKeyMax = 2
const pingsMax = 50

type PingerNeeds = Needs & {
  outbound: OutboundRules
  /** Absent in production. */
  callbackWatch?: CallbackWatch | undefined
  /** The time limit of a ping. Absent: the usual two seconds. */
  pingWithinMs?: number | undefined
}

export function pinger(needs: PingerNeeds): Pinger {
  const caller = outboundCaller(needs.outbound, needs.telemetry, pool)
  const gate = new Gate({ passing: pingsOfKeyMax, waiting: 0 })
  const { callbackWatch: watch, pingWithinMs = usualPingWithinMs } = needs
  const limits = { connectWithinMs: pingWithinMs / 2, withinMs: pingWithinMs }
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
