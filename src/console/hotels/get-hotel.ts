import { readMappings } from '../../ari/mappings.ts'
import { dayIn, monthOf } from '../../base/calendar.ts'
import { answer, on, type Mounted } from '../../http/mount.ts'
import type { Queryable } from '../../postgres/postgres.ts'
import type { AnswerOf } from '../../http/route.ts'
import { pushKinds } from '../../push-log/contract.ts'
import { selectTaxes } from '../../taxes/store.ts'
import { hotelNotFound, hotelNumber } from './find-hotel.ts'
import { readChecklist, type ChecklistNeeds } from './checklist.ts'
import {
  hotelRoutes,
  productsShownMax,
  type HotelListed,
  type HotelProduct,
  type HotelTaxes,
} from './contract.ts'
import { selectCancelPolicies, selectHotels, selectOptionalHotelDetails } from './store.ts'
import { selectNewestOfKinds } from '../pushes/store.ts'
import { shownHotel } from './shown-hotel.ts'
import { namedPush } from '../pushes/shown-push.ts'

/** GET /hotels/{hotelId}: everything stored for a hotel except its nights. */
export const getHotel = (needs: ChecklistNeeds): Mounted =>
  on(hotelRoutes.getHotel, async ({ params }) => {
    const { db, clock } = needs
    const id = hotelNumber(params.hotelId)
    const thisMonth = monthOf(dayIn('UTC', clock.now()))
    const details = id === undefined ? undefined : await selectOptionalHotelDetails(db, id)
    const found = details && (await readListed(db, details.id, clock.now(), thisMonth))
    if (!details || !found) throw hotelNotFound(params.hotelId)
    const checklist = await readChecklist(needs, { ...details, supplierId: found.supplierId })
    const { channelManager, minChildAge, maxChildAge, pushed, cityMatched, productCount } = details
    const products = await readProducts(db, details.id)
    const outcomes = ['applied', 'unchanged', 'partial', 'rejected', 'dryRun'] as const
    const lastPushes = await selectNewestOfKinds(db, details.id, pushKinds, outcomes)
    const page: AnswerOf<typeof hotelRoutes.getHotel> = {
      hotel: { ...withoutStage(found), channelManager, minChildAge, maxChildAge, pushed, cityMatched },
      isReady: checklist.every(({ status }) => status !== 'missing'),
      checklist,
      products,
      moreProducts: Math.max(0, productCount - products.length),
      taxes: await readTaxes(db, details.id),
      lastPushes: lastPushes
        .toSorted((left, right) => right.pushId - left.pushId)
        .map((push) => ({ kind: push.kind, push: namedPush(push) })),
    }
    return answer(200, page)
  })

function withoutStage({ goLive: _goLive, ...hotel }: HotelListed): Omit<HotelListed, 'goLive'> {
  return hotel
}

async function readListed(db: Queryable, hotelId: number, nowMs: number, thisMonth: number) {
  const [row] = await selectHotels(db, {
    search: {},
    order: 'newest',
    after: undefined,
    exact: { hotelIds: [hotelId], isOnly: true },
    limit: 1,
    nowMs,
    thisMonth,
  })
  return row && shownHotel(row, thisMonth)
}

async function readProducts(db: Queryable, hotelId: number): Promise<HotelProduct[]> {
  const mappings = await readMappings(db, hotelId, productsShownMax)
  // In the same order.
  const policies = await selectCancelPolicies(db, hotelId, productsShownMax)
  return mappings.map((mapping, index) => ({ ...mapping, cancelPolicies: policies[index] ?? [] }))
}

async function readTaxes(db: Queryable, hotelId: number): Promise<HotelTaxes[]> {
  const scopes = await selectTaxes(db, hotelId)
  return scopes.map(({ roomId, rateId, taxes }) => ({
    roomId: roomId ?? null,
    rateId: rateId ?? null,
    taxes,
  }))
}
