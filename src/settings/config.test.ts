import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { test, type TestContext } from 'node:test'
import { allSettings, readConfig, WrongSettings, type Environ } from './config.ts'

const defaults = {
  environment: 'sandbox',
  environmentIsStated: false,
  host: '127.0.0.1',
  port: 8080,
  addressIsStated: false,
  dataDir: resolve('data'),
  databaseUrl: undefined,
  vaultKey: undefined,
  vaultKeysPrevious: [],
  backupKey: undefined,
  bootstrapFile: undefined,
  roles: ['gateway', 'worker', 'console'],
  processes: 1,
  logLevel: 'info',
  postgresBinDir: undefined,
  privateNetworks: [],
  pushLogDays: 90,
  pushLogGb: undefined,
  publicUrl: undefined,
  traceCallbacks: true,
  trustedProxies: [],
  metrics: { port: undefined, token: undefined },
  drainMs: 0,
  migrate: 'auto',
  feedNats: undefined,
  archive: undefined,
  mail: undefined,
  operatorsWebhook: undefined,
  patience: 1,
  liveAnswerSeconds: 300,
  oidc: undefined,
  signIn: { lockOutMs: 900_000, idleEndsAfterMs: 7_200_000, requiresSecondFactor: false },
  sandboxSignUp: false,
  revocationsFile: undefined,
  mfaKeys: [],
}

test('without any setting everything has its default', () => {
  assert.deepEqual(readConfig({}), { settings: defaults, warnings: [] })
})

test('in production signing in is as strict as PCI DSS asks for, unless settings say otherwise', () => {
  const strict = { lockOutMs: 1_800_000, idleEndsAfterMs: 900_000, requiresSecondFactor: true }
  assert.deepEqual(readConfig({ ARI_ENVIRONMENT: 'production' }).settings.signIn, strict)
})

test('an empty value counts as none', () => {
  assert.deepEqual(readConfig({ PORT: '', DATABASE_URL: '', ARI_ENVIRONMENT: '' }).settings, defaults)
})

/** Every setting, with a value that is not its default if there is another valid one. */
const everything = {
  ARI_ENVIRONMENT: 'production',
  HOST: '::1',
  PORT: '0',
  ARI_DATA_DIR: '/var/lib/ari',
  DATABASE_URL: 'postgres://ari:secret@db.example:5432/ari?sslmode=require',
  ARI_VAULT_KEY: Buffer.alloc(32, 7).toString('base64'),
  ARI_VAULT_KEY_PREVIOUS: `${Buffer.alloc(32, 8).toString('hex')}, ${Buffer.alloc(32, 9).toString('base64')}`,
  ARI_ROLES: 'worker, gateway',
  ARI_PROCESSES: '3',
  LOG_LEVEL: 'silent',
  ARI_POSTGRES_BIN: '/usr/lib/postgresql/18/bin',
  ARI_ALLOW_PRIVATE_WEBHOOKS: 'false',
  ARI_PUSH_LOG_DAYS: '1',
  ARI_PUSH_LOG_GB: '100',
  ARI_PUBLIC_URL: 'https://ari.example.com/',
  ARI_TRACE_CALLBACKS: 'false',
  ARI_TRUSTED_PROXIES: '10.0.0.0/8, ::1',
  ARI_PATIENCE: '20',
  ARI_LIVE_ANSWER_SECONDS: '60',
  ARI_METRICS_PORT: '9464',
  ARI_DRAIN_MS: '250',
  ARI_MIGRATE: 'off',
  ARI_METRICS_TOKEN: 'a-token-of-metrics',
  ARI_FEED_NATS: 'nats://ari:secret@nats1:4222,nats2:4222',
  ARI_ARCHIVE_URL: 'http://10.1.2.3:9000/ari/logs/?region=eu-1',
  ARI_ARCHIVE_KEY_ID: 'archivist',
  ARI_ARCHIVE_SECRET: 'hunter3',
  ARI_SMTP_URL: 'smtps://ari:hunter4@mail.example.com',
  ARI_MAIL_FROM: 'alerts@example.com',
  ARI_OPERATORS_WEBHOOK_URL: 'https://hooks.example.com/T0/x',
  ARI_OPERATORS_WEBHOOK_KEY: 'routing',
  ARI_OIDC_ISSUER: 'https://login.example.com/realms/staff',
  ARI_OIDC_CLIENT_ID: 'ari',
  ARI_OIDC_CLIENT_SECRET: 'hunter2',
  ARI_OIDC_NEWCOMER_ROLE: 'viewer',
  ARI_REVOCATIONS_FILE: '/mnt/safe/revoked',
  ARI_BACKUP_KEY: Buffer.alloc(32, 6).toString('base64'),
  ARI_BOOTSTRAP_FILE: '/mnt/safe/first',
  ARI_REQUIRE_MFA: 'false',
  ARI_MFA_KEY: `${'ab'.repeat(32)}, ${'cd'.repeat(32)}`,
  ARI_LOCK_OUT_MINUTES: '60',
  ARI_SESSION_IDLE_MINUTES: '10',
  ARI_SANDBOX_SIGNUP: 'false',
} satisfies Environ

test('every setting is read', () => {
  const { settings, warnings } = readConfig({ ...everything, PATH: '/usr/bin' })
  assert.deepEqual(
    { settings, warnings },
    {
      settings: {
        environment: 'production',
        environmentIsStated: true,
        addressIsStated: true,
        host: '::1',
        port: 0,
        dataDir: '/var/lib/ari',
        databaseUrl: 'postgres://ari:secret@db.example:5432/ari?sslmode=require',
        vaultKey: Buffer.alloc(32, 7),
        vaultKeysPrevious: [Buffer.alloc(32, 8), Buffer.alloc(32, 9)],
        backupKey: Buffer.alloc(32, 6),
        bootstrapFile: '/mnt/safe/first',
        roles: ['gateway', 'worker'],
        processes: 3,
        logLevel: 'silent',
        postgresBinDir: '/usr/lib/postgresql/18/bin',
        privateNetworks: [],
        pushLogDays: 1,
        pushLogGb: 100,
        publicUrl: 'https://ari.example.com',
        traceCallbacks: false,
        trustedProxies: ['10.0.0.0/8', '::1'],
        patience: 20,
        liveAnswerSeconds: 60,
        drainMs: 250,
        migrate: 'off',
        metrics: { port: 9464, token: 'a-token-of-metrics' },
        feedNats: 'nats://ari:secret@nats1:4222,nats2:4222',
        archive: {
          url: 'http://10.1.2.3:9000/ari/logs',
          region: 'eu-1',
          keyId: 'archivist',
          secret: 'hunter3',
        },
        mail: { smtpUrl: 'smtps://ari:hunter4@mail.example.com', from: 'alerts@example.com' },
        operatorsWebhook: { url: 'https://hooks.example.com/T0/x', routingKey: 'routing' },
        oidc: {
          issuer: 'https://login.example.com/realms/staff',
          clientId: 'ari',
          clientSecret: 'hunter2',
          newcomerRole: 'viewer',
        },
        signIn: { lockOutMs: 3_600_000, idleEndsAfterMs: 600_000, requiresSecondFactor: false },
        sandboxSignUp: false,
        revocationsFile: '/mnt/safe/revoked',
        mfaKeys: [Buffer.alloc(32, 0xab), Buffer.alloc(32, 0xcd)],
      },
      warnings: [],
    },
  )
})

test('the settings that are tested here are all that there are', () => {
  assert.deepEqual(Object.keys(everything).sort(), allSettings.map(({ name }) => name).sort())
})

for (const [name, value] of Object.entries(everything)) {
  const others = { ...everything, [name]: undefined }
  const file = `${name}_FILE`

  test(`${name} may be in a file`, (t) => {
    const path = fileOf(t, value)
    assert.deepEqual(readConfig({ ...others, [file]: path }), readConfig(everything))
    assert.deepEqual(linesOf({ ...everything, [file]: path }), [`${name} and ${file} must not both be set`])
  })

  test(`${name} in a file that is not there, or empty, is named with the file`, (t) => {
    const path = fileOf(t, '')
    assert.deepEqual(linesOf({ ...others, [file]: path }), [`${file} names ${path}, which is empty`])
    rmSync(path)
    assert.deepEqual(linesOf({ ...others, [file]: path }), [
      `${file} names ${path}, which can't be read: ENOENT: no such file or directory, open '${path}'`,
    ])
  })
}

test('a wrong value in a file is not repeated if it may be secret', (t) => {
  const lines = linesOf({ ARI_VAULT_KEY_FILE: fileOf(t, 'hunter2') })
  assert.deepEqual(lines, [vaultKey])
})

test('every line of the example of an environment is valid, alone and with all others', () => {
  const lines =
    readFileSync(new URL('../../deploy/.env.example', import.meta.url), 'utf8').match(/^#\w+=.*$/gm) ?? []
  const examples = lines.map((line) => line.slice(1).split(/=(.*)/, 2))
  assert.deepEqual(
    examples.map(([name = '']) => name.replace(/_FILE$/, '')),
    allSettings.map(({ name }) => name).map((name) => name.replace(/_FILE$/, '')),
  )
  const open = examples.filter(([name = '']) => allSettings.some((setting) => setting.name === name))
  assert.ok(open.length > 20)
  const secrets = Object.entries(everything).filter(([name]) => !open.some(([other]) => other === name))
  assert.deepEqual(readConfig(Object.fromEntries([...open, ...secrets])).warnings, [])
})

test('private webhooks are on this machine, or in the networks named', () => {
  const networks = (text: string) => readConfig({ ARI_ALLOW_PRIVATE_WEBHOOKS: text }).settings.privateNetworks
  assert.deepEqual(networks('true'), ['127.0.0.0/8', '::1/128'])
  assert.deepEqual(networks('172.18.0.0/16, 127.0.0.0/8'), ['172.18.0.0/16', '127.0.0.0/8'])
})

test('the vault key is read in hexadecimal and base64url too', () => {
  const key = Buffer.alloc(32, 251)
  assert.deepEqual(readConfig({ ARI_VAULT_KEY: key.toString('hex') }).settings.vaultKey, key)
  assert.deepEqual(readConfig({ ARI_VAULT_KEY: key.toString('base64url') }).settings.vaultKey, key)
})

const databaseUrl = 'DATABASE_URL must be a URL like postgres://user:password@host:5432/database'
const port = (shown: string) => `PORT must be a whole number from 0 to 65535, not ${shown}`
const vaultKey =
  'ARI_VAULT_KEY must be 32 random bytes in base64 or hexadecimal, for example from: openssl rand -base64 32'
const vaultKeysPrevious =
  'ARI_VAULT_KEY_PREVIOUS must be one to 8 former values of ARI_VAULT_KEY, separated by commas'
const fullKey = Buffer.alloc(32, 9).toString('base64')
const host = (shown: string) =>
  `HOST must be an IP address or a host name, without scheme, brackets or port, not ${shown}`
const roles = (shown: string) =>
  `ARI_ROLES must be one or more of gateway, worker or console, each only once, separated by commas, not ${shown}`
const days = (shown: string) => `ARI_PUSH_LOG_DAYS must be a whole number from 1 to 3650, not ${shown}`
const privateWebhooks = (shown: string) =>
  `ARI_ALLOW_PRIVATE_WEBHOOKS must be true (this machine), false, or private networks separated by commas, like 10.20.0.0/16,127.0.0.0/8, not ${shown}`
const publicUrl = (shown: string) =>
  `ARI_PUBLIC_URL must be a URL like https://ari.example.com or https://apps.example.com/ari, not ${shown}`
const proxies = (shown: string) =>
  `ARI_TRUSTED_PROXIES must be addresses or networks separated by commas, like 10.0.0.0/8, not ${shown}`
const issuer = (shown: string) => `ARI_OIDC_ISSUER must be the https URL of an OpenID provider, not ${shown}`
const provider = { ARI_OIDC_CLIENT_ID: 'ari', ARI_PUBLIC_URL: 'https://ari.example.com' }

const wrong: [Environ, string][] = [
  [{ ARI_ENVIRONMENT: 'prod' }, 'ARI_ENVIRONMENT must be sandbox or production, not "prod"'],
  [{ ARI_ENVIRONMENT: 'Sandbox' }, 'ARI_ENVIRONMENT must be sandbox or production, not "Sandbox"'],
  [{ HOST: 'http://localhost' }, host('"http://localhost"')],
  [{ HOST: '[::1]' }, host('"[::1]"')],
  [{ HOST: 'a b' }, host('"a b"')],
  [{ PORT: 'http' }, port('"http"')],
  [{ PORT: '65536' }, port('"65536"')],
  [{ PORT: '-1' }, port('"-1"')],
  [{ PORT: '80.5' }, port('"80.5"')],
  [{ PORT: ' 80' }, port('" 80"')],
  [{ PORT: '9'.repeat(100) }, port(`"${'9'.repeat(60)}…"`)],
  [{ ARI_METRICS_PORT: 'x' }, 'ARI_METRICS_PORT must be a whole number from 0 to 65535, not "x"'],
  [{ ARI_METRICS_PORT: '8080' }, 'ARI_METRICS_PORT must differ from PORT'],
  [
    { ARI_FEED_NATS: 'http://user:hidden@nats1' },
    'ARI_FEED_NATS must be a URL like nats://user:password@host:4222, or several separated by commas',
  ],
  [
    { ARI_SMTP_URL: 'http://user:hidden@mail', ARI_MAIL_FROM: 'a@b.example' },
    'ARI_SMTP_URL must be a URL like smtp://user:password@host:587, or smtps:// for TLS from the start',
  ],
  [{ ARI_SMTP_URL: 'smtp://user:hidden@mail' }, 'ARI_SMTP_URL and ARI_MAIL_FROM must be set together'],
  [
    { ARI_SMTP_URL: 'smtp://user:hidden@mail', ARI_MAIL_FROM: 'Desk <a@b.example>' },
    'ARI_MAIL_FROM must be an e-mail address like alerts@example.com',
  ],
  [
    { ARI_OPERATORS_WEBHOOK_URL: 'ftp://hidden' },
    'ARI_OPERATORS_WEBHOOK_URL must be a URL like https://hooks.example.com/…; http:// is allowed on this machine only',
  ],
  [
    { ARI_OPERATORS_WEBHOOK_KEY: 'hidden' },
    'ARI_OPERATORS_WEBHOOK_URL must be set if ARI_OPERATORS_WEBHOOK_KEY is',
  ],
  ...[
    'https://s3.example.com',
    'https://user:hidden@s3.example.com/bucket',
    'https://s3.example.com/bucket?acl',
    'https://169.254.169.254/bucket',
    'https://s3.example.com/bucket?region=eu-1#prefix',
    's3://bucket',
  ].map((url): [Record<string, string>, string] => [
    { ARI_ARCHIVE_URL: url, ARI_ARCHIVE_KEY_ID: 'id', ARI_ARCHIVE_SECRET: 'hidden' },
    'ARI_ARCHIVE_URL must be the URL of a bucket, optionally with a prefix and the region, as in https://s3.example.com/bucket/prefix?region=eu-1',
  ]),
  [
    { ARI_ARCHIVE_URL: 'https://s3.example.com/bucket', ARI_ARCHIVE_KEY_ID: 'id' },
    'ARI_ARCHIVE_URL, ARI_ARCHIVE_KEY_ID and ARI_ARCHIVE_SECRET must be set together',
  ],
  ...['id ', 'a\nb', 'a/b', 'kéy'].map((id): [Record<string, string>, string] => [
    {
      ARI_ARCHIVE_URL: 'https://s3.example.com/bucket',
      ARI_ARCHIVE_KEY_ID: id,
      ARI_ARCHIVE_SECRET: 'hidden',
    },
    'ARI_ARCHIVE_KEY_ID must be printable ASCII characters without spaces, commas or slashes',
  ]),
  ...['hidden ', 'hid\nden', 'hiddén'].map((secret): [Record<string, string>, string] => [
    {
      ARI_ARCHIVE_URL: 'https://s3.example.com/bucket',
      ARI_ARCHIVE_KEY_ID: 'id',
      ARI_ARCHIVE_SECRET: secret,
    },
    'ARI_ARCHIVE_SECRET must be printable ASCII characters without spaces',
  ]),
  [
    { ARI_METRICS_TOKEN: 'short' },
    'ARI_METRICS_TOKEN must be 16 to 200 printable ASCII characters without spaces, for example from: openssl rand -base64 32',
  ],
  [{ ARI_DATA_DIR: 'a\0b' }, 'ARI_DATA_DIR must be the path of a folder, without control characters'],
  [{ ARI_POSTGRES_BIN: 'a\nb' }, 'ARI_POSTGRES_BIN must be the path of a folder, without control characters'],
  [{ DATABASE_URL: 'localhost:5432' }, databaseUrl],
  [{ DATABASE_URL: 'mysql://root:secret@localhost/ari' }, databaseUrl],
  [{ DATABASE_URL: 'postgres://ari:secret@db1:5432,db2:x/ari' }, databaseUrl],
  [
    { DATABASE_URL: 'postgres://ari:secret@db1,db2/ari?target_session_attrs=standby' },
    'DATABASE_URL must name read-write, primary or any as target_session_attrs, or none',
  ],
  [
    { DATABASE_URL: 'postgres://ari:secret@localhost' },
    'DATABASE_URL must name a database, as in postgres://user:password@host:5432/database',
  ],
  [{ ARI_VAULT_KEY: 'secret' }, vaultKey],
  [{ ARI_VAULT_KEY: Buffer.alloc(31).toString('base64') }, vaultKey],
  [{ ARI_VAULT_KEY: fullKey, ARI_VAULT_KEY_PREVIOUS: `${fullKey},secret` }, vaultKeysPrevious],
  [{ ARI_VAULT_KEY: fullKey, ARI_VAULT_KEY_PREVIOUS: Array(9).fill(fullKey).join() }, vaultKeysPrevious],
  [{ ARI_VAULT_KEY_PREVIOUS: fullKey }, 'ARI_VAULT_KEY must be set if ARI_VAULT_KEY_PREVIOUS is'],
  [{ ARI_ROLES: 'gateway,web' }, roles('"gateway,web"')],
  [{ ARI_ROLES: 'gateway,gateway' }, roles('"gateway,gateway"')],
  [{ ARI_ROLES: ',' }, roles('","')],
  [{ ARI_PROCESSES: '0' }, 'ARI_PROCESSES must be auto, or a whole number from 1 to 64, not "0"'],
  [{ ARI_PROCESSES: 'all' }, 'ARI_PROCESSES must be auto, or a whole number from 1 to 64, not "all"'],
  [
    { LOG_LEVEL: 'verbose' },
    'LOG_LEVEL must be fatal, error, warn, info, debug, trace or silent, not "verbose"',
  ],
  [{ ARI_ALLOW_PRIVATE_WEBHOOKS: 'yes' }, privateWebhooks('"yes"')],
  [{ ARI_ALLOW_PRIVATE_WEBHOOKS: '10.0.0.0/8,8.8.8.0/24' }, privateWebhooks('"10.0.0.0/8,8.8.8.0/24"')],
  [
    { ARI_ALLOW_PRIVATE_WEBHOOKS: '10.0.0.0/8', ARI_ENVIRONMENT: 'production' },
    'ARI_ALLOW_PRIVATE_WEBHOOKS must not be set in production',
  ],
  [
    { ARI_ALLOW_PRIVATE_WEBHOOKS: 'true', ARI_ENVIRONMENT: 'production' },
    'ARI_ALLOW_PRIVATE_WEBHOOKS must not be set in production',
  ],
  [{ ARI_PUSH_LOG_DAYS: '0' }, days('"0"')],
  [{ ARI_PUSH_LOG_DAYS: '3651' }, days('"3651"')],
  [{ ARI_PUSH_LOG_DAYS: 'ninety' }, days('"ninety"')],
  [{ ARI_PUSH_LOG_GB: '0' }, 'ARI_PUSH_LOG_GB must be a whole number from 1 to 100000, not "0"'],
  [{ ARI_PUSH_LOG_GB: '0.5' }, 'ARI_PUSH_LOG_GB must be a whole number from 1 to 100000, not "0.5"'],
  [{ ARI_LOCK_OUT_MINUTES: '0' }, 'ARI_LOCK_OUT_MINUTES must be a whole number from 1 to 1440, not "0"'],
  [
    { ARI_SESSION_IDLE_MINUTES: '721' },
    'ARI_SESSION_IDLE_MINUTES must be a whole number from 1 to 720, not "721"',
  ],
  [{ ARI_PUBLIC_URL: 'ari.example.com' }, publicUrl('"ari.example.com"')],
  [
    { ARI_PUBLIC_URL: 'https://x.example/console' },
    'ARI_PUBLIC_URL must not have a path that begins with /console, which the service uses itself',
  ],
  [{ ARI_PUBLIC_URL: 'https://x.example/ari?x=1' }, publicUrl('"https://x.example/ari?x=1"')],
  [{ ARI_PUBLIC_URL: 'https://x.example/ari;x' }, publicUrl('"https://x.example/ari;x"')],
  [{ ARI_PUBLIC_URL: 'ftp://x.example' }, publicUrl('"ftp://x.example"')],
  [{ ARI_TRUSTED_PROXIES: '10.0.0.0/33' }, proxies('"10.0.0.0/33"')],
  [{ ARI_TRUSTED_PROXIES: 'proxy' }, proxies('"proxy"')],
  [{ ARI_PATIENCE: '0' }, 'ARI_PATIENCE must be a whole number from 1 to 1000, not "0"'],
  [
    { ARI_LIVE_ANSWER_SECONDS: '3601' },
    'ARI_LIVE_ANSWER_SECONDS must be a whole number from 0 to 3600, not "3601"',
  ],
  [{ ...provider, ARI_OIDC_ISSUER: 'http://login.example.com' }, issuer('"http://login.example.com"')],
  [{ ...provider, ARI_OIDC_ISSUER: 'login' }, issuer('"login"')],
  [
    { ARI_OIDC_ISSUER: 'https://login.example.com', ARI_PUBLIC_URL: 'https://ari.example.com' },
    'ARI_OIDC_CLIENT_ID must be set if ARI_OIDC_ISSUER is',
  ],
  [
    { ARI_OIDC_ISSUER: 'https://login.example.com', ARI_OIDC_CLIENT_ID: 'ari' },
    'ARI_PUBLIC_URL must be set if ARI_OIDC_ISSUER is',
  ],
  [{ ARI_OIDC_CLIENT_SECRET: 'hunter2' }, 'ARI_OIDC_ISSUER must be set if any other ARI_OIDC_ setting is'],
  [
    { ...provider, ARI_OIDC_ISSUER: 'https://login.example.com', ARI_OIDC_NEWCOMER_ROLE: 'root' },
    'ARI_OIDC_NEWCOMER_ROLE must be viewer, operator or admin, not "root"',
  ],
]

for (const [environ, line] of wrong) {
  test(`a wrong setting is named with what it must be: ${JSON.stringify(environ).slice(0, 80)}`, () => {
    assert.deepEqual(linesOf(environ), [line])
  })
}

test('all wrong settings are named at once, and no secret is repeated', () => {
  const lines = linesOf({ PORT: 'x', LOG_LEVEL: 'x', DATABASE_URL: 'x:hunter2', ARI_VAULT_KEY: 'hunter2' })
  assert.deepEqual(
    lines.map((line) => line.split(' ')[0]),
    ['PORT', 'DATABASE_URL', 'ARI_VAULT_KEY', 'LOG_LEVEL'],
  )
  assert.ok(!lines.join('\n').includes('hunter2'))
})

test('a misspelt setting gets a warning with the likely name', () => {
  assert.deepEqual(readConfig({ ARI_DATADIR: '/x', ARI_SOMETHING_ELSE: '1' }).warnings, [
    'ARI_DATADIR is not a setting: did you mean ARI_DATA_DIR?',
    'ARI_SOMETHING_ELSE is not a setting and has no effect',
  ])
})

/** A file as an editor writes it; it goes with the test. */
function fileOf(t: TestContext, contents: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'ari-settings-'))
  t.after(() => rmSync(folder, { recursive: true }))
  writeFileSync(join(folder, 'value'), contents === '' ? '' : `${contents}\n`)
  return join(folder, 'value')
}

function linesOf(environ: Environ): readonly string[] {
  try {
    readConfig(environ)
  } catch (error) {
    if (error instanceof WrongSettings) return error.lines
    throw error
  }
  return []
}
