import type { TFunction } from 'i18next'
import { useTranslation } from 'react-i18next'
import { dateText, timeText } from '../../parts/values/time.tsx'
import { wordsOf } from '../../parts/values/words.ts'
import { isOutcome } from '../price-checks/check-look.tsx'

const night = /^\d{4}-\d\d-\d\d$/
const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/

/** Members whose own name says too little. */
const renamed = [
  'reservationIds',
  'arrivingWithin48Hours',
  'usualPauseHours',
  'allowedHours',
  'largestPercent',
  'sharePercent',
  'itemsAbout',
  'requestIds',
] as const
const units = ['Hours', 'Percent'] as const

/** What an alert rests on, for reading: `lastSellableNight` as `last sellable night`, instants in the viewer's zone. */
export function useEvidenceText(): (evidence: Readonly<Record<string, unknown>>) => string {
  const { t } = useTranslation()
  return (evidence) =>
    Object.entries(evidence)
      // None is known after a single push.
      .filter(([name, value]) => name !== 'usualPauseHours' || value !== 0)
      .map(([name, value]) => `${nameOf(name, t)}: ${valueOf(name, value, t)}`)
      .join(' · ')
}

function nameOf(name: string, t: TFunction): string {
  const known = renamed.find((one) => one === name)
  if (known) return t(`alerts.evidenceOf.${known}`)
  return wordsOf(name)
}

function valueOf(name: string, value: unknown, t: TFunction): string {
  if (Array.isArray(value)) return value.map((one) => shown(one, t)).join(', ')
  const unit = typeof value === 'number' && units.find((one) => name.endsWith(one))
  // How many arrive is a number of guests.
  if (!unit || name === 'arrivingWithin48Hours') return shown(value, t)
  return t(`alerts.evidenceIn.${unit}`, { value })
}

function shown(value: unknown, t: TFunction): string {
  if (value === null || value === undefined) return '–'
  if (typeof value !== 'string') return JSON.stringify(value)
  if (isOutcome(value)) return t(`priceChecks.outcome.${value}`)
  if (night.test(value)) return dateText(value)
  return instant.test(value) ? (timeText(value) ?? value) : value
}
