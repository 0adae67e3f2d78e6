import { continued, currentTraceparent, inSpan } from '../../base/tracing.ts'
import { isRecord } from '../../http/validation/validate.ts'
import type { Caller, Push } from '../../http/calls/call.ts'
import type { Answer, ItemsCall } from '../../http/calls/mount.ts'
import { Rejected } from '../../http/rejected.ts'
import { noWarnings } from '../../http/calls/warnings.ts'
import { isUnavailable, OutcomeUnknown, StoreUnavailable } from '../../postgres/connections/store-errors.ts'
import { acceptAri, type AriNeeds } from './accept-ari.ts'
import type { ariRoutes } from '../contract.ts'

/**
 * The processes of one machine hand small pushes to the process that is their hotel's home, so that groups are as large,
 * and cached blocks as fresh, as in one process (decision 053). It costs time only if it fails: pushes that meet in
 * two processes are right too, because the versions of what is cached are compared under the hotel's lock.
 */
export type Homes = {
  /** Undefined: this process, or one that can't be asked now. */
  of: (hotel: { supplierId: number; hotelCode: string }) => Home | undefined
}

/** Rejects with an error of its own if it is not known whether the push was applied. */
export type Home = { ask: (question: readonly Buffer[]) => Promise<Buffer> }

type SentAri = ItemsCall<typeof ariRoutes.pushAri>

/** Larger pushes take more to hand over than they gain, and have lanes of their own. */
const bodyBytesMax = 32 * 1024

/**
 * Accepts a push in the hotel's home. Only pushes without a problem are handed over: what is refused anyway isn't. Nor
 * is what is read otherwise than it was sent, because the home gets the bytes that were sent.
 */
export async function acceptAtHome(
  needs: AriNeeds & { homes?: Homes | undefined },
  call: SentAri,
): Promise<Answer> {
  const home = needs.homes && homeOf(needs.homes, call)
  if (!home) return acceptAri(needs, call)
  needs.telemetry.handedOver.inc()
  return inSpan('push.handOver', {}, () => handOver(home, call.push))
}

function homeOf(
  homes: Homes,
  { push, body, isAsSent, problems, judgementByItem }: SentAri,
): Home | undefined {
  const isSound = isAsSent && problems.length === 0 && judgementByItem?.size === 0
  if (!isSound || !push.rawBody || push.rawBody.length > bodyBytesMax || !isRecord(body)) return undefined
  const { hotelId } = body
  return typeof hotelId === 'string'
    ? homes.of({ supplierId: push.caller.supplierId, hotelCode: hotelId })
    : undefined
}

/**
 * A question: the lengths of the next two parts (4 bytes each), what the home must know of this push, its caller, and
 * the body. An answer: its status (2 bytes), and its JSON; or, with one of the statuses below, why there is none.
 */
type Sent = Pick<Push, 'kind' | 'requestId' | 'receivedAtMs' | 'idempotencyKey'> & {
  elapsedMs: number
  traceparent: string | undefined
}

const refused = 0
const failed = 1
type Refused = Pick<Rejected, 'status' | 'problems' | 'headers' | 'unlisted' | 'extra' | 'limit'>
type Failed = { reason: 'unavailable' | 'unknown' | 'fault'; message: string }

async function handOver(home: Home, push: Push): Promise<Answer> {
  const { kind, requestId, receivedAtMs, idempotencyKey, startedMs, rawBody = Buffer.alloc(0) } = push
  const elapsedMs = performance.now() - startedMs
  const traceparent = currentTraceparent()
  const sent: Sent = { kind, requestId, receivedAtMs, idempotencyKey, elapsedMs, traceparent }
  const [about, caller] = [Buffer.from(JSON.stringify(sent)), callerBytes(push.caller)]
  const lengths = Buffer.allocUnsafe(8)
  lengths.writeUInt32LE(about.length, 0)
  lengths.writeUInt32LE(caller.length, 4)
  const answer = await home.ask([lengths, about, caller, rawBody]).catch((error: unknown) => {
    throw new OutcomeUnknown(error)
  })
  const [status, json] = [answer.readUInt16LE(0), answer.toString('utf8', 2)]
  if (status === refused) throw refusalOf(parsed<Refused>(json))
  if (status === failed) throw failureOf(parsed<Failed>(json))
  return { status, json }
}

/** The home's end: accepts a push that another process handed over. */
export function acceptHandedOver(needs: AriNeeds): (question: Buffer) => Promise<Buffer> {
  return async (question) => {
    try {
      const { traceparent, ...call } = readQuestion(question)
      const { status, json } = await continued(traceparent, () => acceptAri(needs, call))
      return answerOf(status, json)
    } catch (error) {
      if (!(error instanceof Rejected)) {
        const failure = failedBy(error)
        // The process that answers the supplier has only the message.
        if (failure.reason === 'fault') needs.log.error({ err: error }, 'a push that was handed over failed')
        return answerOf(failed, JSON.stringify(failure))
      }
      const { status, problems, headers, unlisted, extra, limit } = error
      const rejected: Refused = { status, problems, headers, unlisted, extra, limit }
      return answerOf(refused, JSON.stringify(rejected))
    }
  }
}

function readQuestion(question: Buffer): Parameters<typeof acceptAri>[1] & Pick<Sent, 'traceparent'> {
  const callerStart = 8 + question.readUInt32LE(0)
  const bodyStart = callerStart + question.readUInt32LE(4)
  const { elapsedMs, traceparent, ...sent } = parsed<Sent>(question.toString('utf8', 8, callerStart))
  const rawBody = question.subarray(bodyStart)
  const push: Push = {
    ...sent,
    idempotencyKey: sent.idempotencyKey,
    caller: readCaller(question.toString('utf8', callerStart, bodyStart)),
    rawBody,
    startedMs: performance.now() - elapsedMs,
    warnings: noWarnings(),
  }
  // The other process has validated the body.
  return { push, body: parsed(rawBody.toString()), problems: [], judgementByItem: new Map(), traceparent }
}

function answerOf(status: number, json: string): Buffer {
  const answer = Buffer.allocUnsafe(2 + Buffer.byteLength(json))
  answer.writeUInt16LE(status, 0)
  answer.write(json, 2)
  return answer
}

function refusalOf({ status, problems, headers, unlisted, extra, limit }: Refused): Rejected {
  const [first, ...rest] = problems
  if (!first) throw new Error('a push was refused without a reason')
  const more = { headers, unlisted, extra, ...(limit === undefined ? {} : { limit }) }
  return new Rejected(status, [first, ...rest], more)
}

function failedBy(error: unknown): Failed {
  const message = error instanceof Error ? error.message : String(error)
  if (error instanceof OutcomeUnknown) return { reason: 'unknown', message }
  return { reason: isUnavailable(error) ? 'unavailable' : 'fault', message }
}

function failureOf({ reason, message }: Failed): Error {
  if (reason === 'unknown') return new OutcomeUnknown(message)
  return reason === 'unavailable' ? new StoreUnavailable(message) : new Error(message)
}

/** Of callers as they are known now; a key whose limits change is another caller. */
const bytesByCaller = new WeakMap<Caller, Buffer>()
const callersBySpelling = new Map<string, Caller>()
const callersMax = 10_000

function callerBytes(caller: Caller): Buffer {
  const known = bytesByCaller.get(caller)
  if (known) return known
  const bytes = Buffer.from(JSON.stringify(caller))
  bytesByCaller.set(caller, bytes)
  return bytes
}

function readCaller(spelling: string): Caller {
  const known = callersBySpelling.get(spelling)
  if (known) return known
  if (callersBySpelling.size >= callersMax) callersBySpelling.clear()
  const caller = parsed<Caller>(spelling)
  callersBySpelling.set(spelling, caller)
  return caller
}

function parsed<Value>(json: string): Value {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- The boundary: the other end is this same program.
  return JSON.parse(json) as Value
}
