/** Servers and credentials, as the client of NATS takes them. */
export type NatsServers = { servers: string[]; user?: string; pass?: string; token?: string; tls?: object }

/**
 * `nats://user:password@host:4222`, `nats://token@host`, or `tls://…`; several servers of a cluster are
 * separated by commas, the credentials with the first. Throws if a part is not such a URL.
 */
export function readNatsServers(text: string): NatsServers {
  const urls = text
    .split(',')
    .map((part) => new URL(part.includes('://') ? part.trim() : `nats://${part.trim()}`))
  const [first] = urls
  if (!first || urls.some((url) => !isServer(url))) throw new TypeError('not the URL of a NATS server')
  const [user, pass] = [decodeURIComponent(first.username), decodeURIComponent(first.password)]
  return {
    servers: urls.map((url) => `${url.hostname}:${url.port || '4222'}`),
    ...(user === '' ? {} : pass === '' ? { token: user } : { user, pass }),
    ...(first.protocol === 'tls:' ? { tls: {} } : {}),
  }
}

function isServer({ protocol, hostname, pathname, search, hash }: URL): boolean {
  const isBare = ['', '/'].includes(pathname) && search === '' && hash === ''
  return ['nats:', 'tls:'].includes(protocol) && hostname !== '' && isBare
}
