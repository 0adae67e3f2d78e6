import { monthOf, type DayNumber } from '../../base/calendar.ts'
import { hotelNotFound } from '../../hotels/hotel-rules.ts'
import { Rejected, rejectIfAny } from '../../http/rejected.ts'
import type { Queryable } from '../../postgres/postgres.ts'
import type { HotelOfSupplier } from '../../products/hotel-catalogs.ts'
import type { Block } from '../blocks/block.ts'
import { blocksReadMax, readTooLarge, selectHotelBlocks, type BlockRange } from '../blocks/block-range.ts'
import type { CatalogNeeds, HotelCatalog } from '../catalog/catalog.ts'
import { selectHotelPast, type HotelPast } from './changes-back.ts'
import { firstStoredMonth } from '../blocks/past-months.ts'
import { numbersOf, type NamedRows } from '../catalog/row-names.ts'
import type { BlockKey } from '../blocks/store.ts'

export type WantedBlocks = {
  rows: NamedRows
  from: DayNumber
  /** Undefined: as far as anything is stored. */
  to: DayNumber | undefined
  /** For an earlier state: months that are past everywhere are left out, because the rest of them may be gone. */
  isHistory: boolean
}

export type Present = {
  catalog: HotelCatalog
  hotel: HotelPast
  range: BlockRange
  blocks: { key: BlockKey; block: Block }[]
}

/** After every month that can be stored. */
const monthsEnd = 32_767

/** The hotel and the wanted blocks as they are now. The transaction becomes one snapshot, to read on from here. */
export async function readPresent(
  connection: Queryable,
  { catalogs, clock }: CatalogNeeds,
  hotelOfSupplier: HotelOfSupplier,
  { rows, from, to, isHistory }: WantedBlocks,
): Promise<Present> {
  // A push between the statements would show its nights under the previous revision or names.
  await connection.query('set transaction isolation level repeatable read read only')
  const catalog = await catalogs.current(connection, hotelOfSupplier)
  if (!catalog) throw new Rejected(404, hotelNotFound(hotelOfSupplier.hotelCode))
  const { roomNos, rateNos, problems } = numbersOf(rows, catalog)
  rejectIfAny(problems, 404)
  const range = {
    fromMonth: isHistory ? Math.max(monthOf(from), firstStoredMonth(clock.now())) : monthOf(from),
    toMonth: to === undefined ? monthsEnd : monthOf(to),
    roomNos,
    // The room's own row is needed for any requested rate.
    rateNos: rateNos && [0, ...rateNos],
  }
  const hotel = await selectHotelPast(connection, catalog.hotelId)
  const blocks = await selectHotelBlocks(connection, catalog.hotelId, range)
  if (blocks.length > blocksReadMax) throw readTooLarge()
  return { catalog, hotel, range, blocks }
}
