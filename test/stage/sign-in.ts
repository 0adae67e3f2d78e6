import assert from 'node:assert/strict'
import { noRevocations } from '../../src/keys/revocations.ts'
import { newSignInLink, commandLine } from '../../src/operators/accounts/manage.ts'
import { client, type Reply, type TestClient, type TestGateway } from './harness.ts'

/** Signs in to the console like a browser, which returns the cookies it was given. */

export type Browser = TestClient & {
  /** The cookies of the last sign-in, as a Cookie header; empty before and after. */
  cookie: () => string
  csrfToken: () => string
  signIn: (name: string, password: string, code?: string) => Promise<Reply>
  signInByLink: (token: string, code?: string) => Promise<Reply>
}

export function browser(url: string, own: Record<string, string> = {}): Browser {
  let cookie = ''
  let csrfToken = ''
  const calls = client(url, own, '/console/api')
  const carried = () => ({ ...(cookie === '' ? {} : { cookie }), 'x-csrf-token': csrfToken })
  const kept = async (replied: Promise<Reply>): Promise<Reply> => {
    const reply = await replied
    for (const set of reply.headers.getSetCookie()) {
      const [pair = ''] = set.split(';')
      cookie = pair.endsWith('=') ? '' : pair
    }
    if (typeof reply.body['csrfToken'] === 'string') csrfToken = reply.body['csrfToken']
    return reply
  }
  return {
    cookie: () => cookie,
    csrfToken: () => csrfToken,
    signIn: (name, password, code) => kept(calls.post('/sign-in', { name, password, code }, carried())),
    signInByLink: (token, code) => kept(calls.post('/sign-in/link', { token, code }, carried())),
    post: (path, body, headers = {}) => kept(calls.post(path, body, { ...carried(), ...headers })),
    get: (path, headers = {}) => kept(calls.get(path, { ...carried(), ...headers })),
    put: (path, body, headers = {}) => kept(calls.put(path, body, { ...carried(), ...headers })),
    delete: (path, headers = {}) => kept(calls.delete(path, { ...carried(), ...headers })),
  }
}

export async function linkOf(gateway: TestGateway, name: string): Promise<string> {
  const doing = {
    operator: commandLine(undefined),
    requestId: undefined,
    nowMs: gateway.clock.now(),
    revocations: noRevocations,
  }
  return (await newSignInLink(gateway.db, name, doing)).link.token
}

/** An operator who followed an invitation link and chose a password; signed in. */
export async function withPassword(gateway: TestGateway, name: string, password: string): Promise<Browser> {
  const person = browser(gateway.url)
  assert.equal((await person.signInByLink(await linkOf(gateway, name))).status, 200)
  assert.equal((await person.post('/me/password', { next: password })).status, 200)
  return person
}

/** The content of an answer, without the parts that differ from request to request. */
export function said({ status, body }: Reply): { status: number; type: unknown; message: unknown } {
  const errors: unknown = body['errors']
  const first: unknown = Array.isArray(errors) ? errors[0] : undefined
  const type = typeof first === 'object' && first !== null && 'type' in first ? first.type : undefined
  return { status, type, message: body['message'] }
}
