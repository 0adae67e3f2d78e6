import { Text } from '@mantine/core'
import type { TFunction } from 'i18next'
import { useTranslation } from 'react-i18next'
import type { StopSellAnswer, StoppedRow } from '../../../../../src/console-api/calendar/contract.ts'
import { useNights } from '../../../parts/values/nights-text.ts'
import { dateText } from '../../../parts/values/time.tsx'

export type Action = 'stop' | 'open'

/** What would change, by the preview, and who is expected nevertheless. */
export function Outcome({
  action,
  isWhole,
  outcome,
}: {
  action: Action
  isWhole: boolean
  outcome: StopSellAnswer | undefined
}) {
  const { t } = useTranslation()
  const changesOf = useChanges()
  const known = isWhole ? outcome : undefined
  return (
    <>
      <Text size="sm" role="status" fw={500}>
        {!isWhole
          ? t('calendar.stopSell.incomplete')
          : known
            ? t(`calendar.stopSell.preview.${action}`, changesOf(known.rows))
            : t('parts.loading')}
      </Text>
      {affectedText(t, known?.affected).map((text) => (
        <Text key={text} size="sm">
          {text}
        </Text>
      ))}
    </>
  )
}

/** The guests who are expected nevertheless. */
export function affectedText(t: TFunction, affected: StopSellAnswer['affected'] | undefined): string[] {
  if (!affected) return []
  const { reservations: count, firstArrival } = affected
  return [t('calendar.stopSell.affected', { count, date: dateText(firstArrival) })]
}

/** The nights that change, and those that are as wanted already. */
export function useChanges(): (rows: readonly StoppedRow[]) => {
  count: number
  nights: string
  already: string
} {
  const nightsOf = useNights()
  return (rows) => {
    const those = (count: (row: StoppedRow) => number) =>
      nightsOf(rows.map((row) => ({ isRate: row.rateId !== null, nights: count(row) })))
    const { nights: already } = those(({ nights, changed }) => nights - changed)
    return { ...those(({ changed }) => changed), already }
  }
}
