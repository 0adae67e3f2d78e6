import { hotelFaults } from '../hotels/contract.ts'
import { answer, on } from '../platform/mount.ts'
import type { Needs } from '../platform/needs.ts'
import { Rejected, rejectIfAny, shown, type Problem } from '../platform/rejected.ts'
import type { ConstraintError } from '../platform/route.ts'
import { productReadFaults, productRoutes, productsPerPushMax } from './contract.ts'
import { selectOptionalProducts } from './store.ts'

/** POST /push/getProducts: what is held, as a push that changes nothing. */
export const getProducts = (needs: Needs) =>
  on(productRoutes.getProducts, async ({ body: { hotelId, roomIds, rateIds }, caller }) => {
    const hotel = { supplierId: caller.supplierId, hotelCode: hotelId }
    const held = await selectOptionalProducts(needs.db, hotel, { roomIds, rateIds }, productsPerPushMax)
    if (!held) throw new Rejected(404, { ...hotelFaults.notFound, path: '/hotelId', value: shown(hotelId) })
    const unknown = [
      ...unknownCodes(roomIds, held.roomIds, '/roomIds', productReadFaults.roomNotFound),
      ...unknownCodes(rateIds, held.rateIds, '/rateIds', productReadFaults.rateNotFound),
    ]
    rejectIfAny(unknown, 404)
    if (held.products.length > productsPerPushMax) {
      throw new Rejected(400, { ...productReadFaults.readTooLarge, path: '/roomIds' })
    }
    const { revision, products } = held
    return answer(200, {
      code: '200',
      message: 'Products retrieved successfully',
      hotelId,
      revision,
      products,
    })
  })

function unknownCodes(
  asked: readonly string[] | undefined,
  known: readonly string[],
  path: string,
  fault: ConstraintError,
): Problem[] {
  const have = new Set(known)
  return (asked ?? []).flatMap((code, index) =>
    have.has(code) ? [] : [{ ...fault, path: `${path}/${index}`, value: shown(code) }],
  )
}
