import Type from 'typebox'
import { consoleRoute, oneOf, text } from '../../http/route.ts'

/** Room types and meal plans, which every supplier's pushes may name: only an admin changes them. */

export const referenceLists = ['roomTypes', 'mealPlans'] as const
export type ReferenceList = (typeof referenceLists)[number]

/** Rooms of a type and products with a meal plan are counted up to here; then there are more. */
export const usesCountedMax = 1_000
/** Of the hotels that use an entry so many are named. */
export const hotelsNamedMax = 20

export type ReferenceEntry = {
  /** By which pushes name it: a room type's name, a meal plan's code. */
  key: string
  /** Of a meal plan; a room type has no other name than its key. */
  name: string | null
  description: string
  isRetired: boolean
  used: { count: number; isMore: boolean }
}

export type ReferenceUse = {
  /** Of the uses that were counted. */
  suppliers: { supplierId: number; name: string; uses: number }[]
  hotels: { hotelId: number; code: string; name: string; supplier: string }[]
  used: { count: number; isMore: boolean }
}

const list = oneOf(referenceLists)
const key = text({ maxLength: 100 })

export const referenceRoutes = {
  listReferenceEntries: consoleRoute<Record<ReferenceList, ReferenceEntry[]>>()({
    method: 'GET',
    path: '/reference',
  }),
  getReferenceUse: consoleRoute<ReferenceUse>()({
    method: 'GET',
    path: '/reference/use',
    query: Type.Object({ list, key }),
  }),
  addReferenceEntry: consoleRoute<{ key: string }>()({
    method: 'POST',
    path: '/reference',
    role: 'admin',
    /** `name`: of a meal plan. */
    body: Type.Object({ list, key, name: Type.Optional(text({ maxLength: 200 })), description: text() }),
    status: 201,
  }),
  retireReferenceEntry: consoleRoute<{ key: string }>()({
    method: 'POST',
    path: '/reference/retire',
    role: 'admin',
    body: Type.Object({ list, key }),
  }),
  bringBackReferenceEntry: consoleRoute<{ key: string }>()({
    method: 'POST',
    path: '/reference/bring-back',
    role: 'admin',
    body: Type.Object({ list, key }),
  }),
}
