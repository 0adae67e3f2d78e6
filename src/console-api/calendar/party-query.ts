import { reportedValue, type Problem } from '../../http/rejected.ts'
import { guestAgeMax, guestsPerRoomMax } from '../../offers/contract.ts'
import type { CalendarParty } from './contract.ts'

/** The party whose prices a calendar shows. */
export function readParty(
  { adults = '2', childAges = '' }: { adults?: string | undefined; childAges?: string | undefined },
  problems: Problem[],
): CalendarParty {
  return {
    adults: readNumber('adults', adults, { min: 1, max: guestsPerRoomMax }, problems),
    childAges: (childAges === '' ? [] : childAges.split(',')).map((age) =>
      readNumber('childAges', age, { min: 0, max: guestAgeMax }, problems),
    ),
  }
}

function readNumber(
  name: string,
  text: string,
  { min, max }: { min: number; max: number },
  problems: Problem[],
): number {
  const number = /^\d{1,3}$/.test(text) ? Number(text) : -1
  if (number >= min && number <= max) return number
  const message = `${name} must be an integer from ${min} to ${max}${name === 'childAges' ? ', or several separated by commas' : ''}`
  problems.push({ type: 'INVALID_PARTY', message, path: `?${name}`, value: reportedValue(text) })
  return min
}
