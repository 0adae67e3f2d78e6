import { hotelNotFound } from '../hotels/hotel-not-found.ts'
import { selectOptionalHotel } from '../hotels/store.ts'
import type { Needs } from '../postgres/needs.ts'
import type { Caller } from '../http/call.ts'
import { besideShape, onEveryProblem, type Mounted } from '../http/mount.ts'
import type { Queryable } from '../postgres/postgres.ts'
import { rejectIfAny, type Problem } from '../http/rejected.ts'
import { isRecord } from '../http/validate.ts'
import { minorDigits } from '../reference/currencies.ts'
import { selectMealPlans, selectRoomTypes } from '../reference/store.ts'
import { acceptProducts } from './accept-products.ts'
import { productRoutes } from './contract.ts'
import { pairOf, productProblems, productsOf, type KnownNames } from './product-rules.ts'
import { selectNamesHeld } from './store.ts'

/** POST /push/products. */
export const pushProducts = (needs: Needs): Mounted =>
  onEveryProblem(
    productRoutes.pushProducts,
    (body, shapeProblems, { caller }) => judge(needs.db, body, shapeProblems, caller),
    ({ body, push }) => acceptProducts(needs, push, body),
  )

/** Runs before anything is locked, which is safe because hotels and names in use never disappear. */
async function judge(
  db: Queryable,
  body: unknown,
  shapeProblems: readonly Problem[],
  caller: Caller,
): Promise<void> {
  const hotelCode = isRecord(body) ? body['hotelId'] : undefined
  // The schema refuses codes that PostgreSQL can't store.
  const isCode = typeof hotelCode === 'string' && shapeProblems.every(({ path }) => path !== '/hotelId')
  const hotel = isCode ? await selectOptionalHotel(db, caller.supplierId, hotelCode) : undefined
  const names = await knownNames(db, body, hotel?.id)
  const digits = hotel && minorDigits(hotel.currency)
  const found = besideShape(shapeProblems, productProblems(body, names, digits))
  if (!isCode || hotel) rejectIfAny(found)
  // The missing hotel comes first, because the caller has to fix that first.
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

/** Names that may be retired entries, without those that could never be an entry. */
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
