import { existsSync, readFileSync } from 'node:fs'
import { minuteMs } from './base/calendar.ts'
import { resolve } from 'node:path'
import {
  among,
  integerBetween,
  readArchive,
  readBoolean,
  readDatabaseUrl,
  readFile,
  readFolder,
  readHost,
  readIssuer,
  readKeys,
  readMetricsToken,
  readNatsUrl,
  readNetworks,
  readOrigin,
  readPrivateNetworks,
  readProcesses,
  readVaultKey,
  readVaultKeys,
  type Reading,
  someOf,
  unknownSettings,
} from './config-values.ts'
import { environments, type Environment } from './keys/secret.ts'
import type { ObjectStoreAddress } from './outbound/object-store.ts'
import type { OidcSettings } from './operators/oidc.ts'
import { signInMinutes, defaultSignInRules, type SignInRules } from './operators/sign-in-rules.ts'
import type { MetricsRules } from './monitoring.ts'
import { logLevels, type LogLevel } from './base/log.ts'
import { alertNames, alertSecretNames, readAlertChannels } from './alerts/channel-settings.ts'
import type { ChannelSettings } from './alerts/channels.ts'
import { operatorRoles, type OperatorRole } from './http/route.ts'

/** Environment → typed settings. The only file that reads process.env. */

export const roles = ['gateway', 'worker', 'console'] as const
export type Role = (typeof roles)[number]

export type Settings = ChannelSettings & {
  environment: Environment
  /** Whether ARI_ENVIRONMENT was set, rather than left at its default. */
  environmentIsStated: boolean
  host: string
  port: number
  /** Whether HOST or PORT was set. */
  addressIsStated: boolean
  dataDir: string
  /** Absent: the embedded PostgreSQL. */
  databaseUrl: string | undefined
  /** 32 bytes. */
  vaultKey: Buffer | undefined
  /** The previous keys, which open data that was sealed with them. */
  vaultKeysPrevious: readonly Buffer[]
  roles: readonly Role[]
  /** Processes that answer requests. */
  processes: number
  logLevel: LogLevel
  postgresBinDir: string | undefined
  /** The operator's own networks that webhooks may use; none by default. */
  privateNetworks: readonly string[]
  pushLogDays: number
  /** Gigabytes (10⁹ bytes); absent: days alone decide. */
  pushLogGb: number | undefined
  /**
   * Address under which people reach the console, without a trailing slash; absent: the host in their
   * requests.
   */
  publicUrl: string | undefined
  /** Addresses and networks. */
  trustedProxies: readonly string[]
  metrics: MetricsRules
  /** Absent: the change feed is not published. */
  feedNats: string | undefined
  /** Multiplies the time that requests may take before they are refused for being late. */
  patience: number
  /** Absent: bodies of pushes remain in the store. */
  archive: ObjectStoreAddress | undefined
  oidc: OidcSettings | undefined
  signIn: SignInRules
  /** Outside the store; undefined: revocations are in the store only. */
  revocationsFile: string | undefined
  /** 32 bytes each: the first seals secrets of second factors, all open them. */
  mfaKeys: readonly Buffer[]
}

/** The errors in the settings, one line each. */
export class WrongSettings extends Error {
  readonly lines: readonly string[]

  constructor(lines: readonly string[]) {
    super(lines.join('\n'))
    this.name = 'WrongSettings'
    this.lines = lines
  }
}

/** Reads a setting with `read`; without a value, returns the default `usual`. */
type Setting = <Value>(name: Name, usual: Value, read: (text: string) => Reading<Value>) => Value

export type Environ = Readonly<Record<string, string | undefined>>

const names = [
  'ARI_ENVIRONMENT',
  'ARI_DATA_DIR',
  'ARI_VAULT_KEY',
  'ARI_VAULT_KEY_PREVIOUS',
  'ARI_ROLES',
  'ARI_PROCESSES',
  'ARI_POSTGRES_BIN',
  'ARI_ALLOW_PRIVATE_WEBHOOKS',
  'ARI_PUSH_LOG_DAYS',
  'ARI_PUSH_LOG_GB',
  'ARI_PUBLIC_URL',
  'ARI_TRUSTED_PROXIES',
  'ARI_PATIENCE',
  'ARI_METRICS_PORT',
  'ARI_METRICS_TOKEN',
  'ARI_FEED_NATS',
  'ARI_ARCHIVE_URL',
  'ARI_ARCHIVE_KEY_ID',
  'ARI_ARCHIVE_SECRET',
  ...alertNames,
  'ARI_OIDC_ISSUER',
  'ARI_OIDC_CLIENT_ID',
  'ARI_OIDC_CLIENT_SECRET',
  'ARI_OIDC_NEWCOMER_ROLE',
  'ARI_REQUIRE_MFA',
  'ARI_MFA_KEY',
  'ARI_REVOCATIONS_FILE',
  'ARI_LOCK_OUT_MINUTES',
  'ARI_SESSION_IDLE_MINUTES',
] as const

/**
 * Each may also be in a file, which `NAME_FILE` names: other users can easily see an environment, for example
 * in a listing of containers.
 */
const secretNames = [
  'DATABASE_URL',
  'ARI_VAULT_KEY',
  'ARI_VAULT_KEY_PREVIOUS',
  'ARI_MFA_KEY',
  'ARI_METRICS_TOKEN',
  'ARI_FEED_NATS',
  'ARI_ARCHIVE_SECRET',
  ...alertSecretNames,
  'ARI_OIDC_CLIENT_SECRET',
] as const

type Name = (typeof names)[number] | 'HOST' | 'PORT' | 'DATABASE_URL' | 'LOG_LEVEL'

const pushLogDays = { min: 1, max: 3_650, usual: 90 }
const patience = { min: 1, max: 1_000 }

/** The user who became root by sudo, if any. */
export function sudoUser(): string | undefined {
  return process.env['SUDO_USER']
}

/** Settings from the environment, and from a `.env` in the working folder, if any; the environment wins. */
export function loadConfig(): { settings: Settings; warnings: string[] } {
  if (existsSync('.env')) {
    try {
      process.loadEnvFile('.env')
    } catch (cause) {
      throw new WrongSettings([
        `The file .env can't be read: ${cause instanceof Error ? cause.message : String(cause)}`,
      ])
    }
  }
  return readConfig(withSecretFiles(process.env))
}

function withSecretFiles(environ: Environ): Environ {
  const read: Record<string, string | undefined> = { ...environ }
  for (const name of secretNames) {
    const file = environ[`${name}_FILE`] ?? ''
    if (file === '') continue
    if ((environ[name] ?? '') !== '')
      throw new WrongSettings([`${name} and ${name}_FILE must not both be set`])
    read[name] = readSecretFile(`${name}_FILE`, file)
  }
  return read
}

const secretFileBytesMax = 64 * 1024

/** The contents of a file, without the final line break that editors add. */
export function readSecretFile(what: string, file: string): string {
  try {
    const text = readFileSync(file, 'utf8')
    if (text.length <= secretFileBytesMax) return text.replace(/\r?\n$/, '')
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause)
    throw new WrongSettings([`${what} names a file that can't be read: ${why}`])
  }
  throw new WrongSettings([`${what} names a file of more than ${secretFileBytesMax} bytes`])
}

/** Throws WrongSettings with all errors. An empty value counts as none. */
export function readConfig(environ: Environ): { settings: Settings; warnings: string[] } {
  const problems: string[] = []
  const setting: Setting = (name, usual, read) => {
    const text = environ[name]
    if (text === undefined || text === '') return usual
    const reading = read(text)
    if ('value' in reading) return reading.value
    problems.push(`${name} ${reading.problem}`)
    return usual
  }
  const environment = setting('ARI_ENVIRONMENT', 'sandbox', among(environments))
  const settings: Settings = {
    environment,
    environmentIsStated: (environ['ARI_ENVIRONMENT'] ?? '') !== '',
    host: setting('HOST', '127.0.0.1', readHost),
    port: setting('PORT', 8080, integerBetween(0, 65_535)),
    addressIsStated: [environ['HOST'], environ['PORT']].some((text) => (text ?? '') !== ''),
    dataDir: setting('ARI_DATA_DIR', resolve('data'), readFolder),
    databaseUrl: setting<string | undefined>('DATABASE_URL', undefined, readDatabaseUrl),
    vaultKey: setting<Buffer | undefined>('ARI_VAULT_KEY', undefined, readVaultKey),
    vaultKeysPrevious: setting<readonly Buffer[]>('ARI_VAULT_KEY_PREVIOUS', [], readVaultKeys),
    roles: setting<readonly Role[]>('ARI_ROLES', roles, someOf(roles)),
    processes: setting('ARI_PROCESSES', 1, readProcesses),
    logLevel: setting('LOG_LEVEL', 'info', among(logLevels)),
    postgresBinDir: setting<string | undefined>('ARI_POSTGRES_BIN', undefined, readFolder),
    privateNetworks: setting<readonly string[]>('ARI_ALLOW_PRIVATE_WEBHOOKS', [], readPrivateNetworks),
    pushLogDays: setting(
      'ARI_PUSH_LOG_DAYS',
      pushLogDays.usual,
      integerBetween(pushLogDays.min, pushLogDays.max),
    ),
    pushLogGb: setting<number | undefined>('ARI_PUSH_LOG_GB', undefined, integerBetween(1, 100_000)),
    publicUrl: setting<string | undefined>('ARI_PUBLIC_URL', undefined, readOrigin),
    trustedProxies: setting<readonly string[]>('ARI_TRUSTED_PROXIES', [], readNetworks),
    metrics: {
      port: setting<number | undefined>('ARI_METRICS_PORT', undefined, integerBetween(0, 65_535)),
      token: setting<string | undefined>('ARI_METRICS_TOKEN', undefined, readMetricsToken),
    },
    feedNats: setting<string | undefined>('ARI_FEED_NATS', undefined, readNatsUrl),
    patience: setting('ARI_PATIENCE', patience.min, integerBetween(patience.min, patience.max)),
    ...readAlertChannels(environ, problems),
    archive: readArchive(environ, problems),
    oidc: readOidc(environ, setting, problems),
    signIn: readSignIn(setting, environment),
    revocationsFile: setting<string | undefined>('ARI_REVOCATIONS_FILE', undefined, readFile),
    mfaKeys: setting<readonly Buffer[]>('ARI_MFA_KEY', [], readKeys),
  }
  if (settings.privateNetworks.length > 0 && settings.environment === 'production') {
    problems.push('ARI_ALLOW_PRIVATE_WEBHOOKS must not be set in production')
  }
  if (settings.revocationsFile?.startsWith(`${settings.dataDir}/`)) {
    problems.push('ARI_REVOCATIONS_FILE must not lie in ARI_DATA_DIR, with which it would be restored')
  }
  if (settings.metrics.port !== undefined && settings.metrics.port === settings.port && settings.port > 0)
    problems.push('ARI_METRICS_PORT must be another port than PORT')
  if (settings.vaultKeysPrevious.length > 0 && settings.vaultKey === undefined) {
    problems.push('ARI_VAULT_KEY must be set with ARI_VAULT_KEY_PREVIOUS')
  }
  if (problems.length > 0) throw new WrongSettings(problems)
  return { settings, warnings: unknownSettings(environ, names, secretNames) }
}

/** The identity provider for sign-in to the console; a partly configured one is an error. */
function readOidc(environ: Environ, setting: Setting, problems: string[]): OidcSettings | undefined {
  const text = (name: Name) => setting<string | undefined>(name, undefined, (value) => ({ value }))
  const issuer = setting<string | undefined>('ARI_OIDC_ISSUER', undefined, readIssuer)
  const clientId = text('ARI_OIDC_CLIENT_ID')
  const clientSecret = text('ARI_OIDC_CLIENT_SECRET')
  const newcomerRole = setting<OperatorRole | undefined>(
    'ARI_OIDC_NEWCOMER_ROLE',
    undefined,
    among(operatorRoles),
  )
  const isNamed = (environ['ARI_OIDC_ISSUER'] ?? '') !== ''
  if (isNamed && clientId === undefined) problems.push('ARI_OIDC_CLIENT_ID must be set with ARI_OIDC_ISSUER')
  // The provider sends people back to this address, and must know it beforehand.
  if (isNamed && (environ['ARI_PUBLIC_URL'] ?? '') === '')
    problems.push('ARI_PUBLIC_URL must be set with ARI_OIDC_ISSUER')
  if (!isNamed && (clientId ?? clientSecret ?? newcomerRole) !== undefined)
    problems.push('ARI_OIDC_ISSUER must be set with the other settings of ARI_OIDC')
  return issuer === undefined || clientId === undefined
    ? undefined
    : { issuer, clientId, clientSecret, newcomerRole }
}

function readSignIn(setting: Setting, environment: Environment): SignInRules {
  const usual = defaultSignInRules[environment]
  const minutes = (name: Name, usualMs: number, { min, max }: { min: number; max: number }) =>
    setting(name, usualMs / minuteMs, integerBetween(min, max)) * minuteMs
  return {
    requiresSecondFactor: setting('ARI_REQUIRE_MFA', usual.requiresSecondFactor, readBoolean),
    lockOutMs: minutes('ARI_LOCK_OUT_MINUTES', usual.lockOutMs, signInMinutes.lockOut),
    idleEndsAfterMs: minutes('ARI_SESSION_IDLE_MINUTES', usual.idleEndsAfterMs, signInMinutes.idle),
  }
}
