import { nightsWhere } from '../blocks/month.ts'
import { randomUUID } from 'node:crypto'
import { counted } from '../../base/counted.ts'
import { firstDay, formatNight } from '../../base/calendar.ts'
import { fromMinor } from '../../base/money.ts'
import { problemAt, type Problem } from '../../http/rejected.ts'
import { unset } from '../blocks/block-codec.ts'
import type { Block, NightMask, Stamp } from '../blocks/block.ts'
import type { HotelCatalog } from '../catalog/catalog.ts'
import { guestBucket, isGuestPriceField, isPriceField, type FieldValue } from '../fields.ts'
import type { ReadyPush, RowChange } from '../judge/plan.ts'
import { historyFieldOf } from '../history/replaced-values.ts'
import { isSwitch } from '../restrictions.ts'
import { namesOf } from '../catalog/row-names.ts'
import {
  guardLimits,
  guardRejected,
  guardWarning,
  type HoldExample,
  type ItemHold,
  type Reason,
} from './contract.ts'
import { countCells, withoutNights, type HeldPart } from './hold-codec.ts'
import { type MassVerdict, type PushJudge } from './judged-push.ts'
import { holdIdOf } from './hold-id.ts'
import type { OpenHolds } from './open-holds.ts'
import type { RuleAction } from './rules/rules-contract.ts'
import type { Verdict } from './rules/rules.ts'

/** Where a value of a push goes. */
export type PushedAt = { row: RowChange; month: number }

/** What the guard did with the values of one item. */
export type GuardedItem = {
  holds: ItemHold[]
  errors: Problem[]
  warnings: Problem[]
}

/** What one verdict concerns in an item. */
type Noted = { action: RuleAction; reason: Reason; parts: HeldPart[]; examples: HoldExample[]; cells: number }

/** Holds back what the rules forbid, while a push is applied. */
export class PushGuard {
  readonly #judge: PushJudge
  readonly #catalog: HotelCatalog
  readonly #ready: ReadyPush
  /** The open holds of the hotel; absent in a dry run, which changes none. */
  readonly #open: OpenHolds | undefined
  readonly #idByReason = new Map<Reason, string>()
  /** Of the item in progress, by reason and action. */
  #noted = new Map<string, Noted>()
  /** What this push holds so far, by block. */
  readonly #pending = new Map<string, { reason: Reason; part: HeldPart }[]>()
  readonly #examplesByReason = new Map<Reason, HoldExample[]>()
  #names: ReturnType<typeof namesOf> | undefined
  #listed = 0
  /** The strongest verdict so far that holds or rejects anything. */
  strongest: Verdict | undefined

  constructor(judge: PushJudge, ready: ReadyPush, open: OpenHolds | undefined) {
    this.#judge = judge
    this.#ready = ready
    this.#catalog = ready.catalog
    this.#open = open
  }

  /** The nights on which a value is not set. Their sequence is recorded: older pushes must not set them either. */
  withhold(
    { row, month }: PushedAt,
    { field, value }: FieldValue,
    nights: NightMask,
    block: Block,
    stamp: Stamp,
  ): { withheld: NightMask; superseded: NightMask } {
    if (!this.#judge.concerns(field, value)) return nothing
    const found = new Map<string, { verdict: Verdict; nights: NightMask }>()
    nightsWhere(nights, (night) => {
      const before = this.#judge.before(field, night, block)
      const verdict = this.#judge.verdict(row, { month, field, value }, night, before)
      if (!verdict) return false
      const key = `${verdict.reason}/${verdict.action}/${verdict.bound}`
      const same = found.get(key)
      if (same) same.nights |= 1 << night
      else found.set(key, { verdict, nights: 1 << night })
      return true
    })
    let withheld = 0
    let superseded = 0
    for (const { verdict, nights: mask } of found.values()) {
      const isApplied = verdict.action === 'warn'
      const allowed = isApplied ? mask : block.claim(field, mask, stamp)
      if (!isApplied) {
        withheld |= mask
        superseded |= mask & ~allowed
      }
      if (allowed === 0) continue
      const part = this.#partOf({ row, month }, { field, value }, allowed, block)
      this.#note(part, verdict)
      if (!isApplied && this.strongest?.action !== 'reject') this.strongest = { ...verdict, bound: null }
      if (verdict.action === 'reject') this.#replace(row, month, allowed, (one) => one === field)
      if (verdict.action === 'hold') this.#hold(part, verdict)
    }
    return { withheld, superseded }
  }

  #partOf({ row, month }: PushedAt, { field, value }: FieldValue, mask: NightMask, block: Block): HeldPart {
    const { roomNo, rateNo } = row
    const before: number[] = []
    nightsWhere(mask, (night) => before.push(this.#judge.before(field, night, block)) > 0)
    return { roomNo, rateNo, month, field, mask, value, before }
  }

  #note(part: HeldPart, { reason, action, bound }: Verdict): void {
    const key = `${reason}/${action}`
    const noted = this.#noted.get(key) ?? { action, reason, parts: [], examples: [], cells: 0 }
    this.#noted.set(key, noted)
    noted.parts.push(part)
    let index = 0
    for (
      let rest = part.mask;
      rest !== 0 && noted.examples.length < guardLimits.examplesMax;
      rest &= rest - 1
    )
      noted.examples.push(this.#example(part, 31 - Math.clz32(rest & -rest), part.before[index++], bound))
  }

  #hold(part: HeldPart, { reason }: Verdict): void {
    const { roomNo, rateNo, month, field, mask } = part
    this.#replace({ roomNo, rateNo }, month, mask, (one) => one === field)
    const key = `${roomNo}/${rateNo}/${month}`
    const pending = this.#pending.get(key)
    if (pending) pending.push({ reason, part })
    else this.#pending.set(key, [{ reason, part }])
  }

  /** A value was set or cleared after all: earlier ones that are held for it are not to be released any more. */
  replaced({ row, month }: PushedAt, { field }: FieldValue, nights: NightMask): void {
    this.#replace(row, month, nights, (one) => one === field)
  }

  /** The same for all guest prices but those that are kept. */
  replacedGuestPrices({ row, month }: PushedAt, kept: ReadonlySet<number>, nights: NightMask): void {
    this.#replace(row, month, nights, (one) => isGuestPriceField(one) && !kept.has(one))
  }

  #replace(
    row: { roomNo: number; rateNo: number },
    month: number,
    nights: NightMask,
    isReplaced: (field: number) => boolean,
  ): void {
    if (nights === 0) return
    this.#open?.replace(this.#catalog.hotelId, row, month, nights, isReplaced)
    const pending = this.#pending.get(`${row.roomNo}/${row.rateNo}/${month}`)
    for (const one of pending ?? [])
      if (isReplaced(one.part.field)) one.part = withoutNights(one.part, nights) ?? one.part
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
        const holdId = this.#open && holdIdOf(this.#idOf(reason))
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
    if (!catalog.guard || !this.#open) return
    const { expiryHours, onExpiry } = catalog.guard
    const parts = [...this.#pending.values()].flat()
    for (const [reason, id] of this.#idByReason) {
      const own = parts.filter((one) => one.reason === reason && one.part.mask !== 0)
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
        parts: own.map(({ part }) => part),
        state: own.length > 0 ? 'open' : 'replaced',
      })
    }
  }

  #example(part: HeldPart, night: number, before = unset, bound: number | null): HoldExample {
    this.#names ??= namesOf(this.#catalog)
    const { roomNo, rateNo, month, field, value: after } = part
    const { minorDigits, roomCode, rateCode } = this.#names
    const name = historyFieldOf(field)
    const isPrice = isPriceField(field)
    const value = (stored: number): number | boolean | null => {
      if (name !== 'price' && name !== 'inventory' && isSwitch(name)) return stored === 1
      if (stored === unset) return null
      return isPrice ? fromMinor(stored, minorDigits) : stored
    }
    return {
      roomId: roomCode(roomNo),
      rateId: rateNo === 0 ? null : rateCode(rateNo),
      date: formatNight(firstDay(month) + night),
      field: name,
      ...(isGuestPriceField(field) ? guestBucket(field) : {}),
      before: value(before),
      after: value(after),
      bound: bound !== null && isPrice ? fromMinor(bound, minorDigits) : bound,
    }
  }
}

const hourMs = 60 * 60 * 1000
const nothing = { withheld: 0, superseded: 0 }

/** Holds of one answer with their examples; further ones have none. */
const holdsListedMax = 100

function problemOf({ action, reason, examples }: Noted, cells: number, index: number): Problem {
  const [example] = examples
  const { before = null, after = null, bound = null } = example ?? {}
  const ofBound = bound === null ? '' : ` (bound ${bound})`
  const text = `${reason}, for example from ${before} to ${after}${ofBound}`
  const nights = counted(cells, 'night')
  if (action === 'warn') return problemAt({ ...guardWarning, message: `${nights}: ${text}` }, `/ari/${index}`)
  const verb = cells === 1 ? 'was' : 'were'
  return problemAt({ ...guardRejected, message: `${nights} ${verb} not applied: ${text}` }, `/ari/${index}`)
}

function massWarning({ verdict: { reason, bound }, nights }: MassVerdict, index: number): Problem {
  const verb = reason === 'massOpen' ? 'opens' : 'closes'
  const message = `The push ${verb} ${counted(nights, 'night')} of rooms and room-rates (bound ${bound})`
  return problemAt({ ...guardWarning, message }, `/ari/${index}`)
}
