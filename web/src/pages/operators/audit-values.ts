import { timeText } from '../../parts/values/time.tsx'
import { wordsOf } from '../../parts/values/words.ts'

/** The members of a change, before and after. */

type ComparedMember = { name: string; before: unknown; after: unknown; differs: boolean }

/** The members of both sides, changed ones first. An absent side has no members. */
export function compareMembers(before: unknown, after: unknown): ComparedMember[] {
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

/** For reading: strings without quotes, instants in the viewer's zone, everything else as JSON. */
export function shownValue(value: unknown): string {
  if (typeof value === 'string') return instant.test(value) ? (timeText(value) ?? value) : value
  return JSON.stringify(value, null, 2)
}

function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null)
    return value === null || value === undefined ? {} : { '': value }
  return Object.fromEntries(Object.entries(value))
}

const membersShown = 3
const valueShownMax = 40

/** The first changed members, in a few words each. */
export function changesText(before: unknown, after: unknown): string {
  const rows = compareMembers(before, after).filter(({ differs }) => differs)
  const texts = rows.slice(0, membersShown).map(({ name, before: was, after: is }) => {
    const [from, to] = [short(was), short(is)]
    const became = to === '' ? '–' : to
    const words = wordsOf(name)
    return from === '' || to === unshown ? `${words}: ${became}` : `${words}: ${from} → ${became}`
  })
  return `${texts.join(' · ')}${rows.length > membersShown ? ' …' : ''}`
}

/** Lists and objects are for the dialog. */
const unshown = '…'

function short(value: unknown): string {
  if (value === undefined || value === null) return ''
  if (typeof value === 'object') return unshown
  const text = shownValue(value).replaceAll(/\s+/g, ' ')
  return text.length > valueShownMax ? `${text.slice(0, valueShownMax)}…` : text
}
