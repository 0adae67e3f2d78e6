import helmet from '@fastify/helmet'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { once } from 'node:events'
import { extname } from 'node:path'
import { promisify } from 'node:util'
import { Worker } from 'node:worker_threads'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { contentSecurityPolicy, docsPage, scriptPaths, startScript } from './page.ts'

type DocsNeeds = { environment: 'sandbox' | 'production' }

/** Made once, at the first request for it: nothing of this costs the service's start. */
type Made = { plain: Buffer; gzip: Buffer; br: Buffer }

/** Otherwise the compression of answers would do it anew for each request. */
const compressedHere = { compress: false } as const

/** GET /openapi.json, and the API reference made of it at /docs, which asks no other host for anything. */
export function mountDocs(fastify: FastifyInstance, { environment }: DocsNeeds): void {
  const document = madeOnce(async () => {
    const { openapiDocument } = await import('./document.ts')
    return compressed(Buffer.from(JSON.stringify(openapiDocument({ environment }))))
  })
  const bundle = madeOnce(referenceScript)

  // A scope of its own: the headers are for pages, not for the API.
  void fastify.register(async (pages) => {
    await pages.register(helmet, {
      contentSecurityPolicy,
      // Whether the host is to be reached by HTTPS only, is for whoever puts TLS in front of the service.
      strictTransportSecurity: false,
      // Browsers complain of it on plain HTTP, and it guards nothing here.
      crossOriginOpenerPolicy: false,
      originAgentCluster: false,
    })
    pages.get('/', async (_request, reply) => reply.redirect('/docs'))
    pages.get('/docs/', async (_request, reply) => reply.redirect('/docs'))
    pages.get('/docs', async (_request, reply) =>
      reply.type('text/html; charset=utf-8').header('cache-control', 'no-cache').send(docsPage(environment)),
    )
    pages.get(scriptPaths.start, async (_request, reply) =>
      reply
        .type('text/javascript; charset=utf-8')
        .header('cache-control', 'no-cache')
        .send(startScript(environment)),
    )
    pages.get(scriptPaths.bundle, compressedHere, async (request, reply) =>
      send(await bundle(), 'text/javascript; charset=utf-8', request, reply),
    )
    pages.get('/openapi.json', compressedHere, async (request, reply) => {
      // Tools that run in a browser may read it from anywhere: it is public.
      reply.header('access-control-allow-origin', '*').header('cross-origin-resource-policy', 'cross-origin')
      return send(await document(), 'application/json; charset=utf-8', request, reply)
    })
  })
}

function send(made: Made, type: string, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const accepted = request.headers['accept-encoding'] ?? ''
  const encoding = (['br', 'gzip'] as const).find((name) => accepted.includes(name))
  reply.type(type).header('vary', 'accept-encoding').header('cache-control', 'public, max-age=300')
  return encoding === undefined
    ? reply.send(made.plain)
    : reply.header('content-encoding', encoding).send(made[encoding])
}

async function compressed(plain: Buffer): Promise<Made> {
  const brotliQuality = { params: { [constants.BROTLI_PARAM_QUALITY]: 6 } }
  const [zipped, br] = await Promise.all([
    promisify(gzip)(plain),
    promisify(brotliCompress)(plain, brotliQuality),
  ])
  return { plain, gzip: zipped, br }
}

const threadTimeoutMs = 30_000

/** The script of the API reference, made by a thread: see reference-worker.ts. */
async function referenceScript(): Promise<Made> {
  // The sources are .ts, the packed product is .js.
  const worker = new Worker(new URL(`./reference-worker${extname(import.meta.filename)}`, import.meta.url))
  try {
    const messages: readonly unknown[] = await once(worker, 'message', {
      signal: AbortSignal.timeout(threadTimeoutMs),
    })
    return madeOf(messages[0])
  } finally {
    await worker.terminate()
  }
}

function madeOf(message: unknown): Made {
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

/** Made at the first call; a failure is not kept. */
function madeOnce<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let made: Promise<Value> | undefined
  return () => {
    made ??= make().catch((error: unknown) => {
      made = undefined
      throw error
    })
    return made
  }
}
