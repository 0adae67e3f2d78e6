import { Table } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { timeText } from '../../parts/time-text.ts'
import classes from './overview.module.css'

export type RateKind = 'applied' | 'unchanged' | 'dryRun' | 'partial' | 'rejected' | 'delivered' | 'failed'

/** The counts of one kind in each step. */
export type RatePart = { kind: RateKind; values: readonly number[] }

const hourMs = 3_600_000

/** The data of the chart, one row per hour, newest first. */
export function RateTable({
  title,
  times,
  parts,
}: {
  title: string
  times: readonly string[]
  parts: readonly RatePart[]
}) {
  const { t } = useTranslation()
  const steps = times.map((at, index) => ({ at, index }))
  const hours = [...Map.groupBy(steps, ({ at }) => Math.floor(Date.parse(at) / hourMs))].reverse()
  return (
    <div className={classes['rateTable']} tabIndex={0} role="group" aria-label={title}>
      <Table aria-label={title} className={classes['list']}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th scope="col">{t('overview.rates.hourFrom')}</Table.Th>
            {parts.map(({ kind }) => (
              <Table.Th key={kind} scope="col" ta="right">
                {t(`overview.rates.${kind}`)}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {hours.map(([hour, of]) => (
            <Table.Tr key={hour}>
              <Table.Td>{timeText(new Date(hour * hourMs).toISOString())}</Table.Td>
              {parts.map(({ kind, values }) => (
                <Table.Td key={kind} ta="right">
                  {sumOf(of.map(({ index }) => values[index] ?? 0))}
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </div>
  )
}

export function sumOf(values: readonly number[]): number {
  let total = 0
  for (const value of values) total += value
  return total
}
