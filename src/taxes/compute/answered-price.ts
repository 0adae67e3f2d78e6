import type { DayNumber } from '../../base/calendar.ts'
import type { Tax } from '../contract.ts'
import { prepareTaxes, taxesFor, type RoomRateTaxes } from '../room-rate-taxes.ts'
import type { TaxLine } from './amounts.ts'
import { computeTaxes, type TaxedRoom, type TaxedTotal } from './compute.ts'
import type { PenaltyBase } from './penalty-base.ts'
import { spreadByAmounts } from './spread.ts'

/** A supplier's own price for a room: its amounts without and with tax, night by night. */
export type AnsweredRoom = {
  taxes: readonly Tax[]
  nights: readonly { day: DayNumber; beforeTax: number; afterTax: number }[]
  /** Adults and children; infants don't count. */
  persons: number
  minorDigits: number
}

export type AnsweredLine = Pick<Tax, 'type' | 'included' | 'payNow'> & { amount: number }
export type TaxedAnswer = {
  nights: { day: DayNumber; beforeTax: number; afterTax: number }[]
  lines: AnsweredLine[]
  total: TaxedTotal
  penaltyBase: PenaltyBase
}

/**
 * The pushed taxes on a supplier's own price. The guest pays its amount with tax; its amount before tax is the net on which
 * the pushed taxes are computed. Where those that are charged exceed the tax of the answer, they are taken out of its amount
 * with tax instead. What the answer has beyond the pushed taxes is one line, `OTHER_TAX`.
 */
export function taxAnswer(room: AnsweredRoom): TaxedAnswer {
  const { nights } = room
  const beforeTax = sumOf(nights.map((night) => night.beforeTax))
  const afterTax = sumOf(nights.map((night) => night.afterTax))
  const onNet = taxedOnNet(room)
  if (onNet && onNet.total.tax <= afterTax - beforeTax)
    return answerOf(room, onNet.lines, onNet, (index) => nights[index]?.beforeTax ?? 0)
  const within = taxed(
    room,
    (tax) => (tax.included || tax.payNow ? { ...tax, included: true, payNow: true } : tax),
    (night) => night.afterTax,
  )
  if (within) return answerOf(room, within.lines, within, (index) => within.nights[index]?.beforeTax ?? 0)
  // The pushed taxes exceed even the amount with tax: nothing but the answer and what is due at the property is known.
  return answerOf(room, onNet?.lines ?? [], undefined, (index) => nights[index]?.beforeTax ?? 0)
}

/**
 * The nights of an answer without charges once a stay that other nights have, taken out of what they have beyond the pushed
 * taxes, if that is enough. `areKnown`: they have these charges, whatever else they have.
 */
export function withoutCharges(
  room: AnsweredRoom,
  charges: readonly Tax[],
  { areKnown } = { areKnown: false },
): AnsweredRoom['nights'] {
  const { nights } = room
  const charged = sumOfCharges(room, charges)
  if (charged === 0) return nights
  const pushed = taxedOnNet(room)?.nights
  const beyond = nights.map(({ afterTax }, index) =>
    Math.max(0, afterTax - (pushed?.[index]?.afterTax ?? afterTax)),
  )
  const known = Math.min(charged, sumOf(beyond))
  if (known < charged && !areKnown) return nights
  const taken = spreadByAmounts(known, beyond)
  const rest = spreadByAmounts(
    charged - known,
    nights.map(({ afterTax }) => afterTax),
  )
  return nights.map((night, index) => ({
    ...night,
    afterTax: night.afterTax - (taken[index] ?? 0) - (rest[index] ?? 0),
  }))
}

/** The nights of an answer with charges once a stay on top, which other nights had. */
export function withCharges(room: AnsweredRoom, charges: readonly Tax[]): AnsweredRoom['nights'] {
  const amount = sumOfCharges(room, charges)
  const parts = spreadByAmounts(
    amount,
    room.nights.map(() => 1),
  )
  return room.nights.map((night, index) => ({ ...night, afterTax: night.afterTax + (parts[index] ?? 0) }))
}

function sumOfCharges(room: AnsweredRoom, charges: readonly Tax[]): number {
  return taxedOnNet({ ...room, taxes: charges })?.total.tax ?? 0
}

function answerOf(
  { nights, taxes }: AnsweredRoom,
  lines: readonly TaxLine[],
  computed: TaxedRoom | undefined,
  beforeTaxOf: (index: number) => number,
): TaxedAnswer {
  const answered = nights.map(({ day, afterTax }, index) => ({
    day,
    beforeTax: beforeTaxOf(index),
    afterTax,
  }))
  const afterTax = sumOf(answered.map((night) => night.afterTax))
  const beforeTax = sumOf(answered.map((night) => night.beforeTax))
  // The copies of the taxes stand in the order of the taxes themselves, without those that apply to no night.
  const pushed = lines.map(({ tax: copy, amount }) => {
    const { included, payNow } = taxes[indexByCopy.get(copy) ?? 0] ?? copy
    return { type: copy.type, included, payNow, amount }
  })
  const charged = computed ? pushed.filter(({ included, payNow }) => included || payNow) : []
  const due = pushed.filter(({ included, payNow }) => !included && !payNow)
  const rest = afterTax - beforeTax - sumOf(charged.map(({ amount }) => amount))
  const other = { type: 'OTHER_TAX', included: false, payNow: true, amount: rest } as const
  const dueAtProperty = sumOf(due.map(({ amount }) => amount))
  const left = (index: number): number => {
    const night = computed?.nights[index]
    const counted = computed?.penaltyBase.nights[index]
    return night === undefined || counted === undefined ? 0 : night.afterTax - counted
  }
  return {
    nights: answered,
    lines: [...charged, ...(rest > 0 ? [other] : []), ...due],
    total: { beforeTax, tax: afterTax - beforeTax, afterTax, dueAtProperty },
    penaltyBase: {
      stay: afterTax - (computed ? computed.total.afterTax - computed.penaltyBase.stay : 0),
      nights: answered.map((night, index) => Math.max(0, night.afterTax - left(index))),
    },
  }
}

/** The position of each copied tax in its list. */
const indexByCopy = new WeakMap<Tax, number>()

/** All pushed taxes, the included ones too, on the amounts before tax. */
function taxedOnNet(room: AnsweredRoom): TaxedRoom | undefined {
  return taxed(
    room,
    (tax) => ({ ...tax, included: false }),
    (night) => night.beforeTax,
  )
}

function taxed(
  { taxes, nights, persons, minorDigits }: AnsweredRoom,
  as: (tax: Tax) => Tax,
  priceOf: (night: AnsweredRoom['nights'][number]) => number,
): TaxedRoom | undefined {
  const prepared = preparedAs(taxes, as, minorDigits)
  const priced = nights.map((night) => ({ day: night.day, price: priceOf(night) }))
  const outcome = computeTaxes([{ taxes: prepared, nights: priced, persons }])
  return outcome.fault === undefined ? outcome.rooms[0] : undefined
}

function preparedAs(taxes: readonly Tax[], as: (tax: Tax) => Tax, minorDigits: number): RoomRateTaxes {
  const pair = { roomNo: 1, rateNo: 1 }
  const scope = { ...pair, taxes: taxes.map((tax) => as(tax)) }
  const prepared = taxesFor(prepareTaxes([scope], minorDigits), pair.roomNo, pair.rateNo)
  for (const [index, { tax }] of prepared.entries.entries()) indexByCopy.set(tax, index)
  return prepared
}

function sumOf(amounts: readonly number[]): number {
  return amounts.reduce((sum, amount) => sum + amount, 0)
}
