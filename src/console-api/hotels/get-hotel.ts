import { readMappings } from '../../ari/read/mappings.ts'
import type { Operator } from '../../http/calls/call.ts'
import { readId } from '../../http/calls/query.ts'
import { todayIn } from '../../hotels/hotel-clock.ts'
import { dayIn, formatNight, monthOf } from '../../base/calendar.ts'
import { answer, on, type Mounted } from '../../http/calls/mount.ts'
import type { Queryable, Needs } from '../../postgres/postgres.ts'
import { pushKinds, type PushKind } from '../../push-log/contract.ts'
import { selectTaxes } from '../../taxes/store.ts'
import { hotelNotFound, selectCancelPolicies, selectOptionalHotelDetails } from './store.ts'
import {
  hotelRoutes,
  productsShownMax,
  type HotelListed,
  type HotelProduct,
  type HotelTaxes,
  type ChecklistStep,
} from './contract.ts'
import { selectHotels } from './select-hotels.ts'
import {
  selectNewestOfKinds,
  selectOptionalRegistration,
  type LoggedPush,
  namedPush,
} from '../pushes/store.ts'
import { nameFor } from '../operators/name-for.ts'
import type { UnneededStep } from '../suppliers/contract.ts'
import { selectOptionalWholeStop } from '../stop-sells/store.ts'
import { selectUnneededSteps } from '../suppliers/go-live-steps.ts'
import { listedHotel } from './list-hotels.ts'
import { selectHotelsOnSale } from '../../ari/read/on-sale.ts'
import { unlessFormer, type FormerSteps } from '../../hotels/former-amounts.ts'
import type { HotelRow } from '../../hotels/store.ts'
import type { OutboundRules } from '../../outbound/vet-url.ts'
import { selectCallback, type WebhookKind } from '../../webhooks/store.ts'
import { faultOfUrl } from '../../webhooks/callback.ts'

/** GET /hotels/{hotelId}: everything stored for a hotel except its nights. */
export const getHotel = (needs: ChecklistNeeds): Mounted =>
  on(hotelRoutes.getHotel, async ({ params, operator }) => {
    const { db, clock } = needs
    const id = readId(params.hotelId)
    const thisMonth = monthOf(dayIn('UTC', clock.now()))
    const details = id === undefined ? undefined : await selectOptionalHotelDetails(db, id)
    const listed = details && (await readListed(db, details.id, clock.now(), thisMonth))
    if (!details || !listed) throw hotelNotFound(params.hotelId)
    const steps = await readChecklist(needs, { ...details, supplierId: listed.supplierId })
    const checklist = steps.map((step) => namedFor(operator, step))
    const today = todayIn(details, clock.now())
    const stopped = await selectOptionalWholeStop(db, details.id, today)
    const { channelManager, minChildAge, maxChildAge, pushed, cityMatched, productCount } = details
    const products = await readProducts(db, details.id)
    const outcomes = ['applied', 'unchanged', 'partial', 'rejected', 'dryRun'] as const
    const lastPushes = await selectNewestOfKinds(db, details.id, pushKinds, outcomes)
    return answer(200, {
      hotel: { ...withoutStage(listed), channelManager, minChildAge, maxChildAge, pushed, cityMatched },
      today: formatNight(today),
      isReady: checklist.every(({ status }) => status !== 'missing'),
      stopped: stopped ? { ...stopped, operator: nameFor(operator, stopped.operator) } : null,
      checklist,
      products,
      moreProducts: Math.max(0, productCount - products.length),
      taxes: await readTaxes(db, details.id),
      lastPushes: lastPushes
        .toSorted((left, right) => right.pushId - left.pushId)
        .map((push) => ({ kind: push.kind, push: namedPush(push) })),
    })
  })

function withoutStage({ goLive: _goLive, ...hotel }: HotelListed): Omit<HotelListed, 'goLive'> {
  return hotel
}

function namedFor(reader: Operator, step: ChecklistStep): ChecklistStep {
  const { unneeded } = step
  if (!unneeded) return step
  return { ...step, unneeded: { ...unneeded, operator: nameFor(reader, unneeded.operator) } }
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
  return row && listedHotel(row, thisMonth)
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

type ChecklistNeeds = Needs & { outbound: OutboundRules }

type CheckedHotel = Pick<HotelRow, 'id' | 'timeZone' | 'aheadMs' | 'currencyRevision'> &
  FormerSteps & {
    supplierId: number
    createdAt: Date
    ariAt: Date | null
    hasAvailableProduct: boolean
    hasTaxes: boolean
  }

const kindsOfHotel = ['hotels', 'products', 'taxes', 'ari'] as const satisfies readonly PushKind[]
type KindOfHotel = (typeof kindsOfHotel)[number]
type Newest = { did: ReadonlyMap<PushKind, LoggedPush>; refused: ReadonlyMap<PushKind, LoggedPush> }

/**
 * The go-live checklist of the specification, by the same rules as the one suppliers read (hotels/hotel-endpoints.ts), with
 * the pushes that completed each step. The webhooks are those called for this hotel.
 */
async function readChecklist(needs: ChecklistNeeds, hotel: CheckedHotel): Promise<ChecklistStep[]> {
  const { db, clock } = needs
  const byKind = (pushes: readonly LoggedPush[]) => new Map(pushes.map((push) => [push.kind, push]))
  const onSale = await selectHotelsOnSale(db, [hotel], clock.now())
  const newest: Newest = {
    did: byKind(await selectNewestOfKinds(db, hotel.id, kindsOfHotel, ['applied', 'partial', 'unchanged'])),
    refused: byKind(await selectNewestOfKinds(db, hotel.id, kindsOfHotel, ['partial', 'rejected'])),
  }
  const unneeded = await selectUnneededSteps(db, hotel.supplierId)
  const done = (isDone: boolean) => (isDone ? 'done' : 'missing')
  const step = (kind: KindOfHotel, status: ChecklistStep['status'], at: Date | null = null) =>
    provedStep(kind, status, at, newest)
  return [
    step('hotels', 'done', hotel.createdAt),
    formerStep(step('products', done(hotel.hasAvailableProduct)), hotel.hasFormerTerms),
    formerStep(step('taxes', hotel.hasTaxes ? 'done' : 'notNeeded'), hotel.hasFormerTax),
    formerStep(
      step('ari', done(onSale.has(hotel.id)), hotel.ariAt),
      !onSale.has(hotel.id) && hotel.hasFormerPrices,
    ),
    unlessUnneeded(
      await webhookStep(needs, hotel, 'availability', 'availabilityWebhook'),
      unneeded.availabilityWebhook,
    ),
    unlessUnneeded(await webhookStep(needs, hotel, 'pushbook', 'pushbookWebhook'), unneeded.pushbookWebhook),
  ]
}

function formerStep(step: ChecklistStep, isFormer: boolean): ChecklistStep {
  return isFormer ? { ...step, ...unlessFormer(step, isFormer), at: null, proof: null } : step
}

/** A URL that is called counts, whatever an operator has said. */
function unlessUnneeded(step: ChecklistStep, unneeded: UnneededStep | undefined): ChecklistStep {
  const optional = { ...step, isOptional: true } as const
  if (step.status === 'done' || unneeded === undefined) return optional
  return { ...optional, status: 'notNeeded', unneeded }
}

function provedStep(
  kind: KindOfHotel,
  status: ChecklistStep['status'],
  at: Date | null,
  { did, refused }: Newest,
): ChecklistStep {
  const proof = status === 'done' ? did.get(kind) : undefined
  const tried = refused.get(kind)
  const isLater = tried !== undefined && (proof === undefined || tried.pushId >= proof.pushId)
  return {
    step: kind,
    status,
    at: status === 'done' ? (at?.toISOString() ?? proof?.at ?? null) : null,
    proof: proof ? namedPush(proof) : null,
    refusedSince: isLater ? namedPush(tried) : null,
  }
}

async function webhookStep(
  { db, clock, outbound }: ChecklistNeeds,
  { id, supplierId }: CheckedHotel,
  webhook: WebhookKind,
  kind: 'availabilityWebhook' | 'pushbookWebhook',
): Promise<ChecklistStep> {
  const callback = await selectCallback(db, id, webhook, clock.now())
  if (!callback) return { step: kind, status: 'missing', at: null, proof: null, refusedSince: null }
  const { keyId, url } = callback
  const fault = await faultOfUrl(url, outbound)
  if (fault) {
    const { message } = fault
    return { step: kind, status: 'missing', at: null, proof: null, refusedSince: null, url, fault: message }
  }
  const push = await selectOptionalRegistration(db, { supplierId, keyId, kind })
  const proof = push ? namedPush(push) : null
  return { step: kind, status: 'done', at: proof?.at ?? null, proof, refusedSince: null, url }
}
