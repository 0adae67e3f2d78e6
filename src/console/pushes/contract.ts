import Type from 'typebox'
import { consoleRoute, oneOf, text, type ConstraintError } from '../../http/route.ts'
import {
  pushKinds,
  pushOutcomes,
  type PushKind,
  type PushOutcome,
  type PushProblems,
} from '../../push-log/contract.ts'

export const pushesPerPage = { max: 200, usual: 50 }
export const itemsPerPage = { max: 200, usual: 50 }
/** Longer bodies and answers are shown in part, with a link to the whole. */
export const shownCharactersMax = 65_536
/** The same of one item. */
export const itemCharactersMax = 16_384
/** What a push changed is told up to here; beyond it, how much more. */
export const changesShownMax = 200

export type PushListed = {
  pushId: number
  requestId: string
  at: string
  supplierId: number
  supplier: string
  kind: PushKind
  /** Null for a push of none or several. */
  hotelId: number | null
  /** As it was sent; there may be no such hotel. */
  hotelCode: string | null
  hotelName: string | null
  /** Of a push of several. */
  hotels: number
  outcome: PushOutcome
  /** Why it was not applied, or not all of it. */
  problems: PushProblems | null
  status: number
  revision: number | null
  cellsChanged: number
  durationMs: number
  bodyBytes: number
  /** Null for what an operator did. */
  keyId: number | null
  channelManager: string | null
}

/** `isCut`: only its beginning. `encoding`: text where it is no JSON, base64 where it is no text. */
export type ShownBody = { encoding: 'json' | 'text' | 'base64'; text: string; bytes: number; isCut: boolean }

export type PushProblem = ConstraintError & { path?: string; value?: unknown }

/** Nights of a room (`rateId` null) or of a room-rate that still hold what the push set. */
export type ChangedNights = {
  roomId: string
  rateId: string | null
  from: string
  to: string
  fields: string[]
}

/** One member that differs from the push before. */
export type ChangedMember = { member: string; before?: unknown; after?: unknown }
export type ChangedPart = {
  /** What it is of: a hotel, a product, a scope of taxes, a URL. */
  part: string
  /** Null where no push before it is kept that names the part. */
  comparedWith: { pushId: number; requestId: string; at: string } | null
  members: ChangedMember[]
}

export type PushChanges =
  | { kind: 'none' }
  | {
      kind: 'nights'
      hotelId: number
      nights: ChangedNights[]
      moreNights: number
      /** Cells that still hold it; the others were changed again since, or are past. */
      cellsHeld: number
    }
  | { kind: 'members'; parts: ChangedPart[]; moreParts: number; isUnchanged: boolean }

export const itemStatuses = [
  'applied',
  'partial',
  'rejected',
  'superseded',
  'unchanged',
  'notApplied',
] as const
export type ItemStatus = (typeof itemStatuses)[number]

export type PushItem = {
  /** Where it stands in the body. */
  pointer: string
  index: number
  /** The JSON as it was sent. */
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
  /** What the answer says is wrong, with where; items have theirs too. */
  problems: PushProblem[]
  moreProblems: number
  /** How many items the body has; 0 where it is no JSON. */
  items: number
  changes: PushChanges
  /** Other pushes with the same request id, newest first. */
  sameRequestId: PushListed[]
}

const queried = (description: string) => Type.Optional(text({ description, maxLength: 200 }))
const pushParams = Type.Object({ pushId: text({ maxLength: 16, description: 'Number of the push' }) })

export const pushRoutes = {
  listPushes: consoleRoute<{ pushes: PushListed[]; nextCursor: string | null; searchedTo: string | null }>()({
    method: 'GET',
    path: '/pushes',
    query: Type.Object({
      supplierId: queried('Number of the supplier'),
      hotelId: queried('platformHotelId'),
      kind: Type.Optional(oneOf(pushKinds)),
      outcome: Type.Optional(oneOf(pushOutcomes)),
      problem: queried('Type of a problem, or of a warning'),
      status: queried('HTTP status of the answer'),
      requestId: queried('x-request-id'),
      since: queried('At or after this: a date (UTC) or an ISO 8601 instant'),
      until: queried('Before this instant, or on this date (UTC) or before'),
      cursor: queried('nextCursor of the page before'),
      limit: queried(`1 to ${pushesPerPage.max}, ${pushesPerPage.usual} unless told`),
    }),
  }),
  getPush: consoleRoute<PushPage>()({ method: 'GET', path: '/pushes/{pushId}', params: pushParams }),
  listPushItems: consoleRoute<{
    items: PushItem[]
    total: number
    matching: number
    /** Index of the first. */
    from: number
    nextFrom: number | null
  }>()({
    method: 'GET',
    path: '/pushes/{pushId}/items',
    params: pushParams,
    query: Type.Object({
      from: queried('Index of the first, 0 unless told'),
      at: Type.Optional(
        text({ description: 'JSON Pointer into the body: the page that holds it', maxLength: 500 }),
      ),
      only: Type.Optional(oneOf(['failed'], { description: 'Those with errors or warnings' })),
      limit: queried(`1 to ${itemsPerPage.max}, ${itemsPerPage.usual} unless told`),
    }),
  }),
  /** The body as it was received, or the answer as it was sent. */
  downloadPush: consoleRoute<unknown>()({
    method: 'GET',
    path: '/pushes/{pushId}/{part}',
    params: Type.Object({ ...pushParams.properties, part: oneOf(['body', 'answer']) }),
  }),
}
