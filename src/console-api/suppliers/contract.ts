import Type, { type Static } from 'typebox'
import { queryText, consoleRoute, integer, nullableInteger, oneOf, text } from '../../http/route.ts'
import type { CheckResult } from '../../certification/contract.ts'
import type { GoLiveStage } from '../hotels/contract.ts'
import { pricesAres } from '../../keys/price-contract.ts'
import { webhookKinds, type Ping } from '../../webhooks/contract.ts'

/**
 * Supplier accounts and their keys. Viewers can see them; only admins change contract settings and keys. A test call
 * changes nothing, so operators may make one. A supplier's own managers make, rotate and revoke its keys, within the
 * limits of its account.
 */

const supplierId = text({ maxLength: 20, description: 'Number of the supplier' })
const keyId = text({ maxLength: 20, description: 'Number of the key' })

export const suppliersPerPage = { max: 100, usual: 50 }
/** Hotels of a supplier are counted up to this number. */
export const hotelsCounted = { inList: 500, onPage: 20_000 }
/** The newest pushes of a supplier, counted for its health. */
export const pushesLookedAt = { newest: 100, days: 7 }
/** A replaced secret works for at most this time. */
export const overlapMinutesMax = 90 * 24 * 60
/** Secrets of keys that a supplier's managers may make in 24 hours, by new keys and rotations. */
export const managedSecretsPerDayMax = 20

type Counted = { count: number; isMore: boolean }

/** The newest pushes of the last days; `lastAt` is null if there were none. */
export type RecentPushes = { looked: number; rejected: number; partial: number; lastAt: string | null }

export type SupplierListed = {
  supplierId: number
  name: string
  createdAt: string
  activeKeys: number
  lastUsedAt: string | null
  hotels: Counted
  pushes: RecentPushes
}

const onFailures = ['reject', 'use_stored'] as const

const onTermsDiffers = ['warn', 'reject'] as const

const account = Type.Object({
  onFailure: Type.Optional(oneOf(onFailures)),
  /** When a price check has another meal plan or other penalties than are sold. */
  onTermsDiffer: Type.Optional(oneOf(onTermsDiffers)),
  /** In per cent, as a decimal. */
  priceTolerance: Type.Optional(text({ maxLength: 6 })),
  /** What the pushed prices are: what guests pay, or what the hotel gets. */
  pricesAre: Type.Optional(oneOf(pricesAres)),
  /** In per cent of what guests are charged without taxes, as a decimal; nothing is kept of net prices. */
  commissionPercent: Type.Optional(text({ maxLength: 8 })),
  deliversCards: Type.Optional(Type.Boolean()),
  mayPushOnDemand: Type.Optional(Type.Boolean()),
  mayRetrieve: Type.Optional(Type.Boolean()),
  /** No key of production before it is certified. */
  requireCertification: Type.Optional(Type.Boolean()),
  /** By an operator's word. */
  isCertified: Type.Optional(Type.Boolean()),
  /** Active keys up to which its own managers may make more. */
  managedKeysMax: Type.Optional(integer({ minimum: 0, maximum: 100 })),
  /** Requests a minute of a key that they make. */
  managedKeyRateMax: Type.Optional(integer({ minimum: 1, maximum: 10_000_000 })),
  /** Hotels that the account may have; 0: no limit. */
  hotelsMax: Type.Optional(integer({ minimum: 0, maximum: 10_000_000 })),
})
export type SupplierAccount = Required<Static<typeof account>>

/** `null` restores the default. */
const keyLimits = Type.Object({
  requestsPerMinute: Type.Optional(nullableInteger({ minimum: 0, maximum: 10_000_000 })),
  requestsBurst: Type.Optional(nullableInteger({ minimum: 1, maximum: 10_000_000 })),
  bodyBytesMax: Type.Optional(nullableInteger({ minimum: 1_024, maximum: 100 * 1024 * 1024 })),
  ariItemsMax: Type.Optional(nullableInteger({ minimum: 1, maximum: 100_000 })),
  ariCellsMax: Type.Optional(nullableInteger({ minimum: 1, maximum: 10_000_000 })),
})
export type SupplierKeyLimits = Required<Static<typeof keyLimits>>

const keyUnknownFields = ['warn', 'reject'] as const
export type KeyUnknownFields = (typeof keyUnknownFields)[number]
const keySettings = Type.Object({
  ...keyLimits.properties,
  /** Whether a request with unknown members gets a warning or is refused. */
  unknownFields: Type.Optional(oneOf(keyUnknownFields)),
  /** Whether pushes of ARI are answered with readings by default. */
  echo: Type.Optional(Type.Boolean()),
})

export type SupplierWebhook = {
  kind: (typeof webhookKinds)[number]
  url: string
  registeredAt: string | null
  /** For the price check URL, in the answering process. */
  circuit: 'closed' | 'open' | 'half_open' | null
  /** Why it is not called: it would be refused today; null: it is called. */
  fault: string | null
}

export type SupplierKey = {
  keyId: number
  channelManager: string
  status: 'active' | 'expired' | 'revoked'
  /** The valid secrets, newest first; `worksUntil` is null if no end is set. */
  secrets: { tail: string; createdAt: string; worksUntil: string | null }[]
  createdAt: string
  expiresAt: string | null
  revokedAt: string | null
  lastUsedAt: string | null
  /** When a request came last with a secret of it that no longer works. */
  lastRefusedAt: string | null
  /** Its own limits; null uses the default. */
  limits: SupplierKeyLimits
  unknownFields: KeyUnknownFields
  echo: boolean
  webhooks: SupplierWebhook[]
  hasSigningSecret: boolean
  /** The previous secret also signs until then. */
  oldSigningSecretUntil: string | null
}

/** One stored call to a URL of the supplier. */
export type SupplierCall = {
  kind: (typeof webhookKinds)[number]
  at: string
  outcome: string
  isGood: boolean
  httpStatus: number | null
  durationMs: number
  hotelId: number
  hotelName: string
  /** The delivered reservation; null for a price check. */
  reservationId: number | null
}

/** How many hotels of a supplier are at each stage, of the first ones. */
export type SupplierGoLive = {
  stages: Record<GoLiveStage, number>
  /** The hotel of a stage that has a single one. */
  only: Partial<Record<GoLiveStage, number>>
  /** Of those that are ready: open for bookings, so that they are sold. */
  open: number
  isMore: boolean
}

export type Supplier = {
  supplierId: number
  name: string
  createdAt: string
  account: SupplierAccount
  hotels: Counted
  goLive: SupplierGoLive
  pushes: RecentPushes
  keys: SupplierKey[]
  /** The latest calls of each kind, newest first. */
  calls: SupplierCall[]
  defaultLimits: Record<keyof SupplierKeyLimits, number>
}

/** What the traffic of an account, or of one of its hotels, proves. */
export type SupplierCertification = {
  score: number
  isCertified: boolean
  checks: (CheckResult & {
    /** The push of the evidence; null: it is another call, or too old for a link. */
    pushId: number | null
  })[]
}

/** Why a step of the go-live checklist is not needed, by an operator's word. */
export type UnneededStep = { reason: string; operator: string; at: string }

const overlapMinutes = integer({
  minimum: 0,
  maximum: overlapMinutesMax,
  description: 'How long the old secret keeps working',
})

/** By admins, and by the managers of the supplier itself. */
const byManagersToo = { role: 'admin', forSuppliers: 'own', roleOfSuppliers: 'operator' } as const

export const supplierRoutes = {
  listSuppliers: consoleRoute<{ suppliers: SupplierListed[]; nextCursor: string | null }>()({
    method: 'GET',
    path: '/suppliers',
    query: Type.Object({ search: queryText(), cursor: queryText(), limit: queryText() }),
  }),
  getSupplier: consoleRoute<{ supplier: Supplier }>()({
    method: 'GET',
    path: '/suppliers/{supplierId}',
    forSuppliers: 'own',
    params: Type.Object({ supplierId }),
  }),
  getSupplierCertification: consoleRoute<SupplierCertification>()({
    method: 'GET',
    path: '/suppliers/{supplierId}/certification',
    forSuppliers: 'own',
    params: Type.Object({ supplierId }),
    query: Type.Object({ hotelId: queryText('platformHotelId: only the traffic of this hotel') }),
  }),
  createSupplier: consoleRoute<{ supplierId: number }>()({
    method: 'POST',
    path: '/suppliers',
    role: 'admin',
    body: Type.Object({ name: text({ maxLength: 200 }) }),
    status: 201,
  }),
  changeSupplier: consoleRoute<{ account: SupplierAccount }>()({
    method: 'PUT',
    path: '/suppliers/{supplierId}/account',
    role: 'admin',
    params: Type.Object({ supplierId }),
    body: account,
  }),
  changeGoLiveStep: consoleRoute<{ unneeded: UnneededStep | null }>()({
    method: 'PUT',
    path: '/suppliers/{supplierId}/go-live/{step}',
    role: 'operator',
    params: Type.Object({ supplierId, step: text({ maxLength: 40 }) }),
    body: Type.Object({
      isNeeded: Type.Boolean(),
      /** Why it isn't; the supplier sees it too. */
      reason: Type.Optional(text({ maxLength: 200, withoutCards: true })),
    }),
  }),
  createSupplierKey: consoleRoute<{ keyId: number; apiKey: string }>()({
    method: 'POST',
    path: '/suppliers/{supplierId}/keys',
    ...byManagersToo,
    params: Type.Object({ supplierId }),
    body: Type.Object({
      channelManager: text({ maxLength: 200 }),
      /** A date (its start in UTC) or an instant. */
      expiresAt: Type.Optional(text({ maxLength: 40 })),
    }),
    status: 201,
  }),
  rotateSupplierKey: consoleRoute<{ apiKey: string; oldKeyUntil: string }>()({
    method: 'POST',
    path: '/keys/{keyId}/rotate',
    ...byManagersToo,
    params: Type.Object({ keyId }),
    body: Type.Object({ overlapMinutes }),
  }),
  revokeSupplierKey: consoleRoute<{ keyId: number }>()({
    method: 'POST',
    path: '/keys/{keyId}/revoke',
    ...byManagersToo,
    params: Type.Object({ keyId }),
  }),
  expireSupplierKey: consoleRoute<{ expiresAt: string | null }>()({
    method: 'PUT',
    path: '/keys/{keyId}/expiry',
    role: 'admin',
    params: Type.Object({ keyId }),
    body: Type.Object({
      /** A date (its start in UTC) or an instant; null: never. */
      at: Type.Unsafe<string | null>({ type: ['string', 'null'], maxLength: 40 }),
    }),
  }),
  limitSupplierKey: consoleRoute<{
    limits: SupplierKeyLimits
    unknownFields: KeyUnknownFields
    echo: boolean
  }>()({
    method: 'PUT',
    path: '/keys/{keyId}/limits',
    role: 'admin',
    params: Type.Object({ keyId }),
    body: keySettings,
  }),
  rotateSigningSecret: consoleRoute<{ signingSecret: string; oldSecretUntil: string }>()({
    method: 'POST',
    path: '/keys/{keyId}/signing-secret',
    role: 'admin',
    params: Type.Object({ keyId }),
    body: Type.Object({ overlapMinutes }),
  }),
  pingWebhook: consoleRoute<{ url: string; ping: Ping }>()({
    method: 'POST',
    path: '/keys/{keyId}/ping',
    forSuppliers: 'own',
    role: 'operator',
    params: Type.Object({ keyId }),
    body: Type.Object({ kind: oneOf(webhookKinds) }),
  }),
}
