import { hotelFaults } from '../hotels/contract.ts'
import { lockHotel, raiseCatalogVersion, selectOptionalHotel } from '../hotels/store.ts'
import type { Needs } from '../postgres/needs.ts'
import type { Caller } from '../http/call.ts'
import { besideShape, onEveryProblem, answer, type Mounted } from '../http/mount.ts'
import type { Queryable } from '../postgres/postgres.ts'
import { problemsListedMax, Rejected, rejectIfAny, shown, type Problem } from '../http/rejected.ts'
import type { AnswerOf } from '../http/route.ts'
import { isRecord } from '../http/validate.ts'
import { applyPush } from '../push-log/keep.ts'
import { minorDigits } from '../reference/currencies.ts'
import { selectMealPlans, selectRoomTypes } from '../reference/store.ts'
import { productRemarks, productRoutes, type Product } from './contract.ts'
import { overruledWarnings, pairOf, productProblems, productsOf, type KnownNames } from './product-rules.ts'
import { saveProducts, type SavedProduct } from './save-products.ts'
import { selectNamesHeld } from './store.ts'

/** POST /push/products: all or none; each product is the full state of its room-rate. */
export const pushProducts = (needs: Needs): Mounted =>
  onEveryProblem(
    productRoutes.pushProducts,
    (body, shapeProblems, { caller }) => judge(needs.db, body, shapeProblems, caller),
    ({ body: { hotelId, products }, caller, push }) =>
      applyPush(needs, push, async (connection) => {
        const hotel = await lockHotel(connection, caller.supplierId, hotelId)
        if (!hotel) throw new Rejected(404, hotelNotFound(hotelId))
        const saved = await saveProducts(connection, hotel.id, products)
        const counts = { created: 0, updated: 0, unchanged: 0 }
        for (const { outcome } of saved) counts[outcome]++
        const isChanged = counts.unchanged < saved.length
        const warnings = [
          ...overruledWarnings(products),
          ...loweredWarnings(products, saved),
          ...clearedWarnings(saved),
        ]
        const revision = isChanged
          ? await raiseCatalogVersion(connection, hotel.id, 'products')
          : hotel.revision
        const said: AnswerOf<typeof productRoutes.pushProducts> = {
          code: '200',
          message: 'Hotel rates & rooms saved successfully',
          hotelId,
          revision,
          requestId: push.requestId,
          ...counts,
          warnings: warnings.slice(0, problemsListedMax),
        }
        return {
          answer: answer(200, said, said.warnings),
          kept: {
            outcome: isChanged ? 'applied' : 'unchanged',
            hotelId: hotel.id,
            hotelCode: hotelId,
            revision,
          },
        }
      }),
  )

function loweredWarnings(products: readonly Product[], saved: readonly SavedProduct[]): Problem[] {
  return products.flatMap((_product, index) =>
    saved[index]?.isOccupancyLowered
      ? [
          {
            ...productRemarks.occupancyLowered,
            path: `/products/${index}/occupancy`,
          },
        ]
      : [],
  )
}

function clearedWarnings(saved: readonly SavedProduct[]): Problem[] {
  return saved.flatMap(({ arePoliciesCleared }, index) =>
    arePoliciesCleared
      ? [{ ...productRemarks.policiesCleared, path: `/products/${index}/cancelPolicies` }]
      : [],
  )
}

function hotelNotFound(hotelId: string): Problem {
  return { ...hotelFaults.notFound, path: '/hotelId', value: shown(hotelId) }
}

/** Before anything is locked: neither hotels nor names in use ever go away. */
async function judge(
  db: Queryable,
  body: unknown,
  shapeProblems: readonly Problem[],
  caller: Caller,
): Promise<void> {
  const hotelCode = isRecord(body) ? body['hotelId'] : undefined
  // A code that PostgreSQL could not take was refused by the schema.
  const isCode = typeof hotelCode === 'string' && shapeProblems.every(({ path }) => path !== '/hotelId')
  const hotel = isCode ? await selectOptionalHotel(db, caller.supplierId, hotelCode) : undefined
  const names = await knownNames(db, body, hotel?.id)
  const digits = hotel && minorDigits(hotel.currency)
  const found = besideShape(shapeProblems, productProblems(body, names, digits))
  if (!isCode || hotel) rejectIfAny(found)
  // The missing hotel comes first, where the caller has to begin.
  else rejectIfAny([hotelNotFound(hotelCode), ...found], shapeProblems.length > 0 ? 400 : 404)
}

async function knownNames(db: Queryable, body: unknown, hotelId: number | undefined): Promise<KnownNames> {
  const [listedRoomTypes, listedMealPlans] = await Promise.all([selectRoomTypes(db), selectMealPlans(db)])
  const roomTypes = new Set(listedRoomTypes.map(({ name }) => name))
  const mealPlans = new Set(listedMealPlans.map(({ code }) => code))
  const products = productsOf(body).map(({ product }) => product)
  const unlistedRoomTypes = unlisted(
    products.map(({ roomType }) => roomType),
    roomTypes,
  )
  const unlistedMealPlans = unlisted(
    products.map(({ mealPlan }) => mealPlan),
    mealPlans,
  )
  const held =
    hotelId === undefined || unlistedRoomTypes.length + unlistedMealPlans.length === 0
      ? { roomTypes: [], mealPlans: [] }
      : await selectNamesHeld(db, hotelId, unlistedRoomTypes, unlistedMealPlans)
  const roomTypesHeld = new Set(held.roomTypes.map(({ roomId, roomType }) => pairOf(roomId, roomType)))
  const mealPlansHeld = new Set(
    held.mealPlans.map(({ roomId, rateId, mealPlan }) => pairOf(pairOf(roomId, rateId), mealPlan)),
  )
  return {
    roomTypes,
    mealPlans,
    isRoomTypeHeld: (roomId, roomType) =>
      typeof roomId === 'string' && roomTypesHeld.has(pairOf(roomId, roomType)),
    isMealPlanHeld: (roomId, rateId, mealPlan) =>
      typeof roomId === 'string' &&
      typeof rateId === 'string' &&
      mealPlansHeld.has(pairOf(pairOf(roomId, rateId), mealPlan)),
  }
}

const nameCharactersMax = 255

/** Names that may be retired entries; what could not be an entry at all is left out. */
function unlisted(names: readonly unknown[], listed: ReadonlySet<string>): string[] {
  return [...new Set(names)].flatMap((name) =>
    typeof name === 'string' &&
    !listed.has(name) &&
    name.length <= nameCharactersMax &&
    !/[\p{Cc}\p{Cs}]/u.test(name)
      ? [name]
      : [],
  )
}
