import { guestsMaxOf } from '../../products/store.ts'
import { unset } from '../blocks/block-codec.ts'
import type { Block, Blocks, Stamp } from '../blocks/block.ts'
import type { HotelCatalog } from '../catalog/catalog.ts'
import { fieldNumber, guestBucket, guestPriceField, isPriceField, type FieldValue } from '../fields.ts'
import type { RowChange } from '../judge/plan.ts'
import type { LatePrices } from './late-prices.ts'

/** What a price is compared with; `unset`: with nothing. */
export type Compared = { from: number; isOnSale: boolean }

type Context = {
  catalog: HotelCatalog
  /** Before the push. */
  stored: Blocks
  stamp: Pick<Stamp, 'currencyRevision'>
  /** Prices that were cleared lately. */
  late: LatePrices
}

/** What prices of a push are compared with. */
export class ComparedPrices {
  readonly #context: Context

  constructor(context: Context) {
    this.#context = context
  }

  /** The value that a block has on the night; `unset` for a price in a former currency. */
  before(field: number, night: number, block: Block): number {
    const value = block.values(field)?.[night] ?? unset
    const { currencyRevision } = this.#context.stamp
    if (currencyRevision === 0 || value === unset || !isPriceField(field)) return value
    return (block.revisions(field)?.[night] ?? unset) <= currencyRevision ? unset : value
  }

  /**
   * For each party that a price is for, the party's price before the push, in whatever model, or else its last one.
   */
  of(row: RowChange, { month, field }: FieldValue & { month: number }, night: number): readonly Compared[] {
    const { stored, late, catalog } = this.#context
    const block = stored.of(row.roomNo, row.rateNo, month)
    const own = this.before(field, night, block)
    if (own !== unset) return [{ from: own, isOnSale: true }]
    const lastOf = (one: number) => late(row, month, one, night)
    const isUnit = field === fieldNumber.unitPrice
    const bucket = isUnit ? undefined : guestBucket(field)
    if (bucket && bucket.ageCategory !== 'adult')
      return [{ from: lastOf(field)?.price ?? unset, isOnSale: false }]
    const before = (adults: number): Compared => {
      const guest = guestPriceField('adult', adults)
      const present = this.before(isUnit ? guest : fieldNumber.unitPrice, night, block)
      if (present !== unset) return { from: present, isOnSale: true }
      const [ofUnit, ofGuests] = [lastOf(fieldNumber.unitPrice), lastOf(guest)]
      const last = (ofUnit?.revision ?? 0) > (ofGuests?.revision ?? 0) ? ofUnit : ofGuests
      return { from: last?.price ?? unset, isOnSale: false }
    }
    if (bucket) return [before(bucket.guests)]
    const product = catalog.productOf(row.roomNo, row.rateNo)
    const most = product ? guestsMaxOf(product).adult : 1
    return Array.from({ length: most }, (_, index) => before(index + 1))
  }
}
