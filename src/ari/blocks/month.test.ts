import fc from 'fast-check'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { firstDay, parseNight, weekdays } from '../../base/calendar.ts'
import { countNights, everyWeekday, nightsBetween, weekdayMask } from './month.ts'

const from = fc.integer({ min: 10_957, max: 80_000 })
const namedDays = fc.subarray([...weekdays])

test('the nights of a range and its weekdays match a calendar counted night by night', () => {
  fc.assert(
    fc.property(from, fc.integer({ min: 0, max: 800 }), namedDays, (begin, length, named) => {
      const counted: number[] = []
      for (let day = begin; day <= begin + length; day++) {
        const sundayFirst = new Date(day * 86_400_000).getUTCDay()
        const name = weekdays[(sundayFirst + 6) % 7]
        if (name && named.includes(name)) counted.push(day)
      }
      const months = nightsBetween(begin, begin + length, weekdayMask(named))
      const days = months.flatMap(({ month, mask }) =>
        Array.from({ length: 31 }, (_, night) => night)
          .filter((night) => (mask >> night) & 1)
          .map((night) => firstDay(month) + night),
      )
      assert.deepEqual(days, counted)
      assert.equal(
        months.reduce((sum, { mask }) => sum + countNights(mask), 0),
        counted.length,
      )
      assert.ok(months.every(({ mask }) => mask > 0 && mask <= 0x7fffffff))
    }),
  )
})

test('the months with 28, 29, 30 and 31 nights, whole', () => {
  const months = (startDate: string, endDate: string): number[] =>
    nightsBetween(parseNight(startDate) ?? 0, parseNight(endDate) ?? 0, everyWeekday).map(({ mask }) =>
      countNights(mask),
    )
  assert.deepEqual(months('2027-01-01', '2027-12-31'), [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31])
  assert.deepEqual(months('2028-02-01', '2028-02-29'), [29])
  assert.deepEqual(months('2100-02-01', '2100-03-01'), [28, 1])
  assert.deepEqual(months('2027-01-31', '2027-02-01'), [1, 1])
})

test('bits are counted, including the highest', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 0x7fffffff }), (mask) => {
      assert.equal(countNights(mask), [...mask.toString(2)].filter((bit) => bit === '1').length)
    }),
  )
  assert.equal(countNights(0x7fffffff), 31)
})

test('repeated weekdays count once', () => {
  assert.equal(weekdayMask(['MON', 'MON', 'SUN']), 65)
  assert.equal(weekdayMask(weekdays), everyWeekday)
})
