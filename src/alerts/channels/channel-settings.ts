import { loopbackNetworks, parseUrl } from '../../outbound/vet-url.ts'

/** Reads the settings of e-mail and of the operators' webhook. */

type ReadValue<Value> = { value: Value } | { problem: string }

export function readSmtpUrl(text: string): ReadValue<string> {
  const problem = 'must be a URL like smtp://user:password@host:587, or smtps:// for TLS from the start'
  if (!URL.canParse(text)) return { problem }
  const { protocol, hostname } = new URL(text)
  return ['smtp:', 'smtps:'].includes(protocol) && hostname !== '' ? { value: text } : { problem }
}

export function readMailAddress(text: string): ReadValue<string> {
  return /^[\x21-\x7e]+@[A-Za-z0-9.-]+$/.test(text) && !/[<>,;:"]/.test(text)
    ? { value: text }
    : { problem: 'must be an e-mail address like alerts@example.com' }
}

export function readOperatorsUrl(text: string): ReadValue<string> {
  const problem = 'must be a URL like https://hooks.example.com/…; http:// is allowed on this machine only'
  const parsed = parseUrl(text, loopbackNetworks)
  return 'fault' in parsed ? { problem } : { value: text }
}
