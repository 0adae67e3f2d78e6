import { selectHotelsOnSale } from '../../ari/on-sale.ts'
import type { HotelRow } from '../../hotels/store.ts'
import type { Needs } from '../../postgres/needs.ts'
import type { OutboundRules } from '../../outbound/vet-url.ts'
import type { PushKind } from '../../push-log/contract.ts'
import { selectCallback, type WebhookKind } from '../../webhooks/store.ts'
import { faultOfUrl } from '../../webhooks/callback-url.ts'
import type { ChecklistStep } from './contract.ts'
import { selectNewestOfKinds, selectOptionalRegistration, type LoggedPush } from '../pushes/store.ts'
import { namedPush } from '../pushes/shown-push.ts'

export type ChecklistNeeds = Needs & { outbound: OutboundRules }

export type CheckedHotel = Pick<HotelRow, 'id' | 'timeZone' | 'aheadMs' | 'currencyRevision'> & {
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
 * The go-live checklist of the specification, by the same rules as the one suppliers read (hotels/get-hotels.ts), with
 * the pushes that completed each step. The webhooks are those called for this hotel.
 */
export async function readChecklist(needs: ChecklistNeeds, hotel: CheckedHotel): Promise<ChecklistStep[]> {
  const { db, clock } = needs
  const byKind = (pushes: readonly LoggedPush[]) => new Map(pushes.map((push) => [push.kind, push]))
  const onSale = await selectHotelsOnSale(db, [hotel], clock.now())
  const newest: Newest = {
    did: byKind(await selectNewestOfKinds(db, hotel.id, kindsOfHotel, ['applied', 'partial', 'unchanged'])),
    refused: byKind(await selectNewestOfKinds(db, hotel.id, kindsOfHotel, ['partial', 'rejected'])),
  }
  const done = (isDone: boolean) => (isDone ? 'done' : 'missing')
  const step = (kind: KindOfHotel, status: ChecklistStep['status'], at: Date | null = null) =>
    provedStep(kind, status, at, newest)
  return [
    step('hotels', 'done', hotel.createdAt),
    step('products', done(hotel.hasAvailableProduct)),
    step('taxes', hotel.hasTaxes ? 'done' : 'notNeeded'),
    step('ari', done(onSale.has(hotel.id)), hotel.ariAt),
    await webhookStep(needs, hotel, 'availability', 'availabilityWebhook'),
    await webhookStep(needs, hotel, 'pushbook', 'pushbookWebhook'),
  ]
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
