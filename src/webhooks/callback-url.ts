import { vetUrl, type OutboundRules, type UrlFault } from '../outbound/vet-url.ts'
import { webhookFaults } from './contract.ts'

/** A URL for people and logs: host and path only, because the rest may contain a secret. */
export function placeOf(href: string): string {
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
  const fault = webhookFaults[kind]
  return form === undefined ? fault : { ...fault, hint: `Write the host as ${form}` }
}
