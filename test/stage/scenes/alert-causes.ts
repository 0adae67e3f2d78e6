import assert from 'node:assert/strict'
import type { Shop } from './booking.ts'
import { expectOk } from '../story.ts'

/** What makes an alert, or ends one, by the front door. */

export const closeNights = ({ supplier }: Shop, closed: boolean, endDate: string): Promise<unknown> =>
  supplier.post('/push/ari', {
    hotelId: 'H1',
    ari: [{ roomId: 'DBL', startDate: '2027-03-02', endDate, closed }],
  })

/** Items of rooms that nobody pushed. */
export const pushUnknown = async ({ supplier }: Shop, items: number): Promise<void> => {
  const ari = Array.from({ length: items }, (_, index) => ({
    roomId: `${items}-${index}`,
    date: '2027-04-01',
    inventory: 1,
  }))
  assert.equal((await supplier.post('/push/ari', { hotelId: 'H1', ari })).status, 404)
}

export async function acknowledgeAll({ supplier }: Shop): Promise<void> {
  const { body } = expectOk(await supplier.get('/push/webhook/pushbook/retrieve'))
  const reservations = Object(body)['data'].flatMap(
    (one: { reservations: { reservation: unknown[] } }) => one.reservations.reservation,
  )
  const acknowledged = reservations.map((one: Record<string, unknown>) => ({
    reservation_id: one['reservation_id'],
    reservation_version: one['reservation_version'],
  }))
  expectOk(await supplier.post('/push/webhook/pushbook/ack', { reservations: acknowledged }))
}

export const dropPrice = async ({ supplier }: Shop, date: string): Promise<void> => {
  const rates = [{ rateId: 'BAR', price: 10 }]
  const ari = [{ roomId: 'DBL', date, rates }]
  const reply = await supplier.post('/push/ari', { hotelId: 'H1', pricingModel: 'unit', ari })
  assert.equal(reply.status, 207, reply.text)
}
