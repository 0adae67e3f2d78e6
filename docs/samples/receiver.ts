/** ARI_SIGNING_SECRET=whsec_… node receiver.ts (Node 22.18 or later; nothing else is needed). */
import { createHmac, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingHttpHeaders, type IncomingMessage } from 'node:http'

const secret = Buffer.from((process.env['ARI_SIGNING_SECRET'] ?? '').replace(/^whsec_/, ''), 'base64')
const toleranceSeconds = 300

/** `body` is the raw bytes: JSON that was parsed and serialized again has another signature. */
function isFromPlatform(headers: IncomingHttpHeaders, body: Buffer): boolean {
  const id = String(headers['webhook-id'])
  const timestamp = String(headers['webhook-timestamp'])
  // Refuse replays of old calls.
  if (!(Math.abs(Date.now() / 1000 - Number(timestamp)) <= toleranceSeconds)) return false
  const expected = createHmac('sha256', secret).update(`${id}.${timestamp}.`).update(body).digest()
  // While the secret is being changed there are several signatures, separated by blanks: one must match.
  return String(headers['webhook-signature'])
    .split(' ')
    .some((signature) => {
      const given = Buffer.from(signature.replace(/^v1,/, ''), 'base64')
      return given.length === expected.length && timingSafeEqual(given, expected)
    })
}

async function statusFor(request: IncomingMessage): Promise<number> {
  const body = Buffer.concat(await request.toArray())
  if (!isFromPlatform(request.headers, body)) return 401
  // Store the body on disk here, before you answer. Process it afterwards: it may come twice, with the same webhook-id.
  process.stdout.write(`${String(request.headers['webhook-id'])} ${body.toString()}\n`)
  return 204
}

if (secret.length === 0) throw new Error('ARI_SIGNING_SECRET is missing')
const server = createServer((request, response) => {
  statusFor(request).then(
    (status) => response.writeHead(status).end(),
    () => response.destroy(), // The connection broke: the call is retried.
  )
})
server.listen(Number(process.env['PORT'] ?? 8000), '127.0.0.1')
