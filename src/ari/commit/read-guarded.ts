import type { Queryable } from '../../postgres/postgres.ts'
import type { PushRecord } from '../../push-log/keep/keep.ts'
import type { Blocks } from '../blocks/block.ts'
import type { LockedHotel } from '../blocks/store.ts'
import { selectHoldsOfBlocks } from '../guard/hold-store.ts'
import { readLatePrices } from '../guard/late-prices.ts'
import type { OpenHolds } from '../guard/open-holds.ts'
import type { ReadyPush } from '../judge/plan.ts'
import type { Guarded } from './apply.ts'

type Reading = {
  hotel: LockedHotel
  blocks: Blocks
  holds: OpenHolds
  /** Pushes that the same transaction applied before. */
  earlier: readonly (PushRecord | undefined)[]
}

/** Reads the open holds of which a push may replace parts, and the prices that were cleared lately. */
export async function readGuarded(
  connection: Queryable,
  ready: ReadyPush,
  { hotel, blocks, holds, earlier }: Reading,
): Promise<Guarded> {
  const { catalog, plan } = ready
  const keys = plan.items.flatMap(({ rows }) =>
    rows.flatMap(({ roomNo, rateNo, months }) => months.map(({ month }) => ({ roomNo, rateNo, month }))),
  )
  for (const hold of await selectHoldsOfBlocks(connection, catalog.hotelId, keys)) holds.read(hold)
  const unwritten = earlier.flatMap((record) => {
    const { hotelId, revision = null, before } = record?.kept ?? {}
    return hotelId === catalog.hotelId && revision !== null && before ? [{ revision, before }] : []
  })
  const { currencyRevision } = hotel
  const late = await readLatePrices(connection, ready, { stored: blocks, currencyRevision, unwritten })
  return { holds, late }
}
