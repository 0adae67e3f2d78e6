import { dayIn, monthOf } from '../../base/calendar.ts'
import { countStages } from './stages.ts'
import { answer, onEveryProblem, type Mounted, on } from '../../http/calls/mount.ts'
import type { Needs } from '../../postgres/postgres.ts'
import { readId, readCursor, readLimit, writeCursor, judgeQuery, pageOf } from '../../http/calls/query.ts'
import { rejectIfAny, reportedValue } from '../../http/rejected.ts'
import type { BodyOf } from '../../http/route.ts'
import {
  hotelsCounted,
  supplierRoutes,
  suppliersPerPage,
  type SupplierKey,
  type SupplierWebhook,
} from './contract.ts'
import { selectSuppliers, selectCalls, selectKeysOf, type KeyRow } from './store.ts'
import { createSupplier as create, selectAccount, setAccount, type Account } from '../../keys/suppliers.ts'
import { commissionDecimalsMax, isPercent } from '../../keys/price-contract.ts'
import { defaultLimits } from '../../keys/store.ts'
import type { OutboundRules } from '../../outbound/vet-url.ts'
import type { PriceChecker } from '../../price-check/checker.ts'
import { faultOfUrl } from '../../webhooks/callback.ts'
import { supplierUnknown, supplierSubject, supplierNamed } from './rules.ts'
import { audit } from '../../operators/accounts/audit.ts'
import { transaction } from '../../postgres/transaction.ts'

/** GET /suppliers: by name. */
export const listSuppliers = ({ db, clock }: Needs): Mounted =>
  onEveryProblem(supplierRoutes.listSuppliers, judge, async ({ query: { search }, read }) => {
    const { limit, afterId } = read
    const hotelsMax = hotelsCounted.inList
    const filter = { supplierId: undefined, search, afterId, hotelsMax, nowMs: clock.now() }
    const { page, last } = pageOf(await selectSuppliers(db, filter, limit + 1), limit)
    return answer(200, {
      suppliers: page.map(({ hotels, ...supplier }) => ({
        ...supplier,
        hotels: { count: Math.min(hotels, hotelsMax), isMore: hotels > hotelsMax },
      })),
      nextCursor: last ? writeCursor(last.supplierId) : null,
    })
  })

const judge = judgeQuery(({ cursor, limit }, problems) => ({
  afterId: readCursor(cursor, problems),
  limit: readLimit(limit, suppliersPerPage, problems),
}))

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
    const thisMonth = monthOf(dayIn('UTC', nowMs))
    const [[found], keys, calls, goLive] = await Promise.all([
      selectSuppliers(db, filter, 1),
      selectKeysOf(db, { supplierId }, nowMs),
      selectCalls(db, supplierId, callsOfEachKind),
      countStages(db, { supplierId, nowMs, thisMonth }),
    ])
    if (!found) throw supplierUnknown(params.supplierId)
    const account = await selectAccount(db, supplierId)
    const { name, createdAt, hotels, pushes } = found
    return answer(200, {
      supplier: {
        supplierId,
        name,
        createdAt,
        account,
        hotels: { count: Math.min(hotels, hotelsMax), isMore: hotels > hotelsMax },
        goLive,
        pushes,
        keys: await Promise.all(
          keys.map(({ supplierId: _ofIt, supplier: _name, ...row }) =>
            listedKey(row, { priceChecks, outbound }),
          ),
        ),
        calls,
        defaultLimits,
      },
    })
  })

async function listedKey(
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

/** POST /suppliers. */
export const createSupplier = ({ db }: Needs): Mounted =>
  on(supplierRoutes.createSupplier, async ({ body: { name }, operator, requestId }) => {
    return answer(
      201,
      await transaction(db, async (connection) => {
        const { supplierId } = await create(connection, name)
        const subject = supplierSubject({ supplierId, name })
        await audit(connection, { operator, requestId, action: 'supplier.create', subject, after: { name } })
        return { supplierId }
      }),
    )
  })

/** PUT /suppliers/{supplierId}/account: absent members stay unchanged. */
export const changeSupplier = ({ db }: Needs): Mounted =>
  on(supplierRoutes.changeSupplier, async ({ params, body, operator, requestId }) => {
    rejectWrongPercents(body)
    const account = await transaction(db, async (connection) => {
      const supplier = await supplierNamed(connection, params.supplierId)
      await connection.query('select from supplier where id = $1 for update', [supplier.supplierId])
      const previous = await selectAccount(connection, supplier.supplierId)
      const now = await setAccount(connection, supplier.name, body)
      const { before, after } = differing(previous, now)
      if (Object.keys(after).length > 0) {
        const subject = supplierSubject(supplier)
        await audit(connection, { operator, requestId, action: 'supplier.change', subject, before, after })
      }
      return now
    })
    return answer(200, { account })
  })

const percents = [
  { member: 'priceTolerance', name: 'Price tolerance', decimals: 2 },
  { member: 'commissionPercent', name: 'Commission', decimals: commissionDecimalsMax },
] as const

function rejectWrongPercents(body: BodyOf<typeof supplierRoutes.changeSupplier>): void {
  const problems = percents.flatMap(({ member, name, decimals }) => {
    const value = body[member]
    if (value === undefined || isPercent(value, decimals)) return []
    return {
      type: 'OUT_OF_RANGE',
      message: `${name} must be a number from 0 to 100 with at most ${decimals} decimals`,
      path: `/${member}`,
      value: reportedValue(value),
    }
  })
  rejectIfAny(problems)
}

/** Only the changed values. */
function differing(previous: Account, now: Account): { before: object; after: object } {
  const previousByName = new Map<string, unknown>(Object.entries(previous))
  const changed = Object.entries(now).filter(([name, value]) => previousByName.get(name) !== value)
  return {
    before: Object.fromEntries(changed.map(([name]) => [name, previousByName.get(name)])),
    after: Object.fromEntries(changed),
  }
}
