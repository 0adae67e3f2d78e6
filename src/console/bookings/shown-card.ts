import type { Payment } from '../../bookings/state.ts'

const lastDigits = 4
const brandlessName = 'Card'

/** Brand and last four digits. The brand is free text, so anything that looks like a number is not shown as one. */
export function shownCardFace({ type, number }: NonNullable<Payment['card']>): {
  brand: string
  last4: string
} {
  return { brand: /\d{4}/.test(type) ? brandlessName : type, last4: number.slice(-lastDigits) }
}
