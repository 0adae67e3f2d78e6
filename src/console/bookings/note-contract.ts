import Type from 'typebox'
import { consoleRoute, text } from '../../http/route.ts'

/** What operators tell each other of a reservation: that the hotel was called, and what it said. */
export type ReservationNote = { at: string; operator: string; text: string }

export const noteCharactersMax = 500
/** The newest of a reservation. */
export const notesShownMax = 100

export const noteRoutes = {
  addReservationNote: consoleRoute<{ note: ReservationNote }>()({
    method: 'POST',
    path: '/reservations/{reservationId}/notes',
    role: 'operator',
    params: Type.Object({ reservationId: text({ maxLength: 20 }) }),
    body: Type.Object({
      text: text({
        maxLength: noteCharactersMax,
        description: 'One line; it stays, under the name of who writes it',
      }),
    }),
    status: 201,
  }),
}
