import { dateText, timeText } from '../../parts/time.tsx'

const night = /^\d{4}-\d\d-\d\d$/
const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/

/** What an alert rests on, for reading: `lastSellableNight` as `last sellable night`, instants in the viewer's zone. */
export function evidenceText(evidence: Readonly<Record<string, unknown>>): string {
  return Object.entries(evidence)
    .map(([name, value]) => `${wordsOf(name)}: ${Array.isArray(value) ? value.join(', ') : shown(value)}`)
    .join(' · ')
}

function wordsOf(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
}

function shown(value: unknown): string {
  if (value === null || value === undefined) return '–'
  if (typeof value !== 'string') return JSON.stringify(value)
  if (night.test(value)) return dateText(value)
  return instant.test(value) ? (timeText(value) ?? value) : value
}
