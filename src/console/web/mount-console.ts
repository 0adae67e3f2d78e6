import helmet from '@fastify/helmet'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { randomBytes } from 'node:crypto'
import type { Log } from '../../base/log.ts'
import { contentSecurityPolicy, firstScript, waitingPage, waitingPolicy } from './page-policy.ts'
import { webBuild } from './build.ts'
import { webFiles, type Asset } from './files.ts'

export type ConsoleWeb = {
  /** Has the web application built where it isn't; nothing waits for it. */
  prepare: () => void
  close: () => Promise<void>
}

/** Otherwise the compression of answers would do it anew for each request. */
const compressedHere = { compress: false } as const
/** Their names say what is in them. */
const forEver = 'public, max-age=31536000, immutable'
const noncePlace = '%STYLE_NONCE%'
const nonceBytes = 16

/** The web application at /console; its API is mounted with the other routes. */
export function mountConsole(fastify: FastifyInstance, { log }: { log: Log }): ConsoleWeb {
  const files = webFiles()
  const build = webBuild(log)

  const sendPage = async (reply: FastifyReply): Promise<FastifyReply> => {
    const nonce = randomBytes(nonceBytes).toString('base64')
    reply
      .type('text/html; charset=utf-8')
      .header('cache-control', 'no-store')
      .header('content-security-policy', contentSecurityPolicy(nonce))
    const page = await files.page()
    const state = await build.begin(page !== undefined)
    if (page !== undefined && state.is === 'built')
      return reply.send(withFirstScript(page).replaceAll(noncePlace, nonce))
    const why = state.is === 'failed' ? state.why : undefined
    reply.code(503).header('retry-after', '2').header('content-security-policy', waitingPolicy(nonce))
    return reply.send(waitingPage(nonce, why))
  }

  // A scope of its own: the headers are for pages, not for the API.
  void fastify.register(async (pages) => {
    await pages.register(helmet, {
      // Set with each page, because each has a nonce of its own.
      contentSecurityPolicy: false,
      frameguard: { action: 'deny' },
      // Whether the host is to be reached by HTTPS only, is for whoever puts TLS in front of the service.
      strictTransportSecurity: false,
      // Browsers complain of it on plain HTTP, and it guards nothing here.
      crossOriginOpenerPolicy: false,
      originAgentCluster: false,
    })
    pages.get('/console', (_request, reply) => sendPage(reply))
    pages.get('/console/*', (request, reply) =>
      isPage(request.url) ? sendPage(reply) : reply.callNotFound(),
    )
    pages.get('/console/icon.svg', async (_request, reply) => {
      const icon = await files.icon()
      return icon
        ? reply.type('image/svg+xml').header('cache-control', 'public, max-age=3600').send(icon)
        : reply.callNotFound()
    })
    pages.get<{ Params: { name: string } }>(
      '/console/assets/:name',
      compressedHere,
      async (request, reply) => {
        const asset = await files.asset(request.params.name)
        return asset ? sendAsset(asset, request, reply) : reply.callNotFound()
      },
    )
  })
  return { prepare: () => void build.begin(true), close: build.close }
}

/** Before every link, style and script: those of the head are fetched as soon as they are read. */
function withFirstScript(page: string): string {
  return page.replace('<head>', `<head>${firstScript}`)
}

/** Paths of the application have no dots; what has one is a file that isn't there. */
function isPage(url: string): boolean {
  const path = url.replace(/[?#].*$/s, '')
  return !path.startsWith('/console/api/') && path !== '/console/api' && !/\.[^/]*$/.test(path)
}

function sendAsset(asset: Asset, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const accepted = request.headers['accept-encoding'] ?? ''
  const encoding = (['br', 'gzip'] as const).find((name) => accepted.includes(name))
  reply.type(asset.type).header('vary', 'accept-encoding').header('cache-control', forEver)
  return encoding === undefined
    ? reply.send(asset.plain)
    : reply.header('content-encoding', encoding).send(asset[encoding])
}
