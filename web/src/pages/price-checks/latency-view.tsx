import { NativeSelect, Text } from '@mantine/core'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import type {
  PriceCheckSummary,
  SummaryPoint,
  SupplierSummary,
} from '../../../../src/console-api/price-checks/contract.ts'
import { useApi } from '../../api.ts'
import { type Column, DataTable } from '../../parts/lists/data-table.tsx'
import { type CsvColumn, ExportRows } from '../../parts/lists/export-csv.tsx'
import { ErrorNote } from '../../parts/error-note.tsx'
import { Filters, SupplierFilter, useFilter } from '../../parts/lists/filters.tsx'
import { LinkTo } from '../../parts/link-to.tsx'
import { PageWait, Section } from '../../parts/page.tsx'
import { timeText } from '../../parts/values/time.tsx'
import { priceChecks } from '../../text/en/price-checks.ts'
import { LineChart, PointsTable } from './line-chart.tsx'
import classes from './price-checks.module.css'
import { ViewFrame } from './view-frame.tsx'

const lookEveryMs = 30_000
const isOutcome = (name: string): name is keyof typeof priceChecks.outcome =>
  Object.hasOwn(priceChecks.outcome, name)
const outcomeNames = Object.keys(priceChecks.outcome).filter(isOutcome)

/** Latency and outcomes of price checks. */
export function LatencyView() {
  const { t } = useTranslation()
  const [period, setPeriod] = useFilter('period')
  const [supplierId] = useFilter('supplierId')
  const query = { period: period === 'hour' ? 'hour' : 'day', supplierId }
  const found = useApi('summarizePriceChecks', { query }, { everyMs: lookEveryMs, keepPrevious: true })
  return (
    <ViewFrame
      view="latency"
      actions={<ExportRows rows={found.data?.suppliers ?? []} columns={useCsvColumns()} file="latency" />}
    >
      <Filters names={['period', 'supplierId']}>
        <NativeSelect
          label={t('priceChecks.filter.period')}
          value={period === 'hour' ? 'hour' : 'day'}
          onChange={(event) => setPeriod(event.currentTarget.value === 'hour' ? 'hour' : '')}
          data={(['day', 'hour'] as const).map((value) => ({
            value,
            label: t(`priceChecks.filter.periods.${value}`),
          }))}
        />
        <SupplierFilter label={t('priceChecks.filter.supplier')} />
      </Filters>
      {found.isPending && <PageWait />}
      {found.error && !found.data && <ErrorNote error={found.error} onRetry={() => void found.refetch()} />}
      {found.data && <Summary summary={found.data} />}
    </ViewFrame>
  )
}

function Summary({ summary: { suppliers, series, since, until } }: { summary: PriceCheckSummary }) {
  const { t } = useTranslation()
  return (
    <>
      {series.length > 0 && <Charts series={series} from={since} to={until} />}
      <Section title={t('priceChecks.summary.table')}>
        <DataTable
          caption={t('priceChecks.summary.table')}
          columns={useColumns()}
          rows={suppliers}
          rowKey={({ supplierId }) => supplierId}
          empty={{ title: t('priceChecks.summary.none'), hint: t('priceChecks.summary.noneHint') }}
        />
      </Section>
    </>
  )
}

type ChartsProps = { series: readonly SummaryPoint[]; from: string; to: string }

function Charts({ series, from, to }: ChartsProps) {
  const { t } = useTranslation()
  // A chart is redrawn when its props change identity.
  const { at, latency, outcomes } = useMemo(
    () => ({
      at: series.map((point) => point.at),
      latency: [
        { label: t('priceChecks.summary.p50'), color: 'teal', values: series.map(({ p50Ms }) => p50Ms) },
        { label: t('priceChecks.summary.p95'), color: 'indigo', values: series.map(({ p95Ms }) => p95Ms) },
        { label: t('priceChecks.summary.p99'), color: 'orange', values: series.map(({ p99Ms }) => p99Ms) },
      ],
      outcomes: [
        {
          label: t('priceChecks.summary.allChecks'),
          color: 'indigo',
          values: series.map(({ checks }) => checks),
        },
        { label: t('priceChecks.summary.failed'), color: 'red', values: series.map(({ failed }) => failed) },
      ],
    }),
    [series, t],
  )
  return (
    <>
      <Section title={t('priceChecks.summary.chart')} hint={t('priceChecks.summary.chartHint')}>
        <LineChart
          label={t('priceChecks.summary.chart')}
          from={from}
          to={to}
          at={at}
          unit="ms"
          lines={latency}
        />
      </Section>
      <Section title={t('priceChecks.summary.outcomes')}>
        <LineChart
          label={t('priceChecks.summary.outcomes')}
          from={from}
          to={to}
          at={at}
          unit=""
          lines={outcomes}
        />
        <PointsTable series={series} />
      </Section>
    </>
  )
}

function useCsvColumns(): CsvColumn<SupplierSummary>[] {
  const { t } = useTranslation()
  return [
    [t('priceChecks.summary.supplier'), ({ supplier }) => supplier],
    [t('priceChecks.summary.checks'), ({ checks }) => checks],
    [`${t('priceChecks.summary.p50')} (ms)`, ({ p50Ms }) => p50Ms ?? ''],
    [`${t('priceChecks.summary.p95')} (ms)`, ({ p95Ms }) => p95Ms ?? ''],
    [`${t('priceChecks.summary.p99')} (ms)`, ({ p99Ms }) => p99Ms ?? ''],
    ...outcomeNames.map((name): CsvColumn<SupplierSummary> => [
      t(`priceChecks.outcome.${name}`),
      ({ outcomes }) => outcomes[name] ?? 0,
    ]),
  ]
}

function useColumns(): Column<SupplierSummary>[] {
  const { t } = useTranslation()
  const percentile = (key: 'p50' | 'p95' | 'p99'): Column<SupplierSummary> => ({
    key,
    header: t(`priceChecks.summary.${key}`),
    align: 'right',
    cell: ({ [`${key}Ms` as const]: ms }) =>
      ms === null ? t('priceChecks.summary.noCalls') : t('priceChecks.ms', { ms }),
    sorting: { by: ({ [`${key}Ms` as const]: ms }) => ms },
  })
  return [
    {
      key: 'supplier',
      sorting: { by: ({ supplier }) => supplier },
      header: t('priceChecks.summary.supplier'),
      cell: ({ supplierId, supplier }) => (
        <LinkTo fz="sm" to="/suppliers/$supplierId" params={{ supplierId: String(supplierId) }}>
          {supplier}
        </LinkTo>
      ),
    },
    {
      key: 'checks',
      sorting: { by: ({ checks }) => checks },
      header: t('priceChecks.summary.checks'),
      align: 'right',
      cell: ({ checks, countedSince }) => (
        <>
          {checks}
          {countedSince !== null && (
            <Text size="xs" c="dimmed">
              {t('priceChecks.summary.counted', {
                count: checks,
                at: timeText(countedSince) ?? countedSince,
              })}
            </Text>
          )}
        </>
      ),
    },
    percentile('p50'),
    percentile('p95'),
    percentile('p99'),
    {
      key: 'shares',
      header: t('priceChecks.summary.shares'),
      cell: ({ outcomes, checks }) => <Shares outcomes={outcomes} checks={checks} />,
    },
  ]
}

/** Outcomes as a bar and in words, the most frequent first. */
function Shares({ outcomes, checks }: Pick<SupplierSummary, 'outcomes' | 'checks'>) {
  const { t } = useTranslation()
  const shares = Object.entries(outcomes)
    .flatMap(([outcome, count]) => (isOutcome(outcome) ? [{ outcome, count }] : []))
    .sort((left, right) => right.count - left.count)
  return (
    <div className={classes['shares']}>
      <div className={classes['bar']} aria-hidden>
        {shares.map(({ outcome, count }) => (
          <span key={outcome} data-outcome={outcome} style={{ flexGrow: count }} />
        ))}
      </div>
      <ul>
        {shares.map(({ outcome, count }) => (
          <li key={outcome}>
            <span className={classes['mark']} data-outcome={outcome} aria-hidden />
            {t(`priceChecks.outcome.${outcome}`)} {percentOf(count, checks)}%
          </li>
        ))}
      </ul>
    </div>
  )
}

/** With one decimal if it would otherwise be 0 or 100. */
function percentOf(count: number, all: number): string {
  const percent = (count / all) * 100
  return percent > 99 || percent < 1 ? String(Math.round(percent * 10) / 10) : String(Math.round(percent))
}
