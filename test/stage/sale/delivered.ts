import { forfeitedOf } from './claims.ts'
import { amountText } from './exact.ts'
import { totalOf } from './sale.ts'
import type { Counts, State } from './state.ts'
import { cancelDue, readDue, type Due } from './shown.ts'
import { datesOf } from './stays.ts'

/** What hotels must be told of a sale. */

type Version = { status: 'Confirm' | 'Cancel'; state: State; atMs: number }

/** As a body at the hotel's webhook has it. */
export function delivered(id: string, { status, state, atMs }: Version) {
  const { checkin, checkout, currency, digits, rooms, gone } = state
  const text = (minor: number): string => amountText(minor, digits)
  const { beforeTax, tax, afterTax, dueAtProperty } = totalOf(state)
  const due = status === 'Cancel' ? cancelDue(id, state, atMs) : null
  return {
    status,
    currency,
    total: [beforeTax, tax, afterTax, dueAtProperty].map(text),
    forfeited: text(forfeitedOf(state)),
    due,
    payable: payableOf(state, status, due),
    rooms: rooms.map((room) => ({
      id: `${id}-${room.number}`,
      of: [room.roomId, room.rateId],
      mealPlan: room.mealPlan,
      guests: room.counts,
      guest: [room.guest.firstName, room.guest.lastName],
      dates: [checkin, checkout, ...datesOf(state)],
      afterTax: text(room.price.afterTax),
      fees: room.fees.map(({ name, appliedPer, amount }) => [name, appliedPer, text(amount)]),
    })),
    gone: gone.map(({ number, amount, isKnown }) => [
      `${id}-${number}`,
      amount > 0 || isKnown ? text(amount) : null,
    ]),
  }
}

/** The account's contract has no commission. */
function payableOf(state: State, status: Version['status'], due: Due | null): (string | null)[] {
  const none = amountText(0, state.digits)
  if (status !== 'Cancel') return ['sell', none, amountText(totalOf(state).afterTax, state.digits)]
  return due ? ['sell', none, due.amount] : ['sell', null, null]
}

export function readDelivered(body: Record<string, unknown>): ReturnType<typeof delivered> {
  const { status, currencycode, totalamountbeforetax, totaltax, totalamountaftertax } = Object(body)
  const { forfeited, amountdueatproperty, penalty, room, cancelled_room: gone = [] } = Object(body)
  const { prices_are: pricesAre, commission = null, amountpayable = null } = Object(body)
  return {
    status,
    currency: currencycode,
    total: [totalamountbeforetax, totaltax, totalamountaftertax, amountdueatproperty],
    forfeited,
    due: readDue(penalty),
    payable: [pricesAre, commission, amountpayable],
    rooms: [...room].map((one) => {
      const {
        room_reservation_id: id,
        room_id: roomId,
        price,
        first_name: first,
        last_name: last,
      } = Object(one)
      const { arrival_date: from, departure_date: to, amountaftertax: afterTax } = Object(one)
      const { meal_plan: mealPlan, GuestCount: guests, fees = [] } = Object(one)
      return {
        id,
        of: [roomId, price[0].rate_id],
        mealPlan,
        guests: readCounts(guests),
        guest: [first, last],
        dates: [from, to, ...price.map(({ date }: { date: string }) => date)],
        afterTax,
        fees: [...fees].map(({ name, applied_per: per, value }) => [name, per, value]),
      }
    }),
    gone: [...gone].map((one) => [Object(one).room_reservation_id, Object(one).penalty ?? null]),
  }
}

function readCounts(guests: unknown): Counts {
  const counts = { adults: 0, children: 0, infants: 0 }
  const names = { '10': 'adults', '8': 'children', '7': 'infants' } as const
  for (const { AgeQualifyingCode: code, Count: count } of [guests].flat().map(Object))
    for (const [known, name] of Object.entries(names)) if (known === code) counts[name] += Number(count)
  return counts
}
