import { packBlockKey } from '../blocks/store.ts'
import type { Stamp } from '../blocks/stamp.ts'
import type { NightMask } from '../blocks/month.ts'
import type { HoldExample, Reason } from './contract.ts'
import type { HoldEnder, HoldState } from './holds-contract.ts'
import { isOf, withoutReplaced, type HeldBlock, type HeldPart, type Replaced } from './held-parts.ts'

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

/** The place of a push among those of its key. */
type PushOrder = Pick<Stamp, 'keyId' | 'sequence'>

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
    for (const block of new Set(hold.parts.map((part) => keyOf({ hotelId: hold.hotelId, ...part })))) {
      const ids = this.#idsByBlock.get(block)
      if (ids) ids.push(hold.id)
      else this.#idsByBlock.set(block, [hold.id])
    }
  }

  /** What pushes of the same key with higher sequences hold of a block, hold by hold. */
  *partsSince(block: HeldBlock, { keyId, sequence }: PushOrder): Generator<readonly HeldPart[]> {
    if (sequence === undefined) return
    for (const hold of this.#openOf(block))
      if (hold.keyId === keyId && hold.sequence !== null && hold.sequence > sequence)
        yield hold.parts.filter((part) => isOf(part, block))
  }

  /** A push set, cleared or holds other values on the nights; what newer ones of its key hold stays. */
  replace(block: HeldBlock, nights: NightMask, replaced: Replaced, by: PushOrder): void {
    if (nights === 0 || this.#idsByBlock.size === 0) return
    for (const hold of this.#openOf(block)) {
      const isNewer =
        by.sequence !== undefined && hold.keyId === by.keyId && (hold.sequence ?? 0) > by.sequence
      if (!isNewer) this.#keepParts(hold, withoutReplaced(hold.parts, block, nights, replaced), 'push')
    }
  }

  /** An undo of the hold's push ends these parts of it. Returns them as the hold had them. */
  undo(id: string, isUndone: (part: HeldPart) => boolean): HeldPart[] {
    const hold = this.#holds.get(id)
    if (hold?.state !== 'open') return []
    const undone = hold.parts.filter(isUndone)
    if (undone.length > 0)
      this.#keepParts(
        hold,
        hold.parts.filter((part) => !isUndone(part)),
        'undo',
      )
    return undone
  }

  /** Ends the parts of a hold that are not among these; without any, the hold. */
  #keepParts(hold: Hold, parts: HeldPart[] | undefined, by: HoldEnder): void {
    if (!parts) return
    hold.parts = parts
    this.#changed.add(hold.id)
    if (parts.length === 0) this.close(hold, by === 'undo' ? 'discarded' : 'replaced', by)
  }

  *#openOf(block: HeldBlock): Generator<Hold> {
    for (const id of this.#idsByBlock.get(keyOf(block)) ?? []) {
      const hold = this.#holds.get(id)
      if (hold?.state === 'open') yield hold
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

function keyOf(block: HeldBlock): string {
  return `${block.hotelId}/${packBlockKey(block)}`
}
