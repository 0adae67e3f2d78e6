import assert from 'node:assert/strict'
import { isRecord } from '../../../src/http/validation/validate.ts'
import type { Reply } from '../harness.ts'
import { ada, bookingBody, room as bookedRoom } from '../scenes/booking.ts'
import { until } from '../scenes/deliveries.ts'
import { expectOk } from '../story.ts'
import type { Account } from './account.ts'
import { nightsIn, Pricing, text, type Asked, type Sold } from './naive-account.ts'
import { owedAt } from './naive-terms.ts'

/** Reservations as the platform and the supplier must see them. */

type Guest = { firstName: string; lastName: string }
type Version = { status: 'Confirm' | 'Cancel'; sold: Sold; guest: Guest; penalty: string | undefined }

export class Reservation {
  readonly id: string
  readonly pricing: Pricing
  readonly versions: Version[]
  /** Adults, children and infants, by the ages that counted when it was booked. */
  readonly guests: string
  /** Whether the first call about it was refused. */
  isRefused = false

  constructor(id: string, { sold, pricing, guests }: { sold: Sold; pricing: Pricing; guests: string }) {
    this.id = id
    this.pricing = pricing
    this.guests = guests
    this.versions = [{ status: 'Confirm', sold, guest: ada, penalty: undefined }]
  }

  get last(): Version {
    const last = this.versions.at(-1)
    assert.ok(last)
    return last
  }

  changed(sold: Sold, guest: Guest = this.last.guest): void {
    this.versions.push({ status: 'Confirm', sold, guest, penalty: undefined })
  }

  cancelled(penalty: string): void {
    this.versions.push({ ...this.last, status: 'Cancel', penalty })
  }
}

export function bodyOf(
  account: Account,
  rateId: string,
  { checkin, checkout, room }: Asked,
  more = {},
  guest: Guest = ada,
) {
  const rooms = [bookedRoom({ rateId, adults: room.adults, childAges: room.childAges, guest })]
  return bookingBody(account.name, { checkin, checkout, rooms, ...more })
}

export function bookedAs(account: Account, reply: Reply, sold: Sold): Reservation {
  assert.equal(reply.status, 201, `${reply.text}, after\n${account.history}`)
  const { model } = account
  const booking = { sold, pricing: new Pricing(model, sold.rateId), guests: guestsOf(account, sold.asked) }
  model.take(sold.rateId, nightsIn(sold.asked))
  return new Reservation(String(reply.body['reservationId']), booking)
}

/** Books what is sold at this moment. */
export async function book(
  account: Account,
  rateId: string,
  asked: Asked,
  headers = {},
): Promise<{ reply: Reply; reservation: Reservation }> {
  const { sold } = account.model.answer(rateId, asked)
  assert.ok(sold)
  const reply = await account.stage.platform.post(
    '/booking/reservations',
    bodyOf(account, rateId, asked),
    headers,
  )
  account.note('book', reply, { rateId, asked })
  return { reply, reservation: bookedAs(account, reply, sold) }
}

function guestsOf({ model }: Account, { room }: Asked): string {
  const { minChildAge, maxChildAge } = model.hotel
  const counts = { adults: room.adults, children: 0, infants: 0 }
  for (const age of room.childAges)
    counts[age < minChildAge ? 'infants' : age <= maxChildAge ? 'children' : 'adults']++
  return JSON.stringify(counts)
}

/** What a cancellation at this moment costs. */
export function owed({ model }: Account, { last: { sold } }: Reservation): string {
  return text(owedAt(sold.penalties, model.nowMs)?.amount ?? 0, sold.digits)
}

/** The reservations as the platform reads them. */
export async function compareReservations(account: Account, all: readonly Reservation[]): Promise<void> {
  const path = `/booking/reservations?supplier=${account.name}&hotelId=H1`
  const { reservations } = Object(expectOk(await account.stage.platform.get(path)).body)
  const found = reservations.map(readReservation)
  const expected = all.map(readAs)
  const inOrder = (some: { id: string }[]) => some.toSorted((one, other) => Number(one.id) - Number(other.id))
  assert.deepEqual(inOrder(found), inOrder(expected), `reservations, after\n${account.history}`)
}

function readReservation(one: Record<string, unknown>) {
  const [room] = Object(one)['rooms']
  const { reservationId: id, version, status, currency, total, penalty } = Object(one)
  return {
    id,
    version,
    status,
    currency,
    total,
    penalty: penalty?.amount,
    guest: room.guest,
    mealPlan: room.mealPlan,
    nights: room.nights.map(({ date }: { date: string }) => date),
    penalties: room.cancelPolicy.penalties,
  }
}

function readAs({ id, versions, last: { status, sold, guest, penalty } }: Reservation) {
  return {
    id,
    version: versions.length,
    status,
    currency: sold.currency,
    total: sold.total,
    penalty,
    guest,
    mealPlan: sold.mealPlan,
    nights: nightsIn(sold.asked),
    penalties: penaltiesText(sold),
  }
}

export function penaltiesText({ penalties, digits }: Sold): object[] {
  return penalties.map(({ from, amount }) => ({ from, amount: text(amount, digits) }))
}

/** Every version reached the supplier once, in order, as it was told to the platform. */
export function compareDeliveries(account: Account, reservation: Reservation): void {
  const calls = account.delivered.filter(({ reservation: one }) => one['reservation_id'] === reservation.id)
  const expected = reservation.versions.flatMap((version, index) => {
    const said = deliveredAs(reservation, version, index + 1)
    return index === 0 && reservation.isRefused
      ? [
          { ...said, answered: 503 },
          { ...said, answered: 200 },
        ]
      : [{ ...said, answered: 200 }]
  })
  const found = calls.map(({ reservation: one, status }) => ({ ...readDelivery(one), answered: status }))
  assert.deepEqual(found, expected, `deliveries of ${reservation.id}, after\n${account.history}`)
  const ids = new Set(calls.map(({ id }) => id))
  assert.equal(ids.size, reservation.versions.length, `one webhook-id a version of ${reservation.id}`)
}

function deliveredAs({ guests }: Reservation, { status, sold, guest, penalty }: Version, version: number) {
  const { beforeTax, tax, afterTax } = sold.total
  return {
    version: String(version),
    status,
    currency: sold.currency,
    total: [beforeTax, tax, afterTax],
    mealPlan: sold.mealPlan,
    guest: guest.firstName,
    nights: nightsIn(sold.asked).map((date) => [date, sold.rateId]),
    guests,
    penalty,
  }
}

function readDelivery(one: Record<string, unknown>) {
  const [room] = Array.isArray(one['room']) ? one['room'] : []
  const counts = { adults: 0, children: 0, infants: 0 }
  const names = { '10': 'adults', '8': 'children', '7': 'infants' } as const
  for (const { AgeQualifyingCode: code, Count: count } of room.GuestCount)
    for (const [known, name] of Object.entries(names)) if (known === code) counts[name] += Number(count)
  return {
    version: one['reservation_version'],
    status: one['status'],
    currency: one['currencycode'],
    total: [one['totalamountbeforetax'], one['totaltax'], one['totalamountaftertax']],
    mealPlan: room.meal_plan,
    guest: room.first_name,
    nights: room.price.map(({ date, rate_id: rate }: Record<string, unknown>) => [date, rate]),
    guests: JSON.stringify(counts),
    penalty: isRecord(one['penalty']) ? one['penalty']['amount'] : undefined,
  }
}

/** The newest versions have reached the supplier. */
export async function untilDelivered(account: Account, all: readonly Reservation[]): Promise<void> {
  const wanted = all.map(({ id, versions }) => `${id}.${versions.length}`)
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
