import type { FastifyRequest } from 'fastify'
import { Gate } from '../../base/gate.ts'
import type { Push } from '../calls/call.ts'
import type { Answer, LongAnswer, Mounted, Streamed } from '../calls/mount.ts'
import { Rejected } from '../rejected.ts'
import { callOf } from './admission.ts'
import type { ServeNeeds } from './serve-needs.ts'

type Performed = Answer | LongAnswer | Streamed
type Perform = (
  mounted: Extract<Mounted, { hold?: undefined }>,
  request: FastifyRequest,
) => Promise<Performed>

/** Repeats of a push that wait for it, by key; further ones are told that it is being processed. */
const repeatsMax = { passing: 1, waiting: 8 }

/** Has a request handled; a push under an Idempotency-Key once, and its repeats get the stored answer. */
export function performer({ replayed }: Pick<ServeNeeds, 'replayed'>): Perform {
  const underWay = new Gate<string>(repeatsMax)
  return async ({ route, handle }, request) => {
    const { push } = request.ari
    if (push?.idempotencyKey === undefined) return handle(callOf(route, request))
    const key = `${push.caller.keyId} ${push.idempotencyKey}`
    const turn = underWay.enter(key)
    if (!turn) throw keyInUse()
    await turn
    try {
      const stored = await replayed(push)
      return stored ?? (await unlessAnswered(push, replayed, () => handle(callOf(route, request))))
    } finally {
      underWay.leave(key)
    }
  }
}

/**
 * Another process may have answered the first call meanwhile, and have done what this one is refused for,
 * such as an undo.
 */
async function unlessAnswered(
  push: Push,
  replayed: ServeNeeds['replayed'],
  handle: () => Promise<Performed>,
): Promise<Performed> {
  try {
    const performed = await handle()
    const isRefusal = 'status' in performed && performed.status >= 400 && performed.status < 500
    return (isRefusal ? await replayed(push) : undefined) ?? performed
  } catch (error) {
    const isRefusal = error instanceof Rejected && error.status < 500
    const answered = isRefusal ? await replayed(push) : undefined
    if (answered) return answered
    throw error
  }
}

function keyInUse(): Rejected {
  return new Rejected(
    409,
    {
      type: 'IDEMPOTENCY_KEY_IN_USE',
      message: 'A push with this Idempotency-Key is being processed',
      path: 'idempotency-key',
      hint: 'Send the same request again: the stored answer will be returned',
    },
    { headers: { 'retry-after': '1' } },
  )
}
