import { selectAccount } from '../../keys/account.ts'
import { defaultLimits } from '../../keys/limits.ts'
import { answer, on, type Mounted } from '../../http/mount.ts'
import type { Needs } from '../../postgres/needs.ts'
import type { OutboundRules } from '../../outbound/vet-url.ts'
import type { AnswerOf } from '../../http/route.ts'
import type { PriceChecker } from '../../price-check/checker.ts'
import { faultOfUrl } from '../../webhooks/callback-url.ts'
import { hotelsCounted, supplierRoutes, type SupplierKey, type SupplierWebhook } from './contract.ts'
import { readId, supplierUnknown } from './rules.ts'
import { selectCalls, selectKeysOf, selectSuppliers, type KeyRow } from './store.ts'

type GetNeeds = Needs & { priceChecks: PriceChecker; outbound: OutboundRules }

const callsOfEachKind = 10

/** GET /suppliers/{supplierId}: its contract settings, keys, and the latest calls to its URLs. */
export const getSupplier = ({ db, clock, priceChecks, outbound }: GetNeeds): Mounted =>
  on(supplierRoutes.getSupplier, async ({ params }) => {
    const supplierId = readId(params.supplierId)
    if (supplierId === undefined) throw supplierUnknown(params.supplierId)
    const nowMs = clock.now()
    const hotelsMax = hotelsCounted.onPage
    const filter = { supplierId, search: undefined, afterId: undefined, hotelsMax, nowMs }
    await priceChecks.ledger.written()
    const [found] = await selectSuppliers(db, filter, 1)
    if (!found) throw supplierUnknown(params.supplierId)
    const [account, keys, calls] = await Promise.all([
      selectAccount(db, supplierId),
      selectKeysOf(db, { supplierId }, nowMs),
      selectCalls(db, supplierId, callsOfEachKind),
    ])
    const { name, createdAt, hotels, pushes } = found
    const said: AnswerOf<typeof supplierRoutes.getSupplier> = {
      supplier: {
        supplierId,
        name,
        createdAt,
        account,
        hotels: { count: Math.min(hotels, hotelsMax), isMore: hotels > hotelsMax },
        pushes,
        keys: await Promise.all(
          keys.map(({ supplierId: _ofIt, supplier: _name, ...row }) =>
            shownKey(row, { priceChecks, outbound }),
          ),
        ),
        calls,
        defaultLimits,
      },
    }
    return answer(200, said)
  })

async function shownKey(
  row: Omit<KeyRow, 'supplierId' | 'supplier'>,
  { priceChecks, outbound }: Pick<GetNeeds, 'priceChecks' | 'outbound'>,
): Promise<SupplierKey> {
  const { availability, availabilityAt, pushbook, pushbookAt, ...key } = row
  const faultOf = async (url: string) => (await faultOfUrl(url, outbound))?.message ?? null
  const webhooks: SupplierWebhook[] = []
  if (availability !== null) {
    const circuit = priceChecks.circuit(availability)
    const fault = await faultOf(availability)
    webhooks.push({ kind: 'availability', url: availability, registeredAt: availabilityAt, circuit, fault })
  }
  if (pushbook !== null) {
    const fault = await faultOf(pushbook)
    webhooks.push({ kind: 'pushbook', url: pushbook, registeredAt: pushbookAt, circuit: null, fault })
  }
  return { ...key, webhooks }
}
