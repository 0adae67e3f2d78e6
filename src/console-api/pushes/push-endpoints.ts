import { dayMs, instantOf } from '../../base/calendar.ts'
import { answer, onEveryProblem, type Mounted, on } from '../../http/calls/mount.ts'
import type { Needs, Queryable } from '../../postgres/postgres.ts'
import { readLimit, cursorProblem, judgeQuery, readRange } from '../../http/calls/query.ts'
import { type Problem, Rejected, reportedValue } from '../../http/rejected.ts'
import { readCount, readNumber } from '../list-query.ts'
import { pushesPerPage, pushRoutes, shownCharactersMax, type ShownBody, itemsPerPage } from './contract.ts'
import {
  listedPush,
  selectLoggedPushes,
  selectLoggedPushesBack,
  selectNextPushId,
  type LoggedPush,
  selectOptionalPush,
} from './store.ts'
import type { PushFilters } from '../../push-log/conditions.ts'
import {
  laidOut,
  itemLocations,
  readAnswer,
  hasProblems,
  indexOfPointer,
  judgedItems,
  itemWithText,
} from './items.ts'
import { readChanges } from './changes.ts'
import { encodingOf } from '../../push-log/bodies/stored-bytes.ts'
import type { Archive } from '../../push-log/bodies/archive.ts'
import { readPushBytes } from '../../push-log/bodies/bodies.ts'
import type { BodyEncoding } from '../../push-log/contract.ts'

/** GET /pushes: newest first. */
export const listPushes = ({ db, clock }: Needs): Mounted =>
  onEveryProblem(
    pushRoutes.listPushes,
    judgePushQuery,
    async ({ query: { kind, outcome, problem, requestId }, read }) => {
      const { limit, position, sinceMs, untilMs, ...named } = read
      const search = {
        ...named,
        kind,
        outcome,
        problem,
        requestId,
        sinceMs,
        beforeId: position.beforeId,
        untilMs: earlier(untilMs, position.untilMs),
      }
      const { pushes, next, searchedToMs } = await readPushPage(db, search, limit, clock.now())
      return answer(200, {
        pushes: pushes.map(listedPush),
        nextCursor: next ? writePushPosition(next) : null,
        searchedTo: searchedToMs === undefined ? null : instantOf(searchedToMs),
      })
    },
  )

function earlier(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined || other === undefined ? (one ?? other) : Math.min(one, other)
}

const statusMax = 599

const judgePushQuery = judgeQuery((query, problems) => ({
  supplierId: readNumber('supplierId', query, problems),
  hotelId: readNumber('hotelId', query, problems),
  status: readCount('status', query, statusMax, problems),
  ...readRange(query, problems),
  position: readPushPosition(query['cursor'], problems),
  limit: readLimit(query['limit'], pushesPerPage, problems),
}))

/** The start of the next page: before this row and this instant. */
type PushPosition = { beforeId: number | undefined; untilMs: number | undefined }
type FoundPushes = {
  pushes: LoggedPush[]
  next: PushPosition | undefined
  searchedToMs: number | undefined
}

/** Ids only increase: the newest page of a busy log is among these, and no supplier's index is read beyond them. */
const numbersAtOnce = 5_000
const firstStretchMs = 60 * 60 * 1000
const longerBy = 6
/** Days are planned and locked one by one. */
const longestStretchMs = 30 * dayMs
/** After a stretch that took longer than this, the next one is not longer. */
const quickMs = 50
const searchForMs = 1_000
/** Rows get their ids shortly before or after their instants, so the edge of a stretch must consider both. */
const edgeMs = 60_000
/** Longer than anything is stored. */
const longestMs = 2 * 366 * 24 * 60 * 60 * 1000

/**
 * Without a hotel or request id, a page is searched for among the next few thousand ids; if it is not there, the search
 * goes back in time in stretches, so that the newest pushes are found without touching earlier days. A search with few
 * matches stops after a while and reports how far it got.
 */
async function readPushPage(
  db: Queryable,
  search: PushFilters,
  limit: number,
  nowMs: number,
): Promise<FoundPushes> {
  if (search.hotelId !== undefined || search.requestId !== undefined) {
    const rows = await selectLoggedPushesBack(db, search, limit + 1)
    return pushPage(rows, limit, undefined)
  }
  const startedMs = performance.now()
  const next = await readNextNumbers(db, search, limit, nowMs)
  if (next) return next
  const endMs = Math.max(search.sinceMs ?? 0, nowMs - longestMs)
  let untilMs = search.untilMs
  let fromMs = (untilMs ?? nowMs) - firstStretchMs
  let stretchMs = firstStretchMs
  const rows: LoggedPush[] = []
  for (;;) {
    const begunMs = performance.now()
    const sinceMs = Math.max(fromMs, endMs)
    rows.push(...(await selectLoggedPushes(db, { ...search, sinceMs, untilMs }, limit + 1)))
    if (sinceMs <= endMs) return pushPage(inOrder(rows), limit, undefined)
    const oldest = inOrder(rows)[limit]
    if (oldest && oldest.atMs >= sinceMs + edgeMs) return pushPage(inOrder(rows), limit, undefined)
    if (performance.now() - startedMs > searchForMs && !oldest) return pushPage(inOrder(rows), limit, sinceMs)
    untilMs = sinceMs
    if (performance.now() - begunMs < quickMs) stretchMs = Math.min(stretchMs * longerBy, longestStretchMs)
    fromMs = sinceMs - stretchMs
  }
}

/** Undefined if there are too few for a page. */
async function readNextNumbers(
  db: Queryable,
  search: PushFilters,
  limit: number,
  nowMs: number,
): Promise<FoundPushes | undefined> {
  const { supplierId, untilMs, beforeId } = search
  // A supplier has its own index; and the ids at a given instant are unknown.
  if (supplierId !== undefined || (untilMs !== undefined && beforeId === undefined)) return undefined
  const before = beforeId ?? (await selectNextPushId(db))
  // So that only a day or two are searched.
  const sinceMs = Math.max(search.sinceMs ?? 0, (untilMs ?? nowMs) - dayMs)
  const numbers = { beforeId: before, afterId: before - numbersAtOnce, sinceMs }
  const rows = await selectLoggedPushes(db, { ...search, ...numbers }, limit + 1)
  return rows.length > limit ? pushPage(rows, limit, undefined) : undefined
}

function inOrder(pushes: readonly LoggedPush[]): LoggedPush[] {
  return pushes.toSorted((left, right) => right.pushId - left.pushId)
}

function pushPage(rows: readonly LoggedPush[], limit: number, searchedToMs: number | undefined): FoundPushes {
  const pushes = rows.slice(0, limit)
  const last = pushes.at(-1)
  if (searchedToMs !== undefined)
    return { pushes, next: { beforeId: last?.pushId, untilMs: searchedToMs + edgeMs }, searchedToMs }
  const next =
    rows.length > limit && last ? { beforeId: last.pushId, untilMs: last.atMs + edgeMs } : undefined
  return { pushes, next, searchedToMs: undefined }
}

/** Opaque to clients, so that it may change. */
function writePushPosition({ beforeId, untilMs }: PushPosition): string {
  return Buffer.from(`${beforeId ?? ''} ${untilMs === undefined ? '' : Math.ceil(untilMs)}`).toString(
    'base64url',
  )
}

function readPushPosition(text: string | undefined, problems: Problem[]): PushPosition {
  if (text === undefined) return { beforeId: undefined, untilMs: undefined }
  const position = /^(\d{0,15}) (\d{0,15})$/.exec(Buffer.from(text, 'base64url').toString('latin1'))
  if (!position) {
    problems.push(cursorProblem(text))
    return { beforeId: undefined, untilMs: undefined }
  }
  const [, id, until] = position
  return { beforeId: id ? Number(id) : undefined, untilMs: until ? Number(until) : undefined }
}

const sameRequestIdMax = 20

type ReadingNeeds = Needs & { archive: Archive }

/** GET /pushes/{pushId}. */
export const getPush = ({ db, clock, archive }: ReadingNeeds): Mounted =>
  on(pushRoutes.getPush, async ({ params }) => {
    const read = await readPush({ db, archive }, params.pushId)
    const { push, body } = read
    const text = body.encoding === 'json' ? body.bytes.toString() : undefined
    const response = readAnswer(read.answer.bytes.toString())
    const same = await selectLoggedPushesBack(
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
      changes: await readChanges({ db, archive }, push, text, clock.now()),
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
export const downloadPush = (needs: ReadingNeeds): Mounted =>
  on(pushRoutes.downloadPush, async ({ params: { pushId, part } }) => {
    const { bytes, encoding } = (await readPush(needs, pushId))[part]
    if (encoding === 'json') return { status: 200, json: bytes.toString() }
    return answer(200, { encoding, body: bytes.toString(encoding === 'base64' ? 'base64' : 'utf8') })
  })

/** GET /pushes/{pushId}/items: each item with its result, in the order sent. */
export const listPushItems = (needs: ReadingNeeds): Mounted =>
  onEveryProblem(
    pushRoutes.listPushItems,
    judgeItemQuery,
    async ({ params, query, read: { from: requestedFrom, limit } }) => {
      const { push, body, answer: answered } = await readPush(needs, params.pushId)
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

const judgeItemQuery = judgeQuery((query, problems) => ({
  from: readCount('from', query, indexMax, problems) ?? 0,
  limit: readLimit(query['limit'], itemsPerPage, problems),
}))

type ReadPush = {
  push: LoggedPush
  body: { bytes: Buffer; encoding: BodyEncoding }
  answer: { bytes: Buffer; encoding: BodyEncoding }
}

/** One push with its body and answer; throws 404 if it is not in the log, or no longer. */
async function readPush(needs: Pick<ReadingNeeds, 'db' | 'archive'>, pushId: string): Promise<ReadPush> {
  const id = readPushId(pushId)
  const push = id === undefined ? undefined : await selectOptionalPush(needs.db, id)
  const stored = push && id !== undefined && (await readPushBytes(needs, { ...push, id }))
  if (!push || !stored) throw pushNotFound(pushId)
  const { body, answer: answered } = stored
  return {
    push,
    body: { bytes: body, encoding: encodingOf(body) },
    answer: { bytes: answered, encoding: encodingOf(answered) },
  }
}

export function readPushId(text: string): number | undefined {
  return /^[1-9]\d{0,14}$/.test(text) ? Number(text) : undefined
}

export function pushNotFound(pushId: string): Rejected {
  return new Rejected(404, {
    type: 'PUSH_NOT_FOUND',
    message: 'Push not found',
    path: 'pushId',
    value: reportedValue(pushId),
    hint: 'The log keeps pushes for ARI_PUSH_LOG_DAYS days; GET /console/api/pushes lists them',
  })
}
