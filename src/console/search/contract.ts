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

export const searchRoutes = {
  search: consoleRoute<{ found: SearchResult[] }>()({
    method: 'GET',
    path: '/search',
    query: Type.Object({
      text: text({
        maxLength: 200,
        description:
          'Words of the name of a hotel, supplier or guest, an id, or the beginning of a request id',
      }),
    }),
  }),
}
