import { amountText } from './exact.ts'
import { costOfRoom, forfeitedByRoom, forfeitedOf, formerOf, owedBy } from './claims.ts'
import { totalOf } from './sale.ts'
import type { Room, State, Total } from './state.ts'
import { cancellationAt, dueAt, dueForNoShow, strictest, type Cancellation } from './terms.ts'

/** What platforms must be told of a sale. */

export type Due = {
  amount: string
  by: { room: string; from: string | null; amount: string }[]
  unknown: string[]
}

type Part = { number: number; amount: number; from: string | null }

function dueText(id: string, { digits }: State, parts: readonly Part[], unknown: readonly Room[]): Due {
  const costly = parts.filter(({ amount }) => amount > 0)
  return {
    amount: amountText(
      costly.reduce((all, { amount }) => all + amount, 0),
      digits,
    ),
    by: costly.map(({ number, amount, from }) => ({
      room: `${id}-${number}`,
      from,
      amount: amountText(amount, digits),
    })),
    unknown: unknown.map(({ number }) => `${id}-${number}`),
  }
}

/** What a cancellation costs; null where nothing is known. `numbers`: of some of the rooms. */
export function cancelDue(id: string, state: State, nowMs: number, numbers?: readonly number[]): Due | null {
  const rooms = state.rooms.filter(({ number }) => numbers === undefined || numbers.includes(number))
  const parts = rooms.map((room): Part => {
    const due = dueAt(room.steps ?? [], nowMs)
    const isByTerms = due !== undefined && due.amount >= (room.owed?.amount ?? 0)
    return { number: room.number, amount: costOfRoom(room, nowMs), from: isByTerms ? due.from : null }
  })
  const all = numbers === undefined ? [...parts, ...goneParts(state)] : parts
  const unknown = rooms.filter(({ steps }) => !steps)
  if (unknown.length === rooms.length && !all.some(({ amount }) => amount > 0)) return null
  return dueText(id, state, all, unknown)
}

function goneParts({ gone }: State): Part[] {
  return gone.map(({ number, amount }) => ({ number, amount, from: null }))
}

/** For the rooms whose guests did not come; without the numbers that the hotel waived. */
export function noShowDue(
  id: string,
  state: State,
  { missing, waived }: { missing: readonly number[]; waived: readonly number[] },
): Due | null {
  if (missing.length === 0) return null
  const rooms = state.rooms.filter(({ number }) => missing.includes(number) && !waived.includes(number))
  const parts = rooms.map((room): Part => {
    const due = dueForNoShow(room.steps ?? [])
    const owed = room.owed?.amount ?? 0
    const isByTerms = due !== undefined && due.amount >= owed
    const amount = Math.max(due?.amount ?? 0, owed) + formerOf(room)
    return { number: room.number, amount, from: isByTerms ? due.from : null }
  })
  // Where nobody comes, what is owed for rooms that went is due as well.
  const isNobodyThere = state.rooms.every(({ number }) => missing.includes(number))
  const all = isNobodyThere ? [...parts, ...goneParts(state)] : parts
  const unknown = rooms.filter(({ steps }) => !steps)
  if (unknown.length === missing.length && !all.some(({ amount }) => amount > 0)) return null
  return dueText(id, state, all, unknown)
}

export type ShownRoom = ReturnType<typeof roomShown>

function roomShown(id: string, room: Room, { digits }: State, nowMs: number) {
  const text = (minor: number): string => amountText(minor, digits)
  return {
    roomReservationId: `${id}-${room.number}`,
    roomId: room.roomId,
    rateId: room.rateId,
    adults: room.adults,
    childAges: [...room.childAges],
    guest: room.guest,
    mealPlan: room.mealPlan,
    nights: room.nights.map(({ date }) => date),
    total: totalShown(totalOf({ rooms: [room] }), digits),
    fees: room.fees.map(({ name, appliedPer, amount }) => [name, appliedPer, text(amount)]),
    owedAtLeast: text(owedBy(room)),
    forfeited: text(forfeitedByRoom(room)),
    ...cancellationAt(room.steps, owedBy(room), nowMs),
    penalties:
      room.steps?.map(({ from, amount, isNoShow }) => [
        from,
        text(amount),
        ...(isNoShow ? ['no-show'] : []),
      ]) ?? null,
  }
}

/** The sums that stand wherever a total stands. */
function totalShown({ beforeTax, tax, afterTax, dueAtProperty, feesAtProperty }: Total, digits: number) {
  const allIn = afterTax + dueAtProperty + feesAtProperty
  return [beforeTax, tax, afterTax, dueAtProperty, feesAtProperty, allIn].map((minor) =>
    amountText(minor, digits),
  )
}

/** As answers, `GET` and the list have a reservation. */
export function shown(id: string, state: State, nowMs: number) {
  const { checkin, checkout, currency, digits, rooms } = state
  const ofRooms = rooms.map((room) => roomShown(id, room, state, nowMs))
  const word: Cancellation = strictest(ofRooms)
  return {
    checkin,
    checkout,
    currency,
    total: totalShown(totalOf(state), digits),
    forfeited: amountText(forfeitedOf(state), digits),
    cancellation: word.cancellation,
    freeUntil: word.freeUntil,
    rooms: ofRooms,
  }
}

export function readShown(reservation: unknown): ReturnType<typeof shown> {
  const { checkin, checkout, currency, total, forfeited, cancellation, freeUntil, rooms } =
    Object(reservation)
  return {
    checkin,
    checkout,
    currency,
    total: readTotal(total),
    forfeited,
    cancellation,
    freeUntil,
    rooms: [...rooms].map(readRoom),
  }
}

function readRoom(room: unknown): ShownRoom {
  const { roomReservationId, roomId, rateId, adults, childAges, guest, mealPlan, nights } = Object(room)
  const { owedAtLeast, forfeited } = Object(room)
  return {
    roomReservationId,
    roomId,
    rateId,
    adults,
    childAges,
    guest,
    mealPlan,
    nights: [...nights].map((night) => Object(night).date),
    owedAtLeast,
    forfeited,
    ...readTerms(room),
  }
}

/** The price and the terms of a room or an offer. */
export function readTerms(
  sold: unknown,
): Pick<ShownRoom, 'total' | 'fees' | 'cancellation' | 'freeUntil' | 'penalties'> {
  const { total, fees, cancellation, freeUntil, cancelPolicy } = Object(sold)
  const penalties = Object(cancelPolicy).penalties?.map((one: unknown) => {
    const { from, amount, noShow } = Object(one)
    return [from, amount, ...(noShow === true ? ['no-show'] : [])]
  })
  const lines = [...fees].map(({ name, appliedPer, amount }) => [name, appliedPer, amount])
  return { total: readTotal(total), fees: lines, cancellation, freeUntil, penalties: penalties ?? null }
}

function readTotal(total: unknown): string[] {
  const { beforeTax, tax, afterTax, dueAtProperty, feesAtProperty, allIn } = Object(total)
  return [beforeTax, tax, afterTax, dueAtProperty, feesAtProperty, allIn]
}

export function readDue(penalty: unknown): Due | null {
  if (penalty === null || penalty === undefined) return null
  const { amount, by, unknown = [] } = Object(penalty)
  return {
    amount,
    by: [...by].map((one) => {
      const { roomReservationId, room_reservation_id: deliveredId, from = null, amount: part } = Object(one)
      return { room: roomReservationId ?? deliveredId, from, amount: part }
    }),
    unknown,
  }
}
