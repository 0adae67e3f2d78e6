import assert from 'node:assert/strict'
import type { Reply } from '../harness.ts'
import { bodyOf } from '../sale/asks.ts'
import type { Reservation } from '../sale/reservation.ts'
import type { Asked, State } from '../sale/state.ts'
import { daysBefore, type NaivePenalty, type Policy } from '../sale/terms.ts'
import { createJob, ndjson, upload } from '../scenes/bulk.ts'
import { until } from '../scenes/deliveries.ts'
import { expectOk } from '../story.ts'
import { roomId } from '../withheld/lines.ts'
import type { Account, AriSent } from './account.ts'
import { nightOf, nights } from './changes.ts'
import { stayOf } from './naive-account.ts'
import { book } from './reservations.ts'

/** What exists or is under way while something changes. */

export type UnderWay = {
  /** The first day of the account, from which nights are counted. */
  first: string
  /** Each with its next change. */
  reservations: Record<
    'shortened' | 'extended' | 'moved' | 'postponed' | 'waiting' | 'cancelled' | 'cancelledLater',
    Reservation
  >
  /** The answer to a booking under an Idempotency-Key, and that to a push. */
  kept: { asked: Asked; booking: Reply; push: Reply; pushed: AriSent }
  /** The push that is undone, by its revision, and the one that is held. */
  undone: { revision: number }
  held: { number: number }
  /** An offer that the guest has seen. */
  quoted: { asked: Asked; sold: State }
  /** A booking of which the supplier is being asked. */
  checked: { asked: Asked; sold: State; reply: Promise<Reply>; answer: () => void }
  load: { jobId: string; sent: AriSent }
}

/** Of the platform, which has all accounts. */
export const bookingKey = ({ name }: Account) => ({ 'idempotency-key': `kept-${name}` })
export const pushKey = { 'idempotency-key': 'kept-push' }

export async function open(account: Account): Promise<UnderWay> {
  const { model } = account
  const first = model.today
  await stock(account, first)
  const stay = (rateId: string, from: number, count: number, adults: number, childAges: number[] = []) =>
    stayOf(
      rateId,
      { checkin: nightOf(first, from), checkout: nightOf(first, from + count) },
      { adults, childAges },
    )

  const pushed = { sequence: 101, pricingModel: 'unit', ari: [undoneItem(first)] }
  const { reply: push } = await account.pushAri(pushed, pushKey)
  await account.pushGuard()
  const { number } = await account.pushAri(heldPush(first))

  const alone = stay('BAR', 9, 1, 1)
  const waiting = await book(account, alone, bookingKey(account))
  account.refusedOnce.add(waiting.reservation.id)
  const reservations = {
    shortened: (await book(account, stay('BAR', 5, 3, 2, [5]))).reservation,
    extended: (await book(account, stay('FLX', 10, 2, 1, [5]))).reservation,
    moved: (await book(account, stay('NRF', 13, 3, 2))).reservation,
    postponed: (await book(account, stay('BAR', 15, 1, 2))).reservation,
    waiting: waiting.reservation,
    cancelled: (await book(account, stay('NRF', 6, 2, 2))).reservation,
    cancelledLater: (await book(account, stay('BAR', 4, 1, 2))).reservation,
  }
  await account.register('first')
  const count = Object.keys(reservations).length
  await until('the first versions are sent', () => account.delivered.length === count)

  const asked = stay('NRF', 8, 2, 1, [5])
  const { sold } = model.answer(asked)
  assert.ok(sold)
  return {
    first,
    reservations,
    kept: { asked: alone, booking: waiting.reply, push, pushed },
    undone: { revision: Number(push.body['revision']) },
    held: { number },
    quoted: { asked, sold },
    checked: await beginCheck(account, stay('BAR', 12, 2, 2)),
    load: await queueLoad(account, first),
  }
}

/** The hotel with its prices, before anything else. */
async function stock(account: Account, first: string): Promise<void> {
  const { model } = account
  const occupancy = { maxOccupancy: 3, maxAdult: 2, maxChild: 2 }
  const common = { isAvailable: true, mealPlan: 'RO', occupancy, isFormer: false }
  const late: NaivePenalty = { deadline: daysBefore(2), charge: { nights: 1 } }
  const policies: Record<string, Policy> = {
    BAR: { code: 'SMALL', penalties: [{ charge: { flat: 20 } }, late] },
    NRF: { code: 'NRF', isListed: true, penalties: [{ charge: 'stay' }] },
    FLX: {
      code: 'FLEX2',
      isListed: true,
      penalties: [late],
      fees: [{ name: 'Resort', valueType: 'fixed', value: '9', appliedPer: 'per_person_per_night' }],
    },
  }
  model.rates = Object.entries(policies).map(([rateId, policy]) => ({ ...common, rateId, policy }))
  const common2 = { appliedOn: 'net', included: false } as const
  model.taxes = [
    { ...common2, type: 'VAT', valueType: '%', value: '10', appliedPer: 'per_room_per_night', payNow: true },
    {
      ...common2,
      type: 'CITY_TAX',
      valueType: 'fixed',
      value: '3',
      appliedPer: 'per_person_per_night',
      payNow: false,
    },
    {
      ...common2,
      type: 'OTHER_TAX',
      valueType: 'fixed',
      value: '15',
      appliedPer: 'per_room_per_stay',
      payNow: true,
    },
  ]
  await account.pushHotel()
  await account.pushProducts()
  await account.pushTaxes()
  const rates = [
    { rateId: 'BAR', price: 200, inventory: 4 },
    { rateId: 'NRF', price: 160, inventory: 4 },
    { rateId: 'FLX', price: 180, inventory: 4 },
  ]
  const ari = [{ roomId, ...nights(first, 3, 18), inventory: 5, rates }]
  await account.pushAri({ sequence: 100, pricingModel: 'unit', ari })
  model.guard.settings = {
    ...model.guard.settings,
    rules: [{ kind: 'priceDrop', percent: 30, action: 'hold' }],
  }
}

function undoneItem(first: string): AriSent['ari'][number] {
  const rates = [{ rateId: 'NRF', price: 180, minStayArrival: 2 }]
  return { roomId, ...nights(first, 6, 8), rates }
}

function heldPush(first: string): AriSent {
  const rates = [{ rateId: 'BAR', price: 100 }]
  return { sequence: 102, pricingModel: 'unit', ari: [{ roomId, ...nights(first, 14, 15), rates }] }
}

/** The supplier is asked, and doesn't answer yet. */
async function beginCheck(account: Account, asked: Asked): Promise<UnderWay['checked']> {
  const { sold } = account.model.answer(asked)
  assert.ok(sold)
  const { promise, resolve } = Promise.withResolvers<void>()
  account.holding = promise
  const reply = account.stage.platform.post('/booking/reservations', bodyOf(account.named, asked))
  await until('the supplier is asked', () => account.checksHeld === 1)
  account.holding = undefined
  return { asked, sold, reply, answer: resolve }
}

async function queueLoad(account: Account, first: string): Promise<UnderWay['load']> {
  const rates = [{ rateId: 'BAR', price: 240 }]
  const sent = { pricingModel: 'unit', ari: [{ roomId, ...nights(first, 16, 17), inventory: 6, rates }] }
  const jobId = await createJob(account.supplier, { kind: 'ari' })
  expectOk(await upload(account.supplier, jobId, ndjson([{ hotelId: 'H1', ...sent }])))
  expectOk(await account.supplier.post(`/push/bulk/${jobId}/start`, {}))
  return { jobId, sent }
}
