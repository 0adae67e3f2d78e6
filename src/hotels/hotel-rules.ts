import { reportedValue, type Problem } from '../http/rejected.ts'
import type { ConstraintError } from '../http/route.ts'
import { isRecord } from '../http/validation/validate.ts'
import { isCountryCode } from '../reference/countries.ts'
import { minorDigits } from '../reference/currencies.ts'
import { childAgeMax, emailCharactersMax, hotelErrors, hotelsPerPushMax } from './contract.ts'

const emailAddress = /^[^\s@\p{C}]+@[^\s@\p{C}.]+(?:\.[^\s@\p{C}.]+)+$/u

/** Whether the text is one address. Checks the length first, because the pattern's cost grows with it. */
export function isEmail(text: string): boolean {
  return text.length <= emailCharactersMax && emailAddress.test(text)
}

type TextRule = { member: string; fits: (text: string) => boolean; fault: ConstraintError }

const textRules: readonly TextRule[] = [
  { member: 'currency', fits: (text) => minorDigits(text) !== undefined, fault: hotelErrors.currency },
  { member: 'countryCodeISO2', fits: isCountryCode, fault: hotelErrors.country },
  { member: 'email', fits: isEmail, fault: hotelErrors.email },
  { member: 'timezone', fits: isTimeZone, fault: hotelErrors.timeZone },
]

/**
 * The problems of a push of hotels that its schema can't express. The body may have any shape: parts that the
 * schema refuses are skipped.
 */
export function hotelProblems(body: unknown): Problem[] {
  if (!Array.isArray(body) || body.length > hotelsPerPushMax) return []
  const hotels: readonly unknown[] = body
  const firstByCode = new Map<string, number>()
  return hotels.flatMap((hotel, index) =>
    isRecord(hotel) ? [...problemsOf(hotel, index), ...repeated(hotel, index, firstByCode)] : [],
  )
}

function problemsOf(hotel: Record<string, unknown>, index: number): Problem[] {
  const problems: Problem[] = []
  for (const { member, fits, fault } of textRules) {
    const value = hotel[member]
    if (typeof value === 'string' && !fits(value)) {
      problems.push({ ...fault, path: `/${index}/${member}`, value: reportedValue(value) })
    }
  }
  const { minChildAge, maxChildAge } = hotel
  if (isAge(minChildAge) && isAge(maxChildAge) && minChildAge > maxChildAge) {
    problems.push({ ...hotelErrors.childAge, path: `/${index}/minChildAge`, value: minChildAge })
  }
  return problems
}

function isAge(value: unknown): value is number {
  return Number.isInteger(value) && Number(value) >= 1 && Number(value) <= childAgeMax
}

function repeated(
  hotel: Record<string, unknown>,
  index: number,
  firstByCode: Map<string, number>,
): Problem[] {
  const { hotelId } = hotel
  if (typeof hotelId !== 'string') return []
  const first = firstByCode.get(hotelId)
  if (first === undefined) {
    firstByCode.set(hotelId, index)
    return []
  }
  return [
    {
      ...hotelErrors.repeated,
      path: `/${index}/hotelId`,
      value: reportedValue(hotelId),
      hint: `First at /${first}/hotelId; send each hotel once`,
    },
  ]
}

/** A hotel that the supplier never pushed, or that belongs to another supplier: both get the same answer. */
export function hotelNotFound(
  hotelId: string,
  fault: Problem = hotelErrors.notFound,
  path = '/hotelId',
): Problem {
  return { ...fault, path, value: reportedValue(hotelId) }
}

const listedTimeZones: ReadonlySet<string> = new Set(Intl.supportedValuesOf('timeZone'))

/** Region/city: at least two parts, each beginning with a capital letter. No offset has this form. */
const regionCityPattern = /^[A-Z][A-Za-z_]*(?:\/[A-Z][A-Za-z0-9_+-]*){1,2}$/

/** The longest name of the IANA database has 32 characters. */
const maxTimeZoneCharacters = 64

/**
 * Whether a hotel may have this time zone: a zone or an alias of the IANA database in region/city form
 * (`Europe/Paris`, `America/Argentina/Buenos_Aires`, and both older and newer names of a zone:
 * `Asia/Calcutta` and `Asia/Kolkata`, `US/Eastern`, `Etc/UTC`), or `UTC`, the default of a hotel without a
 * zone.
 *
 * Not accepted, although the IANA database has some of them: offsets (`+02:00`), names of one word other than
 * `UTC` (`CET`, `EST5EDT`, `Japan`), because the specification requires region/city, and names in another
 * case (`europe/paris`), which other systems would refuse when they read them back.
 */
export function isTimeZone(name: string): boolean {
  if (name === 'UTC' || listedTimeZones.has(name)) return true
  if (name.length > maxTimeZoneCharacters || !regionCityPattern.test(name)) return false
  return canonicalCase(name) === name
}

/** The name in the IANA database's spelling, keeping aliases: Intl would replace them by the main name. */
function canonicalCase(name: string): string | undefined {
  try {
    return new Temporal.ZonedDateTime(0n, name).timeZoneId
  } catch (error) {
    if (error instanceof RangeError) return undefined // The only way to ask whether a zone exists.
    throw error
  }
}
