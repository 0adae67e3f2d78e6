import assert from 'node:assert/strict'
import { test } from 'node:test'
import { transaction } from '../../postgres/transaction.ts'
import { retireCancelCode } from '../../reference/store.ts'
import { gatewayForTests } from '../../../test/stage/harness.ts'
import {
  byDeadline,
  nights,
  percent,
  policiesStage,
  pushPolicies,
} from '../../../test/stage/scenes/policies.ts'
import { ada } from '../../../test/stage/scenes/booking.ts'
import { expectOk } from '../../../test/stage/story.ts'
import { addCancelCode, penaltiesOfCode } from './code-use.ts'

/** Codes that operators add. */

const gateway = await gatewayForTests()
gateway.clock.set('2027-03-01T12:00:00Z')
const { platform, selling, termsOf } = await policiesStage(gateway)

/** As the command line does. */
const add = ({ cancelPenalties, ...entry }: ReturnType<typeof house>): Promise<void> =>
  transaction(gateway.db, (connection) =>
    addCancelCode(connection, {
      ...entry,
      cancelPenalties: penaltiesOfCode(JSON.stringify(cancelPenalties)),
    }),
  )
/** Free until a number of days before the arrival, then the first night. */
const house = (code: string, days: number, description = 'The house’s own') => ({
  code,
  description,
  cancelPenalties: [byDeadline(days, nights(1))],
})
const unknown = { cancellation: 'unknown', freeUntil: null, penalties: null }
const until = (day: string) => {
  const freeUntil = `2027-04-${day}T18:00:00+02:00`
  return { cancellation: 'until', freeUntil, penalties: [`${freeUntil} 100.00`] }
}

test('adding a code gives products that name it its terms, and pushes are warned no longer; what was booked stays', async () => {
  const supplier = await selling([{ code: 'HOUSE' }])
  assert.deepEqual(await termsOf(supplier), unknown)
  const { body } = await platform.post('/booking/reservations', {
    hotel: { supplier: supplier.name, hotelId: 'H1' },
    checkin: '2027-04-20',
    checkout: '2027-04-23',
    rooms: [{ roomId: 'DBL', rateId: 'BAR', adults: 2, guest: ada }],
    customer: ada,
    payment: { type: 'Channel Collect' },
  })
  assert.deepEqual(await pushPolicies(supplier, [{ code: 'HOUSE' }]), [
    'POLICY_TERMS_UNKNOWN /products/0/cancelPolicies/0/code',
  ])
  await add(house('HOUSE', 4))
  assert.deepEqual(await termsOf(supplier), until('16'))
  const { reservation } = expectOk(
    await platform.get(`/booking/reservations/${String(body['reservationId'])}`),
  ).body
  assert.deepEqual(
    [Object(reservation).cancellation, Object(reservation).rooms[0].cancelPolicy.penalties],
    ['unknown', null],
  )
  const { cancelCodes } = expectOk(await supplier.get('/push/reference')).body
  assert.deepEqual([cancelCodes].flat().at(-1), house('HOUSE', 4))
  assert.deepEqual(await pushPolicies(supplier, [{ code: 'HOUSE' }]), [])
  assert.deepEqual(
    await pushPolicies(supplier, [{ code: 'HOUSE', cancelPenalties: [{ penaltyCharge: percent(50) }] }]),
    ['POLICY_CODE_CONTRADICTED /products/0/cancelPolicies/0/cancelPenalties'],
  )
})

test('penalties of a code that a product has are not edited, its description is; of one that nobody has both are', async () => {
  await add(house('QUIET', 4))
  await add(house('QUIET', 5))
  const supplier = await selling([{ code: 'QUIET' }])
  assert.deepEqual(await termsOf(supplier), until('15'))
  await assert.rejects(add(house('QUIET', 3, 'Three days')), {
    status: 409,
    problems: [
      {
        type: 'CODE_IN_USE',
        message: 'Products have the code QUIET: its penalties cannot be changed',
        hint: 'Add another code',
      },
    ],
  })
  await add(house('QUIET', 5, 'Five days'))
  assert.deepEqual(await termsOf(supplier), until('15'))
  const { cancelCodes } = expectOk(await supplier.get('/push/reference')).body
  assert.deepEqual([cancelCodes].flat().at(-1), house('QUIET', 5, 'Five days'))
})

test('the service’s own codes are not edited, and a retired one keeps its terms where it is used', async () => {
  await assert.rejects(add(house('NRF', 1)), { status: 409 })
  assert.equal((await termsOf(await selling([{ code: 'NRF' }]))).cancellation, 'never')
  await add(house('SHORT', 2))
  const supplier = await selling([{ code: 'SHORT' }])
  await retireCancelCode(gateway.db, 'SHORT', gateway.clock.now())
  assert.deepEqual(await termsOf(supplier), until('18'))
  const { cancelCodes } = expectOk(await supplier.get('/push/reference')).body
  assert.equal(
    [cancelCodes].flat().some((listed) => Object(listed).code === 'SHORT'),
    false,
  )
})
