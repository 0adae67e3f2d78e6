/** Card numbers: whether one can be right, and how it is shown. */

/** Whether the last digit is the check digit of the others (ISO/IEC 7812, Luhn). */
export function hasCheckDigit(number: string): boolean {
  let sum = 0
  for (let place = 0; place < number.length; place++) {
    const digit = Number(number[number.length - 1 - place])
    const doubled = place % 2 === 0 ? digit : digit * 2
    sum += doubled > 9 ? doubled - 9 : doubled
  }
  return sum % 10 === 0
}

const shownAtStart = 6
const shownAtEnd = 4

/** The issuer's digits and the last four, as is allowed to be shown: `411111******1111`. */
export function maskedNumber(number: string): string {
  const hidden = number.length - shownAtStart - shownAtEnd
  return `${number.slice(0, shownAtStart)}${'*'.repeat(Math.max(0, hidden))}${number.slice(-shownAtEnd)}`
}
