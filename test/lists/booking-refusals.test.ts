import assert from 'node:assert/strict'
import { test } from 'node:test'
import { reservationErrors } from '../../src/bookings/errors-contract.ts'
import { refusals } from '../../src/bookings/refusal-contract.ts'

/** Refusals of another status than 409: something is wrong with the request, or what it names isn't there. */
const others: readonly string[] = [
  'HOTEL_NOT_FOUND',
  'SUPPLIER_NOT_FOUND',
  'ROOM_NOT_FOUND',
  'RATE_NOT_FOUND',
  'RESERVATION_NOT_FOUND',
  'ROOM_RESERVATION_NOT_FOUND',
  'ROOM_RESERVATION_REPEATED',
  'HOTEL_CHANGED',
  'EXPECTED_TERMS_COUNT',
]

test('every refusal of a booking with 409 is in the client’s union of refusals', () => {
  const types = [...new Set(Object.values(reservationErrors).map(({ type }) => type))]
  assert.deepEqual(
    types.filter((type) => !others.includes(type)).toSorted(),
    Object.keys(refusals).toSorted(),
  )
})
