/** What deploy/ ships, as far as it can be judged without an engine: compose files, the Helm chart, the systemd unit. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { copyFileSync, existsSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { Ajv } from 'ajv'
import { parse, parseAllDocuments } from 'yaml'
import { readConfig } from '../../src/settings/config.ts'
import { root } from '../stage/files.ts'
import { renderChart, type Values } from '../stage/programs/helm-chart.ts'
import { missing } from '../stage/programs/programs.ts'

const textOf = (path: string): string => readFileSync(join(root, 'deploy', path), 'utf8')
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))

type Members = Record<string, unknown>
const membersOf = (value: unknown): Members => Object(value)
const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])

/** A misspelled setting would have no effect. */
function assertKnownSettings(environ: Members, where: string): void {
  const named = Object.fromEntries(Object.keys(environ).map((name) => [name, '']))
  assert.deepEqual(readConfig(named).warnings, [], where)
}

const overlays = ['compose.yml', 'compose.postgres.yml', 'compose.scale.yml', 'compose.observe.yml']

for (const name of overlays) {
  test(`${name}: known settings, whole versions, no privilege, and every file that it names is there`, () => {
    const compose = membersOf(parse(textOf(name), { merge: true }))
    for (const [service, given] of Object.entries(membersOf(compose['services']))) {
      const of = membersOf(given)
      const image = typeof of['image'] === 'string' ? of['image'] : ''
      if (image.startsWith('ari-gateway')) {
        assert.match(image, new RegExp(`^ari-gateway:${RegExp.escape(version)}(-slim)?$`))
        assertKnownSettings(membersOf(of['environment']), `${name} ${service}`)
      } else if (image !== '') assert.match(image, /^[\w/-]+:v?\d+\.\d+(\.\d+)?(-\w+)?$/, service)
      for (const port of listOf(of['ports'])) assert.match(String(port), /^127\.0\.0\.1:/, service)
      // The overlays add to what the first file says of `ari`.
      if (image === '' || (service === 'ari' && name !== 'compose.yml')) continue
      assert.deepEqual(of['security_opt'], ['no-new-privileges:true'], service)
      if (!image.startsWith('ari-gateway')) continue
      assert.deepEqual([of['read_only'], of['cap_drop'], of['init']], [true, ['ALL'], true], service)
    }
    const files = Object.values(membersOf(compose['configs'])).map((one) => String(membersOf(one)['file']))
    for (const file of files) assert.ok(existsSync(join(root, 'deploy', file)), file)
    const defined = new Set(['vault-key', 'database-url', ...Object.keys(membersOf(compose['secrets']))])
    for (const of of Object.values(membersOf(compose['services'])).map(membersOf))
      for (const secret of listOf(of['secrets'])) assert.ok(defined.has(String(secret)), String(secret))
  })
}

const chartFolder = join(root, 'deploy/helm/ari')
const schema = JSON.parse(readFileSync(join(chartFolder, 'values.schema.json'), 'utf8'))
const defaults: Values = parse(readFileSync(join(chartFolder, 'values.yaml'), 'utf8'))
const external = { database: { existingSecret: 'db', key: 'database-url' } }
const everything: Values = {
  ...external,
  vaultKey: { existingSecret: 'vault', key: 'vault-key' },
  settings: { ARI_PUSH_LOG_DAYS: '30', LOG_LEVEL: 'info' },
  podLabels: { team: 'supply' },
  extraEnv: [{ name: 'ARI_PATIENCE', value: '2' }],
  extraVolumes: [{ name: 'extra', configMap: { name: 'extra', items: [{ key: 'a', path: 'a "b"' }] } }],
  gateway: {
    replicas: 3,
    autoscaling: { enabled: true, minReplicas: 2, maxReplicas: 9, targetCPUUtilizationPercentage: 60 },
  },
  ingress: {
    enabled: true,
    host: 'ari.example.com',
    tlsSecret: 'tls',
    className: 'nginx',
    annotations: { a: 'b' },
  },
  httpRoute: { enabled: true, parentRefs: [{ name: 'edge' }], hostnames: ['ari.example.com'] },
  networkPolicy: { enabled: true, databaseCidr: '10.1.2.0/24' },
  serviceMonitor: { enabled: true, labels: { release: 'prometheus' } },
  test: { existingSecret: 'key', key: 'api-key' },
}

test('the chart has the version of the gateway, and its schema refuses misspelled and impossible values', () => {
  const chart = membersOf(parse(readFileSync(join(chartFolder, 'Chart.yaml'), 'utf8')))
  assert.equal(chart['appVersion'], version)
  const validate = new Ajv({ strict: false }).compile(schema)
  const isValid = (values: Values): boolean => validate({ ...defaults, ...values })
  assert.deepEqual(
    [isValid(external), isValid({ mode: 'embedded' })],
    [true, true],
    JSON.stringify(validate.errors),
  )
  for (const wrong of [
    {},
    { ...external, enviroment: 'production' },
    { ...external, environment: 'prod' },
    { ...external, settings: { ARI_PROCESSES: 2 } },
    { ...external, image: { repository: 'ari-gateway', digest: 'sha256:1' } },
    { mode: 'embedded', embedded: { size: '20Gi', replicas: 2 } },
    { ...external, terminationGracePeriodSeconds: 5 },
  ])
    assert.equal(isValid(wrong), false, JSON.stringify(wrong))
})

test('rendered by Go’s template engine, the chart makes what each mode needs, and every pod is locked down', async () => {
  const kinds = async (values: Values): Promise<Map<string, Members>> => {
    const documents = (await renderChart(chartFolder, values)).flatMap((text) => parseAllDocuments(text))
    for (const document of documents) assert.deepEqual(document.errors, [])
    const made = documents.map((document) => membersOf(document.toJS())).filter((one) => 'kind' in one)
    return new Map(
      made.map((one) => [`${String(one['kind'])} ${String(membersOf(one['metadata'])['name'])}`, one]),
    )
  }
  const [few, embedded, all] = [
    await kinds(external),
    await kinds({ mode: 'embedded' }),
    await kinds(everything),
  ]
  const ofExternal = [
    'Deployment r-ari-console',
    'Deployment r-ari-gateway',
    'Deployment r-ari-worker',
    `Job r-ari-migrate-${version}`,
    'Pod r-ari-test',
    'PodDisruptionBudget r-ari-gateway',
    'Service r-ari',
    'Service r-ari-console',
    'Service r-ari-metrics',
  ]
  assert.deepEqual([...few.keys()].sort(), ofExternal)
  assert.deepEqual([...embedded.keys()].sort(), [
    'Pod r-ari-test',
    'Service r-ari',
    'Service r-ari-metrics',
    'StatefulSet r-ari',
  ])
  assert.deepEqual([...all.keys()].filter((one) => !ofExternal.includes(one)).sort(), [
    'HTTPRoute r-ari',
    'HorizontalPodAutoscaler r-ari-gateway',
    'Ingress r-ari',
    'NetworkPolicy r-ari',
    'ServiceMonitor r-ari',
  ])
  assert.equal(membersOf(embedded.get('StatefulSet r-ari')?.['spec'])['replicas'], 1)
  assert.equal(
    'replicas' in membersOf(all.get('Deployment r-ari-gateway')?.['spec']),
    false,
    'of the autoscaler',
  )
  for (const [name, made] of [...few, ...embedded, ...all]) {
    const spec = membersOf(made['spec'])
    const pod = made['kind'] === 'Pod' ? spec : membersOf(membersOf(spec['template'])['spec'])
    for (const container of listOf(pod['containers']).map(membersOf)) assertLockedDown(name, pod, container)
  }
  const worker = containerOf(all.get('Deployment r-ari-worker'))
  const variables = listOf(worker['env']).map(membersOf)
  assert.deepEqual(variables.find(({ name }) => name === 'ARI_ROLES')?.['value'], 'worker')
  assert.deepEqual(variables.find(({ name }) => name === 'ARI_PATIENCE')?.['value'], '2')
  assert.equal(worker['image'], `ari-gateway:${version}-slim`)
  assert.equal(containerOf(embedded.get('StatefulSet r-ari'))['image'], `ari-gateway:${version}`)
})

test('the name of the Job has at most 45 characters, whatever the release is called', async () => {
  const release = 'a-release-with-as-long-a-name-as-helm-allows-it-to-be'
  assert.equal(release.length, 53)
  const documents = (await renderChart(chartFolder, external, release)).flatMap((text) =>
    parseAllDocuments(text),
  )
  const job = documents.map((document) => membersOf(document.toJS())).find(({ kind }) => kind === 'Job')
  const name = String(membersOf(job?.['metadata'])['name'])
  assert.match(name, /^[a-z][a-z0-9.-]{0,43}[a-z0-9]$/)
  assert.ok(name.endsWith(`-ari-migrate-${version}`), name)
})

test('the chart gives a pod an hour to start if it brings its store up to date or recovers it by itself', async () => {
  const secondsOf = async (values: Values, name: string): Promise<unknown> => {
    const documents = (await renderChart(chartFolder, values)).flatMap((text) => parseAllDocuments(text))
    const made = documents.map((document) => membersOf(document.toJS()))
    const pods = made.find(
      (one) => `${String(one['kind'])} ${String(membersOf(one['metadata'])['name'])}` === name,
    )
    const { periodSeconds, failureThreshold } = membersOf(containerOf(pods)['startupProbe'])
    return Number(periodSeconds) * Number(failureThreshold)
  }
  const migrating = { ...external, migration: { enabled: false, activeDeadlineSeconds: 3600 } }
  assert.equal(await secondsOf({ mode: 'embedded' }, 'StatefulSet r-ari'), 3600)
  assert.equal(await secondsOf(migrating, 'Deployment r-ari-gateway'), 3600)
  assert.equal(await secondsOf(external, 'Deployment r-ari-gateway'), 300)
})

test('the chart leads below a path too, console and API, and refuses one that is none', async () => {
  const routed = async (path: string): Promise<unknown> => {
    const values = {
      ...everything,
      ingress: { enabled: true, host: 'apps.example.com', path },
      httpRoute: { enabled: true, parentRefs: [{ name: 'edge' }], hostnames: ['apps.example.com'], path },
    }
    const documents = (await renderChart(chartFolder, values)).flatMap((text) => parseAllDocuments(text))
    const made = documents.map((document) => membersOf(document.toJS()))
    const specOf = (kind: string) => membersOf(made.find((one) => one['kind'] === kind)?.['spec'])
    const [rule] = listOf(specOf('Ingress')['rules']).map(membersOf)
    const ofIngress = listOf(membersOf(rule?.['http'])['paths']).map((one) => membersOf(one)['path'])
    const ofRoute = listOf(specOf('HTTPRoute')['rules']).map((one) => {
      const [match] = listOf(membersOf(one)['matches'])
      return membersOf(membersOf(match)['path'])['value']
    })
    return { ofIngress, ofRoute }
  }
  assert.deepEqual(await routed(''), { ofIngress: ['/', '/console'], ofRoute: ['/console', '/'] })
  assert.deepEqual(await routed('/ari'), {
    ofIngress: ['/ari', '/ari/console'],
    ofRoute: ['/ari/console', '/ari'],
  })
  const validate = new Ajv({ strict: false }).compile(schema)
  for (const path of ['ari', '/ari/', '/', '/a b'])
    assert.equal(validate({ ...defaults, ...external, ingress: { path } }), false, path)
  assert.equal(validate({ ...defaults, ...external, ingress: { path: '/apps/ari' } }), true)
})

function containerOf(made: Members | undefined): Members {
  const pod = membersOf(membersOf(membersOf(made?.['spec'])['template'])['spec'])
  return membersOf(listOf(pod['containers'])[0])
}

function assertLockedDown(name: string, pod: Members, container: Members): void {
  assert.deepEqual(
    container['securityContext'],
    { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: ['ALL'] } },
    name,
  )
  const { runAsNonRoot, seccompProfile } = membersOf(pod['securityContext'])
  assert.deepEqual([runAsNonRoot, seccompProfile], [true, { type: 'RuntimeDefault' }], name)
  assert.deepEqual([pod['automountServiceAccountToken'], pod['enableServiceLinks']], [false, false], name)
  const volumes = new Set(listOf(pod['volumes']).map((one) => membersOf(one)['name']))
  const claimed = name.startsWith('StatefulSet') ? ['data'] : []
  for (const mount of listOf(container['volumeMounts']).map(membersOf))
    assert.ok(
      volumes.has(mount['name']) || claimed.includes(String(mount['name'])),
      `${name} ${String(mount['name'])}`,
    )
  if (name.startsWith('Pod')) return
  const environ = Object.fromEntries(
    listOf(container['env']).map((one) => [String(membersOf(one)['name']), '']),
  )
  assertKnownSettings(environ, name)
}

test('the systemd unit is right, and exposes little', async (t) => {
  const environ = [...textOf('ari.service').matchAll(/^Environment=(\w+)=/gm)].map(([, name]) => [name, ''])
  assertKnownSettings(Object.fromEntries(environ), 'ari.service')
  const why = await missing('/usr/bin/systemd-analyze', 'systemd')
  if (why !== undefined) return t.skip(why)
  const folder = mkdtempSync(join(tmpdir(), 'ari-unit-'))
  try {
    const unit = join(folder, 'ari.service')
    copyFileSync(join(root, 'deploy/ari.service'), unit)
    const said = execFileSync(
      'sh',
      ['-c', `/usr/bin/systemd-analyze verify --man=no '${unit}' 2>&1 || true`],
      {
        encoding: 'utf8',
      },
    )
    // The command is there once the package is installed.
    assert.match(
      said,
      /^(?:ari\.service: Command \/usr\/bin\/ari is not executable: No such file or directory\n)?$/,
    )
    const security = execFileSync(
      '/usr/bin/systemd-analyze',
      ['security', '--offline=true', '--no-pager', unit],
      {
        encoding: 'utf8',
      },
    )
    const score = Number(/exposure level for ari\.service: ([\d.]+)/.exec(security)?.[1])
    t.diagnostic(`exposure ${score} of 10`)
    assert.ok(score < 3, security)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})

test('every file of deploy/ is named in a guide', () => {
  const guides = globSync('docs/*.md', { cwd: root })
    .map((path) => readFileSync(join(root, path), 'utf8'))
    .join('\n')
  const files = globSync('{Dockerfile,*.yml,*.service}', { cwd: join(root, 'deploy') })
  for (const file of [...files, 'helm/ari'])
    assert.ok(guides.includes(`deploy/${file}`) || guides.includes(file), file)
})
