import { existsSync, readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { resolve } from 'node:path'
import { environments, type Environment } from './keys/secret.ts'
import type { OidcSettings } from './operators/oidc.ts'
import { signInMinutes, usualSignInRules, type SignInRules } from './operators/sign-in-rules.ts'
import type { MetricsRules } from './metrics.ts'
import { hostsOf, hostWantOf, hostWants, isHostWant } from './platform/hosts.ts'
import { logLevels, type LogLevel } from './platform/log.ts'
import { isAllowableNetwork, loopbackNetworks } from './platform/outbound.ts'
import { operatorRoles, type OperatorRole } from './platform/route.ts'
import { editDistance } from './platform/spelling.ts'

/** Environment → typed settings. The only file that reads process.env. */

export const roles = ['gateway', 'worker', 'console'] as const
export type Role = (typeof roles)[number]

export type Settings = {
  environment: Environment
  /** Whether ARI_ENVIRONMENT was set, rather than left at its default. */
  environmentIsStated: boolean
  host: string
  port: number
  dataDir: string
  /** Absent: the embedded PostgreSQL. */
  databaseUrl: string | undefined
  /** 32 bytes. */
  vaultKey: Buffer | undefined
  /** Those before it, which open what was sealed with them. */
  vaultKeysPrevious: readonly Buffer[]
  roles: readonly Role[]
  logLevel: LogLevel
  postgresBinDir: string | undefined
  /** Networks of one's own in which webhooks may be; none by default. */
  privateNetworks: readonly string[]
  pushLogDays: number
  /** Under what people reach the console, without a slash at the end; absent: by whatever their requests name. */
  publicUrl: string | undefined
  /** Addresses and networks. */
  trustedProxies: readonly string[]
  metrics: MetricsRules
  /** How many times longer than usual requests may take before they are turned away for being late. */
  patience: number
  oidc: OidcSettings | undefined
  signIn: SignInRules
  /** Outside the store; undefined: what is revoked is in the store alone. */
  revocationsFile: string | undefined
  /** 32 bytes each: the first seals secrets of second factors, all open them. */
  mfaKeys: readonly Buffer[]
}

/** What is wrong with the settings, a line each. */
export class WrongSettings extends Error {
  readonly lines: readonly string[]

  constructor(lines: readonly string[]) {
    super(lines.join('\n'))
    this.name = 'WrongSettings'
    this.lines = lines
  }
}

/** A setting's value in the environment, or why it can't be. Names no value that may be secret. */
type Reading<Value> = { value: Value } | { wrong: string }

/** A setting as `read` reads it, or what it usually is. */
type Setting = <Value>(name: Name, usual: Value, read: (text: string) => Reading<Value>) => Value

export type Environ = Readonly<Record<string, string | undefined>>

const names = [
  'ARI_ENVIRONMENT',
  'ARI_DATA_DIR',
  'ARI_VAULT_KEY',
  'ARI_VAULT_KEY_PREVIOUS',
  'ARI_ROLES',
  'ARI_POSTGRES_BIN',
  'ARI_ALLOW_PRIVATE_WEBHOOKS',
  'ARI_PUSH_LOG_DAYS',
  'ARI_PUBLIC_URL',
  'ARI_TRUSTED_PROXIES',
  'ARI_PATIENCE',
  'ARI_METRICS_PORT',
  'ARI_METRICS_TOKEN',
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

/** Each may be in a file too, which `NAME_FILE` names: an environment is easily seen by others, as in a listing of containers. */
const secretNames = ['DATABASE_URL', 'ARI_VAULT_KEY', 'ARI_MFA_KEY', 'ARI_OIDC_CLIENT_SECRET'] as const

type Name = (typeof names)[number] | 'HOST' | 'PORT' | 'DATABASE_URL' | 'LOG_LEVEL'

const pushLogDays = { min: 1, max: 3_650, usual: 90 }
const vaultKeyBytes = 32
const metricsToken = /^[\x21-\x7e]{16,200}$/
const patience = { min: 1, max: 1_000 }

/** Who became root by sudo, if anybody did. */
export function sudoUser(): string | undefined {
  return process.env['SUDO_USER']
}

/** Settings from the environment and, where a `.env` lies in the working folder, from it; the environment wins. */
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

/** What is in a file, without the line break that editors put behind it. */
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

/** Throws WrongSettings with everything that is wrong. An empty value counts as none. */
export function readConfig(environ: Environ): { settings: Settings; warnings: string[] } {
  const wrong: string[] = []
  const setting: Setting = (name, usual, read) => {
    const text = environ[name]
    if (text === undefined || text === '') return usual
    const reading = read(text)
    if ('value' in reading) return reading.value
    wrong.push(`${name} ${reading.wrong}`)
    return usual
  }
  const environment = setting('ARI_ENVIRONMENT', 'sandbox', among(environments))
  const settings: Settings = {
    environment,
    environmentIsStated: (environ['ARI_ENVIRONMENT'] ?? '') !== '',
    host: setting('HOST', '127.0.0.1', readHost),
    port: setting('PORT', 8080, integerBetween(0, 65_535)),
    dataDir: setting('ARI_DATA_DIR', resolve('data'), readFolder),
    databaseUrl: setting<string | undefined>('DATABASE_URL', undefined, readDatabaseUrl),
    vaultKey: setting<Buffer | undefined>('ARI_VAULT_KEY', undefined, readVaultKey),
    vaultKeysPrevious: setting<readonly Buffer[]>('ARI_VAULT_KEY_PREVIOUS', [], readVaultKeys),
    roles: setting<readonly Role[]>('ARI_ROLES', roles, readRoles),
    logLevel: setting('LOG_LEVEL', 'info', among(logLevels)),
    postgresBinDir: setting<string | undefined>('ARI_POSTGRES_BIN', undefined, readFolder),
    privateNetworks: setting<readonly string[]>('ARI_ALLOW_PRIVATE_WEBHOOKS', [], readPrivateNetworks),
    pushLogDays: setting(
      'ARI_PUSH_LOG_DAYS',
      pushLogDays.usual,
      integerBetween(pushLogDays.min, pushLogDays.max),
    ),
    publicUrl: setting<string | undefined>('ARI_PUBLIC_URL', undefined, readOrigin),
    trustedProxies: setting<readonly string[]>('ARI_TRUSTED_PROXIES', [], readNetworks),
    metrics: {
      port: setting<number | undefined>('ARI_METRICS_PORT', undefined, integerBetween(0, 65_535)),
      token: setting<string | undefined>('ARI_METRICS_TOKEN', undefined, readMetricsToken),
    },
    patience: setting('ARI_PATIENCE', patience.min, integerBetween(patience.min, patience.max)),
    oidc: readOidc(environ, setting, wrong),
    signIn: readSignIn(setting, environment),
    revocationsFile: setting<string | undefined>('ARI_REVOCATIONS_FILE', undefined, readFile),
    mfaKeys: setting<readonly Buffer[]>('ARI_MFA_KEY', [], readKeys),
  }
  if (settings.privateNetworks.length > 0 && settings.environment === 'production') {
    wrong.push('ARI_ALLOW_PRIVATE_WEBHOOKS must not be set in production')
  }
  if (settings.revocationsFile?.startsWith(`${settings.dataDir}/`)) {
    wrong.push('ARI_REVOCATIONS_FILE must not lie in ARI_DATA_DIR, with which it would be restored')
  }
  if (settings.metrics.port !== undefined && settings.metrics.port === settings.port && settings.port > 0)
    wrong.push('ARI_METRICS_PORT must be another port than PORT')
  if (settings.vaultKeysPrevious.length > 0 && settings.vaultKey === undefined) {
    wrong.push('ARI_VAULT_KEY must be set with ARI_VAULT_KEY_PREVIOUS')
  }
  if (wrong.length > 0) throw new WrongSettings(wrong)
  return { settings, warnings: unknownSettings(environ) }
}

function among<const Value extends string>(values: readonly Value[]): (text: string) => Reading<Value> {
  return (text) => {
    const value = values.find((one) => one === text)
    return value === undefined ? { wrong: `must be ${listed(values)}, not ${quoted(text)}` } : { value }
  }
}

function integerBetween(min: number, max: number): (text: string) => Reading<number> {
  return (text) => {
    const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN
    return value >= min && value <= max
      ? { value }
      : { wrong: `must be a whole number from ${min} to ${max}, not ${quoted(text)}` }
  }
}

function readHost(text: string): Reading<string> {
  const isName = /^(?=.{1,253}$)[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?$/.test(text)
  return isName || isIP(text) !== 0
    ? { value: text }
    : {
        wrong: `must be an IP address or a host name, without scheme, brackets and port, not ${quoted(text)}`,
      }
}

function readFolder(text: string): Reading<string> {
  return /\p{Cc}/u.test(text)
    ? { wrong: 'must be the path of a folder, without control characters' }
    : { value: resolve(text) }
}

function readFile(text: string): Reading<string> {
  return /\p{Cc}/u.test(text)
    ? { wrong: 'must be the path of a file, without control characters' }
    : { value: resolve(text) }
}

/** The URL is never repeated, because it may hold a password. */
function readDatabaseUrl(text: string): Reading<string> {
  for (const host of hostsOf({ connectionString: text })) {
    const url = 'connectionString' in host ? URL.parse(host.connectionString) : null
    if (!url || !['postgres:', 'postgresql:'].includes(url.protocol)) {
      return { wrong: 'must be a URL like postgres://user:password@host:5432/database' }
    }
    if (url.pathname.length < 2) {
      return { wrong: 'must name a database, as in postgres://user:password@host:5432/database' }
    }
  }
  const want = hostWantOf({ connectionString: text })
  if (!isHostWant(want)) return { wrong: `must name ${listed(hostWants)} as target_session_attrs, or none` }
  return { value: text }
}

function readVaultKey(text: string): Reading<Buffer> {
  const isHex = text.length === vaultKeyBytes * 2 && /^[0-9a-f]+$/i.test(text)
  const value = isHex
    ? Buffer.from(text, 'hex')
    : /^[A-Za-z0-9+/_-]{43}=?$/.test(text)
      ? Buffer.from(text, 'base64')
      : undefined
  return value?.length === vaultKeyBytes
    ? { value }
    : {
        wrong: `must be ${vaultKeyBytes} random bytes in base64 or hexadecimal, as from: openssl rand -base64 32`,
      }
}

function readBoolean(text: string): Reading<boolean> {
  return text === 'true' || text === 'false'
    ? { value: text === 'true' }
    : { wrong: `must be true or false, not ${quoted(text)}` }
}

/** Of several with commas between the first is used, and the others are known. */
function readKeys(text: string): Reading<readonly Buffer[]> {
  const readings = text.split(',').map((part) => readVaultKey(part.trim()))
  const wrong = readings.find((reading) => 'wrong' in reading)
  return wrong ?? { value: readings.flatMap((reading) => ('value' in reading ? [reading.value] : [])) }
}

function readMetricsToken(text: string): Reading<string> {
  return metricsToken.test(text)
    ? { value: text }
    : {
        wrong:
          'must be 16 to 200 printable ASCII characters without blanks, as from: openssl rand -base64 32',
      }
}

const vaultKeysPreviousMax = 8

function readVaultKeys(text: string): Reading<readonly Buffer[]> {
  const parts = text.split(',').map((part) => readVaultKey(part.trim()))
  const value = parts.flatMap((part) => ('value' in part ? [part.value] : []))
  return value.length === parts.length && value.length <= vaultKeysPreviousMax
    ? { value }
    : {
        wrong: `must be one to ${vaultKeysPreviousMax} former values of ARI_VAULT_KEY, with commas between`,
      }
}

function readRoles(text: string): Reading<readonly Role[]> {
  const parts = text.split(',').map((part) => part.trim())
  const value = roles.filter((role) => parts.includes(role))
  return value.length === parts.length
    ? { value }
    : {
        wrong: `must be one or more of ${listed(roles)}, each once, with commas between, not ${quoted(text)}`,
      }
}

function readPrivateNetworks(text: string): Reading<readonly string[]> {
  if (text === 'false') return { value: [] }
  if (text === 'true') return { value: loopbackNetworks }
  const value = text.split(',').map((part) => part.trim())
  return value.every(isAllowableNetwork)
    ? { value }
    : {
        wrong: `must be true (this machine), false, or private networks with commas between, like 10.20.0.0/16,127.0.0.0/8, not ${quoted(text)}`,
      }
}

/** The provider by which people sign in to the console; one that is named in part is a mistake. */
function readOidc(environ: Environ, setting: Setting, wrong: string[]): OidcSettings | undefined {
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
  if (isNamed && clientId === undefined) wrong.push('ARI_OIDC_CLIENT_ID must be set with ARI_OIDC_ISSUER')
  // The provider sends people back there, and must be told beforehand.
  if (isNamed && (environ['ARI_PUBLIC_URL'] ?? '') === '')
    wrong.push('ARI_PUBLIC_URL must be set with ARI_OIDC_ISSUER')
  if (!isNamed && (clientId ?? clientSecret ?? newcomerRole) !== undefined)
    wrong.push('ARI_OIDC_ISSUER must be set with the other settings of ARI_OIDC')
  return issuer === undefined || clientId === undefined
    ? undefined
    : { issuer, clientId, clientSecret, newcomerRole }
}

const minuteMs = 60_000

function readSignIn(setting: Setting, environment: Environment): SignInRules {
  const usual = usualSignInRules[environment]
  const minutes = (name: Name, usualMs: number, { min, max }: { min: number; max: number }) =>
    setting(name, usualMs / minuteMs, integerBetween(min, max)) * minuteMs
  return {
    requiresSecondFactor: setting('ARI_REQUIRE_MFA', usual.requiresSecondFactor, readBoolean),
    lockOutMs: minutes('ARI_LOCK_OUT_MINUTES', usual.lockOutMs, signInMinutes.lockOut),
    idleEndsAfterMs: minutes('ARI_SESSION_IDLE_MINUTES', usual.idleEndsAfterMs, signInMinutes.idle),
  }
}

function readOrigin(text: string): Reading<string> {
  const url = URL.parse(text)
  const isOrigin = url && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/`
  return isOrigin
    ? { value: url.origin }
    : { wrong: `must be a URL without a path, like https://ari.example.com, not ${quoted(text)}` }
}

const localHosts = ['127.0.0.1', '[::1]', 'localhost']

function readIssuer(text: string): Reading<string> {
  const url = URL.parse(text)
  const isSafe =
    url?.protocol === 'https:' || (url?.protocol === 'http:' && localHosts.includes(url.hostname))
  return isSafe && url.search === '' && url.hash === '' && url.username === ''
    ? { value: text }
    : { wrong: `must be the https URL of an OpenID provider, not ${quoted(text)}` }
}

function readNetworks(text: string): Reading<readonly string[]> {
  const value = text.split(',').map((part) => part.trim())
  const isRight = value.every((part) => {
    const [address = '', bits, ...rest] = part.split('/')
    const bitsMax = isIP(address) === 4 ? 32 : 128
    return (
      isIP(address) !== 0 &&
      rest.length === 0 &&
      (bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= bitsMax))
    )
  })
  return isRight
    ? { value }
    : {
        wrong: `must be addresses or networks with commas between, like 10.0.0.0/8, not ${quoted(text)}`,
      }
}

/** Misspelt names would otherwise be passed over in silence. */
function unknownSettings(environ: Environ): string[] {
  const known: ReadonlySet<string> = new Set([...names, ...secretNames.map((name) => `${name}_FILE`)])
  return Object.keys(environ)
    .filter((name) => name.startsWith('ARI_') && !known.has(name))
    .sort()
    .map((name) => {
      const meant = names.find((one) => editDistance(one, name) <= likelyTypos)
      return `${name} is not a setting${meant ? `: did you mean ${meant}?` : ' and has no effect'}`
    })
}

const likelyTypos = 3

const shownMax = 60

function quoted(text: string): string {
  const cut = text.length > shownMax ? `${text.slice(0, shownMax)}…` : text
  return JSON.stringify(cut)
}

function listed(values: readonly string[]): string {
  return values.length < 2 ? values.join() : `${values.slice(0, -1).join(', ')} or ${values.at(-1)}`
}
