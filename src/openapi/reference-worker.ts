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

/** What the reference shows in an empty field for a secret: a joke in base64 that looks like a real one. */
const itsPlaceholder = 'QUxMIFlPVVIgQkFTRSBBUkUgQkVMT05HIFRPIFVT'
const plainPlaceholder = 'your-key-here'
const script = Buffer.from(rawPayload.toString().replaceAll(itsPlaceholder, plainPlaceholder))

const brotliQuality = 9
parentPort?.postMessage({
  plain: script,
  gzip: gzipSync(script),
  br: brotliCompressSync(script, { params: { [constants.BROTLI_PARAM_QUALITY]: brotliQuality } }),
})
