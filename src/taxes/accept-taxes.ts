import { hotelNotFound } from '../hotels/hotel-rules.ts'
import type { Push } from '../http/calls/call.ts'
import { answer, type Answer } from '../http/calls/mount.ts'
import { problemsListedMax, Rejected, rejectIfAny, type Problem } from '../http/rejected.ts'
import type { AnswerOf, BodyOf } from '../http/route.ts'
import { lockHotel, raiseCatalogVersion, type HotelRow } from '../hotels/store.ts'
import type { Queryable } from '../postgres/postgres.ts'
import { selectCatalog } from '../products/store.ts'
import { applyAndLog } from '../push-log/keep/keep.ts'
import { minorDigits } from '../reference/currencies.ts'
import { taxErrors, type taxRoutes } from './contract.ts'
import { anyNo, replaceTaxes, selectTaxes, type TaxScope, type ScopedTaxes } from './store.ts'
import { formerTaxWarnings } from './former-taxes.ts'
import { exceededWarnings, oddTaxes, readPriceFloor, type TaxNeeds } from './tax-warnings.ts'
import { problemsAtHotel, sameTaxes } from './tax-rules.ts'

type Body = BodyOf<typeof taxRoutes.pushTaxes>

/** Replaces the taxes of exactly the scopes that a validated push names: all or none. */
export function acceptTaxes(needs: TaxNeeds, push: Push, body: Body): Promise<Answer> {
  return applyAndLog(needs, push, async (connection) => {
    const hotel = await lockHotel(connection, push.caller.supplierId, body.hotelId)
    if (!hotel) throw new Rejected(404, hotelNotFound(body.hotelId, taxErrors.hotelNotFound))
    const sent = await scopesOf(connection, hotel, body)
    const stored = new Map(
      (await selectTaxes(connection, hotel.id)).map((scope) => [keyOf(scope), scope.taxes]),
    )
    const changed = sent.filter((scope) => !sameTaxes(scope.taxes, stored.get(keyOf(scope)) ?? []))
    const { revision, warnings: exceeded } =
      changed.length > 0
        ? await replaceAndRaise(needs, connection, hotel, changed)
        : { revision: hotel.revision, warnings: [] }
    const outcome = changed.length > 0 ? 'applied' : 'unchanged'
    const digits = minorDigits(hotel.currency) ?? 0
    const former = formerTaxWarnings(body.taxes, body.products, digits)
    const warnings = [...exceeded, ...former, ...oddTaxes(body)]
    const members: AnswerOf<typeof taxRoutes.pushTaxes> = {
      code: '200',
      message: 'Taxes saved successfully',
      hotelId: hotel.code,
      outcome,
      scopesChanged: changed.length,
      revision,
      requestId: push.requestId,
      ...(warnings.length > 0 ? { warnings: warnings.slice(0, problemsListedMax) } : {}),
    }
    return {
      answer: answer(200, members, members.warnings),
      kept: { outcome, hotelId: hotel.id, hotelCode: hotel.code, revision },
    }
  })
}

export async function problemsAt(connection: Queryable, hotel: HotelRow, body: unknown) {
  const { currency } = hotel
  const catalog = await selectCatalog(connection, hotel.id)
  return { catalog, ...problemsAtHotel(body, { currency, minorDigits: minorDigits(currency) ?? 0 }, catalog) }
}

function keyOf({ roomNo, rateNo }: TaxScope): string {
  return `${roomNo}/${rateNo}`
}

async function replaceAndRaise(
  needs: TaxNeeds,
  connection: Queryable,
  hotel: HotelRow,
  changed: readonly ScopedTaxes[],
): Promise<{ revision: number; warnings: Problem[] }> {
  const digits = minorDigits(hotel.currency) ?? 0
  const before = await readPriceFloor(connection, hotel.id, digits)
  await replaceTaxes(connection, hotel.id, changed)
  const after = await readPriceFloor(connection, hotel.id, digits)
  const warnings = await exceededWarnings(needs, connection, hotel, { before, after })
  return { revision: await raiseCatalogVersion(connection, hotel.id, 'taxes'), warnings }
}

/** The pushed scopes, by number. Refuses unknown rooms and rates, and values that don't fit the currency. */
async function scopesOf(connection: Queryable, hotel: HotelRow, body: Body): Promise<ScopedTaxes[]> {
  const { taxes, products = [] } = body
  const { catalog, misfits, unknown } = await problemsAt(connection, hotel, body)
  // 404 means that unknown ids are the only problems; with a broken rule as well, it is 400.
  rejectIfAny([...misfits, ...unknown], misfits.length > 0 ? 400 : 404)
  const scopes: ScopedTaxes[] = taxes ? [{ roomNo: anyNo, rateNo: anyNo, taxes }] : []
  for (const { roomId, rateId, taxes: ofScope } of products) {
    const roomNo = roomId === undefined ? anyNo : catalog.roomNoByCode.get(roomId)
    const rateNo = rateId === undefined ? anyNo : catalog.rateNoByCode.get(rateId)
    if (roomNo !== undefined && rateNo !== undefined) scopes.push({ roomNo, rateNo, taxes: ofScope })
  }
  return scopes
}
