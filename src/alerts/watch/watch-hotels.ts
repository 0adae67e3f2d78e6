import { setImmediate as breathe } from 'node:timers/promises'
import { Block } from '../../ari/blocks/block.ts'
import { unset } from '../../ari/blocks/block-codec.ts'
import { closureFields, fieldNumber } from '../../ari/fields.ts'
import { isPriceOfStay } from '../../ari/read/on-sale.ts'
import { firstDay, formatNight, monthOf, type DayNumber } from '../../base/calendar.ts'
import { raiseFindings, resolveFindings, type Finding, type FindingName } from '../../findings/store.ts'
import { todayIn } from '../../hotels/hotel-clock.ts'
import { neverFormer, selectFormerNights, type IsFormerNight } from '../../offers/stays/former-nights.ts'
import { numberArray, type Queryable } from '../../postgres/postgres.ts'
import { guestsMaxOf } from '../../products/store.ts'
import { agedOf, raiseStale } from './watch-stale.ts'
import type { WatchNeeds } from './watch-needs.ts'

/** Watches over hotels: whether they can be sold on enough nights, and whether most nights were closed at once. */

export const hotelWatch = {
  /** Nights ahead that are looked at. */
  daysAhead: 90,
  sellableMin: 30,
  /** `mass.closed`: so many nights, and this share of the most that could be sold on the day of the last look, are gone. */
  closedMin: 10,
  closedShare: 0.5,
  /** It is resolved when so large a share of the former ones can be sold again. */
  reopenedShare: 0.8,
  /** Per round: hotels whose row is read, and hotels and blocks that are read because something changed. */
  hotelsScanned: 20_000,
  hotelsLooked: 1_000,
  blocksRead: 20_000,
} as const
const hotelsAtOnce = 20

type HotelToLook = {
  id: number
  supplierId: number
  timeZone: string
  aheadMs: number
  isAvailable: boolean
  ariAtMs: number | null
  ariVersion: number
  catalogVersion: number
  currencyRevision: number
  seenAriVersion: number | null
  seenCatalogVersion: number | null
  seenDay: number | null
  seenSellable: number | null
}

/** Goes on where the last round ended, over the hotels in order of their ids. */
export async function watchHotels({ db }: WatchNeeds, nowMs: number): Promise<void> {
  const afterId = await selectPosition(db)
  const hotels = await selectHotels(db, afterId)
  const changed = hotels.filter((hotel) => isToLook(hotel, nowMs)).slice(0, hotelWatch.hotelsLooked)
  let lookedAt = 0
  let blocks = 0
  while (lookedAt < changed.length && blocks < hotelWatch.blocksRead) {
    const few = changed.slice(lookedAt, lookedAt + hotelsAtOnce)
    blocks += await lookAt(db, few, nowMs)
    lookedAt += few.length
    await breathe()
  }
  // The round ends before the first hotel that was not looked at.
  const isWhole = lookedAt === changed.length && changed.length < hotelWatch.hotelsLooked
  const lastId = isWhole ? hotels.at(-1)?.id : changed[lookedAt - 1]?.id
  const passed = hotels.filter(({ id }) => id <= (lastId ?? 0))
  await raiseStale(
    db,
    passed.flatMap((hotel) => agedOf(hotel, nowMs)),
    nowMs,
  )
  const isEnd = isWhole && hotels.length < hotelWatch.hotelsScanned
  await db.query('update finding_watch set hotel_id = $1', [isEnd ? 0 : (lastId ?? 0)])
}

async function selectPosition(db: Queryable): Promise<number> {
  const { rows } = await db.query<{ hotelId: number }>('select hotel_id as "hotelId" from finding_watch')
  return rows[0]?.hotelId ?? 0
}

async function selectHotels(db: Queryable, afterId: number): Promise<HotelToLook[]> {
  const { rows } = await db.query<HotelToLook>(
    `select hotel.id, supplier_id as "supplierId", time_zone as "timeZone", clock_ahead_ms::float8 as "aheadMs",
       is_available as "isAvailable", epoch_ms(ari_at) as "ariAtMs", hotel.ari_version::float8 as "ariVersion",
       hotel.catalog_version::float8 as "catalogVersion", currency_revision::float8 as "currencyRevision",
       seen.ari_version::float8 as "seenAriVersion", seen.catalog_version::float8 as "seenCatalogVersion",
       seen.day as "seenDay", seen.sellable as "seenSellable"
     from (select * from hotel where id > $1 order by id limit $2) as hotel
       left join watched_hotel as seen on seen.hotel_id = hotel.id
     order by hotel.id`,
    [afterId, hotelWatch.hotelsScanned],
  )
  return rows
}

/** Hotels that never got ARI are on their way to going live: the go-live checklist is about them. */
function isToLook(hotel: HotelToLook, nowMs: number): boolean {
  if (hotel.ariAtMs === null) return false
  return (
    hotel.seenAriVersion !== hotel.ariVersion ||
    hotel.seenCatalogVersion !== hotel.catalogVersion ||
    hotel.seenDay !== todayIn(hotel, nowMs)
  )
}

/** Returns the number of blocks read. */
async function lookAt(db: Queryable, hotels: readonly HotelToLook[], nowMs: number): Promise<number> {
  const rows = await selectBlocks(db, hotels, nowMs)
  const rowsByHotel = Map.groupBy(rows, ({ hotelId }) => hotelId)
  const former = await selectFormerNights(
    db,
    hotels.map(({ id }) => id),
  )
  const raised: Finding[] = []
  const resolved: FindingName[] = []
  const seen = hotels.map((hotel) => {
    const today = todayIn(hotel, nowMs)
    const sellable = sellableNights(hotel, rowsByHotel.get(hotel.id) ?? [], {
      today,
      isFormer: former.get(hotel.id) ?? neverFormer,
    })
    const coverage = { supplierId: hotel.supplierId, kind: 'coverage.low', hotelId: hotel.id } as const
    if (hotel.isAvailable && sellable.length < hotelWatch.sellableMin) {
      const last = sellable.at(-1)
      const evidence = {
        sellableDays: sellable.length,
        wantedDays: hotelWatch.sellableMin,
        daysLookedAt: hotelWatch.daysAhead,
        lastSellableNight: last === undefined ? null : formatNight(last),
      }
      raised.push({ ...coverage, count: hotelWatch.sellableMin - sellable.length, evidence })
    } else resolved.push(coverage)
    const closed = closedAtOnce(hotel, today, sellable.length)
    if (closed) raised.push(closed)
    return { hotel, today, sellable: sellable.length }
  })
  await raiseFindings(db, raised, nowMs)
  await resolveFindings(db, resolved, nowMs)
  await writeSeen(db, seen, await resolveReopened(db, seen, nowMs))
  return rows.length
}

/** Nights that have passed since the last look were not closed. */
function closedAtOnce(hotel: HotelToLook, today: DayNumber, sellable: number): Finding | undefined {
  const { seenSellable, seenDay } = hotel
  if (seenSellable === null || seenDay === null || !hotel.isAvailable) return undefined
  const before = seenSellable - Math.max(0, today - seenDay)
  const closed = before - sellable
  if (closed < hotelWatch.closedMin || closed < before * hotelWatch.closedShare) return undefined
  const evidence = { sellableBefore: before, sellableNow: sellable, daysLookedAt: hotelWatch.daysAhead }
  return { supplierId: hotel.supplierId, kind: 'mass.closed', hotelId: hotel.id, count: closed, evidence }
}

type Seen = { hotel: HotelToLook; today: DayNumber; sellable: number }

/** Returns the hotels whose finding was resolved. */
async function resolveReopened(db: Queryable, seen: readonly Seen[], nowMs: number): Promise<Set<number>> {
  const { rows } = await db.query<{ hotelId: number }>(
    `update finding set state = 'resolved', resolved_at = instant($3), tell_at = 'infinity'
     from unnest($1::int[], $2::int[], $4::bool[]) as seen (hotel_id, sellable, is_available)
     where finding.hotel_id = seen.hotel_id and kind = 'mass.closed' and state <> 'resolved'
       and (not seen.is_available or state = 'acknowledged'
         or seen.sellable >= (evidence ->> 'sellableBefore')::int * ${hotelWatch.reopenedShare})
     returning finding.hotel_id as "hotelId"`,
    [
      numberArray(seen.map(({ hotel }) => hotel.id)),
      numberArray(seen.map(({ sellable }) => sellable)),
      nowMs,
      seen.map(({ hotel }) => hotel.isAvailable),
    ],
  )
  return new Set(rows.map(({ hotelId }) => hotelId))
}

/** Nights that are closed in several steps of a day are compared with the most of that day, unless that is settled. */
function comparable({ hotel, today, sellable }: Seen, resolved: ReadonlySet<number>): number {
  const isSameDay = hotel.seenDay === today && !resolved.has(hotel.id)
  return isSameDay ? Math.max(sellable, hotel.seenSellable ?? 0) : sellable
}

async function writeSeen(db: Queryable, seen: readonly Seen[], resolved: ReadonlySet<number>): Promise<void> {
  await db.query(
    `insert into watched_hotel (hotel_id, ari_version, catalog_version, day, sellable)
     select seen.* from unnest($1::int[], $2::int8[], $3::int8[], $4::int[], $5::int[]) as seen (hotel_id)
     where exists (select from hotel where hotel.id = seen.hotel_id)
     on conflict (hotel_id) do update set ari_version = excluded.ari_version,
       catalog_version = excluded.catalog_version, day = excluded.day, sellable = excluded.sellable`,
    [
      numberArray(seen.map(({ hotel }) => hotel.id)),
      numberArray(seen.map(({ hotel }) => hotel.ariVersion)),
      numberArray(seen.map(({ hotel }) => hotel.catalogVersion)),
      numberArray(seen.map(({ today }) => today)),
      numberArray(seen.map((one) => comparable(one, resolved))),
    ],
  )
}

type BlockRow = {
  hotelId: number
  roomNo: number
  rateNo: number
  month: number
  block: Buffer
  /** Of a room-rate. */
  maxOccupancy: number | null
  maxAdult: number | null
}

/** The blocks of rooms, and of room-rates that are available. */
async function selectBlocks(
  db: Queryable,
  hotels: readonly HotelToLook[],
  nowMs: number,
): Promise<BlockRow[]> {
  const todays = hotels.map((hotel) => todayIn(hotel, nowMs))
  const { rows } = await db.query<BlockRow>(
    `select held.hotel_id as "hotelId", held.room_no as "roomNo", held.rate_no as "rateNo", held.month, held.block,
       max_occupancy as "maxOccupancy", max_adult as "maxAdult"
     from unnest($1::int[], $2::int2[], $3::int2[]) as looked (hotel_id, from_month, to_month)
       join ari_month as held on held.hotel_id = looked.hotel_id and held.month between from_month and to_month
       left join room_rate on room_rate.hotel_id = held.hotel_id and room_rate.room_no = held.room_no
         and room_rate.rate_no = held.rate_no and room_rate.is_available
     where held.rate_no = 0 or room_rate.hotel_id is not null`,
    [
      numberArray(hotels.map(({ id }) => id)),
      numberArray(todays.map((today) => monthOf(today))),
      numberArray(todays.map((today) => monthOf(today + hotelWatch.daysAhead - 1))),
    ],
  )
  return rows
}

/**
 * Nights on which some room-rate has a price for adults that it takes, and units, needs no amount of a former currency, and
 * neither it nor its room is closed.
 */
function sellableNights(
  { currencyRevision }: HotelToLook,
  rows: readonly BlockRow[],
  { today, isFormer }: { today: DayNumber; isFormer: IsFormerNight },
): DayNumber[] {
  const nights = new Set<DayNumber>()
  const roomOf = new Map(
    rows.flatMap(({ roomNo, rateNo, month, block }) =>
      rateNo === 0 ? [[`${roomNo} ${month}`, Block.decode(block)] as const] : [],
    ),
  )
  for (const { roomNo, rateNo, month, block, maxOccupancy, maxAdult } of rows) {
    if (rateNo === 0 || maxOccupancy === null) continue
    const adultsMax = guestsMaxOf({ maxOccupancy, maxAdult }).adult
    const rate = Block.decode(block)
    const room = roomOf.get(`${roomNo} ${month}`)
    const from = Math.max(today, firstDay(month))
    const to = Math.min(today + hotelWatch.daysAhead, firstDay(month + 1))
    for (let night = from; night < to; night++) {
      if (nights.has(night) || isFormer(roomNo, rateNo, night)) continue
      if (isSellable({ rate, room, adultsMax, currencyRevision }, night - firstDay(month))) nights.add(night)
    }
  }
  return [...nights].sort((left, right) => left - right)
}

type NightOfRate = { rate: Block; room: Block | undefined; adultsMax: number; currencyRevision: number }

function isSellable({ rate, room, adultsMax, currencyRevision }: NightOfRate, index: number): boolean {
  const valueOf = (block: Block | undefined, field: number) => block?.values(field)?.[index] ?? unset
  const isClosed = closureFields.some(
    (field) => valueOf(rate, field) !== unset || valueOf(room, field) !== unset,
  )
  if (isClosed) return false
  const units = [valueOf(rate, fieldNumber.inventory), valueOf(room, fieldNumber.inventory)].filter(
    (value) => value !== unset,
  )
  if (units.length === 0 || Math.min(...units) <= 0) return false
  return rate
    .fields()
    .some(
      (field) =>
        isPriceOfStay(field, adultsMax) &&
        valueOf(rate, field) !== unset &&
        (rate.revisions(field)?.[index] ?? 0) > currencyRevision,
    )
}
