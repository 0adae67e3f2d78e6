import { isRecord, wellFormedPart, type Judgement } from '../../http/validation/validate.ts'
import type { Problem } from '../../http/rejected.ts'
import type { PushAriBody } from '../contract.ts'
import type { AriItem, PriceLine, RateLine } from '../item-contract.ts'

/**
 * The readable part of a push. Members that violate the contract's shape are absent, and list elements that
 * violate it are undefined. A push with a valid shape is fully readable, exactly as sent.
 */
export type ReadablePush = Readable<Omit<PushAriBody, 'ari'>> & {
  ari: readonly (ReadableItem | undefined)[]
}
export type ReadableItem = Readable<Omit<AriItem, ListName>> &
  ReadablePrices & {
    daysOfWeek?: readonly (NonNullable<AriItem['daysOfWeek']>[number] | undefined)[]
    rates?: readonly (ReadableLine | undefined)[]
  }
export type ReadableLine = Readable<Omit<RateLine, ListName>> & ReadablePrices
export type ReadablePrice = { [Name in keyof PriceLine]?: PriceLine[Name] | undefined }

type ListName = 'daysOfWeek' | 'rates' | 'prices'
type Readable<Shape> = { readonly [Name in keyof Shape]?: Shape[Name] }
type ReadablePrices = { prices?: readonly (ReadablePrice | undefined)[] | null }

/** Problems with the shape of an item, assigned to the item or the rate line that they concern. */
export type ItemProblems = {
  item: Problem[]
  byRate: Map<number, Problem[]>
  /** Places whose value is unreadable, or missing and already reported. */
  paths: ReadonlySet<string>
}

/** The location of a part of an item in the request, and the paths within the item with problems, if any. */
export type Location = { path: string; unreadable: ReadonlySet<string> | undefined }

/** Whether a member was sent, readable or not. */
export function isSent<Name extends string>(
  part: { readonly [Member in Name]?: unknown },
  name: Name,
  { path, unreadable }: Location,
): boolean {
  return part[name] !== undefined || unreadable?.has(`${path}/${name}`) === true
}

/** The readable part of a push. Items are absent if none was judged. */
export function readablePush(
  sent: unknown,
  problems: readonly Problem[],
  judgementByItem: ReadonlyMap<number, Judgement> | undefined,
): ReadablePush {
  const head = problems.length === 0 ? sent : wellFormedPart(sent, problems)
  const isWhole = problems.length === 0 && judgementByItem?.size === 0
  const body = isWhole ? head : { ...(isRecord(head) ? head : {}), ari: readableItems(head, judgementByItem) }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- The boundary: every location that has not this shape was just left out.
  return body as ReadablePush
}

function readableItems(
  head: unknown,
  judgementByItem: ReadonlyMap<number, Judgement> | undefined,
): unknown[] {
  const items: unknown = isRecord(head) ? head['ari'] : undefined
  if (!Array.isArray(items) || !judgementByItem) return []
  const elements: readonly unknown[] = items
  return elements.map((item, index) => {
    const judgement = judgementByItem.get(index)
    if (!judgement) return item
    // If validation stopped early, nothing in the item can be trusted.
    return judgement.isCoarse ? undefined : wellFormedPart(item, judgement.problems, `/ari/${index}`)
  })
}

const ratePath = /^\/ari\/\d+\/rates\/(\d+)(?=\/|$)/

/** An item's problems, separated by rate line; if validation stopped early, all concern the whole item. */
export function itemProblems({ problems, isCoarse }: Judgement): ItemProblems {
  const item: Problem[] = []
  const byRate = new Map<number, Problem[]>()
  for (const problem of problems) {
    const rate = isCoarse ? undefined : ratePath.exec(problem.path ?? '')?.[1]
    const ofRate = rate === undefined ? item : byRate.get(Number(rate))
    if (ofRate) ofRate.push(problem)
    else byRate.set(Number(rate), [problem])
  }
  return { item, byRate, paths: new Set(problems.map(({ path = '' }) => path)) }
}
