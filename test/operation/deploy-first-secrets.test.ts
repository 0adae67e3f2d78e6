/** What showed when each way of docs/install.md was tried from nothing: compose files and the Helm chart. */
import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { parseAllDocuments, parseDocument, Scalar } from 'yaml'
import { root } from '../stage/files.ts'
import { renderChart, type Values } from '../stage/programs/helm-chart.ts'

type Members = Record<string, unknown>
const membersOf = (value: unknown): Members => Object(value)
const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])
const textOf = (path: string): string => readFileSync(join(root, 'deploy', path), 'utf8')
const file = '/data/first-secrets.json'

async function made(values: Values): Promise<Members[]> {
  const texts = await renderChart(join(root, 'deploy/helm/ari'), values)
  return texts.flatMap((text) => parseAllDocuments(text)).map((document) => membersOf(document.toJS()))
}

function specOf(all: Members[], kind: string): Members {
  return membersOf(all.find((one) => one['kind'] === kind)?.['spec'])
}

/** Compose 2.24 takes away what an earlier file said. */
const reset = { tag: '!reset', collection: 'seq' as const, resolve: () => new Scalar('reset') }

test('behind nginx the worker publishes no port, which a second one could not have, and no gateway logs the first key', () => {
  const document = parseDocument(textOf('compose.scale.yml'), { merge: true, customTags: [reset] })
  assert.deepEqual([...document.errors, ...document.warnings], [])
  const services = membersOf(membersOf(document.toJS())['services'])
  assert.equal(membersOf(services['ari'])['ports'], 'reset')
  for (const name of ['gateway-1', 'gateway-2'])
    assert.equal(membersOf(membersOf(services[name])['environment'])['ARI_BOOTSTRAP_FILE'], file)
})

test('in each mode the chart’s pods put the first secrets into a file, not into their log', async () => {
  for (const values of [{ database: { existingSecret: 'db', key: 'database-url' } }, { mode: 'embedded' }]) {
    const kinds = ['Deployment', 'StatefulSet']
    const serving = (await made(values)).filter(({ kind }) => kinds.includes(String(kind)))
    assert.ok(serving.length > 0)
    for (const { spec } of serving) {
      const pod = membersOf(membersOf(membersOf(spec)['template'])['spec'])
      const environ = listOf(membersOf(listOf(pod['containers'])[0])['env']).map(membersOf)
      const named = environ.filter(({ name }) => name === 'ARI_BOOTSTRAP_FILE')
      assert.deepEqual(named, [{ name: 'ARI_BOOTSTRAP_FILE', value: file }])
    }
  }
})

test('the chart’s network policy is of the service’s pods alone: helm test asks the service at its own port', async () => {
  const all = await made({
    database: { existingSecret: 'db', key: 'database-url' },
    networkPolicy: { enabled: true },
  })
  const [chosen] = listOf(membersOf(specOf(all, 'NetworkPolicy')['podSelector'])['matchExpressions'])
  assert.deepEqual(chosen, {
    key: 'app.kubernetes.io/component',
    operator: 'In',
    values: ['gateway', 'worker', 'console', 'migrate'],
  })
  const pod = membersOf(all.find(({ kind }) => kind === 'Pod')?.['metadata'])
  assert.equal('app.kubernetes.io/component' in membersOf(pod['labels']), false)
})

test('every guide that a file of deploy/ names is there', () => {
  const cwd = join(root, 'deploy')
  for (const path of globSync('{Dockerfile,*.yml,*.service,compose/*,helm/ari/**/*.*}', { cwd }))
    for (const [, guide = ''] of textOf(path).matchAll(/\bdocs\/([\w/-]+\.\w+)/g))
      assert.ok(existsSync(join(root, 'docs', guide)), `${path} names docs/${guide}`)
})
