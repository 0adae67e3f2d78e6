import { audit } from '../../operators/audit.ts'
import { answer, on, type Mounted } from '../../http/mount.ts'
import type { Needs } from '../../postgres/needs.ts'
import { Rejected } from '../../http/rejected.ts'
import type { AnswerOf } from '../../http/route.ts'
import { transaction } from '../../postgres/transaction.ts'
import { holdsCardNumber } from '../../base/card-number.ts'
import { reservationNotFound, reservationOf } from '../../bookings/find-reservation.ts'
import { noteRoutes } from './note-contract.ts'
import { insertNote } from './note-store.ts'

/** POST /reservations/{reservationId}/notes. */
export const addReservationNote = ({ db, clock }: Needs): Mounted =>
  on(noteRoutes.addReservationNote, async ({ params, body, operator, requestId }) => {
    if (holdsCardNumber(body.text)) throw new Rejected(400, { ...cardInNote, path: '/text' })
    const { id } = await reservationOf(db, params.reservationId)
    const note = { at: new Date(clock.now()).toISOString(), operator: operator.name, text: body.text }
    await transaction(db, async (connection) => {
      if (!(await insertNote(connection, id, note))) throw reservationNotFound(params.reservationId)
      const after = { text: note.text }
      const subject = `reservation ${id}`
      await audit(connection, { operator, requestId, action: 'reservation.note', subject, after })
    })
    const said: AnswerOf<typeof noteRoutes.addReservationNote> = { note }
    return answer(201, said)
  })

/** Everybody who can sign in reads notes, and they are not encrypted. */
const cardInNote = {
  type: 'CARD_IN_NOTE',
  message: 'A note must not contain a card number',
  hint: 'Leave out the number; its last four digits are enough',
} as const
