import type { Queryable } from '../../postgres/postgres.ts'
import { Rejected, shown } from '../../http/rejected.ts'
import { encodingOf } from '../../push-log/body-encoding.ts'
import { unpack } from '../../push-log/compress.ts'
import type { BodyEncoding } from '../../push-log/contract.ts'
import { selectOptionalPush, selectPushBytes, type LoggedPush } from './store.ts'

export type ReadPush = {
  push: LoggedPush
  body: { bytes: Buffer; encoding: BodyEncoding }
  answer: { bytes: Buffer; encoding: BodyEncoding }
}

/** One push with its body and answer; throws 404 if it is not in the log, or no longer. */
export async function readPush(db: Queryable, pushId: string): Promise<ReadPush> {
  const id = /^[1-9]\d{0,14}$/.test(pushId) ? Number(pushId) : undefined
  const push = id === undefined ? undefined : await selectOptionalPush(db, id)
  const kept = push && (await selectPushBytes(db, push))
  if (!push || !kept) throw pushNotFound(pushId)
  const body = kept.body ? unpack(kept.bodyEncoding, kept.body) : Buffer.alloc(0)
  const answer = unpack(kept.answerEncoding, kept.answer)
  return {
    push,
    body: { bytes: body, encoding: encodingOf(body) },
    answer: { bytes: answer, encoding: encodingOf(answer) },
  }
}

function pushNotFound(pushId: string): Rejected {
  return new Rejected(404, {
    type: 'PUSH_NOT_FOUND',
    message: 'Push not found',
    path: 'pushId',
    value: shown(pushId),
    hint: 'The log keeps pushes for ARI_PUSH_LOG_DAYS days; GET /console/api/pushes lists them',
  })
}
