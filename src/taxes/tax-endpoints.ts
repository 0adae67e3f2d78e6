import { hotelNotFound } from '../hotels/hotel-rules.ts'
import { besideShape, onEveryProblem, type Mounted, answer, on } from '../http/calls/mount.ts'
import { problemsListedMax, rejectIfAny, type Problem, Rejected } from '../http/rejected.ts'
import { isRecord } from '../http/validation/validate.ts'
import { selectOptionalHotel } from '../hotels/store.ts'
import type { Needs, Queryable } from '../postgres/postgres.ts'
import { acceptTaxes, problemsAt } from './accept-taxes.ts'
import { taxErrors, taxRoutes } from './contract.ts'
import { minorDigits } from '../reference/currencies.ts'
import { formerTaxWarnings } from './former-taxes.ts'
import { taxProblems } from './tax-rules.ts'
import type { TaxNeeds } from './tax-warnings.ts'
import { anyNo, selectTaxes } from './store.ts'

/** POST /push/taxes. */
export const pushTaxes = (needs: TaxNeeds): Mounted =>
  onEveryProblem(
    taxRoutes.pushTaxes,
    (body, shapeProblems, { caller }) => judge(needs.db, body, shapeProblems, caller.supplierId),
    ({ body, push }) => acceptTaxes(needs, push, body),
  )

/** Unknown hotels, rooms and rates are reported under the lock; here only alongside other problems. */
async function judge(
  db: Queryable,
  body: unknown,
  shapeProblems: readonly Problem[],
  supplierId: number,
): Promise<void> {
  const ruleProblems = taxProblems(body)
  if (shapeProblems.length + ruleProblems.length === 0) return
  const hotelCode = isRecord(body) ? body['hotelId'] : undefined
  // The schema refuses codes that PostgreSQL can't store.
  const isCode = typeof hotelCode === 'string' && shapeProblems.every(({ path }) => path !== '/hotelId')
  const hotel = isCode ? await selectOptionalHotel(db, supplierId, hotelCode) : undefined
  const { misfits, unknown } = hotel ? await problemsAt(db, hotel, body) : { misfits: [], unknown: [] }
  rejectIfAny([
    ...(isCode && !hotel ? [hotelNotFound(hotelCode, taxErrors.hotelNotFound)] : []),
    ...besideShape(shapeProblems, [...ruleProblems, ...misfits, ...unknown]),
  ])
}

/** POST /push/getTaxes. */
export const getTaxes = (needs: Needs) =>
  on(taxRoutes.getTaxes, async ({ body, caller }) => {
    const hotel = await selectOptionalHotel(needs.db, caller.supplierId, body.hotelId)
    if (!hotel) throw new Rejected(404, hotelNotFound(body.hotelId, taxErrors.hotelNotFound))
    const scopes = await selectTaxes(needs.db, hotel.id)
    const isProperty = ({ roomNo, rateNo }: { roomNo: number; rateNo: number }): boolean =>
      roomNo === anyNo && rateNo === anyNo
    const taxes = scopes.find(isProperty)?.taxes ?? []
    const products = scopes
      .filter((scope) => !isProperty(scope))
      .map(({ roomId, rateId, taxes: ofScope }) => ({ roomId, rateId, taxes: ofScope }))
    const warnings = formerTaxWarnings(taxes, products, minorDigits(hotel.currency) ?? 0)
    return answer(200, {
      code: '200',
      message: 'Taxes retrieved successfully',
      hotelId: body.hotelId,
      taxes,
      products,
      ...(warnings.length > 0 ? { warnings: warnings.slice(0, problemsListedMax) } : {}),
    })
  })
