import { isNight } from '../base/calendar.ts'
import { assertedCurrencyProblems } from '../hotels/asserted-currency.ts'
import { markProblems } from '../hotels/former-marks.ts'
import { reportedValue, type Problem } from '../http/rejected.ts'
import { decimalsOf, exactDecimal } from './decimals.ts'
import { formerCurrencyOf } from './former-taxes.ts'
import { isRecord } from '../http/validation/validate.ts'
import type { Catalog } from '../products/store.ts'
import {
  fixedValueMax,
  percentDecimalsMax,
  percentMax,
  taxErrors,
  taxesPerScopeMax,
  taxScopesMax,
  type Tax,
} from './contract.ts'

/**
 * The problems of a push of taxes that its schema can't express, as far as no stored data is needed. The body
 * may have any shape: parts that the schema refuses are skipped.
 */
export function taxProblems(body: unknown): Problem[] {
  if (!isRecord(body)) return []
  const { taxes, products } = body
  if (taxes === undefined && products === undefined) return [{ ...taxErrors.nothingSent, path: '' }]
  return [...problemsOfList(taxes, '/taxes'), ...problemsOfEntries(products)]
}

function problemsOfEntries(products: unknown): Problem[] {
  const firstByScope = new Map<string, number>()
  return recordsOf(products, taxScopesMax).flatMap(({ record, index }) => [
    ...problemsOfScope(record, index, firstByScope),
    ...problemsOfList(record['taxes'], `/products/${index}/taxes`),
  ])
}

function recordsOf(list: unknown, most: number): { record: Record<string, unknown>; index: number }[] {
  if (!Array.isArray(list) || list.length > most) return []
  const elements: readonly unknown[] = list
  return elements.flatMap((record, index) => (isRecord(record) ? [{ record, index }] : []))
}

function problemsOfScope(
  entry: Record<string, unknown>,
  index: number,
  firstByScope: Map<string, number>,
): Problem[] {
  const { roomId, rateId } = entry
  const path = `/products/${index}`
  if (roomId === undefined && rateId === undefined) return [{ ...taxErrors.scopeMissing, path }]
  if (!isOptionalText(roomId) || !isOptionalText(rateId)) return []
  const scope = JSON.stringify([roomId ?? null, rateId ?? null])
  const first = firstByScope.get(scope)
  if (first !== undefined) {
    return [{ ...taxErrors.scopeRepeated, path, hint: `The same scope appears at /products/${first}` }]
  }
  firstByScope.set(scope, index)
  return []
}

function isOptionalText(value: unknown): value is string | undefined {
  return value === undefined || typeof value === 'string'
}

function problemsOfList(taxes: unknown, path: string): Problem[] {
  return recordsOf(taxes, taxesPerScopeMax).flatMap(({ record, index }) =>
    problemsOfTax(record, `${path}/${index}`),
  )
}

function problemsOfTax(tax: Record<string, unknown>, path: string): Problem[] {
  const { type, appliedOn, included, payNow, startDate, endDate } = tax
  const problems: Problem[] = []
  if (type === 'VAT' && appliedOn === 'net+vat') {
    problems.push({ ...taxErrors.vatOnVat, path: `${path}/appliedOn`, value: appliedOn })
  }
  if (included === true && payNow === false) {
    problems.push({ ...taxErrors.includedNotPaid, path: `${path}/payNow`, value: payNow })
  }
  if (startDate === undefined && endDate !== undefined) {
    problems.push({ ...taxErrors.startDateMissing, path: `${path}/startDate` })
  }
  if (startDate !== undefined && endDate === undefined) {
    problems.push({ ...taxErrors.endDateMissing, path: `${path}/endDate` })
  }
  // Dates of the form YYYY-MM-DD sort as text.
  if (isNight(startDate) && isNight(endDate) && startDate > endDate) {
    problems.push({ ...taxErrors.datesReversed, path: `${path}/startDate`, value: reportedValue(startDate) })
  }
  return [...problems, ...problemsOfValue(tax, path), ...markProblems(tax['formerCurrency'], path)]
}

function problemsOfValue({ valueType, value }: Record<string, unknown>, path: string): Problem[] {
  if (typeof value !== 'number' && typeof value !== 'string') return []
  const at = { path: `${path}/value`, value: reportedValue(value) }
  if (valueType === 'fixed' && Number(value) > fixedValueMax) return [{ ...taxErrors.fixedTooLarge, ...at }]
  if (valueType !== '%') return []
  if (Number(value) > percentMax) return [{ ...taxErrors.percentTooLarge, ...at }]
  return decimalsOf(value) > percentDecimalsMax ? [{ ...taxErrors.percentTooFine, ...at }] : []
}

/**
 * The problems of a push of taxes, whatever its shape, that depend on its hotel: values with more decimals
 * than its currency, and rooms and rates that it doesn't have.
 */
export function problemsAtHotel(
  body: unknown,
  { currency, minorDigits }: { currency: string; minorDigits: number },
  { roomNoByCode, rateNoByCode }: Pick<Catalog, 'roomNoByCode' | 'rateNoByCode'>,
): { misfits: Problem[]; unknown: Problem[] } {
  if (!isRecord(body)) return { misfits: [], unknown: [] }
  const misfits = [
    ...assertedCurrencyProblems(body['currency'], currency),
    ...currencyProblems(body['taxes'], minorDigits, '/taxes'),
  ]
  const unknown: Problem[] = []
  for (const { record, index } of recordsOf(body['products'], taxScopesMax)) {
    const { roomId, rateId, taxes } = record
    const path = `/products/${index}`
    if (typeof roomId === 'string' && !roomNoByCode.has(roomId))
      unknown.push({ ...taxErrors.roomNotFound, path: `${path}/roomId`, value: reportedValue(roomId) })
    if (typeof rateId === 'string' && !rateNoByCode.has(rateId))
      unknown.push({ ...taxErrors.rateNotFound, path: `${path}/rateId`, value: reportedValue(rateId) })
    misfits.push(...currencyProblems(taxes, minorDigits, `${path}/taxes`))
  }
  return { misfits, unknown }
}

/** Problems of fixed taxes with the currency of their hotel. */
function currencyProblems(taxes: unknown, minorDigits: number, path: string): Problem[] {
  return recordsOf(taxes, taxesPerScopeMax).flatMap(
    ({ record: { valueType, value, formerCurrency }, index }) =>
      valueType === 'fixed' &&
      formerCurrency === undefined &&
      (typeof value === 'number' || typeof value === 'string') &&
      decimalsOf(value) > minorDigits
        ? [{ ...taxErrors.fixedTooFine, path: `${path}/${index}/value`, value: reportedValue(value) }]
        : [],
  )
}

/** Whether two lists have equal taxes in the same order. */
export function sameTaxes(one: readonly Tax[], other: readonly Tax[]): boolean {
  return JSON.stringify(one.map(canonical)) === JSON.stringify(other.map(canonical))
}

function canonical(tax: Tax): unknown[] {
  const { type, valueType, value, appliedOn, appliedPer, included, payNow, startDate, endDate } = tax
  const amount = [valueType, exactDecimal(value), formerCurrencyOf(tax)]
  return [type, ...amount, appliedOn, appliedPer, included, payNow, startDate, endDate]
}
