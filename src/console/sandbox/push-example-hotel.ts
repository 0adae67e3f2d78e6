import { selectOptionalHotel } from '../../hotels/store.ts'
import type { Environment } from '../../keys/secret.ts'
import { audit } from '../../operators/audit.ts'
import { answer, on, type Mounted } from '../../http/mount.ts'
import type { Needs } from '../../postgres/needs.ts'
import type { AnswerOf } from '../../http/route.ts'
import { isRecord } from '../../http/validate.ts'
import { selectMealPlans, selectRoomTypes } from '../../reference/store.ts'
import { selectAheadMs } from '../../sandbox/clock-store.ts'
import { inSandbox } from '../../sandbox/in-sandbox.ts'
import { exampleHotel, exampleProducts, exampleTaxes, exampleYear } from './example-hotel.ts'
import { callerOf, consoleRequestId, pushAs, type AsSupplier } from './as-supplier.ts'
import { sandboxConsoleRoutes, type ExamplePush } from './contract.ts'
import { supplierNamed, supplierSubject } from '../suppliers/rules.ts'

type ExampleNeeds = Needs & { environment: Environment; asSupplier: AsSupplier }

/** POST /sandbox/{supplierId}/example: the pushes that make a hotel bookable, one after another. */
export const pushExampleHotel = (needs: ExampleNeeds): Mounted =>
  inSandbox(
    needs.environment,
    on(sandboxConsoleRoutes.pushExampleHotel, async (call) => {
      const { db, clock, asSupplier } = needs
      const { params, operator, requestId } = call
      const supplier = await supplierNamed(db, params.supplierId)
      const nowMs = clock.now()
      const caller = await callerOf(db, supplier, nowMs)
      const aheadMs = await selectAheadMs(db, supplier.supplierId)
      const [roomTypes, mealPlans] = await Promise.all([selectRoomTypes(db), selectMealPlans(db)])
      const usable = {
        roomTypes: new Set(roomTypes.map(({ name }) => name)),
        mealPlans: new Set(mealPlans.map(({ code }) => code)),
      }
      const { hotelId: code, currency } = exampleHotel
      const pushes = [
        { endpoint: asSupplier.pushHotels, body: [exampleHotel] },
        { endpoint: asSupplier.pushProducts, body: { hotelId: code, products: exampleProducts(usable) } },
        { endpoint: asSupplier.pushTaxes, body: { hotelId: code, taxes: exampleTaxes } },
        {
          endpoint: asSupplier.pushAri,
          body: { hotelId: code, pricingModel: 'guest', currency, ari: exampleYear(nowMs + aheadMs) },
        },
      ].map((push) => ({ ...push, requestId: consoleRequestId() }))
      const requestIds = pushes.map((push) => push.requestId)
      const subject = supplierSubject(supplier)
      // Before they are made: one that is refused leaves those before it.
      const after = { hotel: code, pushes: requestIds }
      await audit(db, { operator, requestId, action: 'sandbox.push-example', subject, after })
      const told: ExamplePush[] = []
      for (const { endpoint, body, requestId: pushId } of pushes) {
        const sent = { body, caller, requestId: pushId, nowMs }
        const { status, json } = await pushAs(endpoint, call, sent)
        told.push({
          kind: endpoint.route.pushKind ?? '',
          requestId: pushId,
          status,
          message: messageOf(json),
        })
      }
      const hotel = await selectOptionalHotel(db, supplier.supplierId, code)
      if (!hotel) throw new Error('the example hotel was pushed and is not there')
      const said: AnswerOf<typeof sandboxConsoleRoutes.pushExampleHotel> = {
        hotelId: hotel.id,
        code,
        pushes: told,
      }
      return answer(200, said)
    }),
  )

function messageOf(json: string): string {
  const said: unknown = JSON.parse(json)
  return isRecord(said) ? String(said['message']) : ''
}
