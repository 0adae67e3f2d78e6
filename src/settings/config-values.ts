import { availableParallelism } from 'node:os'
import { isIP } from 'node:net'
import { resolve } from 'node:path'
import { hostsOf, hostWantOf, hostWants, isHostWant } from '../postgres/connections/connection-config.ts'
import { readNatsServers } from '../changes/nats-url.ts'
import type { ObjectStoreAddress } from '../outbound/object-store.ts'
import { ownFirstSegments } from '../base/path-prefix.ts'
import { editDistance } from '../http/validation/spelling.ts'
import { allowableNetworks, isAllowableNetwork, loopbackNetworks, parseUrl } from '../outbound/vet-url.ts'

/** Converts texts of the environment to values of settings. */

/**
 * A setting's value, or the reason that the text is invalid. The reason contains no value that may be secret.
 */
export type ReadValue<Value> = { value: Value } | { problem: string }

const vaultKeyBytes = 32
const metricsToken = /^[\x21-\x7e]{16,200}$/

export function among<const Value extends string>(
  values: readonly Value[],
): (text: string) => ReadValue<Value> {
  return (text) => {
    const value = values.find((one) => one === text)
    return value === undefined ? { problem: `must be ${listed(values)}, not ${quoted(text)}` } : { value }
  }
}

/** One or more of the values, with commas between. */
export function someOf<const Value extends string>(
  values: readonly Value[],
): (text: string) => ReadValue<readonly Value[]> {
  return (text) => {
    const parts = text.split(',').map((part) => part.trim())
    const value = values.filter((one) => parts.includes(one))
    const problem = `must be one or more of ${listed(values)}, each only once, separated by commas, not ${quoted(text)}`
    return value.length === parts.length ? { value } : { problem }
  }
}

export function integerBetween(min: number, max: number): (text: string) => ReadValue<number> {
  return (text) => {
    const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN
    return value >= min && value <= max
      ? { value }
      : { problem: `must be a whole number from ${min} to ${max}, not ${quoted(text)}` }
  }
}

export const processes = { min: 1, max: 64 }

/** `auto`: one for each processor that this process may use. */
export function readProcesses(text: string): ReadValue<number> {
  const { min, max } = processes
  if (text === 'auto') return { value: Math.min(max, availableParallelism()) }
  const read = integerBetween(min, max)(text)
  return 'value' in read
    ? read
    : { problem: `must be auto, or a whole number from ${min} to ${max}, not ${quoted(text)}` }
}

export function readHost(text: string): ReadValue<string> {
  const isName = /^(?=.{1,253}$)[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?$/.test(text)
  return isName || isIP(text) !== 0
    ? { value: text }
    : {
        problem: `must be an IP address or a host name, without scheme, brackets or port, not ${quoted(text)}`,
      }
}

export function readFolder(text: string): ReadValue<string> {
  return /\p{Cc}/u.test(text)
    ? { problem: 'must be the path of a folder, without control characters' }
    : { value: resolve(text) }
}

export function readFile(text: string): ReadValue<string> {
  return /\p{Cc}/u.test(text)
    ? { problem: 'must be the path of a file, without control characters' }
    : { value: resolve(text) }
}

/** The error never repeats the URL, because it may contain a password. */
export function readNatsUrl(text: string): ReadValue<string> {
  try {
    readNatsServers(text)
    return { value: text }
  } catch {
    return { problem: 'must be a URL like nats://user:password@host:4222, or several separated by commas' }
  }
}

// Of neither could a signature be made. They are never repeated, because they may be exchanged.
export function readArchiveSecret(text: string): ReadValue<string> {
  return /^[\x21-\x7e]+$/.test(text)
    ? { value: text }
    : { problem: 'must be printable ASCII characters without spaces' }
}

export function readArchiveKeyId(text: string): ReadValue<string> {
  return /^[\x21-\x7e]+$/.test(text) && !/[,/]/.test(text)
    ? { value: text }
    : { problem: 'must be printable ASCII characters without spaces, commas or slashes' }
}

/** `https://host/bucket/prefix?region=…`; the region is us-east-1 unless it is stated. */
export function readArchiveUrl(text: string): ReadValue<Pick<ObjectStoreAddress, 'url' | 'region'>> {
  const url = URL.parse(text)
  const bare = text.replace(/\?.*/, '').replace(/\/$/, '')
  const isRight =
    url !== null &&
    /^\/[\w.-]+(?:\/[\w.-]+)*\/?$/.test(url.pathname) &&
    /^(?:\?region=[a-z0-9-]{1,50})?$/.test(url.search) &&
    url.hash === '' &&
    !('fault' in parseUrl(bare, allowableNetworks))
  return isRight
    ? { value: { url: bare, region: url.searchParams.get('region') ?? 'us-east-1' } }
    : {
        problem:
          'must be the URL of a bucket, optionally with a prefix and the region, as in https://s3.example.com/bucket/prefix?region=eu-1',
      }
}

/** The error never repeats the URL, because it may contain a password. */
export function readDatabaseUrl(text: string): ReadValue<string> {
  for (const host of hostsOf({ connectionString: text })) {
    const url = 'connectionString' in host ? URL.parse(host.connectionString) : null
    if (!url || !['postgres:', 'postgresql:'].includes(url.protocol)) {
      return { problem: 'must be a URL like postgres://user:password@host:5432/database' }
    }
    if (url.pathname.length < 2) {
      return { problem: 'must name a database, as in postgres://user:password@host:5432/database' }
    }
  }
  const want = hostWantOf({ connectionString: text })
  if (!isHostWant(want)) return { problem: `must name ${listed(hostWants)} as target_session_attrs, or none` }
  return { value: text }
}

export function readVaultKey(text: string): ReadValue<Buffer> {
  const isHex = text.length === vaultKeyBytes * 2 && /^[0-9a-f]+$/i.test(text)
  const value = isHex
    ? Buffer.from(text, 'hex')
    : /^[A-Za-z0-9+/_-]{43}=?$/.test(text)
      ? Buffer.from(text, 'base64')
      : undefined
  return value?.length === vaultKeyBytes
    ? { value }
    : {
        problem: `must be ${vaultKeyBytes} random bytes in base64 or hexadecimal, for example from: openssl rand -base64 32`,
      }
}

export function readBoolean(text: string): ReadValue<boolean> {
  return text === 'true' || text === 'false'
    ? { value: text === 'true' }
    : { problem: `must be true or false, not ${quoted(text)}` }
}

/** Keys separated by commas: the service uses the first one; the others are only there to be recognized. */
export function readKeys(text: string): ReadValue<readonly Buffer[]> {
  const readings = text.split(',').map((part) => readVaultKey(part.trim()))
  const problem = readings.find((reading) => 'problem' in reading)
  return problem ?? { value: readings.flatMap((reading) => ('value' in reading ? [reading.value] : [])) }
}

export function readMetricsToken(text: string): ReadValue<string> {
  return metricsToken.test(text)
    ? { value: text }
    : {
        problem:
          'must be 16 to 200 printable ASCII characters without spaces, for example from: openssl rand -base64 32',
      }
}

const vaultKeysPreviousMax = 8

export function readVaultKeys(text: string): ReadValue<readonly Buffer[]> {
  const parts = text.split(',').map((part) => readVaultKey(part.trim()))
  const value = parts.flatMap((part) => ('value' in part ? [part.value] : []))
  return value.length === parts.length && value.length <= vaultKeysPreviousMax
    ? { value }
    : {
        problem: `must be one to ${vaultKeysPreviousMax} former values of ARI_VAULT_KEY, separated by commas`,
      }
}

export function readPrivateNetworks(text: string): ReadValue<readonly string[]> {
  if (text === 'false') return { value: [] }
  if (text === 'true') return { value: loopbackNetworks }
  const value = text.split(',').map((part) => part.trim())
  return value.every(isAllowableNetwork)
    ? { value }
    : {
        problem: `must be true (this machine), false, or private networks separated by commas, like 10.20.0.0/16,127.0.0.0/8, not ${quoted(text)}`,
      }
}

/** Without a trailing slash. The path is written into pages, scripts and cookies as it is. */
export function readPublicUrl(text: string): ReadValue<string> {
  const url = URL.parse(text)
  const path = url?.pathname.replace(/\/$/, '') ?? ''
  const isRight =
    url !== null &&
    /^https?:$/.test(url.protocol) &&
    /^(?:\/[A-Za-z0-9_][\w.~-]*)*$/.test(path) &&
    url.href.replace(/\/$/, '') === `${url.origin}${path}`
  if (!isRight)
    return {
      problem: `must be a URL like https://ari.example.com or https://apps.example.com/ari, not ${quoted(text)}`,
    }
  const own = ownFirstSegments.find((segment) => segment === path.split('/')[1])
  return own === undefined
    ? { value: `${url.origin}${path}` }
    : { problem: `must not have a path that begins with /${own}, which the service uses itself` }
}

const localHosts = ['127.0.0.1', '[::1]', 'localhost']

export function readIssuer(text: string): ReadValue<string> {
  const url = URL.parse(text)
  const isSafe =
    url?.protocol === 'https:' || (url?.protocol === 'http:' && localHosts.includes(url.hostname))
  return isSafe && url.search === '' && url.hash === '' && url.username === ''
    ? { value: text }
    : { problem: `must be the https URL of an OpenID provider, not ${quoted(text)}` }
}

export function readNetworks(text: string): ReadValue<readonly string[]> {
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
        problem: `must be addresses or networks separated by commas, like 10.0.0.0/8, not ${quoted(text)}`,
      }
}

const quotedMax = 60

function quoted(text: string): string {
  const cut = text.length > quotedMax ? `${text.slice(0, quotedMax)}…` : text
  return JSON.stringify(cut)
}

export function listed(values: readonly string[], last = 'or'): string {
  return values.length < 2 ? values.join() : `${values.slice(0, -1).join(', ')} ${last} ${values.at(-1)}`
}

/** Without this, misspelt names would be ignored silently. */
export function unknownSettings(
  environ: Readonly<Record<string, string | undefined>>,
  names: readonly string[],
): string[] {
  const known: ReadonlySet<string> = new Set(names.flatMap((name) => [name, `${name}_FILE`]))
  return Object.keys(environ)
    .filter((name) => name.startsWith('ARI_') && !known.has(name))
    .sort()
    .map((name) => {
      const candidate = names.find((one) => editDistance(one, name) <= likelyTypos)
      return `${name} is not a setting${candidate ? `: did you mean ${candidate}?` : ' and has no effect'}`
    })
}

const likelyTypos = 3
