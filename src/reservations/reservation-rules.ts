import { hotelFaults } from '../hotels/contract.ts'
import { isEmail } from '../hotels/hotel-rules.ts'
import { referenceProblems, stayProblems } from '../offers/offer-rules.ts'
import { besideShape, type Judge } from '../platform/mount.ts'
import { rejectIfAny, shown, type Problem } from '../platform/rejected.ts'
import { isRecord } from '../platform/validate.ts'
import { isCountryCode } from '../reference/countries.ts'
import { cardFaults } from './card-contract.ts'
import { hasCheckDigit } from './card-number.ts'

/** Refuses a body with everything that is wrong with it. */
export function judgeReservation(nowMs: () => number): Judge<void> {
  return (body, shapeProblems) => rejectIfAny(besideShape(shapeProblems, reservationProblems(body, nowMs())))
}

/** What is wrong beyond the shape; what the schema refuses already is passed over. */
function reservationProblems(body: unknown, nowMs: number): Problem[] {
  if (!isRecord(body)) return []
  const { hotel, customer, payment } = body
  return [
    ...referenceProblems(hotel, '/hotel'),
    ...stayProblems(body),
    ...(isRecord(customer) ? customerProblems(customer) : []),
    ...(isRecord(payment) && isRecord(payment['card']) ? cardProblems(payment['card'], nowMs) : []),
  ]
}

function customerProblems({ email, countryCode }: Record<string, unknown>): Problem[] {
  const problems: Problem[] = []
  if (typeof email === 'string' && !isEmail(email))
    problems.push({ ...hotelFaults.email, path: '/customer/email', value: shown(email) })
  if (typeof countryCode === 'string' && !isCountryCode(countryCode))
    problems.push({ ...hotelFaults.country, path: '/customer/countryCode', value: shown(countryCode) })
  return problems
}

const halfDayMs = 12 * 60 * 60 * 1000

/** Without the values: they are repeated nowhere. */
function cardProblems({ number, expiry }: Record<string, unknown>, nowMs: number): Problem[] {
  const problems: Problem[] = []
  if (typeof number === 'string' && /^\d{12,19}$/.test(number) && !hasCheckDigit(number))
    problems.push({ ...cardFaults.number, path: '/payment/card/number' })
  const match = typeof expiry === 'string' ? /^(\d\d)\/(\d{4})$/.exec(expiry) : null
  // Valid to the end of the month, wherever that ends last.
  if (match && Date.UTC(Number(match[2]), Number(match[1])) + halfDayMs <= nowMs)
    problems.push({ ...cardFaults.expired, path: '/payment/card/expiry' })
  return problems
}
