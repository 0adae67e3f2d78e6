import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Push } from '../calls/call.ts'
import type { Answer, LongAnswer } from '../calls/mount.ts'
import { Rejected, rejectedBody, withDocUrl } from '../rejected.ts'
import type { ServeNeeds } from './serve-needs.ts'
import { isUnavailable, OutcomeUnknown } from '../../postgres/connections/store-errors.ts'
import { warningMembers } from '../calls/warnings.ts'

type ErrorNeeds = Pick<ServeNeeds, 'keepRefused' | 'log' | 'telemetry'>

/** The one place where a thrown error becomes an answer. */

/** Logged with the cause of an answer of 500. */
export const requestFailed = 'a request failed'

export async function answerError(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  needs: ErrorNeeds & { turnedAway: (message: string) => void },
): Promise<FastifyReply> {
  const rejected = asRejected(error)
  if (!rejected && isAbandoned(error, reply)) return reply
  if (!rejected)
    needs.log.error({ err: error, requestId: request.id, route: request.ari.route?.path }, requestFailed)
  else if (rejected.status === 503)
    needs.turnedAway(error instanceof Error ? error.message : rejected.message)
  if (rejected?.limit !== undefined) needs.telemetry.limited.inc({ limit: rejected.limit })
  const { status, json } = written(rejected, request, needs)
  const push = request.ari.push
  if (push && rejected && status < 500) await keepRefused(push, rejected, json, needs)
  if (rejected && status !== 500) reply.headers(rejected.headers)
  return sendJson(reply, { status, json })
}

/** Whether the answer could not be sent because the caller has gone: nobody reads another one. */
function isAbandoned(error: unknown, reply: FastifyReply): boolean {
  return reply.raw.destroyed && error instanceof Error && 'code' in error && error.code === prematureClose
}

const prematureClose = 'ERR_STREAM_PREMATURE_CLOSE'

/** In characters or bytes. */
const compressFromLength = 2_048

/**
 * Sends every answer of the API; long ones are compressed if the caller accepts that. Answers sent before the
 * route is known (to an invalid key, for example) are short.
 */
export function sendJson(
  reply: FastifyReply,
  answered: Pick<Answer, 'status' | 'json'> | LongAnswer,
): FastifyReply {
  reply.code(answered.status).type('application/json; charset=utf-8').header('cache-control', 'no-store')
  const payload = 'bytes' in answered ? answered.bytes : withPrefix(answered, reply)
  if (payload.length < compressFromLength) return reply.send(payload)
  reply.compress(payload)
  return reply
}

/** Behind a path prefix, the guides have it too. Text within a string has its quotation marks escaped. */
function withPrefix({ status, json }: Pick<Answer, 'status' | 'json'>, reply: FastifyReply): string {
  const { pathPrefix } = reply.request.ari
  if (status < 400 || pathPrefix === '') return json
  return json.replaceAll('"docUrl":"/docs/', `"docUrl":"${pathPrefix}/docs/`)
}

/**
 * Serializes the answer. Failures (beyond the longest possible string, for example) become internal errors.
 */
function written(
  rejected: Rejected | undefined,
  { id: requestId, ari: { warnings } }: FastifyRequest,
  needs: ErrorNeeds,
): { status: number; json: string } {
  try {
    if (rejected) {
      const body = { ...rejectedBody(rejected, requestId), ...warningMembers(warnings) }
      return { status: rejected.status, json: JSON.stringify(body) }
    }
  } catch (error) {
    needs.log.error({ err: error, requestId }, 'a refusal could not be written')
  }
  return { status: 500, json: JSON.stringify(internalError(requestId)) }
}

/** A refusal is answered even if the log can't be written: the push changed nothing. */
async function keepRefused(push: Push, rejected: Rejected, json: string, needs: ErrorNeeds): Promise<void> {
  try {
    await needs.keepRefused(push, rejected, json)
  } catch (error) {
    needs.log.error(
      { err: error, requestId: push.requestId },
      'a refused push could not be stored in the push log',
    )
  }
}

function internalError(requestId: string) {
  const problem = {
    type: 'INTERNAL_ERROR',
    message: 'Something went wrong on our side',
    hint: 'Send the same request again; if you contact us about it, quote the request id',
  }
  return { code: '500', message: problem.message, requestId, errors: [withDocUrl(problem)] }
}

const outcomeUnknown = {
  type: 'OUTCOME_UNKNOWN',
  message: 'The store did not confirm in time',
  hint: 'It was applied as a whole or not at all: send the same again after Retry-After; a reservation with the same Idempotency-Key (without one, first check whether it was made)',
}

function asRejected(error: unknown): Rejected | undefined {
  if (error instanceof Rejected) return error
  if (isUnavailable(error)) {
    const problem = {
      type: 'UNAVAILABLE',
      message: 'The store is not available',
      hint: 'Not acknowledged; send the same again after Retry-After',
    }
    return new Rejected(503, error instanceof OutcomeUnknown ? outcomeUnknown : problem, {
      headers: { 'retry-after': '1' },
    })
  }
  if (!(error instanceof Error) || !('statusCode' in error) || typeof error.statusCode !== 'number')
    return undefined
  if (error.statusCode === 415) {
    return new Rejected(415, {
      type: 'UNSUPPORTED_MEDIA_TYPE',
      message: 'Content-Type must be application/json',
      path: 'content-type',
      hint: 'Send Content-Type: application/json',
    })
  }
  if (error.statusCode >= 400 && error.statusCode < 500) {
    return new Rejected(400, {
      type: 'MALFORMED_REQUEST',
      message: error.message.slice(0, 200).toWellFormed(),
    })
  }
  return undefined
}
