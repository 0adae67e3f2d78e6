/**
 * The packages as npm would publish them, installed elsewhere, with their READMEs' examples as their users.
 */
import assert from 'node:assert/strict'
import { execFile, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { delimiter, join, resolve } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { promisify } from 'node:util'
import { newSigningSecret, signedHeaders } from '../../src/outbound/signature.ts'
import { pushBookingCallback } from '../../src/bookings/callback-contract.ts'
import { clientTypes } from '../../scripts/client-types.ts'
import { startGateway, type TestGateway } from '../../test/stage/harness.ts'
import { minutes } from '../../test/stage/pace.ts'

const execute = promisify(execFile)
const root = resolve(import.meta.dirname, '../..')
const folder = mkdtempSync(join(tmpdir(), 'ari-packages-'))
const home = join(folder, 'elsewhere')
const packages = ['client', 'outbox'] as const
const folderOf = (name: string): string => join(root, 'packages', name)
const readmeOf = (name: string): string => readFileSync(join(folderOf(name), 'README.md'), 'utf8')
const examples = packages.flatMap((of) =>
  [...readmeOf(of).matchAll(/^```ts( serve)?\n([\s\S]*?)^```$/gm)].map(([, serve, text = ''], index) => ({
    of,
    name: `${of}-${index + 1}`,
    isServer: serve !== undefined,
    text,
  })),
)
let gateway: TestGateway
let apiKey: string
let token: string
const signingSecret = newSigningSecret()
let packed: { name: string; filename: string; files: { path: string }[] }[] = []

before(async () => {
  gateway = await startGateway()
  gateway.app.startBulk()
  apiKey = (await gateway.supplier('Package')).apiKey
  token = await gateway.token('platform')
  mkdirSync(home)
  packed = packages.flatMap((name) =>
    JSON.parse(npm(['pack', '--json', '--pack-destination', folder], folderOf(name))),
  )
  writeFileSync(join(home, 'package.json'), '{ "private": true, "type": "module" }\n')
  const files = packed.map(({ filename }) => join(folder, filename))
  npm(['install', '--offline', '--no-audit', '--no-fund', ...files], home)
  for (const { name, text } of examples) writeFileSync(join(home, `${name}.ts`), text)
})
after(async () => {
  await gateway.stop()
  rmSync(folder, { recursive: true, force: true })
})

function npm(parameters: string[], cwd: string): string {
  return execFileSync('npm', parameters, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] })
}

/** The machine's own Node, which may be older than ours. */
function otherNode(): string {
  const folders = (process.env.PATH ?? '').split(delimiter).filter((entry) => !entry.includes('node_modules'))
  return folders.map((entry) => join(entry, 'node')).find(existsSync) ?? process.execPath
}

for (const [name, expected] of [
  ['client', /^ARI partially updated\nSUITE rejected RoomID not found\n$/],
  ['outbox', /^$/],
] as const) {
  test(`the commands in the ${name}’s README make it in a fresh copy of the project, and install and run it in an empty folder`, () =>
    runReadme(name, expected))
}

async function runReadme(name: string, expected: RegExp): Promise<void> {
  const readme = readmeOf(name)
  const place = mkdtempSync(join(folder, 'readme-'))
  const [copy, project] = [join(place, 'ari-gateway'), join(place, 'project')]
  const paths = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
  })
  for (const path of paths.split('\0').filter((one) => one !== '' && existsSync(join(root, one))))
    cpSync(join(root, path), join(copy, path))
  mkdirSync(project)
  const commandsOf = (block: string): string[] =>
    (new RegExp(`^\`\`\`sh ${block}\\n([\\s\\S]*?)^\`\`\`$`, 'm').exec(readme)?.[1] ?? '')
      .trimEnd()
      .split('\n')
  const run = (command: string, cwd: string, environ: Record<string, string> = {}) =>
    execute('bash', ['-c', command], {
      cwd,
      env: { ...noRegistry, PATH: pathOfOthers, HOME: homedir(), ...environ },
      timeout: minutes(3),
    })

  const [getPackages, ...pack] = commandsOf('pack')
  assert.deepEqual([getPackages, pack.length], ['npm ci', 1])
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'))
  for (const command of pack) await run(command, copy)

  const install = commandsOf('install')
  // It asks a registry, which a test must not need.
  assert.equal(install.pop(), 'npm install --save-dev typescript @types/node')
  for (const command of install) await run(command, project)
  linkTypes(project)
  mkdirSync(join(project, 'node_modules/.bin'), { recursive: true })
  symlinkSync(join(root, 'node_modules/.bin/tsc'), join(project, 'node_modules/.bin/tsc'))

  writeFileSync(join(project, 'push.ts'), examples.find(({ of }) => of === name)?.text ?? '')
  const [compile = '', start = ''] = commandsOf('run')
  await run(compile, project)
  const ofTest = start.replace(/ARI_URL=\S+ ARI_API_KEY=\S+ /, '')
  assert.equal(ofTest, 'node push.js')
  const { stdout } = await run(ofTest, project, { ARI_URL: gateway.url, ARI_API_KEY: apiKey })
  assert.match(stdout, expected)
}

/** The PATH of a machine on which only Node and npm are installed, for the README's commands. */
const pathOfOthers = (process.env.PATH ?? '')
  .split(delimiter)
  .filter((entry) => !entry.includes('node_modules'))
  .join(delimiter)
const noRegistry = { npm_config_offline: 'true', npm_config_audit: 'false' }

function linkTypes(into: string): void {
  mkdirSync(join(into, 'node_modules/@types'), { recursive: true })
  for (const name of ['@types/node', 'undici-types'])
    symlinkSync(join(root, 'node_modules', name), join(into, 'node_modules', name))
}

test('each package holds JavaScript and types of its own, and nothing else', () => {
  assert.deepEqual(
    packed.map(({ name }) => name),
    ['ari-gateway-client', 'ari-gateway-outbox'],
  )
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  for (const { name, files } of packed) {
    const paths = files.map(({ path }) => path)
    assert.deepEqual(
      paths.filter((path) => !/^dist\/[\w-]+\.(?:js|d\.ts)$/.test(path)),
      ['README.md', 'package.json'],
    )
    const installed = join(home, 'node_modules', name)
    const mayImport = name === 'ari-gateway-outbox' ? /^(?:\.\/[\w-]+\.js|node:[\w/]+)$/ : /^\.\/[\w-]+\.js$/
    for (const path of paths.filter((one) => one.startsWith('dist/'))) {
      const text = readFileSync(join(installed, path), 'utf8')
      for (const [, imported = ''] of text.matchAll(/^(?:import|export) .*from '([^']+)'/gm))
        assert.match(imported, mayImport, path)
    }
    const own = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'))
    assert.equal(own.version, version, 'in step with the service')
    assert.deepEqual([own.dependencies, own.peerDependencies], [undefined, undefined])
  }
})

test('the client’s types are those of the contract', () => {
  const text = readFileSync(join(folderOf('client'), 'src/api.ts'), 'utf8')
  assert.ok(text.slice(text.indexOf('\n') + 1) === clientTypes(), 'what is built is what would be')
})

test('their types are complete: the examples compile with nothing of the service', () => {
  linkTypes(home)
  const compilerOptions = {
    target: 'es2022',
    module: 'nodenext',
    lib: ['es2023'],
    types: ['node'],
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    noEmit: true,
  }
  writeFileSync(join(home, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }))
  execFileSync(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', home], {
    stdio: 'inherit',
  })
})

examplesOn('our Node', process.execPath)
examplesOn('the Node of the machine', otherNode())

function examplesOn(title: string, node: string): void {
  describe(`on ${title}, ${execFileSync(node, ['--version'], { encoding: 'utf8' }).trim()}`, () => {
    const environ: Record<string, string> = {}
    before(async () => {
      // Our Node strips the types, for a Node that can't.
      const { stripTypeScriptTypes } = await import('node:module')
      for (const { name, text } of examples)
        writeFileSync(join(home, `${name}.mjs`), stripTypeScriptTypes(text))
      Object.assign(environ, {
        ARI_URL: gateway.url,
        ARI_API_KEY: apiKey,
        ARI_PLATFORM_TOKEN: token,
        ARI_SIGNING_SECRETS: signingSecret,
      })
    })

    const expected: Record<string, RegExp> = {
      'client-1': /^ARI partially updated\nSUITE rejected RoomID not found\n$/,
      'client-2': /^404 \S+\nHOTEL_NOT_FOUND \/hotelId H404 Push the hotel .*\npush the hotel first\n$/,
      // The second Node finds the values of the first.
      'client-3': /^(?:(?:queued|running|done) \d+ (?:null|\d+)\n)+done [02] 0\n$/,
      'client-5': /^401\n$/,
      'client-6': /^\d+ 220\.00\n$/,
      'client-7': /^$/,
      'outbox-1': /^$/,
    }
    for (const { name, text } of examples.filter((example) => !example.isServer)) {
      test(`${name} of the READMEs does what it says`, async () => {
        const env = { ...environ, PATH: process.env.PATH ?? '' }
        // Run asynchronously, because the service is in this process.
        const { stdout } = await execute(node, [`${name}.mjs`], { cwd: home, env, timeout: minutes(3) })
        assert.match(stdout, expected[name] ?? /^never$/, text)
      })
    }

    test('the server of the README takes signed calls, and no others', async () => {
      const { name } = examples.find(({ isServer }) => isServer) ?? { name: '' }
      // Prints the port that it was given.
      const source = readFileSync(join(home, `${name}.mjs`), 'utf8')
      assert.match(source, /createServer\(answerCallbacks\)/)
      writeFileSync(
        join(home, 'server.mjs'),
        source.replace(
          /^createServer.*$/m,
          'const server = createServer(answerCallbacks)\nserver.listen(0, () => console.log(server.address().port))',
        ),
      )
      const child = spawn(node, ['server.mjs'], {
        cwd: home,
        env: environ,
        stdio: ['ignore', 'pipe', 'pipe'],
      })
      try {
        const [said] = await once(child.stdout.setEncoding('utf8'), 'data')
        const url = `http://127.0.0.1:${Number(said)}/`
        const body = JSON.stringify(pushBookingCallback.example.request)
        const call = {
          id: 'msg_1',
          atMs: Date.now(),
          body: Buffer.from(body),
          secrets: [signingSecret],
        }
        const told = once(child.stdout, 'data')
        const good = await fetch(url, { method: 'POST', body, headers: signedHeaders(call) })
        assert.deepEqual([good.status, await told], [200, ['msg_1 H1 Confirm 55191 1\n']])
        const bad = await fetch(url, {
          method: 'POST',
          body,
          headers: { ...signedHeaders(call), 'webhook-id': 'other' },
        })
        assert.equal(bad.status, 401)
      } finally {
        child.kill()
        await once(child, 'close')
      }
    })
  })
}
