import Type from 'typebox'
import type { Clock } from '../base/clock.ts'
import { parseJson } from '../http/validation/json.ts'
import { minorText } from '../base/money.ts'
import { isRecord, validator } from '../http/validation/validate.ts'
import {
  priceCheckRequest,
  type PriceCheckAnswer,
  type PriceCheckRequest,
} from '../price-check/callback-contract.ts'
import { delivery } from '../bookings/callback-contract.ts'
import type { FaultPlan, SimulatedFault } from './faults.ts'
import { GatewayRefused, type GatewayClient } from './gateway-client.ts'
import type { ReservationLedger, Received } from './ledger.ts'
import { livePrice, type LivePrice, type NoPrice } from './live-price.ts'
import { pushEverything, type Resynced } from './resync.ts'
import { createHmac, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'

/** The supplier's answer to a call. */

export type SimulatedAnswer = {
  status: number
  body: object
  report: Pick<SimulatedCall, 'call'> & Partial<SimulatedCall>
  /** What follows the answer, once for a call however often it is repeated. */
  afterwards?: () => Promise<Partial<SimulatedCall>>
}

export type AnswerNeeds = {
  gateway: GatewayClient
  ledger: ReservationLedger
  faults: FaultPlan
  clock: Clock
}

const isPriceCheck = validator(priceCheckRequest)
const isDelivery = validator(delivery)

const isAlerts = validator(
  Type.Object({
    type: Type.Literal('alerts'),
    alerts: Type.Array(
      Type.Object({
        kind: Type.String(),
        hotelId: Type.Unsafe<string | null>({ type: ['string', 'null'] }),
      }),
    ),
  }),
)

export type Path = 'priceCheck' | 'booking' | 'alerts'
const bodies = { priceCheck: isPriceCheck, booking: isDelivery, alerts: isAlerts }

export async function answerTo(
  path: Path,
  body: Buffer,
  signature: SignatureState,
  needs: AnswerNeeds,
): Promise<SimulatedAnswer> {
  const sent = parsed(body)
  if (isRecord(sent) && sent['type'] === 'ping') return answerPing(signature)
  const shape = bodies[path]
  if (!shape.matches(sent)) {
    const { problems } = shape.judge(sent)
    const why = `${problems[0]?.path ?? ''}: ${problems[0]?.message ?? 'not as documented'}`
    return refusal(400, 'The body is not as documented', { call: 'unreadable', why })
  }
  if (isDelivery.matches(sent)) return answerDelivery(sent, signature, needs)
  if (isPriceCheck.matches(sent)) return answerPriceCheck(sent, signature, needs)
  if (isAlerts.matches(sent)) return answerAlerts(sent.alerts, signature, needs)
  throw new TypeError('a body was read that is none of them')
}

function parsed(body: Buffer): unknown {
  try {
    return parseJson(body, { isQuoted: false })
  } catch {
    return undefined
  }
}

function refusal(status: number, message: string, report: SimulatedAnswer['report']): SimulatedAnswer {
  return { status, body: { code: String(status), message }, report }
}

/** Without a secret, no call can be refused. */
function isForged(signature: SignatureState): boolean {
  return signature !== 'verified' && signature !== 'unverifiable'
}

function answerPing(signature: SignatureState): SimulatedAnswer {
  if (isForged(signature)) return refusal(401, 'The signature is wrong', { call: 'ping' })
  return { status: 200, body: { code: '200', message: 'pong' }, report: { call: 'ping' } }
}

/** The hotels that are asked for are pushed again after the answer: the gateway doesn't wait for that. */
function answerAlerts(
  alerts: readonly { kind: string; hotelId: string | null }[],
  signature: SignatureState,
  needs: AnswerNeeds,
): SimulatedAnswer {
  const report = { call: 'alerts', alerts: alerts.map(({ kind, hotelId }) => ({ kind, hotelId })) } as const
  if (isForged(signature)) return refusal(401, 'The signature is wrong', report)
  const hotelIds = new Set(
    alerts.flatMap(({ kind, hotelId }) => (kind === 'resync.requested' && hotelId !== null ? [hotelId] : [])),
  )
  const afterwards = async () => {
    const resynced: Resynced[] = []
    for (const hotelId of hotelIds) resynced.push(await pushEverything(needs, hotelId))
    return { resynced }
  }
  const answered = { status: 200, body: { code: '200', message: 'Alerts received' }, report }
  return hotelIds.size === 0 ? answered : { ...answered, afterwards }
}

function answerDelivery(
  sent: Parameters<ReservationLedger['receive']>[0],
  signature: SignatureState,
  { ledger, faults }: AnswerNeeds,
): SimulatedAnswer {
  const fault = faults.next(sent.status)
  const report = { call: 'booking', hotelId: sent.hotelId, ...withFault(fault) } as const
  const refused = refusalOf(fault, signature, report)
  if (refused) return refused
  const reservations = ledger.receive(sent)
  const body = { code: '200', message: 'Reservations received' }
  return { status: 200, body, report: { ...report, reservations } }
}

async function answerPriceCheck(
  asked: PriceCheckRequest,
  signature: SignatureState,
  { gateway, faults }: AnswerNeeds,
): Promise<SimulatedAnswer> {
  const fault = faults.next('check')
  const report = { call: 'priceCheck', asked, ...withFault(fault) } as const
  const refused = refusalOf(fault, signature, report)
  if (refused) return refused
  const outcome = await livePrice(gateway, asked).catch(unknownThere)
  const why = 'why' in outcome ? { why: outcome.why } : {}
  // The specification expresses "not on sale" only as an inventory of zero.
  const live = 'why' in outcome ? outcome.unsold : outcome
  if (!live) return refusal(404, 'No such room and rate is on sale', { ...report, ...why })
  const price = priceOf(fault === 'dearer' ? dearer(live) : live, fault)
  const answer: PriceCheckAnswer = {
    roomRate: {
      roomId: asked.roomId,
      rateId: asked.rateId,
      ...price,
      ...(live.mealPlan === null ? {} : { mealPlan: live.mealPlan }),
    },
  }
  return { status: 200, body: answer, report: { ...report, ...why, price } }
}

/** A hotel, room or rate that was never pushed. */
function unknownThere(error: unknown): NoPrice {
  if (error instanceof GatewayRefused && error.status === 404) return { why: error.message }
  throw error
}

function withFault(fault: SimulatedFault | undefined): { fault?: SimulatedFault } {
  return fault === undefined ? {} : { fault }
}

/** Faults expressed as an answer; the server handles those of the connection. */
function refusalOf(
  fault: SimulatedFault | undefined,
  signature: SignatureState,
  report: SimulatedAnswer['report'],
): SimulatedAnswer | undefined {
  if (fault === '500') return refusal(500, 'Simulated fault: status 500', report)
  if (fault === 'cancel-before-confirm')
    return refusal(503, 'Simulated fault: no Confirm is accepted', report)
  if (fault === 'bad-signature')
    return refusal(401, 'Simulated fault: the signature is treated as wrong', report)
  if (isForged(signature)) return refusal(401, 'The signature is wrong', report)
  return undefined
}

const dearerPercent = 10

function dearer(live: LivePrice): LivePrice {
  const more = (amount: number): number => amount + Math.ceil((amount * dearerPercent) / 100)
  const nights = live.nights.map(({ beforeTax, afterTax }) => ({
    beforeTax: more(beforeTax),
    afterTax: more(afterTax),
  }))
  return { ...live, nights }
}

function priceOf(
  { currency, inventory, nights, minorDigits }: LivePrice,
  fault: SimulatedFault | undefined,
): NonNullable<SimulatedCall['price']> & { amountBeforeTax: string[]; amountAfterTax: string[] } {
  return {
    currency,
    inventory: fault === 'sold-out' ? 0 : inventory,
    amountBeforeTax: nights.map(({ beforeTax }) => minorText(beforeTax, minorDigits)),
    amountAfterTax: nights.map(({ afterTax }) => minorText(afterTax, minorDigits)),
  }
}

/** A call that arrived and its outcome, as shown and as printed in a line by --json. Contains no card. */
export type SimulatedCall = {
  at: string
  call: 'ping' | 'priceCheck' | 'booking' | 'alerts' | 'unreadable'
  webhookId: string
  requestId: string
  signature: SignatureState
  /** A call with this webhook-id was answered before. */
  isRepeat: boolean
  fault?: SimulatedFault
  asked?: PriceCheckRequest
  /** The price check's result, for one room; absent when there is no price. */
  price?: {
    currency: string
    inventory: number
    amountBeforeTax: readonly string[]
    amountAfterTax: readonly string[]
  }
  hotelId?: string
  reservations?: readonly Received[]
  alerts?: readonly { kind: string; hotelId: string | null }[]
  /** The hotels that were pushed again. */
  resynced?: readonly Resynced[]
  /** The reason for the answer. */
  why?: string
  /** Absent: no answer was sent. */
  status?: number
  durationMs: number
}

/**
 * Verifies the caller, as a receiver does by the text of Standard Webhooks; does not use the code that signs.
 */

const signatureStates = ['verified', 'wrong', 'missing', 'stale', 'unverifiable'] as const
/** `unverifiable`: the receiver has no secret. */
export type SignatureState = (typeof signatureStates)[number]

const secretText = /^whsec_[A-Za-z0-9+/]{32,}={0,2}$/
const staleAfterSeconds = 5 * 60
const signaturesMax = 10

export function isSecret(text: string): boolean {
  return secretText.test(text)
}

/** One good signature by one of the secrets is enough: during a rotation there may be two of each. */
export function verifySignature(
  headers: IncomingHttpHeaders,
  body: Buffer,
  { secrets, nowMs }: { secrets: readonly string[]; nowMs: number },
): SignatureState {
  const id = headers['webhook-id']
  const timestamp = headers['webhook-timestamp']
  const signatures = headers['webhook-signature']
  if (typeof id !== 'string' || typeof timestamp !== 'string' || typeof signatures !== 'string')
    return 'missing'
  if (secrets.length === 0) return 'unverifiable'
  if (!/^\d{1,12}$/.test(timestamp)) return 'wrong'
  if (Math.abs(nowMs / 1_000 - Number(timestamp)) > staleAfterSeconds) return 'stale'
  const given = signatures
    .split(' ', signaturesMax)
    .flatMap((one) => (one.startsWith('v1,') ? [Buffer.from(one.slice('v1,'.length), 'base64')] : []))
  const expected = secrets.map((secret) =>
    createHmac('sha256', Buffer.from(secret.slice('whsec_'.length), 'base64'))
      .update(`${id}.${timestamp}.`)
      .update(body)
      .digest(),
  )
  const isGood = expected.some((right) =>
    given.some((one) => one.length === right.length && timingSafeEqual(one, right)),
  )
  return isGood ? 'verified' : 'wrong'
}
