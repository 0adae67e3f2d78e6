import { dayMs } from '../../base/calendar.ts'
import type { Queryable } from '../../postgres/postgres.ts'
import { guestsMaxOf, type GuestsMax } from '../../products/store.ts'
import { isInRange, rangeValues } from '../../push-log/bodies/day-ranges.ts'
import { decodeBefore } from '../blocks/before-values.ts'
import { unset } from '../blocks/block-codec.ts'
import type { Block, Blocks } from '../blocks/block.ts'
import { nightsIn, type NightMask } from '../blocks/month.ts'
import { ageCategories, fieldNumber, guestPriceField, isPriceField } from '../fields.ts'
import type { ReadyPush, RowChange } from '../judge/plan.ts'

/** Prices count as on sale for so long after they were cleared: clearing a price first gets no new one past the rules. */
const lateForMs = dayMs

export type LatePrice = { price: number; /** That cleared it. */ revision: number }

/** The last price of a field on a night without one, if it was cleared within a day; in the hotel's currency. */
export type LatePrices = (
  row: Pick<RowChange, 'roomNo' | 'rateNo'>,
  month: number,
  field: number,
  night: number,
) => LatePrice | undefined

/**
 * Reads those that a push may be judged by. The hotel is locked. `stored`: before the push. `unwritten`: changes by
 * the same transaction, which the log doesn't have yet.
 */
export async function readLatePrices(
  connection: Queryable,
  { catalog, plan }: ReadyPush,
  {
    stored,
    currencyRevision,
    unwritten,
  }: { stored: Blocks; currencyRevision: number; unwritten: readonly Cleared[] },
): Promise<LatePrices> {
  const { guard, hotelId, productOf } = catalog
  if (!guard?.learned && !guard?.prices.some(({ kind }) => kind === 'priceDrop' || kind === 'priceRise'))
    return () => undefined
  const revisions = new Set<number>()
  for (const row of plan.items.flatMap(({ rows }) => rows)) {
    const product = row.pricingModel && productOf(row.roomNo, row.rateNo)
    const fields = product ? fieldsComparedWith(row, guestsMaxOf(product)) : []
    const cleared = row.months.flatMap(({ month, mask }) => {
      const block = fields.length > 0 ? stored.of(row.roomNo, row.rateNo, month) : undefined
      return block ? fields.flatMap((field) => clearedAt(block, field, mask)) : []
    })
    for (const revision of cleared) if (revision > currencyRevision) revisions.add(revision)
  }
  if (revisions.size === 0) return () => undefined
  const written = await selectBefore(connection, hotelId, [...revisions], plan.nowMs - lateForMs)
  return pricesBefore([...written, ...unwritten])
}

/** The prices of every party, and those that the row sets. */
function fieldsComparedWith({ sets, pricingModel }: RowChange, most: GuestsMax): number[] {
  const categories = pricingModel === 'unit' ? ageCategories : (['adult'] as const)
  const ofParties = categories.flatMap((category) =>
    Array.from({ length: most[category] }, (_, index) => guestPriceField(category, index + 1)),
  )
  const set = sets.map(({ field }) => field).filter(isPriceField)
  return [...new Set([fieldNumber.unitPrice, ...ofParties, ...set])]
}

/** The revisions that cleared a field on nights that have no value of it. */
function clearedAt(block: Block, field: number, mask: NightMask): number[] {
  const changed = block.revisions(field)
  if (!changed) return []
  const values = block.values(field)
  return nightsIn(mask)
    .filter((night) => (values?.[night] ?? unset) === unset)
    .map((night) => changed[night] ?? unset)
}

type Cleared = { revision: number; before: Buffer }

async function selectBefore(
  connection: Queryable,
  hotelId: number,
  revisions: readonly number[],
  fromMs: number,
): Promise<Cleared[]> {
  const { rows } = await connection.query<Cleared>(
    `select revision, before from push_log
     where hotel_id = $1 and revision = any($2::bigint[]) and before is not null and ${isInRange('$3', '$4')}
     order by revision`,
    [hotelId, revisions, ...rangeValues({ fromMs, toMs: Infinity })],
  )
  return rows
}

/** `changes`: by rising revision. */
function pricesBefore(changes: readonly Cleared[]): LatePrices {
  const found = new Map<string, LatePrice>()
  for (const { revision, before } of changes) {
    const blocks = decodeBefore(before).blocks
    const prices = blocks.flatMap(({ fields, ...block }) =>
      fields.filter(({ field }) => isPriceField(field)).map((field) => ({ ...block, ...field })),
    )
    for (const { roomNo, rateNo, month, field, mask, values } of prices)
      for (const [index, night] of nightsIn(mask).entries()) {
        const price = values[index] ?? unset
        if (price !== unset) found.set(`${roomNo}/${rateNo}/${month}/${field}/${night}`, { price, revision })
      }
  }
  return ({ roomNo, rateNo }, month, field, night) =>
    found.get(`${roomNo}/${rateNo}/${month}/${field}/${night}`)
}
