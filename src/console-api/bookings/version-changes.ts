import { isRecord } from '../../http/validation/validate.ts'
import { renderReservation } from '../../bookings/book/render-reservation.ts'
import type { RenderedCard } from '../../bookings/book/virtual-card.ts'
import type { StoredReservation } from '../../bookings/store.ts'
import { changesShownMax, type ShownVersion, type VersionChange } from './contract.ts'
import type { Payment } from '../../bookings/state.ts'

/** What a version of a reservation has other than the one before: pure. */
export function changesBetween(
  before: StoredReservation,
  after: StoredReservation,
): Pick<ShownVersion, 'changes' | 'moreChanges'> {
  const all: VersionChange[] = []
  compare(comparable(before), comparable(after), [], all)
  const changes = all.slice(0, changesShownMax)
  return { changes, moreChanges: all.length - changes.length }
}

/** The values by which people tell versions apart; nights by date, so that a moved stay shows added and removed nights. */
function comparable(reservation: StoredReservation): Record<string, unknown> {
  const shown = renderReservation(reservation, reservation.modifiedAtMs - reservation.aheadMs)
  const { status, checkin, checkout, currency, rooms, customer, payment, total } = shown
  return {
    status,
    checkin,
    checkout,
    currency,
    total,
    rooms: rooms.map(({ nights, ...room }) => ({
      ...room,
      // What time alone changes is no difference between versions.
      cancellation: undefined,
      freeUntil: undefined,
      termsDigest: undefined,
      nights: Object.fromEntries(nights.map(({ date, ...amounts }) => [date, amounts])),
    })),
    customer,
    clientReference: shown.clientReference,
    channel: shown.channel,
    paymentType: payment.type,
    ...(payment.card ? { card: cardOf(payment.card) } : {}),
  }
}

function cardOf({ type, number, ...virtual }: RenderedCard): Record<string, unknown> {
  return { ...cardFace({ type, number }), ...(virtual.isVirtual ? virtual : {}) }
}

function compare(before: unknown, after: unknown, path: readonly string[], found: VersionChange[]): void {
  const [left, right] = [membersOf(before), membersOf(after)]
  if (left && right) {
    for (const name of new Set([...left.keys(), ...right.keys()]))
      compare(left.get(name), right.get(name), [...path, name], found)
  } else if (JSON.stringify(before) !== JSON.stringify(after)) {
    found.push({
      path: [...path],
      ...(before === undefined ? {} : { before }),
      ...(after === undefined ? {} : { after }),
    })
  }
}

function membersOf(value: unknown): ReadonlyMap<string, unknown> | undefined {
  if (Array.isArray(value)) return new Map(value.map((element, index) => [String(index), element]))
  return isRecord(value) ? new Map(Object.entries(value)) : undefined
}

const lastDigits = 4
const brandlessName = 'Card'

/** Brand and last four digits. The brand is free text, so anything that looks like a number is not shown as one. */
export function cardFace({ type, number }: NonNullable<Payment['card']>): {
  brand: string
  last4: string
} {
  return { brand: /\d{4}/.test(type) ? brandlessName : type, last4: number.slice(-lastDigits) }
}
