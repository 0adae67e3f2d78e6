import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nearestName } from './spelling.ts'

const known = ['childAges', 'adults', 'checkin', 'rooms', 'roomId', 'rateId', 'zip']

const meant: [string, string | undefined][] = [
  ['childages', 'childAges'],
  ['child_ages', 'childAges'],
  ['childrenAges', 'childAges'],
  ['adult', 'adults'],
  ['checkIn', 'checkin'],
  ['chekin', 'checkin'],
  ['room', 'rooms'],
  ['room-id', 'roomId'],
  ['ZIP', 'zip'],
  ['pin', undefined],
  ['arrival', undefined],
  ['channelManagerId', undefined],
  ['ad\u0000ults', undefined],
  ['adults'.repeat(1_000), undefined],
  ['', undefined],
]

for (const [name, expected] of meant) {
  test(`${JSON.stringify(name.slice(0, 20))} means ${expected ?? 'none of those known'}`, () => {
    assert.equal(nearestName(name, known), expected)
  })
}
