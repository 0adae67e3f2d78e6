import { withoutCardNumbers } from '../base/card-number.ts'
import type { Needs } from '../postgres/postgres.ts'
import type { AnswerOf } from '../http/route.ts'
import { answer, on, type Mounted, besideShape, onEveryProblem } from '../http/calls/mount.ts'
import { hotelRoutes, type OptionalStep, type StepStatus, type StoredHotel } from './contract.ts'
import { selectHotelOverviews, type HotelOverview } from './overviews.ts'
import { unlessFormer } from './former-amounts.ts'
import type { HotelRow } from './store.ts'
import { rejectIfAny } from '../http/rejected.ts'
import { acceptHotels } from './accept-hotels.ts'
import { hotelProblems } from './hotel-rules.ts'

/** POST /push/hotels. */
export const pushHotels = (needs: Needs): Mounted =>
  onEveryProblem(
    hotelRoutes.pushHotels,
    (body, shapeProblems) => rejectIfAny(besideShape(shapeProblems, hotelProblems(body))),
    ({ body, push }) => acceptHotels(needs, push, body),
  )

export type GetHotelsNeeds = Needs & {
  /** The hotels that have a price that can be sold. Prices belong to ARI, which hotels don't depend on. */
  hotelsOnSale: (hotels: readonly HotelRow[]) => Promise<ReadonlySet<number>>
}

/** POST /push/getHotels: hotels as pushed, in the requested order, each once. */
export const getHotels = (needs: GetHotelsNeeds): Mounted =>
  on(hotelRoutes.getHotels, async ({ body, caller }) => {
    const codes = [...new Set(Array.isArray(body) ? body : body.hotelIds)]
    const overviews = await selectHotelOverviews(needs.db, caller, codes)
    const onSale = await needs.hotelsOnSale(overviews.filter(({ ariAt }) => ariAt !== null))
    const overviewByCode = new Map(overviews.map((overview) => [overview.code, overview]))
    const read: AnswerOf<typeof hotelRoutes.getHotels> = {
      code: '200',
      message: 'Hotels retrieved successfully',
      hotels: codes.flatMap((code) => {
        const overview = overviewByCode.get(code)
        return overview ? [storedHotel(overview, onSale.has(overview.id))] : []
      }),
      notFound: codes.filter((code) => !overviewByCode.has(code)).map(withoutCardNumbers),
    }
    return answer(200, read)
  })

function storedHotel(overview: HotelOverview, isOnSale: boolean): StoredHotel {
  const { code, name, currency, isAvailable, minChildAge, maxChildAge, pushed, cityMatched } = overview
  return {
    hotelId: code,
    hotelName: name,
    currency,
    isAvailable,
    minChildAge,
    maxChildAge,
    ...pushed,
    platformHotelId: String(overview.id),
    ...(cityMatched === null ? {} : { cityMatched }),
    productCount: overview.productCount,
    lastAriAt: overview.ariAt?.toISOString() ?? null,
    revision: overview.revision,
    goLive: goLiveOf(overview, isOnSale),
  }
}

function goLiveOf(overview: HotelOverview, isOnSale: boolean): StoredHotel['goLive'] {
  const needed = (isDone: boolean): { status: StepStatus } => ({ status: isDone ? 'done' : 'missing' })
  const byContract = (step: OptionalStep, isDone: boolean): { status: StepStatus } =>
    !isDone && overview.unneededSteps.includes(step) ? { status: 'notNeeded' } : needed(isDone)
  const steps = {
    hotels: { ...needed(true), at: overview.createdAt.toISOString() },
    products: unlessFormer(needed(overview.hasAvailableProduct), overview.hasFormerTerms),
    taxes: unlessFormer({ status: overview.hasTaxes ? 'done' : 'notNeeded' }, overview.hasFormerTax),
    ari: unlessFormer(
      { ...needed(isOnSale), ...(isOnSale && overview.ariAt && { at: overview.ariAt.toISOString() }) },
      !isOnSale && overview.hasFormerPrices,
    ),
    availabilityWebhook: byContract('availabilityWebhook', overview.hasAvailabilityWebhook),
    pushbookWebhook: byContract('pushbookWebhook', overview.hasPushbookWebhook),
  } satisfies Omit<StoredHotel['goLive'], 'ready'>
  return { ...steps, ready: Object.values(steps).every(({ status }) => status !== 'missing') }
}
