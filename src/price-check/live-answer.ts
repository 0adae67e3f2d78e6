import { parseJson } from '../http/validation/json.ts'
import { toMinor } from '../base/money.ts'
import { Rejected } from '../http/rejected.ts'
import { validator } from '../http/validation/validate.ts'
import { priceCheckNeeded } from './callback-contract.ts'

/** The price charged for one room, in minor units of the hotel's currency, with the available units. */
export type LivePrice = { inventory: number; nights: readonly NightPrice[] }
export type NightPrice = { beforeTax: number; afterTax: number }

/** The values with which an answer must agree. */
export type Expected = {
  roomId: string
  rateId: string
  currency: string
  minorDigits: number
  nightCount: number
}

export type InvalidReason =
  | 'malformed_json'
  | 'wrong_shape'
  | 'other_room'
  | 'other_rate'
  | 'other_currency'
  | 'other_nights'
  | 'wrong_amount'

export type Invalid = { fault: InvalidReason; message: string }

const shape = validator(priceCheckNeeded)

/** The live price of an answer, or its first problem. */
export function readLiveAnswer(body: Buffer, expected: Expected): LivePrice | Invalid {
  const parsed = parsedOf(body)
  if ('fault' in parsed) return parsed
  const { value } = parsed
  if (!shape.matches(value)) {
    const [problem] = shape.judge(value).problems
    const where = problem?.path ?? ''
    // For the root path, the validator's message calls it a request.
    const what = where === '' ? 'not an object' : (problem?.message ?? 'not as documented')
    return invalid('wrong_shape', where === '' ? what : `${where}: ${what}`)
  }
  const { roomId, rateId, currency, inventory, amountBeforeTax, amountAfterTax } = value.roomRate
  if (roomId !== expected.roomId) return invalid('other_room', `roomId must be ${expected.roomId}`)
  if (rateId !== expected.rateId) return invalid('other_rate', `rateId must be ${expected.rateId}`)
  if (currency !== expected.currency)
    return invalid('other_currency', `currency must be ${expected.currency}`)
  const { nightCount, minorDigits } = expected
  if (amountBeforeTax.length !== nightCount || amountAfterTax.length !== nightCount) {
    const got = `${amountBeforeTax.length} and ${amountAfterTax.length}`
    return invalid(
      'other_nights',
      `amountBeforeTax and amountAfterTax must have ${nightCount} elements each, one a night, not ${got}`,
    )
  }
  const nights: NightPrice[] = []
  for (const [index, before] of amountBeforeTax.entries()) {
    const beforeTax = toMinor(before, minorDigits)
    const afterTax = toMinor(amountAfterTax[index] ?? '', minorDigits)
    if (beforeTax === undefined || afterTax === undefined)
      return invalid(
        'wrong_amount',
        `amounts of night ${index + 1} must have at most ${minorDigits} decimals`,
      )
    if (afterTax < beforeTax)
      return invalid('wrong_amount', `amountAfterTax of night ${index + 1} is less than amountBeforeTax`)
    nights.push({ beforeTax, afterTax })
  }
  // Below zero the supplier is overbooked: it has none left.
  return { inventory: Math.max(0, inventory), nights }
}

function parsedOf(body: Buffer): { value: unknown } | Invalid {
  try {
    return { value: parseJson(body, { isQuoted: false }) }
  } catch (error) {
    if (!(error instanceof Rejected)) throw error
    const type = error.problems[0]?.type ?? 'MALFORMED_JSON'
    return invalid('malformed_json', `the answer cannot be read as JSON: ${type}`)
  }
}

function invalid(fault: InvalidReason, message: string): Invalid {
  return { fault, message }
}
