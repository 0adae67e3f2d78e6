import { asRead, filler, withoutFillers } from './written-characters.ts'

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
  return cardNumbersIn(text, anywhere).length > 0
}

/** The places in a list of texts, read one after another, of those in which a number begins that ends in another one. */
export function splitCardNumbers(texts: readonly string[]): { first: number; last: number }[] {
  const ends = texts.map((_, index) => texts.slice(0, index + 1).join(' ').length)
  const textAt = (place: number): number => ends.findIndex((end) => place <= end)
  return cardNumbersIn(texts.join(' '), anywhere)
    .map(({ start, end }) => ({ first: textAt(start), last: textAt(end) }))
    .filter(({ first, last }) => first < last)
}

export function withoutCardNumbers(text: string): string {
  return without(text, cardNumbersIn(text, anywhere))
}

/**
 * The same for text that people write to a hotel: numbers of 13 digits and more, however far apart, with
 * single letters between them, and the security codes beside them.
 */
export function remarksWithoutCards(text: string): string {
  const numbers = cardNumbersIn(text.replaceAll(uuid, hidden), inRemarks)
  return without(text, [...numbers, ...securityCodesBeside(numbers, text)])
}

const hidden = (id: string): string => 'xx'.repeat(id.length / 2)

type Place = { start: number; end: number }

function without(text: string, places: readonly Place[]): string {
  let masked = ''
  let from = 0
  for (const { start, end } of places.toSorted((one, other) => one.start - other.start)) {
    if (start < from) continue
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

const uuid = /(?<![\p{L}\p{N}])[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?![\p{L}\p{N}])/giu
const madeByChance =
  /(?<![\p{L}\p{N}])(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|(?=\d*[a-f])[0-9a-f]{32,})(?![\p{L}\p{N}])/giu

/** Card schemes with 13 to 19 digits: the ranges of the first four digits, and the possible lengths. */
const schemes: readonly { from: number; to: number; lengths: readonly number[] }[] = [
  // American Express
  { from: 3400, to: 3499, lengths: [15] },
  { from: 3700, to: 3799, lengths: [15] },
  // Diners Club
  { from: 3000, to: 3059, lengths: [14, 16, 17, 18, 19] },
  { from: 3095, to: 3095, lengths: [14, 16, 17, 18, 19] },
  { from: 3600, to: 3699, lengths: [14, 16, 17, 18, 19] },
  { from: 3800, to: 3999, lengths: [14, 16, 17, 18, 19] },
  // JCB
  { from: 3528, to: 3589, lengths: [16, 17, 18, 19] },
  { from: 1800, to: 1800, lengths: [15] },
  { from: 2131, to: 2131, lengths: [15] },
  // Visa
  { from: 4000, to: 4999, lengths: [13, 16, 19] },
  // Mastercard
  { from: 5100, to: 5599, lengths: [16] },
  { from: 2221, to: 2720, lengths: [16] },
  // Mir
  { from: 2200, to: 2204, lengths: [16, 17, 18, 19] },
  // Maestro, and the schemes whose ranges overlap with it: Discover, RuPay, UnionPay, Elo
  { from: 5000, to: 5099, lengths: [15, 16, 17, 18, 19] },
  { from: 5600, to: 6999, lengths: [15, 16, 17, 18, 19] },
  // Maestro alone has shorter numbers
  { from: 5000, to: 5099, lengths: [13, 14] },
  { from: 5600, to: 5899, lengths: [13, 14] },
  { from: 6300, to: 6399, lengths: [13, 14] },
  { from: 6700, to: 6799, lengths: [13, 14] },
  // RuPay, UnionPay, Troy
  { from: 8100, to: 8299, lengths: [16, 17, 18, 19] },
  { from: 9792, to: 9792, lengths: [16] },
]

const digitsMax = 19

/** What may be a card number in a text. */
type Form = {
  digitsMin: number
  mayHoldNumber: RegExp
  /** Whether two groups of digits with this between them can be one number. */
  isOneNumber: (between: string) => boolean
  isTelephone: (digits: string, before: string) => boolean
}

/**
 * Maximum number of characters between two digits of a number: spaces, line breaks, punctuation; no letters.
 */
const betweenDigitsMax = 3

const anywhere: Form = {
  digitsMin: 15,
  mayHoldNumber: /(?:\p{N}[^\p{L}\p{N}]*){15}/u,
  isOneNumber: (between) =>
    [...withoutFillers(between)].length <= betweenDigitsMax && !/[\p{L}\p{N}]/u.test(between),
  isTelephone: () => false,
}

const inRemarks: Form = {
  digitsMin: 13,
  mayHoldNumber: /(?:\p{N}[^\p{L}\p{N}]*(?:\p{L}[^\p{L}\p{N}]*)?){13}/u,
  isOneNumber: (between) => /^[^\p{L}\p{N}]*(?:\p{L}[^\p{L}\p{N}]*)?$/u.test(between),
  // Many a telephone number with its country's code has 13 or 14 digits; hardly any has more.
  isTelephone: (digits, before) =>
    digits.length < anywhere.digitsMin && /[+\uFF0B][\s\u2060]*$/u.test(before),
}

type Group = { digits: string; start: number; end: number }

/**
 * Positions of card numbers, grouped or not, in digits of any script. A number begins and ends at the edges
 * of a digit group: a part of a longer number doesn't count.
 */
function cardNumbersIn(written: string, form: Form): Place[] {
  const text = asRead(written)
  if (!form.mayHoldNumber.test(text)) return []
  const found: Place[] = []
  const groups = digitGroupsIn(text)
  for (let first = 0; first < groups.length; first++) {
    const last = lastGroupOf(groups, first, text, form)
    const [start, end] = [groups[first]?.start, last === undefined ? undefined : groups[last]?.end]
    if (last === undefined || start === undefined || end === undefined) continue
    let endsAt = end
    while (text[endsAt] === filler) endsAt++
    found.push({ start, end: endsAt })
    first = last
  }
  return found
}

/** Returns the last group of the longest card number that begins with the group `first`. */
function lastGroupOf(
  groups: readonly Group[],
  first: number,
  text: string,
  { digitsMin, isOneNumber, isTelephone }: Form,
): number | undefined {
  let digits = ''
  let found: number | undefined
  for (let position = first; position < groups.length; position++) {
    const group = groups[position]
    const before = groups[position - 1]
    if (!group) break
    if (position > first && before && !isOneNumber(text.slice(before.end, group.start))) break
    digits += group.digits
    if (digits.length > digitsMax) break
    if (digits.length < digitsMin || !isCardNumber(digits)) continue
    const start = groups[first]?.start ?? 0
    if (!isTelephone(digits, text.slice(Math.max(0, start - betweenDigitsMax), start))) found = position
  }
  return found
}

/** Names of the code on the back of a card, in the languages in which remarks mostly are. */
const codeNames = [
  'c[vc][vc]2?',
  'csc',
  'cid',
  'cav2?',
  '(?:card )?(?:sec(?:urity)?|verification)\\.? ?(?:code|number|value|no\\.?)',
  '(?:karten)?prüf(?:nummer|ziffer|code)',
  'sicherheitscode',
  'cryptogramme',
  'code de sécurité',
  'código de seguridad',
  'código de segurança',
  'codice di sicurezza',
].join('|')
const digitsOfCode = String.raw`(?<!\p{Nd})\p{Nd}(?:[ .-]?\p{Nd}){2,3}(?!\p{Nd})`
const namedCode = new RegExp(
  String.raw`(?<!\p{L})(?:${codeNames})(?!\p{L})(?:[^\p{L}\p{N}]{0,5}(?:is|number|code|no|nr|ist)(?!\p{L}))?[^\p{L}\p{N}]{0,5}(${digitsOfCode})`,
  'dgiu',
)
const codeBeforeName = new RegExp(
  String.raw`(${digitsOfCode})[^\p{L}\p{N}]{0,3}(?:${codeNames})(?!\p{L}|[^\p{L}\p{N}]{0,5}${digitsOfCode})`,
  'dgiu',
)
const besideNumberMax = 40

/** Security codes that the text names as such, before or after one of the numbers. */
function securityCodesBeside(numbers: readonly Place[], text: string): Place[] {
  if (numbers.length === 0) return []
  return [namedCode, codeBeforeName]
    .flatMap((pattern) => [...text.matchAll(pattern)])
    .flatMap(({ indices }): Place[] => {
      const [start, end] = indices?.[1] ?? []
      return start === undefined || end === undefined ? [] : [{ start, end }]
    })
    .filter(({ start, end }) =>
      numbers.some(
        (number) => start - number.end <= besideNumberMax && number.start - end <= besideNumberMax,
      ),
    )
}

function isCardNumber(digits: string): boolean {
  const begin = Number(digits.slice(0, 4))
  return (
    schemes.some(
      ({ from, to, lengths }) => begin >= from && begin <= to && lengths.includes(digits.length),
    ) && hasCheckDigit(digits)
  )
}

/** Its digits, of any script, as one number. */
export function digitsIn(text: string): string {
  return digitGroupsIn(text)
    .map(({ digits }) => digits)
    .join('')
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
