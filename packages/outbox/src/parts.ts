import type { StoredPush } from './journal.ts'
import { isPushError } from './push-client.ts'

/** A proxy before the gateway takes no body of this size: the gateway has not seen the push. */
export function isTooLargeForProxy(error: unknown): boolean {
  return isPushError(error) && error.isWithoutAnswer && error.status === 413
}

/** The longest Idempotency-Key and request id. */
const idCharactersMax = 64

/**
 * The push in two halves, in its order: their ids follow from its own, so that they are the same after a crash.
 * Undefined if it has one element only, or would not be the same in two requests.
 */
export function halvesOf(push: StoredPush): [StoredPush, StoredPush] | undefined {
  const content: unknown = JSON.parse(push.body)
  const list = listIn(push, content)
  if (!list || list.elements.length < 2 || push.id.length + 2 > idCharactersMax) return undefined
  const middle = Math.ceil(list.elements.length / 2)
  const half = (number: number, elements: readonly unknown[]): StoredPush => ({
    ...push,
    id: `${push.id}.${number}`,
    body: JSON.stringify(list.with(elements)),
  })
  return [half(1, list.elements.slice(0, middle)), half(2, list.elements.slice(middle))]
}

type List = { elements: readonly unknown[]; with: (elements: readonly unknown[]) => unknown }

/** A push with another member may mean all of its elements together, as `restartSequence` and `planId` do. */
const membersBeside = {
  pushAri: ['hotelId', 'channelManagerId', 'pricingModel', 'currency', 'sequence'],
  pushProducts: ['hotelId', 'channelManagerId'],
}
const harmless: readonly (readonly [name: string, value: unknown])[] = [
  ['mode', 'delta'],
  ['atomic', false],
  ['dryRun', false],
]

function listIn({ operation }: StoredPush, content: unknown): List | undefined {
  if (operation === 'pushHotels' && Array.isArray(content))
    return { elements: content, with: (elements) => elements }
  if ((operation !== 'pushAri' && operation !== 'pushProducts') || !isRecord(content)) return undefined
  const name = operation === 'pushAri' ? 'ari' : 'products'
  const elements = content[name]
  const isWhole = Object.entries(content).some(
    ([member, value]) =>
      member !== name &&
      !membersBeside[operation].includes(member) &&
      !harmless.some(([known, one]) => member === known && value === one),
  )
  if (!Array.isArray(elements) || isWhole) return undefined
  return { elements, with: (some) => ({ ...content, [name]: some }) }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
