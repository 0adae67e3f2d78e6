import Type from 'typebox'
import type { Mapping } from '../../ari/mappings-contract.ts'
import { consoleRoute, oneOf, text } from '../../http/route.ts'
import type { CancelPolicy } from '../../products/cancel-policy-contract.ts'
import type { PushKind, PushOutcome } from '../../push-log/contract.ts'
import type { Tax } from '../../taxes/contract.ts'

export const hotelsPerPage = { max: 200, usual: 50 }
/** A search compares so many words; what is typed beyond them is a text, not a name. */
export const searchWordsMax = 8
/** Room-rates that the page of a hotel shows; beyond them it says how many more there are. */
export const productsShownMax = 2_000

/** What a hotel lacks next on the way to its first booking, or nothing. */
export const goLiveStages = ['products', 'ari', 'webhooks', 'ready'] as const
export type GoLiveStage = (typeof goLiveStages)[number]

/** `stalest`: the longest without ARI first. `ending`: whose ARI ends first. */
export const hotelOrders = ['name', 'newest', 'stalest', 'ending'] as const
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
  /** The last month of which anything was pushed, `YYYY-MM`. */
  ariUntilMonth: string | null
  goLive: GoLiveStage
}

/** A push by which something is proved or was tried. */
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
  /** Since when, as far as it is known. */
  at: string | null
  /** The newest push that did it; null where the push log no longer keeps it. */
  proof: NamedPush | null
  /** A later push that was refused, or was applied in part only. */
  refusedSince: NamedPush | null
  /** Of a webhook. */
  url?: string
  /** Why the URL would be refused today, and so is not called. */
  fault?: string
}

export type HotelProduct = Mapping & { cancelPolicies: CancelPolicy[] }

export type HotelTaxes = { roomId: string | null; rateId: string | null; taxes: readonly Tax[] }

export type HotelPage = {
  hotel: Omit<HotelListed, 'goLive'> & {
    /** Of the key that pushed it last. */
    channelManager: string | null
    minChildAge: number
    maxChildAge: number
    /** The other members as pushed. */
    pushed: Record<string, unknown>
    cityMatched: string | null
  }
  isReady: boolean
  checklist: ChecklistStep[]
  products: HotelProduct[]
  moreProducts: number
  taxes: HotelTaxes[]
  lastPushes: { kind: PushKind; push: NamedPush }[]
}

/** A query is text throughout; what a number, a time or a cursor is, the handler reads. */
const queried = (description: string) => Type.Optional(text({ description, maxLength: 200 }))

export const hotelRoutes = {
  listHotels: consoleRoute<{ hotels: HotelListed[]; nextCursor: string | null }>()({
    method: 'GET',
    path: '/hotels',
    query: Type.Object({
      search: queried('Parts of its name, code, city, country code or supplier, or its platformHotelId'),
      supplierId: queried('Number of the supplier'),
      currency: queried('ISO 4217'),
      country: queried('ISO 3166-1 alpha-2'),
      available: Type.Optional(oneOf(['yes', 'no'])),
      goLive: Type.Optional(oneOf(goLiveStages)),
      ari: Type.Optional(oneOf(['none', 'some'], { description: 'Whether any was ever pushed' })),
      staleSince: queried('No ARI since then: a date (UTC) or an ISO 8601 instant'),
      endsBy: queried('No ARI after this month: YYYY-MM'),
      sort: Type.Optional(oneOf(hotelOrders)),
      cursor: queried('nextCursor of the page before'),
      limit: queried(`1 to ${hotelsPerPage.max}, ${hotelsPerPage.usual} unless told`),
    }),
  }),
  getHotel: consoleRoute<HotelPage>()({
    method: 'GET',
    path: '/hotels/{hotelId}',
    params: Type.Object({ hotelId: text({ maxLength: 10, description: 'platformHotelId' }) }),
  }),
}
