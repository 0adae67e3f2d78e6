import { selectOptionalHotel } from '../hotels/store.ts'
import { hotelNotFound } from '../hotels/hotel-rules.ts'
import { answer, on, type Mounted } from '../http/calls/mount.ts'
import { Rejected } from '../http/rejected.ts'
import type { AnswerOf } from '../http/route.ts'
import type { Environment } from '../keys/secret.ts'
import { newSigningSecret } from '../outbound/signature.ts'
import type { Needs } from '../postgres/postgres.ts'
import type { PriceChecker } from '../price-check/checker.ts'
import { inSandbox } from '../sandbox/account.ts'
import type { Pinger } from '../webhooks/callback.ts'
import { selectCallbackOfKey } from '../webhooks/store.ts'
import { certify, type CertifyNeeds } from './certify.ts'
import { certificationErrors, certificationRoutes } from './contract.ts'
import type { TrafficNotes } from './traffic-notes.ts'

/** GET /push/certification. */
export const getCertification = (needs: CertifyNeeds & { priceChecks: PriceChecker }): Mounted =>
  on(certificationRoutes.getCertification, async ({ query: { hotelId }, caller: { supplierId } }) => {
    const hotel = hotelId === undefined ? undefined : await selectOptionalHotel(needs.db, supplierId, hotelId)
    if (hotelId !== undefined && !hotel)
      throw new Rejected(404, hotelNotFound(hotelId, certificationErrors.hotelNotFound, '?hotelId'))
    await needs.priceChecks.ledger.written()
    const certification = await certify(needs, { supplierId, hotelId: hotel?.id })
    return answer(200, {
      code: '200',
      message: 'Certification retrieved successfully',
      ...certification,
    })
  })

type ForgeryNeeds = Needs & { environment: Environment; pings: Pinger; trafficNotes: TrafficNotes }

/** POST /push/sandbox/forgery. */
export const sendForgery = (needs: ForgeryNeeds): Mounted =>
  inSandbox(
    needs.environment,
    on(certificationRoutes.sendForgery, async ({ body: { kind }, caller, requestId }) => {
      const { keyId, supplierId } = caller
      const callback = await selectCallbackOfKey(needs.db, keyId, kind, needs.clock.now())
      if (!callback) throw new Rejected(409, { ...certificationErrors[kind], path: '/kind', value: kind })
      const forged = { ...callback, secrets: [newSigningSecret()] }
      const ping = await needs.pings.ping(forged, requestId)
      const status = ping.httpStatus ?? 0
      const isRefused = status >= 400 && status <= 499
      const refused = isRefused || (status >= 200 && status <= 299) ? isRefused : null
      if (refused !== null)
        needs.trafficNotes.add({
          supplierId,
          subject: `forgery.${kind}`,
          isGood: refused,
          requestId,
          detail: `A call of the ${kind} URL with a wrong signature was answered with ${status}`,
        })
      const result: AnswerOf<typeof certificationRoutes.sendForgery> = {
        code: '200',
        message: 'Forgery sent',
        kind,
        webhook: callback.url,
        ping,
        refused,
      }
      return answer(200, result)
    }),
  )
