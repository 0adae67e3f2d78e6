import type { FastifyReply, FastifyRequest } from 'fastify'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'

/** A page that is built once, at its first request, so that it doesn't slow the start of the service. */
export type BuiltPage = { plain: Buffer; gzip: Buffer; br: Buffer }

/** Otherwise the compression plugin would compress it again for each request. */
export const compressedHere = { compress: false } as const

export function sendBuiltPage(
  built: BuiltPage,
  type: string,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const accepted = request.headers['accept-encoding'] ?? ''
  const encoding = (['br', 'gzip'] as const).find((name) => accepted.includes(name))
  reply.type(type).header('vary', 'accept-encoding').header('cache-control', 'public, max-age=300')
  return encoding === undefined
    ? reply.send(built.plain)
    : reply.header('content-encoding', encoding).send(built[encoding])
}

const brotliQuality = 6

export async function compressed(plain: Buffer): Promise<BuiltPage> {
  const [zipped, br] = await Promise.all([
    promisify(gzip)(plain),
    promisify(brotliCompress)(plain, { params: { [constants.BROTLI_PARAM_QUALITY]: brotliQuality } }),
  ])
  return { plain, gzip: zipped, br }
}

/** Runs `make` at the first call; a failure is not cached. */
export function builtOnce<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let built: Promise<Value> | undefined
  return () => {
    built ??= make().catch((error: unknown) => {
      built = undefined
      throw error
    })
    return built
  }
}
