import { monthOf, parseNight, type MonthNumber } from '../../base/calendar.ts'
import { isRecord } from '../../http/validation/validate.ts'
import type { BodyWork } from '../../push-log/bodies/body-work.ts'
import type { PushKind } from '../../push-log/contract.ts'
import { shortValue } from '../short-value.ts'
import { changesShownMax, type ChangedMember, type ChangedPart, type PushChanges } from './contract.ts'
import type { FormerPush } from './former-pushes.ts'

/** What bodies of pushes say about their changes, without the store. */

const partsShownMax = 50
const membersOfPartMax = 50
/** Deeper values are compared as a whole. */
const depthMax = 6

/** Pushes that change nights of rooms and rates. */
const kindsOfNights = ['ari', 'stopSell', 'undo', 'release'] as const
type KindOfNights = (typeof kindsOfNights)[number]

export function isOfNights(kind: PushKind): kind is KindOfNights {
  return kindsOfNights.some((one) => one === kind)
}

type Parts = Map<string, unknown>

/** The parts of a push of each kind, by name. */
const partsByKind: Readonly<Record<Exclude<PushKind, KindOfNights>, (body: unknown) => Parts>> = {
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

type ComparedPush = { kind: Exclude<PushKind, KindOfNights>; formers: Omit<FormerPush, 'body'>[] }

/** Compares the first body with those of earlier pushes, in their order. */
export const comparePushes: BodyWork<ComparedPush, PushChanges> = {
  name: 'changes of a push',
  run: ([sent, ...former], { kind, formers: named }) => {
    const partsOf = partsByKind[kind]
    const formers = named.map(({ pushId, requestId, at }, index) => ({
      comparedWith: { pushId, requestId, at },
      parts: partsOf(parsed(former[index])),
    }))
    const changed = [...partsOf(parsed(sent))].flatMap(([part, after]): ChangedPart[] => {
      const before = formers.find(({ parts }) => parts.has(part))
      const members = differences(before?.parts.get(part), after)
      return members.length === 0 ? [] : [{ part, comparedWith: before?.comparedWith ?? null, members }]
    })
    const listed = changed.slice(0, partsShownMax)
    return {
      kind: 'members',
      parts: listed.map((part) => ({ ...part, members: part.members.slice(0, membersOfPartMax) })),
      moreParts: changed.length - listed.length,
      isUnchanged: changed.length === 0,
    }
  },
}

function parsed(body: Buffer | undefined): unknown {
  return body && body.length > 0 ? JSON.parse(body.toString()) : undefined
}

function differences(before: unknown, after: unknown): ChangedMember[] {
  const [left, right] = [leaves(before), leaves(after)]
  const members = [...new Set([...left.keys(), ...right.keys()])]
  return members
    .filter((member) => JSON.stringify(left.get(member)) !== JSON.stringify(right.get(member)))
    .slice(0, changesShownMax)
    .map((member) => ({
      member,
      ...(left.has(member) ? { before: shortValue(left.get(member)) } : {}),
      ...(right.has(member) ? { after: shortValue(right.get(member)) } : {}),
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

export type Months = { fromMonth: MonthNumber; toMonth: MonthNumber }

/** For a body without dates: the whole range that suppliers can push. */
const monthsAhead = 26

/** The months from the first to the last date in the items; asked with the present month. */
export const readMonthsNamed: BodyWork<MonthNumber, Months> = {
  name: 'months of a push',
  run: ([body], thisMonth) => monthsNamed(parsed(body), thisMonth),
}

function monthsNamed(body: unknown, thisMonth: MonthNumber): Months {
  let months: Months | undefined
  for (const item of itemsOf(body)) {
    for (const member of ['date', 'startDate', 'endDate', 'from', 'to']) {
      const date = item[member]
      const day = typeof date === 'string' ? parseNight(date) : undefined
      if (day === undefined) continue
      const { fromMonth = Infinity, toMonth = -Infinity } = months ?? {}
      const month = monthOf(day)
      months = { fromMonth: Math.min(fromMonth, month), toMonth: Math.max(toMonth, month) }
    }
  }
  return months ?? { fromMonth: thisMonth - 1, toMonth: thisMonth + monthsAhead }
}

function itemsOf(body: unknown): Record<string, unknown>[] {
  const list = isRecord(body) ? body['ari'] : undefined
  if (Array.isArray(list)) return list.filter(isRecord)
  return isRecord(body) ? [body] : []
}
