import helmet from '@fastify/helmet'
import files from '@fastify/static'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import type { Log } from '../../base/log.ts'
import { contentSecurityPolicy, firstScript, waitingPage, waitingPolicy } from './page-policy.ts'
import { webBuild, webFolder, builtFromFile } from './build.ts'
import { readFile, stat } from 'node:fs/promises'

type ConsoleWeb = {
  /** Starts a build of the web application if there is none; nothing waits for it. */
  prepare: () => void
  close: () => Promise<void>
}

/** Otherwise every request would compress them again. */
const compressedHere = { compress: false } as const
const assetsFolder = join(webFolder, 'assets')
/** Not those that the build has compressed: they are sent in place of these. */
const assetName = /^[\w-][\w.-]{0,199}\.(?:js|css|svg|png|woff2)$/
/** Their names contain hashes of their content. */
const cachedForever = { maxAge: '365d', immutable: true } as const
const noncePlaceholder = '%STYLE_NONCE%'
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
      return reply.send(withFirstScript(page).replaceAll(noncePlaceholder, nonce))
    const why = state.is === 'failed' ? state.why : undefined
    reply.code(503).header('retry-after', '2').header('content-security-policy', waitingPolicy(nonce))
    return reply.send(waitingPage(nonce, why))
  }

  // A separate scope, because the headers are for pages, not for the API.
  void fastify.register(async (pages) => {
    await pages.register(helmet, {
      // Set with each page, because each has its own nonce.
      contentSecurityPolicy: false,
      frameguard: { action: 'deny' },
      // Whether the host is HTTPS-only is up to the TLS proxy in front of the service.
      strictTransportSecurity: false,
      // Browsers warn about it on plain HTTP, and it protects nothing here.
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
      return assetName.test(name) ? reply.sendFile(name, assetsFolder, cachedForever) : reply.callNotFound()
    })
  })
  return { prepare: () => void build.begin(true), close: build.close }
}

/** Before every link, style and script, because the browser fetches those in the head as soon as it reads them. */
function withFirstScript(page: string): string {
  return page.replace('<head>', `<head>${firstScript}`)
}

/** Paths of the application have no dots; a path with one is a missing file. */
function isPage(url: string): boolean {
  const path = url.replace(/[?#].*$/s, '')
  return !path.startsWith('/console/api/') && path !== '/console/api' && !/\.[^/]*$/.test(path)
}

/** Gives the page with a place for the nonce, read when it has changed; undefined while nothing is built. */
function webPage(): () => Promise<string | undefined> {
  let page: { builtMs: number; text: string } | undefined
  return async () => {
    const built = await stat(join(webFolder, builtFromFile)).catch(() => undefined)
    if (!built) return undefined
    // In a checkout it may be built anew while the service runs.
    if (page?.builtMs !== built.mtimeMs) {
      const text = await readFile(join(webFolder, 'index.html'), 'utf8').catch(() => undefined)
      page = text === undefined ? undefined : { builtMs: built.mtimeMs, text }
    }
    return page?.text
  }
}
