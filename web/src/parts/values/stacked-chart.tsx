import 'uplot/dist/uPlot.min.css'
import { useComputedColorScheme } from '@mantine/core'
import { useEffect, useRef } from 'react'
import UPlot from 'uplot'

export type ChartSeries = {
  label: string
  values: readonly number[]
  colors: { light: string; dark: string }
}

const inks = {
  light: { text: '#596273', grid: '#eceef2' },
  dark: { text: '#a0a8b5', grid: '#242a33' },
}
const heightPx = 150
/** Distances between the marks of the axis: there is no half of a push. */
const wholeSteps = [1, 2, 5]
  .flatMap((step) => [1, 10, 100, 1_000, 10_000, 100_000].map((tens) => step * tens))
  .sort((a, b) => a - b)
const font = '11px "Inter Variable", system-ui, sans-serif'

/**
 * Stacked bars, one per step of time. The same data is always available as a table, for people who cannot see the chart.
 */
export function StackedChart({
  label,
  times,
  series,
}: {
  label: string
  /** Starts of the steps, in seconds since 1970. */
  times: readonly number[]
  /** Bottom series first. */
  series: readonly ChartSeries[]
}) {
  const place = useRef<HTMLDivElement>(null)
  const scheme = useComputedColorScheme('light')
  useEffect(() => {
    const element = place.current
    if (!element) return undefined
    const chart = new UPlot(
      options({ width: element.clientWidth, stepSeconds: stepOf(times) }, series, scheme),
      stacked(times, series),
      element,
    )
    const observer = new ResizeObserver(() => chart.setSize({ width: element.clientWidth, height: heightPx }))
    observer.observe(element)
    return () => {
      observer.disconnect()
      chart.destroy()
    }
  }, [times, series, scheme])
  return <div ref={place} role="img" aria-label={label} style={{ height: heightPx }} />
}

/** uPlot draws each series over the previous one: the sums come first, the bottom series last. */
function stacked(times: readonly number[], series: readonly ChartSeries[]): UPlot.AlignedData {
  const sums = times.map(() => 0)
  const upwards = series.map(({ values }) =>
    times.map((_, index) => (sums[index] = (sums[index] ?? 0) + (values[index] ?? 0))),
  )
  return [[...times], ...upwards.reverse()]
}

const barWidth: UPlot.Series.BarsPathBuilderOpts = { size: [0.75, 24], align: 1, radius: 0.15 }

function stepOf([first = 0, second = first]: readonly number[]): number {
  return second - first
}

function options(
  { width, stepSeconds }: { width: number; stepSeconds: number },
  series: readonly ChartSeries[],
  scheme: 'light' | 'dark',
): UPlot.Options {
  const { text, grid } = inks[scheme]
  const axis = { stroke: text, font, ticks: { show: false }, grid: { stroke: grid, width: 1 } }
  const bars = UPlot.paths.bars?.(barWidth)
  return {
    width,
    height: heightPx,
    padding: [8, 0, 0, 0],
    legend: { show: false },
    cursor: { show: false },
    // The last bar is to the right of its start.
    scales: {
      x: { time: true, range: (_plot, min, max) => [min, max + stepSeconds] },
      y: { range: (_plot, _min, max) => [0, Math.max(4, max * 1.05)] },
    },
    axes: [
      { ...axis, grid: { show: false }, values: '{HH}:{mm}', space: 60, size: 28 },
      { ...axis, size: 44, space: 36, incrs: wholeSteps },
    ],
    series: [
      {},
      ...series
        .map(({ label, colors }) => ({
          label,
          fill: colors[scheme],
          width: 0,
          points: { show: false },
          ...(bars ? { paths: bars } : {}),
        }))
        .reverse(),
    ],
  }
}
