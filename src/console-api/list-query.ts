import { parseNight } from '../base/calendar.ts'
import { readId, cursorProblem, type Query } from '../http/calls/query.ts'
import { reportedValue, type Problem } from '../http/rejected.ts'

/** Query parameters that the lists of bookings share; http/calls/query.ts reads the general ones. */

/** The id of a supplier or a hotel. */
export function readNumber(name: string, query: Query, problems: Problem[]): number | undefined {
  const sent = query[name]
  if (sent === undefined) return undefined
  const id = readId(sent)
  if (id === undefined) problems.push(invalid(name, sent, 'must be an id of this service, for example 7'))
  return id
}

export function readCount(name: string, query: Query, max: number, problems: Problem[]): number | undefined {
  const sent = query[name]
  if (sent === undefined) return undefined
  const count = /^\d{1,9}$/.test(sent) ? Number(sent) : undefined
  if (count !== undefined && count <= max) return count
  problems.push(invalid(name, sent, `must be an integer from 0 to ${max}`))
  return undefined
}

export function readDay(name: string, query: Query, problems: Problem[]): string | undefined {
  const sent = query[name]
  if (sent === undefined || parseNight(sent) !== undefined) return sent
  problems.push(invalid(name, sent, 'must be a date in the form YYYY-MM-DD'))
  return undefined
}

export function invalid(name: string, sent: unknown, what: string): Problem {
  return {
    type: 'INVALID_PARAMETER',
    message: `${name} ${what}`,
    path: `?${name}`,
    value: reportedValue(sent),
  }
}

/** A position in a list sorted by several values. Opaque to clients, so that it may change. */
export function writePosition(values: readonly (number | string)[]): string {
  return Buffer.from(values.join(' ')).toString('base64url')
}

/** The values of a position, each checked against its pattern. */
export function readPosition(
  { cursor }: Query,
  shape: RegExp,
  problems: Problem[],
): readonly string[] | undefined {
  if (cursor === undefined) return undefined
  const [, ...values] = shape.exec(Buffer.from(cursor, 'base64url').toString('latin1')) ?? []
  if (values.length > 0 && writePosition(values) === cursor) return values
  problems.push(cursorProblem(cursor))
  return undefined
}
