import {
  problemsListedMax,
  Rejected,
  rejectedBody,
  type Problem,
  type RejectedStatus,
} from '../../http/rejected.ts'
import type { Push } from '../../http/calls/call.ts'
import { answer } from '../../http/calls/mount.ts'
import { warningMembers, type Warnings } from '../../http/calls/warnings.ts'
import { type Kept, type PushRecord, inShort } from '../../push-log/keep/keep.ts'
import { plainAnswer } from '../../push-log/bodies/plain-answer.ts'
import type { Applied, ItemResult } from './apply.ts'
import type { ItemStatus } from '../contract.ts'
import { guardRejected } from '../guard/contract.ts'
import { planErrors } from '../impact/contract.ts'
import { type Plan, type ReadyPush, problemsIn } from '../judge/plan.ts'
import { readingsOf, type Readings } from '../judge/readings.ts'

/** The answer to a push and its push log entry. `revision` is the hotel's revision after the push. */
export function answerPush(ready: ReadyPush, { results, impact }: Applied, revision: number): PushRecord {
  const { body, catalog, plan, push } = ready
  const itemResults = results.length > 0 ? results : refusedResults(ready)
  const cellsChanged = itemResults.reduce((sum, result) => sum + result.cellsChanged, 0)
  const summary = { items: itemResults.length, ...countStatuses(itemResults), cellsChanged }
  const { results: listed, moreErrors, moreWarnings } = listedInAll(itemResults, push.warnings)
  // What the guard rejects is answered with 207: the sequences of its nights are recorded.
  const refused =
    plan.refused.length > 0 ||
    (itemResults.length > 0 && summary.rejected === itemResults.length && !itemResults.some(isByGuard))
  const kept = {
    hotelId: catalog.hotelId,
    hotelCode: catalog.hotelCode,
    revision,
    cellsChanged: body.dryRun ? 0 : cellsChanged,
    warnings: warningsOf(push, itemResults),
  }
  const dryRun = body.dryRun === true ? { dryRun: true } : {}
  if (refused) {
    const refusal = refusalOf(plan, {
      hotelId: catalog.hotelCode,
      revision,
      ...dryRun,
      summary,
      results: listed,
    })
    const problems = inShort(refusal.problems, refusal.unlisted)
    return {
      push,
      kept: { ...kept, outcome: body.dryRun ? 'dryRun' : 'rejected', problems },
      answer: answer(refusal.status, {
        ...rejectedBody(refusal, push.requestId),
        ...warningMembers(push.warnings),
      }),
    }
  }
  const partial = summary.rejected + summary.partial + (summary.held ?? 0) > 0
  const words = partial
    ? { code: '207', message: 'ARI partially updated' }
    : { code: '200', message: 'ARI updated successfully' }
  const outcome = body.dryRun ? 'dryRun' : partial ? 'partial' : cellsChanged > 0 ? 'applied' : 'unchanged'
  const read = echoes(ready) ? readingsOf(body.ari, plan.items, catalog) : undefined
  const cellsByItem = read || impact ? undefined : plainCells(ready, itemResults)
  if (cellsByItem) {
    const plain = { hotelCode: catalog.hotelCode, revision, requestId: push.requestId, cellsByItem }
    return {
      push,
      kept: { ...kept, outcome, cellsByItem },
      answer: { status: 200, json: plainAnswer(plain) },
    }
  }
  const accepted = {
    ...words,
    hotelId: catalog.hotelCode,
    revision,
    requestId: push.requestId,
    ...dryRun,
    summary,
    results: read ? withReadings(listed, read) : listed,
    ...(moreErrors > 0 ? { moreErrors } : {}),
    ...warningMembers(push.warnings),
    ...(moreWarnings > 0 ? { moreWarnings } : {}),
    ...(read && read.unlisted > 0 ? { moreReadings: read.unlisted } : {}),
    ...(impact ? { impact } : {}),
  }
  const problems = partial ? problemsOf(itemResults) : undefined
  const answered = answer(partial ? 207 : 200, accepted)
  return { push, kept: { ...kept, outcome, problems }, answer: { ...answered, has: push.warnings } }
}

/** Whether the push, or else its key, asks for readings. */
function echoes({ body, push }: ReadyPush): boolean {
  return body.echo ?? push.caller.echo
}

function withReadings(results: readonly ItemResult[], { byItem }: Readings): ItemResult[] {
  return results.map((result) => {
    const readings = byItem.get(result.index)
    return readings ? { ...result, readings } : result
  })
}

/** The number of cells that each item changed, if nothing else distinguishes the answer. */
function plainCells({ body, push }: ReadyPush, results: readonly ItemResult[]): number[] | undefined {
  if (body.dryRun || push.warnings.listed.length > 0 || results.length === 0) return undefined
  return results.every(isPlain) ? results.map(({ cellsChanged }) => cellsChanged) : undefined
}

function isPlain({ status, warnings, errors }: ItemResult): boolean {
  return (status === 'applied' || status === 'unchanged') && warnings === undefined && errors === undefined
}

/** The request's own warnings, then the warnings of its items. */
function warningsOf({ warnings }: Push, results: readonly ItemResult[]): Kept['warnings'] {
  const ofItems = results.flatMap(({ warnings: own = [] }) => own)
  return inShort([...warnings.listed, ...ofItems], warnings.unlisted)
}

function problemsOf(results: readonly ItemResult[]): Kept['problems'] {
  const unlisted = results.reduce((sum, { moreErrors = 0 }) => sum + moreErrors, 0)
  return inShort(
    results.flatMap(({ errors = [] }) => errors),
    unlisted,
  )
}

/**
 * The results with as many errors and warnings as one answer lists, including those of the request; the rest
 * are only counted. An item for which newer values were kept always says so, even beyond that limit.
 */
function listedInAll(all: readonly ItemResult[], ofRequest: Warnings) {
  let room = problemsListedMax
  let warningRoom = problemsListedMax - ofRequest.listed.length
  let moreErrors = 0
  let moreWarnings = ofRequest.unlisted
  const isListed = ({ type }: Problem): boolean => {
    if (type === 'SUPERSEDED' || warningRoom-- > 0) return true
    moreWarnings++
    return false
  }
  const results = all.map(({ warnings, ...rest }): ItemResult => {
    const kept = warnings?.filter(isListed) ?? []
    return kept.length === 0 ? rest : { ...rest, warnings: kept }
  })
  const listed = results.map((result): ItemResult => {
    const { errors = [], moreErrors: unlisted = 0, ...rest } = result
    const shown = errors.slice(0, room)
    room -= shown.length
    const more = errors.length - shown.length + unlisted
    if (more === 0) return result
    moreErrors += more
    return { ...rest, ...(shown.length > 0 ? { errors: shown } : {}), moreErrors: more }
  })
  return { results: listed, moreErrors, moreWarnings }
}

/** `held` only where something is held: hotels without a guard have the answers that they always had. */
function countStatuses(
  results: readonly ItemResult[],
): Record<Exclude<ItemStatus, 'held'>, number> & { held?: number } {
  const counts: Record<ItemStatus, number> = {
    applied: 0,
    partial: 0,
    rejected: 0,
    superseded: 0,
    unchanged: 0,
    held: 0,
  }
  for (const { status } of results) counts[status]++
  const { held, ...others } = counts
  return held > 0 ? counts : others
}

function isByGuard({ errors }: ItemResult): boolean {
  return errors?.some(({ type }) => type === guardRejected.type) === true
}

/** The results of a push that was refused as a whole: one for every item. */
function refusedResults({ plan }: ReadyPush): ItemResult[] {
  return plan.items.map((item, index) => ({
    index,
    status: 'rejected',
    cellsChanged: 0,
    errors: problemsIn(item) > 0 ? item.problems : [refusedWithOthers(plan.refused.length > 0, index)],
    ...(item.unlisted > 0 ? { moreErrors: item.unlisted } : {}),
  }))
}

function refusedWithOthers(asWhole: boolean, index: number): Problem {
  return {
    type: 'NOT_APPLIED',
    message: asWhole
      ? 'Not applied: the push was refused as a whole'
      : 'Not applied: the push is atomic and another item was rejected',
    path: `/ari/${index}`,
    hint: asWhole ? 'See errors' : 'Fix the other items, or send atomic false',
  }
}

/**
 * Status 404 when every cause is an unknown room or rate, 409 for a stale plan, otherwise 400. The body has the
 * members of a success too.
 */
function refusalOf({ refused, items }: Plan, extra: Record<string, unknown>): Rejected {
  const [first, ...rest] = [...refused, ...items.flatMap(({ problems }) => problems)]
  if (!first) throw new Error('a push was refused without a reason')
  const unlisted = items.reduce((sum, item) => sum + item.unlisted, 0)
  const isRuleBroken = refused.length > 0 || items.some(({ breaksRule }) => breaksRule)
  const isStale = first.type === planErrors.stale.type
  const status: RejectedStatus = isStale ? 409 : isRuleBroken ? 400 : 404
  return new Rejected(status, [first, ...rest], { unlisted, extra })
}
