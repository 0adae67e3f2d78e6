import { hotelErrors } from '../../hotels/contract.ts'
import { isEmail } from '../../hotels/hotel-rules.ts'
import { referenceProblems, stayProblems } from '../../offers/stay-request.ts'
import { besideShape, type Judge } from '../../http/calls/mount.ts'
import { rejectIfAny, reportedValue, type Problem } from '../../http/rejected.ts'
import { isRecord, validator } from '../../http/validation/validate.ts'
import { isCountryCode } from '../../reference/countries.ts'
import { minorDigits } from '../../reference/currencies.ts'
import { cardErrors } from '../../cards/contract.ts'
import { reservationErrors } from '../errors-contract.ts'
import { reservationRoutes, type ChangeBody, type ReservationBody } from '../contract.ts'
import { virtualCardProblems } from './virtual-card.ts'
import {
  hasCheckDigit,
  holdsCardNumber,
  isCardNumberId,
  remarksWithoutCards,
  splitCardNumbers,
} from '../../base/card-number.ts'

/** Refuses a body, naming everything that is wrong with it. */
export function judgeReservation(nowMs: () => number): Judge<void> {
  return (body, shapeProblems) => rejectIfAny(besideShape(shapeProblems, reservationProblems(body, nowMs())))
}

const shape = validator(reservationRoutes.modifyReservation.body)

/**
 * Applies the same rules to a body that did not come through a platform route: returns its reservation, or
 * throws a refusal that names every problem.
 */
export function readReservation(sent: unknown, nowMs: number): ChangeBody {
  const { problems } = shape.judge(sent)
  rejectIfAny(besideShape(problems, reservationProblems(sent, nowMs)))
  if (shape.matches(sent)) return sent
  throw new TypeError('a wrong shape was let through')
}

/** Problems beyond the shape; skips members that the schema refuses already. */
function reservationProblems(body: unknown, nowMs: number): Problem[] {
  if (!isRecord(body)) return []
  const { hotel, customer, payment, expectedTotal } = body
  return [
    ...referenceProblems(hotel, '/hotel'),
    ...stayProblems(body),
    ...nameProblems(body),
    ...(isRecord(customer) ? customerProblems(customer) : []),
    ...(isRecord(payment) && isRecord(payment['card']) ? cardProblems(payment['card'], nowMs) : []),
    ...(isRecord(expectedTotal) ? currencyProblems(expectedTotal) : []),
    ...termsProblems(body),
    ...misplacedCardNumbers(body),
    ...cardNumbersInNames(body),
  ]
}

/** References are often made of hexadecimal digits, which are no card numbers. */
function cardNumbersInNames(body: Record<string, unknown>): Problem[] {
  return ['clientReference', 'channel'].flatMap((name) => {
    const text = body[name]
    return typeof text === 'string' && isCardNumberId(text)
      ? [{ ...cardErrors.elsewhere, path: `/${name}` }]
      : []
  })
}

function currencyProblems({ currency }: Record<string, unknown>): Problem[] {
  if (typeof currency !== 'string' || minorDigits(currency) !== undefined) return []
  return [{ ...hotelErrors.currency, path: '/expectedTotal/currency', value: reportedValue(currency) }]
}

function termsProblems({ expectedTerms, rooms }: Record<string, unknown>): Problem[] {
  if (!Array.isArray(expectedTerms) || !Array.isArray(rooms)) return []
  if (expectedTerms.length === rooms.length) return []
  return [{ ...reservationErrors.termsCount, path: '/expectedTerms', value: expectedTerms.length }]
}

/** A name of one word is a name, in either member. */
function nameProblems({ customer, rooms }: Record<string, unknown>): Problem[] {
  const guests: readonly unknown[] = Array.isArray(rooms) ? rooms : []
  const people: [path: string, person: unknown][] = [
    ['/customer', customer],
    ...guests.map((room, index): [string, unknown] => [
      `/rooms/${index}/guest`,
      isRecord(room) ? room['guest'] : undefined,
    ]),
  ]
  return people.flatMap(([path, person]) => {
    if (!isRecord(person) || person['firstName'] !== undefined || person['lastName'] !== undefined) return []
    return [{ ...nameMissing, path: `${path}/lastName` }]
  })
}

const nameMissing = {
  type: 'REQUIRED',
  message: 'lastName is required',
  hint: 'A name of one word is the lastName; firstName may be left out',
}

function customerProblems({ email, countryCode }: Record<string, unknown>): Problem[] {
  const problems: Problem[] = []
  if (typeof email === 'string' && !isEmail(email))
    problems.push({ ...hotelErrors.email, path: '/customer/email', value: reportedValue(email) })
  if (typeof countryCode === 'string' && !isCountryCode(countryCode))
    problems.push({
      ...hotelErrors.country,
      path: '/customer/countryCode',
      value: reportedValue(countryCode),
    })
  return problems
}

type Member = { path: string; text: string; isName: boolean }

/**
 * Finds card numbers in names, addresses and telephone numbers, which are stored in clear and searched; also those that are
 * split over texts that people read side by side, one of them a name.
 */
function misplacedCardNumbers({ customer, rooms, payment }: Record<string, unknown>): Problem[] {
  const persons = [membersOf('/customer', customer, personNames)]
  if (Array.isArray(rooms))
    for (const [index, room] of rooms.entries())
      if (isRecord(room)) persons.push(membersOf(`/rooms/${index}/guest`, room['guest'], personNames))
  const hasPhone = isRecord(customer) && !isInternational(customer['phone'])
  const others = membersOf('/customer', customer, ['email', ...(hasPhone ? ['phone'] : [])])
  const remarks = membersOf('/customer', customer, ['remarks'])
  const card = isRecord(payment) ? membersOf('/payment/card', payment['card'], ['holderName', 'type']) : []
  const whole = [...persons.flat(), ...others, ...card].filter(({ text }) => holdsCardNumber(text))
  const found = new Set(whole.map(({ path }) => path))
  if (found.size === 0) for (const path of splitOver(persons, [...others, ...remarks])) found.add(path)
  return [...found].map((path) => ({ ...cardErrors.elsewhere, path }))
}

const personNames = ['firstName', 'lastName']

function membersOf(path: string, holder: unknown, names: readonly string[]): Member[] {
  if (!isRecord(holder)) return []
  return names.flatMap((name) => {
    const text = holder[name]
    const isName = personNames.includes(name)
    return typeof text === 'string' ? [{ path: `${path}/${name}`, text, isName }] : []
  })
}

/** The first name of each number that is split: over names in any order of persons, or a name and another text. */
function splitOver([customer = [], ...guests]: readonly Member[][], others: readonly Member[]): string[] {
  const names = [...customer, ...guests.flat()]
  if (!names.some(({ text }) => /\p{N}/u.test(text))) return []
  const inOrders = [names, [...guests.flat(), ...customer], names.toReversed()]
  const named = [customer, ...customer.map((name) => [name])]
  const besideOthers = others.flatMap((other) =>
    named.flatMap((some) => [
      [...some, other],
      [other, ...some],
    ]),
  )
  return [...inOrders, ...besideOthers].flatMap((members) =>
    splitCardNumbers(members.map(({ text }) => text)).flatMap(({ first, last }) => {
      const name = members.slice(first, last + 1).find(({ isName }) => isName)
      return name ? [name.path] : []
    }),
  )
}

/** A number with a country code is a telephone number, whatever its digits. */
export function isInternational(phone: unknown): boolean {
  return typeof phone === 'string' && /^\s*[+\uFF0B]/.test(phone)
}

/**
 * The body to process: card numbers are removed from the remarks, because people wrote them and nobody reads
 * a refusal.
 */
export function withoutCardsInRemarks(body: ReservationBody): { body: ReservationBody; warnings: Problem[] } {
  const { customer } = body
  if (customer.remarks === undefined) return { body, warnings: [] }
  const remarks = remarksWithoutCards(customer.remarks)
  if (remarks === customer.remarks) return { body, warnings: [] }
  return {
    body: { ...body, customer: { ...customer, remarks } },
    warnings: [{ ...cardErrors.removed, path: '/customer/remarks' }],
  }
}

const halfDayMs = 12 * 60 * 60 * 1000

/** The problems, without the values: card data is never repeated. */
function cardProblems(card: Record<string, unknown>, nowMs: number): Problem[] {
  const { number, expiry } = card
  const problems = virtualCardProblems(card, nowMs)
  if (typeof number === 'string' && /^\d{12,19}$/.test(number) && !hasCheckDigit(number))
    problems.push({ ...cardErrors.number, path: '/payment/card/number' })
  const match = typeof expiry === 'string' ? /^(\d\d)\/(\d{4})$/.exec(expiry) : null
  // Valid until the end of the month in the time zone where it ends last.
  if (match && Date.UTC(Number(match[2]), Number(match[1])) + halfDayMs <= nowMs)
    problems.push({ ...cardErrors.expired, path: '/payment/card/expiry' })
  return problems
}
