import type { styleText } from 'node:util'
import { counted } from '../base/counted.ts'
import type { SimulatedCall } from './answer.ts'
import type { Receipt, Received } from './ledger.ts'
import type { Resynced } from './resync.ts'

/** Formats a call for people, one line each: the request, how it was handled, and the answer. */

type Style = Parameters<typeof styleText>[0]
type Paint = (style: Style, text: string) => string

const callNames: Readonly<Record<SimulatedCall['call'], string>> = {
  ping: 'ping',
  priceCheck: 'price check',
  booking: 'reservations',
  alerts: 'alerts',
  unreadable: 'unreadable',
}
const nameColumns = 13

export function renderCall(call: SimulatedCall, paint: Paint): string[] {
  const name = paint('bold', callNames[call.call].padEnd(nameColumns))
  const repeat = call.isRepeat ? paint('yellow', '  the same call again') : ''
  const reservations = call.reservations ?? []
  return [
    `${name} ${subjectOf(call)}${signatureOf(call, paint)}${repeat}`,
    ...reservations.map((one) => renderReservation(one, paint)),
    outcomeOf(call, paint),
    ...(call.resynced ?? []).map((one) => renderResynced(one, paint)),
  ]
}

function subjectOf({ asked, alerts, hotelId, call }: SimulatedCall): string {
  if (alerts)
    return alerts.map((one) => `${one.kind}${one.hotelId === null ? '' : ` ${one.hotelId}`}`).join(', ')
  if (asked) {
    const { roomId, rateId, checkin, checkout, roomCount, adultCount, childAges } = asked
    const children = childAges.length > 0 ? ` and children of ${childAges.join(', ')}` : ''
    const party = `${counted(roomCount, 'room')} for ${counted(adultCount, 'adult')}${children}`
    return `${asked.hotelId} ${roomId}/${rateId}, ${checkin} to ${checkout}, ${party}`
  }
  return call === 'booking' && hotelId !== undefined ? hotelId : ''
}

function signatureOf({ signature }: SimulatedCall, paint: Paint): string {
  if (signature === 'verified') return paint('green', '  ✓ signed')
  if (signature === 'unverifiable') return paint('dim', '  (no secret to verify with)')
  return paint('red', `  signature ${signature}`)
}

const styleByReceipt: Readonly<Record<Receipt, Style>> = {
  created: 'green',
  changed: 'green',
  cancelled: 'yellow',
  'cancelled unseen': 'yellow',
  duplicate: 'yellow',
  outdated: 'yellow',
}

const meaningByReceipt: Readonly<Record<Receipt, string>> = {
  created: 'created',
  changed: 'changed',
  cancelled: 'cancelled',
  'cancelled unseen': 'cancelled, and never confirmed before',
  duplicate: 'duplicate: this version is stored already, nothing was done',
  outdated: 'outdated: a newer version is stored, nothing was done',
}

function renderReservation(one: Received, paint: Paint): string {
  const { reservationId, version, status, receipt, arrival, departure, rooms, guest, total, card } = one
  const stay = `${arrival} to ${departure}, ${counted(rooms, 'room')}, ${guest}, ${total}`
  const paid = card === undefined ? '' : `, card ${card}`
  const what = paint(styleByReceipt[receipt], meaningByReceipt[receipt])
  return `${status} ${paint('bold', reservationId)} version ${version}: ${stay}${paid}: ${what}`
}

function renderResynced({ hotelId, pushes, items, why }: Resynced, paint: Paint): string {
  const done = `${paint('bold', hotelId)} pushed again: ${counted(items, 'item')} in ${counted(pushes, 'push', 'pushes')}`
  return why === undefined ? done : `${done}; ${paint('red', why)}`
}

function outcomeOf({ status, price, why, fault, durationMs }: SimulatedCall, paint: Paint): string {
  const ordered = fault === undefined ? '' : paint('yellow', `  (fault: ${fault})`)
  if (status === undefined) return `${paint('red', '← no answer')}${ordered}`
  const code = paint(status < 300 ? 'green' : 'red', `← ${status}`)
  const summary = price
    ? ` ${counted(price.inventory, 'unit')}, ${price.amountAfterTax.join(' + ')} ${price.currency} after tax`
    : ''
  const reason = why === undefined ? '' : ` ${why}`
  return `${code}${summary}${reason}  ${paint('dim', `${durationMs} ms`)}${ordered}`
}
