import { Resolver } from 'node:dns/promises'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { randomUUID } from 'node:crypto'
import { tryMailServer } from '../alerts/channels/channels.ts'
import { telemetry } from '../base/telemetry.ts'
import { counted } from '../base/counted.ts'
import { proxiesInEnvironment, type Settings } from '../settings/config.ts'
import { outboundCaller } from '../outbound/call.ts'
import { connector } from '../outbound/connect.ts'
import { newSigningSecret, signedHeaders } from '../outbound/signature.ts'
import { loopbackNetworks, resolveAsSystem, resolveByDns, vetUrl } from '../outbound/vet-url.ts'
import { addressOf, announcedAddress } from '../settings/service-address.ts'
import { sendCallback } from '../webhooks/callback.ts'
import { isInContainer, isLoopback } from './container.ts'
import { ok, skipped, warned, wrong, type CheckOutcome } from './findings.ts'

/** What the service is reached by, and what it reaches. */

const answersWithinMs = 5_000

/** The answer of a GET, or the reason that there is none. */
async function get(
  url: string,
  { patience }: Settings,
): Promise<{ status: number; text: string } | { refusal: string }> {
  try {
    const response = await fetch(url, {
      signal: AbortSignal.timeout(answersWithinMs * patience),
      redirect: 'manual',
    })
    return { status: response.status, text: (await response.text()).trim() }
  } catch (error) {
    const cause = error instanceof Error ? (error.cause ?? error) : error
    if (cause instanceof Error && 'code' in cause) return { refusal: String(cause.code) }
    return { refusal: cause instanceof Error ? cause.name : String(cause) }
  }
}

/** The address at which a service with these settings is on this machine. */
function ownAddress(settings: Settings): string | undefined {
  const { dataDir, port, publicUrl } = settings
  // With a public URL, that is what a service announces for its console.
  const announced =
    announcedAddress(dataDir, 'gateway') ??
    (publicUrl === undefined ? announcedAddress(dataDir, 'console') : undefined)
  return announced ?? (port === 0 ? undefined : addressOf(settings))
}

const nobodyListens = ['ECONNREFUSED', 'ENETUNREACH', 'EADDRNOTAVAIL', 'EHOSTUNREACH']

export async function checkService(settings: Settings): Promise<CheckOutcome> {
  const address = ownAddress(settings)
  if (address === undefined) return ok('no service is running here')
  const alive = await get(`${address}/livez`, settings)
  if ('refusal' in alive) {
    if (nobodyListens.includes(alive.refusal)) return ok(`no service is running at ${address}`)
    return wrong({
      message: `the program that listens at ${address} does not answer (${alive.refusal})`,
      why: 'suppliers and the platform get no answer either',
      remedy: 'Look at the log of the service; if it is another program, stop it or set PORT to another port',
    })
  }
  if (alive.text !== 'ok') {
    return wrong({
      message: `another program answers at ${address}`,
      why: "a service with these settings can't start",
      remedy: 'Stop that program, or set PORT to another port',
    })
  }
  const ready = await get(`${address}/readyz`, settings)
  if ('status' in ready && ready.status === 200) return ok(`${address} is ready`)
  return wrong({
    message: `${address} says ${'text' in ready ? ready.text : ready.refusal}`,
    why: 'load balancers send it no requests, and requests that arrive anyway are refused',
    remedy: 'Look at the other findings and at the log of the service',
  })
}

export async function checkPublicUrl(
  settings: Settings,
  isContainer = isInContainer(),
): Promise<CheckOutcome> {
  const { publicUrl, roles, environment } = settings
  if (!roles.includes('console')) return skipped('this role has no console')
  if (publicUrl === undefined) {
    if (environment === 'sandbox') return ok('not set; links use the host of each request')
    return warned({
      message: 'ARI_PUBLIC_URL is not set',
      why: 'sign-in links use the host of whichever request asked for them, and the cookie is not limited to HTTPS',
      remedy: 'Set it to the address of the console, such as https://ari.example.com',
    })
  }
  if (environment === 'production' && publicUrl.startsWith('http:')) {
    return wrong({
      message: `ARI_PUBLIC_URL is ${publicUrl}, without TLS`,
      why: "operators' passwords and sessions can be read in transit",
      remedy: 'Put a TLS proxy in front of the service, and set the https address',
    })
  }
  const own = ownAddress(settings)
  const here = own === undefined ? undefined : await get(`${own}/openapi.json`, settings)
  if (!here || 'refusal' in here) return ok(`${publicUrl}; not checked, because no service answers here`)
  const there = await get(`${publicUrl}/openapi.json`, settings)
  if ('text' in there && there.text === here.text) return ok(`${publicUrl} leads to this service`)
  if ('refusal' in there && isLoopback(publicUrl) && isContainer)
    return ok(`${publicUrl}; not checked, because in a container it is the container's own address`)
  return warned({
    message:
      'refusal' in there
        ? `${publicUrl} can't be reached from here (${there.refusal})`
        : `${publicUrl} leads to another service, or to another version`,
    why: 'sign-in links and alerts send people there',
    remedy: 'Correct ARI_PUBLIC_URL or the proxy: it must forward /console, /docs, /openapi.json and /v1',
  })
}

export async function checkMail({ mail }: Settings): Promise<CheckOutcome> {
  if (!mail) return skipped('ARI_SMTP_URL is not set: no e-mail')
  const host = URL.parse(mail.smtpUrl)?.host ?? 'the mail server'
  try {
    await tryMailServer(mail)
    return ok(`${host} accepts messages from ${mail.from}`)
  } catch (error) {
    return wrong({
      message: `${host} can't be used: ${error instanceof Error ? error.message : String(error)}`,
      why: 'no alert is sent by e-mail',
      remedy: 'Correct ARI_SMTP_URL: host, port, user and password; smtps:// for TLS from the start',
    })
  }
}

const namesMax = 20
const nameServerMs = 3_000
/** The name servers answered, and know no such name: that is the supplier's matter. */
const unknownName = new Set(['ENOTFOUND', 'ENODATA', 'ENONAME'])

/** Asks for the hosts of suppliers' URLs as the service does; calls none of them. */
export async function checkNames(
  urls: readonly string[],
  { privateNetworks }: Settings,
): Promise<CheckOutcome> {
  const hosts = [...new Set(urls.map((url) => new URL(url).hostname))]
    .filter((host) => /[a-z]/i.test(host) && !host.startsWith('['))
    .slice(0, namesMax)
  if (hosts.length === 0) return skipped('no supplier has registered a URL with a host name')
  const outcomes = await Promise.all(hosts.map((host) => refusalOfName(host, privateNetworks.length > 0)))
  const failures = hosts.flatMap((host, at) => {
    const refusal = outcomes[at]
    return refusal === undefined ? [] : [{ host, refusal }]
  })
  if (failures.length === 0) return ok(`${counted(hosts.length, 'supplier host')} resolved`)
  const silent = failures.find(({ refusal }) => !unknownName.has(refusal))
  if (silent) {
    return wrong({
      message: `the name servers do not answer for ${silent.host} (${silent.refusal})`,
      why: 'no supplier can be called: price checks fail and reservations wait',
      remedy:
        'Check /etc/resolv.conf, and that this machine can reach its name servers (port 53, UDP and TCP)',
    })
  }
  return warned({
    message: `hosts without an address: ${failures.map(({ host }) => host).join(', ')}`,
    why: 'their suppliers get no price checks and no reservations',
    remedy: 'Ask these suppliers for the correct URL, or wait until their name servers answer again',
  })
}

async function refusalOfName(host: string, asSystem: boolean): Promise<string | undefined> {
  try {
    if (asSystem) await resolveAsSystem(host, AbortSignal.timeout(nameServerMs))
    else {
      const resolver = new Resolver({ timeout: nameServerMs, tries: 1 })
      await Promise.any([resolver.resolve4(host), resolver.resolve6(host)])
    }
    return undefined
  } catch (error) {
    const first: unknown = error instanceof AggregateError ? error.errors[0] : error
    return first instanceof Error && 'code' in first ? String(first.code) : String(first)
  }
}

const originsMax = 50

/** With `isAsked`, opens a vetted TLS connection to each host of suppliers' URLs, and sends nothing over it. */
export async function checkSuppliers(
  urls: readonly string[],
  { privateNetworks }: Settings,
  isAsked: boolean,
): Promise<readonly CheckOutcome[]> {
  const proxies = proxiesInEnvironment()
  if (proxies.length > 0) {
    return [
      warned({
        message: `${proxies.join(', ')} is set, but the gateway does not use a proxy`,
        why: 'suppliers are called directly, at addresses that are checked one by one',
        remedy: 'Allow this machine to connect to port 443 on the internet without the proxy',
      }),
    ]
  }
  const origins = [...new Set(urls.map((url) => new URL(url).origin))].slice(0, originsMax)
  if (origins.length === 0) return [skipped('no supplier has registered a URL')]
  if (!isAsked)
    return [skipped('not checked; --suppliers connects to the host of each URL, and sends nothing')]
  const resolve = privateNetworks.length > 0 ? resolveAsSystem : resolveByDns
  const connect = connector({ privateNetworks, resolve })
  const found = await Promise.all(
    origins.map(async (origin) => {
      try {
        const socket = await connect(new URL(origin), AbortSignal.timeout(answersWithinMs))
        socket.destroy()
        return []
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error)
        return [
          warned({
            message: `can't connect to ${origin}: ${reason}`,
            why: 'price checks with it fail, and its reservations wait',
            remedy:
              'If all suppliers fail, allow this machine to connect to port 443; if only one does, contact the supplier',
          }),
        ]
      }
    }),
  )
  const failures = found.flat()
  return failures.length > 0 ? failures : [ok(`connected to ${counted(origins.length, 'supplier host')}`)]
}

const loopback = '127.0.0.1'

/** A signed call to a receiver of our own, by the way that every call to a supplier goes. */
export async function checkWebhook({ privateNetworks, patience }: Settings): Promise<CheckOutcome> {
  const withinMs = answersWithinMs * patience
  const limits = { connectWithinMs: withinMs, withinMs }
  const secret = newSigningSecret()
  const receiver = receiverOf(secret)
  const trouble = {
    why: 'price checks and reservations go the same way',
    remedy: `Allow programs on this machine to connect to ${loopback}: check its network interface lo and its firewall`,
  }
  const caller = outboundCaller(
    { privateNetworks: loopbackNetworks, resolve: resolveAsSystem },
    telemetry(),
    {
      purpose: 'doctor',
      connectionsPerHost: 1,
    },
  )
  try {
    receiver.listen(0, loopback)
    await once(receiver, 'listening')
    const address = receiver.address()
    const port = typeof address === 'object' && address !== null ? address.port : 0
    const url = `http://${loopback}:${port}/`
    const message = { id: `ping_${randomUUID()}`, requestId: 'doctor', atMs: Date.now(), body: testBody }
    const called = await sendCallback({ caller }, { keyId: 0, url, secrets: [secret] }, message, limits)
    if (called.kind === 'failed')
      return wrong({ message: `a test call to this machine failed: ${called.message}`, ...trouble })
    if (called.status !== acceptedStatus)
      return wrong({ message: 'a test call to this machine arrived with a wrong signature', ...trouble })
    const { length } = privateNetworks
    const isRefused = 'fault' in (await vetUrl(url, { privateNetworks, resolve: resolveAsSystem }))
    const guard = isRefused
      ? "suppliers can't register URLs on this machine"
      : 'suppliers can register URLs on this machine (ARI_ALLOW_PRIVATE_WEBHOOKS)'
    return isRefused || length > 0
      ? ok(`a signed test call arrives; ${guard}`)
      : wrong({
          message: guard,
          why: 'they could reach programs on its network',
          remedy: 'This is a bug: report it',
        })
  } finally {
    caller.close()
    receiver.close()
  }
}

const testBody = Buffer.from('{"type":"ping"}')
const acceptedStatus = 204

/** Accepts a call only if its signature is that of this secret. */
function receiverOf(secret: string): Server {
  return createServer((request, response) => {
    const answer = async (): Promise<void> => {
      const body = await buffer(request)
      const { headers } = request
      const [id, atMs] = [String(headers['webhook-id']), Number(headers['webhook-timestamp']) * 1_000]
      const isOurs =
        signedHeaders({ id, atMs, body, secrets: [secret] })['webhook-signature'] ===
        headers['webhook-signature']
      response.writeHead(isOurs ? acceptedStatus : 401).end()
    }
    answer().catch(() => response.destroy())
  })
}
