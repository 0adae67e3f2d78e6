import { randomUUID } from 'node:crypto'
import { hourMs } from '../../base/calendar.ts'
import type { Problem } from '../../http/rejected.ts'
import { unset } from '../blocks/block-codec.ts'
import type { Block } from '../blocks/block.ts'
import type { Stamp } from '../blocks/stamp.ts'
import { nightsWhere, type NightMask } from '../blocks/month.ts'
import type { HotelCatalog } from '../catalog/catalog.ts'
import {
  ageCategories,
  guestPriceField,
  isGuestPriceField,
  isInfantPriceField,
  isPriceField,
  modelOf,
  type FieldValue,
} from '../fields.ts'
import { guestsMaxOf } from '../../products/store.ts'
import { otherModel, type PricingModel } from '../item-contract.ts'
import type { ReadyPush, RowChange } from '../judge/plan.ts'
import { guardLimits, type HoldExample, type ItemHold, type Reason } from './contract.ts'
import {
  countCells,
  isPriceOf,
  modelParts,
  nightsHeldWhole,
  partOf,
  replacedByChange,
  withoutReplaced,
  type HeldBlock,
  type HeldPart,
  type PushedAt,
  type Replaced,
} from './held-parts.ts'
import { massWarning, problemOf } from './guard-problems.ts'
import { findingsOf, HoldExamples, type Found, type Shown } from './hold-examples.ts'
import { holdIdOf } from './hold-id.ts'
import type { PushJudge } from './judged-push.ts'
import type { OpenHolds } from './open-holds.ts'
import type { RuleAction } from './rules/rules-contract.ts'
import type { Verdict } from './rules/rules.ts'

/** What the guard did with the values of one item. */
export type GuardedItem = {
  holds: ItemHold[]
  errors: Problem[]
  warnings: Problem[]
}

/** What one verdict concerns in an item. */
type Noted = { action: RuleAction; reason: Reason; parts: HeldPart[]; examples: HoldExample[] }

/** What of earlier pushes a value replaces, and what of its own push, if that is other. */
type Replacing = { replaced: Replaced; ofPush?: Replaced }

/** Holds back what the rules forbid, while a push is applied. What it holds back leaves no trace in the blocks. */
export class PushGuard {
  readonly #judge: PushJudge
  readonly #catalog: HotelCatalog
  readonly #ready: ReadyPush
  /** The open holds of the hotel. */
  readonly #open: OpenHolds
  /** Whether nothing is kept: neither what the push holds, nor that it replaces what is held. */
  readonly #isTrial: boolean
  readonly #idByReason = new Map<Reason, string>()
  /** Of the item in progress, by reason and action. */
  #noted = new Map<string, Noted>()
  /** What this push holds so far. */
  readonly #pending = new Map<Reason, HeldPart[]>()
  readonly #examplesByReason = new Map<Reason, HoldExample[]>()
  readonly #examples: HoldExamples
  #listed = 0
  /** The strongest verdict so far that holds or rejects anything. */
  strongest: Verdict | undefined

  constructor(judge: PushJudge, ready: ReadyPush, open: OpenHolds, { isTrial }: { isTrial: boolean }) {
    this.#judge = judge
    this.#ready = ready
    this.#catalog = ready.catalog
    this.#open = open
    this.#isTrial = isTrial
    this.#examples = new HoldExamples(ready.catalog)
  }

  /** The nights on which newer pushes of the key hold such a field. */
  heldSince(at: PushedAt, isSuch: (field: number) => boolean, nights: NightMask, stamp: Stamp): NightMask {
    let held = 0
    for (const parts of this.#open.partsSince(this.#blockOf(at), stamp))
      for (const { field, mask } of parts) if (isSuch(field)) held |= mask
    return held & nights
  }

  /** The guest prices that a row may have: those of its product, and those that are stored. */
  guestPricesOf({ roomNo, rateNo }: RowChange, block: Block): number[] {
    const product = this.#catalog.productOf(roomNo, rateNo)
    const most = product && guestsMaxOf(product)
    const sold = ageCategories.flatMap((category) =>
      Array.from({ length: most?.[category] ?? 0 }, (_, index) => guestPriceField(category, index + 1)),
    )
    return [...new Set([...sold, ...block.fields().filter(isGuestPriceField)])]
  }

  /** The nights on which newer pushes of the key hold all prices, or one of the model that the row doesn't set. */
  heldWholeSince(at: PushedAt, nights: NightMask, stamp: Stamp): NightMask {
    const { sets, guestPricesKept, pricingModel } = at.row
    if (!guestPricesKept && !sets.some(({ field }) => isPriceField(field))) return 0
    let held = 0
    for (const parts of this.#open.partsSince(this.#blockOf(at), stamp)) {
      held |= nightsHeldWhole(parts)
      for (const { field, value, mask } of parts)
        if (pricingModel && isPriceField(field) && value !== unset && modelOf(field) !== pricingModel)
          held |= mask
    }
    return held & nights
  }

  /** The nights on which a value is not set. */
  withhold(
    at: PushedAt,
    { field, value }: FieldValue,
    nights: NightMask,
    block: Block,
    stamp: Stamp,
  ): NightMask {
    if (nights === 0 || !this.#judge.concerns(field, value)) return 0
    const { row, month } = at
    const before = this.#before(block)
    const found = findingsOf(nights, (night) =>
      this.#judge.judge(row, { month, field, value }, night, before(field, night)),
    )
    const isPrice = isPriceField(field)
    // As a push of it would, a price takes those of the other model away.
    const has = (one: number) => one === field || (isPrice && isPriceOf(otherModel[modelOf(field)], one))
    const replaced = { isPrice, has }
    return this.#act(at, found, stamp, {
      replaced,
      partsOf: (mask) => [partOf(at, { field, value }, mask, before)],
    })
  }

  /** The nights on which clearing these prices would let infants stay free who paid, and a rule says something of it. */
  freesInfants(at: PushedAt, fields: readonly number[], nights: NightMask, block: Block): NightMask {
    const { row, month } = at
    const before = this.#before(block)
    let found = 0
    for (const field of fields) {
      if (!isInfantPriceField(field) || !this.#judge.concerns(field, unset)) continue
      const cleared = { month, field, value: unset }
      found |= nightsWhere(
        block.nightsWithValue(field, nights),
        (night) => this.#judge.judge(row, cleared, night, before(field, night)) !== undefined,
      )
    }
    return found
  }

  #before(block: Block) {
    return (field: number, night: number): number => this.#judge.compared.before(field, night, block)
  }

  /** The nights on which prices that would change the model are not set: all that the push has of it, or none. */
  withholdModel(at: PushedAt, nights: NightMask, block: Block, stamp: Stamp): NightMask {
    const { row, month } = at
    if (
      nights === 0 ||
      !row.sets.some(({ field, value }) => isPriceField(field) && this.#judge.concerns(field, value))
    )
      return 0
    const found = findingsOf(nights, (night) => this.#judge.judgeChange(row, month, night))
    return this.#act(at, found, stamp, {
      replaced: { isPrice: true, has: isPriceField },
      ofPush: replacedByChange(row),
      partsOf: (mask) => modelParts(at, mask, block, this.#before(block)),
    })
  }

  #act(
    at: PushedAt,
    found: readonly Found[],
    stamp: Stamp,
    { partsOf, ...replacing }: Replacing & { partsOf: (nights: NightMask) => HeldPart[] },
  ): NightMask {
    let withheld = 0
    for (const { verdict, nights, shown } of found) {
      const parts = partsOf(nights)
      this.#note(at, parts, verdict, shown)
      if (verdict.action === 'warn') continue
      withheld |= nights
      if (this.strongest?.action !== 'reject') this.strongest = { ...verdict, bound: null }
      if (verdict.action !== 'hold') continue
      this.#replace(at, nights, replacing, stamp)
      this.#pending.set(verdict.reason, [...(this.#pending.get(verdict.reason) ?? []), ...parts])
    }
    return withheld
  }

  #note(
    at: PushedAt,
    parts: readonly HeldPart[],
    { reason, action, bound }: Verdict,
    shown: readonly Shown[],
  ): void {
    const key = `${reason}/${action}`
    const noted = this.#noted.get(key) ?? { action, reason, parts: [], examples: [] }
    this.#noted.set(key, noted)
    noted.parts.push(...parts)
    for (const one of shown)
      if (noted.examples.length < guardLimits.examplesMax)
        noted.examples.push(this.#examples.of(at.row, at.month, one, bound))
  }

  /** A value was set or cleared after all: earlier ones that are held for it are not to be released any more. */
  replaced(at: PushedAt, field: number, nights: NightMask, stamp: Stamp): void {
    const replaced = { isPrice: isPriceField(field), has: (one: number) => one === field }
    this.#replace(at, nights, { replaced }, stamp)
  }

  /** A price was set: what is held of the other model is not to be released any more. */
  replacedModel(at: PushedAt, model: PricingModel, nights: NightMask, stamp: Stamp): void {
    const replaced = { isPrice: true, has: (one: number) => isPriceOf(model, one) }
    this.#replace(at, nights, { replaced }, stamp)
  }

  #replace(at: PushedAt, nights: NightMask, { replaced, ofPush = replaced }: Replacing, stamp: Stamp): void {
    if (nights === 0) return
    const block = this.#blockOf(at)
    if (!this.#isTrial) this.#open.replace(block, nights, replaced, stamp)
    for (const [reason, parts] of this.#pending)
      this.#pending.set(reason, withoutReplaced(parts, block, nights, ofPush) ?? parts)
  }

  #blockOf({ row: { roomNo, rateNo }, month }: PushedAt): HeldBlock {
    return { hotelId: this.#catalog.hotelId, roomNo, rateNo, month }
  }

  /** What became of the item that was just applied. */
  endItem(index: number): GuardedItem {
    const item: GuardedItem = { holds: [], errors: [], warnings: [] }
    for (const noted of this.#noted.values()) {
      const { action, reason, parts, examples } = noted
      const cells = countCells(parts)
      if (action === 'hold') {
        const known = this.#examplesByReason.get(reason) ?? []
        this.#examplesByReason.set(reason, [...known, ...examples].slice(0, guardLimits.examplesMax))
        const holdId = this.#isTrial ? undefined : holdIdOf(this.#idOf(reason))
        const isListed = this.#listed++ < holdsListedMax
        item.holds.push({
          ...(holdId === undefined ? {} : { holdId }),
          rule: reason,
          cells,
          ...(isListed ? { examples } : {}),
        })
      } else item[action === 'warn' ? 'warnings' : 'errors'].push(problemOf(noted, cells, index))
    }
    this.#noted = new Map()
    const { massOpen, massClose } = this.#judge
    for (const mass of [massOpen, massClose])
      if (mass?.item === index && mass.verdict.action === 'warn') item.warnings.push(massWarning(mass, index))
    return item
  }

  #idOf(reason: Reason): string {
    const id = this.#idByReason.get(reason) ?? randomUUID()
    this.#idByReason.set(reason, id)
    return id
  }

  /** Adds what the push holds to the open holds. */
  finish({ currencyRevision }: { currencyRevision: number }): void {
    const { body, catalog, plan, push } = this.#ready
    if (!catalog.guard || this.#isTrial) return
    const { expiryHours, onExpiry } = catalog.guard
    for (const [reason, id] of this.#idByReason) {
      const parts = this.#pending.get(reason) ?? []
      this.#open.add({
        id,
        hotelId: catalog.hotelId,
        keyId: push.caller.keyId,
        sequence: body.sequence ?? null,
        currencyRevision,
        reason,
        requestId: push.requestId,
        expiresAtMs: plan.nowMs + catalog.aheadMs + expiryHours * hourMs,
        onExpiry,
        examples: this.#examplesByReason.get(reason) ?? [],
        parts,
        state: parts.length > 0 ? 'open' : 'replaced',
      })
    }
  }
}

/** Holds of one answer with their examples; further ones have none. */
const holdsListedMax = 100
