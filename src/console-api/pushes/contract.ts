import Type from 'typebox'
import { onConflicts, undoFields, type UndoOutcome } from '../../ari/history/undo-contract.ts'
import { queryText, consoleRoute, integer, oneOf, text, type ConstraintError } from '../../http/route.ts'
import {
  pushKinds,
  pushOutcomes,
  type PushKind,
  type PushOutcome,
  type PushProblems,
} from '../../push-log/contract.ts'

export const pushesPerPage = { max: 200, usual: 50 }
export const itemsPerPage = { max: 200, usual: 50 }
/** Longer bodies and answers are cut, with a link to the full text. */
export const shownCharactersMax = 65_536
/** The same limit for one item. */
export const itemCharactersMax = 16_384
/** Changes listed for a push; beyond it, only the number of further ones. */
export const changesShownMax = 200

export type PushListed = {
  pushId: number
  requestId: string
  at: string
  supplierId: number
  supplier: string
  kind: PushKind
  /** Null for a push of no hotel or of several. */
  hotelId: number | null
  /** As sent; there may be no such hotel. */
  hotelCode: string | null
  hotelName: string | null
  /** For a push of several hotels. */
  hotels: number
  outcome: PushOutcome
  /** Why it was not applied, or only partly. */
  problems: PushProblems | null
  status: number
  revision: number | null
  cellsChanged: number
  durationMs: number
  bodyBytes: number
  /** Null for an action of an operator. */
  keyId: number | null
  channelManager: string | null
}

/** `isCut`: only the beginning. `encoding`: text if it is not JSON, base64 if it is not text. */
export type ShownBody = { encoding: 'json' | 'text' | 'base64'; text: string; bytes: number; isCut: boolean }

export type PushProblem = ConstraintError & { path?: string; value?: unknown }

/** Nights of a room (`rateId` null) or of a room-rate that still have the values from the push. */
export type NightsOfPush = {
  roomId: string
  rateId: string | null
  from: string
  to: string
  fields: string[]
}

/** One member that differs from the previous push. */
export type ChangedMember = { member: string; before?: unknown; after?: unknown }
export type ChangedPart = {
  /** A hotel, a product, a tax scope or a URL. */
  part: string
  /** Null if no earlier push in the log includes the part. */
  comparedWith: { pushId: number; requestId: string; at: string } | null
  members: ChangedMember[]
}

export type PushChanges =
  | { kind: 'none' }
  | {
      kind: 'nights'
      hotelId: number
      nights: NightsOfPush[]
      moreNights: number
      /** Cells that still have its values; the others have changed since, or are in the past. */
      cellsHeld: number
    }
  | { kind: 'members'; parts: ChangedPart[]; moreParts: number; isUnchanged: boolean }

export const itemStatuses = [
  'applied',
  'partial',
  'rejected',
  'superseded',
  'unchanged',
  'held',
  'notApplied',
] as const
export type ItemStatus = (typeof itemStatuses)[number]

export type PushItem = {
  /** Its position in the body. */
  pointer: string
  index: number
  /** The JSON as sent. */
  text: string
  isCut: boolean
  status: ItemStatus
  cellsChanged?: number
  errors: PushProblem[]
  warnings: PushProblem[]
}

export type PushPage = {
  push: PushListed
  body: ShownBody
  answer: ShownBody
  /** The problems in the answer, with their paths; items have theirs too. */
  problems: PushProblem[]
  moreProblems: number
  /** The number of items in the body; 0 if it is not JSON. */
  items: number
  changes: PushChanges
  /** Other pushes with the same request id, newest first. */
  sameRequestId: PushListed[]
}

const pushParams = Type.Object({ pushId: text({ maxLength: 16, description: 'Number of the push' }) })

export const pushRoutes = {
  listPushes: consoleRoute<{ pushes: PushListed[]; nextCursor: string | null; searchedTo: string | null }>()({
    method: 'GET',
    path: '/pushes',
    forSuppliers: 'own',
    query: Type.Object({
      supplierId: queryText('Number of the supplier'),
      hotelId: queryText('platformHotelId'),
      kind: Type.Optional(oneOf(pushKinds)),
      outcome: Type.Optional(oneOf(pushOutcomes)),
      problem: queryText('Type of a problem, or of a warning'),
      status: queryText('HTTP status of the answer'),
      requestId: queryText('x-request-id'),
      since: queryText('At or after this: a date (UTC) or an ISO 8601 instant'),
      until: queryText('Before this instant, or on this date (UTC) or before'),
      cursor: queryText('nextCursor of the previous page'),
      limit: queryText(`1 to ${pushesPerPage.max}, ${pushesPerPage.usual} by default`),
    }),
  }),
  getPush: consoleRoute<PushPage>()({
    method: 'GET',
    path: '/pushes/{pushId}',
    forSuppliers: 'own',
    params: pushParams,
  }),
  listPushItems: consoleRoute<{
    items: PushItem[]
    total: number
    matching: number
    /** Index of the first item. */
    from: number
    nextFrom: number | null
  }>()({
    method: 'GET',
    path: '/pushes/{pushId}/items',
    forSuppliers: 'own',
    params: pushParams,
    query: Type.Object({
      from: queryText('Index of the first item, 0 by default'),
      at: Type.Optional(
        text({
          description: 'JSON Pointer into the body: returns the page that contains it',
          maxLength: 500,
        }),
      ),
      only: Type.Optional(oneOf(['failed'], { description: 'Only items with errors or warnings' })),
      limit: queryText(`1 to ${itemsPerPage.max}, ${itemsPerPage.usual} by default`),
    }),
  }),
  /** Puts back what a push of ARI replaced. */
  undoPush: consoleRoute<UndoOutcome & { code: string; message: string; requestId: string }>()({
    method: 'POST',
    path: '/pushes/{pushId}/undo',
    role: 'operator',
    params: pushParams,
    body: Type.Object({
      fields: Type.Optional(Type.Array(oneOf(undoFields), { minItems: 1, maxItems: undoFields.length })),
      dryRun: Type.Optional(Type.Boolean({ description: 'Only report what would change' })),
      onConflict: Type.Optional(oneOf(onConflicts)),
      /** Of the dry run that was looked at: a conflict that arose after it refuses the undo, whatever `onConflict` says. */
      seenRevision: Type.Optional(integer({ minimum: 0 })),
      reason: Type.Optional(text({ maxLength: 200, withoutCards: true, description: 'For the audit log' })),
    }),
  }),
  /** The body as received, or the answer as sent. */
  downloadPush: consoleRoute<unknown>()({
    method: 'GET',
    path: '/pushes/{pushId}/{part}',
    forSuppliers: 'own',
    params: Type.Object({ ...pushParams.properties, part: oneOf(['body', 'answer']) }),
  }),
}
