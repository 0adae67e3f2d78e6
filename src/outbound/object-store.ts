import { createHash } from 'node:crypto'
import { AwsV4Signer } from 'aws4fetch'
import type { Clock } from '../base/clock.ts'
import type { Telemetry } from '../base/telemetry.ts'
import { outboundCaller, type OutboundCall } from './call.ts'
import { allowableNetworks, resolveAsSystem } from './vet-url.ts'

/** An S3-compatible store, of which only PUT and GET of objects are needed. */
export type ObjectStoreAddress = {
  /** With the bucket and a prefix, without a slash at the end. */
  url: string
  region: string
  keyId: string
  secret: string
}

export type ObjectStore = {
  /**
   * Returns the object's name, which is the folder and a hash of the bytes, once the store has acknowledged it. The same bytes
   * twice are one object.
   */
  put: (folder: string, bytes: Buffer) => Promise<string>
  /** Undefined if the store has no such object. */
  get: (name: string, range: ByteRange) => Promise<Buffer | undefined>
  close: () => void
}

export type ByteRange = { from: number; length: number }

/** The store is away, or refuses. The message has neither address nor credentials. */
export class ObjectStoreAway extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'ObjectStoreAway'
  }
}

const connectWithinMs = 3_000
const readWithinMs = 10_000
const writtenWithinMs = 40_000
const answerBytesMax = 64 * 1024
const pool = { purpose: 'archive', connectionsPerHost: 8 }

/** The address is the operator's own setting, so it may be in a private network, and the system resolves its name. */
export const operatorRules = { privateNetworks: allowableNetworks, resolve: resolveAsSystem }

export function objectStore(
  { url, region, keyId, secret }: ObjectStoreAddress,
  { clock, telemetry }: { clock: Clock; telemetry: Telemetry },
): ObjectStore {
  const caller = outboundCaller(operatorRules, telemetry, pool)
  type Method = 'PUT' | 'GET'
  const send = async (
    method: Method,
    name: string,
    more: Pick<OutboundCall, 'body' | 'withinMs' | 'answerBytesMax'> & { headers?: Record<string, string> },
  ) => {
    const signer = new AwsV4Signer({
      method,
      url: `${url}/${name}`,
      headers: { ...more.headers, 'x-amz-content-sha256': sha256(more.body) },
      accessKeyId: keyId,
      secretAccessKey: secret,
      service: 's3',
      region,
      datetime: new Date(clock.now()).toISOString().replaceAll(/[:-]|\.\d{3}/g, ''),
    })
    const { headers } = await signer.sign()
    // The connection names the host itself.
    const called = await caller.send({
      ...more,
      method,
      url: `${url}/${name}`,
      headers: Object.fromEntries([...headers].filter(([header]) => header !== 'host')),
      connectWithinMs,
    })
    if (called.kind === 'failed') throw new ObjectStoreAway(`${called.reason}: ${called.message}`)
    return called
  }
  return {
    put: async (folder, bytes) => {
      const name = `${folder}/${sha256(bytes)}`
      const called = await send('PUT', name, { body: bytes, withinMs: writtenWithinMs, answerBytesMax })
      if (called.status !== 200) throw refused(called)
      return name
    },
    get: async (name, { from, length }) => {
      const called = await send('GET', name, {
        body: Buffer.alloc(0),
        headers: { range: `bytes=${from}-${from + length - 1}` },
        withinMs: readWithinMs,
        answerBytesMax: Math.max(answerBytesMax, length),
      })
      const { status, body } = called
      // A wrong address is answered by 404 too, and says nothing about the object.
      if (status === 404 && errorCode(body) !== 'NoSuchBucket') return undefined
      if (status !== 206) throw refused(called)
      if (body.length !== length)
        throw new ObjectStoreAway(`the store sent ${body.length} of ${length} bytes`)
      return body
    },
    close: caller.close,
  }
}

type Answered = { status: number; body: Buffer }

/** With the code of S3's errors, which tells a wrong region from a wrong clock or secret. */
function refused({ status, body }: Answered): ObjectStoreAway {
  const code = errorCode(body)
  return new ObjectStoreAway(`the store answered ${status}${code === undefined ? '' : ` (${code})`}`)
}

function errorCode(body: Buffer): string | undefined {
  return /<Code>(\w{1,60})<\/Code>/.exec(body.toString('latin1'))?.[1]
}

function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex')
}
