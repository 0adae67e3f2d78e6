import assert from 'node:assert/strict'
import type { Reply } from '../harness.ts'
import { addDays } from '../models/naive-ari.ts'
import { asksShown, bodyOf, readAsks } from '../sale/asks.ts'
import { amountText } from '../sale/exact.ts'
import type { Reservation } from '../sale/reservation.ts'
import { totalOf } from '../sale/sale.ts'
import type { Guest, State } from '../sale/state.ts'
import { cancelDue, readDue, readShown, shown } from '../sale/shown.ts'
import { datesOf } from '../sale/stays.ts'
import type { Account } from './account.ts'
import { pushOn, releaseHeld } from './end.ts'
import { bookedAs } from './reservations.ts'
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
  (account, { reservations }, settled) =>
    change(account, reservations.extended, { what: 'extended', departs: 1 }, settled),
  (account, { reservations }, settled) =>
    change(account, reservations.shortened, { what: 'shortened', departs: -1, guest: grace }, settled),
  (account, { reservations }, settled) =>
    change(account, reservations.moved, { what: 'moved', arrives: 2, departs: 1 }, settled),
  (account, { reservations }, settled) =>
    change(account, reservations.postponed, { what: 'postponed', arrives: 1, departs: 1 }, settled),
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
  const { sold } = account.model.answer(checked.asked)
  concludeBooking(account, 'checked', reply, isSamePrice(sold, checked.sold) ? sold : undefined, settled)
}

function isSamePrice(now: State | undefined, then: State): boolean {
  return now?.currency === then.currency && totalOf(now).afterTax === totalOf(then).afterTax
}

function concludeBooking(
  account: Account,
  what: string,
  reply: Reply,
  sold: State | undefined,
  settled: Settled,
): void {
  settled.outcomes.push(`${what} ${sold ? 'booked' : 'refused'}`)
  if (sold) settled.booked.push(bookedAs(account, reply, sold))
  else expectStatus(account, reply, 409)
}

function expectStatus(account: Account, reply: Reply, status: number): void {
  assert.equal(reply.status, status, `${reply.text}, after\n${account.history}`)
}

function expectRefusal(account: Account, reply: Reply, types: readonly string[]): void {
  expectStatus(account, reply, 409)
  const { type } = Object([reply.body['errors']].flat()[0])
  assert.ok(
    types.includes(type),
    `refused as ${type}, not as ${types.join(' or ')}, after\n${account.history}`,
  )
}

/** The same request is answered as the first time. */
async function repeatKept(account: Account, { kept }: UnderWay): Promise<void> {
  const { platform } = account.stage
  const body = bodyOf(account.named, kept.asked)
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
  const { currency, digits } = quoted.sold
  const expectedTotal = { afterTax: amountText(totalOf(quoted.sold).afterTax, digits), currency }
  const { sold } = account.model.answer(quoted.asked)
  const body = bodyOf(account.named, quoted.asked, { expectedTotal })
  const reply = await account.stage.platform.post('/booking/reservations', body)
  account.note('book what was quoted', reply)
  concludeBooking(account, 'quoted', reply, isSamePrice(sold, quoted.sold) ? sold : undefined, settled)
}

/** By how many days it arrives and departs later; a guest for all rooms. */
type Wanted = { what: string; arrives?: number; departs: number; guest?: Guest }

/** A change with what its dry run asks for, which is what the model says; without it, it is refused. */
async function change(
  account: Account,
  reservation: Reservation,
  { what, arrives = 0, departs, guest }: Wanted,
  settled: Settled,
): Promise<void> {
  const { model, stage } = account
  const { id, state: before } = reservation
  const asked = {
    checkin: addDays(before.checkin, arrives),
    checkout: addDays(before.checkout, departs),
    rooms: before.rooms.map(({ number, roomId, rateId, adults, childAges, guest: booked }) => {
      return { number, roomId, rateId, adults, childAges, guest: guest ?? booked }
    }),
  }
  const put = async (more: Record<string, unknown>): Promise<Reply> => {
    const reply = await stage.platform.put(
      `/booking/reservations/${id}`,
      bodyOf(account.named, asked, more, id),
    )
    account.note(what, reply, more)
    return reply
  }
  const expected = model.change(before, asked)
  const outcome = expected.isRefused ? 'refused' : 'booked'
  settled.outcomes.push(`${what} ${outcome}`)
  if (before.currency !== model.currency) settled.outcomes.push(`${what} in another currency ${outcome}`)
  const dry = await put({ dryRun: true })
  if (expected.isRefused) {
    expectRefusal(account, dry, expected.as)
    return expectRefusal(account, await put({}), expected.as)
  }
  const { after, asks } = expected
  const sold = shown(id, after, model.nowMs)
  const told: unknown = dry.body['asks']
  expectStatus(account, dry, 200)
  assert.deepEqual(
    [readAsks(told), readShown(dry.body['reservation']), dry.body['priceChecks']],
    [asksShown(after, asks), sold, []],
    `dry run, after\n${account.history}`,
  )
  const consents = [
    ...(asks.total ? ['PRICE_CHANGED'] : []),
    ...(asks.terms ? ['TERMS_CHANGED'] : []),
    ...(asks.forfeit ? ['PENALTY_DUE'] : []),
  ]
  if (consents.length > 0) {
    settled.outcomes.push(`${what} with consent`)
    expectRefusal(account, await put({}), consents)
  }
  const reply = await put(Object(told))
  expectStatus(account, reply, 200)
  assert.deepEqual(readShown(reply.body['reservation']), sold, `changed, after\n${account.history}`)
  const taken = datesOf(asked).filter((date) => !datesOf(before).includes(date))
  for (const { rateId } of asked.rooms) model.take(rateId, taken)
  reservation.add('Confirm', after, model.nowMs)
}

/** At the penalty that the model says; not once the stay has begun. */
async function cancel(account: Account, reservation: Reservation): Promise<void> {
  const { model, stage } = account
  const { id, state } = reservation
  const due = cancelDue(id, state, model.nowMs)
  const reply = await stage.platform.post(`/booking/reservations/${id}/cancel`, {
    expectedPenalty: due?.amount ?? null,
  })
  account.note('cancel', reply)
  if (model.today > state.checkin) return expectRefusal(account, reply, ['STAY_BEGUN'])
  expectStatus(account, reply, 200)
  assert.deepEqual(readDue(reply.body['penalty']), due, account.history)
  reservation.add('Cancel', state, model.nowMs)
}
