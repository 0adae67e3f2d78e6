import { hash } from 'node:crypto'
import { parseNight } from '../../base/calendar.ts'
import { answer, on, onEveryProblem } from '../../http/calls/mount.ts'
import { cursorProblem } from '../../http/calls/query.ts'
import { problemAt, rejectIfAny, type Problem } from '../../http/rejected.ts'
import { wellFormedPart } from '../../http/validation/validate.ts'
import { readTransaction } from '../../postgres/transaction.ts'
import { isIn } from '../blocks/block-range.ts'
import type { CatalogNeeds } from '../catalog/catalog.ts'
import type { ChangeBack } from './changes-back.ts'
import {
  changesPerPage,
  historyRoutes,
  momentsReversed,
  type ListedChange,
  type MomentBody,
} from './history-contract.ts'
import {
  momentOf,
  momentProblems,
  pastBlocks,
  putBack,
  refuseAhead,
  walkBackTo,
  type Moment,
} from './history.ts'
import { itemErrors } from '../item-contract.ts'
import { readPresent, type Present } from './read-present.ts'
import { historyFieldOf, listedChange, replacedBy, type Nights, type Replaced } from './replaced-values.ts'
import { namesOf } from '../catalog/row-names.ts'

/** POST /push/getAriDiff: the changes between two states. */
export const getAriDiff = (needs: CatalogNeeds) =>
  onEveryProblem(
    historyRoutes.getAriDiff,
    (sent, shapeProblems) => rejectIfAny([...shapeProblems, ...diffProblems(sent, shapeProblems)]),
    async ({ body, caller: { supplierId } }) =>
      readTransaction(needs.db, async (connection) => {
        const from = parseNight(body.startDate ?? '') ?? 0
        const to = parseNight(body.endDate ?? '')
        const nights = { from, to: to ?? Number.MAX_SAFE_INTEGER }
        const read = await readPresent(
          connection,
          needs,
          { supplierId, hotelCode: body.hotelId },
          { rows: body, from, to, isHistory: true },
        )
        const { catalog, hotel } = read
        const until = body.to && momentOf(body.to)
        refuseAhead(hotel, until?.revision, '/to/revision')
        const listing = pageFrom(body, read, nights)
        await walkBackTo(connection, hotel, momentOf(body.from), {
          path: '/from',
          visit: (change) => (isAfter(change, until) ? listing.pass(change) : listing.list(change)),
        })
        return answer(200, {
          code: '200',
          message: 'Changes retrieved successfully',
          hotelId: body.hotelId,
          revision: hotel.revision,
          currency: catalog.currency,
          changes: listing.changes,
          nextCursor: listing.nextCursor(),
        })
      }),
  )

/** POST /push/getCellHistory: the changes of one night of a room or room-rate. */
export const getCellHistory = (needs: CatalogNeeds) =>
  on(historyRoutes.getCellHistory, async ({ body, caller: { supplierId } }) =>
    readTransaction(needs.db, async (connection) => {
      const night = parseNight(body.date) ?? 0
      const nights = { from: night, to: night }
      rejectIfAny(cursorProblems(body))
      const rows = {
        roomIds: [body.roomId],
        ...(body.rateId === undefined ? {} : { rateIds: [body.rateId] }),
      }
      const read = await readPresent(
        connection,
        needs,
        { supplierId, hotelCode: body.hotelId },
        { rows, ...nights, isHistory: true },
      )
      const { catalog, hotel } = read
      const ofRoom = body.rateId === undefined
      const listing = pageFrom(
        body,
        read,
        nights,
        ({ rateNo, field }) =>
          (rateNo === 0) === ofRoom && (body.field === undefined || historyFieldOf(field) === body.field),
      )
      const oldest = await walkBackTo(
        connection,
        hotel,
        { revision: hotel.currencyRevision },
        { path: '', visit: (change) => listing.list(change), endsAtOldest: true },
      )
      const nextCursor = listing.nextCursor()
      return answer(200, {
        code: '200',
        message: 'History retrieved successfully',
        hotelId: body.hotelId,
        revision: hotel.revision,
        currency: catalog.currency,
        changes: listing.changes.map(
          ({ roomId: _room, rateId: _rate, startDate: _start, endDate: _end, ...rest }) => rest,
        ),
        oldestRevision: nextCursor === null ? Math.max(oldest, hotel.currencyRevision) : null,
        nextCursor,
      })
    }),
  )

/** Collects a page of changes, newest first. */
function pageFrom(
  body: { limit?: number; cursor?: string },
  { catalog, hotel: { id: hotelId }, range, blocks }: Present,
  nights: Nights,
  isListed: (replaced: Replaced) => boolean = () => true,
) {
  const names = namesOf(catalog)
  const past = pastBlocks(blocks, isIn(range))
  const { limit = changesPerPage.usual } = body
  const from = readCursor(body)
  const changes: ListedChange[] = []
  let next: string | null = null
  const pass = (change: ChangeBack): 'go on' => {
    putBack(past, hotelId, change)
    return 'go on'
  }
  const list = (change: ChangeBack): 'go on' | 'stop' => {
    if (from && change.revision > from.revision) return pass(change)
    const all = replacedBy(past, hotelId, change, nights).filter(isListed)
    const skipped = change.revision === from?.revision ? from.skipped : 0
    for (const [index, replaced] of all.entries()) {
      if (index < skipped) continue
      if (changes.length === limit) {
        next = writeCursor(body, change.revision, index)
        return 'stop'
      }
      changes.push(listedChange(change, replaced, names))
    }
    return pass(change)
  }
  return { changes, pass, list, nextCursor: (): string | null => next }
}

type Paged = { limit?: number; cursor?: string }

/** Opaque to callers, so that the format can change. */
function writeCursor(body: Paged, revision: number, skipped: number): string {
  return Buffer.from(`before ${revision} ${skipped} ${listOf(body)}`).toString('base64url')
}

function readCursor({ cursor = '', ...body }: Paged): { revision: number; skipped: number } | undefined {
  const [, revision, skipped, list] =
    /^before (\d{1,15}) (\d{1,9}) (.+)$/.exec(Buffer.from(cursor, 'base64url').toString('latin1')) ?? []
  if (revision === undefined || list !== listOf(body)) return undefined
  return { revision: Number(revision), skipped: Number(skipped) }
}

/** Names the list: a cursor that was made for another hotel or other filters would skip changes unnoticed. */
function listOf({ limit: _limit, cursor: _cursor, ...names }: Paged): string {
  const inOrder = Object.entries(names).sort(([one], [other]) => (one < other ? -1 : 1))
  return hash('sha256', JSON.stringify(inOrder)).slice(0, 12)
}

function cursorProblems(body: Paged): Problem[] {
  const { cursor } = body
  return cursor === undefined || readCursor(body) ? [] : [{ ...cursorProblem(cursor), path: '/cursor' }]
}

type DiffBody = { from?: MomentBody; to?: MomentBody; startDate?: string; endDate?: string; cursor?: string }

function diffProblems(sent: unknown, shapeProblems: readonly Problem[]): Problem[] {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- The boundary: what has not this shape is left out.
  const body = (shapeProblems.length === 0 ? sent : (wellFormedPart(sent, shapeProblems) ?? {})) as DiffBody
  const { from, to, startDate, endDate } = body
  const problems = [
    ...momentProblems(from, '/from', shapeProblems),
    ...momentProblems(to, '/to', shapeProblems),
    ...(shapeProblems.length > 0 ? [] : cursorProblems(body)),
  ]
  if (startDate !== undefined && endDate !== undefined && startDate > endDate)
    problems.push(problemAt(itemErrors.datesReversed, '/startDate', startDate))
  if (problems.length === 0 && from && to && isReversed(momentOf(from), momentOf(to)))
    problems.push({ ...momentsReversed, path: '/from' })
  return problems
}

/** A revision and a time can't be compared: between them there may just be nothing. */
function isReversed(from: Moment, to: Moment): boolean {
  if (from.revision !== undefined) return to.revision !== undefined && from.revision > to.revision
  return to.timeMs !== undefined && from.timeMs > to.timeMs
}

function isAfter({ revision, atMs }: ChangeBack, to: Moment | undefined): boolean {
  if (!to) return false
  return to.revision === undefined ? atMs > to.timeMs : revision > to.revision
}
