import helmet from '@fastify/helmet'
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { openapiDocument } from './document.ts'
import { contentSecurityPolicy, docsPage, scriptPaths, startScript } from './page.ts'

type DocsNeeds = { environment: 'sandbox' | 'production' }

/** Made once, at the first request for it: nothing of this costs the service's start. */
type Made = { plain: Buffer; gzip: Buffer; br: Buffer }

/** GET /openapi.json, and the API reference made of it at /docs, which asks no other host for anything. */
export function mountDocs(fastify: FastifyInstance, { environment }: DocsNeeds): void {
  const document = once(async () => compressed(Buffer.from(JSON.stringify(openapiDocument({ environment })))))
  const bundle = once(async () => compressed(await referenceBundle()))

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
      reply.type('text/javascript; charset=utf-8').header('cache-control', 'no-cache').send(startScript(environment)),
    )
    pages.get(scriptPaths.bundle, async (request, reply) =>
      send(await bundle(), 'text/javascript; charset=utf-8', request, reply),
    )
    pages.get('/openapi.json', async (request, reply) => {
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
    ? // Otherwise the compression of answers would do it anew for each request.
      reply.header('content-encoding', 'identity').send(made.plain)
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

/**
 * The script of the API reference. The package serves it by a plugin with a page of its own, whose inline script and
 * fixed nonce our policy would have to allow; so the plugin runs aside, and only the script is taken from it.
 */
async function referenceBundle(): Promise<Buffer> {
  const { default: reference } = await import('@scalar/fastify-api-reference')
  const aside = Fastify()
  await aside.register(reference, { routePrefix: '/aside', configuration: { url: '/openapi.json' } })
  const { statusCode, rawPayload } = await aside.inject('/aside/js/scalar.js')
  await aside.close()
  if (statusCode !== 200) throw new Error(`the script of the API reference was answered with ${statusCode}`)
  return rawPayload
}

/** Made at the first call; a failure is not kept. */
function once<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let made: Promise<Value> | undefined
  return () => {
    made ??= make().catch((error: unknown) => {
      made = undefined
      throw error
    })
    return made
  }
}
