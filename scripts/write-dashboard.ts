/** Writes docs/monitoring/grafana-dashboard.json from the panels in monitoring/. A test holds it against what /metrics has. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { formatted } from './formatted.ts'
import { rowsOfBookings } from './monitoring/booking-panels.ts'
import type { Panel } from './monitoring/panel.ts'
import { rowsOfPushes } from './monitoring/panels.ts'
import { root } from './project-files.ts'

export const dashboardPath = 'docs/monitoring/grafana-dashboard.json'

const columns = 24
const panelHeight = 8
const statHeight = 5

function dashboard(): unknown {
  const panels: unknown[] = []
  let y = 0
  for (const { title, panels: inRow } of [...rowsOfPushes, ...rowsOfBookings]) {
    panels.push({
      id: panels.length + 1,
      type: 'row',
      title,
      collapsed: false,
      panels: [],
      gridPos: { x: 0, y, w: columns, h: 1 },
    })
    y++
    const isStats = inRow.every(({ kind }) => kind === 'stat')
    const [w, h] = isStats ? [Math.floor(columns / inRow.length), statHeight] : [columns / 2, panelHeight]
    for (const [index, panel] of inRow.entries()) {
      const inLine = Math.floor(columns / w)
      const at = { x: (index % inLine) * w, y: y + Math.floor(index / inLine) * h, w, h }
      panels.push(shown(panel, panels.length + 1, at))
    }
    y += Math.ceil(inRow.length / Math.floor(columns / w)) * h
  }
  return {
    title: 'ARI gateway',
    uid: 'ari-gateway',
    description:
      'Pushes, price checks, reservations and deliveries of the ARI gateway. Written by scripts/write-dashboard.ts.',
    tags: ['ari'],
    schemaVersion: 39,
    editable: true,
    graphTooltip: 1,
    refresh: '30s',
    time: { from: 'now-6h', to: 'now' },
    timezone: 'browser',
    templating: { list: [datasourceVariable, jobVariable] },
    panels,
  }
}

const datasourceVariable = {
  name: 'datasource',
  label: 'Prometheus',
  type: 'datasource',
  query: 'prometheus',
}
const jobVariable = {
  name: 'job',
  label: 'Job',
  type: 'query',
  datasource: { type: 'prometheus', uid: '${datasource}' },
  query: 'label_values(ari_requests_in_flight, job)',
  includeAll: true,
  multi: true,
  allValue: '.*',
  current: { text: 'All', value: '$__all' },
  refresh: 2,
}

function shown(
  { title, description, unit, queries, kind = 'timeseries', marks, isStacked }: Panel,
  id: number,
  gridPos: unknown,
): unknown {
  const steps = [
    { color: 'green', value: null },
    ...(marks
      ? [
          { color: 'yellow', value: marks[0] },
          { color: 'red', value: marks[1] },
        ]
      : []),
  ]
  const graph = {
    lineWidth: 1,
    fillOpacity: isStacked ? 30 : 10,
    showPoints: 'never',
    stacking: { mode: isStacked ? 'normal' : 'none', group: 'A' },
    thresholdsStyle: { mode: marks ? 'dashed' : 'off' },
  }
  return {
    id,
    type: kind,
    title,
    description,
    datasource: { type: 'prometheus', uid: '${datasource}' },
    gridPos,
    fieldConfig: {
      defaults: {
        unit,
        min: 0,
        thresholds: { mode: 'absolute', steps },
        ...(kind === 'timeseries' ? { custom: graph } : {}),
      },
      overrides: [],
    },
    options:
      kind === 'stat'
        ? { reduceOptions: { calcs: ['lastNotNull'] }, colorMode: 'background', graphMode: 'area' }
        : { legend: { displayMode: 'list', placement: 'bottom' }, tooltip: { mode: 'multi', sort: 'desc' } },
    targets: queries.map(([expr, legendFormat], index) => ({
      refId: String.fromCharCode(65 + index),
      expr,
      legendFormat,
    })),
  }
}

/** As in the file. */
export function dashboardText(): string {
  return formatted(dashboardPath, JSON.stringify(dashboard(), null, 2))
}

if (import.meta.main) {
  mkdirSync(dirname(join(root, dashboardPath)), { recursive: true })
  writeFileSync(join(root, dashboardPath), dashboardText())
  process.stdout.write(`${dashboardPath} is written\n`)
}
