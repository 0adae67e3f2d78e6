import type { FastifyReply, FastifyRequest } from 'fastify'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'

/** A page that is built once, at its first request, so that it doesn't slow the start of the service. */
export type Made = { plain: Buffer; gzip: Buffer; br: Buffer }

/** Otherwise the compression plugin would compress it again for each request. */
export const compressedHere = { compress: false } as const

export function sendMade(
  made: Made,
  type: string,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const accepted = request.headers['accept-encoding'] ?? ''
  const encoding = (['br', 'gzip'] as const).find((name) => accepted.includes(name))
  reply.type(type).header('vary', 'accept-encoding').header('cache-control', 'public, max-age=300')
  return encoding === undefined
    ? reply.send(made.plain)
    : reply.header('content-encoding', encoding).send(made[encoding])
}

const brotliQuality = 6

export async function compressed(plain: Buffer): Promise<Made> {
  const [zipped, br] = await Promise.all([
    promisify(gzip)(plain),
    promisify(brotliCompress)(plain, { params: { [constants.BROTLI_PARAM_QUALITY]: brotliQuality } }),
  ])
  return { plain, gzip: zipped, br }
}

/** Runs `make` at the first call; a failure is not cached. */
export function madeOnce<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let made: Promise<Value> | undefined
  return () => {
    made ??= make().catch((error: unknown) => {
      made = undefined
      throw error
    })
    return made
  }
}
