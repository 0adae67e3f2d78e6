import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import {
  bookingBody,
  changeAsAsked,
  expectStatus,
  idOf,
  openShop,
  room,
  vat,
  type Shop,
} from '../../../test/stage/scenes/booking.ts'
import { gatewayForCalls, liveUrl } from '../../../test/stage/under-way/calls.ts'
import { expectOk } from '../../../test/stage/story.ts'

/** BAR at 100.00 a night, with 10 % VAT and 30.00 for cleaning once a stay. */

const gateway = await gatewayForCalls()
const shop = await openShop(gateway, 'Acme', { inventory: 9 })
const live = await openShop(gateway, 'Live', { inventory: 9 })
const url = await liveUrl(live)
const cleaning = {
  type: 'OTHER_TAX',
  valueType: 'fixed',
  value: 30,
  appliedOn: 'net',
  appliedPer: 'per_room_per_stay',
  included: false,
  payNow: true,
}
const pushTaxes = async ({ supplier }: Shop, ...taxes: unknown[]): Promise<void> => {
  expectOk(await supplier.post('/push/taxes', { hotelId: 'H1', taxes }))
}
before(() => pushTaxes(shop, cleaning))

test('what is charged once a stay stays charged as it was booked, whichever of its nights are kept and added', async () => {
  const dates = [
    ['2027-04-20', '2027-04-22', '230.00'],
    ['2027-04-20', '2027-04-24', '430.00'],
    ['2027-04-22', '2027-04-24', '230.00'],
    ['2027-04-23', '2027-04-26', '330.00'],
  ] as const
  const rooms = [room()]
  const [first, ...others] = dates
  const id = idOf(await shop.book({ checkin: first[0], checkout: first[1], rooms }))
  await pushTaxes(shop, { ...cleaning, value: 40 })
  const charged: unknown[] = [first[2]]
  for (const [checkin, checkout] of others) {
    const { body } = expectOk(
      await changeAsAsked(shop.platform, id, bookingBody('Acme', { checkin, checkout, rooms })),
    )
    charged.push(Object(body['total']).afterTax)
  }
  assert.deepEqual(
    charged,
    dates.map(([, , afterTax]) => afterTax),
  )
})

type Dates = { checkin: string; checkout: string }
type Answer = Parameters<typeof url.answers>[0]
/** One added night at 120.00, with all that a stay of one night is charged: 12.00 of VAT and the cleaning. */
const added = { before: [120], after: [162] }
const april = (from: number, to: number): Dates => ({ checkin: `2027-04-${from}`, checkout: `2027-04-${to}` })

async function bookLive(answer: Answer, dates: Dates, afterTax: string): Promise<string> {
  url.answers(answer)
  return idOf(await live.book({ ...dates, expectedTotal: { afterTax } }))
}

/** The total at which a change is possible, after it is made, and the lines of taxes. */
async function changedLive(id: string, answer: Answer, dates: Dates): Promise<unknown[]> {
  url.answers(answer)
  const path = `/booking/reservations/${id}`
  const body = bookingBody('Live', dates)
  const first = await live.platform.put(path, body)
  const { total, currency } = first.body
  const expectedTotal = { afterTax: Object(total).afterTax, currency }
  const reply = first.status === 409 ? await live.platform.put(path, { ...body, expectedTotal }) : first
  const { total: charged, rooms } = Object(expectStatus(reply, 200).body['reservation'])
  const lines: Record<string, unknown>[] = rooms[0].taxes
  return [charged.afterTax, ...lines.map(({ type, amount }) => [type, amount].join(' ')).sort()]
}

test('nights added at a live price don’t bring the charge again, and whatever is kept then has it once', async () => {
  await pushTaxes(live, vat, cleaning)
  const stored = { before: [100, 100], after: [125, 125] }
  const longer = ['382.00', 'OTHER_TAX 30.00', 'VAT 12.00', 'VAT 20.00']
  const id = await bookLive(stored, april(20, 22), '250.00')
  assert.deepEqual(await changedLive(id, added, april(20, 23)), longer)
  assert.deepEqual(await changedLive(id, {}, april(20, 22)), ['250.00', 'OTHER_TAX 30.00', 'VAT 20.00'])
  assert.deepEqual(await changedLive(id, added, april(19, 23)), [
    '514.00',
    'OTHER_TAX 30.00',
    'VAT 12.00',
    'VAT 12.00',
    'VAT 20.00',
  ])
  assert.deepEqual(await changedLive(id, {}, april(22, 23)), ['162.00', 'OTHER_TAX 30.00', 'VAT 12.00'])
})

test('a live price has the charge until nights at the pushed price are added, which are charged with it then', async () => {
  await pushTaxes(live, vat, cleaning)
  const id = await bookLive({ before: [120, 120], after: [147, 147] }, april(20, 22), '294.00')
  const inStep = { before: [100], after: [140] }
  const longer = await changedLive(id, inStep, april(19, 22))
  assert.deepEqual(longer, ['404.00', 'OTHER_TAX 30.00', 'VAT 10.00', 'VAT 24.00'])
  assert.deepEqual(await changedLive(id, {}, april(20, 22)), ['294.00', 'OTHER_TAX 30.00', 'VAT 24.00'])
  assert.deepEqual(await changedLive(id, added, april(20, 23)), [
    '426.00',
    'OTHER_TAX 30.00',
    'VAT 12.00',
    'VAT 24.00',
  ])
  assert.deepEqual(await changedLive(id, {}, april(21, 22)), ['162.00', 'OTHER_TAX 30.00', 'VAT 12.00'])
})

test('an answer without the charge is charged as it is, and one of another amount has it as it was booked', async () => {
  await pushTaxes(live, vat, cleaning)
  const stored = { before: [100, 100], after: [125, 125] }
  const [without, other] = [
    await bookLive(stored, april(20, 22), '250.00'),
    await bookLive(stored, april(20, 22), '250.00'),
  ]
  const plain = await changedLive(without, { before: [120], after: [135] }, april(20, 23))
  assert.deepEqual(plain, ['385.00', 'OTHER_TAX 3.00', 'OTHER_TAX 30.00', 'VAT 12.00', 'VAT 20.00'])
  await pushTaxes(live, vat, { ...cleaning, value: 40 })
  const dearer = await changedLive(other, { before: [120], after: [172] }, april(20, 23))
  assert.deepEqual(dearer, ['382.00', 'OTHER_TAX 30.00', 'VAT 12.00', 'VAT 20.00'])
})
