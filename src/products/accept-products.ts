import type { Push } from '../http/call.ts'
import { answer, type Answer } from '../http/mount.ts'
import { problemsListedMax, Rejected, type Problem } from '../http/rejected.ts'
import type { AnswerOf, BodyOf } from '../http/route.ts'
import { hotelNotFound } from '../hotels/hotel-not-found.ts'
import { lockHotel, raiseCatalogVersion } from '../hotels/store.ts'
import type { Needs } from '../postgres/needs.ts'
import { applyPush } from '../push-log/keep.ts'
import { productRemarks, type Product, type productRoutes } from './contract.ts'
import { overruledWarnings } from './product-rules.ts'
import { saveProducts, type SavedProduct } from './save-products.ts'

/** Saves a validated push of products, all or none; each product is the full state of its room-rate. */
export function acceptProducts(
  needs: Needs,
  push: Push,
  { hotelId, products }: BodyOf<typeof productRoutes.pushProducts>,
): Promise<Answer> {
  return applyPush(needs, push, async (connection) => {
    const hotel = await lockHotel(connection, push.caller.supplierId, hotelId)
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
    const revision = isChanged ? await raiseCatalogVersion(connection, hotel.id, 'products') : hotel.revision
    const said: AnswerOf<typeof productRoutes.pushProducts> = {
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
      answer: answer(200, said, said.warnings),
      kept: { outcome, hotelId: hotel.id, hotelCode: hotelId, revision },
    }
  })
}

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
