import { setImmediate as breathe } from 'node:timers/promises'
import { firstDay, monthOf, type DayNumber } from '../base/calendar.ts'
import { Block } from '../ari/blocks/block.ts'
import { unset } from '../ari/blocks/block-codec.ts'
import { guestBucket, isGuestPriceField, isPriceField } from '../ari/fields.ts'
import type { HotelRow } from '../hotels/store.ts'
import { todayIn } from '../hotels/hotel-clock.ts'
import { neverFormer, selectFormerNights, type IsFormerNight } from '../offers/stays/former-nights.ts'
import type { Queryable } from '../postgres/postgres.ts'
import { guestsMaxOf } from '../products/store.ts'
import type { HotelFact } from './facts.ts'
import { selectPricedBlocks, selectRoomRates, type PricedBlock, type PricedRoomRate } from './store.ts'

/** Which nights of hotels have a price, and which prices are lacking, by what is stored. */

const nightsAhead = 365
/** For all hotels of a call together: 100 room-rates with all of their months. */
const blocksMax = 1_300
const roomRatesMax = 500
/** Blocks decoded before other requests get a turn of the event loop. */
const blocksAtOnce = 50
const bucketsNamedMax = 5

export async function readHotelFacts(
  db: Queryable,
  hotels: readonly HotelRow[],
  nowMs: number,
): Promise<HotelFact[]> {
  if (hotels.length === 0) return []
  const ids = hotels.map(({ id }) => id)
  const days = hotels.map((hotel) => todayIn(hotel, nowMs))
  const roomRates = await selectRoomRates(db, ids, roomRatesMax)
  const blocks = await selectPricedBlocks(db, ids, {
    fromMonth: monthOf(Math.min(...days)),
    toMonth: monthOf(Math.max(...days) + nightsAhead - 1),
    limit: blocksMax,
  })
  const former = await selectFormerNights(db, ids)
  const facts: HotelFact[] = []
  for (const hotel of hotels) {
    const isFormer = former.get(hotel.id) ?? neverFormer
    facts.push(await factOf(hotel, todayIn(hotel, nowMs), { roomRates, blocks, isFormer }))
  }
  return facts
}

async function factOf(
  { id, code, currencyRevision }: HotelRow,
  today: DayNumber,
  all: { roomRates: readonly PricedRoomRate[]; blocks: readonly PricedBlock[]; isFormer: IsFormerNight },
): Promise<HotelFact> {
  const roomRates = all.roomRates.filter(({ hotelId }) => hotelId === id)
  const [priced, unsold] = [new Set<DayNumber>(), new Set<DayNumber>()]
  const fieldsByRoomRate = new Map<string, Set<number>>()
  const ofHotel = all.blocks.filter(({ hotelId }) => hotelId === id)
  for (const [index, row] of ofHotel.entries()) {
    if (index % blocksAtOnce === blocksAtOnce - 1) await breathe()
    const block = Block.decode(row.block)
    for (const field of block.fields().filter(isPriceField)) {
      const nights = pricedNights(block, field, { month: row.month, currencyRevision })
      for (const night of nights) {
        if (night < today || night >= today + nightsAhead) continue
        const isFormer = all.isFormer(row.roomNo, row.rateNo, night)
        if (isFormer) unsold.add(night)
        else priced.add(night)
      }
      if (nights.length > 0) fieldsOf(fieldsByRoomRate, row).add(field)
    }
  }
  const guestPriced = roomRates.filter(({ pricingModel }) => pricingModel === 'guest')
  return {
    hotelId: code,
    nightsPriced: priced.size,
    nightsUnsold: unsold.difference(priced).size,
    usesGuestPrices: guestPriced.length > 0,
    bucketsLacking: guestPriced
      .flatMap((roomRate) => lackingOf(roomRate, fieldsOf(fieldsByRoomRate, roomRate)))
      .slice(0, bucketsNamedMax),
  }
}

function pricedNights(
  block: Block,
  field: number,
  { month, currencyRevision }: { month: number; currencyRevision: number },
): DayNumber[] {
  const revisions = block.revisions(field)
  const first = firstDay(month)
  return (block.values(field) ?? []).flatMap((value, night) =>
    value !== unset && (revisions?.[night] ?? 0) > currencyRevision ? [first + night] : [],
  )
}

function fieldsOf(
  fieldsByRoomRate: Map<string, Set<number>>,
  { roomNo, rateNo }: { roomNo: number; rateNo: number },
): Set<number> {
  const key = `${roomNo}/${rateNo}`
  const fields = fieldsByRoomRate.get(key) ?? new Set<number>()
  fieldsByRoomRate.set(key, fields)
  return fields
}

/** Infants without a price are free. */
function lackingOf(roomRate: PricedRoomRate, fields: ReadonlySet<number>): string[] {
  const most = guestsMaxOf(roomRate)
  const buckets = [...fields].filter(isGuestPriceField).map(guestBucket)
  return (['adult', 'child'] as const).flatMap((category) =>
    Array.from({ length: most[category] }, (_, index) => index + 1)
      .filter((guests) => !buckets.some((one) => one.ageCategory === category && one.guests === guests))
      .map((guests) => `${guests} ${category} of ${roomRate.roomId}/${roomRate.rateId}`),
  )
}
