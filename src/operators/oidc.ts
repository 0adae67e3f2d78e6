import type { Configuration, CustomFetch } from 'openid-client'
import type { Clock } from '../base/clock.ts'
import type { OperatorRole } from '../http/route.ts'

/**
 * Signing in by an OpenID provider: code flow with PKCE, state and nonce, the ID token's signature verified. Who runs
 * the service names the provider, which may well be on a private address: unlike URLs of suppliers it is called as it
 * is (decisions/013-operators.md).
 */

export type OidcSettings = {
  issuer: string
  clientId: string
  clientSecret: string | undefined
  /** For people whom the provider knows and the console doesn't; undefined: they are turned away. */
  newcomerRole: OperatorRole | undefined
}

/** Who the provider says somebody is. */
export type Identity = {
  issuer: string
  subject: string
  /** Only one that the provider has verified. */
  email: string | undefined
}

export type SignInProvider = {
  name: string
  newcomerRole: OperatorRole | undefined
  /** Where to send the browser, and what it has to bring back in a cookie. */
  begin: (redirectUri: string) => Promise<{ url: string; kept: string }>
  /** Throws when anything does not match. What was kept may be used once: `useStateOnce`. */
  finish: (callbackUrl: URL, kept: string) => Promise<Identity>
}

const timeoutSeconds = 10
const answerBytesMax = 1024 * 1024
/** Its addresses and keys may change; what is older is asked for again. */
const metadataTrustedMs = 60 * 60 * 1000
/** Less than what providers' tokens are allowed to be off. */
const skewChangedMs = 5_000

const scopes = 'openid email'

export function signInProvider(settings: OidcSettings, { clock }: { clock: Clock }): SignInProvider {
  const issuer = new URL(settings.issuer)
  let discovered: { atMs: number; skewMs: number; configuration: Promise<Configuration> } | undefined
  const configurationNow = (): Promise<Configuration> => {
    const nowMs = clock.now()
    // Tokens are over by the clock that all processes have, not by this machine's.
    const skewMs = nowMs - Date.now()
    if (
      discovered &&
      nowMs - discovered.atMs < metadataTrustedMs &&
      Math.abs(skewMs - discovered.skewMs) < skewChangedMs
    )
      return discovered.configuration
    const asked = { atMs: nowMs, skewMs, configuration: discover(issuer, settings, skewMs) }
    discovered = asked
    // A provider that was not there is asked again the next time.
    asked.configuration.catch(() => {
      if (discovered === asked) discovered = undefined
    })
    return asked.configuration
  }
  return {
    name: issuer.host,
    newcomerRole: settings.newcomerRole,
    begin: async (redirectUri) => {
      const client = await import('openid-client')
      const configuration = await configurationNow()
      const [state, nonce, verifier] = [
        client.randomState(),
        client.randomNonce(),
        client.randomPKCECodeVerifier(),
      ]
      const url = client.buildAuthorizationUrl(configuration, {
        redirect_uri: redirectUri,
        scope: scopes,
        state,
        nonce,
        code_challenge: await client.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
      })
      return { url: url.href, kept: [state, nonce, verifier].join('.') }
    },
    finish: async (callbackUrl, kept) => {
      const [expectedState = '', expectedNonce = '', pkceCodeVerifier = ''] = kept.split('.')
      const client = await import('openid-client')
      const tokens = await client.authorizationCodeGrant(await configurationNow(), callbackUrl, {
        expectedState,
        expectedNonce,
        pkceCodeVerifier,
      })
      const claims = tokens.claims()
      if (!claims) throw new Error('The provider sent no ID token')
      const { iss, sub, email, email_verified: isVerified } = claims
      return {
        issuer: iss,
        subject: sub,
        email: isVerified === true && typeof email === 'string' ? email : undefined,
      }
    },
  }
}

async function discover(
  issuer: URL,
  { clientId, clientSecret }: OidcSettings,
  skewMs: number,
): Promise<Configuration> {
  const client = await import('openid-client')
  const authentication = clientSecret === undefined ? client.None() : client.ClientSecretPost(clientSecret)
  const metadata = { [client.clockSkew]: Math.round(skewMs / 1000) }
  return client.discovery(issuer, clientId, metadata, authentication, {
    timeout: timeoutSeconds,
    [client.customFetch]: boundedFetch,
    execute: [
      client.enableNonRepudiationChecks,
      // The settings allow http for this machine only, where a provider is tried out.
      // oxlint-disable-next-line typescript/no-deprecated -- Marked so only to make people think twice.
      ...(issuer.protocol === 'http:' ? [client.allowInsecureRequests] : []),
    ],
  })
}

/** No answer of the provider is read beyond what it may need. */
const boundedFetch: CustomFetch = async (url, options) => {
  const { signal, body, ...rest } = options
  const response = await fetch(url, { ...rest, ...(signal ? { signal } : {}), ...(body ? { body } : {}) })
  const { status, headers } = response
  return new Response(response.body?.pipeThrough(atMost(answerBytesMax)) ?? null, { status, headers })
}

function atMost(bytesMax: number): TransformStream<Uint8Array, Uint8Array> {
  let bytes = 0
  return new TransformStream({
    transform(piece, controller) {
      bytes += piece.length
      if (bytes > bytesMax) throw new Error(`The provider answered with more than ${bytesMax} bytes`)
      controller.enqueue(piece)
    },
  })
}
