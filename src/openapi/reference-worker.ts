import reference from '@scalar/fastify-api-reference'
import Fastify from 'fastify'
import { parentPort } from 'node:worker_threads'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'

/**
 * Runs as a thread of docs.ts: extracts the script of the API reference from its package and compresses it,
 * which would block every push for half a second. The package serves it through a plugin with a page of its
 * own, whose inline script and fixed nonce our policy would have to allow; so the plugin runs separately, and
 * we take only the script from it.
 */

const aside = Fastify()
await aside.register(reference, { routePrefix: '/aside', configuration: { url: '/openapi.json' } })
const { statusCode, rawPayload } = await aside.inject('/aside/js/scalar.js')
await aside.close()
if (statusCode !== 200) throw new Error(`the script of the API reference was answered with ${statusCode}`)

const brotliQuality = 9
parentPort?.postMessage({
  plain: rawPayload,
  gzip: gzipSync(rawPayload),
  br: brotliCompressSync(rawPayload, { params: { [constants.BROTLI_PARAM_QUALITY]: brotliQuality } }),
})
