import { Button, Table, Text } from '@mantine/core'
import { useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Overview } from '../../../../src/console-api/overview/contract.ts'
import { StackedChart } from '../../parts/values/stacked-chart.tsx'
import { timeText } from '../../parts/values/time.tsx'
import classes from './overview.module.css'
import { Panel } from './panel.tsx'

/** Colours that can be told apart in both schemes, also by colour-blind people; the worst outcome is on top. */
const looks = {
  applied: { light: '#3b5bdb', dark: '#748ffc' },
  unchanged: { light: '#bac8ff', dark: '#3a4a86' },
  dryRun: { light: '#ced4da', dark: '#495057' },
  partial: { light: '#f59f00', dark: '#e0a72e' },
  rejected: { light: '#e03131', dark: '#ff7b7b' },
  delivered: { light: '#2b8a3e', dark: '#51b56b' },
  failed: { light: '#e03131', dark: '#ff7b7b' },
} as const satisfies Record<RateKind, { light: string; dark: string }>
/** A day in quarter hours; fewer while the service is still counting. */
const stepsShown = 96
const pushKinds = ['applied', 'unchanged', 'dryRun', 'partial', 'rejected'] as const
const attemptKinds = ['delivered', 'failed'] as const

export function PushRatePanel({ rates: { steps, ...range } }: { rates: Overview['pushes'] }) {
  const { t } = useTranslation()
  const parts = useMemo(
    () => pushKinds.map((kind) => ({ kind, values: steps.map((step) => step[kind]) })),
    [steps],
  )
  return (
    <RatePanel
      title={t('overview.rates.pushes')}
      {...range}
      times={steps.map(({ at }) => at)}
      parts={parts}
    />
  )
}

export function DeliveryRatePanel({ rates: { steps, ...range } }: { rates: Overview['deliveries'] }) {
  const { t } = useTranslation()
  const parts = useMemo(
    () => attemptKinds.map((kind) => ({ kind, values: steps.map((step) => step[kind]) })),
    [steps],
  )
  return (
    <RatePanel
      title={t('overview.rates.deliveries')}
      {...range}
      times={steps.map(({ at }) => at)}
      parts={parts}
    />
  )
}

function RatePanel({
  title,
  since,
  until,
  times,
  parts,
}: {
  title: string
  since: string
  until: string | null
  times: readonly string[]
  parts: readonly RatePart[]
}) {
  const { t } = useTranslation()
  const [isTable, setIsTable] = useState(false)
  const totals = parts.map(({ kind, values }) => ({ kind, total: sumOf(values) }))
  const counts = totals.map(({ kind, total }) =>
    t('overview.rates.count', { label: t(`overview.rates.${kind}`), count: total }),
  )
  const isEmpty = totals.every(({ total }) => total === 0)
  const isWhole = times.length >= stepsShown
  return (
    <Panel
      title={title}
      action={
        !isEmpty && (
          <Button
            variant="transparent"
            size="compact-sm"
            px={0}
            fw={400}
            onClick={() => setIsTable(!isTable)}
            aria-pressed={isTable}
          >
            {t('overview.rates.asTable')}
          </Button>
        )
      }
    >
      <div className={classes['rates']}>
        {isEmpty ? (
          <Text size="sm" c="dimmed">
            {t(until === null ? 'overview.rates.uncounted' : 'overview.rates.empty')}
          </Text>
        ) : (
          <>
            <Legend totals={totals} />
            {isTable ? (
              <RateTable title={title} times={times} parts={parts} />
            ) : (
              <RateChart
                label={t('overview.rates.summary', { title, counts: counts.join(', ') })}
                times={times}
                parts={parts}
              />
            )}
            <Text size="xs" c="dimmed">
              {isWhole
                ? t('overview.rates.perStep')
                : t('overview.rates.counting', { since: timeText(since) ?? since })}
              {until !== null && ` · ${t('overview.rates.until', { until: timeText(until) ?? until })}`}
            </Text>
          </>
        )}
      </div>
    </Panel>
  )
}

function RateChart({
  label,
  times,
  parts,
}: {
  label: string
  times: readonly string[]
  parts: readonly RatePart[]
}) {
  const seconds = useMemo(() => times.map((at) => Date.parse(at) / 1_000), [times])
  const series = useMemo(
    () => parts.map(({ kind, values }) => ({ label: kind, values, colors: looks[kind] })),
    [parts],
  )
  return <StackedChart label={label} times={seconds} series={series} />
}

function Legend({ totals }: { totals: readonly { kind: RateKind; total: number }[] }) {
  const { t } = useTranslation()
  return (
    <ul className={classes['legend']}>
      {totals.map(({ kind, total }) => (
        <li key={kind} data-none={total === 0 ? true : undefined}>
          <span className={classes['swatch']} data-kind={kind} />
          {t(`overview.rates.${kind}`)} <strong className="figures">{total}</strong>
        </li>
      ))}
    </ul>
  )
}

type RateKind = 'applied' | 'unchanged' | 'dryRun' | 'partial' | 'rejected' | 'delivered' | 'failed'

/** The counts of one kind in each step. */
type RatePart = { kind: RateKind; values: readonly number[] }

const hourMs = 3_600_000

/** The data of the chart, one row per hour, newest first. */
function RateTable({
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

function sumOf(values: readonly number[]): number {
  let total = 0
  for (const value of values) total += value
  return total
}
