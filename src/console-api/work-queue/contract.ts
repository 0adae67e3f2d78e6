import Type from 'typebox'
import type { Severity } from '../../alerts/contract.ts'
import type { Evidence, FindingKind } from '../../findings/contract.ts'
import { consoleRoute, oneOf, text } from '../../http/route.ts'

/** The work queue: everything that somebody should do something about, and who has it. */

export const workLimits = {
  /** Of each source; the answer says if there are more. */
  ofSource: 200,
  /** The newest refused pushes of a supplier in the last day, which are grouped by error. */
  refusedRead: 5_000,
  refusedHours: 24,
  /** Fewer refused pushes of a supplier are not yet work. */
  refusedMin: 3,
  /** Hotels of a supplier that never got ARI, the oldest first; it says no larger number of them. */
  neverPushedRead: 1_000,
  noteCharacters: 500,
  snoozeDays: 30,
  /** What people did is forgotten after this time without a change. */
  keptDays: 90,
} as const

/**
 * Alerts by their kind. `push.error`: refused pushes of a supplier, with all their errors. `hotel.neverPushed`: hotels of a
 * supplier on sale without any ARI. `sales.stopped`: a stop-sell of an operator.
 */
export type WorkKind = FindingKind | 'push.error' | 'hotel.neverPushed' | 'sales.stopped'

export type WorkDone = {
  takenBy: string | null
  takenAt: string | null
  note: { text: string; by: string; at: string } | null
  snoozedUntil: string | null
  doneAt: string | null
  doneBy: string | null
}

/** One error of a supplier's refused pushes; a push may have several. */
export type RefusedError = {
  type: string
  pushes: number
  hotels: number
  /** Of one of the pushes; null: it was the first error of none. */
  message: string | null
  /** The newest ones. */
  requestIds: string[]
}

export type WorkItem = {
  /** Names it in a change. */
  key: string
  kind: WorkKind
  severity: Severity
  supplierId: number
  supplier: string
  /** Null: it concerns several hotels, or the account. */
  hotelId: number | null
  hotelName: string | null
  /** How many of it there are: reservations, pushes, hotels. */
  count: number
  since: string
  /** Tells alerts of one kind and hotel apart; the reason of a stop-sell. */
  subject: string
  /** Of refused pushes, the most frequent first; otherwise empty. */
  errors: RefusedError[]
  evidence: Evidence
} & WorkDone

export const workViews = ['open', 'snoozed', 'done'] as const
export type WorkView = (typeof workViews)[number]

export const workActions = ['take', 'release', 'note', 'snooze', 'done', 'reopen'] as const

export const workRoutes = {
  listWork: consoleRoute<{ items: WorkItem[]; counts: Record<WorkView, number>; isMore: boolean }>()({
    method: 'GET',
    path: '/work',
    query: Type.Object({ view: Type.Optional(oneOf(workViews)) }),
  }),
  changeWork: consoleRoute<{ state: WorkDone }>()({
    method: 'POST',
    path: '/work',
    role: 'operator',
    body: Type.Object({
      key: text({ maxLength: 200 }),
      action: oneOf(workActions),
      note: Type.Optional(
        text({
          maxLength: workLimits.noteCharacters,
          withoutCards: true,
          description: 'With `note`: takes the place of the last one',
        }),
      ),
      until: Type.Optional(text({ maxLength: 40, description: 'With `snooze`: an ISO 8601 instant' })),
      hadBy: Type.Optional(
        text({ maxLength: 200, description: 'With `take`: who has it, to take it over from them' }),
      ),
    }),
  }),
}
