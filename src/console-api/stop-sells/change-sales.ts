import { stopSell, type Stopped, type Stretch } from '../../ari/blocks/stop-sell.ts'
import { lockHotels, writeBlocks, writeVersions, type LockedHotel } from '../../ari/blocks/store.ts'
import { formatNight, instantOf, type DayNumber } from '../../base/calendar.ts'
import { todayIn } from '../../hotels/hotel-clock.ts'
import { endLiveAnswers } from '../../hotels/live-touches.ts'
import type { Operator } from '../../http/calls/call.ts'
import { answer } from '../../http/calls/mount.ts'
import type { BookingCatalog } from '../../offers/stays/booking-catalog.ts'
import type { StayReader } from '../../offers/stays/stays.ts'
import { audit } from '../../operators/accounts/audit.ts'
import type { Needs, Queryable } from '../../postgres/postgres.ts'
import { keepPushes } from '../../push-log/keep/keep.ts'
import { insertStopSell, selectHotelSupplier } from '../calendar/store.ts'
import { endOrder, insertOrder, narrowOrder, selectOrders, type StopSellOrder } from './store.ts'
import { within, without } from './stretches.ts'

/** Stops sales of nights, or resumes them, in a transaction that holds the hotel's lock. */

export type SalesNeeds = Needs & { stays: StayReader }

/** A hotel under its lock, with its catalog as it is there: the lock may have waited for a push of products. */
export type LockedSales = { hotel: LockedHotel; catalog: BookingCatalog; nowMs: number; today: DayNumber }

export async function lockSales(
  connection: Queryable,
  { stays, clock }: SalesNeeds,
  hotelId: number,
): Promise<LockedSales | undefined> {
  const nowMs = clock.now()
  const hotel = (await lockHotels(connection, [hotelId], 'wait')).get(hotelId)
  const range = { firstDay: 0, lastDay: 0 }
  const stay = hotel && (await stays.readWithin(connection, { ...hotel, hotelId }, range))
  return hotel && stay && { hotel, catalog: stay.catalog, nowMs, today: todayIn(stay.catalog, nowMs) }
}

/** `operator` null: a stop-sell that ends by itself. */
export type By = { operator: Operator | null; requestId: string; startedMs: number }

/** The revision is as before if no night changed. */
export type ChangedSales = { revision: number; nightsChanged: number; changed: Stopped['changed'] }

type Wanted = { stretches: readonly Stretch[]; reason?: string | undefined; isPreview?: boolean }

/** Nights that other stop-sells have stopped already are claimed as well: they stay stopped when those end. */
export async function stopSales(
  connection: Queryable,
  sales: LockedSales,
  { reason, untilMs, ...wanted }: Wanted & { reason: string; untilMs: number | null },
  by: By,
): Promise<ChangedSales> {
  const { hotel, nowMs } = sales
  const orders = await selectOrders(connection, hotel.id)
  const lasting = orders.filter((order) => lastsAsLong(order, untilMs)).flatMap(({ claims }) => claims)
  const isNew = without(wanted.stretches, lasting).length > 0
  const change = { ...wanted, reason, untilMs, isStopped: true, isNoted: isNew }
  const changed = await changeNights(connection, sales, change, by)
  if (isNew && !wanted.isPreview)
    await insertOrder(connection, {
      hotelId: hotel.id,
      atMs: nowMs,
      operator: nameOf(by),
      requestId: by.requestId,
      reason,
      claims: wanted.stretches,
      untilMs,
    })
  return changed
}

function lastsAsLong(order: StopSellOrder, untilMs: number | null): boolean {
  return order.untilMs === null || (untilMs !== null && order.untilMs >= untilMs)
}

/** Resumes sales on nights, whatever stopped them; stop-sells of which nothing is left end. */
export async function resumeNights(
  connection: Queryable,
  sales: LockedSales,
  wanted: Wanted,
  by: By,
): Promise<ChangedSales> {
  const changed = await changeNights(connection, sales, { ...wanted, isStopped: false }, by)
  if (wanted.isPreview) return changed
  for (const { id, claims } of await selectOrders(connection, sales.hotel.id)) {
    const left = without(claims, wanted.stretches)
    if (left.length === 0) await endOrder(connection, id, { by: nameOf(by), nowMs: sales.nowMs })
    else if (within(claims, wanted.stretches).length > 0) await narrowOrder(connection, id, left)
  }
  return changed
}

/** Ends one stop-sell; nights that others claim too stay stopped. Undefined if it has ended already. */
export async function endStopSell(
  connection: Queryable,
  sales: LockedSales,
  orderId: number,
  by: By,
): Promise<(ChangedSales & { kept: Stretch[] }) | undefined> {
  const { hotel, nowMs, today } = sales
  const orders = await selectOrders(connection, hotel.id)
  const ended = orders.find(({ id }) => id === orderId)
  if (!ended) return undefined
  const others = orders.filter((order) => order !== ended).flatMap(({ claims }) => claims)
  // Yesterday can still be sold somewhere; what is before it is past everywhere.
  const toCome = ended.claims.flatMap((claim) =>
    claim.to < today - 1 ? [] : { ...claim, from: Math.max(claim.from, today - 1) },
  )
  const kept = within(toCome, others)
  const stretches = without(toCome, others)
  const changed = await changeNights(
    connection,
    sales,
    { stretches, isStopped: false, stopSellId: orderId, isNoted: true },
    by,
  )
  await endOrder(connection, orderId, { by: by.operator?.name ?? null, nowMs })
  return { ...changed, kept }
}

type NightsChange = Wanted & {
  isStopped: boolean
  untilMs?: number | null
  stopSellId?: number
  /** Audited even if other stop-sells keep all nights as they are. */
  isNoted?: boolean
}

async function changeNights(
  connection: Queryable,
  sales: LockedSales,
  change: NightsChange,
  by: By,
): Promise<ChangedSales> {
  const { hotel, nowMs } = sales
  const { written, changed, before } = await stopSell(connection, hotel, change)
  const nightsChanged = changed.reduce((sum, { nights }) => sum + nights, 0)
  const isWritten = nightsChanged > 0 && change.isPreview !== true
  const revision = isWritten ? hotel.revision + 1 : hotel.revision
  if (isWritten) {
    await writeBlocks(connection, written, null)
    const risen = { id: hotel.id, revision, revisionBefore: hotel.revision }
    await writeVersions(
      connection,
      [{ hotel: risen, keys: written.map(({ key }) => key) }],
      'stopSell',
      nowMs,
    )
    const touched = change.stretches.map((nights) => ({ hotelId: hotel.id, ...nights }))
    await endLiveAnswers(connection, touched, nowMs)
    await log(connection, sales, { ...change, revision, nightsChanged, before }, by)
  }
  if (isWritten || (change.isNoted === true && change.isPreview !== true))
    await auditChange(connection, sales, { ...change, revision, nightsChanged }, by)
  return { revision, nightsChanged, changed }
}

const nameOf = ({ operator }: By): string => operator?.name ?? service.name

/** The service itself, which ends a stop-sell at its time. */
const service = {
  id: undefined,
  name: 'service',
  role: 'operator',
  sessionId: undefined,
  address: undefined,
} as const satisfies Operator

type Written = NightsChange & { revision: number; nightsChanged: number }

/** The nights in the supplier's codes. */
function namedStretches({ roomRates }: BookingCatalog, stretches: readonly Stretch[]) {
  const roomOf = new Map(roomRates.map(({ roomNo, room }) => [roomNo, room.code]))
  const rateOf = new Map(roomRates.map(({ rateNo, rate }) => [rateNo, rate.code]))
  return stretches.map(({ roomNo, rateNo, from, to }) => ({
    roomId: roomOf.get(roomNo) ?? String(roomNo),
    rateId: rateNo === 0 ? undefined : (rateOf.get(rateNo) ?? String(rateNo)),
    startDate: formatNight(from),
    endDate: formatNight(to),
  }))
}

/** Records the change as the origin of closed nights, and in the supplier's push log. */
async function log(
  connection: Queryable,
  { hotel: { id: hotelId }, catalog, nowMs }: LockedSales,
  { stretches, isStopped, reason, revision, nightsChanged, before }: Written & { before: Buffer },
  by: By,
): Promise<void> {
  const { hotelCode } = catalog
  const { requestId, startedMs } = by
  const operator = nameOf(by)
  await insertStopSell(connection, { hotelId, revision, operator, requestId, atMs: nowMs })
  const body = {
    hotelId: hotelCode,
    action: isStopped ? 'stop' : 'open',
    ...(reason === undefined ? {} : { reason }),
    ari: namedStretches(catalog, stretches).map(({ rateId, ...nights }) => ({
      ...nights,
      ...(rateId === undefined ? { stopSell: isStopped } : { rates: [{ rateId, stopSell: isStopped }] }),
    })),
  }
  const message = isStopped ? 'Sale stopped by the platform' : 'Sale opened by the platform'
  const logged = answer(200, { code: '200', message, hotelId: hotelCode, revision, requestId })
  const caller = { supplierId: await selectHotelSupplier(connection, hotelId), keyId: null }
  const rawBody = Buffer.from(JSON.stringify(body))
  const push = { kind: 'stopSell', requestId, rawBody, startedMs, caller }
  const kept = {
    outcome: 'applied',
    hotelId,
    hotelCode,
    revision,
    cellsChanged: nightsChanged,
    before,
  } as const
  await keepPushes(connection, [{ push, answer: logged, kept }], nowMs)
}

async function auditChange(
  connection: Queryable,
  { hotel, catalog }: LockedSales,
  { stretches, isStopped, reason, untilMs, stopSellId, nightsChanged, revision }: Written,
  { operator, requestId }: By,
): Promise<void> {
  await audit(connection, {
    operator: operator ?? service,
    requestId,
    action: isStopped ? 'ari.stop-sell' : 'ari.open-again',
    subject: `hotel ${hotel.id} "${catalog.hotelCode}"`,
    after: {
      ...(stopSellId === undefined ? {} : { stopSellId }),
      nights: namedStretches(catalog, stretches),
      ...(reason === undefined ? {} : { reason }),
      ...(untilMs === undefined || untilMs === null ? {} : { until: instantOf(untilMs) }),
      nightsChanged,
      revision,
    },
  })
}
