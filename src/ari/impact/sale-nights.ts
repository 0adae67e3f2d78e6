import { nightsWhere, type NightMask } from '../blocks/month.ts'
import type { Block, Blocks } from '../blocks/block.ts'
import { closureFields, fieldNumber } from '../fields.ts'
import { isPriceOfStay } from '../read/on-sale.ts'
import { sellableValues, type TouchedMonth } from './changed-cells.ts'
import { unset } from '../blocks/block-codec.ts'

/**
 * The nights of a month on which a room-rate is on sale: it is open, and has units and a price for adults. Whether a
 * stay over a night can be booked also depends on its other nights.
 */
export function saleNights(
  blocks: Blocks,
  { roomNo, rateNo, month, mask }: TouchedMonth,
  { currencyRevision, adultsMax }: { currencyRevision: number; adultsMax: number },
): NightMask {
  const [room, rate] = [blocks.of(roomNo, 0, month), blocks.of(roomNo, rateNo, month)]
  let priced = 0
  for (const field of rate.fields()) {
    if (!isPriceOfStay(field, adultsMax)) continue
    const prices = sellableValues(rate, field, currencyRevision)
    priced |= nightsWhere(mask & ~priced, (night) => (prices?.[night] ?? unset) !== unset)
  }
  return priced & unitNights(room, rate, mask) & ~closedNights([room, rate], mask)
}

/** The room's units and the rate's own both count, where they are set; one of them must be. */
function unitNights(room: Block, rate: Block, mask: NightMask): NightMask {
  const [ofRoom, ofRate] = [room, rate].map((block) => block.values(fieldNumber.inventory))
  return nightsWhere(mask, (night) => {
    const [rooms, rates] = [ofRoom?.[night] ?? unset, ofRate?.[night] ?? unset]
    return rooms !== 0 && rates !== 0 && (rooms !== unset || rates !== unset)
  })
}

function closedNights(blocks: readonly Block[], mask: NightMask): NightMask {
  let closed = 0
  for (const block of blocks)
    for (const field of closureFields) closed |= block.nightsWithValue(field, mask & ~closed)
  return closed
}
