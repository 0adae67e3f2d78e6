import { vetUrl, type OutboundRules, type UrlFault } from '../outbound/vet-url.ts'
import { webhookFaults } from './contract.ts'

export type DescribedFault = { type: string; message: string; hint: string }

/** Why a URL is not called, in the words in which its registration would be refused; undefined: it may be called. */
export async function faultOfUrl(url: string, rules: OutboundRules): Promise<DescribedFault | undefined> {
  const result = await vetUrl(url, rules)
  return 'fault' in result ? describeFault(result.fault) : undefined
}

export function describeFault({ kind, form }: UrlFault): DescribedFault {
  const fault = webhookFaults[kind]
  return form === undefined ? fault : { ...fault, hint: `Write the host as ${form}` }
}
