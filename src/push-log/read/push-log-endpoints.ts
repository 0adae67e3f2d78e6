import { readLimit, readRange } from '../../http/calls/query.ts'
import { answer, onEveryProblem, on, type LongAnswer } from '../../http/calls/mount.ts'
import type { Needs } from '../../postgres/postgres.ts'
import { pageLimit, pushLogRoutes, earlierMax, type BodyEncoding, type PushEntry } from '../contract.ts'
import { judgePage, readPushPage, readPushCursor, writePushCursor } from './pages.ts'
import { Rejected, reportedValue } from '../../http/rejected.ts'
import type { Archive } from '../bodies/archive.ts'
import { workOn } from '../bodies/body-work.ts'
import { readPushBytes } from '../bodies/bodies.ts'
import { readEncodings } from '../bodies/stored-bytes.ts'
import { selectPushesByRequest, type PushRow } from './store.ts'

/** GET /push/log. */
export const listPushes = (needs: Needs) =>
  onEveryProblem(
    pushLogRoutes.listPushes,
    judgePage(needs, (query, problems) => ({
      ...readRange(query, problems),
      position: readPushCursor(query['cursor'], problems),
      limit: readLimit(query['limit'], pageLimit, problems),
    })),
    async ({ query: { kind, outcome, problem }, caller: { supplierId }, read }) => {
      const { hotel: hotelId, sinceMs, untilMs, position, limit } = read
      const filters = { hotelId, kind, outcome, problem, sinceMs, untilMs }
      const from = { position, limit, nowMs: needs.clock.now() }
      const { pushes, next } = await readPushPage(needs.db, supplierId, filters, from)
      return answer(200, {
        code: '200',
        message: 'Pushes retrieved successfully',
        pushes: pushes.map(({ id: _id, ...entry }) => entry),
        nextCursor: next === undefined ? null : writePushCursor(next),
      })
    },
  )

/** The ids that serve.ts assigns or accepts; no other id was ever stored. */
const requestIdText = /^[A-Za-z0-9._-]{1,64}$/

/** GET /push/log/{requestId}. */
export const getPush = (needs: Needs & { archive: Archive }) =>
  on(pushLogRoutes.getPush, async ({ params, caller }) => {
    const { requestId } = params
    if (!requestIdText.test(requestId)) throw pushNotFound(requestId)
    const found = await selectPushesByRequest(needs.db, caller.supplierId, requestId, earlierMax + 1)
    const [newest, ...earlier] = found
    const bytes = newest && (await readPushBytes(needs, newest))
    if (!newest || !bytes) throw pushNotFound(requestId)
    const { body, answer: answered } = bytes
    const [ofBody = 'base64', ofAnswer = 'base64'] = await workOn(
      readEncodings,
      caller.supplierId,
      [body, answered],
      undefined,
    )
    return pushAnswer(newest, earlier, {
      body: { encoding: ofBody, bytes: body },
      answer: { encoding: ofAnswer, bytes: answered },
    })
  })

function pushNotFound(requestId: string): Rejected {
  return new Rejected(404, {
    type: 'PUSH_NOT_FOUND',
    message: 'Push not found',
    path: 'requestId',
    value: reportedValue(requestId),
    hint: 'Send the x-request-id of a push of this account that is still stored',
  })
}

type Encoded = { encoding: BodyEncoding; bytes: Buffer }

/** Embeds JSON bodies and answers byte for byte: parsing and serializing them would turn 110.00 into 110. */
function pushAnswer(
  newest: PushRow,
  earlier: readonly PushRow[],
  { body, answer: answered }: Record<'body' | 'answer', Encoded>,
): LongAnswer {
  const head = JSON.stringify({ code: '200', message: 'Push retrieved successfully' })
  const push = JSON.stringify({ ...entryOf(newest), bodyEncoding: body.encoding })
  const parts = [
    `${head.slice(0, -1)},"push":{${push.slice(1, -1)},"body":`,
    asJson(body),
    ',"answer":',
    asJson(answered),
    `},"earlier":${JSON.stringify(earlier.map(entryOf))}}`,
  ]
  return {
    status: 200,
    bytes: Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : part))),
  }
}

function entryOf({ id: _id, ...entry }: PushRow): PushEntry {
  return entry
}

/** Bytes as a JSON value. */
function asJson({ encoding, bytes }: Encoded): Buffer | string {
  if (encoding === 'json') return bytes
  return JSON.stringify(bytes.toString(encoding === 'text' ? 'utf8' : 'base64'))
}
