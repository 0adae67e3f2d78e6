import fc from 'fast-check'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dayIn, daysIn, firstDay, formatNight, monthOf, parseNight, weekdayOf, weekdays } from './calendar.ts'

const first = Date.parse('2000-01-01') / 86_400_000
const last = Date.parse('2199-12-31') / 86_400_000

test('every night of two centuries is read, written and counted as UTC dates are', () => {
  for (let day = first; day <= last; day++) {
    const date = new Date(day * 86_400_000)
    const text = date.toISOString().slice(0, 10)
    assert.equal(parseNight(text), day)
    assert.equal(formatNight(day), text)
    const month = monthOf(day)
    assert.equal(month, date.getUTCFullYear() * 12 + date.getUTCMonth())
    assert.equal(firstDay(month), day - date.getUTCDate() + 1)
    assert.equal(daysIn(month), firstDay(month + 1) - firstDay(month))
    assert.equal(
      weekdays[weekdayOf(day)],
      ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'][date.getUTCDay()],
    )
  }
})

test('text that is not a real date is refused', () => {
  const refused = [
    '2027-02-29',
    '2100-02-29',
    '2027-04-31',
    '2027-13-01',
    '2027-00-10',
    '2027-01-00',
    '2027-01-32',
    '1999-12-31',
    '2200-01-01',
  ]
  const misshapen = [
    'infinity',
    '-infinity',
    'today',
    'now',
    'epoch',
    '',
    '2027-1-1',
    '20270101',
    '2027-01-01T00:00:00Z',
    ' 2027-01-01',
    '2027-01-01\n',
    '+002027-01-01',
    '２０２７-01-01',
  ]
  for (const text of [...refused, ...misshapen]) assert.equal(parseNight(text), undefined, text)
  assert.equal(formatNight(parseNight('2028-02-29') ?? 0), '2028-02-29')
  fc.assert(
    fc.property(fc.string(), (text) => {
      const day = parseNight(text)
      assert.equal(day === undefined || formatNight(day) === text, true)
    }),
  )
})

/** Zones far apart, with clock changes at midnight, by half an hour, or all around the year. */
const zones = [
  'Pacific/Pago_Pago',
  'America/Havana',
  'America/Scoresbysund',
  'America/Santiago',
  'Africa/Cairo',
  'Africa/Casablanca',
  'Asia/Beirut',
  'Asia/Kathmandu',
  'Asia/Gaza',
  'Australia/Lord_Howe',
  'Europe/Paris',
  'Pacific/Chatham',
  'Pacific/Kiritimati',
  'UTC',
]
const formats = new Map(
  zones.map((timeZone) => [
    timeZone,
    new Intl.DateTimeFormat('sv-SE', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' }),
  ]),
)

test('the date in a zone matches its clocks and calendars, in any order of queries', () => {
  const year = Date.parse('2027-01-01T00:00:00Z')
  const instant = fc.oneof(
    fc.integer({ min: 0, max: 2 * 366 * 86_400_000 }),
    fc
      .tuple(fc.integer({ min: 0, max: 2 * 366 * 48 }), fc.constantFrom(-1, 0, 1))
      .map(([halfHours, off]) => halfHours * 1_800_000 + off),
  )
  fc.assert(
    fc.property(
      fc.constantFrom(...zones),
      fc.array(instant, { minLength: 1, maxLength: 20 }),
      (zone, instants) => {
        for (const offset of instants) {
          assert.equal(
            formatNight(dayIn(zone, year + offset)),
            formats.get(zone)?.format(year + offset),
            `${zone} ${offset}`,
          )
        }
      },
    ),
    { numRuns: 2_000 },
  )
})

test('one instant is three dates on earth', () => {
  const atMs = Date.parse('2027-03-01T10:30:00Z')
  const dates = ['Pacific/Pago_Pago', 'UTC', 'Pacific/Kiritimati'].map((zone) =>
    formatNight(dayIn(zone, atMs)),
  )
  assert.deepEqual(dates, ['2027-02-28', '2027-03-01', '2027-03-02'])
})
