import { assertedCurrencyProblems } from '../hotels/asserted-currency.ts'
import { hotelNotFound } from '../hotels/hotel-rules.ts'
import { selectOptionalHotel } from '../hotels/store.ts'
import type { Needs, Queryable } from '../postgres/postgres.ts'
import type { Caller } from '../http/calls/call.ts'
import { besideShape, onEveryProblem, type Mounted, answer, on } from '../http/calls/mount.ts'
import { problemsListedMax, rejectIfAny, type Problem, Rejected, reportedValue } from '../http/rejected.ts'
import { isRecord } from '../http/validation/validate.ts'
import { minorDigits } from '../reference/currencies.ts'
import { selectMealPlans, selectRoomTypes } from '../reference/store.ts'
import { acceptProducts } from './accept-products.ts'
import { productRoutes, productReadErrors, productsPerPushMax } from './contract.ts'
import { formerAmountWarnings } from './policies/former-amounts.ts'
import { pairOf, productProblems, productsOf, type KnownNames } from './product-rules.ts'
import type { ProductNeeds } from './sale-warnings.ts'
import { selectNamesInUse } from './store.ts'
import { selectOptionalProducts } from './stored-products.ts'
import type { ConstraintError } from '../http/route.ts'

/** POST /push/products. */
export const pushProducts = (needs: ProductNeeds): Mounted =>
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
  const ofCurrency = hotel && isRecord(body) ? assertedCurrencyProblems(body['currency'], hotel.currency) : []
  const problems = besideShape(shapeProblems, [...ofCurrency, ...productProblems(body, names, digits)])
  if (!isCode || hotel) rejectIfAny(problems)
  // The missing hotel comes first, because the caller has to fix that first.
  else rejectIfAny([hotelNotFound(hotelCode), ...problems], shapeProblems.length > 0 ? 400 : 404)
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
  const stored =
    hotelId === undefined || unlistedRoomTypes.length + unlistedMealPlans.length === 0
      ? { roomTypes: [], mealPlans: [] }
      : await selectNamesInUse(db, hotelId, unlistedRoomTypes, unlistedMealPlans)
  const roomTypesInUse = new Set(stored.roomTypes.map(({ roomId, roomType }) => pairOf(roomId, roomType)))
  const mealPlansInUse = new Set(
    stored.mealPlans.map(({ roomId, rateId, mealPlan }) => pairOf(pairOf(roomId, rateId), mealPlan)),
  )
  return {
    roomTypes,
    mealPlans,
    isRoomTypeInUse: (roomId, roomType) =>
      typeof roomId === 'string' && roomTypesInUse.has(pairOf(roomId, roomType)),
    isMealPlanInUse: (roomId, rateId, mealPlan) =>
      typeof roomId === 'string' &&
      typeof rateId === 'string' &&
      mealPlansInUse.has(pairOf(pairOf(roomId, rateId), mealPlan)),
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

/** POST /push/getProducts: the stored products, as a push that changes nothing. */
export const getProducts = (needs: Needs) =>
  on(productRoutes.getProducts, async ({ body: { hotelId, roomIds, rateIds }, caller }) => {
    const hotel = { supplierId: caller.supplierId, hotelCode: hotelId }
    const stored = await selectOptionalProducts(needs.db, hotel, { roomIds, rateIds }, productsPerPushMax)
    if (!stored) throw new Rejected(404, hotelNotFound(hotelId))
    const unknown = [
      ...unknownCodes(roomIds, stored.roomIds, '/roomIds', productReadErrors.roomNotFound),
      ...unknownCodes(rateIds, stored.rateIds, '/rateIds', productReadErrors.rateNotFound),
    ]
    rejectIfAny(unknown, 404)
    if (stored.products.length > productsPerPushMax) {
      throw new Rejected(400, { ...productReadErrors.readTooLarge, path: '/roomIds' })
    }
    const { revision, products, currency } = stored
    const warnings = formerAmountWarnings(products, minorDigits(currency) ?? 0)
    return answer(200, {
      code: '200',
      message: 'Products retrieved successfully',
      hotelId,
      revision,
      products,
      ...(warnings.length > 0 ? { warnings: warnings.slice(0, problemsListedMax) } : {}),
    })
  })

function unknownCodes(
  codes: readonly string[] | undefined,
  known: readonly string[],
  path: string,
  fault: ConstraintError,
): Problem[] {
  const have = new Set(known)
  return (codes ?? []).flatMap((code, index) =>
    have.has(code) ? [] : [{ ...fault, path: `${path}/${index}`, value: reportedValue(code) }],
  )
}
