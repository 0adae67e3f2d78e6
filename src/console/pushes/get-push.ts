import { answer, on, type Mounted, onEveryProblem } from '../../http/mount.ts'
import type { Needs, Queryable } from '../../postgres/postgres.ts'
import { laidOut } from './json-text.ts'
import { readChanges } from './changes.ts'
import { pushRoutes, shownCharactersMax, type ShownBody, itemsPerPage } from './contract.ts'
import { itemLocations, readAnswer, hasProblems, indexOfPointer, judgedItems, itemWithText } from './items.ts'
import { selectLoggedPushes, listedPush, selectOptionalPush, type LoggedPush } from './store.ts'
import { readLimit, judgeQuery } from '../../http/query.ts'
import { Rejected, reportedValue } from '../../http/rejected.ts'
import { readCount } from '../list-query.ts'
import { encodingOf } from '../../push-log/stored-bytes.ts'
import { readPushBytes } from '../../push-log/bodies.ts'
import type { BodyEncoding } from '../../push-log/contract.ts'

const sameRequestIdMax = 20

/** GET /pushes/{pushId}. */
export const getPush = ({ db, clock }: Needs): Mounted =>
  on(pushRoutes.getPush, async ({ params }) => {
    const read = await readPush(db, params.pushId)
    const { push, body } = read
    const text = body.encoding === 'json' ? body.bytes.toString() : undefined
    const response = readAnswer(read.answer.bytes.toString())
    const same = await selectLoggedPushes(
      db,
      { supplierId: push.supplierId, requestId: push.requestId },
      sameRequestIdMax + 1,
    )
    return answer(200, {
      push: listedPush(push),
      body: bodyStart(body),
      answer: bodyStart(read.answer),
      problems: response.errors,
      moreProblems: response.moreErrors,
      items: text === undefined ? 0 : itemLocations(push.kind, text).length,
      changes: await readChanges(db, push, text, clock.now()),
      sameRequestId: same.filter(({ pushId }) => pushId !== push.pushId).map(listedPush),
    })
  })

function bodyStart({ bytes, encoding }: ReadPush['body']): ShownBody {
  const text = bytes.toString(encoding === 'base64' ? 'base64' : 'utf8')
  const cut =
    encoding === 'json'
      ? laidOut(text, shownCharactersMax)
      : { text: text.slice(0, shownCharactersMax), isCut: text.length > shownCharactersMax }
  return { encoding, bytes: bytes.length, ...cut }
}

/** GET /pushes/{pushId}/body and …/answer: the whole of it, byte for byte; what is no text, in base64. */
export const downloadPush = ({ db }: Needs): Mounted =>
  on(pushRoutes.downloadPush, async ({ params: { pushId, part } }) => {
    const { bytes, encoding } = (await readPush(db, pushId))[part]
    if (encoding === 'json') return { status: 200, json: bytes.toString() }
    return answer(200, { encoding, body: bytes.toString(encoding === 'base64' ? 'base64' : 'utf8') })
  })

/** GET /pushes/{pushId}/items: each item with its result, in the order sent. */
export const listPushItems = ({ db }: Needs): Mounted =>
  onEveryProblem(
    pushRoutes.listPushItems,
    judge,
    async ({ params, query, read: { from: requestedFrom, limit } }) => {
      const { push, body, answer: answered } = await readPush(db, params.pushId)
      const text = body.encoding === 'json' ? body.bytes.toString() : ''
      const locations = text === '' ? [] : itemLocations(push.kind, text)
      const items = judgedItems(locations, push, readAnswer(answered.bytes.toString()))
      const matching = query.only === 'failed' ? items.filter(hasProblems) : items
      const position = query.at === undefined ? -1 : indexOfPointer(matching, query.at)
      const from = position === -1 ? requestedFrom : position - (position % limit)
      return answer(200, {
        items: matching.slice(from, from + limit).map((item) => itemWithText(text, item)),
        total: items.length,
        matching: matching.length,
        from,
        nextFrom: from + limit < matching.length ? from + limit : null,
      })
    },
  )

const indexMax = 999_999_999

const judge = judgeQuery((query, problems) => ({
  from: readCount('from', query, indexMax, problems) ?? 0,
  limit: readLimit(query['limit'], itemsPerPage, problems),
}))

type ReadPush = {
  push: LoggedPush
  body: { bytes: Buffer; encoding: BodyEncoding }
  answer: { bytes: Buffer; encoding: BodyEncoding }
}

/** One push with its body and answer; throws 404 if it is not in the log, or no longer. */
async function readPush(db: Queryable, pushId: string): Promise<ReadPush> {
  const id = /^[1-9]\d{0,14}$/.test(pushId) ? Number(pushId) : undefined
  const push = id === undefined ? undefined : await selectOptionalPush(db, id)
  const stored = push && id !== undefined && (await readPushBytes(db, { ...push, id }))
  if (!push || !stored) throw pushNotFound(pushId)
  const { body, answer: answered } = stored
  return {
    push,
    body: { bytes: body, encoding: encodingOf(body) },
    answer: { bytes: answered, encoding: encodingOf(answered) },
  }
}

function pushNotFound(pushId: string): Rejected {
  return new Rejected(404, {
    type: 'PUSH_NOT_FOUND',
    message: 'Push not found',
    path: 'pushId',
    value: reportedValue(pushId),
    hint: 'The log keeps pushes for ARI_PUSH_LOG_DAYS days; GET /console/api/pushes lists them',
  })
}
