import { ariRoutes } from '../ari/contract.ts'
import { daysAheadMax } from '../ari/item-contract.ts'
import { formatNight, type DayNumber } from '../base/calendar.ts'
import type { Clock } from '../base/clock.ts'
import { GatewayRefused, type GatewayClient } from './gateway-client.ts'

/** Requests for everything again. */

/** `why`: what the gateway refused. */
export type Resynced = { hotelId: string; pushes: number; items: number; why?: string }

type ResyncNeeds = { gateway: GatewayClient; clock: Clock }

const dayMs = 86_400_000
/** Nights of a push: below the limits of reading and pushing even for the largest hotels. */
const nightsAtOnce = 31

/**
 * Pushes all ARI of a hotel again. A real supplier sends what its own system has; this one has no memory besides the
 * gateway, and sends what it reads back.
 */
export async function pushEverything({ gateway, clock }: ResyncNeeds, hotelId: string): Promise<Resynced> {
  const today: DayNumber = Math.floor(clock.now() / dayMs)
  const last = today + daysAheadMax - 1
  const done = { hotelId, pushes: 0, items: 0 }
  try {
    for (let from = today; from <= last; from += nightsAtOnce) {
      const range = {
        startDate: formatNight(from),
        endDate: formatNight(Math.min(from + nightsAtOnce - 1, last)),
      }
      const { ari, pricingModel } = await gateway.ask(ariRoutes.getAri, { hotelId, ...range })
      if (ari.length === 0) continue
      await gateway.ask(ariRoutes.pushAri, { hotelId, ...(pricingModel ? { pricingModel } : {}), ari })
      done.pushes++
      done.items += ari.length
    }
    return done
  } catch (error) {
    if (error instanceof GatewayRefused) return { ...done, why: error.message }
    throw error
  }
}
