import { isCardNumberId } from '../../base/card-number.ts'
import { notInCodes } from '../../http/validation/characters.ts'
import { isRecord } from '../../http/validation/validate.ts'
import { roomNumbers, roomReservationIds } from '../../bookings/price/matched-rooms.ts'
import type { ReservationContent } from '../../bookings/state.ts'
import type { IgnoredPart } from '../attempt-contract.ts'

/** The hotel's own numbers in the answer to a delivery. */

/** A number of the reservation of a body, or of one of its rooms; 0: the whole reservation. */
export type SaidConfirmation = { reservationId: number; roomNumber: number; confirmationNumber: string }

export type Said = { confirmations: SaidConfirmation[]; ignored: IgnoredPart[] }

/** The reservations that the body has. */
export type Delivered = ReadonlyMap<number, Pick<ReservationContent, 'rooms'>>

export const nothingSaid: Said = { confirmations: [], ignored: [] }
/** Each is shown with its attempt. */
const ignoredMax = 10
const mentionsConfirmations = /"confirmations"/
const charactersMax = 64

/** Whether a text can be a hotel's number: as in an acknowledgement, what codes may be. */
function isConfirmationNumber(text: unknown): text is string {
  return (
    typeof text === 'string' && text !== '' && [...text].length <= charactersMax && !notInCodes.test(text)
  )
}

/** Only what names a reservation of that body is taken; what else there is of `confirmations` is told with its reason. */
export function saidConfirmations(answer: Buffer, delivered: Delivered): Said {
  const text = answer.toString()
  if (!mentionsConfirmations.test(text)) return nothingSaid
  const said = parsed(text)
  if (said === undefined) return ignoring('', 'The answer is not valid JSON')
  if (!isRecord(said) || said['confirmations'] === undefined) return nothingSaid
  const { confirmations: list } = said
  if (!Array.isArray(list)) return ignoring('/confirmations', 'Must be a list')
  const confirmations: SaidConfirmation[] = []
  const ignored: IgnoredPart[] = []
  for (const [index, one] of list.entries()) {
    const read = readOne(one, delivered)
    if ('fault' in read) {
      if (ignored.length < ignoredMax)
        ignored.push({ path: `/confirmations/${index}${read.at}`, message: read.fault })
    } else confirmations.push(read)
  }
  return { confirmations, ignored }
}

/** What it says of one of the reservations. */
export function saidOf(
  { confirmations, ignored }: Said,
  { reservationId: id }: { reservationId: number },
): Said {
  return { confirmations: confirmations.filter(({ reservationId }) => reservationId === id), ignored }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function ignoring(path: string, message: string): Said {
  return { confirmations: [], ignored: [{ path, message }] }
}

type Fault = { at: string; fault: string }

/** The faults repeat no value: it may be a card number. */
function readOne(one: unknown, delivered: Delivered): SaidConfirmation | Fault {
  if (!isRecord(one)) return { at: '', fault: 'Must be an object' }
  const { reservation_id: id, confirmation_number: number, room_reservation_id: roomId } = one
  const reservationId = typeof id === 'string' ? Number(id) : Number.NaN
  const content = delivered.get(reservationId)
  if (!content || String(reservationId) !== id)
    return { at: '/reservation_id', fault: 'Must be a reservation_id of the body, as text' }
  if (!isConfirmationNumber(number))
    return { at: '/confirmation_number', fault: 'Must be text of 1 to 64 printable characters' }
  if (isCardNumberId(number)) return { at: '/confirmation_number', fault: 'Must not contain a card number' }
  if (roomId === undefined || roomId === null)
    return { reservationId, roomNumber: 0, confirmationNumber: number }
  const index = roomReservationIds(reservationId, content.rooms).findIndex((known) => known === roomId)
  const roomNumber = roomNumbers(content.rooms)[index]
  if (roomNumber === undefined)
    return {
      at: '/room_reservation_id',
      fault: 'Must be a room_reservation_id of that reservation in the body',
    }
  return { reservationId, roomNumber, confirmationNumber: number }
}
