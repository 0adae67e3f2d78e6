import type { Called, OutboundCall, OutboundCaller } from '../outbound/call.ts'
import { signedHeaders } from '../outbound/signature.ts'
import { spoil, type CallbackFaults } from './callback-faults.ts'
import type { CallbackWatch } from './callback-watch.ts'
import { webhookErrors } from './contract.ts'
import type { SpoilableCalls } from './callback-contract.ts'
import type { Callback } from './store.ts'
import { vetUrl, type OutboundRules, type UrlFault } from '../outbound/vet-url.ts'

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
  watch?.record({ keyId, calls, url, requestId, webhookId: id, atMs, body, called })
  return called
}

/** A URL for people and logs: host and path only, because the rest may contain a secret. */
export function hostAndPath(href: string): string {
  const { host, pathname } = new URL(href)
  return host + pathname
}

export type DescribedFault = { type: string; message: string; hint: string }

/** Why a URL is not called, in the words of a refused registration; undefined if it may be called. */
export async function faultOfUrl(url: string, rules: OutboundRules): Promise<DescribedFault | undefined> {
  const result = await vetUrl(url, rules)
  return 'fault' in result ? describeFault(result.fault) : undefined
}

export function describeFault({ kind, form }: UrlFault): DescribedFault {
  const fault = webhookErrors[kind]
  return form === undefined ? fault : { ...fault, hint: `Write the host as ${form}` }
}
