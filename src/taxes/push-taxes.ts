import type { HotelRow } from '../hotels/store.ts'
import { lockHotel } from '../hotels/store.ts'
import type { Needs } from '../platform/needs.ts'
import { onEveryProblem, answer } from '../platform/mount.ts'
import type { Queryable } from '../platform/postgres.ts'
import { Rejected, rejectIfAny, shown, type Problem } from '../platform/rejected.ts'
import type { AnswerOf, BodyOf } from '../platform/route.ts'
import { selectCatalog } from '../products/store.ts'
import { applyPush } from '../push-log/keep.ts'
import { minorDigits } from '../reference/currencies.ts'
import { taxFaults, taxRoutes } from './contract.ts'
import { anyNo, raiseRevision, replaceTaxes, selectTaxes, type Scope, type ScopedTaxes } from './store.ts'
import { currencyProblems, sameTaxes, taxProblems } from './tax-rules.ts'

type Body = BodyOf<typeof taxRoutes.pushTaxes>

/** POST /push/taxes: replaces the taxes of exactly the scopes sent, all or none. */
export const pushTaxes = (needs: Needs) =>
  onEveryProblem(
    taxRoutes.pushTaxes,
    (body, shapeProblems) => rejectIfAny([...shapeProblems, ...taxProblems(body)]),
    ({ body, caller, push }) =>
      applyPush(needs, push, async (connection) => {
        const hotel = await lockHotel(connection, caller.supplierId, body.hotelId)
        if (!hotel) throw new Rejected(404, hotelNotFound(body.hotelId))
        const sent = await scopesOf(connection, hotel, body)
        const held = new Map(
          (await selectTaxes(connection, hotel.id)).map((scope) => [keyOf(scope), scope.taxes]),
        )
        const changed = sent.filter((scope) => !sameTaxes(scope.taxes, held.get(keyOf(scope)) ?? []))
        const revision =
          changed.length > 0 ? await replaceAndRaise(connection, hotel.id, changed) : hotel.revision
        const outcome = changed.length > 0 ? 'applied' : 'unchanged'
        const said: AnswerOf<typeof taxRoutes.pushTaxes> = {
          code: '200',
          message: 'Taxes saved successfully',
          hotelId: hotel.code,
          outcome,
          scopesChanged: changed.length,
          revision,
          requestId: push.requestId,
        }
        return {
          answer: answer(200, said),
          kept: { outcome, hotelId: hotel.id, hotelCode: hotel.code, revision },
        }
      }),
  )

function hotelNotFound(hotelId: string): Problem {
  return { ...taxFaults.hotelNotFound, path: '/hotelId', value: shown(hotelId) }
}

function keyOf({ roomNo, rateNo }: Scope): string {
  return `${roomNo}/${rateNo}`
}

async function replaceAndRaise(
  connection: Queryable,
  hotelId: number,
  changed: readonly ScopedTaxes[],
): Promise<number> {
  await replaceTaxes(connection, hotelId, changed)
  return raiseRevision(connection, hotelId)
}

/** The scopes sent, by number. Refuses the push when a room or a rate is unknown or a value doesn't fit the currency. */
async function scopesOf(connection: Queryable, hotel: HotelRow, body: Body): Promise<ScopedTaxes[]> {
  const { taxes, products = [] } = body
  const { roomNoByCode, rateNoByCode } = await selectCatalog(connection, hotel.id)
  const digits = minorDigits(hotel.currency) ?? 0
  const unknown: Problem[] = []
  const misfits = taxes ? currencyProblems(taxes, digits, '/taxes') : []
  const scopes: ScopedTaxes[] = taxes ? [{ roomNo: anyNo, rateNo: anyNo, taxes }] : []
  for (const [index, { roomId, rateId, taxes: ofScope }] of products.entries()) {
    const path = `/products/${index}`
    const roomNo = roomId === undefined ? anyNo : roomNoByCode.get(roomId)
    const rateNo = rateId === undefined ? anyNo : rateNoByCode.get(rateId)
    if (roomNo === undefined) {
      unknown.push({ ...taxFaults.roomNotFound, path: `${path}/roomId`, value: shown(roomId) })
    }
    if (rateNo === undefined) {
      unknown.push({ ...taxFaults.rateNotFound, path: `${path}/rateId`, value: shown(rateId) })
    }
    misfits.push(...currencyProblems(ofScope, digits, `${path}/taxes`))
    if (roomNo !== undefined && rateNo !== undefined) scopes.push({ roomNo, rateNo, taxes: ofScope })
  }
  // 404 says that everything wrong is an unknown id; with a broken rule beside it, 400.
  rejectIfAny([...misfits, ...unknown], misfits.length > 0 ? 400 : 404)
  return scopes
}
