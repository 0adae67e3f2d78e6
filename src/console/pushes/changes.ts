import type { Queryable } from '../../postgres/postgres.ts'
import { isRecord } from '../../http/validate.ts'
import { unpack } from '../../push-log/compress.ts'
import type { PushKind } from '../../push-log/contract.ts'
import { changesShownMax, type ChangedMember, type ChangedPart, type PushChanges } from './contract.ts'
import { readChangedNights } from './nights.ts'
import { selectFormerPushes, type LoggedPush } from './store.ts'

/**
 * The changes of a push: nights from the blocks, which remember the revision that set each value; everything else by
 * comparing it with earlier pushes of the same kind.
 */

/** Larger bodies are not compared. */
const comparedBytesMax = 4 * 1024 * 1024
const partsShownMax = 50
const membersOfPartMax = 50
/** Deeper values are compared as a whole. */
const depthMax = 6

/** `body` is its JSON; undefined if it is not JSON. */
export async function readChanges(
  db: Queryable,
  push: LoggedPush,
  body: string | undefined,
  nowMs: number,
): Promise<PushChanges> {
  const { hotelId, revision, outcome } = push
  const hasApplied = outcome === 'applied' || outcome === 'partial'
  if (!hasApplied || body === undefined || body.length > comparedBytesMax) return { kind: 'none' }
  const sent: unknown = JSON.parse(body)
  if (push.kind === 'ari' || push.kind === 'stopSell') {
    if (hotelId === null || revision === null || push.cellsChanged === 0) return { kind: 'none' }
    return readChangedNights(db, { hotelId, revision }, sent, nowMs)
  }
  return compared(sent, push, await selectFormerPushes(db, push))
}

type Parts = Map<string, unknown>

/** The parts of a push of each kind, by name. */
const partsByKind: Readonly<Record<Exclude<PushKind, 'ari' | 'stopSell'>, (body: unknown) => Parts>> = {
  hotels: (body) => byName(body, ({ hotelId }) => codeOf(hotelId)),
  products: (body) =>
    byName(memberOf(body, 'products'), ({ roomId, rateId }) => `${codeOf(roomId)} / ${codeOf(rateId)}`),
  taxes: (body) => {
    const parts = byName(
      memberOf(body, 'products'),
      ({ roomId, rateId }) => `${codeOf(roomId)} / ${codeOf(rateId)}`,
    )
    const own = memberOf(body, 'taxes')
    return own === undefined ? parts : new Map([['taxes', own], ...parts])
  },
  availabilityWebhook: (body) => new Map([['webhook', body]]),
  pushbookWebhook: (body) => new Map([['webhook', body]]),
}

/** In a tax scope, an absent room or rate means any. */
function codeOf(code: unknown): string {
  return typeof code === 'string' ? code : '*'
}

function memberOf(body: unknown, member: string): unknown {
  return isRecord(body) ? body[member] : undefined
}

function byName(list: unknown, nameOf: (element: Record<string, unknown>) => string): Parts {
  const elements: readonly unknown[] = Array.isArray(list) ? list : []
  return new Map(elements.filter(isRecord).map((element) => [nameOf(element), element]))
}

function compared(
  sent: unknown,
  push: LoggedPush,
  formerPushes: Awaited<ReturnType<typeof selectFormerPushes>>,
): PushChanges {
  const { kind } = push
  if (kind === 'ari' || kind === 'stopSell') return { kind: 'none' }
  const partsOf = partsByKind[kind]
  const formers = formerPushes.map(({ pushId, requestId, at, bodyEncoding, body }) => ({
    comparedWith: { pushId, requestId, at },
    parts: partsOf(body ? JSON.parse(unpack(bodyEncoding, body).toString()) : undefined),
  }))
  const changed = [...partsOf(sent)].flatMap(([part, after]): ChangedPart[] => {
    const former = formers.find(({ parts }) => parts.has(part))
    const members = differences(former?.parts.get(part), after)
    return members.length === 0 ? [] : [{ part, comparedWith: former?.comparedWith ?? null, members }]
  })
  const shown = changed.slice(0, partsShownMax)
  return {
    kind: 'members',
    parts: shown.map((part) => ({ ...part, members: part.members.slice(0, membersOfPartMax) })),
    moreParts: changed.length - shown.length,
    isUnchanged: changed.length === 0,
  }
}

function differences(before: unknown, after: unknown): ChangedMember[] {
  const [left, right] = [leaves(before), leaves(after)]
  const members = [...new Set([...left.keys(), ...right.keys()])]
  return members
    .filter((member) => JSON.stringify(left.get(member)) !== JSON.stringify(right.get(member)))
    .slice(0, changesShownMax)
    .map((member) => ({
      member,
      ...(left.has(member) ? { before: left.get(member) } : {}),
      ...(right.has(member) ? { after: right.get(member) } : {}),
    }))
}

/** Every scalar value, by its path. */
function leaves(
  value: unknown,
  at = '',
  depth = 0,
  found = new Map<string, unknown>(),
): Map<string, unknown> {
  const isParent = (isRecord(value) || Array.isArray(value)) && depth < depthMax
  const children = isParent ? Object.entries(value) : []
  if (children.length > 0) {
    for (const [name, child] of children) leaves(child, at === '' ? name : `${at}.${name}`, depth + 1, found)
  } else if (value !== undefined) found.set(at, value)
  return found
}
