import type { DayNumber } from '../../base/calendar.ts'
import { isRecord } from '../../http/validation/validate.ts'
import { namesDay } from '../../offers/explain/items-of-body.ts'
import type { BodyWork } from '../../push-log/bodies/body-work.ts'
import { shortValue } from '../short-value.ts'
import type { CellPush } from './contract.ts'

/** The members that select the cells of an item. */
const addressing = new Set(['roomId', 'rateId', 'date', 'startDate', 'endDate', 'daysOfWeek', 'rates'])

export type NamedCell = { roomId: string; rateId: string | undefined; night: DayNumber }

/** The items of a push of ARI that name a night of a room or room-rate, with the values that they send for it. */
export const readItemsThatName: BodyWork<NamedCell, CellPush['items']> = {
  name: 'items of a cell',
  run: ([body], cell) => (body ? itemsThatName(body, cell) : []),
}

function itemsThatName(body: Buffer, { roomId, rateId, night }: NamedCell): CellPush['items'] {
  const parsed = parsedOrNothing(body)
  const items: unknown[] = isRecord(parsed) && Array.isArray(parsed['ari']) ? parsed['ari'] : []
  return items.flatMap((item, index) => {
    if (!isRecord(item) || item['roomId'] !== roomId || !namesDay(item, night)) return []
    const lines: unknown[] = Array.isArray(item['rates']) ? item['rates'] : []
    const ofOther = item['rateId'] !== undefined && item['rateId'] !== rateId
    const sent = Object.fromEntries([
      ...(ofOther ? [] : valuesOf(item)),
      ...lines.flatMap((line) =>
        isRecord(line) && rateId !== undefined && line['rateId'] === rateId ? valuesOf(line) : [],
      ),
    ])
    return Object.keys(sent).length > 0 ? [{ item: index, sent }] : []
  })
}

function valuesOf(line: Record<string, unknown>): [string, unknown][] {
  return Object.entries(line).flatMap(([name, value]): [string, unknown][] =>
    addressing.has(name) ? [] : [[name, shortValue(value)]],
  )
}

/** A refused push can have any body. */
function parsedOrNothing(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString())
  } catch {
    return undefined
  }
}
