import { setImmediate as breathe } from 'node:timers/promises'
import { namesDay } from '../../offers/set-by.ts'
import type { DayNumber } from '../../base/calendar.ts'
import type { Queryable } from '../../postgres/postgres.ts'
import { isRecord } from '../../http/validate.ts'
import { unpack } from '../../push-log/compress.ts'
import { selectNightPushes, selectPushBodies } from '../../push-log/store.ts'
import type { CalendarCell, CellPush } from './contract.ts'

/** The search ends at the first of these limits. */
const pushesFoundMax = 30
const pushesSearchedMax = 400
const bytesSearchedMax = 16 * 1024 * 1024
const pushesAtOnce = 40

type Cell = { roomId: string; rateId: string | undefined; night: DayNumber }

/** The pushes in the log that include a night of a room or room-rate, newest first, as far back as one request searches. */
export async function readCellHistory(
  db: Queryable,
  hotelId: number,
  cell: Cell,
): Promise<Pick<CalendarCell, 'history' | 'searchedBackTo' | 'isWhole'>> {
  const history: CellPush[] = []
  let searched = 0
  let bytes = 0
  let searchedBackTo: string | null = null
  let beforeId: number | undefined
  while (history.length < pushesFoundMax && searched < pushesSearchedMax && bytes < bytesSearchedMax) {
    const pushes = await selectNightPushes(db, hotelId, { beforeId, limit: pushesAtOnce })
    const bodies = await selectPushBodies(db, pushes)
    const bodyById = new Map(bodies.map((body) => [body.id, body]))
    for (const push of pushes) {
      beforeId = push.id
      searchedBackTo = push.at
      searched++
      bytes += push.bodyBytes
      const kept = bodyById.get(push.id)
      const items = kept?.body ? itemsThatName(unpack(kept.bodyEncoding, kept.body), cell) : []
      const { id: pushId, requestId, at, outcome, revision } = push
      const kind = push.kind === 'stopSell' ? 'stopSell' : 'ari'
      if (items.length > 0) history.push({ pushId, requestId, at, kind, outcome, revision, items })
      if (history.length >= pushesFoundMax || bytes >= bytesSearchedMax)
        return { history, searchedBackTo, isWhole: false }
    }
    if (pushes.length < pushesAtOnce) return { history, searchedBackTo, isWhole: true }
    await breathe()
  }
  return { history, searchedBackTo, isWhole: false }
}

/** The members that select the cells of an item. */
const addressing = new Set(['roomId', 'rateId', 'date', 'startDate', 'endDate', 'daysOfWeek', 'rates'])

function itemsThatName(body: Buffer, { roomId, rateId, night }: Cell): CellPush['items'] {
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
  return Object.entries(line).filter(([name]) => !addressing.has(name))
}

/** A refused push can have any body. */
function parsedOrNothing(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString())
  } catch {
    return undefined
  }
}
