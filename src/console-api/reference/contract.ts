import Type from 'typebox'
import { consoleRoute, nameText, oneOf, text } from '../../http/route.ts'

/** Room types and meal plans, which the pushes of every supplier can use; only admins change them. */

export const referenceLists = ['roomTypes', 'mealPlans'] as const
export type ReferenceList = (typeof referenceLists)[number]

/** Rooms of a type and products with a meal plan are counted up to this number. */
export const usesCountedMax = 1_000
/** Hotels listed per entry. */
export const hotelsNamedMax = 20

export type ReferenceEntry = {
  /** The value used in pushes: a room type's name, a meal plan's code. */
  key: string
  /** For meal plans; the key of a room type is its name. */
  name: string | null
  description: string
  isRetired: boolean
  used: { count: number; isMore: boolean }
}

export type ReferenceUse = {
  /** Of the counted uses. */
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
    /** `name` is for meal plans. */
    body: Type.Object({ list, key, name: Type.Optional(nameText({ maxLength: 200 })), description: text() }),
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
