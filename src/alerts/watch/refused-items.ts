import { isRecord } from '../../http/validation/validate.ts'
import type { BodyWork } from '../../push-log/bodies/body-work.ts'

type RefusedItem = { id: string; type: string }
export type ItemsOfPush = { items: number; refused: RefusedItem[] }

/** The number of items of a push, by its body and answer, and those that were refused: all of them if the push was. */
export const readRefusedItems: BodyWork<string, ItemsOfPush> = {
  name: 'refused items',
  run: ([body, answer], hotel) =>
    body && answer ? refusedIn(body, answer, hotel) : { items: 1, refused: [] },
}

function refusedIn(body: Buffer, answer: Buffer, hotel: string): ItemsOfPush {
  const sent = listIn(body, 'ari')
  const results = listIn(answer, 'results')
  const errors = listIn(answer, 'errors')
  const named = (error: unknown, item: unknown): RefusedItem => {
    const type = memberOf(error, 'type')
    const rates = isRecord(item) && Array.isArray(item['rates']) ? item['rates'] : []
    const rateIds = rates.slice(0, 3).map((rate: unknown) => memberOf(rate, 'rateId'))
    const dates = [memberOf(item, 'date'), memberOf(item, 'startDate'), memberOf(item, 'endDate')]
    return { id: [hotel, memberOf(item, 'roomId'), ...rateIds, ...dates, type].join(' '), type }
  }
  const items = Math.max(1, sent.length)
  const [firstError] = errors
  // An answer lists a limited number of errors, but the state of every item.
  const isRefused = (index: number) =>
    results.length === 0 || memberOf(results[index], 'status') === 'rejected'
  const refused = Array.from({ length: items }, (_, index) => index)
    .filter(isRefused)
    .map((index) => {
      const result = results[index]
      const own: unknown = isRecord(result) ? result['errors'] : undefined
      return named(Array.isArray(own) && own.length > 0 ? own[0] : firstError, sent[index])
    })
  return { items, refused }
}

function listIn(json: Buffer, member: string): unknown[] {
  try {
    const parsed: unknown = JSON.parse(json.toString())
    const list: unknown = isRecord(parsed) ? parsed[member] : undefined
    return Array.isArray(list) ? list : []
  } catch {
    // A refused body need not be JSON.
    return []
  }
}

function memberOf(value: unknown, name: string): string {
  const member: unknown = isRecord(value) ? value[name] : undefined
  return typeof member === 'string' ? member.slice(0, 60) : ''
}
