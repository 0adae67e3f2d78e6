import { fieldNumber, guestBucket, isGuestPriceField, isPriceField } from '../../ari/fields.ts'
import { formatNight, weekdayOf, weekdays, type DayNumber } from '../../base/calendar.ts'
import { isRecord } from '../../http/validation/validate.ts'
import type { BodyWork } from '../../push-log/bodies/body-work.ts'
import type { Origin } from './revisions.ts'

type OriginAri = Extract<Origin, { kind: 'ari' }>

/** Which element of a body set something. */
export type BodyQuestion =
  | { kind: 'hotel'; hotelId: string }
  | { kind: 'product'; roomId: string; rateId: string }
  | ({ kind: 'ari'; roomId: string; rateId: string } & Pick<OriginAri, 'row' | 'field' | 'day'>)

/** The index of the element for each question; undefined if there is none. */
export const readItemsAsked: BodyWork<readonly BodyQuestion[], (number | undefined)[]> = {
  name: 'items that set values',
  run: ([body], questions) => {
    const sent: unknown = body && body.length > 0 ? JSON.parse(body.toString()) : undefined
    return questions.map((question) => elementOf(sent, question))
  },
}

function elementOf(body: unknown, question: BodyQuestion): number | undefined {
  if (question.kind === 'ari') return lastItemThatSets(body, question)
  if (question.kind === 'hotel') return lastIndex(body, ({ hotelId }) => hotelId === question.hotelId)
  return lastIndex(
    isRecord(body) ? body['products'] : undefined,
    ({ roomId, rateId }) => roomId === question.roomId && rateId === question.rateId,
  )
}

/** The last item of an ARI push that names the row, day and field; later items override earlier ones. */
function lastItemThatSets(
  body: unknown,
  { roomId, rateId, row, field, day }: Extract<BodyQuestion, { kind: 'ari' }>,
): number | undefined {
  if (!isRecord(body)) return undefined
  const isOverlay = body['mode'] === 'overlay'
  return lastIndex(body['ari'], (item) => {
    if (item['roomId'] !== roomId || !namesDay(item, day)) return false
    if (row === 'room') return namesOfRoom(item, field)
    const lines: unknown[] = Array.isArray(item['rates']) ? item['rates'] : [item]
    return lines.some((line) => {
      if (!isRecord(line) || line['rateId'] !== rateId) return false
      // The flat form's inventory belongs to the room.
      if (line === item && field === fieldNumber.inventory) return isOverlay
      return isOverlay || namesField(line, field)
    })
  })
}

function lastIndex(
  list: unknown,
  matches: (element: Record<string, unknown>) => boolean,
): number | undefined {
  const elements: unknown[] = Array.isArray(list) ? list : []
  const index = elements.findLastIndex((element) => isRecord(element) && matches(element))
  return index === -1 ? undefined : index
}

/** Whether an item of an ARI push names the night. */
export function namesDay(item: Record<string, unknown>, day: DayNumber): boolean {
  const night = formatNight(day)
  const start = item['date'] ?? item['startDate']
  const end = item['date'] ?? item['endDate']
  if (typeof start !== 'string' || typeof end !== 'string' || night < start || night > end) return false
  const onDays = item['daysOfWeek']
  return !Array.isArray(onDays) || onDays.includes(weekdays[weekdayOf(day)])
}

function namesOfRoom(item: Record<string, unknown>, field: number): boolean {
  if (field === fieldNumber.inventory) return item['inventory'] !== undefined
  return item['closed'] !== undefined && item['rateId'] === undefined
}

const nameByField = new Map<number, string>(
  Object.entries(fieldNumber).map(([name, number]) => [number, name]),
)

function namesField(line: Record<string, unknown>, field: number): boolean {
  if (!isPriceField(field)) return line[nameByField.get(field) ?? ''] !== undefined
  if (line['price'] !== undefined || line['prices'] === null) return true
  if (!isGuestPriceField(field)) return line['prices'] !== undefined || line['amount'] !== undefined
  const { ageCategory, guests } = guestBucket(field)
  const isBucket = (price: unknown): boolean =>
    // A price without guests is a unit price, which clears all guest prices.
    isRecord(price) &&
    (price['guests'] === undefined || (price['guests'] === guests && price['ageCategory'] === ageCategory))
  if (line['amount'] !== undefined) return isBucket(line)
  const prices: unknown[] = Array.isArray(line['prices']) ? line['prices'] : []
  return prices.some(isBucket)
}
