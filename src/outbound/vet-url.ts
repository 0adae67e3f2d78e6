import { lookup, Resolver } from 'node:dns/promises'
import { isIP } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import ipaddr from 'ipaddr.js'

/**
 * Every call to a URL from a supplier starts here. A supplier must not be able to make this service call into
 * its own network: the URL is parsed and vetted, its name resolved, and every address of it vetted. The
 * addresses of a name may change at any time, so a caller connects only to an address that was vetted for
 * that connection.
 */

/** The addresses of a host name, IPv4 and IPv6. After the signal nobody waits for them any more. */
export type Resolve = (host: string, signal: AbortSignal) => Promise<readonly string[]>

export type OutboundRules = {
  /**
   * The operator's own networks that may be called, such as `127.0.0.0/8`; if there are any, `http` and port
   * 80 are allowed too. For the sandbox; empty: none.
   */
  privateNetworks: readonly string[]
  resolve: Resolve
  /** Whether calls within a trace tell the other side of it, by the header `traceparent`. Absent: they don't. */
  sendsTraceparent?: boolean
  /** Certificate authorities to trust in addition to those of Node, in PEM. */
  authorities?: readonly string[]
  /**
   * Redirects vetted addresses elsewhere. Absent: no redirection. For tests, which must not call the
   * internet.
   */
  reach?: (vetted: Reached) => Reached
}

export type Reached = { host: string; port: number; addresses: readonly string[] }

export const urlFaultKinds = [
  'tooLong',
  'notAscii',
  'malformed',
  'notHttps',
  'credentials',
  'fragment',
  'hostForm',
  'trailingDot',
  'port',
  'privateName',
  'privateAddress',
  'unresolved',
] as const
export type UrlFaultKind = (typeof urlFaultKinds)[number]

/** The reason that a URL is refused; `form` is the correct spelling of the host. */
export type UrlFault = { kind: UrlFaultKind; form?: string }

export type ParsedUrl = {
  /** The URL as it is called. */
  href: string
  /** Without the brackets of IPv6. */
  host: string
  isAddress: boolean
}

/** A URL that may be called now, at these addresses. */
export type VettedUrl = ParsedUrl & { addresses: readonly string[] }

export type RefusedUrl = { fault: UrlFault }

export const urlCharactersMax = 2_048
const resolveDeadlineMs = 3_000
const addressesMax = 100

/**
 * Resolves like the operating system, /etc/hosts included: for local tests only. It can't be cancelled, and
 * blocks one of the process's few threads for as long as name servers are silent.
 */
export const resolveAsSystem: Resolve = async (host) => {
  const addresses = await lookup(host, { all: true })
  return addresses.map(({ address }) => address)
}

/** Resolves with the name servers of this machine. */
export const resolveByDns: Resolve = dnsResolve()

/** Resolves with the given name servers, by default those of the machine. */
export function dnsResolve(servers?: readonly string[]): Resolve {
  return async (host, signal) => {
    const resolver = new Resolver({ timeout: resolveDeadlineMs, tries: 1 })
    if (servers) resolver.setServers(servers)
    const cancel = (): void => resolver.cancel()
    signal.addEventListener('abort', cancel, { once: true })
    try {
      // A name may have addresses of one kind only.
      const addresses = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)])
      return addresses.flatMap((one) => (one.status === 'fulfilled' ? one.value : []))
    } finally {
      signal.removeEventListener('abort', cancel)
    }
  }
}

/** Vets a URL completely: its text, its host, and every current address of the host. */
export async function vetUrl(text: string, rules: OutboundRules): Promise<VettedUrl | RefusedUrl> {
  const { privateNetworks } = rules
  const parsed = parseUrl(text, privateNetworks)
  if ('fault' in parsed) return parsed
  const addresses = parsed.isAddress ? [parsed.host] : await resolveInTime(parsed.host, rules.resolve)
  if (addresses.length === 0 || addresses.length > addressesMax) return { fault: { kind: 'unresolved' } }
  if (!addresses.every((address) => mayConnect(address, privateNetworks))) {
    return { fault: { kind: 'privateAddress' } }
  }
  return { ...parsed, addresses }
}

/** Returns no addresses if the name doesn't resolve in time. */
async function resolveInTime(host: string, resolve: Resolve): Promise<readonly string[]> {
  const timer = new AbortController()
  const late = wait(resolveDeadlineMs, [], { signal: timer.signal })
  try {
    return await Promise.race([resolve(host, timer.signal), late])
  } catch {
    // Unknown name, no name server, malformed answer: the caller doesn't need to distinguish them.
    return []
  } finally {
    timer.abort()
    await late.catch(() => undefined)
  }
}

const authorityOf = /^https?:\/\/([^/?#\\]*)/i
const hostAndPort = /^(\[[^\]]*\]|[^:]*)(?::(\d{1,5}))?$/

/**
 * Parses a URL. The URL standard accepts `0x7f.1`, `2130706433`, `%6c` and `１２７` as plain hosts, so the
 * parsed host must equal the written one: then any other parser reads the same host from the stored URL.
 */
export function parseUrl(text: string, privateNetworks: readonly string[]): ParsedUrl | RefusedUrl {
  const isLocalTry = privateNetworks.length > 0
  if (text.length > urlCharactersMax) return refused('tooLong')
  if (!/^[\x21-\x7e]*$/.test(text)) return refused('notAscii')
  const url = URL.parse(text)
  if (!url) return refused('malformed')
  if (url.protocol !== 'https:' && !(isLocalTry && url.protocol === 'http:')) return refused('notHttps')
  const authority = authorityOf.exec(text)?.[1]
  if (authority === undefined || text.includes('\\')) return refused('malformed')
  if (authority.includes('@')) return refused('credentials')
  if (text.includes('#')) return refused('fragment')
  const written = hostAndPort.exec(authority)
  if (!written) return refused('malformed')
  if (url.hostname.endsWith('.')) return refused('trailingDot')
  if (written[1]?.toLowerCase() !== url.hostname) return { fault: { kind: 'hostForm', form: url.hostname } }
  if (written[2] !== undefined && !isPort(Number(written[2]), isLocalTry)) return refused('port')

  const host = url.hostname.replace(/^\[|\]$/g, '')
  const isAddress = isIP(host) !== 0
  if (!isAddress && !isName(host)) return refused('malformed')
  if (!isAddress && !isLocalTry && isPrivateName(host)) return refused('privateName')
  if (isAddress && !mayConnect(host, privateNetworks)) return refused('privateAddress')
  return { href: url.href, host, isAddress }
}

function refused(kind: UrlFaultKind): RefusedUrl {
  return { fault: { kind } }
}

/** Ports below 1024 other than 443 belong to other services, which must never get our calls. */
function isPort(port: number, isLocalTry: boolean): boolean {
  return port === 443 || (port >= 1_024 && port <= 65_535) || (isLocalTry && port === 80)
}

const nameCharactersMax = 253
const label = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/

function isName(host: string): boolean {
  return host.length <= nameCharactersMax && host.split('.').every((part) => label.test(part))
}

/** Top-level labels that don't exist on the public internet and are resolved in local networks. */
const privateDomains = [
  'localhost',
  'localdomain',
  'local',
  'internal',
  'intranet',
  'private',
  'corp',
  'home',
  'lan',
  'arpa',
  'test',
  'invalid',
  'onion',
  'alt',
]

function isPrivateName(host: string): boolean {
  const labels = host.split('.')
  return labels.length < 2 || privateDomains.includes(labels.at(-1) ?? '')
}

/**
 * Addresses where clouds give their guests credentials and settings; refused even inside an allowed network.
 */
const metadataAddresses = new Set([
  '169.254.169.254',
  '169.254.170.2',
  '168.63.129.16',
  '100.100.100.200',
  '192.0.0.192',
  'fd00:ec2::254',
  'fd20:ce::254',
])

/** This machine, for suppliers that are tested on it. */
export const loopbackNetworks = ['127.0.0.0/8', '::1/128']

/** Allowed networks must lie within one of these: never call link-local, multicast and reserved addresses. */
export const allowableNetworks = [
  ...loopbackNetworks,
  '10.0.0.0/8',
  '172.16.0.0/12',
  '192.168.0.0/16',
  '100.64.0.0/10',
  'fc00::/7',
]

/** Whether a network, such as `10.20.0.0/16`, may be allowed; a bare address is not a network. */
export function isAllowableNetwork(network: string): boolean {
  if (!/^[0-9a-f.:]+\/\d{1,3}$/i.test(network) || !ipaddr.isValidCIDR(network)) return false
  const [address, bits] = ipaddr.parseCIDR(network)
  return allowableNetworks.some((one) => bits >= ipaddr.parseCIDR(one)[1] && isWithin(address, one))
}

/**
 * Whether an address may be connected to. ipaddr.js calls an address in no special range `unicast`; it has no
 * range for IPv4-compatible (::/96), ISATAP and unassigned IPv6 addresses, so only 2000::/3 of IPv6 is
 * allowed.
 */
export function mayConnect(address: string, privateNetworks: readonly string[]): boolean {
  // ipaddr.js also reads other spellings. Accept only the plain form: not 0177.0.0.1, not fe80::1%eth0.
  if (isIP(address) === 0 || address.includes('%')) return false
  const parsed = ipaddr.parse(address)
  if (metadataAddresses.has(parsed.toString())) return false
  const range: string = parsed.range()
  if (privateNetworks.some((network) => isWithin(parsed, network))) return true
  if (range !== 'unicast') return false
  return !(parsed instanceof ipaddr.IPv6) || isGlobal(parsed)
}

function isWithin(address: ipaddr.IPv4 | ipaddr.IPv6, network: string): boolean {
  const [within, bits] = ipaddr.parseCIDR(network)
  return address.kind() === within.kind() && address.match(within, bits)
}

function isGlobal(address: ipaddr.IPv6): boolean {
  const [first = 0, , , , fifth = 0, sixth = 0] = address.parts
  const isIsatap = sixth === 0x5efe && (fifth === 0 || fifth === 0x200)
  // 3ffe::/16 was the 6bone, which has been returned.
  return first >> 13 === 1 && first !== 0x3ffe && !isIsatap
}
