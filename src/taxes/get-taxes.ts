import { hotelNotFound } from '../hotels/hotel-not-found.ts'
import { selectOptionalHotel } from '../hotels/store.ts'
import type { Needs } from '../postgres/needs.ts'
import { Rejected } from '../http/rejected.ts'
import { answer, on } from '../http/mount.ts'
import { taxFaults, taxRoutes } from './contract.ts'
import { anyNo, selectTaxes } from './store.ts'

export const getTaxes = (needs: Needs) =>
  on(taxRoutes.getTaxes, async ({ body, caller }) => {
    const hotel = await selectOptionalHotel(needs.db, caller.supplierId, body.hotelId)
    if (!hotel) throw new Rejected(404, hotelNotFound(body.hotelId, taxFaults.hotelNotFound))
    const scopes = await selectTaxes(needs.db, hotel.id)
    const isProperty = ({ roomNo, rateNo }: { roomNo: number; rateNo: number }): boolean =>
      roomNo === anyNo && rateNo === anyNo
    return answer(200, {
      code: '200',
      message: 'Taxes retrieved successfully',
      hotelId: body.hotelId,
      taxes: scopes.find(isProperty)?.taxes ?? [],
      products: scopes
        .filter((scope) => !isProperty(scope))
        .map(({ roomId, rateId, taxes }) => ({ roomId, rateId, taxes })),
    })
  })
