import { parseNight } from '../base/calendar.ts'
import { isSwitch, limitsByZero, rateRestrictions } from '../ari/restrictions.ts'
import { parseJson } from '../http/validation/json.ts'
import { Rejected } from '../http/rejected.ts'
import { isRecord } from '../http/validation/validate.ts'
import type { BodyWork } from '../push-log/bodies/body-work.ts'
import type { AriFact, InventoryFact, PushedSwitchOrLimit } from './facts.ts'

/** A push that names more is judged by these. */
const inventoriesMax = 1_000

const restrictions: readonly PushedSwitchOrLimit[] = ['closed', ...rateRestrictions]

/** What an accepted body of ARI says; undefined for a body that isn't readable. */
export const readAriFact: BodyWork<undefined, AriFact | undefined> = {
  name: 'fact of ARI',
  run: ([body]) => body && factOf(body),
}

function factOf(body: Buffer): AriFact | undefined {
  const parsed = parsedBody(body)
  if (!isRecord(parsed) || !Array.isArray(parsed['ari'])) return undefined
  const items: readonly unknown[] = parsed['ari']
  const isOverlay = parsed['mode'] === 'overlay'
  const set = new Set<PushedSwitchOrLimit>()
  const cleared = new Set<PushedSwitchOrLimit>()
  const inventories: InventoryFact[] = []
  for (const item of items.filter(isRecord)) {
    for (const line of linesOf(item)) readRestrictions(line, { isOverlay, set, cleared })
    inventories.push(...inventoriesOf(item).slice(0, inventoriesMax - inventories.length))
  }
  const { sequence } = parsed
  return {
    sequence: typeof sequence === 'number' ? sequence : undefined,
    items: items.length,
    set,
    cleared,
    inventories,
  }
}

function parsedBody(body: Buffer): unknown {
  try {
    return parseJson(body)
  } catch (error) {
    if (error instanceof Rejected) return undefined
    throw error
  }
}

type Line = Readonly<Record<string, unknown>>

/** The item itself, for its own closure or the flat form, and the rate lines of the nested form. */
function linesOf(item: Line): Line[] {
  const rates: readonly unknown[] = Array.isArray(item['rates']) ? item['rates'] : []
  return [item, ...rates.filter(isRecord)]
}

/** An overlay clears the restrictions that a rate line doesn't name. */
function readRestrictions(
  line: Line,
  { isOverlay, set, cleared }: { isOverlay: boolean; set: Set<string>; cleared: Set<string> },
): void {
  const isRateLine = line['rateId'] !== undefined
  for (const name of restrictions) {
    const value = line[name]
    if (value === undefined ? isOverlay && isRateLine : isCleared(name, value)) cleared.add(name)
    else if (value !== undefined) set.add(name)
  }
}

function isCleared(name: PushedSwitchOrLimit, value: unknown): boolean {
  if (value === null) return true
  return isSwitch(name) ? value === false : value === 0 && !limitsByZero(name)
}

function inventoriesOf(item: Line): InventoryFact[] {
  const { roomId } = item
  const firstNight = nightOf(item['startDate'] ?? item['date'])
  const lastNight = nightOf(item['endDate'] ?? item['date'])
  if (typeof roomId !== 'string' || firstNight === undefined || lastNight === undefined) return []
  return linesOf(item).flatMap(({ inventory: units }) =>
    typeof units === 'number' ? [{ roomId, firstNight, lastNight, units }] : [],
  )
}

function nightOf(text: unknown): number | undefined {
  return typeof text === 'string' ? parseNight(text) : undefined
}
