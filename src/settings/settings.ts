import { resolve } from 'node:path'
import { readMailAddress, readOperatorsUrl, readSmtpUrl } from '../alerts/channels/channel-settings.ts'
import { logLevels } from '../base/log.ts'
import {
  processes,
  readArchiveKeyId,
  readArchiveSecret,
  readArchiveUrl,
  readDatabaseUrl,
  readFile,
  readFolder,
  readHost,
  readMetricsToken,
  readNatsUrl,
  readNetworks,
  readPrivateNetworks,
  readProcesses,
  readPublicUrl,
  readVaultKey,
  readVaultKeys,
} from './config-values.ts'
import { environments, type Environment } from '../keys/secret.ts'
import { usualLiveAnswerSeconds } from '../price-check/contract.ts'
import { consoleSettings } from './console-settings.ts'
import { anyText, inProduction, integer, oneOf, roles, several, setting, text, yesOrNo } from './setting.ts'

/**
 * Every setting. What reads them (config.ts), the table in docs/operating.md, deploy/.env.example and
 * deploy/settings.schema.json follow from this table: "npm run write:settings".
 */

const key = text(readVaultKey)
const port = integer(0, 65_535)

export const migrateChoices = ['auto', 'off', 'only'] as const
export type MigrateChoice = (typeof migrateChoices)[number]

export const usualDrainMs: Readonly<Record<Environment, number>> = { sandbox: 0, production: 5_000 }

export const settingsTable = {
  environment: setting(
    'ARI_ENVIRONMENT',
    oneOf(environments),
    'sandbox',
    '`sandbox` or `production`; the database remembers it, and a service of the other environment refuses to start on it',
  ),
  host: setting('HOST', text(readHost), '127.0.0.1', 'Address to listen on; `0.0.0.0` for all'),
  port: setting('PORT', port, 8080, 'Port to listen on; 0 takes a free one'),
  dataDir: setting('ARI_DATA_DIR', text(readFolder), resolve('data'), 'Folder of the embedded store', {
    otherwise: '`./data`',
    example: './data',
  }),
  databaseUrl: setting(
    'DATABASE_URL',
    text(readDatabaseUrl),
    undefined,
    '`postgres://user:password@host:5432/database`, PostgreSQL 15 to 18; [several hosts](#when-postgresql-is-away) separated by commas',
    { otherwise: 'none: the embedded store', isSecret: true },
  ),
  postgresBinDir: setting(
    'ARI_POSTGRES_BIN',
    text(readFolder),
    undefined,
    '`bin` folder of an installed PostgreSQL 15 to 18, for the embedded store',
    { otherwise: 'none: the packaged PostgreSQL', example: '/usr/lib/postgresql/18/bin' },
  ),
  pushLogDays: setting(
    'ARI_PUSH_LOG_DAYS',
    integer(1, 3_650),
    90,
    'Days for which pushes are stored, 1 to 3650',
  ),
  pushLogGb: setting(
    'ARI_PUSH_LOG_GB',
    integer(1, 100_000),
    undefined,
    'Gigabytes (10⁹ bytes) that the push log may take on disk, with its indexes, 1 to 100000; beyond that its oldest days are dropped, up to seven an hour. The current day is always kept, so leave room for the largest day',
    { example: '100' },
  ),
  privateNetworks: setting(
    'ARI_ALLOW_PRIVATE_WEBHOOKS',
    { ...text(readPrivateNetworks), schema: { type: ['boolean', 'string'] } },
    [],
    'In the sandbox, for local tests: `true` allows webhooks by `http` and on this machine; a list of networks such as `10.20.0.0/16,127.0.0.0/8` allows those instead. Cloud metadata addresses are never called',
    { otherwise: '`false`', example: 'false' },
  ),
  roles: setting('ARI_ROLES', several(roles), roles, 'Which parts of the service run here'),
  processes: setting(
    'ARI_PROCESSES',
    {
      read: readProcesses,
      schema: {
        anyOf: [{ enum: ['auto'] }, { type: 'integer', minimum: processes.min, maximum: processes.max }],
      },
    },
    1,
    'Processes that share the port: 1 to 64, or `auto` for one per processor ([when](#several-processes-on-one-machine))',
  ),
  vaultKey: setting(
    'ARI_VAULT_KEY',
    key,
    undefined,
    '32 random bytes (`openssl rand -base64 32`) that wrap the keys of stored cards',
    { isSecret: true, roles: ['gateway', 'worker'] },
  ),
  vaultKeysPrevious: setting(
    'ARI_VAULT_KEY_PREVIOUS',
    text(readVaultKeys),
    [],
    'Former values of `ARI_VAULT_KEY`, separated by commas, while [the key is changed](security.md#the-vault-key)',
    { otherwise: 'none', isSecret: true, roles: ['gateway', 'worker'] },
  ),
  backupKey: setting(
    'ARI_BACKUP_KEY',
    key,
    undefined,
    '32 random bytes in base64 or hexadecimal, with which [`ari backup`](database.md#backup-and-restore) encrypts and decrypts its files',
    { otherwise: 'none: not encrypted', isSecret: true },
  ),
  logLevel: setting(
    'LOG_LEVEL',
    oneOf(logLevels),
    'info',
    '`fatal`, `error`, `warn`, `info`, `debug`, `trace` or `silent`',
  ),
  publicUrl: setting(
    'ARI_PUBLIC_URL',
    text(readPublicUrl),
    undefined,
    'The public address, such as `https://ari.example.com`, or with a path: `https://apps.example.com/ari` ([below a path](#below-a-path)). Used in sign-in links and in all links below a path, and to limit the session cookie to HTTPS',
    {
      otherwise: 'none: the host of each request',
      example: 'https://ari.example.com',
      roles: ['gateway', 'console'],
    },
  ),
  trustedProxies: setting(
    'ARI_TRUSTED_PROXIES',
    text(readNetworks),
    [],
    "Addresses or networks of your proxies, such as `10.0.0.0/8`: their `X-Forwarded-For` gives the client's address",
    { otherwise: 'none', example: '10.0.0.0/8', roles: ['gateway', 'console'] },
  ),
  drainMs: setting(
    'ARI_DRAIN_MS',
    integer(0, 300_000),
    undefined,
    'On SIGTERM, how long requests are still served while `/readyz` answers 503, so that balancers choose another process first; 0 to 300000 milliseconds ([more](#stopping-and-restarting))',
    { otherwise: inProduction(usualDrainMs.production, usualDrainMs.sandbox), example: '5000' },
  ),
  migrate: setting(
    'ARI_MIGRATE',
    oneOf(migrateChoices),
    'auto',
    '`auto` brings the schema up to date at the start, `off` refuses to start if migrations are missing, `only` brings it up to date and exits ([when](database.md#upgrade))',
  ),
  patience: setting(
    'ARI_PATIENCE',
    integer(1, 1_000),
    1,
    'For slow or shared machines: a factor from 1 to 1000 for the delays after which requests are turned away ([which](#under-load)) and for the time limits of PostgreSQL',
  ),
  liveAnswerSeconds: setting(
    'ARI_LIVE_ANSWER_SECONDS',
    integer(0, 3_600),
    usualLiveAnswerSeconds,
    'For how long searches heed what a supplier [answered to a price check](booking.md#what-a-supplier-said), 0 to 3600 seconds; 0 turns it off',
    { roles: ['gateway'] },
  ),
  traceCallbacks: setting(
    'ARI_TRACE_CALLBACKS',
    yesOrNo,
    true,
    'Whether calls to suppliers have the header `traceparent`, if the service is [traced](#traces)',
    { otherwise: '`true`', example: 'true', roles: ['gateway', 'worker'] },
  ),
  metricsPort: setting(
    'ARI_METRICS_PORT',
    port,
    undefined,
    "Separate port for `/metrics`, at the service's address; the service's own port then has no `/metrics`",
    { otherwise: "none: the service's port", example: '9464' },
  ),
  metricsToken: setting(
    'ARI_METRICS_TOKEN',
    text(readMetricsToken),
    undefined,
    '16 to 200 characters (`openssl rand -base64 32`), required as `Authorization: Bearer …` for `/metrics`',
    { otherwise: 'none: public', isSecret: true },
  ),
  feedNats: setting(
    'ARI_FEED_NATS',
    text(readNatsUrl),
    undefined,
    'NATS servers with JetStream, to which [the change feed is published](changes.md#as-messages-of-nats): `nats://user:password@host:4222` or `nats://token@host`, `tls://` for TLS; several of one cluster separated by commas, with the credentials in the first',
    { isSecret: true, roles: ['worker'] },
  ),
  archiveUrl: setting(
    'ARI_ARCHIVE_URL',
    text(readArchiveUrl),
    undefined,
    "Bucket of an S3-compatible store, with a prefix and its region, to which [bodies of pushes are moved](#the-archive-of-bodies): `https://s3.example.com/bucket/prefix?region=eu-1`; the region is `us-east-1` if it isn't stated",
    {
      otherwise: 'none: bodies remain in the database',
      example: 'https://s3.example.com/bucket/prefix?region=eu-1',
    },
  ),
  archiveKeyId: setting(
    'ARI_ARCHIVE_KEY_ID',
    text(readArchiveKeyId),
    undefined,
    'Access key of the archive; it needs to [put and get objects and to list the bucket](#the-archive-of-bodies), and nothing else',
    { example: 'ari' },
  ),
  archiveSecret: setting(
    'ARI_ARCHIVE_SECRET',
    text(readArchiveSecret),
    undefined,
    'Secret of that access key',
    {
      isSecret: true,
    },
  ),
  smtpUrl: setting(
    'ARI_SMTP_URL',
    text(readSmtpUrl),
    undefined,
    'Mail server for [alerts](alerts.md): `smtp://user:password@mail.example.com:587`, `smtps://` for TLS from the start; `?requireTLS=true` refuses a server without STARTTLS',
    { otherwise: 'none: no e-mail', isSecret: true, roles: ['worker', 'console'] },
  ),
  mailFrom: setting(
    'ARI_MAIL_FROM',
    text(readMailAddress),
    undefined,
    'Sender of the e-mails, such as `alerts@example.com`; required with `ARI_SMTP_URL`',
    { example: 'alerts@example.com', roles: ['worker', 'console'] },
  ),
  operatorsWebhookUrl: setting(
    'ARI_OPERATORS_WEBHOOK_URL',
    text(readOperatorsUrl),
    undefined,
    'URL that gets the alerts of all suppliers, in one body that Slack, Teams and PagerDuty understand',
    { isSecret: true, roles: ['worker'] },
  ),
  operatorsWebhookKey: setting(
    'ARI_OPERATORS_WEBHOOK_KEY',
    anyText,
    undefined,
    'Routing key that PagerDuty expects in the body',
    { isSecret: true, roles: ['worker'] },
  ),
  revocationsFile: setting(
    'ARI_REVOCATIONS_FILE',
    text(readFile),
    undefined,
    'File outside the store and its backups that records revoked keys and tokens, disabled operators and other revocations, so that [they survive a restore](database.md#after-any-restore)',
    { example: '/var/lib/ari-revocations/revoked' },
  ),
  bootstrapFile: setting(
    'ARI_BOOTSTRAP_FILE',
    text(readFile),
    undefined,
    'A new file, readable only by its owner (0600), to which the first start writes its key, token and sign-in link as JSON instead of printing them',
    { otherwise: 'none: the output has them', example: '/var/lib/ari-first/secrets' },
  ),
  ...consoleSettings,
}
