import { answer, onEveryProblem, type Judge, type Mounted } from '../../http/mount.ts'
import type { Needs } from '../../postgres/needs.ts'
import { readableQuery, readLimit, readSince, readUntil, refuseEmptyRange } from '../../http/query.ts'
import { rejectIfAny } from '../../http/rejected.ts'
import type { AnswerOf } from '../../http/route.ts'
import { readCount, readNumber } from '../bookings/booking-query.ts'
import { pushesPerPage, pushRoutes } from './contract.ts'
import { readPushPage, readPushPlace, writePushPlace, type PushPlace } from './pages.ts'
import { shownPush } from './shown-push.ts'

/** GET /pushes: newest first. */
export const listPushes = ({ db, clock }: Needs): Mounted =>
  onEveryProblem(
    pushRoutes.listPushes,
    judge,
    async ({ query: { kind, outcome, problem, requestId }, read }) => {
      const { limit, place, sinceMs, untilMs, ...named } = read
      const search = {
        ...named,
        kind,
        outcome,
        problem,
        requestId,
        sinceMs,
        beforeId: place.beforeId,
        untilMs: earlier(untilMs, place.untilMs),
      }
      const { pushes, next, searchedToMs } = await readPushPage(db, search, limit, clock.now())
      const said: AnswerOf<typeof pushRoutes.listPushes> = {
        pushes: pushes.map(shownPush),
        nextCursor: next ? writePushPlace(next) : null,
        searchedTo: searchedToMs === undefined ? null : new Date(searchedToMs).toISOString(),
      }
      return answer(200, said)
    },
  )

function earlier(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined || other === undefined ? (one ?? other) : Math.min(one, other)
}

type Read = {
  supplierId: number | undefined
  hotelId: number | undefined
  status: number | undefined
  sinceMs: number | undefined
  untilMs: number | undefined
  place: PushPlace
  limit: number
}

const statusMax = 599

const judge: Judge<Read> = (sent, shapeProblems) => {
  const query = readableQuery(sent, shapeProblems)
  const wrong = [...shapeProblems]
  const read = {
    supplierId: readNumber('supplierId', query, wrong),
    hotelId: readNumber('hotelId', query, wrong),
    status: readCount('status', query, statusMax, wrong),
    sinceMs: readSince('since', query['since'], wrong),
    untilMs: readUntil('until', query['until'], wrong),
    place: readPushPlace(query['cursor'], wrong),
    limit: readLimit(query['limit'], pushesPerPage, wrong),
  }
  refuseEmptyRange(read.sinceMs, read.untilMs, wrong)
  rejectIfAny(wrong)
  return read
}
