import { firstDay, type DayNumber } from '../../base/calendar.ts'
import { guestsMaxOf } from '../../products/store.ts'
import { unset } from '../blocks/block-codec.ts'
import type { Block, Blocks } from '../blocks/block.ts'
import type { Stamp } from '../blocks/stamp.ts'
import { ratesOfRoom, type HotelCatalog } from '../catalog/catalog.ts'
import { fieldNumber, isInfantPriceField, isPriceField, type FieldValue } from '../fields.ts'
import { countNights, nightsWhere, type NightMask } from '../blocks/month.ts'
import type { PlannedItem, RowChange } from '../judge/plan.ts'
import { ComparedPrices, type Compared, type Pushed } from './compared-prices.ts'
import { BoundsToJudgeBy } from './future-prices.ts'
import type { LatePrices } from './late-prices.ts'
import { PushedPrices, type RowNights } from './pushed-prices.ts'
import {
  closes,
  isStronger,
  judgeInventory,
  judgeMass,
  judgePrice,
  mayBeHeld,
  opens,
  type Guard,
  type Verdict,
} from './rules/rules.ts'

/** Judges the values of one push by what is stored. */

export type JudgingContext = {
  guard: Guard
  catalog: HotelCatalog
  /** Before the push. */
  stored: Blocks
  /** Of the push. */
  stamp: Stamp
  today: DayNumber
  /** Prices that were cleared lately. */
  late: LatePrices
}

/** A verdict on a value. `from`: what it was compared with; `unset` if with nothing. */
export type Judged = { verdict: Verdict; field: number; value: number; from: number }

/** A rule about a whole push that it breaks, and the first item that does. */
export type MassVerdict = { verdict: Verdict & { bound: number }; item: number; nights: number }

export class PushJudge {
  readonly #context: JudgingContext
  readonly massOpen: MassVerdict | undefined
  readonly massClose: MassVerdict | undefined
  /** Of an atomic push, a part of which is held or rejected: so is the rest. */
  whole: Verdict | undefined
  readonly #bounds: BoundsToJudgeBy
  readonly #pushed: PushedPrices
  readonly compared: ComparedPrices
  /** The strictest verdict that withholds a change of a night's model; undefined: none. */
  readonly #worstByChange = new Map<string, Verdict | undefined>()

  constructor(context: JudgingContext, items: readonly PlannedItem[]) {
    this.#context = context
    this.#pushed = new PushedPrices(items)
    this.compared = new ComparedPrices({ ...context, pushed: this.#pushed })
    const { stored, today, stamp } = context
    this.#bounds = new BoundsToJudgeBy({ stored, today, currencyRevision: stamp.currencyRevision })
    const { massOpen, massClose } = context.guard
    if (massOpen.length > 0) this.massOpen = this.#mass('massOpen', items)
    if (massClose.length > 0) this.massClose = this.#mass('massClose', items)
  }

  #mass(reason: 'massOpen' | 'massClose', items: readonly PlannedItem[]): MassVerdict | undefined {
    const { guard, stored } = this.#context
    const isCounted = reason === 'massOpen' ? opens : closes
    const nightsByBlock = new Map<Block, NightMask>()
    let first: number | undefined
    for (const [index, { rows }] of items.entries())
      for (const { row, month, mask } of rows.flatMap(monthsOf)) {
        const block = stored.of(row.roomNo, row.rateNo, month)
        const counted = countedNights(row, mask, block, isCounted)
        if (counted === 0) continue
        first ??= index
        nightsByBlock.set(block, (nightsByBlock.get(block) ?? 0) | counted)
      }
    let nights = 0
    for (const counted of nightsByBlock.values()) nights += countNights(counted)
    const verdict = judgeMass(reason, guard[reason], nights)
    return verdict && first !== undefined ? { verdict, item: first, nights } : undefined
  }

  /** Whether any rule could judge a set of this field. */
  concerns(field: number, value: number): boolean {
    if (this.whole) return true
    const { guard } = this.#context
    if (isPriceField(field))
      return (value !== unset || isInfantPriceField(field)) && (guard.prices.length > 0 || guard.learned)
    if (field === fieldNumber.inventory)
      return value === unset
        ? guard.jumps.length > 0
        : value > 0 && (guard.jumps.length > 0 || this.massOpen !== undefined)
    return field === fieldNumber.closed && value === unset && this.massOpen !== undefined
  }

  /**
   * `before`: what the items before left on the night; a held value leaves it there. The rules compare the value with
   * what was stored before the push: a price that is cleared and set again is a changed price.
   */
  judge(row: RowChange, { month, field, value }: Pushed, night: number, before: number): Judged | undefined {
    if (field === fieldNumber.inventory && value === unset) return this.#judgeWithout(row, month, night)
    if (!mayBeHeld(field, before, value)) return undefined
    if (isPriceField(field) && value === unset) return this.#judgeFreed(row, month, field, night)
    if (isPriceField(field)) return this.judgePrices(row, month, [{ field, value }], night)
    const { guard, stored } = this.#context
    const from = this.compared.before(field, night, stored.of(row.roomNo, row.rateNo, month))
    const mass = opens(field, from, value) ? this.massOpen?.verdict : undefined
    // What a rule about the whole push only warns of, is warned of once.
    const opening = mass?.action === 'warn' ? undefined : mass
    const jump = field === fieldNumber.inventory ? judgeInventory(guard.jumps, from, value) : undefined
    const own = jump && isStronger(jump, opening) ? jump : opening
    const verdict = this.#withWhole(own)
    return verdict && { verdict, field, value, from }
  }

  /** Of an atomic push nothing is held where a part is rejected: then nothing would be left of what it would complete. */
  #withWhole(own: Verdict | undefined): Verdict | undefined {
    const { whole } = this
    return own?.action === 'reject' || own?.action === whole?.action ? own : (whole ?? own)
  }

  /**
   * A number of units that goes lets another count, of the room or of a rate. It can't be held, because rates that have none
   * of their own would go on selling; that more is sold than a rule allows is warned of.
   */
  #judgeWithout({ roomNo, rateNo }: RowChange, month: number, night: number): Judged | undefined {
    const { guard, stored, catalog } = this.#context
    // `ratesToJudge` has read no other rows for less.
    if (guard.jumps.length === 0) return undefined
    const field = fieldNumber.inventory
    const unitsOf = (rate: number): number =>
      this.compared.before(field, night, stored.of(roomNo, rate, month))
    const from = unitsOf(rateNo)
    const value = Math.max(unset, ...ratesBeside(catalog, roomNo, rateNo).map(unitsOf))
    const verdict = judgeInventory(guard.jumps, from, value)
    return verdict && { verdict: { ...verdict, action: 'warn' }, field, value, from }
  }

  /** About prices of a night that are applied together or not at all. One that closes the night to its party is none. */
  judgePrices(
    row: RowChange,
    month: number,
    prices: readonly FieldValue[],
    night: number,
  ): Judged | undefined {
    const { whole } = this
    let worst: Judged | undefined
    let first: Judged | undefined
    for (const { field, value } of prices) {
      if (!isPriceField(field) || value === unset) continue
      const pushed = { month, field, value }
      const isClosing = this.#closes(row, pushed, night)
      for (const compared of this.compared.of(row, pushed, night)) {
        const shown = { field, value, from: shownBefore(compared) }
        if (whole && !isClosing) first ??= { verdict: whole, ...shown }
        const verdict = this.#judgeCompared(row, pushed, night, compared)
        if (!verdict || (isClosing && verdict.action !== 'warn')) continue
        if (isStronger(verdict, worst?.verdict)) worst = { verdict, ...shown }
      }
    }
    if (!worst || worst.verdict.action === 'warn') return this.whole ? first : worst
    return { ...worst, verdict: this.#withWhole(worst.verdict) ?? worst.verdict }
  }

  /** `bound`: of the line that is judged, whatever the party pays besides. */
  #judgeCompared(
    row: RowChange,
    { month, field }: Pushed,
    night: number,
    { from, to, isOnSale, beside }: Compared,
  ): Verdict | undefined {
    // What is on sale already is no change.
    if (isOnSale && to === from) return undefined
    const { guard } = this.#context
    const isLearned = guard.learned && beside === 0
    const bounds = isLearned ? this.#bounds.on(row, field, firstDay(month) + night) : undefined
    const verdict = judgePrice(guard, field, from, to, bounds)
    if (!verdict || verdict.bound === null) return verdict
    return { ...verdict, bound: Math.max(0, verdict.bound - beside) }
  }

  /** Without a price of theirs infants are free, as long as adults are sold. */
  #judgeFreed(row: RowChange, month: number, field: number, night: number): Judged | undefined {
    if (this.compared.adultsBeside(row, month, field, night) === unset) return undefined
    const from = this.compared.before(field, night, this.#context.stored.of(row.roomNo, row.rateNo, month))
    const free = { month, field, value: 0 }
    if (this.#closes(row, free, night)) return undefined
    const compared = { from, to: 0, isOnSale: true, beside: 0, line: from }
    const own = this.#judgeCompared(row, free, night, compared)
    const verdict = own && own.action !== 'warn' ? this.#withWhole(own) : (this.whole ?? own)
    return verdict && { verdict, field, value: unset, from }
  }

  /**
   * About prices that would change the night's model: all that the push sets in that model, in however many items, are
   * one change, which the strictest verdict on any of them withholds whole.
   */
  judgeChange(row: RowChange, month: number, night: number): Judged | undefined {
    const own = this.judgePrices(row, month, row.sets, night)
    const rows = this.#pushed
      .rowsOf(row, month)
      .filter((one) => one.row.pricingModel === row.pricingModel && (one.mask & (1 << night)) !== 0)
    if (rows.length < 2) return own
    const worst = this.#worstOf(row, rows, month, night)
    if (!worst || (own?.verdict.reason === worst.reason && own.verdict.action === worst.action)) return own
    const first = row.sets.find(({ field, value }) => isPriceField(field) && value !== unset)
    if (!first) return own
    const [before] = this.compared.of(row, { ...first, month }, night)
    return { verdict: { ...worst, bound: null }, ...first, from: before ? shownBefore(before) : unset }
  }

  /** Without what is superseded, and warnings. `rows`: those of the room-rate and model. */
  #worstOf(
    { roomNo, rateNo, pricingModel }: RowChange,
    rows: readonly RowNights[],
    month: number,
    night: number,
  ): Verdict | undefined {
    const { stored, stamp } = this.#context
    const key = `${roomNo}/${rateNo}/${pricingModel}/${month}/${night}/${this.whole?.action}`
    if (this.#worstByChange.has(key)) return this.#worstByChange.get(key)
    const block = stored.of(roomNo, rateNo, month)
    let worst: Verdict | undefined
    for (const { row } of rows) {
      const allowed = row.sets.filter(({ field }) => block.allows(field, 1 << night, stamp) !== 0)
      const verdict = this.judgePrices(row, month, allowed, night)?.verdict
      if (verdict && verdict.action !== 'warn' && isStronger(verdict, worst)) worst = verdict
    }
    this.#worstByChange.set(key, worst)
    return worst
  }

  /**
   * A price below the taxes that it includes can't be sold: it closes the night to a party, if only to the largest
   * that pays taxes, and closures are never held. Children and infants pay theirs besides that of adults.
   */
  #closes(row: RowChange, { month, field, value }: Pushed, night: number): boolean {
    const { roomNo, rateNo } = row
    const { priceFloor, productOf } = this.#context.catalog
    const product = priceFloor && productOf(roomNo, rateNo)
    if (!product) return false
    const beside = this.compared.adultsBeside(row, month, field, night)
    if (beside === unset) return false
    const { adult, child } = guestsMaxOf(product)
    const payers = Math.min(product.maxOccupancy, adult + child)
    return beside + value < priceFloor.on(firstDay(month) + night, roomNo, rateNo, payers)
  }
}

/** What was there instead of a price: the party's, or of a line that is judged beside others, its own. */
function shownBefore({ from, beside, line }: Compared): number {
  return beside === 0 ? from : line
}

function monthsOf(row: RowChange) {
  return row.months.map(({ month, mask }) => ({ row, month, mask }))
}

function countedNights(
  { sets }: RowChange,
  mask: NightMask,
  block: Block,
  isCounted: typeof opens,
): NightMask {
  let counted = 0
  for (const { field, value } of sets) {
    if (field !== fieldNumber.closed && field !== fieldNumber.inventory) continue
    const values = block.values(field)
    counted |= nightsWhere(mask, (night) => isCounted(field, values?.[night] ?? unset, value))
  }
  return counted
}

/** The rows of a room whose units count once those of one go; rate 0 is the room itself. */
function ratesBeside(catalog: HotelCatalog, roomNo: number, rateNo: number): number[] {
  if (rateNo !== 0) return [0]
  return ratesOfRoom(catalog, roomNo).filter((rate) => catalog.productOf(roomNo, rate)?.isAvailable === true)
}

/** The rates of the room whose months must be read to judge what a row clears. */
export function ratesToJudge(
  { roomNo, rateNo, sets }: RowChange,
  { jumps }: Guard,
  catalog: HotelCatalog,
): number[] {
  const goes = ({ field, value }: FieldValue): boolean => field === fieldNumber.inventory && value === unset
  return jumps.length > 0 && sets.some(goes) ? ratesBeside(catalog, roomNo, rateNo) : []
}
