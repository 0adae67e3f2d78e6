import { commonLimits } from '../keys/contract.ts'
import type { ConstraintError } from '../http/route.ts'

const urlCharactersMax = commonLimits.webhookUrlLength
export const exampleUrl = 'https://pms.example.com/ari/price-check'
const httpsHint = `For example ${exampleUrl}`
const onOneMachine = 'To try it out on one machine, start the sandbox with ARI_ALLOW_PRIVATE_WEBHOOKS=true'

/** Faults of the URL, besides not being text. */
export const webhookErrors = {
  tooLong: {
    type: 'WEBHOOK_TOO_LONG',
    message: `Webhook must have at most ${urlCharactersMax} characters`,
    hint: 'Shorten the path or the query',
  },
  notAscii: {
    type: 'WEBHOOK_INVALID_CHARACTERS',
    message: 'Webhook must have only ASCII characters without spaces',
    hint: 'Write an international name in its xn-- form and escape other characters with %',
  },
  malformed: { type: 'WEBHOOK_MALFORMED', message: 'Webhook must be a valid URL', hint: httpsHint },
  notHttps: {
    type: 'WEBHOOK_NOT_HTTPS',
    message: 'Webhook must be an HTTPS URL',
    hint: `${httpsHint}. ${onOneMachine}`,
  },
  credentials: {
    type: 'WEBHOOK_HAS_CREDENTIALS',
    message: 'Webhook must not contain a user name or password',
    hint: 'Verify our signature (header webhook-signature) instead',
  },
  fragment: {
    type: 'WEBHOOK_HAS_FRAGMENT',
    message: 'Webhook must not contain a fragment',
    hint: 'Remove # and what follows it',
  },
  hostForm: {
    type: 'WEBHOOK_HOST_INVALID',
    message: 'Webhook host must be written in its plain form',
    hint: 'Write the host as a name or an address, without escapes or other number forms',
  },
  trailingDot: {
    type: 'WEBHOOK_HOST_INVALID',
    message: 'Webhook host must not end with a dot',
    hint: 'Remove the dot',
  },
  port: {
    type: 'WEBHOOK_PORT_NOT_ALLOWED',
    message: 'Webhook port must be 443 or from 1024 to 65535',
    hint: 'Omit the port to use 443',
  },
  privateName: {
    type: 'WEBHOOK_HOST_NOT_PUBLIC',
    message: 'Webhook host must be a public name',
    hint: `Use a host that is reachable from the internet. ${onOneMachine}`,
  },
  privateAddress: {
    type: 'WEBHOOK_HOST_NOT_PUBLIC',
    message: 'Webhook host must not be or resolve to a private or otherwise special address',
    hint: `Use a host that is reachable from the internet. ${onOneMachine}`,
  },
  unresolved: {
    type: 'WEBHOOK_HOST_NOT_RESOLVED',
    message: 'Webhook host could not be resolved',
    hint: 'Check the name and its DNS records, then register again',
  },
} as const satisfies Record<string, ConstraintError>
