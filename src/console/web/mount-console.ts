import helmet from '@fastify/helmet'
import files from '@fastify/static'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import type { Log } from '../../base/log.ts'
import { contentSecurityPolicy, firstScript, waitingPage, waitingPolicy } from './page-policy.ts'
import { webBuild } from './build.ts'
import { webFolder } from './sources.ts'
import { webPage } from './web-page.ts'

export type ConsoleWeb = {
  /** Has the web application built where it isn't; nothing waits for it. */
  prepare: () => void
  close: () => Promise<void>
}

/** Otherwise the compression of answers would do it anew for each request. */
const compressedHere = { compress: false } as const
const assetsFolder = join(webFolder, 'assets')
/** Not those that the build has compressed: they are sent in place of these. */
const assetName = /^[\w-][\w.-]{0,199}\.(?:js|css|svg|png|woff2)$/
/** Their names say what is in them. */
const forEver = { maxAge: '365d', immutable: true } as const
const noncePlace = '%STYLE_NONCE%'
const nonceBytes = 16

/** The web application at /console; its API is mounted with the other routes. */
export function mountConsole(fastify: FastifyInstance, { log }: { log: Log }): ConsoleWeb {
  const readPage = webPage()
  const build = webBuild(log)

  const sendPage = async (reply: FastifyReply): Promise<FastifyReply> => {
    const nonce = randomBytes(nonceBytes).toString('base64')
    reply
      .type('text/html; charset=utf-8')
      .header('cache-control', 'no-store')
      .header('content-security-policy', contentSecurityPolicy(nonce))
    const page = await readPage()
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
    // Without a folder of its own: in a checkout there is none before the first build.
    await pages.register(files, { serve: false, preCompressed: true, index: false })
    pages.get('/console', (_request, reply) => sendPage(reply))
    pages.get('/console/*', (request, reply) =>
      isPage(request.url) ? sendPage(reply) : reply.callNotFound(),
    )
    pages.get('/console/icon.svg', (_request, reply) =>
      reply.sendFile('icon.svg', webFolder, { maxAge: '1h' }),
    )
    pages.get<{ Params: { name: string } }>('/console/assets/:name', compressedHere, (request, reply) => {
      const { name } = request.params
      return assetName.test(name) ? reply.sendFile(name, assetsFolder, forEver) : reply.callNotFound()
    })
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
