import { packBlockKey } from '../blocks/store.ts'
import type { NightMask } from '../blocks/block.ts'
import type { HoldExample, Reason } from './contract.ts'
import type { HoldEnder, HoldState } from './holds-contract.ts'
import { withoutNights, type HeldPart } from './hold-codec.ts'

/** A hold as it is stored. */
export type Hold = {
  /** A UUID. */
  id: string
  hotelId: number
  /** The key and sequence of the push, with which a release is applied. */
  keyId: number
  sequence: number | null
  currencyRevision: number
  reason: Reason
  requestId: string
  /** By the clock of the account. */
  expiresAtMs: number
  onExpiry: 'discard' | 'apply'
  examples: readonly HoldExample[]
  parts: HeldPart[]
  state: HoldState
  resolvedBy?: HoldEnder
}

type Row = { roomNo: number; rateNo: number }

/**
 * The open holds of a group of pushes, read under the locks of their hotels: a newer push to a held cell replaces its
 * part of the hold. They are written with the group.
 */
export class OpenHolds {
  readonly #holds = new Map<string, Hold>()
  readonly #added = new Set<string>()
  readonly #changed = new Set<string>()
  /** The holds of a hotel with parts in a block. */
  readonly #idsByBlock = new Map<string, string[]>()

  get(id: string): Hold | undefined {
    return this.#holds.get(id)
  }

  /** Adds a hold that was read, unless a push of the group has it already. */
  read(hold: Hold): void {
    if (!this.#holds.has(hold.id)) this.#keep(hold)
  }

  add(hold: Hold): void {
    this.#added.add(hold.id)
    this.#keep(hold)
  }

  #keep(hold: Hold): void {
    this.#holds.set(hold.id, hold)
    for (const block of new Set(hold.parts.map((part) => keyOf(hold.hotelId, part)))) {
      const ids = this.#idsByBlock.get(block)
      if (ids) ids.push(hold.id)
      else this.#idsByBlock.set(block, [hold.id])
    }
  }

  /** A push set, cleared or holds other values for fields of the row on the nights. */
  replace(
    hotelId: number,
    { roomNo, rateNo }: Row,
    month: number,
    nights: NightMask,
    isReplaced: (field: number) => boolean,
  ): void {
    if (nights === 0 || this.#idsByBlock.size === 0) return
    for (const id of this.#idsByBlock.get(keyOf(hotelId, { roomNo, rateNo, month })) ?? []) {
      const hold = this.#holds.get(id)
      if (hold?.state !== 'open') continue
      for (const [index, part] of hold.parts.entries()) {
        if (part.roomNo !== roomNo || part.rateNo !== rateNo || part.month !== month) continue
        const rest = isReplaced(part.field) ? withoutNights(part, nights) : undefined
        if (!rest) continue
        hold.parts[index] = rest
        this.#changed.add(id)
      }
      if (!this.#changed.has(id)) continue
      hold.parts = hold.parts.filter(({ mask }) => mask !== 0)
      if (hold.parts.length === 0) this.close(hold, 'replaced', 'push')
    }
  }

  close(hold: Hold, state: HoldState, by: HoldEnder): void {
    hold.state = state
    hold.resolvedBy = by
    this.#changed.add(hold.id)
  }

  get added(): Hold[] {
    return this.#listed([...this.#added])
  }

  get changed(): Hold[] {
    return this.#listed([...this.#changed].filter((id) => !this.#added.has(id)))
  }

  #listed(ids: readonly string[]): Hold[] {
    return ids.flatMap((id) => this.#holds.get(id) ?? [])
  }
}

function keyOf(hotelId: number, part: { roomNo: number; rateNo: number; month: number }): string {
  return `${hotelId}/${packBlockKey(part)}`
}
