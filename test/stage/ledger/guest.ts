import assert from 'node:assert/strict'
import type { Reply } from '../harness.ts'
import { randomChange, randomStay } from './asked.ts'
import { compareQuote, compareReservation } from './compare.ts'
import { amountText, minorOf } from '../sale/exact.ts'
import { expectStatus, refusalOf, type History } from './history.ts'
import { Reservation } from '../sale/reservation.ts'
import { asksShown, bodyOf, consentsOf, nothingAsked, readAsks } from '../sale/asks.ts'
import { forfeitedOf, isSoldAnew, owedBy, withoutRooms } from '../sale/claims.ts'
import { booked, changed, takesOtherPlan, totalOf, type Asks } from '../sale/sale.ts'
import type { State } from '../sale/state.ts'

/** What guests do: they book, change and cancel, and agree to what they are asked for, or not. */

export async function book(history: History): Promise<void> {
  const { stage, hotel } = history
  const asked = randomStay(history)
  const nowMs = stage.gateway.clock.now()
  const state = booked(asked, { hotel: hotel.naive, nowMs })
  const { afterTax, dueAtProperty } = totalOf(state)
  const expectedTotal = {
    afterTax: amountText(afterTax, state.digits),
    dueAtProperty: amountText(dueAtProperty, state.digits),
  }
  const body = bodyOf(hotel.named, asked, history.random.chance(0.5) ? { expectedTotal } : {})
  const reply = await stage.platform.post('/booking/reservations', body)
  history.note({ book: asked, answered: reply.status, id: reply.body['reservationId'] })
  expectStatus(history, reply, 201)
  const reservation = new Reservation(String(reply.body['reservationId']), state, nowMs)
  history.reservations.push(reservation)
  history.everOwed = 0
  stage.counted.bookings++
  if (state.rooms.some(({ steps }) => !steps)) stage.counted.unknownTerms++
  await compareReservation(history, reservation, reply.body['reservation'])
}

/** A random change of a state. */
/** Needs a reservation whose stay has not begun. */
export async function change(history: History, reservation: Reservation): Promise<void> {
  const { stage, hotel, random } = history
  const { counted } = stage
  const nowMs = stage.gateway.clock.now()
  const before = reservation.state
  const asked = randomChange(history, before)
  const expected = changed(before, asked, { hotel: hotel.naive, nowMs })
  const put = (more: Record<string, unknown>): Promise<Reply> =>
    stage.platform.put(
      `/booking/reservations/${reservation.id}`,
      bodyOf(hotel.named, asked, more, reservation.id),
    )
  history.note({ change: asked, expected: expected.isRefused ? expected : expected.asks })
  if (expected.isRefused) {
    assert.equal(
      refusalOf(history, await put({ expectedTotal: { afterTax: '1' } })),
      'PENALTY_DUE',
      history.text,
    )
    counted.refusedInOtherCurrency++
    return compareReservation(history, reservation)
  }
  const { after, asks, isSame } = expected
  const dry = expectStatus(history, await put({ dryRun: true }), 200)
  counted.dryRuns++
  const told = dry.body['asks']
  const wanted = asksShown(after, isSame ? nothingAsked : asks)
  assert.deepEqual(readAsks(told), wanted, `asks, after\n${history.text}`)
  const consents = consentsOf(after, asks, told)
  if (!isSame && Object.keys(consents).length > 0 && random.chance(0.5)) {
    const missing = random.pick(Object.keys(consents))
    const rest = Object.entries(consents).filter(([name]) => name !== missing)
    assert.equal(
      refusalOf(history, await put(Object.fromEntries(rest))),
      typeOf[missing],
      `without ${missing}, ${history.text}`,
    )
    counted.refusedWithout++
    await compareReservation(history, reservation)
  }
  const quoted = await compareQuote(history, reservation)
  const reply = expectStatus(history, await put(consents), 200)
  if (isSame) {
    counted.unchanged++
    return compareReservation(history, reservation, reply.body['reservation'])
  }
  countAsks(history, { before, after, asks })
  assertAgreed(history, { before, after: reply.body, consents })
  reservation.add('Confirm', after, nowMs)
  await compareReservation(history, reservation, reply.body['reservation'])
  await assertNotLess(history, reservation, { before, quoted })
}

const typeOf: Readonly<Record<string, string>> = {
  expectedTotal: 'PRICE_CHANGED',
  expectedTerms: 'TERMS_CHANGED',
  acceptForfeit: 'PENALTY_DUE',
}

function countAsks(
  { stage: { counted } }: History,
  { before, after, asks }: { before: State; after: State; asks: Asks },
): void {
  counted.changes++
  if (asks.total) counted.totalsAsked++
  if (asks.terms) counted.termsAsked++
  if (after.rooms.some((room) => takesOtherPlan(room, before))) counted.mealPlansAsked++
  if (asks.forfeit) counted.forfeitsAsked++
  if (forfeitedOf(after) < forfeitedOf(before)) counted.forfeitsLowered++
  const owed = (state: State): number => state.rooms.reduce((all, room) => all + owedBy(room), 0)
  if (owed(after) > owed(before)) counted.owedRaised++
}

/** Of what is answered alone: nothing is higher than before but what the guest agreed to. */
function assertAgreed(
  history: History,
  {
    before,
    after,
    consents,
  }: { before: State; after: Record<string, unknown>; consents: Record<string, unknown> },
): void {
  const { afterTax, dueAtProperty } = Object(after['total'])
  const { digits } = before
  if (after['currency'] !== before.currency) {
    assert.deepEqual(consents['expectedTotal'], { afterTax, currency: after['currency'] }, history.text)
    return
  }
  const minor = (text: unknown): number => minorOf(String(text), digits)
  const total = totalOf(before)
  const isDearer = minor(afterTax) > total.afterTax || minor(dueAtProperty) > total.dueAtProperty
  if (isDearer)
    assert.equal(Object(consents['expectedTotal']).afterTax, afterTax, `charged, after\n${history.text}`)
  if (minor(after['forfeited']) > forfeitedOf(before))
    assert.equal(consents['acceptForfeit'], after['forfeited'], `forfeited, after\n${history.text}`)
}

/**
 * Of what is answered alone: the hotel gets no less than before, whatever the guest does now, and stays told so. After a mere
 * change of names it may get less later, where the terms say so.
 */
async function assertNotLess(
  history: History,
  reservation: Reservation,
  { before, quoted }: { before: State; quoted: string | null },
): Promise<void> {
  const { state } = reservation
  if (state.currency !== before.currency) {
    history.everOwed = 0
    return
  }
  const owed = Math.max(history.everOwed, minorOf(quoted ?? '0', state.digits))
  if (isSoldAnew(before, state)) history.everOwed = owed
  const now = minorOf((await compareQuote(history, reservation)) ?? '0', state.digits)
  const isTold = `after\n${history.text}`
  assert.ok(now >= owed, `cancelling costs ${now} and ${owed} was owed, ${isTold}`)
  const charged = totalOf(state).afterTax + forfeitedOf(state)
  assert.ok(charged >= owed, `${charged} is charged and ${owed} was owed, ${isTold}`)
}

export async function cancel(history: History, reservation: Reservation): Promise<void> {
  const { stage, random } = history
  const { id, state } = reservation
  const nowMs = stage.gateway.clock.now()
  const isPart = state.rooms.length > 1 && random.chance(0.7)
  const numbers = isPart ? [random.pick(state.rooms).number] : undefined
  const quoted = await compareQuote(history, reservation, numbers)
  const whole = numbers ? await compareQuote(history, reservation) : quoted
  const post = (body: object): Promise<Reply> =>
    stage.platform.post(`/booking/reservations/${id}/cancel`, {
      ...(numbers ? { rooms: numbers.map((number) => `${id}-${number}`) } : {}),
      ...body,
    })
  history.note({ cancel: id, numbers, quoted })
  if (random.chance(0.3)) {
    const other = quoted === null ? '0' : amountText(minorOf(quoted, state.digits) + 1, state.digits)
    assert.equal(refusalOf(history, await post({ expectedPenalty: other })), 'PENALTY_CHANGED')
    stage.counted.refusedPenalties++
    await compareReservation(history, reservation)
  }
  const reply = expectStatus(history, await post(random.chance(0.7) ? { expectedPenalty: quoted } : {}), 200)
  const { penalty, reservation: answered } = reply.body
  assert.equal(Object(penalty ?? { amount: null }).amount, quoted, `penalty, after\n${history.text}`)
  if (numbers) {
    reservation.add('Confirm', withoutRooms(state, numbers, nowMs), nowMs)
    stage.counted.roomCancels++
    await compareReservation(history, reservation, answered)
    return assertNotLess(history, reservation, { before: state, quoted: whole })
  }
  const charged = minorOf(quoted ?? '0', state.digits)
  assert.ok(
    charged >= history.everOwed,
    `${charged} for cancelling, ${history.everOwed} was owed, ${history.text}`,
  )
  reservation.add('Cancel', state, nowMs)
  stage.counted.cancels++
  await compareReservation(history, reservation, answered)
}
