import assert from 'node:assert/strict'
import type { Reply } from '../harness.ts'
import { bodyOf } from '../sale/asks.ts'
import { delivered, readDelivered } from '../sale/delivered.ts'
import { Reservation } from '../sale/reservation.ts'
import type { Asked, State } from '../sale/state.ts'
import { readDue, readShown, shown } from '../sale/shown.ts'
import { datesOf } from '../sale/stays.ts'
import { until } from '../scenes/deliveries.ts'
import { expectOk } from '../story.ts'
import type { Account } from './account.ts'

/** Reservations as the platform and the supplier must see them. */

export function bookedAs(account: Account, reply: Reply, sold: State): Reservation {
  assert.equal(reply.status, 201, `${reply.text}, after\n${account.history}`)
  const { model } = account
  for (const { rateId } of sold.rooms) model.take(rateId, datesOf(sold))
  return new Reservation(String(reply.body['reservationId']), sold, model.nowMs)
}

/** Books what is sold at this moment. */
export async function book(
  account: Account,
  asked: Asked,
  headers = {},
): Promise<{ reply: Reply; reservation: Reservation }> {
  const { sold } = account.model.answer(asked)
  assert.ok(sold)
  const body = bodyOf(account.named, asked)
  const reply = await account.stage.platform.post('/booking/reservations', body, headers)
  account.note('book', reply, { asked })
  return { reply, reservation: bookedAs(account, reply, sold) }
}

/** The reservations as the platform reads them. */
export async function compareReservations(account: Account, all: readonly Reservation[]): Promise<void> {
  const path = `/booking/reservations?supplier=${account.name}&hotelId=H1`
  const { reservations } = Object(expectOk(await account.stage.platform.get(path)).body)
  const found = new Map([...reservations].map((one) => [Object(one).reservationId, readReservation(one)]))
  const expected = new Map(all.map((one) => [one.id, readAs(one, account.model.nowMs)]))
  assert.deepEqual(found, expected, `reservations, after\n${account.history}`)
}

function readReservation(one: unknown) {
  const { version, status, penalty } = Object(one)
  return { ...readShown(one), version, status, penalty: readDue(penalty) }
}

function readAs(reservation: Reservation, nowMs: number): ReturnType<typeof readReservation> {
  const { id, state, number: version, status } = reservation
  return { ...shown(id, state, nowMs), version, status, penalty: reservation.due() }
}

/** Every version reached the supplier once, in order, as it was told to the platform. */
export function compareDeliveries(account: Account, { id, versions }: Reservation): void {
  const calls = account.delivered.filter(({ reservation: one }) => one['reservation_id'] === id)
  const expected = versions.flatMap((version, index) => {
    const said = { ...delivered(id, version), version: String(index + 1) }
    const isRefusedFirst = index === 0 && account.refused.has(id)
    return [...(isRefusedFirst ? [{ ...said, answered: 503 }] : []), { ...said, answered: 200 }]
  })
  const found = calls.map(({ reservation: one, status }) => {
    return { ...readDelivered(one), version: one['reservation_version'], answered: status }
  })
  assert.deepEqual(found, expected, `deliveries of ${id}, after\n${account.history}`)
  const ids = new Set(calls.map((call) => call.id))
  assert.equal(ids.size, versions.length, `one webhook-id a version of ${id}`)
}

/** The newest versions have reached the supplier. */
export async function untilDelivered(account: Account, all: readonly Reservation[]): Promise<void> {
  const wanted = all.map(({ id, number }) => `${id}.${number}`)
  await until(`${wanted.join()} are delivered`, () => {
    const there = new Set(
      account.delivered
        .filter(({ status }) => status === 200)
        .map(
          ({ reservation: one }) => `${String(one['reservation_id'])}.${String(one['reservation_version'])}`,
        ),
    )
    return wanted.every((one) => there.has(one))
  })
}
