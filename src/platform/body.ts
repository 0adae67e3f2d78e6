import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import { createBrotliDecompress, createGunzip, createZstdDecompress } from 'node:zlib'
import { Rejected } from './rejected.ts'

/** All bodies being read at one time, decompressed; beyond that, new ones are turned away with 503. */
const bytesInFlightMax = 256 * 1024 * 1024

const decoders = { gzip: createGunzip, br: createBrotliDecompress, zstd: createZstdDecompress } as const
export const bodyEncodings = ['identity', 'gzip', 'br', 'zstd'] as const

const closedEarly = 'the connection closed early'

export type BodyReader = {
  /** The decompressed bytes of a body, at most `bytesMax` of them. */
  read: (payload: Readable, headers: IncomingMessage['headers'], bytesMax: number) => Promise<Buffer>
  bytesInFlight: () => number
}

export function bodyReader(): BodyReader {
  let inFlight = 0
  return {
    bytesInFlight: () => inFlight,
    read: (payload, headers, bytesMax) =>
      new Promise((resolve, reject) => {
        // The caller left while the key was looked up: no event is to come any more.
        if (payload.destroyed) throw unreadable(new Error(closedEarly))
        if (Number(headers['content-length'] ?? 0) > bytesMax) throw tooLarge(bytesMax)
        const source = decoded(payload, headers['content-encoding'])
        const chunks: Buffer[] = []
        let length = 0
        const settle = (finish: () => void): void => {
          inFlight -= length
          length = 0
          source.off('data', onData)
          // What still comes is read and dropped, so that the answer can be sent and the connection kept.
          if (source === payload) payload.resume()
          else {
            payload.unpipe()
            payload.resume()
            source.destroy()
          }
          finish()
        }
        const onData = (bytes: Buffer): void => {
          length += bytes.length
          inFlight += bytes.length
          if (length > bytesMax) settle(() => reject(tooLarge(bytesMax)))
          else if (inFlight > bytesInFlightMax) settle(() => reject(overloaded()))
          else chunks.push(bytes)
        }
        source.on('data', onData)
        source.once('end', () => settle(() => resolve(joined(chunks))))
        source.on('error', (cause: Error) => settle(() => reject(unreadable(cause))))
        payload.once('close', () => {
          if (!payload.readableEnded) settle(() => reject(unreadable(new Error(closedEarly))))
        })
      }),
  }
}

function joined(chunks: Buffer[]): Buffer {
  const [first] = chunks
  return chunks.length === 1 && first ? first : Buffer.concat(chunks)
}

function decoded(payload: Readable, encoding: string | undefined): Readable {
  const name = (encoding ?? 'identity').trim().toLowerCase()
  if (name === 'identity' || name === '') return payload
  if (name !== 'gzip' && name !== 'br' && name !== 'zstd') {
    throw new Rejected(415, {
      type: 'UNSUPPORTED_ENCODING',
      message: `Content-Encoding ${name.slice(0, 40)} is not supported`,
      path: 'content-encoding',
      hint: `Use one of ${bodyEncodings.join(', ')}`,
    })
  }
  const decoder = decoders[name]()
  payload.on('error', (error) => decoder.destroy(error))
  return payload.pipe(decoder)
}

function tooLarge(bytesMax: number): Rejected {
  return new Rejected(413, {
    type: 'BODY_TOO_LARGE',
    message: `Request body is larger than ${bytesMax} bytes`,
    path: '',
    hint: 'Split the push; the limit counts decompressed bytes and is shown by GET /v1/push/limits',
  })
}

export function overloaded(): Rejected {
  return new Rejected(
    503,
    {
      type: 'OVERLOADED',
      message: 'The service is overloaded',
      hint: 'Nothing was applied; send the same again after Retry-After',
    },
    { headers: { 'retry-after': '1' } },
  )
}

function unreadable(cause: unknown): Rejected {
  const reason = cause instanceof Error ? cause.message : 'unknown'
  return new Rejected(400, {
    type: 'UNREADABLE_BODY',
    message: 'Request body could not be read',
    path: '',
    hint: `Check the Content-Encoding header and the bytes sent (${reason.slice(0, 80)})`,
  })
}
