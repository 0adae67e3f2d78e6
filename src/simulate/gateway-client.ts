import type { AnswerOf, BodyOf, Route } from '../http/route.ts'
import { isRecord, validator, type Validator } from '../http/validation/validate.ts'

/** The gateway as a supplier sees it: its address, a key, and the contract. */

export type GatewayClient = {
  ask: <R extends Route>(route: R, body: BodyOf<R>) => Promise<AnswerOf<R>>
}

const answersWithinMs = 10_000

/** An unsuccessful answer of the gateway; `type` is that of its first problem. */
export class GatewayRefused extends Error {
  readonly status: number
  readonly type: string

  constructor(what: string, status: number, body: unknown) {
    const errors: readonly unknown[] = isRecord(body) && Array.isArray(body['errors']) ? body['errors'] : []
    const [first] = errors
    const message = isRecord(body) ? String(body['message']) : 'an answer without JSON'
    super(`${what} was answered with ${status}: ${message}`)
    this.name = 'GatewayRefused'
    this.status = status
    this.type = isRecord(first) ? String(first['type']) : ''
  }
}

export function gatewayClient({ url, apiKey }: { url: string; apiKey: string }): GatewayClient {
  const base = `${url.replace(/\/+$/, '').replace(/\/v1$/, '')}/v1`
  const shapes = new Map<Route, Validator<Route['answer']>>()
  return {
    ask: async <R extends Route>(route: R, body: BodyOf<R>) => {
      const what = `${route.method} ${route.path}`
      const response = await call(base, route, { apiKey, body }, what)
      const answer: unknown = await response.json().catch(() => undefined)
      if (!response.ok) throw new GatewayRefused(what, response.status, answer)
      const shape = shapes.get(route) ?? validator(route.answer)
      shapes.set(route, shape)
      if (!shape.matches(answer)) throw new Error(`the answer to ${what} does not have the documented shape`)
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- The boundary: the shape was just proved.
      return answer as AnswerOf<R>
    },
  }
}

async function call(
  base: string,
  { method, path }: Route,
  { apiKey, body }: { apiKey: string; body: unknown },
  what: string,
): Promise<Response> {
  try {
    return await fetch(`${base}${path}`, {
      method,
      headers: { 'x-api-key': apiKey, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      redirect: 'error',
      signal: AbortSignal.timeout(answersWithinMs),
    })
  } catch (cause) {
    const reason =
      cause instanceof Error && cause.cause instanceof Error ? cause.cause.message : String(cause)
    throw new Error(`${what} got no answer from ${base}: ${reason}`, { cause })
  }
}
