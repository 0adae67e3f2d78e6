/** Payment card numbers: checks them, finds them in text, and masks them. */

/** Whether the last digit is the check digit of the others (ISO/IEC 7812, Luhn). */
export function hasCheckDigit(number: string): boolean {
  let sum = 0
  for (let position = 0; position < number.length; position++) {
    const digit = Number(number[number.length - 1 - position])
    const doubled = position % 2 === 0 ? digit : digit * 2
    sum += doubled > 9 ? doubled - 9 : doubled
  }
  return sum % 10 === 0
}

const visibleAtStart = 6
const visibleAtEnd = 4

/** The issuer's digits and the last four, which may be shown: `411111******1111`. */
export function maskedNumber(number: string): string {
  const hidden = number.length - visibleAtStart - visibleAtEnd
  return `${number.slice(0, visibleAtStart)}${'*'.repeat(Math.max(0, hidden))}${number.slice(-visibleAtEnd)}`
}

/** Replaces a card number in a text. */
export const removedCardNumber = '[card number removed]'

export function holdsCardNumber(text: string): boolean {
  return cardNumbersIn(text).length > 0
}

export function withoutCardNumbers(text: string): string {
  let masked = ''
  let from = 0
  for (const { start, end } of cardNumbersIn(text)) {
    masked += text.slice(from, start) + removedCardNumber
    from = end
  }
  return from === 0 ? text : masked + text.slice(from)
}

/**
 * The same for ids. UUIDs and hexadecimal hashes are skipped: they contain the digits of a card only by
 * chance (one UUID in 30,000 does).
 */
export function isCardNumberId(id: string): boolean {
  return holdsCardNumber(id.replaceAll(madeByChance, '-x-'))
}

const madeByChance =
  /(?<![\p{L}\p{N}])(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|(?=\d*[a-f])[0-9a-f]{32,})(?![\p{L}\p{N}])/giu

/** Card schemes with 15 to 19 digits: the ranges of the first four digits, and the possible lengths. */
const schemes: readonly { from: number; to: number; lengths: readonly number[] }[] = [
  // American Express
  { from: 3400, to: 3499, lengths: [15] },
  { from: 3700, to: 3799, lengths: [15] },
  // Diners Club
  { from: 3000, to: 3059, lengths: [16, 17, 18, 19] },
  { from: 3095, to: 3095, lengths: [16, 17, 18, 19] },
  { from: 3600, to: 3699, lengths: [16, 17, 18, 19] },
  { from: 3800, to: 3999, lengths: [16, 17, 18, 19] },
  // JCB
  { from: 3528, to: 3589, lengths: [16, 17, 18, 19] },
  { from: 1800, to: 1800, lengths: [15] },
  { from: 2131, to: 2131, lengths: [15] },
  // Visa
  { from: 4000, to: 4999, lengths: [16, 19] },
  // Mastercard
  { from: 5100, to: 5599, lengths: [16] },
  { from: 2221, to: 2720, lengths: [16] },
  // Mir
  { from: 2200, to: 2204, lengths: [16, 17, 18, 19] },
  // Maestro, and the schemes whose ranges overlap with it: Discover, RuPay, UnionPay, Elo
  { from: 5000, to: 5099, lengths: [15, 16, 17, 18, 19] },
  { from: 5600, to: 6999, lengths: [15, 16, 17, 18, 19] },
  // RuPay, UnionPay, Troy
  { from: 8100, to: 8299, lengths: [16, 17, 18, 19] },
  { from: 9792, to: 9792, lengths: [16] },
]

const digitsMin = 15
const digitsMax = 19
/**
 * Maximum number of characters between two digits of a number: spaces, line breaks, punctuation; no letters.
 */
const betweenDigitsMax = 3

type Group = { digits: string; start: number; end: number }

/**
 * Positions of card numbers, grouped or not, in digits of any script. A number begins and ends at the edges
 * of a digit group: a part of a longer number doesn't count.
 */
function cardNumbersIn(text: string): { start: number; end: number }[] {
  if (!mayHoldNumber.test(text)) return []
  const found: { start: number; end: number }[] = []
  const groups = digitGroupsIn(text)
  for (let first = 0; first < groups.length; first++) {
    const last = lastGroupOf(groups, first, text)
    const [start, end] = [groups[first]?.start, last === undefined ? undefined : groups[last]?.end]
    if (last === undefined || start === undefined || end === undefined) continue
    found.push({ start, end })
    first = last
  }
  return found
}

const mayHoldNumber = new RegExp(`(?:\\p{N}[^\\p{L}\\p{N}]*){${digitsMin}}`, 'u')

/** Returns the last group of the longest card number that begins with the group `first`. */
function lastGroupOf(groups: readonly Group[], first: number, text: string): number | undefined {
  let digits = ''
  let found: number | undefined
  for (let position = first; position < groups.length; position++) {
    const group = groups[position]
    const before = groups[position - 1]
    if (!group) break
    if (position > first && before && !isOneNumber(text.slice(before.end, group.start))) break
    digits += group.digits
    if (digits.length > digitsMax) break
    if (digits.length >= digitsMin && isCardNumber(digits)) found = position
  }
  return found
}

function isOneNumber(between: string): boolean {
  return [...between].length <= betweenDigitsMax && !/[\p{L}\p{N}]/u.test(between)
}

function isCardNumber(digits: string): boolean {
  const begin = Number(digits.slice(0, 4))
  return (
    schemes.some(
      ({ from, to, lengths }) => begin >= from && begin <= to && lengths.includes(digits.length),
    ) && hasCheckDigit(digits)
  )
}

function digitGroupsIn(text: string): Group[] {
  const groups: Group[] = []
  let at = 0
  for (const character of text) {
    const digit = digitOf(character)
    const end = at + character.length
    const before = groups.at(-1)
    if (digit !== undefined && before?.end === at) {
      before.digits += digit
      before.end = end
    } else if (digit !== undefined) groups.push({ digits: digit, start: at, end })
    at = end
  }
  return groups
}

const decimalDigit = /^\p{Nd}$/u

/** `1` for 1, １, ١ or ①; undefined for anything that is not a digit. */
function digitOf(character: string): string | undefined {
  if (character >= '0' && character <= '9') return character
  if (character < '\u0080') return undefined
  const plain = character.normalize('NFKC')
  if (/^\d$/.test(plain)) return plain
  if (!decimalDigit.test(character)) return undefined
  // The digits of a script are consecutive, starting with its zero.
  const code = character.codePointAt(0) ?? 0
  let zero = code
  while (decimalDigit.test(String.fromCodePoint(zero - 1))) zero--
  return String((code - zero) % 10)
}
