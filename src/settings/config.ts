import { existsSync, readFileSync } from 'node:fs'
import type { ChannelSettings } from '../alerts/channels/channels.ts'
import { minuteMs } from '../base/calendar.ts'
import type { LogLevel } from '../base/log.ts'
import { listed, unknownSettings } from './config-values.ts'
import type { Environment } from '../keys/secret.ts'
import type { OidcSettings } from '../operators/sign-in/oidc.ts'
import { defaultSignInRules, type SignInRules } from '../operators/sign-in-rules.ts'
import type { ObjectStoreAddress } from '../outbound/object-store.ts'
import type { MetricsRules, Role, Setting } from './setting.ts'
import { settingsTable as table, usualDrainMs, type MigrateChoice } from './settings.ts'

/** Environment → typed settings. The only file that reads process.env. */

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
  /** 32 bytes; absent: backups are not encrypted. */
  backupKey: Buffer | undefined
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
  /** The console's address for people, without a trailing slash; absent: the host in their requests. */
  publicUrl: string | undefined
  traceCallbacks: boolean
  /** Addresses and networks. */
  trustedProxies: readonly string[]
  metrics: MetricsRules
  /** How long a stopping service still serves, while /readyz says that it is not ready. */
  drainMs: number
  migrate: MigrateChoice
  /** Absent: the change feed is not published. */
  feedNats: string | undefined
  /** Multiplies the time that requests may take before they are refused for being late. */
  patience: number
  /** For so long searches heed what suppliers answer to price checks; 0: they don't. */
  liveAnswerSeconds: number
  /** Absent: bodies of pushes remain in the store. */
  archive: ObjectStoreAddress | undefined
  oidc: OidcSettings | undefined
  signIn: SignInRules
  sandboxSignUp: boolean
  /** Outside the store; undefined: revocations are in the store only. */
  revocationsFile: string | undefined
  /** Gets the first key instead of the output; undefined: it is printed. */
  bootstrapFile: string | undefined
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

export type Environ = Readonly<Record<string, string | undefined>>

export const allSettings: readonly Setting<unknown>[] = Object.values(table)

/** The user who became root by sudo, if any. */
export function sudoUser(): string | undefined {
  return process.env['SUDO_USER']
}

/** What systemd asks a service to report (sd_notify(3)); `watchdogMs`: it ends one that is silent for so long. */
export function supervision(): { isAsked: boolean; watchdogMs: number | undefined } {
  const { NOTIFY_SOCKET = '', WATCHDOG_USEC = '' } = process.env
  const watchdogMs = Number(WATCHDOG_USEC) / 1_000
  return { isAsked: NOTIFY_SOCKET !== '', watchdogMs: watchdogMs > 0 ? watchdogMs : undefined }
}

/** Variables by which other programs are led through a proxy; this service uses none. */
export function proxiesInEnvironment(): string[] {
  return Object.keys(process.env).filter((name) => /^https?_proxy$/i.test(name) && process.env[name] !== '')
}

/** The values of all secret settings, which must never be shown. */
export function secretValues(environ: Environ = process.env): string[] {
  const values = allSettings
    .filter(({ isSecret }) => isSecret)
    .flatMap(({ name }) => {
      const file = environ[`${name}_FILE`] ?? ''
      const contents = file === '' ? { value: '' } : contentsOf(name, file)
      return [environ[name] ?? '', 'value' in contents ? contents.value : '']
    })
  return [...values, environ['PGPASSWORD'] ?? '']
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
  return readConfig(process.env)
}

/**
 * The settings with the contents of the files that `NAME_FILE` names: other users can easily see an environment, for
 * example in a listing of containers.
 */
function withFiles(environ: Environ, problems: string[]): Environ {
  const read: Record<string, string | undefined> = { ...environ }
  for (const { name } of allSettings) {
    const file = environ[`${name}_FILE`] ?? ''
    if (file === '') continue
    const contents =
      (environ[name] ?? '') === ''
        ? contentsOf(`${name}_FILE`, file)
        : { problem: `${name} and ${name}_FILE must not both be set` }
    if ('problem' in contents) problems.push(contents.problem)
    else read[name] = contents.value
  }
  return read
}

/** Throws WrongSettings. */
export function readSecretFile(what: string, file: string): string {
  const contents = contentsOf(what, file)
  if ('problem' in contents) throw new WrongSettings([contents.problem])
  return contents.value
}

const fileBytesMax = 64 * 1024

/** The contents of a file, without the final line break that editors add. */
function contentsOf(what: string, file: string): { value: string } | { problem: string } {
  try {
    const value = readFileSync(file, 'utf8').replace(/\r?\n$/, '')
    if (value === '') return { problem: `${what} names ${file}, which is empty` }
    if (value.length <= fileBytesMax) return { value }
    return { problem: `${what} names ${file}, which has more than ${fileBytesMax} bytes` }
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause)
    return { problem: `${what} names ${file}, which can't be read: ${why}` }
  }
}

/** Reads a setting; one that is wrong or absent has its default. */
type Read = <Value>(setting: Setting<Value>) => Value

/** Throws WrongSettings with all errors. An empty value counts as none. */
export function readConfig(given: Environ): { settings: Settings; warnings: string[] } {
  const problems: string[] = []
  const environ = withFiles(given, problems)
  const isSet = ({ name }: Setting<unknown>) =>
    [name, `${name}_FILE`].some((one) => (given[one] ?? '') !== '')
  const read: Read = ({ name, usual, read: reader }) => {
    const text = environ[name]
    if (text === undefined || text === '') return usual
    const reading = reader(text)
    if ('value' in reading) return reading.value
    problems.push(`${name} ${reading.problem}`)
    return usual
  }
  const environment = read(table.environment)
  const settings: Settings = {
    environment,
    environmentIsStated: isSet(table.environment),
    host: read(table.host),
    port: read(table.port),
    addressIsStated: isSet(table.host) || isSet(table.port),
    dataDir: read(table.dataDir),
    databaseUrl: read(table.databaseUrl),
    vaultKey: read(table.vaultKey),
    vaultKeysPrevious: read(table.vaultKeysPrevious),
    backupKey: read(table.backupKey),
    roles: read(table.roles),
    processes: read(table.processes),
    logLevel: read(table.logLevel),
    postgresBinDir: read(table.postgresBinDir),
    privateNetworks: read(table.privateNetworks),
    pushLogDays: read(table.pushLogDays),
    pushLogGb: read(table.pushLogGb),
    publicUrl: read(table.publicUrl),
    trustedProxies: read(table.trustedProxies),
    traceCallbacks: read(table.traceCallbacks),
    metrics: { port: read(table.metricsPort), token: read(table.metricsToken) },
    drainMs: read(table.drainMs) ?? usualDrainMs[environment],
    migrate: read(table.migrate),
    feedNats: read(table.feedNats),
    patience: read(table.patience),
    liveAnswerSeconds: read(table.liveAnswerSeconds),
    ...readAlertChannels(read),
    archive: readArchive(read),
    oidc: readOidc(read),
    signIn: readSignIn(read, environment),
    sandboxSignUp: read(table.sandboxSignUp),
    revocationsFile: read(table.revocationsFile),
    bootstrapFile: read(table.bootstrapFile),
    mfaKeys: read(table.mfaKeys),
  }
  problems.push(...conflicts(settings, isSet))
  if (problems.length > 0) throw new WrongSettings(problems)
  const names = allSettings.map(({ name }) => name)
  return { settings, warnings: unknownSettings(given, names) }
}

/** Settings that are right by themselves, but not together. */
function conflicts(settings: Settings, isSet: (setting: Setting<unknown>) => boolean): string[] {
  const problems: string[] = []
  const { environment, privateNetworks, revocationsFile, dataDir, metrics, port } = settings
  const needs = (setting: Setting<unknown>, other: Setting<unknown>) => {
    if (isSet(setting) && !isSet(other)) problems.push(`${other.name} must be set if ${setting.name} is`)
  }
  const allOrNone = (together: readonly Setting<unknown>[]) => {
    if (together.some(isSet) && !together.every(isSet)) {
      const names = together.map(({ name }) => name)
      problems.push(`${listed(names, 'and')} must be set together`)
    }
  }
  if (privateNetworks.length > 0 && environment === 'production')
    problems.push('ARI_ALLOW_PRIVATE_WEBHOOKS must not be set in production')
  if (revocationsFile?.startsWith(`${dataDir}/`))
    problems.push('ARI_REVOCATIONS_FILE must not be inside ARI_DATA_DIR, because a restore would replace it')
  if (metrics.port !== undefined && metrics.port === port && port > 0)
    problems.push('ARI_METRICS_PORT must differ from PORT')
  needs(table.vaultKeysPrevious, table.vaultKey)
  allOrNone([table.smtpUrl, table.mailFrom])
  needs(table.operatorsWebhookKey, table.operatorsWebhookUrl)
  if (settings.sandboxSignUp && environment !== 'sandbox')
    problems.push('ARI_SANDBOX_SIGNUP must not be true in production')
  for (const other of [table.publicUrl, table.smtpUrl])
    if (settings.sandboxSignUp) needs(table.sandboxSignUp, other)
  // A partly set archive is an error: bodies would silently remain in the store.
  allOrNone([table.archiveUrl, table.archiveKeyId, table.archiveSecret])
  needs(table.oidcIssuer, table.oidcClientId)
  // The provider sends people back to this address, and must know it beforehand.
  needs(table.oidcIssuer, table.publicUrl)
  const beside = [table.oidcClientId, table.oidcClientSecret, table.newcomerRole]
  if (beside.some(isSet) && !isSet(table.oidcIssuer))
    problems.push('ARI_OIDC_ISSUER must be set if any other ARI_OIDC_ setting is')
  return problems
}

function readAlertChannels(read: Read): ChannelSettings {
  const [smtpUrl, from] = [read(table.smtpUrl), read(table.mailFrom)]
  const [url, routingKey] = [read(table.operatorsWebhookUrl), read(table.operatorsWebhookKey)]
  return {
    mail: smtpUrl === undefined || from === undefined ? undefined : { smtpUrl, from },
    operatorsWebhook: url === undefined ? undefined : { url, routingKey },
  }
}

function readArchive(read: Read): ObjectStoreAddress | undefined {
  const address = read(table.archiveUrl)
  const [keyId, secret] = [read(table.archiveKeyId), read(table.archiveSecret)]
  if (address === undefined || keyId === undefined || secret === undefined) return undefined
  return { ...address, keyId, secret }
}

/** The identity provider for sign-in to the console. */
function readOidc(read: Read): OidcSettings | undefined {
  const [issuer, clientId] = [read(table.oidcIssuer), read(table.oidcClientId)]
  const [clientSecret, newcomerRole] = [read(table.oidcClientSecret), read(table.newcomerRole)]
  return issuer === undefined || clientId === undefined
    ? undefined
    : { issuer, clientId, clientSecret, newcomerRole }
}

function readSignIn(read: Read, environment: Environment): SignInRules {
  const usual = defaultSignInRules[environment]
  const ms = (minutes: number | undefined) => (minutes === undefined ? undefined : minutes * minuteMs)
  return {
    requiresSecondFactor: read(table.requiresSecondFactor) ?? usual.requiresSecondFactor,
    lockOutMs: ms(read(table.lockOutMinutes)) ?? usual.lockOutMs,
    idleEndsAfterMs: ms(read(table.sessionIdleMinutes)) ?? usual.idleEndsAfterMs,
  }
}
