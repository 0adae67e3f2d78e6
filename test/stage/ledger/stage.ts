import { platformOf } from '../scenes/booking.ts'
import { callWithinMs } from '../scenes/deliveries.ts'
import { seeded } from '../fuzz/random.ts'
import { gatewayForTests, type TestClient, type TestGateway, type TestSupplier } from '../harness.ts'
import { expectOk } from '../story.ts'
import { patient } from './patient.ts'
import { startFailingSupplier, type FailingSupplier } from './supplier.ts'

/** What all histories need. */

export const supplierName = 'Ledger'

export type Counted = Record<
  | 'bookings'
  | 'changes'
  | 'unchanged'
  | 'roomCancels'
  | 'cancels'
  | 'noShows'
  | 'noShowsWaived'
  | 'arrivals'
  | 'waived'
  | 'otherReports'
  | 'pricePushes'
  | 'policyPushes'
  | 'mealPlanPushes'
  | 'taxPushes'
  | 'currencyPushes'
  | 'totalsAsked'
  | 'termsAsked'
  | 'mealPlansAsked'
  | 'forfeitsAsked'
  | 'refusedWithout'
  | 'refusedInOtherCurrency'
  | 'refusedPenalties'
  | 'owedRaised'
  | 'forfeitsLowered'
  | 'deadlinesMet'
  | 'unknownTerms'
  | 'stayBegun'
  | 'dryRuns',
  number
>

export type Stage = {
  gateway: TestGateway
  supplier: TestSupplier
  platform: TestClient
  receiver: FailingSupplier
  counted: Counted
}

export const startsAt = '2027-03-01T12:00:00Z'

export async function openStage(seed: number): Promise<{ stage: Stage; close: () => Promise<void> }> {
  const gateway = await gatewayForTests({
    now: startsAt,
    allowPrivate: true,
    outbound: { reach: (to) => to },
    callWithinMs,
  })
  const supplier = patient(await gateway.supplier(supplierName, { requestsPerMinute: 0 }), 'push')
  const receiver = await startFailingSupplier(seeded(seed), () => gateway.clock.now())
  expectOk(await supplier.post('/push/webhook/pushbook', { webhook: receiver.url }))
  expectOk(await supplier.post('/push/webhook/test', { kind: 'pushbook' }))
  gateway.app.startDeliveries()
  const counted: Counted = {
    bookings: 0,
    changes: 0,
    unchanged: 0,
    roomCancels: 0,
    cancels: 0,
    noShows: 0,
    noShowsWaived: 0,
    arrivals: 0,
    waived: 0,
    otherReports: 0,
    pricePushes: 0,
    policyPushes: 0,
    mealPlanPushes: 0,
    taxPushes: 0,
    currencyPushes: 0,
    totalsAsked: 0,
    termsAsked: 0,
    mealPlansAsked: 0,
    forfeitsAsked: 0,
    refusedWithout: 0,
    refusedInOtherCurrency: 0,
    refusedPenalties: 0,
    owedRaised: 0,
    forfeitsLowered: 0,
    deadlinesMet: 0,
    unknownTerms: 0,
    stayBegun: 0,
    dryRuns: 0,
  }
  const platform = patient(await platformOf(gateway), 'sale')
  return { stage: { gateway, supplier, platform, receiver, counted }, close: receiver.close }
}
