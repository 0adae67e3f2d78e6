import type { Called, OutboundCall, OutboundCaller } from '../outbound/call.ts'
import { signedHeaders } from '../outbound/signature.ts'
import { spoil, type CallbackFaults } from './callback-faults.ts'
import type { CallbackWatch } from './callback-watch.ts'
import type { SpoilableCalls } from './faults-contract.ts'
import type { Callback } from './store.ts'

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

export type CallbackLimits = Pick<OutboundCall, 'connectWithinMs' | 'withinMs' | 'headSuffices' | 'signal'>

const answerBytesMax = 262_144

export async function sendCallback(
  { caller, faults, watch }: CallbackMeans,
  { keyId, url, secrets }: Callback,
  { id, requestId, atMs, body, about }: CallbackMessage,
  limits: CallbackLimits,
): Promise<Called> {
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
  const called = await (fault ? spoil[fault]({ ...limits, call }) : call())
  const calls = about?.calls ?? 'ping'
  watch?.saw({ keyId, calls, url, requestId, webhookId: id, atMs, body, called })
  return called
}
