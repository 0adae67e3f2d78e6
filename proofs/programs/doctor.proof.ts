import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { appendFile, chmod, readFile, writeFile } from 'node:fs/promises'
import { createServer as createHttpServer, type RequestListener } from 'node:http'
import { createServer } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { openLog } from '../../src/base/log.ts'
import { networkFileSystem } from '../../src/doctor/check-machine.ts'
import { startEmbeddedPostgres } from '../../src/embedded-postgres/embedded-postgres.ts'
import { openShop } from '../../test/stage/scenes/booking.ts'
import { goodCertificate } from '../../test/stage/servers/certificates.ts'
import { namedBlocks, textMatches } from '../../test/stage/docs-pages.ts'
import { root } from '../../test/stage/files.ts'
import { gatewayForTests } from '../../test/stage/harness.ts'
import { startMailServer } from '../../test/stage/servers/mail-server.ts'
import { asAdmin, environOf, newTestDatabase, type TestAddress } from '../../test/stage/postgres.ts'
import {
  missing,
  programsForTests,
  runAri,
  runAriAfter,
  startProgram,
  type Outcome,
} from '../../test/stage/programs/programs.ts'
import { mountSmallDisk } from '../../test/stage/crash/disk.ts'
import { isInContainer } from '../../src/doctor/container.ts'

/** `ari doctor` on real installations: well, running and stopped, and with one fault at a time. */

type Environ = Readonly<Record<string, string>>
type Finding = { check: string; level: string; message: string; why: string | null; remedy: string | null }

const { newFolder, track } = programsForTests()
const vaultKey = randomBytes(32)
let database: Awaited<ReturnType<typeof newTestDatabase>>
/** A store of DATABASE_URL, and an embedded one that served once with a vault key. */
let external: Environ
let embedded: Environ & { ARI_DATA_DIR: string }

const alone = { PORT: '0', LOG_LEVEL: 'silent', NO_COLOR: '1' }

before(async () => {
  database = await newTestDatabase()
  external = { ...alone, ...environOf(database.address), ARI_DATA_DIR: await newFolder() }
  assert.equal((await runAri(external, 'migrate')).code, 0)
  const ARI_DATA_DIR = await newFolder()
  embedded = { ...alone, ARI_DATA_DIR, ARI_VAULT_KEY: vaultKey.toString('base64') }
  await (await serving(embedded)).stop()
})
after(() => database.drop())

async function serving(environ: Environ): Promise<{ stop: () => Promise<void> }> {
  const service = track(startProgram('serve', environ))
  await service.printed(/ready in/)
  return {
    stop: async () => {
      service.child.kill('SIGTERM')
      assert.equal((await service.ended).code, 0)
    },
  }
}

/** Warnings and what is wrong; everything else must be well. */
async function troublesOf(outcome: Promise<Outcome>): Promise<Finding[]> {
  const { code, stdout, stderr } = await outcome
  assert.equal(stderr, '')
  const report: { result: string; version: string; findings: Finding[] } = JSON.parse(stdout)
  assert.deepEqual(Object.keys(report), ['result', 'version', 'findings'])
  for (const finding of report.findings)
    assert.deepEqual(Object.keys(finding), ['check', 'level', 'message', 'why', 'remedy'])
  assert.equal(code, report.result === 'wrong' ? 1 : 0)
  return report.findings.filter(({ level }) => level !== 'ok' && level !== 'skipped')
}

const doctor = (environ: Environ, ...options: readonly string[]): Promise<Finding[]> =>
  troublesOf(runAri(environ, 'doctor', '--json', ...options))

/** Exactly this trouble, with this remedy. */
function assertOnly(troubles: readonly Finding[], check: string, message: RegExp, remedy: RegExp): void {
  assert.deepEqual(
    troubles.map((one) => one.check),
    [check],
    JSON.stringify(troubles, undefined, 1),
  )
  const [trouble] = troubles
  assert.match(trouble?.message ?? '', message)
  assert.match(trouble?.remedy ?? '', remedy)
  assert.ok((trouble?.why ?? '').length > 10)
}

describe('a healthy installation has no fault', () => {
  test('stopped', async () => {
    assert.deepEqual([await doctor(external), await doctor(embedded)], [[], []])
  })

  test('running, with the output that the guide shows', async () => {
    const services = [await serving(external), await serving(embedded)]
    try {
      assert.deepEqual(await doctor(external), [])
      const { code, stdout } = await runAri(embedded, 'doctor')
      const guide = join(root, 'docs/operating.md')
      assert.equal(namedBlocks(guide).get('sh own doctor'), 'npx ari doctor\n')
      const [, shown = ''] =
        /```sh own doctor\n.*?\n```\n\n```text\n(.*?)```/s.exec(await readFile(guide, 'utf8')) ?? []
      assert.ok(textMatches(shown, stdout), stdout)
      assert.equal(code, 0)
      const elsewhere = await httpServer((_request, response) => response.end('{}'))
      const troubles = await doctor({ ...embedded, ARI_PUBLIC_URL: elsewhere.url })
      elsewhere.close()
      assertOnly(troubles, 'public-url', /leads to another service/, /Correct ARI_PUBLIC_URL/)
      const unreachable = await doctor({ ...embedded, ARI_PUBLIC_URL: 'http://127.0.0.1:9' })
      if (isInContainer()) assert.deepEqual(unreachable, [])
      else assertOnly(unreachable, 'public-url', /can't be reached from here/, /Correct ARI_PUBLIC_URL/)
    } finally {
      for (const { stop } of services) await stop()
    }
  })

  test('a folder without a store is named, and stays as it is', async () => {
    const ARI_DATA_DIR = await newFolder()
    const troubles = await doctor({ ...alone, ARI_DATA_DIR })
    assertOnly(troubles, 'store', /^There is no store in /, /^Set ARI_DATA_DIR/)
    await assert.rejects(readFile(ARI_DATA_DIR), { code: 'ENOENT' })
  })
})

describe('a fault in the settings is the only finding', () => {
  const cases: [name: string, environ: Environ, message: RegExp, remedy: RegExp][] = [
    ['a misspelt name', { ARI_PUSH_LOG_DAY: '7' }, /^ARI_PUSH_LOG_DAY is not a setting/, /ARI_PUSH_LOG_DAYS/],
    ['a value out of range', { PORT: '99999' }, /^PORT must be .* 0 to 65535/, /^Correct it/],
    [
      'a value and its file',
      { LOG_LEVEL: 'info', LOG_LEVEL_FILE: '/dev/null' },
      /must not both be set/,
      /^Correct it/,
    ],
    [
      'a file that there is not',
      { HOST_FILE: '/no/such/file' },
      /^HOST_FILE names .* can't be read/,
      /^Correct it/,
    ],
  ]
  const troublesWith = (environ: Environ) => doctor({ ...external, ...environ })
  for (const [name, environ, message, remedy] of cases)
    test(name, async () => assertOnly(await troublesWith(environ), 'settings', message, remedy))
})

describe('a fault of the database is the only finding', () => {
  const changed = (address: Partial<TestAddress>): Environ => ({
    ...external,
    ...environOf({ ...database.address, ...address }),
  })
  const cases: [name: string, environ: () => Environ, message: RegExp, remedy: RegExp][] = [
    [
      'not there',
      () => ({ ...external, DATABASE_URL: 'postgres://ari@127.0.0.1:1/ari' }),
      /can't be reached/,
      /start it/,
    ],
    [
      'unknown user',
      () => changed({ user: 'nobody_of_this_name' }),
      /refuses these credentials/,
      /correct the user and password/,
    ],
    ['unknown database', () => changed({ database: 'no_such' }), /has no such database/, /createdb/],
  ]
  for (const [name, environ, message, remedy] of cases)
    test(name, async () => assertOnly(await doctor(environ()), 'database', message, remedy))

  /** A migrated database of its own, with something changed in it. */
  async function altered(
    statements: (address: TestAddress) => readonly string[],
    more: Environ = {},
  ): Promise<Finding[]> {
    const { address, drop } = await newTestDatabase()
    try {
      const environ = { ...alone, ...environOf(address), ARI_DATA_DIR: await newFolder() }
      assert.equal((await runAri(environ, 'migrate')).code, 0)
      for (const statement of statements(address)) await asAdmin(address, statement)
      return await doctor({ ...environ, ...more })
    } finally {
      await drop()
    }
  }

  test('read-only', async () =>
    assertOnly(
      await altered(({ database: name }) => [
        `alter database ${name} set default_transaction_read_only = on`,
      ]),
      'database',
      /is read-only/,
      /name the primary/,
    ))

  test('a pending migration that no start applies', async () =>
    assertOnly(
      await altered(
        () => ['delete from schema_migration where name = (select max(name) from schema_migration)'],
        { ARI_MIGRATE: 'off' },
      ),
      'schema',
      /^1 migration pending: \d{4}_/,
      /run: ari migrate/,
    ))

  test('an empty database', async () => {
    const { address, drop } = await newTestDatabase()
    try {
      const findings = await doctor({ ...alone, ...environOf(address), ARI_DATA_DIR: await newFolder() })
      assertOnly(findings, 'schema', /no store yet/, /^Run: ari migrate, or: ari serve$/)
    } finally {
      await drop()
    }
  })

  test('a schema of a newer version', async () =>
    assertOnly(
      await altered(() => [
        "insert into schema_migration (name, checksum, expands) values ('9999_later.sql', 'x', false)",
      ]),
      'schema',
      /schema is at 9999_later.sql/,
      /start the newer version again/,
    ))

  test('of the other environment', async () =>
    assertOnly(
      await altered(() => ["insert into environment (name) values ('production')"]),
      'environment',
      /belongs to production/,
      /ARI_ENVIRONMENT=production/,
    ))

  test('tables of another owner', async () => {
    const role = `doctor_${randomBytes(4).toString('hex')}`
    await asAdmin(database.address, `create role ${role}`)
    try {
      const troubles = await altered(({ database: name }) => [
        `grant create on schema public to ${role}`,
        `grant all on all tables in schema public to ${role}`,
        `grant all on all sequences in schema public to ${role}`,
        `alter database ${name} set role = ${role}`,
      ])
      assertOnly(troubles, 'rights', /^some tables belong to /, /reassign owned by/)
    } finally {
      await asAdmin(database.address, `drop role ${role}`)
    }
  })

  test('a user who may not open sessions of suppliers', async (context) => {
    const postgres = await startEmbeddedPostgres({ dataDir: await newFolder(), log: openLog('silent') })
    context.after(postgres.stop)
    // The embedded server lets nobody else in.
    await appendFile(join(postgres.dataDir, 'pg_hba.conf'), 'local all limited trust\n')
    for (const statement of [
      'select pg_reload_conf()',
      'create role ari_supplier nologin',
      'create role limited login',
      'create database limited owner limited',
    ])
      await asAdmin(postgres.connection, statement)
    const address = { ...postgres.connection, user: 'limited', database: 'limited' }
    const environ = { ...alone, ...environOf(address), ARI_DATA_DIR: await newFolder() }
    const migrated = await runAri(environ, 'migrate')
    assert.equal(migrated.code, 0, migrated.stderr)
    assertOnly(
      await doctor(environ),
      'rights',
      /^limited may not take the role ari_supplier/,
      /grant ari_supplier to limited/,
    )
  })

  test('reservations that nobody delivers', async () => {
    const gateway = await gatewayForTests()
    const { book } = await openShop(gateway)
    assert.equal((await book()).status, 201)
    await gateway.db.query("update delivery set due_at = now() - interval '10 minutes'")
    const environ = { ...alone, ...environOf(gateway.storeAddress), ARI_DATA_DIR: await newFolder() }
    assertOnly(
      await doctor(environ),
      'deliveries',
      /due for 10 minutes, and none has ever been attempted/,
      /ARI_ROLES/,
    )
  })
})

describe('a fault of the machine is the only finding', () => {
  test('another vault key than the one that wrote the data, and none', async () => {
    const without = Object.fromEntries(Object.entries(embedded).filter(([name]) => name !== 'ARI_VAULT_KEY'))
    const other = { ...without, ARI_VAULT_KEY: randomBytes(32).toString('hex') }
    assertOnly(
      await doctor(other),
      'vault',
      /^ARI_VAULT_KEY \(\w+\) is not the store's key/,
      /Set the right one/,
    )
    assertOnly(
      await doctor(without),
      'vault',
      /^ARI_VAULT_KEY is not set, but the store/,
      /^Set the store's key/,
    )
  })

  test('a clock that is a minute ahead', async () => {
    const ahead = 'const%20now=Date.now;Date.now=()=>now()%2B60000'
    const environ = { ...external, NODE_OPTIONS: `--import=data:text/javascript,${ahead}` }
    assertOnly(
      await doctor(environ),
      'clock',
      /clock is 60 s ahead of the database's/,
      /Correct the wrong one/,
    )
  })

  test('few file descriptors', async () => {
    const troubles = await troublesOf(runAriAfter('ulimit -n 512', external, 'doctor', '--json'))
    assertOnly(troubles, 'descriptors', /^a program may open 512 /, /LimitNOFILE=/)
  })

  test('a data folder to which everybody may write', async () => {
    await chmod(embedded.ARI_DATA_DIR, 0o777)
    const troubles = await doctor(embedded)
    await chmod(embedded.ARI_DATA_DIR, 0o711)
    assertOnly(troubles, 'data-folder', /mode 777/, /^chmod 700 /)
  })

  test('a disk with too little room, and one that is mounted read-only', async (context) => {
    const disk = mountSmallDisk(900)
    if ('refused' in disk) return context.skip(`this user can't mount (${disk.refused})`)
    try {
      const environ = { ...embedded, ARI_DATA_DIR: `${disk.path}/data` }
      await (await serving(environ)).stop()
      assertOnly(await doctor(environ), 'disk', /^0\.\d GB \(\d+ %\) are free/, /Enlarge the disk/)
      disk.makeReadOnly()
      const troubles = await doctor(environ)
      assertOnly(
        troubles.filter(({ check }) => check !== 'disk'),
        'data-folder',
        /is not writable \(EROFS\)/,
        /mounted read-only/,
      )
    } finally {
      disk.unmount()
    }
  })

  test('a process that has the lock of the store, and no server', async () => {
    const lock = join(embedded.ARI_DATA_DIR, 'postgres', 'service.lock')
    const holding = `const { DatabaseSync } = require('node:sqlite')
      const file = new DatabaseSync(${JSON.stringify(lock)}); file.exec('begin exclusive'); console.log('held')
      process.stdin.resume()`
    const holder = spawn(process.execPath, ['-e', holding], { stdio: ['pipe', 'pipe', 'inherit'] })
    await once(holder.stdout, 'data')
    const troubles = await doctor(embedded)
    holder.stdin.end()
    holder.kill()
    await once(holder, 'exit')
    assertOnly(troubles, 'store', /is in use by another running service$/, /stop that one/)
  })

  test('another program at the port', async () => {
    const other = await httpServer((_request, response) => response.end('hello'))
    const troubles = await doctor({ ...external, PORT: new URL(other.url).port })
    other.close()
    assertOnly(troubles, 'service', /^another program answers at /, /set PORT/)
  })

  test('a mail server that knows no such user', async () => {
    const mail = await startMailServer()
    const environ = { ...external, ARI_MAIL_FROM: 'alerts@example.com' }
    assert.deepEqual(await doctor({ ...environ, ARI_SMTP_URL: mail.url }), [])
    const wrong = mail.url.replace('secret', 'canary')
    const troubles = await doctor({ ...environ, ARI_SMTP_URL: wrong })
    await mail.close()
    assertOnly(troubles, 'mail', /can't be used: Invalid login/, /^Correct ARI_SMTP_URL/)
  })

  test('a supplier whose certificate nobody vouches for', async () => {
    const server = createTlsServer(goodCertificate).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const address = server.address()
    assert.ok(typeof address === 'object' && address)
    const gateway = await gatewayForTests()
    const supplier = await gateway.supplier('Acme')
    await gateway.db.query('update api_key set pushbook_webhook = $2 where id = $1', [
      supplier.keyId,
      `https://127.0.0.1:${address.port}/push`,
    ])
    const environ = { ...alone, ...environOf(gateway.storeAddress), ARI_DATA_DIR: await newFolder() }
    const troubles = await doctor({ ...environ, ARI_ALLOW_PRIVATE_WEBHOOKS: 'true' }, '--suppliers')
    server.close()
    assertOnly(
      troubles,
      'suppliers',
      /^can't connect to https:\/\/127\.0\.0\.1:\d+: .*certificate/,
      /if only one does, contact the supplier$/,
    )
  })

  test('no network: name servers, and the machine itself', async (context) => {
    const refusal = (await missing('/usr/sbin/ip', 'iproute2')) ?? refusalOfNetworks()
    if (refusal !== undefined || !database.address.host.startsWith('/'))
      return context.skip(`no network namespace can be made here (${refusal})`)
    await assertWithoutNetwork()
  })
})

/** In a network of its own, `ari` reaches the database by its socket, and no name server; with `lo` at least itself. */
async function assertWithoutNetwork(): Promise<void> {
  const gateway = await gatewayForTests()
  const supplier = await gateway.supplier('Acme')
  const environ = { ...alone, ...environOf(gateway.storeAddress), ARI_DATA_DIR: await newFolder() }
  const within = (commands: string): Promise<Finding[]> =>
    troublesOf(
      runAriAfter(
        `exec unshare --net /bin/sh -c '${commands} && exec "$@"' sh "$@"; true`,
        environ,
        'doctor',
        '--json',
      ),
    )
  assertOnly(
    await within('true'),
    'webhook',
    /^a test call to this machine failed/,
    /its network interface lo/,
  )
  await gateway.db.query('update api_key set pushbook_webhook = $2 where id = $1', [
    supplier.keyId,
    'https://hotel.example.com/push',
  ])
  const troubles = await within('ip link set lo up')
  assertOnly(troubles, 'names', /name servers do not answer for hotel.example.com/, /resolv.conf/)
}

/** Why no process can be started without a network; undefined: it can. */
function refusalOfNetworks(): string | undefined {
  try {
    execFileSync('/usr/bin/unshare', ['--net', 'ip', 'link', 'set', 'lo', 'up'], {
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message.trim() : String(error)
  }
}

test('nothing that is shown contains a secret, whatever others answer and wherever it was put', async (context) => {
  const canary = `canary${randomBytes(8).toString('hex')}`
  const echo = createServer((socket) =>
    socket.on('error', () => {}).end(`554 no ${canary}1 ${canary}2 here\r\n`),
  )
  context.after(() => echo.close())
  echo.listen(0, '127.0.0.1')
  await once(echo, 'listening')
  const address = echo.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  const file = join(await newFolder(), '..', 'smtp')
  await writeFile(file, `smtp://${canary}1:${canary}2@127.0.0.1:${port}\n`)
  const secrets = {
    ARI_SMTP_URL_FILE: file,
    ARI_MAIL_FROM: 'alerts@example.com',
    ARI_METRICS_TOKEN: `${canary}-metrics-token`,
    ARI_FEED_NATS: `nats://${canary}3@127.0.0.1:1`,
    ARI_VAULT_KEY: vaultKey.toString('base64'),
    ARI_BACKUP_KEY: vaultKey.toString('hex'),
    ARI_OPERATORS_WEBHOOK_URL: `https://hooks.example.com/${canary}4`,
    PGPASSWORD: `${canary}5`,
  }
  const misplaced = {
    LOG_LEVEL: `ari_sbx_${canary}`,
    ARI_PUBLIC_URL: `https://${canary}6:${canary}7@h/`,
    ARI_OIDC_ISSUER: `http://user:${canary}${'x'.repeat(80)}@h/`,
    ARI_ENVIRONMENT: `whsec_${canary}`,
    [`ARI_X`]: canary,
  }
  const database_ = { DATABASE_URL: `postgres://${canary}8:${canary}9@127.0.0.1:1/ari` }
  for (const environ of [
    { ...embedded, ...secrets },
    { ...embedded, ...secrets, ...database_ },
    { ...embedded, ...secrets, ...misplaced },
  ])
    for (const how of [[], ['--json']]) {
      const { code, stdout, stderr } = await runAri(environ, 'doctor', ...how)
      assert.equal(code, 1)
      const shown = stdout + stderr
      for (const secret of [canary, secrets.ARI_VAULT_KEY, secrets.ARI_BACKUP_KEY])
        assert.ok(!shown.includes(secret), shown)
      assert.ok(shown.includes('[secret]'), shown)
    }
})

test('wrong usage is 2', async () => {
  assert.equal((await runAri(external, 'doctor', '--no-such')).code, 2)
})

test('file systems of networks are known by their numbers', () => {
  assert.deepEqual([0x6969, 0xff534d42, 0xef53, 0x01021994].map(networkFileSystem), [
    'NFS',
    'CIFS',
    undefined,
    undefined,
  ])
})

async function httpServer(answer: RequestListener): Promise<{ url: string; close: () => void }> {
  const server = createHttpServer(answer)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  return {
    url: `http://127.0.0.1:${port}`,
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}
