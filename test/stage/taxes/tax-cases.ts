import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatNight } from '../../../src/base/calendar.ts'
import { toMinor } from '../../../src/base/money.ts'
import { computeTaxes, type PricedRoom } from '../../../src/taxes/compute/compute.ts'
import { taxBases, taxTypes, taxUnits, type Tax } from '../../../src/taxes/contract.ts'
import { prepareTaxes, taxesFor } from '../../../src/taxes/room-rate-taxes.ts'

/**
 * Cases worked out by hand, four lines each, a blank line between:
 *
 *   what it shows: the arithmetic
 *   the taxes, with ";" between: VAT 10% included; CITY_TAX 2.50 per_person_per_night due nights 2..9 @1/*
 *   the rooms, with ";" between: 2p 100.00 100.00; 1p @2/1 80.00 80.00
 *   what comes out: a line of each tax | before + tax = after, due | before/after of each night of each room
 *
 * A tax is included in the price, added to it or due at the property; it is on net and per_room_per_night unless it
 * says otherwise. Night 1 is the first of the stay, 0 the one before. "@1/*" is room 1 with any rate; without it a tax
 * is the property's, and a room is room 1 at rate 1.
 */
export function testCases(table: string, minorDigits = 2): void {
  for (const block of table.trim().split(/\n\s*\n/)) {
    const [title = '', taxes = '', rooms = '', outcome = '', ...rest] = block
      .split('\n')
      .map((line) => line.trim())
    assert.deepEqual(rest, [], title)
    test(title, () => {
      assert.equal(outcomeText(taxes, rooms, minorDigits), outcome)
    })
  }
}

const firstNight = 20_878

function outcomeText(taxes: string, rooms: string, minorDigits: number): string {
  const scopes = taxes === 'none' ? [] : taxes.split('; ').map(readTax)
  const hotel = prepareTaxes(mergeScopes(scopes), minorDigits)
  const stay = computeTaxes(
    rooms.split('; ').map((text): PricedRoom => {
      const match = /^(\d+)p (?:@(\d+)\/(\d+) )?([\d. ]+)$/.exec(text)
      assert.ok(match, text)
      const [, persons, roomNo = 1, rateNo = 1, prices = ''] = match
      const nights = prices.split(' ').map((price, index) => {
        const minor = toMinor(price, minorDigits)
        assert.ok(minor !== undefined, price)
        return { day: firstNight + index, price: minor }
      })
      return { taxes: taxesFor(hotel, Number(roomNo), Number(rateNo)), nights, persons: Number(persons) }
    }),
  )
  if (stay.fault !== undefined) {
    return `${stay.fault} on ${stay.nights.map((day) => day - firstNight + 1).join(' ')}`
  }
  const text = (minor: number): string => amountText(minor, minorDigits)
  const { beforeTax, tax, afterTax, dueAtProperty } = stay.total
  return [
    stay.lines.map(({ amount }) => text(amount)).join(', ') || 'no line',
    `${text(beforeTax)} + ${text(tax)} = ${text(afterTax)}, due ${text(dueAtProperty)}`,
    stay.rooms
      .map(({ nights }) =>
        nights.map((night) => `${text(night.beforeTax)}/${text(night.afterTax)}`).join(' '),
      )
      .join('; '),
  ].join(' | ')
}

type ReadTax = { roomNo: number; rateNo: number; tax: Tax }

function readTax(text: string): ReadTax {
  const [type, value = '', ...words] = text.split(' ')
  const [scope = '@*/*'] = words.filter((word) => word.startsWith('@'))
  const [roomNo, rateNo] = scope
    .slice(1)
    .split('/')
    .map((no) => (no === '*' ? 0 : Number(no)))
  const [from, to] = words.find((word) => word.includes('..'))?.split('..') ?? []
  const dateOf = (night: string): string => formatNight(firstNight + Number(night) - 1)
  const known = [
    'on',
    'nights',
    'included',
    'added',
    'due',
    scope,
    `${from}..${to}`,
    ...taxBases,
    ...taxUnits,
  ]
  assert.deepEqual(
    words.filter((word) => !known.includes(word)),
    [],
    text,
  )
  const foundType = taxTypes.find((each) => each === type)
  assert.ok(foundType && roomNo !== undefined && rateNo !== undefined, text)
  assert.equal(words.filter((word) => ['included', 'added', 'due'].includes(word)).length, 1, text)
  const tax: Tax = {
    type: foundType,
    valueType: value.endsWith('%') ? '%' : 'fixed',
    value: value.replace('%', ''),
    appliedOn: taxBases.find((basis) => words.includes(basis)) ?? 'net',
    appliedPer: taxUnits.find((unit) => words.includes(unit)) ?? 'per_room_per_night',
    included: words.includes('included'),
    payNow: !words.includes('due'),
    ...(from !== undefined && to !== undefined && { startDate: dateOf(from), endDate: dateOf(to) }),
  }
  return { roomNo, rateNo, tax }
}

function mergeScopes(taxes: readonly ReadTax[]): { roomNo: number; rateNo: number; taxes: Tax[] }[] {
  const scopes: { roomNo: number; rateNo: number; taxes: Tax[] }[] = []
  for (const { roomNo, rateNo, tax } of taxes) {
    const scope = scopes.find((each) => each.roomNo === roomNo && each.rateNo === rateNo)
    if (scope) scope.taxes.push(tax)
    else scopes.push({ roomNo, rateNo, taxes: [tax] })
  }
  return scopes
}

/** Cut from the digits, so that nothing is rounded on the way. */
function amountText(minor: number, minorDigits: number): string {
  const digits = String(Math.abs(minor)).padStart(minorDigits + 1, '0')
  const sign = minor < 0 ? '-' : ''
  return minorDigits === 0
    ? sign + digits
    : `${sign}${digits.slice(0, -minorDigits)}.${digits.slice(-minorDigits)}`
}
