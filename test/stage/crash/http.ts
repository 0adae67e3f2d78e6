/** Requests as a client sees them: answered, or broken off at some point, and never silently repeated. */
import { Agent, request, type IncomingHttpHeaders } from 'node:http'

export type Answered = {
  isAnswered: true
  status: number
  /** Cut short if the connection broke after the status. */
  text: string
  headers: IncomingHttpHeaders
}
export type Broken = { isAnswered: false; why: string }

export type Client = {
  send: (
    path: string,
    body?: unknown,
    headers?: Readonly<Record<string, string>>,
    method?: string,
  ) => Promise<Answered | Broken>
  close: () => void
}

const answerWithinMs = 30_000

/** Uses POST for requests with a body and GET for others, by default. */
export function clientOf(url: string, apiKey: string): Client {
  const agent = new Agent({ keepAlive: true, maxSockets: 64 })
  return {
    send: (path, body, headers = {}, method = body === undefined ? 'GET' : 'POST') =>
      new Promise((settle) => {
        const bytes = body === undefined ? undefined : JSON.stringify(body)
        const sent = request(`${url}/v1${path}`, {
          agent,
          method,
          timeout: answerWithinMs,
          headers: {
            'x-api-key': apiKey,
            ...(bytes === undefined
              ? {}
              : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(bytes) }),
            ...headers,
          },
        })
        sent.once('timeout', () => sent.destroy(new Error(`no answer within ${answerWithinMs} ms`)))
        sent.on('error', (error: Error & { code?: string }) =>
          settle({ isAnswered: false, why: error.code ?? error.message }),
        )
        sent.once('response', (response) => {
          const { statusCode: status = 0, headers: received } = response
          let text = ''
          response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
          // 'close' is also emitted when the rest of the answer is lost; a status that arrived counts as an
          // answer.
          response.on('error', () => {})
          response.once('close', () => settle({ isAnswered: true, status, text, headers: received }))
        })
        sent.end(bytes)
      }),
    close: () => agent.destroy(),
  }
}
