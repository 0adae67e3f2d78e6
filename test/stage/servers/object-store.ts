import { createHash, createHmac } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { isRecord } from '../../../src/http/validation/validate.ts'

/** An S3-compatible store in this process, which verifies the signature (AWS SigV4) of each request as S3 documents it. */
const account: Account = {
  region: 'eu-1',
  keyId: 'AKIAIOSFODNN7EXAMPLE',
  secret: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
}

type Account = { region: string; keyId: string; secret: string }

export type TestStore = {
  address: { url: string; region: string; keyId: string; secret: string }
  objects: Map<string, Buffer>
  /** Requests whose signature or hash was wrong. */
  refused: string[]
  /** Answers every request with this status, and with this code of S3's errors. */
  failing: { status: number | undefined; code?: string }
  /** Every request calls `onRequest`, and waits. */
  slow: { until?: Promise<void>; onRequest?: () => void }
  /** At the same port, with the same objects. */
  start: () => Promise<void>
  stop: () => Promise<void>
}

export async function startTestStore(): Promise<TestStore> {
  const objects = new Map<string, Buffer>()
  const refused: string[] = []
  const failing: TestStore['failing'] = { status: undefined }
  const slow: TestStore['slow'] = {}
  let server: Server
  let port = 0
  const start = async (): Promise<void> => {
    server = createServer((request, response) => {
      void answer(request, response)
    })
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
    const address: unknown = server.address()
    port = isRecord(address) ? Number(address['port']) : 0
  }
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const body = Buffer.concat(chunks)
    const path = request.url ?? ''
    slow.onRequest?.()
    await slow.until
    if (!isSigned(request, body, account)) {
      refused.push(`${request.method} ${path}`)
      response.writeHead(403).end()
    } else if (failing.status !== undefined) response.writeHead(failing.status).end(errorOf(failing.code))
    else if (request.method === 'PUT') {
      objects.set(path, body)
      response.writeHead(200).end()
    } else send(response, objects.get(path), request.headers.range ?? '')
  }
  await start()
  return {
    address: { url: `http://127.0.0.1:${port}/bucket/prefix`, ...account },
    objects,
    refused,
    failing,
    slow,
    start,
    stop: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

function errorOf(code: string | undefined): string {
  return code === undefined
    ? ''
    : `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${code}</Code></Error>`
}

function send(response: ServerResponse, bytes: Buffer | undefined, range: string): void {
  const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(range) ?? []
  if (!bytes) response.writeHead(404).end()
  else response.writeHead(206).end(bytes.subarray(Number(from), Number(to) + 1))
}

const signature =
  /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request, ?SignedHeaders=([a-z0-9;-]+), ?Signature=([0-9a-f]{64})$/

export function isSigned(
  request: Pick<IncomingMessage, 'method' | 'url' | 'headers'>,
  body: Buffer,
  { region, keyId: ownKeyId, secret }: Account,
): boolean {
  const parsed = signature.exec(request.headers.authorization ?? '')
  if (!parsed) return false
  const [, keyId, date = '', signedRegion, signedHeaders = '', given] = parsed
  const names = signedHeaders.split(';')
  const canonical = [
    request.method,
    request.url,
    '',
    ...names.map((name) => `${name}:${String(request.headers[name]).trim()}`),
    '',
    signedHeaders,
    sha256(body),
  ].join('\n')
  const time = String(request.headers['x-amz-date'])
  const scope = `${date}/${region}/s3/aws4_request`
  const text = ['AWS4-HMAC-SHA256', time, scope, sha256(Buffer.from(canonical))].join('\n')
  let key: Buffer | string = `AWS4${secret}`
  for (const part of [date, region, 's3', 'aws4_request']) key = hmac(key, part)
  return (
    keyId === ownKeyId &&
    signedRegion === region &&
    ['host', 'x-amz-content-sha256', 'x-amz-date'].every((name) => names.includes(name)) &&
    request.headers['x-amz-content-sha256'] === sha256(body) &&
    time.startsWith(date) &&
    hmac(key, text).toString('hex') === given
  )
}

function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex')
}

function hmac(key: Buffer | string, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest()
}
