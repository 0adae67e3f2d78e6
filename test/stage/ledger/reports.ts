import assert from 'node:assert/strict'
import { addDays } from '../models/naive-offers.ts'
import { compareReservation } from './compare.ts'
import { expectStatus, refusalOf, type History } from './history.ts'
import type { Reservation } from '../sale/reservation.ts'

/** What the hotel reports about stays. */

export async function report(history: History, reservation: Reservation): Promise<void> {
  const { stage, hotel, random } = history
  const { counted, supplier } = stage
  const { id, state } = reservation
  const number = random.chance(0.4) ? random.pick(state.rooms).number : undefined
  const kind = pickReport(history, reservation, number)
  const isWaived = kind === 'no_show' && random.chance(0.35)
  const body = {
    hotelId: hotel.naive.hotelId,
    reservation_id: id,
    ...(number === undefined ? {} : { room_reservation_id: `${id}-${number}` }),
    report: kind,
    ...(isWaived ? { waivePenalty: true } : {}),
  }
  const reply = await supplier.post('/push/reservations/report', body)
  history.note({ report: kind, id, number, isWaived, answered: reply.status })
  expectStatus(history, reply, 200)
  reservation.report(kind, { isWaived, number })
  if (kind === 'waived') history.everOwed = 0
  if (kind === 'no_show') counted[isWaived ? 'noShowsWaived' : 'noShows']++
  else if (kind === 'arrived') counted.arrivals++
  else if (kind === 'waived') counted.waived++
  else counted.otherReports++
  const due = reservation.due()
  const { penalty } = reply.body
  const told = penalty && [Object(penalty).amount, Object(penalty).unknown ?? []]
  assert.deepEqual(told, due && [due.amount, due.unknown], `the report’s penalty, after\n${history.text}`)
  await compareReservation(history, reservation)
}

function pickReport(
  { random, hotel }: History,
  reservation: Reservation,
  number: number | undefined,
): string {
  const { checkin, checkout } = reservation.state
  const usual = ['waived', 'card_invalid', 'stay_changed']
  if (reservation.status === 'Cancel') return random.pick(['waived', 'card_invalid'])
  const isThere = reservation.hasArrivedIn(number)
  const isTimely = hotel.today > checkin && hotel.today <= addDays(checkout, 7)
  if (isTimely && !isThere) return random.pick([...usual, 'no_show', 'no_show', 'no_show', 'arrived'])
  if (hotel.today >= checkin) return random.pick([...usual, 'arrived'])
  return random.pick(usual)
}

/** Once the stay has begun, guests change and cancel nothing. */
export async function refuseBegun(history: History, reservation: Reservation): Promise<void> {
  const path = `/booking/reservations/${reservation.id}/cancel`
  assert.equal(refusalOf(history, await history.stage.platform.post(path, {})), 'STAY_BEGUN')
  history.stage.counted.stayBegun++
  await compareReservation(history, reservation)
}
