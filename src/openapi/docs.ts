import helmet from '@fastify/helmet'
import type { FastifyInstance } from 'fastify'
import { once } from 'node:events'
import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import { mountGuides } from '../guides/guides.ts'
import {
  compressed,
  compressedHere,
  builtOnce,
  sendBuiltPage,
  type BuiltPage,
  contentSecurityPolicy,
  docsPage,
  scriptPaths,
  startScript,
} from '../guides/page.ts'

type DocsNeeds = { environment: 'sandbox' | 'production'; pathPrefix: string }

/**
 * The documentation at /docs: a front page, the guides and the API reference, which shows /openapi.json. No page loads anything
 * from another host.
 */
export function mountDocs(fastify: FastifyInstance, { environment, pathPrefix }: DocsNeeds): void {
  const document = builtOnce(async () => {
    const { openapiDocument } = await import('./document.ts')
    return compressed(Buffer.from(JSON.stringify(openapiDocument({ environment, pathPrefix }))))
  })
  const bundle = builtOnce(referenceScript)

  // A scope of its own: the headers are for pages, not for the API.
  void fastify.register(async (pages) => {
    await pages.register(helmet, {
      contentSecurityPolicy,
      // The operator of the TLS proxy decides whether the host must be reached by HTTPS only.
      strictTransportSecurity: false,
      // Browsers warn about it on plain HTTP, and it protects nothing here.
      crossOriginOpenerPolicy: false,
      originAgentCluster: false,
    })
    for (const path of ['/', '/docs/'])
      pages.get(path, async (_request, reply) => reply.redirect(`${pathPrefix}/docs`))
    pages.get('/docs/reference/', async (_request, reply) => reply.redirect(`${pathPrefix}/docs/reference`))
    pages.get('/docs/reference', async (_request, reply) =>
      reply
        .type('text/html; charset=utf-8')
        .header('cache-control', 'no-cache')
        .send(docsPage({ environment, pathPrefix })),
    )
    pages.get(scriptPaths.start, async (_request, reply) =>
      reply
        .type('text/javascript; charset=utf-8')
        .header('cache-control', 'no-cache')
        .send(startScript({ environment, pathPrefix })),
    )
    pages.get(scriptPaths.bundle, compressedHere, async (request, reply) =>
      sendBuiltPage(await bundle(), 'text/javascript; charset=utf-8', request, reply),
    )
    mountGuides(pages, { environment, pathPrefix })
    pages.get('/openapi.json', compressedHere, async (request, reply) => {
      // Tools that run in a browser may read it from any site: it is public.
      reply.header('access-control-allow-origin', '*').header('cross-origin-resource-policy', 'cross-origin')
      return sendBuiltPage(await document(), 'application/json; charset=utf-8', request, reply)
    })
  })
}

const threadTimeoutMs = 30_000

/** The script of the API reference, built in a thread: see reference-worker.ts. */
async function referenceScript(): Promise<BuiltPage> {
  // The sources are .ts, the packed product is .js.
  const worker = new Worker(new URL(`./reference-worker${extname(import.meta.url)}`, import.meta.url))
  try {
    const messages: readonly unknown[] = await once(worker, 'message', {
      signal: AbortSignal.timeout(threadTimeoutMs),
    })
    return builtPageOf(messages[0])
  } finally {
    await worker.terminate()
  }
}

function builtPageOf(message: unknown): BuiltPage {
  if (
    typeof message === 'object' &&
    message !== null &&
    'plain' in message &&
    'gzip' in message &&
    'br' in message
  ) {
    const { plain, gzip: zipped, br } = message
    if (plain instanceof Uint8Array && zipped instanceof Uint8Array && br instanceof Uint8Array) {
      return { plain: Buffer.from(plain), gzip: Buffer.from(zipped), br: Buffer.from(br) }
    }
  }
  throw new TypeError('the thread gave no script')
}
