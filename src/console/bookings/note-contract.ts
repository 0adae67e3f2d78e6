import Type from 'typebox'
import { consoleRoute, text } from '../../http/route.ts'

/** Notes that operators leave each other on a reservation, for example about a call with the hotel. */
export type ReservationNote = { at: string; operator: string; text: string }

export const noteCharactersMax = 500
/** The latest note of a reservation. */
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
        description: 'One line; permanent, and shown with the name of its author',
      }),
    }),
    status: 201,
  }),
}
