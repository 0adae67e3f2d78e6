import { dayMs, instantOf } from '../../base/calendar.ts'
import { answer, onEveryProblem, type Mounted, on } from '../../http/calls/mount.ts'
import type { Needs, Queryable } from '../../postgres/postgres.ts'
import { readLimit, cursorProblem, judgeQuery, readRange } from '../../http/calls/query.ts'
import { type Problem, Rejected, reportedValue } from '../../http/rejected.ts'
import { readCount, readNumber } from '../list-query.ts'
import { pushesPerPage, pushRoutes, itemsPerPage } from './contract.ts'
import {
  listedPush,
  selectLoggedPushes,
  selectLoggedPushesBack,
  selectNextPushId,
  type LoggedPush,
  selectOptionalPush,
} from './store.ts'
import type { PushFilters } from '../../push-log/conditions.ts'
import { readChanges } from './changes.ts'
import { readEncodings } from '../../push-log/bodies/stored-bytes.ts'
import { readPushItems, readShownPush } from './shown-push.ts'
import type { Archive } from '../../push-log/bodies/archive.ts'
import { workOn } from '../../push-log/bodies/body-work.ts'
import { readPushBytes, type PushBytes } from '../../push-log/bodies/bodies.ts'

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
    const { push, body, answer: answered } = await readPush({ db, archive }, params.pushId)
    const shown = await workOn(readShownPush, push.supplierId, [body, answered], push.kind)
    const same = await selectLoggedPushesBack(
      db,
      { supplierId: push.supplierId, requestId: push.requestId },
      sameRequestIdMax + 1,
    )
    const json = shown.body.encoding === 'json' ? body : undefined
    return answer(200, {
      push: listedPush(push),
      ...shown,
      changes: await readChanges({ db, archive }, push, json, clock.now()),
      sameRequestId: same.filter(({ pushId }) => pushId !== push.pushId).map(listedPush),
    })
  })

/** GET /pushes/{pushId}/body and …/answer: the whole of it, byte for byte; what is no text, in base64. */
export const downloadPush = (needs: ReadingNeeds): Mounted =>
  on(pushRoutes.downloadPush, async ({ params: { pushId, part } }) => {
    const read = await readPush(needs, pushId)
    const bytes = read[part]
    const [encoding = 'base64'] = await workOn(readEncodings, read.push.supplierId, [bytes], undefined)
    if (encoding === 'json') return { status: 200, bytes }
    return answer(200, { encoding, body: bytes.toString(encoding === 'base64' ? 'base64' : 'utf8') })
  })

/** GET /pushes/{pushId}/items: each item with its result, in the order sent. */
export const listPushItems = (needs: ReadingNeeds): Mounted =>
  onEveryProblem(
    pushRoutes.listPushItems,
    judgeItemQuery,
    async ({ params, query: { only, at }, read: { from, limit } }) => {
      const { push, body, answer: answered } = await readPush(needs, params.pushId)
      const { kind, outcome, supplierId } = push
      const asked = { kind, outcome, isFailedOnly: only === 'failed', at, from, limit }
      return answer(200, await workOn(readPushItems, supplierId, [body, answered], asked))
    },
  )

const indexMax = 999_999_999

const judgeItemQuery = judgeQuery((query, problems) => ({
  from: readCount('from', query, indexMax, problems) ?? 0,
  limit: readLimit(query['limit'], itemsPerPage, problems),
}))

type ReadPush = PushBytes & { push: LoggedPush }

/** One push with its body and answer; throws 404 if it is not in the log, or no longer. */
async function readPush(needs: Pick<ReadingNeeds, 'db' | 'archive'>, pushId: string): Promise<ReadPush> {
  const id = readPushId(pushId)
  const push = id === undefined ? undefined : await selectOptionalPush(needs.db, id)
  const stored = push && id !== undefined && (await readPushBytes(needs, { ...push, id }))
  if (!push || !stored) throw pushNotFound(pushId)
  return { push, ...stored }
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
