import { generateKeyPairSync, hash, randomUUID, sign } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

/**
 * An OpenID provider on this machine, reduced to what signing in needs. Every visitor signs in as the person
 * that the test configures.
 */
export type TestProvider = {
  issuer: string
  clientId: string
  clientSecret: string
  /** The claims of the next sign-in. */
  claims: Record<string, unknown>
  /** Corrupts the next ID tokens. */
  spoil: (claims: Record<string, unknown>) => Record<string, unknown>
  isBroken: boolean
  /** Its clock: the machine's, by default. */
  nowMs: () => number
  /** Acts as the browser at the provider: returns the redirect URL. */
  visit: (url: string) => string
  stop: () => Promise<void>
}

type Asked = { nonce: string; challenge: string; redirectUri: string }

export async function startOpenIdProvider(): Promise<TestProvider> {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const askedByCode = new Map<string, Asked>()
  const server = createServer((request, response) => {
    const answer = (status: number, body: object): void => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    }
    if (provider.isBroken) return answer(500, {})
    if (request.url === '/.well-known/openid-configuration') {
      return answer(200, {
        issuer: provider.issuer,
        authorization_endpoint: `${provider.issuer}/authorize`,
        token_endpoint: `${provider.issuer}/token`,
        jwks_uri: `${provider.issuer}/jwks`,
        response_types_supported: ['code'],
        subject_types_supported: ['public'],
        id_token_signing_alg_values_supported: ['ES256'],
        code_challenge_methods_supported: ['S256'],
      })
    }
    if (request.url === '/jwks')
      return answer(200, {
        keys: [{ ...publicKey.export({ format: 'jwk' }), alg: 'ES256', use: 'sig', kid: '1' }],
      })
    void tokenFor(request).then((token) =>
      answer(token === undefined ? 400 : 200, token ?? { error: 'invalid_grant' }),
    )
  })
  const tokenFor = async (request: IncomingMessage): Promise<object | undefined> => {
    const form = new URLSearchParams(await text(request))
    const asked = askedByCode.get(form.get('code') ?? '')
    askedByCode.delete(form.get('code') ?? '')
    const isRight =
      asked &&
      form.get('client_id') === provider.clientId &&
      form.get('client_secret') === provider.clientSecret &&
      form.get('redirect_uri') === asked.redirectUri &&
      hash('sha256', form.get('code_verifier') ?? '', 'base64url') === asked.challenge
    if (!isRight) return undefined
    const nowSeconds = Math.floor(provider.nowMs() / 1000)
    const claims = provider.spoil({
      iss: provider.issuer,
      aud: provider.clientId,
      iat: nowSeconds,
      exp: nowSeconds + 60,
      nonce: asked.nonce,
      ...provider.claims,
    })
    const encoded = [{ alg: 'ES256', kid: '1', typ: 'JWT' }, claims].map((part) =>
      Buffer.from(JSON.stringify(part)).toString('base64url'),
    )
    const signed = encoded.join('.')
    const signature = sign('sha256', Buffer.from(signed), { key: privateKey, dsaEncoding: 'ieee-p1363' })
    return {
      access_token: randomUUID(),
      token_type: 'Bearer',
      id_token: `${signed}.${signature.toString('base64url')}`,
    }
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- A server that listens on a port.
  const { port } = server.address() as AddressInfo
  const provider: TestProvider = {
    issuer: `http://127.0.0.1:${port}`,
    clientId: 'ari-console',
    clientSecret: 'a secret of the client',
    claims: {},
    spoil: (claims) => claims,
    isBroken: false,
    nowMs: () => Date.now(),
    visit: (url) => {
      const { searchParams } = new URL(url)
      const said = (name: string) => searchParams.get(name) ?? ''
      const code = randomUUID()
      askedByCode.set(code, {
        nonce: said('nonce'),
        challenge: said('code_challenge'),
        redirectUri: said('redirect_uri'),
      })
      return `${said('redirect_uri')}?${new URLSearchParams({ code, state: said('state') }).toString()}`
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
  return provider
}
