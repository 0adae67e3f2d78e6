/** The dashboard and the alert rules name only metrics of /metrics, and the dashboard shows all of ours. */
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { after, before, test } from 'node:test'
import { telemetry } from '../../src/base/telemetry.ts'
import { startExampleSupplier, type ExampleSupplier, sendExamples } from '../stage/scenes/examples.ts'
import { startGateway, type TestGateway } from '../stage/harness.ts'

const root = resolve(import.meta.dirname, '../..')
const dashboard = JSON.parse(readFileSync(join(root, 'docs/monitoring/grafana-dashboard.json'), 'utf8'))
const alerts = readFileSync(join(root, 'docs/monitoring/alerts.yml'), 'utf8')

let outside: ExampleSupplier
let gateway: TestGateway
let page: string
let metrics: Metrics

before(async () => {
  outside = await startExampleSupplier()
  gateway = await startGateway(outside)
  const deliveries = gateway.app.startDeliveries()
  await sendExamples(gateway)
  page = await (await fetch(`${gateway.url}/metrics`)).text()
  metrics = metricsIn(page)
  await deliveries.close()
})
after(async () => {
  await gateway.stop()
  await outside.close()
})

/** By queryable name; a histogram has three. */
type Metrics = Map<string, { base: string; labels: Set<string> }>

function metricsIn(text: string): Metrics {
  const found: Metrics = new Map()
  for (const [, base = '', type = ''] of text.matchAll(/^# TYPE (\S+) (\S+)$/gm)) {
    const suffixes = type === 'histogram' ? ['_bucket', '_sum', '_count'] : ['']
    for (const suffix of suffixes) {
      const labels = suffix === '_bucket' ? ['le'] : []
      found.set(`${base}${suffix}`, { base, labels: new Set([...labels, ...(labelsOf.get(base) ?? [])]) })
    }
  }
  for (const [, name = '', labels = ''] of text.matchAll(/^(\w+)\{(.*)\} \S+$/gm)) {
    for (const [, label = ''] of labels.matchAll(/(\w+)="/g)) found.get(name)?.labels.add(label)
  }
  return found
}

/** /metrics shows no labels for metrics that have not counted anything yet. */
const labelsOf = new Map(
  Object.values(telemetry()).flatMap((metric): [string, string[]][] => {
    const { name, labelNames } = Object(metric)
    return typeof name === 'string' && Array.isArray(labelNames) ? [[name, labelNames]] : []
  }),
)

/** Labels added by Prometheus. */
const labelsOfScrape = ['job', 'instance']
const literals = new Set(
  globSync('src/**/*.ts', { cwd: root })
    .filter((path) => !path.endsWith('.test.ts'))
    .flatMap((path) => [...readFileSync(join(root, path), 'utf8').matchAll(/'([^'\n]{1,60})'/g)])
    .map(([, text = '']) => text),
)
// Statuses are numbers in the code.
for (const status of [200, 400, 404, 500, 503]) literals.add(String(status))

function problemsOf(expression: string): string[] {
  const named = [...expression.matchAll(/\b((?:ari|nodejs|process)_\w+)(?:\{([^}]*)\})?/g)]
  if (named.length === 0) return ['names no metric']
  const problems: string[] = []
  const everywhere = new Set(named.flatMap(([, name = '']) => [...(metrics.get(name)?.labels ?? [])]))
  for (const [, name = '', matchers = ''] of named) {
    const metric = metrics.get(name)
    if (!metric) problems.push(`/metrics has no ${name}`)
    for (const [, label = '', operator = '', value = ''] of matchers.matchAll(
      /(\w+)(=~|!~|!=|=)"([^"]*)"/g,
    )) {
      if (labelsOfScrape.includes(label)) continue
      if (metric?.labels.has(label) !== true) problems.push(`${name} has no label ${label}`)
      const isPattern = operator.endsWith('~')
      const wanted = isPattern && !value.includes('(') ? value.split('|') : [value]
      for (const one of wanted) {
        const pattern = isPattern ? new RegExp(`^(?:${one})$`) : undefined
        const isKnown = pattern ? [...literals].some((text) => pattern.test(text)) : literals.has(one)
        if (!isKnown) problems.push(`${name}: ${label} is never ${one}`)
      }
    }
  }
  for (const [, list = ''] of expression.matchAll(/\bby \(([^)]*)\)/g)) {
    for (const label of list.split(', ')) {
      if (!labelsOfScrape.includes(label) && !everywhere.has(label))
        problems.push(`nothing has a label ${label}`)
    }
  }
  return problems.map((problem) => `${problem} in ${expression}`)
}

test('the panels of the dashboard have ids of their own, and none lies upon another', () => {
  type Panel = { id: number; gridPos: { x: number; y: number; w: number; h: number } }
  const panels: Panel[] = dashboard.panels
  const ids = panels.map(({ id }) => id)
  assert.deepEqual([...new Set(ids)], ids)
  const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) => {
    assert.ok(x + w <= 24)
    return Array.from({ length: w * h }, (_, cell) => `${x + (cell % w)},${y + Math.floor(cell / w)}`)
  })
  assert.deepEqual([...new Set(cells)], cells)
})

test('the dashboard asks for metrics and labels that there are, and says what each panel shows', () => {
  const panels = dashboard.panels.filter(({ type }: { type: string }) => type !== 'row')
  assert.ok(panels.length > 20)
  for (const { title, description, targets } of panels) {
    assert.ok(description.length > 20, `${title} has no description`)
    assert.deepEqual(
      targets.flatMap(({ expr }: { expr: string }) => problemsOf(expr)),
      [],
      title,
    )
  }
})

test('the first message about an alert that is given up is an increase, because there was a 0 before', () => {
  for (const channel of ['email', 'operators'])
    assert.ok(page.includes(`ari_alert_messages_total{channel="${channel}",outcome="given_up"} 0\n`), channel)
})

test('every metric of ours is on a panel', () => {
  const asked = JSON.stringify(dashboard.panels)
  const ours = new Set(
    [...metrics.values()].map(({ base }) => base).filter((base) => base.startsWith('ari_')),
  )
  assert.ok(ours.size > 20)
  assert.deepEqual(
    [...ours].filter((base) => !new RegExp(`\\b${base}(?:_bucket|_sum|_count)?\\b`).test(asked)),
    [],
  )
})

test('each alert rule asks for metrics that there are, and says what to look at', () => {
  const rules = alerts.split(/^ {6}- alert: /m).slice(1)
  assert.ok(rules.length > 15)
  assert.equal(alerts.match(/\balert:/g)?.length, rules.length, 'all are found')
  const names = rules.map((rule) => /^\w+/.exec(rule)?.[0])
  assert.deepEqual([...new Set(names)], names)
  for (const rule of rules) {
    const [, expression = ''] = /^ {8}expr: (?:>-\n)?([\s\S]*?)\n {8}for: \d+[mh]\n/m.exec(rule) ?? []
    assert.deepEqual(problemsOf(expression.replaceAll(/\s+/g, ' ')), [], rule)
    assert.match(rule, /^ {10}severity: (?:page|ticket)$/m)
    for (const said of ['summary', 'description', 'console'])
      assert.match(rule, new RegExp(`^ {10}${said}: \\S.{20,}$`, 'm'), `${rule} without ${said}`)
  }
})
