import type { NightMask } from '../blocks/month.ts'
import { packBlockKey } from '../blocks/store.ts'
import { isPriceField } from '../fields.ts'
import type { PlannedItem, RowChange } from '../judge/plan.ts'

/** A row with its nights of one month. */
export type RowNights = { row: RowChange; mask: NightMask }
type Place = { roomNo: number; rateNo: number }

/** The rows of a push that set or clear prices, by room-rate and month, in the order of its items. */
export class PushedPrices {
  readonly #items: readonly PlannedItem[]
  #rowsByBlock: Map<number, RowNights[]> | undefined

  constructor(items: readonly PlannedItem[]) {
    this.#items = items
  }

  rowsOf({ roomNo, rateNo }: Place, month: number): readonly RowNights[] {
    this.#rowsByBlock ??= rowsByBlock(this.#items)
    return this.#rowsByBlock.get(packBlockKey({ roomNo, rateNo, month })) ?? []
  }
}

function rowsByBlock(items: readonly PlannedItem[]): Map<number, RowNights[]> {
  const found = new Map<number, RowNights[]>()
  for (const row of items.flatMap(({ rows }) => rows)) {
    if (!row.guestPricesKept && !row.sets.some(({ field }) => isPriceField(field))) continue
    for (const { month, mask } of row.months) {
      const key = packBlockKey({ ...row, month })
      const known = found.get(key)
      if (known) known.push({ row, mask })
      else found.set(key, [{ row, mask }])
    }
  }
  return found
}
