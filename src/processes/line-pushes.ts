import type { AriNeeds } from '../ari/push/accept-ari.ts'
import { pushAri } from '../ari/push/push-ari.ts'
import { outsideSpans } from '../base/tracing.ts'
import type { ReadyPush } from '../ari/judge/plan.ts'
import type { LinePushes } from '../bulk/load/units.ts'
import { pushHotels } from '../hotels/hotel-endpoints.ts'
import type { Push, UncheckedCall } from '../http/calls/call.ts'
import type { Answer, Mounted } from '../http/calls/mount.ts'
import { pushProducts } from '../products/product-endpoints.ts'
import type { ProductNeeds } from '../products/sale-warnings.ts'
import { pushTaxes } from '../taxes/tax-endpoints.ts'
import type { TaxNeeds } from '../taxes/tax-warnings.ts'

/** The endpoints of pushes for the lines of first loads: they are judged exactly like requests. */
export function linePushes(needs: Omit<AriNeeds, 'committer'> & TaxNeeds & ProductNeeds): LinePushes {
  const planned = new WeakMap<Push, ReadyPush>()
  const submit = async (ready: ReadyPush): Promise<Answer> => {
    planned.set(ready.push, ready)
    return { status: 200, json: '{}' }
  }
  const ari = pushAri({ ...needs, homes: undefined, committer: { submit } })
  return {
    hotels: answersOf(pushHotels(needs)),
    products: answersOf(pushProducts(needs)),
    taxes: answersOf(pushTaxes(needs)),
    ari: async (call) => {
      // A load of a million lines is no trace.
      await outsideSpans(() => ari.handle?.(call))
      const ready = call.push && planned.get(call.push)
      if (!ready) throw new TypeError('a push was neither planned nor refused')
      return ready
    },
  }
}

function answersOf({ route, handle }: Mounted): (call: UncheckedCall) => Promise<Answer> {
  return async (call) => {
    const answered = await handle?.(call)
    if (!answered || !('json' in answered)) throw new TypeError(`${route.path} has no answer of JSON`)
    return answered
  }
}
