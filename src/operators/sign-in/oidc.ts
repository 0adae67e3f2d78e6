import type { Configuration, CustomFetch } from 'openid-client'
import type { Clock } from '../../base/clock.ts'
import type { OperatorRole } from '../../http/route.ts'

/**
 * Signing in by an OpenID provider: code flow with PKCE, state and nonce, the ID token's signature verified. The
 * provider is a setting of the service and may well be at a private address: unlike suppliers' URLs, it is not vetted
 * (decisions/013-operators.md).
 */

export type OidcSettings = {
  issuer: string
  clientId: string
  clientSecret: string | undefined
  /** For people known to the provider but not to the console; undefined: they are refused. */
  newcomerRole: OperatorRole | undefined
}

/** The identity that the provider vouches for. */
export type Identity = {
  issuer: string
  subject: string
  /** Only if the provider has verified it. */
  email: string | undefined
}

export type SignInProvider = {
  name: string
  newcomerRole: OperatorRole | undefined
  /** The URL to send the browser to, and the state it has to return in a cookie. */
  begin: (redirectUri: string) => Promise<{ url: string; flowState: string }>
  /** Throws when anything does not match. A flow state may be used once: `useStateOnce`. */
  finish: (callbackUrl: URL, flowState: string) => Promise<Identity>
}

const timeoutSeconds = 10
const answerBytesMax = 1024 * 1024
/** The addresses and keys of the provider may change, so older metadata is fetched again. */
const metadataTrustedMs = 60 * 60 * 1000
/** Less than the clock skew allowed for tokens. */
const skewChangedMs = 5_000

const scopes = 'openid email'

/** As the standard has it; other characters might not come back from the store as they were sent. */
const subjectText = /^[\x20-\x7e]{1,255}$/

export function signInProvider(settings: OidcSettings, { clock }: { clock: Clock }): SignInProvider {
  const issuer = new URL(settings.issuer)
  let discovered: { atMs: number; skewMs: number; configuration: Promise<Configuration> } | undefined
  const currentConfiguration = (): Promise<Configuration> => {
    const nowMs = clock.now()
    // Tokens expire by the clock that all processes share, not by this machine's.
    const skewMs = nowMs - Date.now()
    if (
      discovered &&
      nowMs - discovered.atMs < metadataTrustedMs &&
      Math.abs(skewMs - discovered.skewMs) < skewChangedMs
    )
      return discovered.configuration
    const discovery = { atMs: nowMs, skewMs, configuration: discover(issuer, settings, skewMs) }
    discovered = discovery
    // A provider that could not be reached is tried again the next time.
    discovery.configuration.catch(() => {
      if (discovered === discovery) discovered = undefined
    })
    return discovery.configuration
  }
  return {
    name: issuer.host,
    newcomerRole: settings.newcomerRole,
    begin: async (redirectUri) => {
      const client = await import('openid-client')
      const configuration = await currentConfiguration()
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
      return { url: url.href, flowState: [state, nonce, verifier].join('.') }
    },
    finish: async (callbackUrl, flowState) => {
      const [expectedState = '', expectedNonce = '', pkceCodeVerifier = ''] = flowState.split('.')
      const client = await import('openid-client')
      const tokens = await client.authorizationCodeGrant(await currentConfiguration(), callbackUrl, {
        expectedState,
        expectedNonce,
        pkceCodeVerifier,
      })
      const claims = tokens.claims()
      if (!claims) throw new Error('The provider sent no ID token')
      const { iss, sub, email, email_verified: isVerified } = claims
      if (!subjectText.test(sub))
        throw new Error('The subject of the ID token is not one to 255 ASCII characters')
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
      // The settings allow http only for this machine, to try out a provider.
      // oxlint-disable-next-line typescript/no-deprecated -- Deprecated only to make people think twice.
      ...(issuer.protocol === 'http:' ? [client.allowInsecureRequests] : []),
    ],
  })
}

/** Reads no more of the provider's answers than they can reasonably need. */
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
