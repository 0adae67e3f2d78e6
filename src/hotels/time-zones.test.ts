import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { isTimeZone } from './hotel-rules.ts'

const listed = Intl.supportedValuesOf('timeZone')

test('every zone that the runtime lists is accepted', () => {
  assert.deepEqual(
    listed.filter((name) => !isTimeZone(name)),
    [],
  )
})

test('older and newer names of a zone are accepted alike', () => {
  const aliases = ['Asia/Calcutta', 'Asia/Kolkata', 'Europe/Kiev', 'Europe/Kyiv', 'US/Eastern', 'Asia/Saigon']
  aliases.push(
    'Asia/Ho_Chi_Minh',
    'America/Buenos_Aires',
    'America/Argentina/Buenos_Aires',
    'Atlantic/Faeroe',
  )
  aliases.push(
    'America/Indiana/Indianapolis',
    'America/Port-au-Prince',
    'Pacific/Kiritimati',
    'Pacific/Pago_Pago',
  )
  aliases.push('UTC', 'Etc/UTC', 'Etc/GMT+11', 'Etc/GMT-14', 'Antarctica/DumontDUrville', 'America/Nuuk')
  assert.deepEqual(
    aliases.filter((name) => !isTimeZone(name)),
    [],
  )
})

test('offsets, names of one word, another case and names of no zone are refused', () => {
  const refused = [
    '',
    '+02:00',
    '-11',
    '+0530',
    'Z',
    'utc',
    'Utc',
    'GMT',
    'CET',
    'EST',
    'EST5EDT',
    'PST',
    'Japan',
  ]
  refused.push(
    'europe/paris',
    'EUROPE/PARIS',
    'Europe/paris',
    'asia/Kolkata',
    'etc/utc',
    'Etc/Utc',
    'Europe/',
  )
  refused.push('Europe/Paris ', ' Europe/Paris', 'Europe/Paris\n', 'Europe/Paris\u0000', 'Europe', '/Paris')
  refused.push('Europe/Atlantis', 'Etc/Unknown', 'SystemV/PST8', 'posix/Europe/Paris', 'Factory', '__proto__')
  refused.push('2027-01-01T00:00[Europe/Paris]', '2027-01-01T00:00Z', `Europe/${'A'.repeat(100_000)}`)
  assert.deepEqual(
    refused.filter((name) => isTimeZone(name)),
    [],
  )
})

test('every accepted zone can be used in calculations, and keeps its name', () => {
  const names = fc.oneof(
    fc.string({ unit: 'binary-ascii', maxLength: 40 }),
    fc.constantFrom(...listed),
    fc.constantFrom(...listed).map((name) => name.toLowerCase()),
    fc.tuple(fc.constantFrom(...listed), fc.string({ maxLength: 3 })).map((parts) => parts.join('')),
  )
  fc.assert(
    fc.property(names, (name) => {
      if (isTimeZone(name)) assert.equal(new Temporal.ZonedDateTime(0n, name).timeZoneId, name)
    }),
  )
})
