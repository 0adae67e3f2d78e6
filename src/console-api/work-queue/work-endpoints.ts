import { parseAlertId } from '../../alerts/render-alert.ts'
import { acknowledge } from '../../alerts/store.ts'
import { dayMs, instantOf, optionalInstant } from '../../base/calendar.ts'
import type { Operator } from '../../http/calls/call.ts'
import { answer, on, type Mounted } from '../../http/calls/mount.ts'
import { Rejected, reportedValue } from '../../http/rejected.ts'
import type { BodyOf } from '../../http/route.ts'
import { audit } from '../../operators/accounts/audit.ts'
import { Memory } from '../../postgres/memory.ts'
import type { Needs, Queryable } from '../../postgres/postgres.ts'
import { transaction } from '../../postgres/transaction.ts'
import { readInstant } from '../suppliers/rules.ts'
import { workLimits, workRoutes, type WorkDone, type WorkView } from './contract.ts'
import { selectRefusedWork } from './refused-pushes.ts'
import {
  lockWorkState,
  selectAlertWork,
  selectNeverPushedWork,
  selectStoppedWork,
  selectWorkStates,
  untouched,
  weightOf,
  writeWorkState,
  type Work,
  type WorkState,
} from './store.ts'

/** However many people look, the push log is read once in this time, and again when the service's clock was moved. */
const trustedMs = 5_000

/** GET /work: the worst first, and of equals the oldest. */
export const listWork = ({ db, clock }: Needs): Mounted => {
  const remembered = new Memory<Work[]>(db.epoch, { trustedMs, entriesMax: 1 })
  return on(workRoutes.listWork, async ({ query: { view = 'open' } }) => {
    const nowMs = clock.now()
    const slot = String(Math.floor(nowMs / trustedMs))
    const refused = remembered.get(slot, () => selectRefusedWork(db, nowMs))
    const { all, isMore } = await selectWork(db, nowMs, refused)
    const states = await selectWorkStates(
      db,
      all.map(({ key }) => key),
    )
    const counts = { open: 0, snoozed: 0, done: 0 }
    const items = all.flatMap((work) => {
      const state = states.get(work.key) ?? untouched
      const ownView = viewOf(work, state, nowMs)
      counts[ownView]++
      if (ownView !== view) return []
      return { ...withoutNewest(work), ...doneOf(state) }
    })
    return answer(200, { items, counts, isMore })
  })
}

function withoutNewest({ newestMs: _newest, ...shown }: Work): Omit<Work, 'newestMs'> {
  return shown
}

async function selectWork(
  db: Queryable,
  nowMs: number,
  refusedWork: Promise<Work[]>,
): Promise<{ all: Work[]; isMore: boolean }> {
  const [alerts, refused, never, stopped] = await Promise.all([
    selectAlertWork(db),
    refusedWork,
    selectNeverPushedWork(db),
    selectStoppedWork(db, nowMs),
  ])
  // Errors say more than the alert about the same pushes.
  const refusing = new Set(refused.map(({ supplierId }) => supplierId))
  const others = alerts.filter(({ kind, supplierId }) => kind !== 'push.refused' || !refusing.has(supplierId))
  const sources = [others, refused, never, stopped]
  return {
    all: sources
      .flatMap((source) => source.slice(0, workLimits.ofSource))
      .sort((left, right) => weightOf(left) - weightOf(right) || left.since.localeCompare(right.since)),
    isMore: sources.some((source) => source.length > workLimits.ofSource),
  }
}

/** What is done comes back when there is more of it, or when it happens anew. */
function viewOf({ count, newestMs }: Work, state: WorkState, nowMs: number): WorkView {
  const { doneAtMs, doneCount, snoozedUntilMs } = state
  if (doneAtMs !== null && newestMs <= doneAtMs && count <= (doneCount ?? 0)) return 'done'
  return snoozedUntilMs !== null && snoozedUntilMs > nowMs ? 'snoozed' : 'open'
}

function doneOf(state: WorkState): WorkDone {
  const { takenBy, takenAtMs, note, noteBy, noteAtMs, snoozedUntilMs, doneAtMs, doneBy } = state
  return {
    takenBy,
    takenAt: optionalInstant(takenAtMs),
    note: note === null ? null : { text: note, by: noteBy ?? '', at: instantOf(noteAtMs ?? 0) },
    snoozedUntil: optionalInstant(snoozedUntilMs),
    doneAt: optionalInstant(doneAtMs),
    doneBy,
  }
}

type Change = BodyOf<typeof workRoutes.changeWork>

/** POST /work. */
export const changeWork = ({ db, clock }: Needs): Mounted =>
  on(workRoutes.changeWork, async ({ body, operator, requestId }) => {
    const nowMs = clock.now()
    const { key, action, note, until } = body
    const { all } = await selectWork(db, nowMs, selectRefusedWork(db, nowMs))
    const work = all.find((one) => one.key === key)
    if (!work) throw new Rejected(404, { ...workNotFound, path: '/key', value: reportedValue(key) })
    const state = await transaction(db, async (connection) => {
      const before = await lockWorkState(connection, key, nowMs)
      const after = changed(before, body, { work, operator, nowMs })
      await writeWorkState(connection, key, after, nowMs)
      // Whoever is told of alerts need not be told of this one again.
      const alertId = parseAlertId(key)
      if (action === 'done' && alertId !== undefined) {
        const { supplierId } = work
        await acknowledge(connection, { ids: [alertId], supplierId, by: operator.name, nowMs })
      }
      await audit(connection, {
        operator,
        requestId,
        action: `work.${action}`,
        subject: `${work.kind} of supplier ${work.supplierId} (${key})`,
        after: {
          ...(action === 'note' ? { note } : {}),
          ...(action === 'snooze' ? { until } : {}),
          ...(action === 'take' && before.takenBy !== null ? { takenOverFrom: before.takenBy } : {}),
        },
      })
      return after
    })
    return answer(200, { state: doneOf(state) })
  })

type By = { work: Work; operator: Operator; nowMs: number }

function changed(before: WorkState, change: Change, { work, operator: { name }, nowMs }: By): WorkState {
  switch (change.action) {
    case 'take':
      rejectIfAnothers(before, name, change)
      return { ...before, takenBy: name, takenAtMs: nowMs }
    case 'release':
      rejectIfAnothers(before, name, change)
      return { ...before, takenBy: null, takenAtMs: null }
    case 'note':
      return { ...before, note: noteOf(change), noteBy: name, noteAtMs: nowMs }
    case 'snooze':
      return { ...before, snoozedUntilMs: untilOf(change, nowMs) }
    case 'done':
      return { ...before, snoozedUntilMs: null, doneAtMs: nowMs, doneBy: name, doneCount: work.count }
    case 'reopen':
      return { ...before, snoozedUntilMs: null, doneAtMs: null, doneBy: null, doneCount: null }
  }
}

/** Of two who take it at once, one is told. */
function rejectIfAnothers({ takenBy }: WorkState, name: string, { hadBy }: Change): void {
  if (takenBy === null || takenBy === name || takenBy === hadBy) return
  throw new Rejected(409, { ...takenByAnother, message: `${takenBy} is working on it` })
}

function noteOf({ note }: Change): string {
  if (note === undefined) throw new Rejected(400, { ...noteMissing, path: '/note' })
  return note
}

function untilOf({ until }: Change, nowMs: number): number {
  const untilMs = until === undefined ? nowMs : readInstant('until', until)
  if (untilMs > nowMs && untilMs <= nowMs + workLimits.snoozeDays * dayMs) return untilMs
  throw new Rejected(400, { ...untilWrong, path: '/until', value: until })
}

const workNotFound = {
  type: 'WORK_NOT_FOUND',
  message: 'This is no longer in the work queue',
  hint: 'Its cause is gone: reload the list',
} as const
const takenByAnother = {
  type: 'TAKEN_BY_ANOTHER',
  hint: 'Send hadBy with this name to take it over',
} as const
const noteMissing = { type: 'NOTE_REQUIRED', message: 'note is required' } as const
const untilWrong = {
  type: 'UNTIL_OUT_OF_RANGE',
  message: `until must be in the future, at most ${workLimits.snoozeDays} days ahead`,
} as const
