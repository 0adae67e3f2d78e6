import Type from 'typebox'
import { findingKinds, type FindingKind } from '../../findings/contract.ts'
import { oneOf, route, success, text, type ConstraintError } from '../../http/route.ts'
import { secretRotation } from '../../webhooks/contract.ts'

/** Who is told of a supplier's alerts. */

export const alertEmails = {
  max: 5,
  characters: 254,
  /** A confirmation code is valid for this long and for so many wrong ones; it is sent again after some minutes. */
  codeHours: 24,
  wrongCodesMax: 5,
  codeAgainAfterMinutes: 10,
  codesPerDay: 10,
} as const
export const testEverySeconds = 10

export const alertSettingsErrors = {
  noMail: {
    type: 'EMAIL_NOT_AVAILABLE',
    message: 'This service sends no e-mail',
    hint: 'Use webhook, or POST /push/alerts; the operators of the service can set up e-mail',
  },
  emailInvalid: {
    type: 'ALERT_EMAIL_INVALID',
    message: 'An e-mail address must look like alerts@example.com',
    hint: 'Send the address alone, without a name',
  },
  codeWrong: {
    type: 'CODE_WRONG',
    message: 'The code is not the one that was sent to this address, or has expired',
    hint: 'Send the code from the newest e-mail; to get another, send the address in emails again',
  },
  tooManyCodes: {
    type: 'TOO_MANY_CODES',
    message: 'Too many confirmation codes were sent today',
    hint: 'Try again tomorrow',
  },
  noChannel: {
    type: 'NO_ALERT_CHANNEL',
    message: 'No recipient of alerts is set up yet',
    hint: 'Set webhook, or confirm an address in emails, with POST /push/alerts/settings first',
  },
  noSecret: {
    type: 'NO_SIGNING_SECRET',
    message: 'This account has no signing secret for alerts',
    hint: 'It gets one with its first URL for alerts: POST /push/alerts/settings',
  },
  testedJustNow: {
    type: 'TESTED_JUST_NOW',
    message: 'The last test was only seconds ago',
    hint: 'Wait for the seconds in Retry-After',
  },
} as const satisfies Record<string, ConstraintError>

const email = (description: string) =>
  text({ maxLength: alertEmails.characters, description, examples: ['alerts@example.com'] })

const emailStates = ['confirmed', 'pending'] as const

const settings = {
  kinds: Type.Unsafe<FindingKind[]>({
    type: 'array',
    items: { type: 'string', enum: [...findingKinds] },
    description: 'The kinds that are announced',
  }),
  webhook: Type.Unsafe<string | null>({
    type: ['string', 'null'],
    description: 'The URL to which alerts are sent; null: none',
  }),
  emails: Type.Array(
    Type.Object({
      email: Type.String(),
      state: oneOf(emailStates, {
        description: 'pending: a code was sent to the address, and nothing else is sent until `codes` has it',
      }),
    }),
  ),
  emailAvailable: Type.Boolean({ description: 'Whether this service sends e-mail' }),
}

export const alertSettingsRoutes = {
  getAlertSettings: route({
    method: 'GET',
    path: '/push/alerts/settings',
    access: 'supplier',
    tag: 'Alerts',
    summary: 'Read who receives alerts',
    description: 'The settings of the account. The signing secret is never shown again.',
    answer: Type.Object({ ...success, ...settings }),
    examples: [
      {
        summary: 'The settings of this account',
        request: {},
        answer: { status: 200, body: { code: '200', message: 'Alert settings retrieved successfully' } },
      },
    ],
  }),
  setAlertSettings: route({
    method: 'POST',
    path: '/push/alerts/settings',
    access: 'supplier',
    tag: 'Alerts',
    summary: 'Set who receives alerts',
    description: [
      'Members that are absent stay as they are. `emails` is the whole list: a new address gets an e-mail with a code, and receives alerts once you have sent that code in `codes`.',
      'The first `webhook` of an account is answered with a `signingSecret`, once: verify our calls with it as those of the other URLs. If it is lost, POST /push/alerts/rotate makes another.',
    ].join('\n\n'),
    refusesUnknown: true,
    body: Type.Object({
      kinds: Type.Optional(
        Type.Unsafe<FindingKind[] | null>({
          anyOf: [
            {
              type: 'array',
              items: { type: 'string', enum: [...findingKinds] },
              maxItems: findingKinds.length,
            },
            { type: 'null' },
          ],
          description: 'The kinds that are announced; null: all, as by default',
        }),
      ),
      webhook: Type.Optional(
        Type.Unsafe<string | null>({
          type: ['string', 'null'],
          description: 'An HTTPS URL, under the same rules as the other URLs; null: none',
        }),
      ),
      emails: Type.Optional(Type.Array(email('An address'), { maxItems: alertEmails.max })),
      codes: Type.Optional(
        Type.Array(
          Type.Object({
            email: email('The address that the code was sent to'),
            code: text({ maxLength: 20, description: 'The code' }),
          }),
          { minItems: 1, maxItems: alertEmails.max },
        ),
      ),
    }),
    answer: Type.Object({
      ...success,
      ...settings,
      signingSecret: Type.Optional(
        Type.String({ description: 'Only in the answer to the first webhook of the account' }),
      ),
      notSent: Type.Array(Type.String(), {
        description: 'Addresses to which the code could not be sent: check them, or try again later',
      }),
    }),
    errors: { 409: 'This service sends no e-mail, or too many codes were sent' },
    examples: [
      {
        summary: 'Receive only alerts about undelivered reservations',
        request: { kinds: ['booking.undelivered'] },
        answer: { status: 200, body: { code: '200', message: 'Alert settings saved successfully' } },
      },
    ],
  }),
  rotateAlertSecret: route({
    method: 'POST',
    path: '/push/alerts/rotate',
    access: 'supplier',
    tag: 'Alerts',
    summary: 'Get a new signing secret for alerts',
    description:
      'Makes another secret for the messages to the URL for alerts, as `POST /push/webhook/rotate` does for the calls to the URLs of a key. Until the end of the overlap every message carries a signature with each; with `overlapHours` 0 only the new one signs from now on. It is displayed in this answer only: when the answer is lost, call again.',
    ...secretRotation,
    errors: { 409: 'This account has no signing secret for alerts, or two earlier ones still sign' },
    examples: [
      {
        summary: 'Without a URL for alerts there is no secret',
        request: { overlapHours: 48 },
        answer: {
          status: 409,
          body: { code: '409', message: 'This account has no signing secret for alerts' },
        },
      },
    ],
  }),
  testAlerts: route({
    method: 'POST',
    path: '/push/alerts/test',
    access: 'supplier',
    tag: 'Alerts',
    summary: 'Send a test alert',
    description:
      'Sends a message marked as a test through every channel at once, and reports the result for each.',
    answer: Type.Object({
      ...success,
      results: Type.Array(
        Type.Object({
          channel: oneOf(['webhook', 'email']),
          address: Type.String({ description: 'The URL or the address' }),
          isSent: Type.Boolean(),
          reason: Type.Optional(Type.String({ description: 'Why it was not sent' })),
        }),
      ),
    }),
    errors: { 409: 'No channel is set up', 429: 'The last test was only seconds ago' },
    examples: [
      {
        summary: 'No recipient is set up yet',
        request: {},
        answer: { status: 409, body: { code: '409', message: 'No recipient of alerts is set up yet' } },
      },
    ],
  }),
}
