import type { Push } from '../http/calls/call.ts'
import { answer, type Answer } from '../http/calls/mount.ts'
import { problemsListedMax, Rejected, rejectIfAny, reportedValue } from '../http/rejected.ts'
import type { AnswerOf, BodyOf, ConstraintError } from '../http/route.ts'
import { assertedCurrencyProblems } from '../hotels/asserted-currency.ts'
import { hotelNotFound } from '../hotels/hotel-rules.ts'
import { endLiveAnswers, everyNight } from '../hotels/live-touches.ts'
import { lockHotel, raiseCatalogVersion } from '../hotels/store.ts'
import type { Queryable } from '../postgres/postgres.ts'
import { applyAndLog } from '../push-log/keep/keep.ts'
import { todayIn } from '../hotels/hotel-clock.ts'
import { minorDigits } from '../reference/currencies.ts'
import { selectAddedCancelCodes } from '../reference/store.ts'
import {
  type Product,
  type productRoutes,
  productErrors,
  ratesPerHotelMax,
  roomRatesPerHotelMax,
  roomsPerHotelMax,
} from './contract.ts'
import { cancelPoliciesJson } from './policies/policy-rules.ts'
import { formerAmountWarnings } from './policies/former-amounts.ts'
import { policyWarningsOf } from './policies/policy-warnings.ts'
import { overruledWarnings } from './product-rules.ts'
import { clearedWarnings, infantWarnings, loweredWarnings, type SavedProduct } from './push-warnings.ts'
import { saleWarnings, type ProductNeeds } from './sale-warnings.ts'
import {
  guestsMaxOf,
  type Occupancy,
  countRoomRates,
  roomRateKey,
  selectStoredRoomRates,
  selectRates,
  selectRooms,
  upsertRates,
  upsertRoomRates,
  upsertRooms,
  type StoredRoomRate,
  type Rate,
  type Room,
  type RoomRateToSave,
} from './store.ts'

/** Saves a validated push of products, all or none; each product is the full state of its room-rate. */
export function acceptProducts(
  needs: ProductNeeds,
  push: Push,
  { hotelId, currency, products }: BodyOf<typeof productRoutes.pushProducts>,
): Promise<Answer> {
  return applyAndLog(needs, push, async (connection) => {
    const hotel = await lockHotel(connection, push.caller.supplierId, hotelId)
    if (!hotel) throw new Rejected(404, hotelNotFound(hotelId))
    rejectIfAny(assertedCurrencyProblems(currency, hotel.currency))
    const saved = await saveProducts(connection, hotel.id, products)
    const counts = { created: 0, updated: 0, unchanged: 0 }
    for (const { outcome } of saved) counts[outcome]++
    const isChanged = counts.unchanged < saved.length
    const updated = saved.filter(({ outcome }) => outcome === 'updated')
    await endLiveAnswers(
      connection,
      updated.map(({ roomNo, rateNo }) => ({ hotelId: hotel.id, roomNo, rateNo, ...everyNight })),
      needs.clock.now(),
    )
    const added = await selectAddedCancelCodes(connection)
    const today = todayIn(hotel, needs.clock.now())
    const warnings = [
      ...overruledWarnings(products),
      ...(await saleWarnings(needs, connection, hotel, saved)),
      ...loweredWarnings(saved),
      ...clearedWarnings(saved),
      ...infantWarnings(products),
      ...formerAmountWarnings(products, minorDigits(hotel.currency) ?? 0),
      ...products.flatMap(({ cancelPolicies = [] }, index) =>
        policyWarningsOf(cancelPolicies, `/products/${index}/cancelPolicies`, { added, today }),
      ),
    ]
    const revision = isChanged ? await raiseCatalogVersion(connection, hotel.id, 'products') : hotel.revision
    const members: AnswerOf<typeof productRoutes.pushProducts> = {
      code: '200',
      message: 'Hotel rates & rooms saved successfully',
      hotelId,
      revision,
      requestId: push.requestId,
      ...counts,
      warnings: warnings.slice(0, problemsListedMax),
    }
    const outcome = isChanged ? 'applied' : 'unchanged'
    return {
      answer: answer(200, members, members.warnings),
      kept: { outcome, hotelId: hotel.id, hotelCode: hotelId, revision },
    }
  })
}

/** Stores products under their hotel's lock and skips unchanged ones. Returns the outcomes, in order. */
export async function saveProducts(
  connection: Queryable,
  hotelId: number,
  products: readonly Product[],
): Promise<SavedProduct[]> {
  const rooms = await selectRooms(connection, hotelId)
  const rates = await selectRates(connection, hotelId)
  const after = await settleNumbersAfter(connection, hotelId)
  const sentRooms = numbered(products, { stored: rooms, after }, ofRooms)
  const sentRates = numbered(products, { stored: rates, after }, ofRates)
  const changedRooms = [...sentRooms.values()].filter((room) => {
    const stored = rooms.get(room.code)
    return stored?.name !== room.name || stored.roomType !== room.roomType
  })
  const changedRates = [...sentRates.values()].filter((rate) => rates.get(rate.code)?.name !== rate.name)
  if (changedRooms.length > 0) await upsertRooms(connection, hotelId, changedRooms)
  if (changedRates.length > 0) await upsertRates(connection, hotelId, changedRates)

  const roomRates = products.map((product) =>
    roomRateOf(product, sentRooms.get(product.roomId)?.no, sentRates.get(product.rateId)?.no),
  )
  const storedByKey = await selectStoredRoomRates(connection, hotelId, roomRates)
  await refuseTooMany(connection, hotelId, roomRates, storedByKey)
  const changedKeys = await upsertRoomRates(connection, hotelId, roomRates)
  const changedRoomNos = new Set(changedRooms.map(({ no }) => no))
  const changedRateNos = new Set(changedRates.map(({ no }) => no))
  return roomRates.map(({ roomNo, rateNo, isAvailable, occupancy }, index): SavedProduct => {
    const key = roomRateKey(roomNo, rateNo)
    const stored = storedByKey.get(key)
    if (!stored) return { roomNo, rateNo, ...asCreated }
    const isChanged = changedKeys.has(key) || changedRoomNos.has(roomNo) || changedRateNos.has(rateNo)
    const isOccupancyLowered = stored.pricingModel === 'guest' && isLower(occupancy, stored)
    // An empty list is deliberate; an absent one may have been forgotten.
    const arePoliciesCleared = stored.hasPolicies && products[index]?.cancelPolicies === undefined
    const outcome = isChanged ? 'updated' : 'unchanged'
    return {
      roomNo,
      rateNo,
      outcome,
      sale: isAvailable === stored.isAvailable ? 'asBefore' : isAvailable ? 'back' : 'archived',
      isOccupancyLowered,
      arePoliciesCleared,
      cleared: clearedMembers(products[index], stored),
    }
  })
}

const asCreated = {
  outcome: 'created',
  sale: 'asBefore',
  isOccupancyLowered: false,
  arePoliciesCleared: false,
  cleared: [],
} as const

/** `cancelPolicies` have a warning of their own. */
function clearedMembers(product: Product | undefined, stored: StoredRoomRate): string[] {
  const isCleared = {
    mealPlan: stored.mealPlan !== null && product?.mealPlan === undefined,
    'occupancy.maxAdult': stored.maxAdult !== null && product?.occupancy.maxAdult === undefined,
    'occupancy.maxChild': stored.maxChild !== null && product?.occupancy.maxChild === undefined,
    'occupancy.maxInfant': stored.maxInfant !== null && product?.occupancy.maxInfant === undefined,
  }
  return Object.entries(isCleared).flatMap(([member, holds]) => (holds ? [member] : []))
}

function isLower(occupancy: Occupancy, before: Occupancy): boolean {
  const [now, then] = [guestsMaxOf(occupancy), guestsMaxOf(before)]
  return now.adult < then.adult || now.child < then.child || now.infant < then.infant
}

async function refuseTooMany(
  connection: Queryable,
  hotelId: number,
  roomRates: readonly RoomRateToSave[],
  storedByKey: ReadonlyMap<number, StoredRoomRate>,
): Promise<void> {
  const isNew = ({ roomNo, rateNo }: RoomRateToSave) => !storedByKey.has(roomRateKey(roomNo, rateNo))
  const created = roomRates.flatMap((roomRate, index) => (isNew(roomRate) ? [index] : []))
  if (created.length === 0) return
  const first = created[roomRatesPerHotelMax - (await countRoomRates(connection, hotelId))]
  if (first === undefined) return
  throw new Rejected(400, { ...productErrors.tooManyProducts, path: `/products/${first}` })
}

type Numbered<Attributes> = {
  read: (product: Product) => Attributes
  member: '/roomId' | '/rateId'
  most: number
  fault: ConstraintError
}
const ofRooms: Numbered<Omit<Room, 'no'>> = {
  read: ({ roomId, roomName, roomType }) => ({ code: roomId, name: roomName, roomType }),
  member: '/roomId',
  most: roomsPerHotelMax,
  fault: productErrors.tooManyRooms,
}
const ofRates: Numbered<Omit<Rate, 'no'>> = {
  read: ({ rateId, rateName }) => ({ code: rateId, name: rateName }),
  member: '/rateId',
  most: ratesPerHotelMax,
  fault: productErrors.tooManyRates,
}

/**
 * The rooms (or rates) that the products name, by code, each with the attributes of the last product that
 * names it. New ones get the hotel's next numbers, in the order sent; numbers are never reused.
 */
function numbered<Attributes extends { code: string }>(
  products: readonly Product[],
  { stored, after }: { stored: ReadonlyMap<string, { no: number }>; after: number },
  { read, member, most, fault }: Numbered<Attributes>,
): Map<string, Attributes & { no: number }> {
  let last = Math.max(after, ...[...stored.values()].map(({ no }) => no))
  let count = stored.size
  const sent = new Map<string, Attributes & { no: number }>()
  for (const [index, product] of products.entries()) {
    const attributes = read(product)
    const known = sent.get(attributes.code) ?? stored.get(attributes.code)
    if (!known && ++count > most) {
      const path = `/products/${index}${member}`
      throw new Rejected(400, { ...fault, path, value: reportedValue(attributes.code) })
    }
    sent.set(attributes.code, { ...attributes, no: known?.no ?? ++last })
  }
  return sent
}

function roomRateOf(
  { isAvailable, mealPlan, occupancy, cancelPolicies }: Product,
  roomNo: number | undefined,
  rateNo: number | undefined,
): RoomRateToSave {
  if (roomNo === undefined || rateNo === undefined) throw new Error('a product was left without numbers')
  return {
    roomNo,
    rateNo,
    isAvailable,
    occupancy,
    cancelPoliciesJson: cancelPoliciesJson(cancelPolicies ?? []),
    ...(mealPlan === undefined ? {} : { mealPlan }),
  }
}

/** Numbers are smallints: above this one there is ample room for all rooms and rates of a hotel. */
export const numbersAfterMax = 20_000
/** More rooms or rates than a hotel adds between two backups. */
const numbersSkippedPerEpoch = 200

/**
 * The number after which new rooms and rates are numbered, if it is above the highest existing number.
 * Numbers assigned in an earlier epoch of the store may have been lost, but other systems know them. The
 * hotel must be locked.
 */
async function settleNumbersAfter(connection: Queryable, hotelId: number): Promise<number> {
  const { rows } = await connection.query<{ after: number }>(
    `with behind as (
       update hotel set numbers_epoch = store_epoch_number(), numbers_after = greatest(numbers_after, least($3,
         (store_epoch_number() - numbers_epoch) * $2 + greatest(numbers_after,
           (select max(room_no) from room where hotel_id = hotel.id),
           (select max(rate_no) from rate where hotel_id = hotel.id))))
       where id = $1 and numbers_epoch < store_epoch_number()
       returning numbers_after
     )
     select coalesce((select numbers_after from behind), numbers_after) as after from hotel where id = $1`,
    [hotelId, numbersSkippedPerEpoch, numbersAfterMax],
  )
  return rows[0]?.after ?? 0
}
