import type { Needs } from '../platform/needs.ts'
import type { AnswerOf } from '../platform/route.ts'
import { answer, on, type Mounted } from '../platform/mount.ts'
import { hotelRoutes, type StepStatus, type StoredHotel } from './contract.ts'
import { selectHotelOverviews, type HotelOverview } from './store.ts'

/** POST /push/getHotels: hotels as pushed, in the order asked, each once. */
export const getHotels = (needs: Needs): Mounted =>
  on(hotelRoutes.getHotels, async ({ body, caller }) => {
    const codes = [...new Set(Array.isArray(body) ? body : body.hotelIds)]
    const overviews = await selectHotelOverviews(needs.db, caller, codes)
    const overviewByCode = new Map(overviews.map((overview) => [overview.code, overview]))
    const read: AnswerOf<typeof hotelRoutes.getHotels> = {
      code: '200',
      message: 'Hotels retrieved successfully',
      hotels: codes.flatMap((code) => {
        const overview = overviewByCode.get(code)
        return overview ? [storedHotel(overview)] : []
      }),
      notFound: codes.filter((code) => !overviewByCode.has(code)),
    }
    return answer(200, read)
  })

function storedHotel(overview: HotelOverview): StoredHotel {
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
    goLive: goLiveOf(overview),
  }
}

function goLiveOf(overview: HotelOverview): StoredHotel['goLive'] {
  const needed = (isDone: boolean): { status: StepStatus } => ({ status: isDone ? 'done' : 'missing' })
  const steps = {
    hotels: { ...needed(true), at: overview.createdAt.toISOString() },
    products: needed(overview.productCount > 0),
    taxes: { status: overview.hasTaxes ? 'done' : 'notNeeded' },
    ari: { ...needed(overview.ariAt !== null), ...(overview.ariAt && { at: overview.ariAt.toISOString() }) },
    availabilityWebhook: needed(overview.hasAvailabilityWebhook),
    pushbookWebhook: needed(overview.hasPushbookWebhook),
  } satisfies Omit<StoredHotel['goLive'], 'ready'>
  return { ...steps, ready: Object.values(steps).every(({ status }) => status !== 'missing') }
}
