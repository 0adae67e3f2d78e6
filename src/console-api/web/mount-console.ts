import helmet from '@fastify/helmet'
import files from '@fastify/static'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { randomBytes, hash } from 'node:crypto'
import { join } from 'node:path'
import type { Log } from '../../base/log.ts'
import { webBuild, webFolder, builtFromFile, hashOfBuiltWeb } from './build.ts'
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
/** An open page compares the build that it is of with the one that is served now (web/src/shell/upgrade-note.tsx). */
const buildPlaceholder = '%CONSOLE_BUILD%'
const buildHeader = 'x-console-build'
/** The path below which proxies have the service: the build knows no place. */
const prefixPlaceholder = '__PATH_PREFIX__'
const nonceBytes = 16

/** The web application at /console; its API is mounted with the other routes. */
export function mountConsole(
  fastify: FastifyInstance,
  { log, pathPrefix }: { log: Log; pathPrefix: string },
): ConsoleWeb {
  const readPage = webPage(pathPrefix)
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
      return reply
        .header(buildHeader, page.build)
        .send(
          withFirstScript(page.text)
            .replaceAll(noncePlaceholder, nonce)
            .replace(buildPlaceholder, page.build),
        )
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
function webPage(pathPrefix: string): () => Promise<{ text: string; build: string } | undefined> {
  let page: { builtMs: number; text: string; build: string } | undefined
  return async () => {
    const built = await stat(join(webFolder, builtFromFile)).catch(() => undefined)
    if (!built) return undefined
    // In a checkout it may be built anew while the service runs.
    if (page?.builtMs !== built.mtimeMs) {
      const text = await readFile(join(webFolder, 'index.html'), 'utf8').catch(() => undefined)
      const build = await hashOfBuiltWeb()
      page =
        text === undefined || build === undefined
          ? undefined
          : { builtMs: built.mtimeMs, text: text.replaceAll(prefixPlaceholder, pathPrefix), build }
    }
    return page
  }
}

/**
 * The first script of the page, before anything is loaded. If a file of the page can't be loaded, as while the service
 * restarts, it loads the page again as soon as the service answers; once the application has begun, that is its own task
 * (web/src/shell/lost-page.tsx). And it removes the token of a sign-in link from the address, and so
 * from the browser's history and anything else that reads addresses. The sign-in page takes the token from here
 * (web/src/pages/sign-in/sign-in-page.tsx).
 */
const firstLines = `const again = () => fetch(location.href, { method: 'HEAD', cache: 'no-store' }).then(
  ({ ok }) => (ok ? location.reload() : setTimeout(again, 2000)),
  () => setTimeout(again, 2000),
)
let isLost = false
addEventListener('error', ({ target }) => {
  if (isLost || !/^(?:SCRIPT|LINK)$/.test(target.tagName ?? '') || document.querySelector('#app > *')) return
  isLost = true
  setTimeout(again, 2000)
}, true)
const take = () => {
  const token = new URLSearchParams(location.hash.slice(1)).get('token')
  if (token === null) return
  history.replaceState(null, '', location.pathname + location.search)
  window.signInLinkToken = token
  dispatchEvent(new Event('sign-in-link'))
}
take()
addEventListener('hashchange', take)`

/** The only inline script that the policy allows, by its hash. */
export const firstScript = `<script>${firstLines}</script>`
const firstScriptHash = `'sha256-${hash('sha256', firstLines, 'base64')}'`

/** The console's pages may only load their own files and call their own service. */
function contentSecurityPolicy(nonce: string): string {
  return [
    "default-src 'none'",
    `script-src 'self' ${firstScriptHash}`,
    // Style elements created by components at run time carry the nonce; style attributes in HTML have no effect.
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ')
}

const refreshSeconds = 2

/** For the waiting page only, which is self-contained. */
function waitingPolicy(nonce: string): string {
  return contentSecurityPolicy(nonce).replace(/script-src [^;]*/, `script-src 'nonce-${nonce}'`)
}

/**
 * The page shown while the console is being built, or after that failed: it reloads itself. It uses a script, because a
 * refresh header has no effect at an address with a fragment, as sign-in links have.
 */
function waitingPage(nonce: string, why: string | undefined): string {
  const text =
    why === undefined
      ? '<h1>The console is being built</h1><p>This happens once after an update and takes a few seconds. This page reloads by itself.</p>'
      : `<h1>The console could not be built</h1><p>Everything else works. The output of the build, also in the log:</p><pre>${escaped(why)}</pre><p>The build is repeated after its sources change.</p>`
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <script nonce="${nonce}">setTimeout(() => location.reload(), ${refreshSeconds} * 1000)</script>
    <title>ARI gateway console</title>
    <style nonce="${nonce}">
      body { font: 15px/1.5 system-ui, sans-serif; margin: 15vh auto; max-width: 42rem; padding: 0 1rem }
      h1 { font-size: 1.25rem; font-weight: 600 }
      pre { overflow-x: auto; font-size: 12px }
    </style>
  </head>
  <body><main>${text}</main></body>
</html>
`
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
