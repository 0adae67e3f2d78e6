/** What a panel is, and how what it asks is written. */

export type Panel = {
  title: string
  description: string
  /** Of Grafana: `short`, `s`, `bytes`, `ops`, `percentunit`. */
  unit: string
  queries: readonly (readonly [expression: string, legend: string])[]
  kind?: 'timeseries' | 'stat'
  /** From these values on it is yellow, and red. */
  marks?: readonly [number, number]
  isStacked?: boolean
}

export const rate = (metric: string, by: string) =>
  `sum by (${by}) (rate(${metric}{job=~"$job"}[$__rate_interval]))`
export const quantile = (share: number, metric: string, by = '', match = '') => {
  const grouped = by === '' ? 'le' : `le, ${by}`
  return `histogram_quantile(${share}, sum by (${grouped}) (rate(${metric}_bucket{job=~"$job"${match}}[$__rate_interval])))`
}
export const of = (metric: string) => `${metric}{job=~"$job"}`

export type Row = { title: string; panels: readonly Panel[] }
