import fc from 'fast-check'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  floor,
  fraction,
  fractionOf,
  minus,
  naiveTaxes,
  times,
  type Fraction,
} from '../../../test/stage/taxes/naive-taxes.ts'
import { firstNight, nightCounts, roomsOf, stays, type Stay } from '../../../test/stage/taxes/tax-stays.ts'
import { formatNight } from '../../base/calendar.ts'
import { computeTaxes, type TaxedRoom, type TaxedStay } from './compute.ts'
import { taxTypes, taxUnits, type Tax } from '../contract.ts'
import { prepareTaxes, taxesFor } from '../room-rate-taxes.ts'

/** For stays like most that suppliers push: the included taxes don't exceed the price. */
function computed(stay: Stay): TaxedStay {
  const outcome = computeTaxes(roomsOf(stay))
  fc.pre(outcome.fault === undefined)
  return outcome
}

const sumOf = (amounts: readonly number[]): number => {
  let sum = 0
  for (const amount of amounts) sum += amount
  return sum
}

/** The amount of each tax, by its position in the pushed list. */
function amountsByPlace({ taxes }: Stay, { lines }: { lines: TaxedStay['lines'] }): Map<number, number> {
  const left = [...lines]
  const amounts = new Map<number, number>()
  for (const [place, tax] of taxes.entries()) {
    const [line] = left
    if (!line || JSON.stringify(line.tax) !== JSON.stringify(tax)) continue
    left.shift()
    amounts.set(place, line.amount)
  }
  assert.deepEqual(left, [])
  return amounts
}

test('amounts, totals and errors match a literal reading of the contract', () => {
  let [faults, clean] = [0, 0]
  fc.assert(
    fc.property(stays, (stay) => {
      const rooms = roomsOf(stay)
      const outcome = computeTaxes(rooms)
      const naive = naiveTaxes(
        rooms.map((room) => ({ ...room, taxes: room.taxes.entries.map(({ tax }) => tax) })),
        stay.minorDigits,
      )
      if (outcome.fault !== undefined) {
        faults++
        return assert.deepEqual(outcome.nights, naive.faultyNights)
      }
      clean++
      assert.deepEqual(naive.faultyNights, [])
      const { beforeTax, tax, afterTax, dueAtProperty } = naive
      assert.deepEqual(outcome.total, { beforeTax, tax, afterTax, dueAtProperty })
      for (const [index, { lines }] of outcome.rooms.entries()) {
        const { amounts } = naive.rooms[index] ?? {}
        assert.deepEqual(new Map(lines.map((line) => [line.tax, line.amount])), amounts)
      }
    }),
    { numRuns: 6_000 },
  )
  assert.ok(faults > 300 && clean > 3_000, `${faults} faults, ${clean} without`)
})

test('nights add up to rooms, rooms to totals, taxes to the amount paid, and nothing is negative', () => {
  fc.assert(
    fc.property(stays, (stay) => {
      const { rooms, lines, total } = computed(stay)
      for (const room of rooms) {
        const chargeOf = (counts: (tax: Tax) => boolean): number =>
          sumOf(room.lines.filter(({ tax }) => counts(tax)).map(({ amount }) => amount))
        const priceSum = sumOf(room.nights.map((night) => night.price))
        assert.equal(sumOf(room.nights.map(({ beforeTax }) => beforeTax)), room.total.beforeTax)
        assert.equal(sumOf(room.nights.map(({ afterTax }) => afterTax)), room.total.afterTax)
        assert.equal(room.total.beforeTax + chargeOf(({ included }) => included), priceSum)
        assert.equal(priceSum + chargeOf(({ included, payNow }) => !included && payNow), room.total.afterTax)
        assert.equal(room.total.afterTax - room.total.beforeTax, room.total.tax)
        assert.equal(
          chargeOf(({ payNow }) => !payNow),
          room.total.dueAtProperty,
        )
        for (const { beforeTax, afterTax, price: pushed } of room.nights) {
          assert.ok(beforeTax >= 0 && beforeTax <= pushed && pushed <= afterTax)
        }
        assert.ok(room.lines.every(({ amount }) => amount >= 0 && Number.isSafeInteger(amount)))
      }
      for (const member of ['beforeTax', 'tax', 'afterTax', 'dueAtProperty'] as const)
        assert.equal(sumOf(rooms.map((room) => room.total[member])), total[member])
      for (const { tax, amount } of lines) {
        const ofRooms = rooms.map((room) => room.lines.find((line) => line.tax === tax)?.amount ?? 0)
        assert.equal(sumOf(ofRooms), amount)
      }
    }),
    { numRuns: 5_000 },
  )
})

/** Divides a sum by largest remainder, as in the textbook. */
function largestRemainder(sum: number, parts: readonly Fraction[]): number[] {
  const amounts = parts.map(floor)
  const rests = parts.map((part, night) => ({ night, rest: minus(part, fraction(floor(part))) }))
  rests.sort((one, other) => {
    const difference = minus(other.rest, one.rest).over
    return difference === 0n ? one.night - other.night : Number(difference > 0n) - Number(difference < 0n)
  })
  for (const { night } of rests.slice(0, sum - sumOf(amounts))) amounts[night] = (amounts[night] ?? 0) + 1
  return amounts
}

test('a single included tax, and a single added tax, are divided over the nights by the largest remainder', () => {
  fc.assert(
    fc.property(stays, fc.boolean(), (stay, isIncluded) => {
      const one = stay.taxes.slice(0, 1).map((tax) => ({ ...tax, included: isIncluded, payNow: true }))
      const single = { ...stay, taxes: one }
      const { rooms } = computed(single)
      const naive = naiveTaxes(
        roomsOf(single).map((room) => ({ ...room, taxes: one })),
        stay.minorDigits,
      )
      const [tax] = one
      for (const [index, room] of rooms.entries()) {
        const nets = naive.rooms[index]?.nets ?? []
        const shares = nets.map((net, night) =>
          isIncluded
            ? minus(fraction(room.nights[night]?.price ?? 0), net)
            : shareOnTop(tax, room, net, stay, index, night),
        )
        const amount = sumOf(room.lines.map((line) => line.amount))
        assert.deepEqual(
          room.nights.map((night) => night.afterTax - night.beforeTax),
          largestRemainder(amount, shares),
        )
      }
    }),
    { numRuns: 3_000 },
  )
})

/** A tax on top, for one night: its amount for that night alone as a stay, except for amounts per stay. */
function shareOnTop(
  tax: Tax | undefined,
  room: TaxedRoom,
  net: Fraction,
  stay: Stay,
  index: number,
  night: number,
): Fraction {
  const day = firstNight + night
  const isTaxed = (date: string): boolean =>
    tax?.startDate === undefined || (tax.startDate <= date && date <= (tax.endDate ?? ''))
  if (!tax || !isTaxed(formatNight(day))) return fraction(0)
  if (tax.valueType === '%') return times(net, times(fractionOf(tax.value), fraction(1, 100)))
  const taxed = room.nights.filter((each) => isTaxed(formatNight(each.day))).length
  const persons = tax.appliedPer.startsWith('per_person') ? (stay.rooms[index]?.persons ?? 0) : 1
  const amount = times(fractionOf(tax.value), fraction(10n ** BigInt(stay.minorDigits) * BigInt(persons)))
  return tax.appliedPer.endsWith('per_stay') ? times(amount, fraction(1, taxed)) : amount
}

test('the order in which taxes are pushed changes the order of the lines and nothing else', () => {
  fc.assert(
    fc.property(stays, fc.array(fc.nat(), { minLength: 7, maxLength: 7 }), (stay, ranks) => {
      const order = [...stay.taxes.keys()].sort((one, other) => (ranks[one] ?? 0) - (ranks[other] ?? 0))
      const shuffled = { ...stay, taxes: order.flatMap((place) => stay.taxes[place] ?? []) }
      const [before, after] = [computeTaxes(roomsOf(stay)), computeTaxes(roomsOf(shuffled))]
      if (before.fault !== undefined || after.fault !== undefined) return assert.deepEqual(after, before)
      assert.deepEqual(after.total, before.total)
      assert.deepEqual(
        after.rooms.map((room) => room.nights),
        before.rooms.map((room) => room.nights),
      )
      const ofShuffled = amountsByPlace(shuffled, after)
      const replaced = [...ofShuffled].map(([place, amount]) => [order[place], amount])
      assert.deepEqual(
        replaced.sort(([one = 0], [other = 0]) => one - other),
        [...amountsByPlace(stay, before)],
      )
    }),
    { numRuns: 3_000 },
  )
})

test('a tax has the same effect for the property, the room, the rate and the pair', () => {
  const scopes = [
    { roomNo: 0, rateNo: 0 },
    { roomNo: 3, rateNo: 0 },
    { roomNo: 0, rateNo: 2 },
    { roomNo: 3, rateNo: 2 },
  ]
  fc.assert(
    fc.property(stays, fc.array(fc.nat(3), { minLength: 7, maxLength: 7 }), (stay, chosen) => {
      const hotel = prepareTaxes(
        [
          ...scopes.map((scope, index) => ({
            ...scope,
            taxes: stay.taxes.filter((_, place) => chosen[place] === index),
          })),
          { roomNo: 4, rateNo: 0, taxes: stay.taxes },
          { roomNo: 4, rateNo: 2, taxes: stay.taxes },
        ],
        stay.minorDigits,
      )
      const property = computeTaxes(roomsOf(stay))
      const scoped = computeTaxes(roomsOf(stay).map((room) => ({ ...room, taxes: taxesFor(hotel, 3, 2) })))
      if (property.fault !== undefined || scoped.fault !== undefined)
        return assert.deepEqual(scoped, property)
      assert.deepEqual(scoped.total, property.total)
      const amounts = ({ lines }: TaxedStay): number[] =>
        lines.map(({ amount }) => amount).sort((one, other) => one - other)
      assert.deepEqual(amounts(scoped), amounts(property))
    }),
    { numRuns: 2_000 },
  )
})

test('earlier computations with the same taxes change nothing', () => {
  fc.assert(
    fc.property(
      stays,
      fc.array(fc.tuple(nightCounts, fc.nat(4), fc.nat(9)), { maxLength: 50 }),
      (stay, others) => {
        const rooms = roomsOf(stay)
        const fresh = computeTaxes(rooms)
        const used = roomsOf(stay)
        for (const [count, persons, shift] of others) {
          const night = (index: number) => ({ day: firstNight + shift + index, price: 50_000 })
          for (const { taxes } of used)
            computeTaxes([{ taxes, persons, nights: Array.from({ length: count }, (_, at) => night(at)) }])
        }
        const again = computeTaxes(used)
        assert.deepEqual(again, fresh)
        if (again.fault !== undefined || fresh.fault !== undefined) return
        assert.deepEqual(
          again.rooms.map((room) => room.nights),
          fresh.rooms.map((room) => room.nights),
        )
      },
    ),
    { numRuns: 500 },
  )
})

test('a list with the same entry twice charges it twice, with one line each', () => {
  const tax: Tax = {
    type: 'VAT',
    valueType: '%',
    value: 10,
    appliedOn: 'net',
    appliedPer: 'per_room_per_night',
    included: false,
    payNow: true,
  }
  const rooms = [1, 2].map((persons) => ({ persons, prices: [10_000] }))
  assert.deepEqual(computed({ minorDigits: 2, taxes: [tax, tax], rooms }).lines, [
    { tax, amount: 2_000 },
    { tax, amount: 2_000 },
  ])
})

test('fifty taxes with different dates over thirty nights are exact', () => {
  const taxes = Array.from({ length: 50 }, (_, index): Tax => ({
    type: taxTypes[index % taxTypes.length] ?? 'VAT',
    valueType: index % 3 === 0 ? 'fixed' : '%',
    value: index % 3 === 0 ? (100 + index) / 100 : `${index % 7}.${100_003 + index}`,
    appliedOn: index % 5 === 0 || index % 2 === 0 ? 'net' : 'net+vat',
    appliedPer: taxUnits[index % taxUnits.length] ?? 'per_room_per_night',
    included: index % 4 === 0,
    payNow: index % 4 < 3,
    startDate: formatNight(firstNight + (index % 29)),
    endDate: formatNight(firstNight + (index % 29) + 3 + (index % 11)),
  }))
  const stay = {
    minorDigits: 2,
    taxes,
    rooms: [{ persons: 3, prices: Array.from({ length: 30 }, (_, at) => 54_321 + at) }],
  }
  const { beforeTax, tax, afterTax, dueAtProperty } = naiveTaxes(
    roomsOf(stay).map((room) => ({ ...room, taxes })),
    2,
  )
  assert.deepEqual(computed(stay).total, { beforeTax, tax, afterTax, dueAtProperty })
})
