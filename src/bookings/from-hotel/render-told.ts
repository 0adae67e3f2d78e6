import { instantOf } from '../../base/calendar.ts'
import type { AnswerOf } from '../../http/route.ts'
import type { reservationRoutes } from '../contract.ts'
import type { StoredReservation } from '../store.ts'

/** What a hotel told, as the platform reads it. */

type Rendered = AnswerOf<typeof reservationRoutes.getReservation>['reservation']
type Told = Pick<StoredReservation, 'id' | 'confirmations' | 'reports'>

export function renderConfirmations({ id, confirmations }: Told): Rendered['confirmations'] {
  return confirmations.map(({ roomNumber, confirmationNumber, atMs }) => ({
    confirmationNumber,
    ...roomOf(id, roomNumber),
    at: instantOf(atMs),
  }))
}

export function renderReports({ id, reports }: Told): Rendered['reports'] {
  return reports.map(({ roomNumber, report, waivesPenalty, departureDate, note, atMs, keyId }) => ({
    report,
    ...roomOf(id, roomNumber),
    ...(waivesPenalty ? { waivePenalty: true as const } : {}),
    ...(departureDate === null ? {} : { departureDate }),
    ...(note === null ? {} : { note }),
    at: instantOf(atMs),
    by: keyId === null ? ('operator' as const) : ('supplier' as const),
  }))
}

/** Also of a room that went since. */
function roomOf(id: number, roomNumber: number): { roomReservationId?: string } {
  return roomNumber === 0 ? {} : { roomReservationId: `${id}-${roomNumber}` }
}
