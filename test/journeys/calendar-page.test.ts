import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Calendar, CalendarRate } from '../../src/console-api/calendar/contract.ts'
import { unsellableReasons } from '../../src/console-api/calendar/contract.ts'
import { lookOf, markersOf } from '../../web/src/pages/calendar/grid/cell-look.ts'
import { dateOf, dayOf, isWeekend, monthsOf } from '../../web/src/pages/calendar/grid/days.ts'
import {
  headHeight,
  movedBy,
  nightWidthOf,
  rowAt,
  rowHeight,
  scrollFor,
  visibleRange,
  tileNights,
  topsOf,
} from '../../web/src/pages/calendar/grid/layout.ts'
import { cellOf, priceText, rowsOf, valuesOf } from '../../web/src/pages/calendar/grid/rows.ts'

/** The computations of the calendar's page, without a browser. */

const rate = (more: Partial<CalendarRate> = {}): CalendarRate => ({
  rateId: 'BAR',
  name: 'Best available',
  mealPlan: null,
  isAvailable: true,
  pricingModel: 'unit',
  takesParty: true,
  ...more,
})

const calendar = (rates: CalendarRate[]): Calendar => ({
  isUnchanged: false,
  version: '1',
  hotel: {
    hotelId: 1,
    supplier: 'Acme',
    code: 'H1',
    name: 'Sea View',
    currency: 'USD',
    minorDigits: 2,
    timeZone: 'UTC',
    isAvailable: true,
    minChildAge: 2,
    maxChildAge: 12,
  },
  revision: 1,
  today: '2027-03-01',
  from: '2027-03-01',
  to: '2027-03-04',
  party: { adults: 2, childAges: [] },
  rooms: [
    { roomId: 'DBL', name: 'Double', units: { runs: [3, 2, 0, 2] }, rates },
    { roomId: 'TWN', name: 'Twin', rates: [rate({ rateId: 'NRF', name: 'Non refundable' })] },
  ],
})

const context = { nights: 4, isHotelAvailable: true, today: 20_878, from: 20_878 }

test('runs and plain columns are spelled out to the same nights', () => {
  assert.deepEqual([...(valuesOf({ runs: [3, 2, -1, 1, 7, 1] }, 4) ?? [])], [3, 3, -1, 7])
  assert.deepEqual([...(valuesOf([3, 3, -1, 7], 4) ?? [])], [3, 3, -1, 7])
  assert.equal(valuesOf(undefined, 4), undefined)
})

test('every reason of the contract is read from its bit', () => {
  for (const [bit, reason] of unsellableReasons.entries()) {
    const [, row] = rowsOf(calendar([rate({ unsellable: { runs: [1 << bit, 4] } })]), '')
    assert.ok(row)
    assert.deepEqual(cellOf(row, 2, context).reasons, [reason])
  }
})

test('a cell has its price, its restrictions, and the weightiest reason first', () => {
  const held = rate({
    price: [10_000, -1, 10_000, 10_000],
    minStayArrival: [-1, -1, 3, -1],
    closed: [-1, -1, 1, -1],
    unsellable: [0, 4, 2 + 32 + 64, 0],
    isAvailable: false,
  })
  const [room, row] = rowsOf(calendar([held]), '')
  assert.ok(room && row)
  assert.deepEqual(cellOf(row, 2, context), {
    price: 10_000,
    units: undefined,
    isClosed: true,
    isStopped: false,
    restricted: [{ name: 'minStayArrival', value: 3 }],
    reasons: ['stopSellRoom', 'product', 'closedRate', 'inventory'],
    revision: undefined,
  })
  assert.deepEqual(cellOf(room, 2, context).reasons, ['inventory'])
  assert.deepEqual(cellOf(room, 0, { ...context, today: 20_879 }).reasons, ['past'])
})

test('a night for which no inventory was pushed does not look sold out', () => {
  const noUnits = 2
  const [, sold] = rowsOf(calendar([rate({ unsellable: { runs: [noUnits, 4] } })]), '')
  assert.ok(sold)
  assert.deepEqual(cellOf(sold, 2, context).reasons, ['inventory'])
  const all = calendar([])
  all.rooms = [{ roomId: 'TWN', name: 'Twin', rates: [rate({ unsellable: { runs: [noUnits, 4] } })] }]
  const [twin, twinRate] = rowsOf(all, '')
  assert.ok(twin && twinRate)
  assert.deepEqual(cellOf(twin, 2, context).reasons, ['unpushed'])
  assert.deepEqual(cellOf(twinRate, 2, context).reasons, ['unpushed'])
  assert.equal(lookOf(cellOf(twinRate, 2, context)), 'missing')
})

test('of many markers a cell shows what it has room for', () => {
  const [, row] = rowsOf(
    calendar([rate({ minLengthStay: { runs: [2, 4] }, minAdvanceDays: { runs: [7, 4] } })]),
    '',
  )
  assert.ok(row)
  const texts = (density: 'week' | 'fortnight' | 'month') =>
    markersOf(cellOf(row, 0, context), density).map(({ text }) => text)
  assert.deepEqual(texts('week'), ['≥2', '≥7d'])
  assert.deepEqual(texts('fortnight'), ['≥2', '≥7d'])
  assert.deepEqual(texts('month'), ['≥2', '+'])
  const beside = (taken: number) => markersOf(cellOf(row, 0, context), 'month', taken).map(({ text }) => text)
  assert.deepEqual([beside(21), beside(30)], [['+'], []])
})

test('a search finds rooms with all their rates, and rates with their room', () => {
  const all = calendar([rate(), rate({ rateId: 'HB', name: 'Half board' })])
  const names = (search: string) =>
    rowsOf(all, search).map((row) => (row.kind === 'room' ? row.room.roomId : row.rate.rateId))
  assert.deepEqual(names(''), ['DBL', 'BAR', 'HB', 'TWN', 'NRF'])
  assert.deepEqual(names('double'), ['DBL', 'BAR', 'HB'])
  assert.deepEqual(names('half'), ['DBL', 'HB'])
  assert.deepEqual(names('nothing'), [])
})

test('prices have the currency’s digits, and none where there is no room', () => {
  assert.deepEqual(
    [priceText(12_550, 2, false), priceText(12_550, 2, true), priceText(1_500, 0, false)],
    ['125.50', '126', '1500'],
  )
})

test('only rows and nights in sight are made, with a few around them', () => {
  const tops = topsOf(Array.from({ length: 240 }, (_, index) => (index % 6 === 0 ? 'room' : 'rate')))
  const width = nightWidthOf('month', 1_220)
  const view = { left: 100 * width, top: 1_000, width: 1_220, height: 600 }
  const seen = visibleRange(view, tops, width, 760)
  assert.ok((tops[seen.firstRow] ?? 0) <= 1_000 && (tops[seen.endRow] ?? 0) >= 1_000 + 600 - headHeight)
  assert.ok(seen.firstTile * tileNights <= 100 && seen.endTile * tileNights >= 131)
  assert.ok(seen.endRow - seen.firstRow < 30 && (seen.endTile - seen.firstTile) * tileNights < 60)
  const end = visibleRange({ ...view, left: 760 * width, top: 1e6 }, tops, width, 760)
  assert.deepEqual([end.endRow, end.endTile], [240, Math.ceil(760 / tileNights)])
  for (let row = 0; row < 240; row++) {
    assert.equal(rowAt(tops, tops[row] ?? 0), row)
    assert.equal(rowAt(tops, (tops[row + 1] ?? 0) - 1), row)
  }
})

test('as many nights as the density says fit beside the row heads, where they can be read', () => {
  assert.equal(nightWidthOf('week', 220 + 7 * 100), 100)
  assert.equal(nightWidthOf('month', 220 + 31 * 10), 38)
})

test('a cell is scrolled to by as little as is needed', () => {
  const tops = topsOf(['room', 'rate', 'rate'])
  const view = {
    left: 380,
    top: 0,
    width: 220 + 12 * 38,
    height: headHeight + rowHeight.room + rowHeight.rate,
  }
  assert.deepEqual(scrollFor({ row: 1, night: 12 }, view, tops, 38), { left: 380, top: 0 })
  assert.deepEqual(scrollFor({ row: 2, night: 9 }, view, tops, 38), { left: 9 * 38, top: rowHeight.rate })
  assert.deepEqual(scrollFor({ row: 0, night: 25 }, view, tops, 38), { left: 14 * 38, top: 0 })
})

test('keys move by a cell, by a page and to the ends, and never out of the grid', () => {
  const bounds = { rows: 10, nights: 100, rowsOfPage: 5, nightsOfPage: 14, isWhole: false }
  const at = { row: 1, night: 3 }
  assert.deepEqual(movedBy('ArrowLeft', at, bounds), { row: 1, night: 2 })
  assert.deepEqual(movedBy('PageUp', at, bounds), { row: 0, night: 3 })
  assert.deepEqual(movedBy('End', at, bounds), { row: 1, night: 99 })
  assert.deepEqual(movedBy('End', at, { ...bounds, isWhole: true }), { row: 9, night: 99 })
  assert.deepEqual(movedBy('ArrowRight', at, { ...bounds, isWhole: true }), { row: 1, night: 17 })
  assert.equal(movedBy('x', at, bounds), undefined)
})

test('days, weekends and months are those of the calendar', () => {
  assert.deepEqual([dayOf('2027-03-01'), dateOf(20_878), dayOf('x')], [20_878, '2027-03-01', undefined])
  assert.deepEqual([isWeekend(20_878), isWeekend(20_883)], [false, true])
  assert.deepEqual(monthsOf(20_876, 40), [
    { first: 0, nights: 2, key: '2027-02' },
    { first: 2, nights: 31, key: '2027-03' },
    { first: 33, nights: 7, key: '2027-04' },
  ])
})
