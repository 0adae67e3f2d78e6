import assert from 'node:assert/strict'
import { setTimeout as wait } from 'node:timers/promises'
import { expectOk } from '../story.ts'
import { minutes } from '../pace.ts'
import { amountText } from '../sale/exact.ts'
import type { History } from './history.ts'
import type { Reservation } from '../sale/reservation.ts'
import { forfeitedOf } from '../sale/claims.ts'
import { totalOf } from '../sale/sale.ts'
import { delivered, readDelivered } from '../sale/delivered.ts'
import { cancelDue, readDue, readShown, shown } from '../sale/shown.ts'
import { supplierName, type Stage } from './stage.ts'

/** Platform and hotel are told the same, which is what the ledger has. */

/** In an answer, in `GET` with all versions, and in the list. */
export async function compareReservation(
  history: History,
  reservation: Reservation,
  answered?: unknown,
): Promise<void> {
  const { platform, gateway } = history.stage
  const { id, state, versions } = reservation
  const expected = shown(id, state, gateway.clock.now())
  const after = `, after\n${history.text}`
  const { body } = expectOk(await platform.get(`/booking/reservations/${id}`))
  const { reservation: read, versions: told } = body
  assert.deepEqual(readShown(read), expected, `reservation ${id}${after}`)
  const { version, status, penalty } = Object(read)
  assert.deepEqual(
    [version, status, readDue(penalty)],
    [versions.length, reservation.status, reservation.due()],
    `penalty of ${id}${after}`,
  )
  assert.deepEqual(
    [told].flat().map((one) => {
      const { status: then, total, forfeited } = Object(one)
      return [then, total.afterTax, total.dueAtProperty, forfeited]
    }),
    versions.map(({ status: then, state: sold }) => {
      const { afterTax, dueAtProperty } = totalOf(sold)
      return [
        then,
        ...[afterTax, dueAtProperty, forfeitedOf(sold)].map((minor) => amountText(minor, sold.digits)),
      ]
    }),
    `versions of ${id}${after}`,
  )
  const list = `/booking/reservations?supplier=${supplierName}&hotelId=${history.hotel.naive.hotelId}`
  const { reservations } = expectOk(await platform.get(list)).body
  const listed = [reservations].flat().find((one) => Object(one).reservationId === id)
  assert.deepEqual(withoutDelivery(listed), withoutDelivery(read), `list with ${id}${after}`)
  if (answered !== undefined)
    assert.deepEqual(withoutDelivery(answered), withoutDelivery(read), `answer about ${id}${after}`)
}

/** It goes on meanwhile. */
function withoutDelivery(reservation: unknown): unknown {
  return { ...Object(reservation), delivery: undefined }
}

/** The quote of a cancellation; returns the penalty, as text. */
export async function compareQuote(
  history: History,
  reservation: Reservation,
  numbers?: readonly number[],
): Promise<string | null> {
  const { platform, gateway } = history.stage
  const { id, state } = reservation
  const query = numbers ? `?rooms=${numbers.map((number) => `${id}-${number}`).join()}` : ''
  const { body } = expectOk(await platform.get(`/booking/reservations/${id}/cancellation${query}`))
  const nowMs = gateway.clock.now()
  const due = cancelDue(id, state, nowMs, numbers)
  assert.deepEqual(readDue(body['penalty']), due, `quote of ${id}, after\n${history.text}`)
  const some = state.rooms.filter(({ number }) => numbers === undefined || numbers.includes(number))
  const later = some
    .flatMap(({ steps = [] }) => steps)
    .filter(({ fromMs, isNoShow }) => !isNoShow && fromMs > nowMs)
    .toSorted((one, other) => one.fromMs - other.fromMs)
    .map(({ from, fromMs }) => ({ from, due: cancelDue(id, state, fromMs, numbers) }))
    .find((next) => next.due?.amount !== due?.amount)
  assert.deepEqual(
    [body['until'], readDue(body['then'])],
    [later?.from ?? null, later?.due ?? null],
    `next penalty of ${id}, after\n${history.text}`,
  )
  return due?.amount ?? null
}

/** Every body that the hotel took is a version as it was sold, none came after a newer one, and the last is the newest. */
export function compareDeliveries(history: History, { id, versions }: Reservation): void {
  const taken = history.stage.receiver.taken.get(id) ?? []
  const after = `, after\n${history.text}`
  for (const { version, body } of taken) {
    const sold = versions[version - 1]
    assert.ok(sold, `version ${version} of ${id}${after}`)
    assert.deepEqual(
      readDelivered(body),
      delivered(id, sold),
      `delivered version ${version} of ${id}${after}`,
    )
  }
  const order = taken.map(({ version }) => version)
  assert.deepEqual(
    order,
    order.toSorted((one, other) => one - other),
    `deliveries of ${id}${after}`,
  )
  assert.equal(order.at(-1), versions.length, `last delivery of ${id}${after}`)
}

/** With an endpoint that works again, until all newest versions have arrived. */
export async function untilDelivered(stage: Stage, all: readonly Reservation[]): Promise<void> {
  const { gateway, receiver, platform } = stage
  receiver.heal(true)
  const endMs = performance.now() + minutes(5)
  for (const { id } of all) {
    for (;;) {
      const { reservation } = expectOk(await platform.get(`/booking/reservations/${id}`)).body
      const { status, nextAttemptAt } = Object(reservation).delivery
      if (status === 'delivered') break
      assert.ok(performance.now() < endMs, `the delivery of ${id} is ${status}, next ${nextAttemptAt}`)
      if (nextAttemptAt !== null && Date.parse(nextAttemptAt) > gateway.clock.now())
        gateway.clock.set(nextAttemptAt)
      await wait(50)
    }
  }
  receiver.heal(false)
}
