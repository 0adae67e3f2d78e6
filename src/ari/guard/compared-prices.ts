import { guestsMaxOf } from '../../products/store.ts'
import { unset } from '../blocks/block-codec.ts'
import type { Block, Blocks } from '../blocks/block.ts'
import type { Stamp } from '../blocks/stamp.ts'
import type { HotelCatalog } from '../catalog/catalog.ts'
import {
  fieldNumber,
  guestBucket,
  guestPriceField,
  isPriceField,
  isSupplementField,
  type FieldValue,
} from '../fields.ts'
import type { RowChange } from '../judge/plan.ts'
import type { LatePrice, LatePrices } from './late-prices.ts'
import type { PushedPrices } from './pushed-prices.ts'
import { cheapestAdults, dearestParty, type PriceLines } from './rules/party-prices.ts'

/** What a party paid before the push, and what it would pay. `from`: `unset` if it is compared with nothing. */
export type Compared = {
  from: number
  to: number
  /** Whether the party pays `from` now; otherwise it did within a day. */
  isOnSale: boolean
  /** What of `to` it pays besides the line that is judged. */
  beside: number
  /** What the line itself was. */
  line: number
}

type Context = {
  catalog: HotelCatalog
  /** Before the push. */
  stored: Blocks
  stamp: Stamp
  /** Prices that were cleared lately. */
  late: LatePrices
  pushed: PushedPrices
}

/** A night of a room-rate. */
type Place = { row: RowChange; month: number; night: number; block: Block }

/** What prices of a push are compared with. */
export class ComparedPrices {
  readonly #context: Context
  readonly #linesAfter = new Map<string, PriceLines>()

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
   * The parties that a price is for, with their prices before the push, in whatever model, or else their last ones. A
   * line that was charged before is compared with itself.
   */
  of(row: RowChange, { month, field, value }: Pushed, night: number): readonly Compared[] {
    const place = this.#placeOf(row, month, night)
    const own = this.before(field, night, place.block)
    const alone = { to: value, beside: 0, line: own }
    const isSupplement = isSupplementField(field)
    if (own > 0 || (own !== unset && !isSupplement)) return [{ ...alone, from: own, isOnSale: true }]
    if (isSupplement) return this.#ofSupplement(place, { field, value }, own)
    if (field !== fieldNumber.unitPrice) {
      const { from, isOnSale } = this.#adults(place, guestBucket(field).guests, fieldNumber.unitPrice)
      return [{ ...alone, from, isOnSale }]
    }
    return this.#soldByGuests(place).map(({ from, isOnSale }) => ({ ...alone, from, isOnSale }))
  }

  /** Adults with whom guests stay after the push: what the cheapest pay; `unset`: none are sold. Adults need no others. */
  adultsBeside(row: RowChange, month: number, field: number, night: number): number {
    if (!isSupplementField(field)) return 0
    return cheapestAdults(this.#after(this.#placeOf(row, month, night)), this.#placesBeside(row, field))
  }

  #placeOf(row: RowChange, month: number, night: number): Place {
    return { row, month, night, block: this.#context.stored.of(row.roomNo, row.rateNo, month) }
  }

  #lastOf({ row, month, night }: Place, field: number): LatePrice | undefined {
    return this.#context.late(row, month, field, night)
  }

  /** What so many adults pay by the field, or paid last. */
  #adults(place: Place, adults: number, field: number) {
    const guest = guestPriceField('adult', adults)
    const present = this.before(field, place.night, place.block)
    if (present !== unset) return { from: present, isOnSale: true, isByUnit: field !== guest }
    const [ofUnit, ofGuests] = [this.#lastOf(place, fieldNumber.unitPrice), this.#lastOf(place, guest)]
    const isByUnit = (ofUnit?.revision ?? 0) > (ofGuests?.revision ?? 0)
    return { from: (isByUnit ? ofUnit : ofGuests)?.price ?? unset, isOnSale: false, isByUnit }
  }

  /** The parties that a price of the unit is for: any number of adults, and whoever paid most with children and infants. */
  #soldByGuests(place: Place): { from: number; isOnSale: boolean }[] {
    const { adult, child, infant, places } = this.#mostOf(place.row)
    const adults = numbersTo(adult).map((count) =>
      this.#adults(place, count, guestPriceField('adult', count)),
    )
    const paid = (category: 'child' | 'infant') => (guests: number) => {
      const field = guestPriceField(category, guests)
      const present = this.before(field, place.night, place.block)
      return present === unset ? (this.#lastOf(place, field)?.price ?? unset) : present
    }
    const lines = {
      adults: adults.map(({ from, isByUnit }) => (isByUnit ? unset : from)),
      children: numbersTo(child).map(paid('child')),
      infants: numbersTo(infant).map(paid('infant')),
    }
    const isAnyPaid = [...lines.children, ...lines.infants].some((price) => price > 0)
    const dearest = isAnyPaid ? dearestParty(lines, places) : unset
    return dearest === unset ? adults : [...adults, { from: dearest, isOnSale: false }]
  }

  /** A price for children or infants who stayed free, or whom the night's prices didn't name. */
  #ofSupplement(place: Place, { field, value }: FieldValue, own: number): readonly Compared[] {
    const { row, night, block } = place
    const isInfants = guestBucket(field).ageCategory === 'infant'
    const places = this.#placesBeside(row, field)
    const unit = this.before(fieldNumber.unitPrice, night, block)
    const none: Compared = { from: unset, to: value, isOnSale: false, beside: 0, line: own }
    const against = (from: number, isOnSale: boolean, beside: number): Compared[] =>
      beside === unset ? [none] : [{ ...none, from, isOnSale, to: beside + value, beside }]
    const dearest = (): number => {
      const after = this.#after(place)
      return dearestParty(isInfants ? { ...after, infants: [] } : { ...after, children: [] }, places)
    }
    if (unit !== unset) return against(unit, true, dearest())
    const stored = this.#lines(row, (one) => this.before(one, night, block))
    const cheapest = isInfants || own === 0 ? cheapestAdults(stored, places) : unset
    const free = cheapest === unset ? [] : against(cheapest, true, cheapest)
    if (own !== unset) return free.length > 0 ? free : [none]
    const [last, lastUnit] = [this.#lastOf(place, field), this.#lastOf(place, fieldNumber.unitPrice)]
    if (last && last.revision >= (lastUnit?.revision ?? 0)) return [{ ...none, from: last.price }, ...free]
    if (free.length > 0) return free
    return lastUnit ? against(lastUnit.price, false, dearest()) : [none]
  }

  /** The price lines that the push leaves, if nothing is withheld and the night is sold by guests. */
  #after(place: Place): PriceLines {
    const { row, month, night, block } = place
    const { stamp, pushed } = this.#context
    const rows = pushed.rowsOf(row, month)
    const key = `${row.roomNo}/${row.rateNo}/${month}/${night}`
    const known = this.#linesAfter.get(key)
    if (known) return known
    const ofNight = rows
      .filter((one) => one.row.pricingModel !== 'unit' && (one.mask & (1 << night)) !== 0)
      .toReversed()
    const lines = this.#lines(row, (field) => {
      const stored = this.before(field, night, block)
      if (block.allows(field, 1 << night, stamp) === 0) return stored
      for (const { row: one } of ofNight) {
        const set = one.sets.find((value) => value.field === field)
        if (set) return set.value
        if (one.guestPricesKept && !one.guestPricesKept.has(field)) return unset
      }
      return stored
    })
    // Otherwise it is asked for rarely, and made quickly.
    if (rows.length > 1) this.#linesAfter.set(key, lines)
    return lines
  }

  #lines(row: RowChange, priceOf: (field: number) => number): PriceLines {
    const { adult, child, infant } = this.#mostOf(row)
    const of = (category: 'adult' | 'child' | 'infant', most: number): number[] =>
      numbersTo(most).map((guests) => priceOf(guestPriceField(category, guests)))
    return { adults: of('adult', adult), children: of('child', child), infants: of('infant', infant) }
  }

  /** The places that are left for adults. */
  #placesBeside(row: RowChange, field: number): number {
    const { ageCategory, guests } = guestBucket(field)
    return this.#mostOf(row).places - (ageCategory === 'child' ? guests : 0)
  }

  #mostOf({ roomNo, rateNo }: RowChange) {
    const product = this.#context.catalog.productOf(roomNo, rateNo)
    if (!product) return { adult: 1, child: 0, infant: 0, places: 1 }
    return { ...guestsMaxOf(product), places: product.maxOccupancy }
  }
}

export type Pushed = FieldValue & { month: number }

function numbersTo(most: number): number[] {
  return Array.from({ length: most }, (_, index) => index + 1)
}
