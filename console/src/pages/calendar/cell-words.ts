import type { TFunction } from 'i18next'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { rateRestrictions, type RateRestriction } from '../../../../src/ari/restrictions.ts'
import type { Calendar } from '../../../../src/console/calendar/contract.ts'
import { dateText } from '../../parts/time-text.ts'
import { dateOf } from './days.ts'
import { restrictionText } from './rule-words.ts'
import { cellOf, priceText, type Cell, type CellContext, type CellReason, type Row } from './rows.ts'

/** Cells in words, for screen readers and for the line that describes the cell under the pointer. */
export type CellWords = {
  reason: (reason: CellReason) => string
  restriction: (name: RateRestriction, value: number) => string
  /** A cell in one line; without its row if that is already read out. */
  cell: (row: Row, night: number, withRow: boolean) => string
}

const reasons: readonly CellReason[] = [
  'stopSellRoom',
  'stopSellRate',
  'hotel',
  'product',
  'closedRoom',
  'closedRate',
  'inventory',
  'unpushed',
  'formerCurrency',
  'price',
  'party',
  'past',
]

/** Placeholder for a number: translating for every cell would take longer than rendering it. */
const placeholder = '\u0000'

export function useCellWords(calendar: Calendar, context: CellContext): CellWords {
  const { t } = useTranslation()
  return useMemo(() => wordsOf(t, calendar, context), [t, calendar, context])
}

function wordsOf(t: TFunction, { hotel }: Calendar, context: CellContext): CellWords {
  const reasonTexts = new Map(reasons.map((reason) => [reason, t(`calendar.reasons.${reason}`)]))
  const restrictionTexts = new Map(
    rateRestrictions.map((name) => [name, restrictionText(t, name, placeholder)]),
  )
  const units = t('calendar.cell.units', { value: placeholder })
  const [noUnits, notSellable] = [t('calendar.cell.noUnits'), t('calendar.cell.notSellable')]
  const dates = new Map<number, string>()
  const dateAt = (night: number): string => {
    const known = dates.get(night) ?? dateText(dateOf(context.from + night))
    dates.set(night, known)
    return known
  }
  const reason = (name: CellReason): string => reasonTexts.get(name) ?? name
  const restriction = (name: RateRestriction, value: number): string =>
    (restrictionTexts.get(name) ?? name).replace(placeholder, String(value))
  const parts = (cell: Cell, row: Row): string[] => [
    ...(cell.price === undefined
      ? []
      : [`${hotel.currency} ${priceText(cell.price, hotel.minorDigits, false)}`]),
    ...(cell.units === undefined
      ? row.kind === 'room'
        ? [noUnits]
        : []
      : [units.replace(placeholder, String(cell.units))]),
    ...cell.restricted.map(({ name, value }) => restriction(name, value)),
    ...(cell.reasons.length > 0 ? [`${notSellable}: ${cell.reasons.map(reason).join(', ')}`] : []),
  ]
  return {
    reason,
    restriction,
    cell: (row, night, withRow) => {
      const cell = cellOf(row, night, context)
      const name = row.kind === 'room' ? row.room.name : `${row.room.name}, ${row.rate.name}`
      return [...(withRow ? [name] : []), dateAt(night), ...parts(cell, row)].join(' · ')
    },
  }
}
