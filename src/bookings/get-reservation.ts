import { answer, on, type Mounted } from '../http/mount.ts'
import type { Needs } from '../postgres/needs.ts'
import type { AnswerOf } from '../http/route.ts'
import { shownTotal } from './agree-price.ts'
import { reservationRoutes } from './contract.ts'
import { reservationOf } from './find-reservation.ts'
import { shownReservation } from './show.ts'
import { selectHistory } from './store.ts'

/** GET /booking/reservations/{id}. */
export const getReservation = ({ db }: Needs): Mounted =>
  on(reservationRoutes.getReservation, async ({ params }) => {
    const held = await reservationOf(db, params.id)
    const history = await selectHistory(db, held.id)
    const said: AnswerOf<typeof reservationRoutes.getReservation> = {
      code: '200',
      message: 'Reservation retrieved successfully',
      reservation: shownReservation(held),
      versions: history.map(({ version, status, modifiedAtMs, content }) => ({
        version,
        status,
        at: new Date(modifiedAtMs).toISOString(),
        total: shownTotal(content.total, content.minorDigits),
      })),
    }
    return answer(200, said)
  })
