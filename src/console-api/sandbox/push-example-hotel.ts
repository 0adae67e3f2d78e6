import { randomUUIDv7 } from 'node:crypto'
import { acceptAri, type AriNeeds } from '../../ari/push/accept-ari.ts'
import { acceptHotels } from '../../hotels/accept-hotels.ts'
import { selectOptionalHotel } from '../../hotels/store.ts'
import type { Environment } from '../../keys/secret.ts'
import { audit } from '../../operators/accounts/audit.ts'
import type { Push, Caller } from '../../http/calls/call.ts'
import { answer, on, type Answer, type Mounted } from '../../http/calls/mount.ts'
import { isRecord } from '../../http/validation/validate.ts'
import { acceptProducts } from '../../products/accept-products.ts'
import type { ProductNeeds } from '../../products/sale-warnings.ts'
import { selectMealPlans, selectRoomTypes } from '../../reference/store.ts'
import { selectAheadMs, inSandbox } from '../../sandbox/account.ts'
import { acceptTaxes } from '../../taxes/accept-taxes.ts'
import type { TaxNeeds } from '../../taxes/tax-warnings.ts'
import { exampleHotel, exampleProducts, exampleTaxes, exampleYear } from './example-hotel.ts'
import { consoleRequestPrefix, sandboxConsoleRoutes, type ExamplePush } from './contract.ts'
import { noValidKey, supplierNamed, supplierSubject, type NamedSupplier } from '../suppliers/rules.ts'
import { limitsOf } from '../../keys/store.ts'
import type { Queryable } from '../../postgres/postgres.ts'
import { noWarnings } from '../../http/calls/warnings.ts'
import { selectNewestKey } from '../suppliers/store.ts'

type ExampleNeeds = AriNeeds & TaxNeeds & ProductNeeds & { environment: Environment }

/** POST /sandbox/{supplierId}/example: the pushes that make a hotel bookable, one after another. */
export const pushExampleHotel = (needs: ExampleNeeds): Mounted =>
  inSandbox(
    needs.environment,
    on(sandboxConsoleRoutes.pushExampleHotel, async ({ params, operator, requestId }) => {
      const { db, clock } = needs
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
      const products = { hotelId: code, products: exampleProducts(usable) }
      const taxes = { hotelId: code, taxes: exampleTaxes }
      const ari = { hotelId: code, pricingModel: 'guest', currency, ari: exampleYear(nowMs + aheadMs) }
      const pushes = [
        pushed('hotels', [exampleHotel], (push) => acceptHotels(needs, push, [exampleHotel])),
        pushed('products', products, (push) => acceptProducts(needs, push, products)),
        pushed('taxes', taxes, (push) => acceptTaxes(needs, push, taxes)),
        pushed('ari', ari, (push) =>
          acceptAri(needs, { push, body: ari, problems: [], judgementByItem: new Map() }),
        ),
      ]
      const requestIds = pushes.map((push) => push.requestId)
      const subject = supplierSubject(supplier)
      // Audited before the pushes: if one is refused, earlier ones have already been applied.
      const after = { hotel: code, pushes: requestIds }
      await audit(db, { operator, requestId, action: 'sandbox.push-example', subject, after })
      const results: ExamplePush[] = []
      for (const { kind, body, requestId: pushId, accept } of pushes) {
        const { status, json } = await accept(pushBy(caller, { kind, body, requestId: pushId, nowMs }))
        results.push({ kind, requestId: pushId, status, message: messageOf(json) })
      }
      const hotel = await selectOptionalHotel(db, supplier.supplierId, code)
      if (!hotel) throw new Error('the example hotel was pushed but cannot be found')
      return answer(200, {
        hotelId: hotel.id,
        code,
        pushes: results,
      })
    }),
  )

type ExamplePushed = {
  kind: string
  body: object
  /** Marks the push as one of the console in the push log. */
  requestId: string
  accept: (push: Push) => Promise<Answer>
}

function pushed(kind: string, body: object, accept: ExamplePushed['accept']): ExamplePushed {
  return { kind, body, requestId: consoleRequestPrefix + randomUUIDv7(), accept }
}

function messageOf(json: string): string {
  const answered: unknown = JSON.parse(json)
  return isRecord(answered) ? String(answered['message']) : ''
}

/** The limits of keys apply to suppliers, not to the platform. */
const usualLimits = limitsOf({
  requestsPerMinute: null,
  requestsBurst: null,
  bodyBytesMax: null,
  ariItemsMax: null,
  ariCellsMax: null,
})

/** The supplier as caller with its newest valid key, whose URLs are then called for the pushed hotels. */
async function callerOf(db: Queryable, supplier: NamedSupplier, nowMs: number): Promise<Caller> {
  const key = await selectNewestKey(db, supplier.supplierId, nowMs)
  const { supplierId, name } = supplier
  if (key)
    return {
      supplierId,
      supplier: name,
      unknownFields: 'warn',
      echo: false,
      limits: usualLimits,
      ...key,
    }
  throw noValidKey(supplier)
}

/** A push on behalf of the supplier, applied and logged like one of its own. */
function pushBy(
  caller: Caller,
  { kind, body, requestId, nowMs }: { kind: string; body: object; requestId: string; nowMs: number },
): Push {
  return {
    kind,
    requestId,
    caller,
    rawBody: Buffer.from(JSON.stringify(body)),
    receivedAtMs: nowMs,
    startedMs: performance.now(),
    idempotencyKey: undefined,
    warnings: noWarnings(),
  }
}
