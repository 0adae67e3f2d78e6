import assert from 'node:assert/strict'
import type { Reply } from '../harness.ts'
import { addDays } from '../models/naive-ari.ts'
import type { Account } from './account.ts'
import { pushOn, releaseHeld } from './end.ts'
import { nightsIn, type Asked, type Sold } from './naive-account.ts'
import { bodyOf, bookedAs, owed, type Reservation } from './reservations.ts'
import { bookingKey, pushKey, type UnderWay } from './under-way.ts'

/** What was under way goes on after the changes, as the model says. */

const grace = { firstName: 'Grace', lastName: 'Hopper' }

export type Settled = { booked: Reservation[]; outcomes: string[] }
export type Action = (account: Account, underWay: UnderWay, settled: Settled) => Promise<unknown>

/** In any order, each once. */
export const actions: readonly Action[] = [
  answerCheck,
  repeatKept,
  bookQuoted,
  extend,
  shorten,
  (account, { reservations }) => cancel(account, reservations.cancelled),
  (account, { reservations }) => cancel(account, reservations.cancelledLater),
  pushOn,
  releaseHeld,
]

/** The price that the supplier was asked about is booked if it is still the stored one. */
async function answerCheck(account: Account, { checked }: UnderWay, settled: Settled): Promise<void> {
  checked.answer()
  const reply = await checked.reply
  account.note('the check is answered', reply)
  const { sold } = account.model.answer('BAR', checked.asked)
  const isSame =
    sold?.total.afterTax === checked.sold.total.afterTax && sold.currency === checked.sold.currency
  concludeBooking(account, 'checked', reply, isSame ? sold : undefined, settled)
}

function concludeBooking(
  account: Account,
  what: string,
  reply: Reply,
  sold: Sold | undefined,
  settled: Settled,
): void {
  settled.outcomes.push(`${what} ${sold ? 'booked' : 'refused'}`)
  if (sold) settled.booked.push(bookedAs(account, reply, sold))
  else expectStatus(account, reply, 409)
}

function expectStatus(account: Account, reply: Reply, status: number): void {
  assert.equal(reply.status, status, `${reply.text}, after\n${account.history}`)
}

/** The same request is answered as the first time. */
async function repeatKept(account: Account, { reservations, kept }: UnderWay): Promise<void> {
  const { platform } = account.stage
  const { asked } = reservations.waiting.last.sold
  const body = bodyOf(account, 'BAR', asked)
  const again = await platform.post('/booking/reservations', body, bookingKey(account))
  account.note('repeat', again)
  assert.deepEqual(
    [again.status, again.body, again.headers.get('idempotency-replayed')],
    [201, kept.booking.body, 'true'],
    account.history,
  )
  // Another key has answers of its own.
  if (account.key > 0) return
  const pushed = await account.post('/push/ari', { hotelId: 'H1', ...kept.pushed }, pushKey)
  assert.deepEqual([pushed.status, pushed.body], [200, kept.push.body], account.history)
}

/** The offer that the guest has seen is booked at that price, or not at all. */
async function bookQuoted(account: Account, { quoted }: UnderWay, settled: Settled): Promise<void> {
  const { rateId, asked } = quoted
  const { total, currency } = quoted.sold
  const expectedTotal = { afterTax: total.afterTax, currency }
  const { sold } = account.model.answer(rateId, asked)
  const isSame = sold?.total.afterTax === total.afterTax && sold.currency === currency
  const reply = await account.stage.platform.post(
    '/booking/reservations',
    bodyOf(account, rateId, asked, { expectedTotal }),
  )
  account.note('book what was quoted', reply)
  concludeBooking(account, 'quoted', reply, isSame ? sold : undefined, settled)
}

const longer = (asked: Asked, nights: number): Asked => ({
  ...asked,
  checkout: addDays(asked.checkout, nights),
})

/** A longer stay is sold as of now; in another currency only if giving the old one up costs nothing. */
async function extend(
  account: Account,
  { reservations: { extended } }: UnderWay,
  settled: Settled,
): Promise<void> {
  const { last, id } = extended
  const { asked: before, rateId, currency } = last.sold
  const asked = longer(before, 1)
  const { sold } = account.model.answer(rateId, asked, nightsIn(before))
  const isOtherCurrency = account.model.hotel.currency !== currency
  const isAllowed = !isOtherCurrency || Number(owed(account, extended)) === 0
  const more = sold ? { expectedTotal: { afterTax: sold.total.afterTax, currency: sold.currency } } : {}
  const body = bodyOf(account, rateId, asked, more)
  const reply = await account.stage.platform.put(`/booking/reservations/${id}`, body)
  account.note('extend', reply)
  settled.outcomes.push(`extended ${sold && isAllowed ? 'booked' : 'refused'}`)
  if (!sold || !isAllowed) return expectStatus(account, reply, 409)
  expectStatus(account, reply, 200)
  account.model.take(rateId, nightsIn(asked).slice(nightsIn(before).length))
  extended.changed(sold)
}

/** Giving up a night is never refused; what is kept keeps its price and terms. */
async function shorten(account: Account, { reservations: { shortened } }: UnderWay): Promise<void> {
  const { sold } = shortened.last
  const asked = longer(sold.asked, -1)
  const body = bodyOf(account, sold.rateId, asked, {}, grace)
  const reply = await account.stage.platform.put(`/booking/reservations/${shortened.id}`, body)
  account.note('shorten', reply)
  expectStatus(account, reply, 200)
  shortened.changed(shortened.pricing.shortened(sold, asked), grace)
}

async function cancel(account: Account, reservation: Reservation): Promise<void> {
  const due = owed(account, reservation)
  const reply = await account.stage.platform.post(`/booking/reservations/${reservation.id}/cancel`, {})
  account.note('cancel', reply)
  assert.deepEqual(
    { status: reply.status, penalty: Object(reply.body['penalty']).amount },
    { status: 200, penalty: due },
    account.history,
  )
  reservation.cancelled(due)
}
