import Type from 'typebox'
import type { Mapping } from '../../ari/contract.ts'
import { queryText, consoleRoute, oneOf, text } from '../../http/route.ts'
import type { CancelPolicy } from '../../products/policies/contract.ts'
import type { PushKind, PushOutcome } from '../../push-log/contract.ts'
import type { WholeStop } from '../stop-sells/contract.ts'
import type { Tax } from '../../taxes/contract.ts'

export const hotelsPerPage = { max: 200, usual: 50 }
/** A search uses this many words; anything beyond is not a name. */
export const searchWordsMax = 8
/** Room-rates on the page of a hotel; it says how many more there are. */
export const productsShownMax = 2_000

/** The next step a hotel needs before its first booking; `ready`: none. */
export const goLiveStages = ['products', 'ari', 'webhooks', 'ready'] as const
export type GoLiveStage = (typeof goLiveStages)[number]

/** `stalest`: longest without ARI first, by the day (UTC) of the last. `ending`: ARI ending soonest first. The last three are the others backward. */
export const hotelOrders = [
  'name',
  'newest',
  'stalest',
  'ending',
  'nameLast',
  'freshest',
  'endingLast',
] as const
export type HotelOrder = (typeof hotelOrders)[number]

export type HotelListed = {
  hotelId: number
  supplierId: number
  supplier: string
  code: string
  name: string
  city: string | null
  countryCode: string | null
  currency: string
  timeZone: string
  isAvailable: boolean
  revision: number
  createdAt: string
  lastAriAt: string | null
  /** The last month with pushed ARI, `YYYY-MM`. */
  ariUntilMonth: string | null
  goLive: GoLiveStage
}

/** A push that completed or attempted a step. */
export type NamedPush = { pushId: number; requestId: string; at: string; outcome: PushOutcome }

export const checklistSteps = [
  'hotels',
  'products',
  'taxes',
  'ari',
  'availabilityWebhook',
  'pushbookWebhook',
] as const
export type ChecklistStep = {
  step: (typeof checklistSteps)[number]
  status: 'done' | 'missing' | 'notNeeded'
  /** Since when, if known. */
  at: string | null
  /** The newest push that completed it; null if it is no longer in the push log. */
  proof: NamedPush | null
  /** A later push that was refused or only partly applied. */
  refusedSince: NamedPush | null
  /** For webhooks. */
  url?: string
  /** Why the URL is not called: it would be refused today. */
  fault?: string
  /** It is missing because of amounts of a former currency. */
  reason?: 'FORMER_CURRENCY'
  /** Whether an operator may mark it as not needed, for all hotels of the supplier. */
  isOptional?: true
  /** Why it is not needed; the operator is null for people of the supplier. */
  unneeded?: { reason: string; operator: string | null; at: string }
}

export type HotelProduct = Mapping & { cancelPolicies: CancelPolicy[] }

export type HotelTaxes = { roomId: string | null; rateId: string | null; taxes: readonly Tax[] }

export type HotelPage = {
  hotel: Omit<HotelListed, 'goLive'> & {
    /** Of the key that last pushed it. */
    channelManager: string | null
    minChildAge: number
    maxChildAge: number
    /** The other members, as pushed. */
    pushed: Record<string, unknown>
    cityMatched: string | null
  }
  /** The current date at the hotel, by the service's clock. */
  today: string
  isReady: boolean
  /** Set if an operator has stopped sales of every room tonight. */
  stopped: WholeStop | null
  checklist: ChecklistStep[]
  products: HotelProduct[]
  moreProducts: number
  taxes: HotelTaxes[]
  lastPushes: { kind: PushKind; push: NamedPush }[]
}

export type NeighbourHotel = { hotelId: number; name: string }

/** What stands above a hotel's calendar: whose it is, its time, and the supplier's hotels before and after it by name. */
export type HotelNeighbours = {
  supplierId: number
  /** By the service's clock, which a sandbox may have set. */
  now: string
  previous: NeighbourHotel | null
  next: NeighbourHotel | null
}

export const hotelRoutes = {
  listHotels: consoleRoute<{ hotels: HotelListed[]; nextCursor: string | null }>()({
    method: 'GET',
    path: '/hotels',
    forSuppliers: 'own',
    query: Type.Object({
      search: queryText('Parts of its name, code, city, country code or supplier, or its platformHotelId'),
      supplierId: queryText('Number of the supplier'),
      currency: queryText('ISO 4217'),
      country: queryText('ISO 3166-1 alpha-2'),
      available: Type.Optional(oneOf(['yes', 'no'])),
      goLive: Type.Optional(oneOf(goLiveStages)),
      ari: Type.Optional(oneOf(['none', 'some'], { description: 'Whether any has been pushed' })),
      staleSince: queryText('No ARI since then: a date (UTC) or an ISO 8601 instant'),
      endsBy: queryText('No ARI after this month: YYYY-MM'),
      sort: Type.Optional(oneOf(hotelOrders)),
      cursor: queryText('nextCursor of the previous page'),
      limit: queryText(`1 to ${hotelsPerPage.max}, ${hotelsPerPage.usual} by default`),
    }),
  }),
  requestHotelResync: consoleRoute<{ requestedAt: string; isAnnounced: boolean }>()({
    method: 'POST',
    path: '/hotels/{hotelId}/resync',
    role: 'operator',
    params: Type.Object({ hotelId: text({ maxLength: 10, description: 'platformHotelId' }) }),
  }),
  getHotelNeighbours: consoleRoute<HotelNeighbours>()({
    method: 'GET',
    path: '/hotels/{hotelId}/neighbours',
    forSuppliers: 'own',
    params: Type.Object({ hotelId: text({ maxLength: 10, description: 'platformHotelId' }) }),
  }),
  getHotel: consoleRoute<HotelPage>()({
    method: 'GET',
    path: '/hotels/{hotelId}',
    forSuppliers: 'own',
    params: Type.Object({ hotelId: text({ maxLength: 10, description: 'platformHotelId' }) }),
  }),
}
