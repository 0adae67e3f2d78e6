import { request, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import { once } from 'node:events'
import { goodCertificate } from './certificates.ts'

/**
 * A reverse proxy with TLS that has a service below a path of a host with other services, as nginx does:
 *
 *   - `removed`: `location /ari/ { proxy_pass http://ari/; }`, with the Host that nginx sends by default, the upstream's
 *   - `passed`: `location /ari/ { proxy_pass http://ari; proxy_set_header Host $http_host; }`
 */
export type PathProxy = {
  /** Without a trailing slash; the host is one that browsers look for on this machine. */
  publicUrl: string
  /** Where the service is. Requests before that get 502. */
  forwardTo: (url: string) => void
  /** The requests outside the prefix, which belong to other services. */
  outside: readonly string[]
  close: () => Promise<void>
}

export async function startPathProxy(prefix: string, what: 'removed' | 'passed'): Promise<PathProxy> {
  const outside: string[] = []
  let upstream: URL | undefined
  const server = createServer(goodCertificate, (incoming, response) => {
    const { url = '' } = incoming
    if (!url.startsWith(`${prefix}/`)) {
      outside.push(`${incoming.method} ${url}`)
      response.writeHead(404).end()
    } else if (!upstream) response.writeHead(502).end()
    else if (what === 'removed') {
      const headers = { ...incoming.headers, host: upstream.host }
      forward({ incoming, response }, new URL(url.slice(prefix.length), upstream), headers)
    } else forward({ incoming, response }, new URL(url, upstream), incoming.headers)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (typeof address !== 'object' || address === null) throw new Error('the proxy has no port')
  return {
    publicUrl: `https://apps.localhost:${address.port}${prefix}`,
    forwardTo: (url) => void (upstream = new URL(url)),
    outside,
    close: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

function forward(
  { incoming, response }: { incoming: IncomingMessage; response: ServerResponse },
  url: URL,
  headers: IncomingMessage['headers'],
): void {
  const forwarded = request(url, { method: incoming.method ?? 'GET', headers }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers)
    answer.pipe(response)
  })
  forwarded.once('error', () => response.destroy())
  response.once('close', () => forwarded.destroy())
  incoming.pipe(forwarded)
}
