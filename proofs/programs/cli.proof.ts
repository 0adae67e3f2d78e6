import assert from 'node:assert/strict'
import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { hashSecret, recogniseSecret } from '../../src/keys/secret.ts'
import {
  startEmbeddedPostgres,
  type EmbeddedPostgres,
} from '../../src/embedded-postgres/embedded-postgres.ts'
import { migrate } from '../../src/postgres/schema/migrate.ts'
import { openDatabase, type Database } from '../../src/postgres/postgres.ts'
import { environOf } from '../../test/stage/postgres.ts'
import {
  dataFolder,
  runAri,
  runAriAfter,
  startProgram,
  type Outcome,
} from '../../test/stage/programs/programs.ts'

/** The command line, run as people run it, on its own data folder. */

const quiet = { info: () => {}, warn: () => {}, error: () => {} }
const folder = await dataFolder()
let postgres: EmbeddedPostgres
let db: Database

before(async () => {
  postgres = await startEmbeddedPostgres({ dataDir: folder.path, log: quiet })
  db = openDatabase(postgres.connection, quiet, { connectionsMax: 1 })
  await migrate(postgres.connection)
})

after(async () => {
  await db.close()
  await postgres.stop()
  await folder.remove()
})

const store = { ARI_DATA_DIR: folder.path }
const ari = (...parameters: string[]) => runAri(store, ...parameters)

/** The one line of JSON that a successful command prints. */
async function json(...parameters: string[]): Promise<unknown> {
  const { code, stdout, stderr } = await ari(...parameters)
  assert.equal(code, 0, stderr)
  assert.match(stdout, /^[^\n]+\n$/)
  return JSON.parse(stdout)
}

async function created(...parameters: string[]): Promise<{ apiKey: string; keyId: string }> {
  const key = await json('key', 'create', ...parameters)
  assert.ok(typeof key === 'object' && key !== null && 'apiKey' in key && 'keyId' in key)
  const { apiKey, keyId } = key
  assert.ok(typeof apiKey === 'string' && typeof keyId === 'string')
  return { apiKey, keyId }
}

async function failure(parameters: string[], environ: Record<string, string> = {}): Promise<Outcome> {
  return runAri({ ...store, ...environ }, ...parameters)
}

async function listed(keyId: string): Promise<Record<string, unknown> | undefined> {
  const keys = await json('key', 'list', '--json')
  assert.ok(Array.isArray(keys))
  return keys.find((key) => key.keyId === keyId)
}

test('key create prints one JSON line, makes a missing supplier and says so; only the hash is stored', async () => {
  const first = await ari('key', 'create', '--supplier', 'Sea View')
  const made = JSON.parse(first.stdout)
  assert.deepEqual(first, {
    code: 0,
    stdout: `${JSON.stringify({ apiKey: made.apiKey, keyId: made.keyId })}\n`,
    stderr: `Supplier "Sea View" did not exist and was created.\nKey ${made.keyId} for sandbox. Keep it: it is not shown again.\n`,
  })
  assert.deepEqual(recogniseSecret(made.apiKey), { kind: 'supplier', environment: 'sandbox' })
  const { rows } = await db.query(
    "select encode(hash, 'hex') as hash from api_key_secret where key_id = $1",
    [made.keyId],
  )
  assert.deepEqual(rows, [{ hash: hashSecret(made.apiKey) }])
  const second = await ari('key', 'create', '--supplier', 'Sea View')
  assert.match(second.stderr, /^Key \d+ for sandbox\. Keep it: it is not shown again\.\n$/)
})

test('a command whose output can’t be written fails; a reader that has read enough is no failure', async () => {
  const { code, stderr } = await runAriAfter('exec > /dev/full', store, 'key', 'list')
  assert.deepEqual(
    [code, stderr],
    [1, 'error: The output could not be written: ENOSPC: no space left on device, write\n'],
  )
  const { child, ended } = startProgram('ari', store, ['key', 'list'])
  child.stdout?.destroy()
  assert.equal((await ended).code, 0)
})

test('a key is created with its channel manager, limits and end, and listed with them', async () => {
  const limits = [
    '--rate-limit',
    '0',
    '--burst',
    '5',
    '--body-limit',
    '2048',
    '--items',
    '10',
    '--cells',
    '99',
  ]
  const options = ['--channel-manager', 'Acme CM', '--expires', '2199-01-01', ...limits]
  const { apiKey, keyId } = await created('--supplier', 'Dune', ...options)
  const key = await listed(keyId)
  assert.deepEqual(
    { ...key, createdAt: '' },
    {
      keyId,
      supplier: 'Dune',
      channelManager: 'Acme CM',
      status: 'active',
      tails: [apiKey.slice(-4)],
      createdAt: '',
      expiresAt: '2199-01-01T00:00:00Z',
      revokedAt: null,
      lastUsedAt: null,
      lastRefusedAt: null,
      unknownFields: 'warn',
      echo: false,
      limits: {
        requestsPerMinute: 0,
        requestsBurst: 5,
        bodyBytesMax: 2048,
        ariItemsMax: 10,
        ariCellsMax: 99,
      },
    },
  )
})

test('limits are changed one by one and go back to the default', async () => {
  const { keyId } = await created('--supplier', 'Limits', '--rate-limit', '7', '--items', '3')
  await json('key', 'limits', keyId, '--json', '--cells', '1000', '--rate-limit', 'default')
  const { limits } = (await listed(keyId)) ?? {}
  const others = { requestsPerMinute: null, requestsBurst: null, bodyBytesMax: null }
  assert.deepEqual(limits, { ...others, ariItemsMax: 3, ariCellsMax: 1000 })
})

test('rotate gives a new key and says until when the old one works', async () => {
  const { apiKey, keyId } = await created('--supplier', 'Rotation')
  const rotated = await json('key', 'rotate', keyId, '--overlap', '2h')
  assert.ok(
    typeof rotated === 'object' && rotated !== null && 'apiKey' in rotated && 'oldKeyUntil' in rotated,
  )
  const overlapMs = Date.parse(String(rotated.oldKeyUntil)) - Date.now()
  assert.ok(overlapMs > 7_100_000 && overlapMs <= 7_200_000)
  const { tails } = (await listed(keyId)) ?? {}
  assert.deepEqual(tails, [String(rotated.apiKey).slice(-4), apiKey.slice(-4)])
  await json('key', 'rotate', keyId, '--overlap', '0')
  const { tails: left } = (await listed(keyId)) ?? {}
  assert.ok(Array.isArray(left) && left.length === 1)
})

test('a key expires, gets another end, is revoked, and then can not be rotated', async () => {
  const { keyId } = await created('--supplier', 'Ends')
  await json('key', 'expire', keyId, '--at', 'now', '--json')
  assert.equal((await listed(keyId))?.['status'], 'expired')
  assert.deepEqual(await json('key', 'expire', keyId, '--at', 'never', '--json'), { keyId, expiresAt: null })
  assert.equal((await listed(keyId))?.['status'], 'active')
  assert.deepEqual(await json('key', 'revoke', keyId, '--json'), { keyId, status: 'revoked' })
  assert.equal((await listed(keyId))?.['status'], 'revoked')
  const { code, stderr } = await failure(['key', 'rotate', keyId])
  assert.deepEqual(
    [code, stderr],
    [1, `error: Key ${keyId} is revoked and can't be rotated (Create a new key)\n`],
  )
})

test('tokens are created by role, listed and revoked', async () => {
  const made = await json('token', 'create', '--role', 'operator', '--name', 'night shift')
  assert.ok(typeof made === 'object' && made !== null && 'token' in made && typeof made.token === 'string')
  assert.deepEqual(Object.keys(made), ['token'])
  assert.deepEqual(recogniseSecret(made.token), { kind: 'operator', environment: 'sandbox' })
  const tokens = await json('token', 'list', '--json')
  assert.ok(Array.isArray(tokens))
  const { tokenId, role, name, status, channel } = tokens[0]
  assert.deepEqual(
    { role, name, status, channel },
    { role: 'operator', name: 'night shift', status: 'active', channel: null },
  )
  assert.deepEqual(await json('token', 'revoke', tokenId, '--json'), { tokenId, status: 'revoked' })
})

test('a platform’s token has the channel where it sells, until it is changed or taken away', async () => {
  await json('token', 'create', '--role', 'platform', '--name', 'engine', '--channel', 'app')
  const listedToken = async (): Promise<Record<string, unknown>> => {
    const tokens = await json('token', 'list', '--json')
    assert.ok(Array.isArray(tokens))
    return tokens.find((one: Record<string, unknown>) => one['name'] === 'engine')
  }
  const { tokenId, channel } = await listedToken()
  assert.equal(channel, 'app')
  const changed = await json('token', 'channel', String(tokenId), 'web', '--json')
  assert.deepEqual([changed, (await listedToken())['channel']], [{ tokenId, channel: 'web' }, 'web'])
  await json('token', 'channel', String(tokenId), '--none', '--json')
  assert.equal((await listedToken())['channel'], null)
  for (const wrong of [
    ['token', 'channel', String(tokenId)],
    ['token', 'channel', '1', 'x'.repeat(65)],
  ])
    assert.equal((await failure(wrong)).code, 1)
})

test('suppliers are created once and listed', async () => {
  await json('supplier', 'create', 'Solo', '--json')
  const { code, stderr } = await failure(['supplier', 'create', 'Solo'])
  assert.deepEqual([code, stderr], [1, 'error: Supplier "Solo" exists already\n'])
  const suppliers = await json('supplier', 'list', '--json')
  assert.ok(Array.isArray(suppliers))
  const solo = suppliers.find((supplier) => supplier.name === 'Solo')
  assert.deepEqual([solo.activeKeys, typeof solo.supplierId], [0, 'string'])
})

test('room types and meal plans are listed, added, retired and brought back', async () => {
  const plan = { code: 'BRU', name: 'Brunch', description: 'Late breakfast' }
  const add = ['meal-plan', 'add', 'BRU', '--name', plan.name, '--description', plan.description]
  await json('reference', ...add, '--json')
  assert.deepEqual(await entry('meal-plan', 'code', 'BRU'), { ...plan, retired: false })
  await json('reference', 'meal-plan', 'retire', 'BRU', '--json')
  assert.deepEqual(await entry('meal-plan', 'code', 'BRU'), { ...plan, retired: true })
  await json('reference', ...add, '--json')
  assert.deepEqual(await entry('meal-plan', 'code', 'BRU'), { ...plan, retired: false })
  await json('reference', 'room-type', 'add', 'Sky Pod', '--description', 'Glass capsule', '--json')
  await json('reference', 'room-type', 'retire', 'Sky Pod', '--json')
  const pod = { name: 'Sky Pod', description: 'Glass capsule', retired: true }
  assert.deepEqual(await entry('room-type', 'name', 'Sky Pod'), pod)
  const { code, stderr } = await failure(['reference', 'room-type', 'retire', 'sky pod'])
  const line =
    'error: Room type "sky pod" not found (list shows the existing ones; names are case-sensitive)\n'
  assert.deepEqual([code, stderr], [1, line])
})

async function entry(kind: string, by: string, value: string): Promise<unknown> {
  const entries = await json('reference', kind, 'list', '--json')
  assert.ok(Array.isArray(entries))
  return entries.find((one) => one[by] === value)
}

const wrongUsages: [string[], string][] = [
  [['frobnicate'], "error: unknown command 'frobnicate'"],
  [['webhook', '--help'], "error: unknown command 'webhook' (ari --help lists the commands)"],
  [['key', 'forget', '--help'], "error: unknown command 'forget' (ari key --help lists the commands)"],
  [['key', 'create'], "error: required option '--supplier <name>' not specified"],
  [['key', 'list', '--jsn'], "error: unknown option '--jsn' (Did you mean --json?)"],
  [
    ['key', 'revoke', 'x'],
    "error: command-argument value 'x' is invalid for argument 'keyId'. It must be a whole number from 1 to 2147483647.",
  ],
  [
    ['key', 'create', '--supplier', 'X', '--rate-limit', '-1'],
    "error: option '--rate-limit <n>' argument '-1' is invalid. It must be a whole number from 0 to 10000000.",
  ],
  [
    ['key', 'create', '--supplier', 'X', '--expires', '2020-01-01'],
    "error: option '--expires <date>' argument '2020-01-01' is invalid. It must be in the future.",
  ],
  [
    ['key', 'expire', '1', '--at', '2027-02-30'],
    "error: option '--at <date>' argument '2027-02-30' is invalid. It must be a date (2027-12-31) or an instant (2027-12-31T18:00:00Z).",
  ],
  [
    ['key', 'rotate', '1', '--overlap', '2 weeks'],
    "error: option '--overlap <duration>' argument '2 weeks' is invalid. It must be a duration of at most 365d, such as 90s, 30m, 24h, 7d or 0.",
  ],
  [
    ['token', 'create', '--role', 'root'],
    "error: option '--role <role>' argument 'root' is invalid. Allowed choices are platform, operator.",
  ],
]

for (const [parameters, line] of wrongUsages) {
  test(`wrong usage is one line and exit code 2: ari ${parameters.join(' ')}`, async () => {
    assert.deepEqual(await failure(parameters), { code: 2, stdout: '', stderr: `${line}\n` })
  })
}

const environmentLine =
  'error: The database belongs to sandbox, but ARI_ENVIRONMENT is production: name the other database, or change the setting'
const unreachable =
  "error: PostgreSQL can't be reached (connect ECONNREFUSED 127.0.0.1:1): start it, or correct DATABASE_URL, if it is set"
const nameLine = 'error: Supplier name must be 1 to 100 printable characters, with single spaces inside only'

const failures: [string[], Record<string, string>, string][] = [
  [['key', 'revoke', '999'], {}, 'error: Key 999 not found (key list shows the ids)'],
  [['key', 'limits', '999'], {}, 'error: Key 999 not found (key list shows the ids)'],
  [['key', 'expire', '999', '--at', 'now'], {}, 'error: Key 999 not found (key list shows the ids)'],
  [
    ['key', 'list', '--supplier', 'nobody'],
    {},
    'error: Supplier "nobody" not found (supplier list prints the names; they are case-sensitive)',
  ],
  [['key', 'rotate-signing-secret', '999'], {}, 'error: Key 999 not found (key list shows the ids)'],
  [
    ['supplier', 'show', 'nobody'],
    {},
    'error: Supplier "nobody" not found (supplier list prints the names; they are case-sensitive)',
  ],
  [['token', 'revoke', '999'], {}, 'error: Token 999 not found (token list shows the ids)'],
  [['key', 'create', '--supplier', ' '], {}, nameLine],
  [['supplier', 'create', 'a\nb'], {}, nameLine],
  [['key', 'list'], { ARI_ENVIRONMENT: 'production' }, environmentLine],
  [['key', 'list'], { DATABASE_URL: 'postgres://127.0.0.1:1/ari' }, unreachable],
  [['key', 'list'], { PORT: 'x' }, 'error: PORT must be a whole number from 0 to 65535, not "x"'],
]

for (const [parameters, environ, line] of failures) {
  test(`a failure is one line and exit code 1: ari ${parameters.join(' ')} ${JSON.stringify(environ)}`, async () => {
    assert.deepEqual(await failure(parameters, environ), { code: 1, stdout: '', stderr: `${line}\n` })
  })
}

test('help comes with examples, for every command', async () => {
  for (const command of [
    [],
    ['supplier'],
    ['key'],
    ['token'],
    ['reference'],
    ['simulate'],
    ['simulate', 'supplier'],
  ]) {
    const { code, stdout, stderr } = await ari(...command, '--help')
    assert.deepEqual([code, stderr], [0, ''])
    assert.match(stdout, /\nExamples:\n {2}ari /)
  }
})

test('where there is no store a command says so and makes nothing; migrate makes one', async () => {
  const own = await dataFolder()
  try {
    const environ = { ARI_DATA_DIR: own.path }
    const line = `error: There is no store in ${own.path}: set ARI_DATA_DIR to the service's data folder, or create a store with: ari serve, or: ari migrate\n`
    const commands = [
      ['key', 'list'],
      ['key', 'create', '--supplier', 'Lost'],
      ['supplier', 'list', '--json'],
      ['token', 'create', '--role', 'platform'],
      ['reference', 'room-type', 'list'],
    ]
    for (const command of commands) {
      assert.deepEqual(await runAri(environ, ...command), { code: 1, stdout: '', stderr: line })
    }
    // Nor in an existing folder with other contents.
    await mkdir(own.path)
    await writeFile(join(own.path, 'notes.txt'), 'mine')
    assert.deepEqual(await runAri(environ, 'key', 'list'), { code: 1, stdout: '', stderr: line })
    assert.deepEqual(await readdir(own.path), ['notes.txt'])
    const migrated = await runAri(environ, 'migrate', '--json')
    assert.equal(migrated.code, 0, migrated.stderr)
    assert.deepEqual(await runAri(environ, 'key', 'list', '--json'), {
      code: 0,
      stdout: '[]\n',
      stderr: '',
    })
  } finally {
    await own.remove()
  }
})

test('in a database without our tables a command says so and makes none', async () => {
  await db.query('create database empty')
  const environ = environOf({ ...postgres.connection, database: 'empty' })
  const { code, stdout, stderr } = await runAri(environ, 'key', 'list')
  assert.deepEqual([code, stdout], [1, ''])
  assert.match(stderr, /^error: There is no store in the database at localhost: set DATABASE_URL to /)
  const migrated = await runAri(environ, 'migrate', '--json')
  assert.equal(migrated.code, 0, migrated.stderr)
  assert.equal((await runAri(environ, 'key', 'list', '--json')).stdout, '[]\n')
})

test('a key has one keyId: what create prints is what list shows and what every other command takes and prints', async () => {
  const { keyId } = await created('--supplier', 'One Id')
  assert.match(keyId, /^\d+$/)
  assert.equal((await listed(keyId))?.['keyId'], keyId)
  const table = await ari('key', 'list', '--supplier', 'One Id')
  assert.match(table.stdout, new RegExp(`^KEY ID .*\\n${keyId} `))
  const commands = [['limits'], ['rotate'], ['expire', '--at', 'never'], ['revoke']]
  for (const [command = '', ...options] of commands) {
    const told = await json('key', command, keyId, ...options, '--json')
    assert.equal(Object(told).keyId, keyId, command)
  }
})

test('a signing secret is rotated, and the old one signs beside it until the overlap is over', async () => {
  const { keyId } = await created('--supplier', 'Signs')
  const none = await failure(['key', 'rotate-signing-secret', keyId])
  assert.deepEqual(
    [none.code, none.stderr],
    [1, `error: Key ${keyId} has no signing secret (A key gets one when its first webhook is registered)\n`],
  )
  await db.query("update api_key set signing_secret = 'whsec_b2xk' where id = $1", [keyId])
  const rotated = Object(await json('key', 'rotate-signing-secret', keyId, '--overlap', '2h'))
  const overlapMs = Date.parse(rotated.oldSecretUntil) - Date.now()
  assert.ok(overlapMs > 7_100_000 && overlapMs <= 7_200_000)
  const { rows } = await db.query(
    `select signing_secret as present, signing_secret_previous as previous from api_key where id = $1`,
    [keyId],
  )
  assert.deepEqual(
    [rotated.keyId, rows],
    [keyId, [{ present: rotated.signingSecret, previous: 'whsec_b2xk' }]],
  )
})

test('the contract settings of an account are printed and changed, one at a time', async () => {
  await json('supplier', 'create', 'Agreed', '--json')
  const usual = {
    name: 'Agreed',
    onFailure: 'reject',
    onTermsDiffer: 'warn',
    priceTolerance: '0',
    pricesAre: 'sell',
    commissionPercent: '0',
    deliversCards: false,
    mayPushOnDemand: true,
    mayRetrieve: true,
    requireCertification: false,
    isCertified: false,
    managedKeysMax: 2,
    managedKeyRateMax: 6_000,
    hotelsMax: 0,
  }
  assert.deepEqual(await json('supplier', 'show', 'Agreed', '--json'), usual)
  const options = ['--on-failure', 'use_stored', '--price-tolerance', '2.50', '--card-delivery', 'on']
  options.push('--prices-are', 'net', '--commission-percent', '12.50')
  const contract = { pricesAre: 'net', commissionPercent: '12.5' }
  const changed = {
    ...usual,
    ...contract,
    onFailure: 'use_stored',
    priceTolerance: '2.5',
    deliversCards: true,
  }
  assert.deepEqual(await json('supplier', 'set', 'Agreed', '--json', ...options), changed)
  const off = ['--on-demand-push', 'off', '--reservation-retrieval', 'off', '--json']
  const restricted = { ...changed, mayPushOnDemand: false, mayRetrieve: false }
  assert.deepEqual(await json('supplier', 'set', 'Agreed', ...off), restricted)
  assert.deepEqual(await json('supplier', 'show', 'Agreed', '--json'), restricted)
  const { stdout } = await ari('supplier', 'show', 'Agreed')
  assert.match(stdout, /^price-tolerance +2\.5 %$/m)
  const withCards = await ari('supplier', 'set', 'Agreed', '--card-delivery', 'on')
  assert.match(withCards.stderr, /Without ARI_VAULT_KEY, bookings with a card are refused/)
  const gate = await json(
    'supplier',
    'set',
    'Agreed',
    '--require-certification',
    'on',
    '--certified',
    'on',
    '--json',
  )
  assert.deepEqual(gate, { ...restricted, requireCertification: true, isCertified: true })
  const keys = ['--managed-keys', '3', '--managed-key-rate', '600', '--json']
  const managed = { ...gate, managedKeysMax: 3, managedKeyRateMax: 600 }
  assert.deepEqual(await json('supplier', 'set', 'Agreed', ...keys), managed)
  for (const [option = '', value = ''] of [
    ['--on-failure', 'ignore'],
    ['--price-tolerance', '101'],
    ['--managed-keys', '101'],
    ['--price-tolerance', '1.005'],
    ['--card-delivery', 'yes'],
  ]) {
    assert.equal((await failure(['supplier', 'set', 'Agreed', option, value])).code, 2, `${option} ${value}`)
  }
})

test('while no service runs, a command starts the store for the moment and leaves nothing running', async () => {
  const own = await dataFolder()
  try {
    const environ = { ARI_DATA_DIR: own.path, ARI_ENVIRONMENT: 'production' }
    assert.equal((await runAri(environ, 'migrate')).code, 0)
    const { code, stdout } = await runAri(environ, 'key', 'create', '--supplier', 'First')
    assert.equal(code, 0)
    assert.deepEqual(recogniseSecret(JSON.parse(stdout).apiKey), {
      kind: 'supplier',
      environment: 'production',
    })
    // The folder is free again, and its environment is found without a setting.
    const again = await startEmbeddedPostgres({ dataDir: own.path, log: quiet })
    await again.stop()
    const second = await runAri({ ARI_DATA_DIR: own.path }, 'key', 'create', '--supplier', 'First')
    const third = recogniseSecret(JSON.parse(second.stdout).apiKey)
    assert.deepEqual(third, { kind: 'supplier', environment: 'production' })
  } finally {
    await own.remove()
  }
})
