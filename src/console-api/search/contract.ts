import Type from 'typebox'
import { consoleRoute, text } from '../../http/route.ts'
import type { PushKind, PushOutcome } from '../../push-log/contract.ts'

/** Results per kind. */
export const foundMax = 6

export type SearchResult =
  | { kind: 'hotel'; hotelId: number; name: string; code: string; city: string | null; supplier: string }
  | { kind: 'supplier'; supplierId: number; name: string }
  | {
      kind: 'reservation'
      reservationId: number
      /** The person who booked. */
      guest: string
      hotelName: string
      supplier: string
      arrival: string
      status: 'Confirm' | 'Cancel'
    }
  | {
      kind: 'push'
      pushId: number
      requestId: string
      at: string
      supplier: string
      pushKind: PushKind
      outcome: PushOutcome
    }
  | FoundKey

/** A key, found by a secret of it or by the shown ending of one. */
export type FoundKey = {
  kind: 'key'
  keyId: number
  supplierId: number
  supplier: string
  channelManager: string
  /** The ending of the secret by which it was found. */
  tail: string
  status: 'active' | 'expired' | 'revoked'
  /** Whether that secret is accepted: a rotated key has others. */
  works: boolean
  worksUntil: string | null
  createdAt: string
  lastUsedAt: string | null
}

/** `incomplete`: a part of a key, or mistyped. `unknown`: well-formed, but not of this service. */
export type FoundSecret =
  | { is: 'key'; key: FoundKey }
  | {
      is: 'token'
      token: {
        tokenId: number
        name: string
        role: 'platform' | 'operator'
        status: FoundKey['status']
        lastUsedAt: string | null
      }
    }
  | { is: 'incomplete' | 'otherEnvironment' | 'unknown' }

export const searchRoutes = {
  search: consoleRoute<{ found: SearchResult[] }>()({
    method: 'GET',
    path: '/search',
    query: Type.Object({
      text: text({
        maxLength: 200,
        description:
          'Words of the name of a hotel, supplier or guest, an id, the beginning of a request id, or the shown ending of a key',
      }),
    }),
  }),
  searchKey: consoleRoute<FoundSecret>()({
    method: 'POST',
    path: '/search/key',
    body: Type.Object({
      pasted: text({ secret: true, description: 'A key or token, or text around it' }),
    }),
  }),
}
