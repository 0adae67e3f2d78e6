import { isUtf8 } from 'node:buffer'
import { withoutByteOrderMark } from '../http/validation/byte-order-mark.ts'
import { compressionOf, parseJson } from '../http/validation/json.ts'
import { toMinor } from '../base/money.ts'
import { Rejected } from '../http/rejected.ts'
import { isRecord, validator } from '../http/validation/validate.ts'
import { readLiveTerms, type LiveTerms } from './terms.ts'
import { priceCheckNeeded, type PriceCheckNeeded } from './callback-contract.ts'

/** The price charged for one room, in minor units of the hotel's currency, with the available units. */
export type LivePrice = { inventory: number; nights: readonly NightPrice[]; terms: LiveTerms }
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

export type Invalid = { fault: InvalidReason; message: string; said: Said }

/** What an answer without a valid price says all the same. */
export type Said = {
  /** The fewest units that it names. */
  units: number | undefined
  /** Whether it says anything of units or price, or contradicts the question: then nothing may be sold at the stored price. */
  isAnswer: boolean
  /** Nobody has read it: it is compressed, or in no encoding of ours. */
  isUnread?: true
}

/** A body with the encoding that its head names. */
export type AnswerBody = { body: Buffer; contentEncoding?: string | undefined }

const shape = validator(priceCheckNeeded)

/** The live price of an answer, or its first problem with what it says nevertheless. */
export function readLiveAnswer(answer: AnswerBody, expected: Expected): LivePrice | Invalid {
  const parsed = parsedOf(answer)
  if ('fault' in parsed) return parsed
  const { value } = parsed
  const problem = contradictionOf(value, expected)
  const said = together(saidBy(value), saidByText(answer.body))
  if (problem) return { ...problem, said: { ...said, isAnswer: true } }
  if (!shape.matches(value)) return { ...shapeProblem(value), said }
  const { inventory, amountBeforeTax, amountAfterTax } = value.roomRate
  const nights = nightsOf({ amountBeforeTax, amountAfterTax }, expected)
  return 'fault' in nights
    ? { ...nights, said }
    : { inventory: Math.max(0, inventory), nights, terms: readLiveTerms(value.roomRate) }
}

/** What an answer says whose status is an error, or that isn't complete. */
export function saidByPart(answer: AnswerBody): Said {
  const parsed = parsedOf(answer)
  return 'fault' in parsed ? parsed.said : together(saidBy(parsed.value), saidByText(answer.body))
}

function together(one: Said, other: Said): Said {
  const units = [one, other].flatMap((said) => said.units ?? [])
  return {
    units: units.length > 0 ? Math.min(...units) : undefined,
    isAnswer: one.isAnswer || other.isAnswer,
  }
}

type Problem = Omit<Invalid, 'said'>

function shapeProblem(value: unknown): Problem {
  const [problem] = shape.judge(value).problems
  const where = problem?.path ?? ''
  // For the root path, the validator's message calls it a request.
  const what = where === '' ? 'not an object' : (problem?.message ?? 'not as documented')
  return { fault: 'wrong_shape', message: where === '' ? what : `${where}: ${what}` }
}

/** Whether the answer is about another room, rate or currency, whatever else it lacks. */
function contradictionOf(value: unknown, expected: Expected): Problem | undefined {
  const roomRate = isRecord(value) ? value['roomRate'] : undefined
  if (!isRecord(roomRate)) return undefined
  for (const [member, fault] of contradictions) {
    const found = roomRate[member]
    if (typeof found === 'string' && found !== expected[member])
      return { fault, message: `${member} must be ${expected[member]}` }
  }
  return undefined
}

const contradictions = [
  ['roomId', 'other_room'],
  ['rateId', 'other_rate'],
  ['currency', 'other_currency'],
] as const

type Amounts = Pick<PriceCheckNeeded['roomRate'], 'amountBeforeTax' | 'amountAfterTax'>

function nightsOf(
  { amountBeforeTax, amountAfterTax }: Amounts,
  { nightCount, minorDigits }: Expected,
): NightPrice[] | Problem {
  if (amountBeforeTax.length !== nightCount || amountAfterTax.length !== nightCount) {
    const got = `${amountBeforeTax.length} and ${amountAfterTax.length}`
    const wanted = `${nightCount} elements each, one a night, not ${got}`
    return {
      fault: 'other_nights',
      message: `amountBeforeTax and amountAfterTax must have ${wanted}`,
    }
  }
  const nights: NightPrice[] = []
  for (const [index, before] of amountBeforeTax.entries()) {
    const beforeTax = toMinor(before, minorDigits)
    const afterTax = toMinor(amountAfterTax[index] ?? '', minorDigits)
    if (beforeTax === undefined || afterTax === undefined)
      return wrongAmount(`amounts of night ${index + 1} must have at most ${minorDigits} decimals`)
    if (afterTax < beforeTax)
      return wrongAmount(`amountAfterTax of night ${index + 1} is less than amountBeforeTax`)
    nights.push({ beforeTax, afterTax })
  }
  return nights
}

function wrongAmount(message: string): Problem {
  return { fault: 'wrong_amount', message }
}

function parsedOf({ body: sent, contentEncoding }: AnswerBody): { value: unknown } | Invalid {
  const body = withoutByteOrderMark(sent)
  try {
    return { value: parseJson(body, { isQuoted: false }) }
  } catch (error) {
    if (!(error instanceof Rejected)) throw error
    const compression = compressionNamed(contentEncoding) ?? compressionOf(body)
    if (compression !== undefined && body.length > 0) return compressed(compression)
    const said = saidByText(body)
    if (!isInUtf8(body))
      return {
        fault: 'malformed_json',
        message: 'the answer is not encoded as UTF-8',
        said: said.isAnswer ? said : { ...said, ...unread },
      }
    const type = error.problems[0]?.type ?? 'MALFORMED_JSON'
    return { fault: 'malformed_json', message: `the answer cannot be read as JSON: ${type}`, said }
  }
}

function compressionNamed(contentEncoding = 'identity'): string | undefined {
  const name = contentEncoding.trim().toLowerCase()
  return name === '' || name === 'identity' ? undefined : name
}

function compressed(compression: string): Invalid {
  return {
    fault: 'malformed_json',
    message: `the answer is compressed with ${compression}, although the call asks for none (accept-encoding: identity)`,
    said: { units: undefined, ...unread },
  }
}

/** It may say that there are no units. */
const unread = { isAnswer: true, isUnread: true } as const

/** Text in UTF-16 whose characters are ASCII is valid UTF-8, with a zero byte for every other character. */
function isInUtf8(body: Buffer): boolean {
  return isUtf8(body) && !body.includes(0)
}

const saying = ['inventory', 'amountBeforeTax', 'amountAfterTax'] as const

function saidBy(value: unknown): Said {
  const units: number[] = []
  let isAnswer = false
  for (const frame of framesOf(value)) {
    const number = unitsOf(frame['inventory'])
    if (number !== undefined) units.push(number)
    isAnswer ||= saying.some((member) => isSaid(frame[member]))
  }
  return { units: units.length > 0 ? Math.min(...units) : undefined, isAnswer }
}

/** Where a room-rate may stand: in its place, in a list, or without the object around it. */
function framesOf(value: unknown): Record<string, unknown>[] {
  const outer = [value].flat().filter((one) => isRecord(one))
  return [...outer, ...outer.flatMap((one) => [one['roomRate']].flat()).filter((one) => isRecord(one))]
}

/** A member that says something of units or price: neither null nor empty. */
const saidSomething = /"(?:inventory|amountbeforetax|amountaftertax)"\s*:\s*(?!null|"\s*"|\[\s*\])[^\s,}]/

function isSaid(value: unknown): boolean {
  if (value === undefined || value === null) return false
  if (Array.isArray(value)) return value.some(isSaid)
  return typeof value !== 'string' || value.trim() !== ''
}

function unitsOf(value: unknown): number | undefined {
  const isNumber = typeof value === 'string' && /^\s*[+-]?\d+(?:\.\d*)?\s*$/.test(value)
  const number = isNumber ? Number(value) : value
  return typeof number === 'number' ? number : undefined
}

/**
 * What text says, wherever in it: it may be cut short, have NaN for an amount, another frame, other capitals, or be JSON within
 * a text of JSON.
 */
function saidByText(body: Buffer): Said {
  const text = body.toString('latin1').replaceAll('\0', '').replaceAll('\\', '').toLowerCase()
  const units = [...text.matchAll(/"inventory"\s*:\s*"?\s*([+-]?\d+(?:\.\d+)?)/g)].map(([, found]) =>
    Number(found),
  )
  const isAnswer = units.length > 0 || saidSomething.test(text)
  return { units: units.length > 0 ? Math.min(...units) : undefined, isAnswer }
}
