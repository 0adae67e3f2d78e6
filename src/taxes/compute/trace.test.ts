import fc from 'fast-check'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  floor,
  fraction,
  fractionOf,
  plus,
  times,
  type Fraction,
} from '../../../test/stage/taxes/naive-taxes.ts'
import { firstNight, roomsOf, stays } from '../../../test/stage/taxes/tax-stays.ts'
import { computeTaxes } from './compute.ts'
import type { Tax } from '../contract.ts'
import { traceTaxes } from './trace.ts'

test('each step of the trace follows from the previous one, down to the rounding', () => {
  const read = (text: string): Fraction => {
    const sign = fraction(text.startsWith('-') ? -1 : 1)
    const [over = '', under] = text.replace('-', '').split('/')
    return times(sign, under === undefined ? fractionOf(over) : fraction(BigInt(over), BigInt(under)))
  }
  fc.assert(
    fc.property(stays, (stay) => {
      const rooms = roomsOf(stay)
      const stayTaxes = computeTaxes(rooms)
      const unit = fraction(10n ** BigInt(stay.minorDigits))
      for (const [index, trace] of traceTaxes(rooms).entries()) {
        const exactByTax = new Map<Tax, Fraction>()
        for (const [at, night] of trace.nights.entries()) {
          const net = read(night.net)
          const pushed = fraction(rooms[index]?.nights[at]?.price ?? 0)
          assert.deepEqual(times(read(night.price), unit), pushed)
          assert.deepEqual(
            plus(times(net, read(night.divisor)), read(night.includedAmounts)),
            read(night.price),
          )
          for (const { tax, rate, constant, amount } of night.taxes) {
            assert.deepEqual(plus(times(net, read(rate)), read(constant)), read(amount))
            exactByTax.set(tax, plus(exactByTax.get(tax) ?? fraction(0), read(amount)))
          }
        }
        const isBelow = trace.nights.some((night) => night.net.startsWith('-'))
        assert.equal(trace.lines.length, isBelow ? 0 : exactByTax.size)
        if (isBelow) continue
        assert.deepEqual(new Map(trace.lines.map(({ tax, exact }) => [tax, read(exact)])), exactByTax)
        for (const { exact, rounded } of trace.lines)
          assert.equal(rounded, floor(plus(times(read(exact), unit), fraction(1, 2))))
        if (stayTaxes.fault !== undefined) continue
        assert.deepEqual(
          trace.lines.map(({ tax, rounded }) => ({ tax, amount: rounded })),
          stayTaxes.rooms[index]?.lines,
        )
      }
    }),
    { numRuns: 2_000 },
  )
})

test('a trace has rates, nets and amounts as decimals if they terminate, otherwise as fractions', () => {
  const vat: Tax = {
    type: 'VAT',
    valueType: '%',
    value: 10,
    appliedOn: 'net',
    appliedPer: 'per_room_per_night',
    included: true,
    payNow: true,
  }
  const city: Tax = { ...vat, type: 'CITY_TAX', value: 5, appliedOn: 'net+vat', included: false }
  const stay: Tax = {
    ...vat,
    type: 'GOV_TAX',
    valueType: 'fixed',
    value: 3.5,
    appliedPer: 'per_room_per_stay',
  }
  const taxes = [vat, city, { ...stay, startDate: '2027-03-02', endDate: '2027-03-02' }]
  const rooms = roomsOf({ minorDigits: 2, taxes, rooms: [{ prices: [10_000, 11_350], persons: 2 }] })
  const [entryVat, entryCity, entryStay] = (rooms[0]?.taxes.entries ?? []).map(({ tax }) => tax)
  assert.deepEqual(traceTaxes(rooms), [
    {
      persons: 2,
      nights: [
        {
          day: firstNight,
          price: '100',
          includedAmounts: '0',
          divisor: '1.1',
          net: '1000/11',
          taxes: [
            { tax: entryVat, rate: '0.1', constant: '0', amount: '100/11' },
            { tax: entryCity, rate: '0.055', constant: '0', amount: '5' },
          ],
        },
        {
          day: firstNight + 1,
          price: '113.5',
          includedAmounts: '3.5',
          divisor: '1.1',
          net: '100',
          taxes: [
            { tax: entryVat, rate: '0.1', constant: '0', amount: '10' },
            { tax: entryCity, rate: '0.055', constant: '0', amount: '5.5' },
            { tax: entryStay, rate: '0', constant: '3.5', amount: '3.5' },
          ],
        },
      ],
      lines: [
        { tax: entryVat, exact: '210/11', rounded: 1_909 },
        { tax: entryCity, exact: '10.5', rounded: 1_050 },
        { tax: entryStay, exact: '3.5', rounded: 350 },
      ],
    },
  ])
})
