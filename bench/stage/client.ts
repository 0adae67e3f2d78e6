import { Agent, request } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'

/**
 * One caller of the service that times single answers: to the microsecond, from the call to the last byte.
 */
export type Client = {
  post: (path: string, body: string, headers?: Record<string, string>) => Promise<Answered>
  close: () => void
}
export type Answered = { status: number; text: string; ms: number }

export function openClient(url: string, own: Record<string, string>): Client {
  const agent = new Agent({ keepAlive: true })
  const post: Client['post'] = (path, body, headers = {}) =>
    new Promise((resolve, reject) => {
      const from = performance.now()
      const sent = request(`${url}/v1${path}`, {
        agent,
        method: 'POST',
        headers: { 'content-type': 'application/json', ...own, ...headers },
      })
      sent.once('error', reject)
      sent.once('response', (answer) => {
        const chunks: Buffer[] = []
        answer.on('data', (chunk: Buffer) => chunks.push(chunk))
        answer.once('error', reject)
        answer.once('end', () => {
          const ms = performance.now() - from
          resolve({ status: answer.statusCode ?? 0, text: Buffer.concat(chunks).toString(), ms })
        })
      })
      sent.end(body)
    })
  return { post, close: () => agent.destroy() }
}

/** Returns the answer, which must have this status. */
export function expect(answered: Answered, status: number): Answered {
  if (answered.status === status) return answered
  throw new Error(`${answered.status} instead of ${status}: ${answered.text.slice(0, 1_000)}`)
}

/**
 * Sends at a steady rate, whatever happened to earlier requests: a slow answer must not spare the service the
 * requests that would have come meanwhile.
 */
export async function atRate(
  { perSecond, seconds }: { perSecond: number; seconds: number },
  send: (index: number) => Promise<void>,
): Promise<void> {
  const count = perSecond * seconds
  const sent: Promise<void>[] = []
  const failures: unknown[] = []
  const from = performance.now()
  while (sent.length < count && failures.length === 0) {
    const due = Math.floor(((performance.now() - from) / 1_000) * perSecond) + 1
    while (sent.length < Math.min(due, count)) {
      sent.push(
        send(sent.length).catch((error: unknown) => {
          failures.push(error)
        }),
      )
    }
    await wait(1)
  }
  await Promise.all(sent)
  if (failures.length > 0) throw failures[0]
}

/** The quantile of any number of values: the smallest that is no less than such a share of them. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((left, right) => left - right)
  const value = sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)]
  if (value === undefined) throw new Error('nothing measured')
  return value
}

export function spread(ms: readonly number[]): string {
  return `p50 ${quantile(ms, 0.5).toFixed(1)} ms, p99 ${quantile(ms, 0.99).toFixed(1)} ms`
}
