import { timeText } from '../../parts/time-text.ts'

/** What a change was made of, member by member. */

export type Compared = { name: string; before: unknown; after: unknown; differs: boolean }

/** Of either side; changed ones first. A side that is absent has no members. */
export function compared(before: unknown, after: unknown): Compared[] {
  const [left, right] = [membersOf(before), membersOf(after)]
  const names = [...new Set([...Object.keys(left), ...Object.keys(right)])]
  const rows = names.map((name) => ({
    name,
    before: left[name],
    after: right[name],
    differs: JSON.stringify(left[name]) !== JSON.stringify(right[name]),
  }))
  return [...rows.filter(({ differs }) => differs), ...rows.filter(({ differs }) => !differs)]
}

const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/

/** As one reads it: texts without quotes, instants in the viewer's zone, the rest as JSON. */
export function shownValue(value: unknown): string {
  if (typeof value === 'string') return instant.test(value) ? (timeText(value) ?? value) : value
  return JSON.stringify(value, null, 2)
}

function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null)
    return value === null || value === undefined ? {} : { '': value }
  return Object.fromEntries(Object.entries(value))
}
