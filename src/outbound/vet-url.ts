import { lookup, Resolver } from 'node:dns/promises'
import { isIP } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import ipaddr from 'ipaddr.js'

/**
 * Every call to a URL that a supplier gave us starts here. A supplier must not be able to make this service speak to
 * its own network: a URL is taken apart and vetted, its name resolved, and every address of it vetted. What a name
 * resolves to may change at any time, so a caller connects only to an address that was vetted for that connection.
 */

/** The addresses of a host name, IPv4 and IPv6. When the signal comes nobody waits for them any more. */
export type Resolve = (host: string, signal: AbortSignal) => Promise<readonly string[]>

export type OutboundRules = {
  /**
   * Networks of one's own that may be called, as `127.0.0.0/8`; with any, `http` and port 80 may be too. For the
   * sandbox; empty: none.
   */
  privateNetworks: readonly string[]
  resolve: Resolve
  /** Certificate authorities that are trusted beside those of Node, in PEM. */
  authorities?: readonly string[]
  /** Where vetted addresses are really reached. Absent: there. For tests, which must not call the internet. */
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

/** Why a URL is refused; `form` is how the host should have been written. */
export type UrlFault = { kind: UrlFaultKind; form?: string }

export type ParsedUrl = {
  /** As it is called. */
  href: string
  /** Without the brackets of IPv6. */
  host: string
  isAddress: boolean
}

/** A URL that may be called now, at these addresses. */
export type VettedUrl = ParsedUrl & { addresses: readonly string[] }

export type Refused = { fault: UrlFault }

export const urlCharactersMax = 2_048
const resolveDeadlineMs = 3_000
const addressesMax = 100

/**
 * What the operating system knows, /etc/hosts included: for local tries only. It can't be cancelled, and takes one of
 * the process's few threads for as long as name servers are silent.
 */
export const resolveAsSystem: Resolve = async (host) => {
  const found = await lookup(host, { all: true })
  return found.map(({ address }) => address)
}

/** What the name servers of this machine say. */
export const resolveByDns: Resolve = dnsResolve()

/** What these name servers say; without any, those of the machine. */
export function dnsResolve(servers?: readonly string[]): Resolve {
  return async (host, signal) => {
    const resolver = new Resolver({ timeout: resolveDeadlineMs, tries: 1 })
    if (servers) resolver.setServers(servers)
    const cancel = (): void => resolver.cancel()
    signal.addEventListener('abort', cancel, { once: true })
    try {
      // A name may have addresses of one kind only.
      const found = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)])
      return found.flatMap((one) => (one.status === 'fulfilled' ? one.value : []))
    } finally {
      signal.removeEventListener('abort', cancel)
    }
  }
}

/** Vets a URL wholly: its text, its host, and every address that the host has now. */
export async function vetUrl(text: string, rules: OutboundRules): Promise<VettedUrl | Refused> {
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

/** No address at all when the name doesn't resolve in time. */
async function resolveInTime(host: string, resolve: Resolve): Promise<readonly string[]> {
  const timer = new AbortController()
  const late = wait(resolveDeadlineMs, [], { signal: timer.signal })
  try {
    return await Promise.race([resolve(host, timer.signal), late])
  } catch {
    // Unknown name, no name server, malformed answer: for the caller all the same.
    return []
  } finally {
    timer.abort()
    await late.catch(() => undefined)
  }
}

const authorityOf = /^https?:\/\/([^/?#\\]*)/i
const hostAndPort = /^(\[[^\]]*\]|[^:]*)(?::(\d{1,5}))?$/

/**
 * Takes a URL apart. The URL standard reads `0x7f.1`, `2130706433`, `%6c` and `１２７` as plain hosts, so what it read
 * must be what was written: then whoever reads the stored URL, with whatever parser, reads the same host.
 */
export function parseUrl(text: string, privateNetworks: readonly string[]): ParsedUrl | Refused {
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

function refused(kind: UrlFaultKind): Refused {
  return { fault: { kind } }
}

/** Ports below 1024 other than 443 belong to other services; nothing of ours shall knock there. */
function isPort(port: number, isLocalTry: boolean): boolean {
  return port === 443 || (port >= 1_024 && port <= 65_535) || (isLocalTry && port === 80)
}

const nameCharactersMax = 253
const label = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/

function isName(host: string): boolean {
  return host.length <= nameCharactersMax && host.split('.').every((part) => label.test(part))
}

/** Last labels that name nothing on the public internet, and are looked up in local networks. */
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

/** Where clouds answer their guests with credentials and settings; refused even inside a network that is allowed. */
const metadataAddresses = new Set([
  '169.254.169.254',
  '169.254.170.2',
  '168.63.129.16',
  '100.100.100.200',
  '192.0.0.192',
  'fd00:ec2::254',
  'fd20:ce::254',
])

/** This machine, for suppliers that are tried on it. */
export const loopbackNetworks = ['127.0.0.0/8', '::1/128']

/** Whatever is allowed lies in one of these: link-local, multicast and reserved addresses are never called. */
const allowableNetworks = [
  ...loopbackNetworks,
  '10.0.0.0/8',
  '172.16.0.0/12',
  '192.168.0.0/16',
  '100.64.0.0/10',
  'fc00::/7',
]

/** Whether a network, as `10.20.0.0/16`, is one that may be allowed; an address alone is none. */
export function isAllowableNetwork(network: string): boolean {
  if (!/^[0-9a-f.:]+\/\d{1,3}$/i.test(network) || !ipaddr.isValidCIDR(network)) return false
  const [address, bits] = ipaddr.parseCIDR(network)
  return allowableNetworks.some((one) => bits >= ipaddr.parseCIDR(one)[1] && isWithin(address, one))
}

/**
 * Whether an address may be connected to. `unicast` is what ipaddr.js calls an address in no special range; it knows no
 * range for IPv4-compatible (::/96), ISATAP and unassigned IPv6 addresses, so of IPv6 only 2000::/3 is let through.
 */
export function mayConnect(address: string, privateNetworks: readonly string[]): boolean {
  // Of what ipaddr.js reads as an address, only the plain form: not 0177.0.0.1, not fe80::1%eth0.
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
  // 3ffe::/16 was the 6bone, given back.
  return first >> 13 === 1 && first !== 0x3ffe && !isIsatap
}
