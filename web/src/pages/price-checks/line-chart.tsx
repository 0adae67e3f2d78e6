import { useComputedColorScheme } from '@mantine/core'
import { useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import type { SummaryPoint } from '../../../../src/console-api/price-checks/contract.ts'
import { DataTable } from '../../parts/lists/data-table.tsx'
import { Time } from '../../parts/values/time.tsx'
import classes from './price-checks.module.css'

type Line = {
  label: string
  /** A colour of the theme. */
  color: string
  values: readonly (number | null)[]
}

const heightPx = 220
const font = '11px "Inter Variable", system-ui, sans-serif'
const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' })

/** In the viewer's zone, like everything that doesn't belong to a hotel. */
function clockText(seconds: number): string {
  return clock.format(seconds * 1000)
}

/** Lines over time. The figures are also in a table, because a canvas is not accessible. */
export function LineChart({
  label,
  from,
  to,
  at,
  unit,
  lines,
}: {
  label: string
  from: string
  to: string
  at: readonly string[]
  unit: string
  lines: readonly Line[]
}) {
  const frame = useRef<HTMLDivElement>(null)
  const scheme = useComputedColorScheme('light')
  const timeLabel = useTranslation().t('priceChecks.summary.time')
  useEffect(() => {
    const place = frame.current
    if (!place) return undefined
    const colorOf = (name: string): string =>
      getComputedStyle(place).getPropertyValue(`--mantine-color-${name}-${scheme === 'dark' ? 4 : 7}`)
    const ink = getComputedStyle(place).getPropertyValue('--mantine-color-dimmed')
    const rule = getComputedStyle(place).getPropertyValue('--mantine-color-default-border')
    const tellNewest = (shown: uPlot): void => shown.setLegend({ idx: at.length - 1 }, false)
    const axis = { stroke: ink, font, grid: { stroke: rule, width: 1 }, ticks: { stroke: rule, width: 1 } }
    const chart = new uPlot(
      {
        width: place.clientWidth,
        height: heightPx,
        axes: [
          { ...axis, values: (_, ticks) => ticks.map(clockText) },
          { ...axis, size: 64, values: (_, ticks) => ticks.map((tick) => `${tick} ${unit}`.trim()) },
        ],
        scales: {
          x: { range: () => [Date.parse(from) / 1000, Date.parse(to) / 1000] },
          y: { range: (_, _least, most) => [0, Math.max(1, most * 1.1)] },
        },
        series: [
          { label: timeLabel, value: (_, seconds) => (Number.isFinite(seconds) ? clockText(seconds) : '') },
          ...lines.map((line) => ({
            label: line.label,
            stroke: colorOf(line.color),
            width: 2,
            points: { show: true, size: 5 },
            value: (_: uPlot, value: number | null) => (value === null ? '–' : `${value} ${unit}`.trim()),
          })),
        ],
        // Without a pointer, the legend shows the newest figures.
        hooks: {
          ready: [tellNewest],
          setCursor: [
            (shown) => {
              if (typeof shown.cursor.idx !== 'number') tellNewest(shown)
            },
          ],
        },
      },
      [at.map((instant) => Date.parse(instant) / 1000), ...lines.map(({ values }) => [...values])],
      place,
    )
    const observer = new ResizeObserver(() => chart.setSize({ width: place.clientWidth, height: heightPx }))
    observer.observe(place)
    return () => {
      observer.disconnect()
      chart.destroy()
    }
  }, [from, to, at, lines, unit, scheme, timeLabel])
  return (
    <div className={classes['chart']} role="img" aria-label={label}>
      <div ref={frame} />
    </div>
  )
}

/** Shared by both charts. */
export function PointsTable({ series }: { series: readonly SummaryPoint[] }) {
  const { t } = useTranslation()
  const ms = (value: number | null): string =>
    value === null ? t('priceChecks.summary.noCalls') : t('priceChecks.ms', { ms: value })
  return (
    <details className={classes['points']}>
      <summary>{t('priceChecks.summary.asTable')}</summary>
      <DataTable
        caption={t('priceChecks.summary.chart')}
        rows={series}
        rowKey={({ at }) => at}
        empty={{ title: t('priceChecks.summary.none') }}
        columns={[
          { key: 'at', header: t('priceChecks.summary.time'), cell: ({ at }) => <Time at={at} /> },
          {
            key: 'checks',
            header: t('priceChecks.summary.checks'),
            align: 'right',
            cell: ({ checks }) => checks,
          },
          {
            key: 'failed',
            header: t('priceChecks.summary.failed'),
            align: 'right',
            cell: ({ failed }) => failed,
          },
          {
            key: 'p50',
            header: t('priceChecks.summary.p50'),
            align: 'right',
            cell: ({ p50Ms }) => ms(p50Ms),
          },
          {
            key: 'p95',
            header: t('priceChecks.summary.p95'),
            align: 'right',
            cell: ({ p95Ms }) => ms(p95Ms),
          },
          {
            key: 'p99',
            header: t('priceChecks.summary.p99'),
            align: 'right',
            cell: ({ p99Ms }) => ms(p99Ms),
          },
        ]}
      />
    </details>
  )
}
