import {
  columnsIn,
  kinds,
  lastSet,
  nightsMax,
  readRuns,
  scratchFor,
  sequenceTag,
  unset,
  unsetNights,
  writeColumn,
  writeVarint,
  type Column,
} from './block-codec.ts'
import { fieldNumber, isGuestPriceField, isPriceField } from '../fields.ts'
import type { PricingModel } from '../item-contract.ts'
import { nightsWhere, type NightMask } from './month.ts'
import type { SetResult, Stamp } from './stamp.ts'

/**
 * One month of one room or room-rate, packed. A block is a list of columns. A column has 31 nights of one of:
 *   - a field's values (an amount in minor units, a count, a number of nights, 1 for a switch that is on),
 *   - the hotel's revision that set each of them (which push set this?),
 *   - the highest sequence with which a key has set each of them,
 *   - of units, the hotel's revision at which a reservation first gave one up since a push set them.
 *
 * Bytes: a version (1), then per column `varint tag, varint length, runs`, by rising tag; tag = keyId·65536 +
 * field·4 + kind. A run starts with one byte: bits 0–4 are its length − 1, bits 5–6 say what follows: 0 one
 * value for all its nights, 1 nothing (nights unset), 2 a value for each night. A value is the zigzag varint
 * of its difference from the previous value. Unset nights at the end are not written. The SQL function
 * ari_block_cells reads the same bytes. Why not arrays of 31: decisions/002-ari-storage.md.
 */

const version = 1

/** The blocks a push may touch, by row and month. */
export type Blocks = { of: (roomNo: number, rateNo: number, month: number) => Block }

export class Block {
  readonly #bytes: Buffer
  readonly #columns: Column[]
  /** Whether `encode` would produce bytes other than those that were decoded. */
  dirty = false

  private constructor(bytes: Buffer, columns: Column[]) {
    this.#bytes = bytes
    this.#columns = columns
  }

  static empty(): Block {
    return new Block(Buffer.alloc(0), [])
  }

  static decode(bytes: Buffer): Block {
    if (bytes[0] !== version) throw new RangeError(`ARI block of unknown version ${bytes[0]}`)
    return new Block(bytes, columnsIn(bytes))
  }

  /** A copy that can be changed without affecting this block. */
  copy(): Block {
    const copy = new Block(
      this.#bytes,
      this.#columns.map(({ tag, nights, from, to }) => ({ tag, nights: nights && [...nights], from, to })),
    )
    copy.dirty = this.dirty
    return copy
  }

  /** Takes over the contents of a changed copy. */
  become(copy: Block): void {
    this.#columns.splice(0, this.#columns.length, ...copy.#columns)
    this.dirty ||= copy.dirty
  }

  /** Copies the revisions from the other block, for values that a push changed and changed back. */
  takeRevisionsOf(other: Block): void {
    for (const field of this.fields()) {
      const mine = this.#nights(field * 4 + kinds.revision)
      const theirs = other.revisions(field)
      if (mine) for (let night = 0; night < nightsMax; night++) mine[night] = theirs?.[night] ?? unset
    }
  }

  /** The same for prices that a push set and cleared again: when the last one of a night ended is still known. */
  takeRevisionsOfUnpriced(other: Block): void {
    for (const field of this.fields().filter(isPriceField)) {
      const mine = this.#nights(field * 4 + kinds.revision)
      const [values, before, theirs] = [this.values(field), other.values(field), other.revisions(field)]
      for (let night = 0; mine && night < nightsMax; night++)
        if ((values?.[night] ?? unset) === unset && (before?.[night] ?? unset) === unset)
          mine[night] = theirs?.[night] ?? unset
    }
  }

  /** The value of each night (`unset` for a night without one); undefined when no night has a value. */
  values(field: number): readonly number[] | undefined {
    return this.#nights(field * 4 + kinds.value)
  }

  /** The revision that last changed the field on each night. */
  revisions(field: number): readonly number[] | undefined {
    return this.#nights(field * 4 + kinds.revision)
  }

  /** The bytes of a field's values, as they were decoded: equal text, equal values. */
  packed(field: number): string {
    const column = this.#columns.find(({ tag }) => tag === field * 4 + kinds.value)
    return column ? this.#bytes.toString('latin1', column.from, column.to) : ''
  }

  /** The nights on which a field was last set or cleared at one of the revisions, both bounds included. */
  changedBetween(fromRevision: number, toRevision: number): NightMask {
    let changed = 0
    for (const { tag } of this.#columns) {
      if (tag >= 65536 || tag % 4 !== kinds.revision) continue
      for (const [night, revision] of (this.#nights(tag) ?? []).entries()) {
        if (revision >= fromRevision && revision <= toRevision) changed |= 1 << night
      }
    }
    return changed
  }

  /** The fields for which a night may have a value. */
  fields(): number[] {
    return this.#columns.filter(({ tag }) => tag < 65536 && tag % 4 === kinds.value).map(({ tag }) => tag / 4)
  }

  /**
   * Sets the nights of the mask to one value, or clears them (`unset`), unless a newer sequence forbids it.
   */
  set(field: number, mask: NightMask, value: number, stamp: Stamp): SetResult {
    const allowed = stamp.sequence === undefined ? mask : this.#advance(field, mask, stamp, stamp.sequence)
    return { changed: this.#write(field, allowed, value, stamp), superseded: mask & ~allowed }
  }

  /** The nights of the mask on which no newer sequence of the key forbids to set the field. */
  allows(field: number, mask: NightMask, { sequence, keyId }: Stamp): NightMask {
    if (sequence === undefined) return mask
    const own = this.#nights(sequenceTag(field, keyId))
    const all = isGuestPriceField(field)
      ? this.#nights(sequenceTag(fieldNumber.anyGuestPrice, keyId))
      : undefined
    if (!own && !all) return mask
    return nightsWhere(
      mask,
      (night) => sequence >= (own?.[night] ?? unset) && sequence >= (all?.[night] ?? unset),
    )
  }

  /**
   * Clears all guest prices on the nights of the mask, except those of the fields in `kept`. A night is superseded if
   * another price stays there because a newer sequence set it.
   */
  clearGuestPrices(mask: NightMask, kept: ReadonlySet<number>, stamp: Stamp): SetResult {
    let changed = 0
    let superseded = 0
    for (const field of this.fields()) {
      if (!isGuestPriceField(field) || kept.has(field)) continue
      const result = this.set(field, mask, unset, stamp)
      changed |= result.changed
      superseded |= this.nightsWithValue(field, result.superseded)
    }
    // Remember the sequence for buckets that no push has named yet: a late, older push must not set them.
    if (stamp.sequence !== undefined) this.#advance(fieldNumber.anyGuestPrice, mask, stamp, stamp.sequence)
    return { changed, superseded }
  }

  /** The nights of the mask that have a value of the field. */
  nightsWithValue(field: number, mask: NightMask): NightMask {
    const values = mask === 0 ? undefined : this.values(field)
    let nights = 0
    for (let rest = values ? mask : 0; rest !== 0; rest &= rest - 1) {
      const night = 31 - Math.clz32(rest & -rest)
      if ((values?.[night] ?? unset) !== unset) nights |= 1 << night
    }
    return nights
  }

  /** The nights of the mask that have a price of the model, in whatever currency. */
  nightsPriced(model: PricingModel, mask: NightMask): NightMask {
    if (model === 'unit') return this.nightsWithValue(fieldNumber.unitPrice, mask)
    let nights = 0
    for (const field of this.fields())
      if (isGuestPriceField(field)) nights |= this.nightsWithValue(field, mask & ~nights)
    return nights
  }

  #write(field: number, mask: NightMask, value: number, stamp: Stamp): NightMask {
    const present = this.#nights(field * 4 + kinds.value)
    if (!present && value === unset) return 0
    const values = present ?? this.#add(field * 4 + kinds.value)
    const revisions = this.#nights(field * 4 + kinds.revision) ?? this.#add(field * 4 + kinds.revision)
    const mayBeStale = stamp.currencyRevision > 0 && isPriceField(field)
    // Units that a reservation gave up are the hotel's again as soon as a push sets them, whatever it sets.
    const givenUp = stamp.keyId === 0 ? undefined : this.#nights(field * 4 + kinds.givenUp)
    let changed = 0
    let noted = 0
    let before: number[] | undefined
    for (let rest = mask; rest !== 0; rest &= rest - 1) {
      const night = 31 - Math.clz32(rest & -rest)
      const stale = mayBeStale && (revisions[night] ?? unset) <= stamp.currencyRevision
      if (givenUp && (givenUp[night] ?? unset) !== unset) {
        givenUp[night] = unset
        revisions[night] = stamp.revision
        changed |= 1 << night
      }
      if (values[night] === value && (!stale || value === unset)) continue
      // A price in a former currency could not be sold, so it counts as none.
      if (stamp.before) (before ??= []).push(stale ? unset : (values[night] ?? unset))
      values[night] = value
      revisions[night] = stamp.revision
      noted |= 1 << night
    }
    changed |= noted
    if (changed !== 0) this.dirty = true
    if (before) stamp.before?.note(field, noted, before)
    return changed
  }

  /** Remembers that a reservation gave up units of these nights, at a revision of the hotel. */
  noteGivenUp(mask: NightMask, revision: number): void {
    const tag = fieldNumber.inventory * 4 + kinds.givenUp
    const nights = this.#nights(tag) ?? this.#add(tag)
    for (let rest = mask; rest !== 0; rest &= rest - 1) {
      const night = 31 - Math.clz32(rest & -rest)
      if ((nights[night] ?? unset) === unset) nights[night] = revision
    }
    this.dirty = true
  }

  /** The revision at which units of each night were first given up since a push set them; `unset`: none were. */
  givenUp(): readonly number[] | undefined {
    return this.#nights(fieldNumber.inventory * 4 + kinds.givenUp)
  }

  /** Puts back the values before a change, one for each night of the mask. Prices were in its currency. */
  putBack(field: number, mask: NightMask, values: readonly number[], revision: number): void {
    const nights = this.#nights(field * 4 + kinds.value) ?? this.#add(field * 4 + kinds.value)
    const revisions = this.#nights(field * 4 + kinds.revision) ?? this.#add(field * 4 + kinds.revision)
    let index = 0
    for (let rest = mask; rest !== 0; rest &= rest - 1) {
      const night = 31 - Math.clz32(rest & -rest)
      nights[night] = values[index++] ?? unset
      revisions[night] = revision
    }
  }

  /** Records the sequence unless the key has set a newer one; returns the nights where it was recorded. */
  #advance(field: number, mask: NightMask, stamp: Stamp, sequence: number): NightMask {
    const allowed = this.allows(field, mask, stamp)
    if (allowed === 0) return 0
    const own = this.#nights(sequenceTag(field, stamp.keyId)) ?? this.#add(sequenceTag(field, stamp.keyId))
    for (let rest = allowed; rest !== 0; rest &= rest - 1) {
      const night = 31 - Math.clz32(rest & -rest)
      if (own[night] === sequence) continue
      own[night] = sequence
      this.dirty = true
    }
    return allowed
  }

  #nights(tag: number): number[] | undefined {
    const column = this.#columns.find((one) => one.tag === tag)
    if (!column) return undefined
    column.nights ??= readRuns({ bytes: this.#bytes, at: column.from }, column.to)
    return column.nights
  }

  #add(tag: number): number[] {
    const nights = unsetNights.slice()
    this.#columns.push({ tag, nights, from: 0, to: 0 })
    return nights
  }

  /** Whether the block is empty: no night has a value or anything that must be remembered. */
  isEmpty(): boolean {
    return this.#columns.every((column) => (this.#nights(column.tag) ?? []).every((night) => night === unset))
  }

  encode(): Buffer {
    if (!this.dirty && this.#bytes.length > 0) return this.#bytes
    const columns = this.#columns.sort((left, right) => left.tag - right.tag)
    const writer = { bytes: scratchFor(columns.length), at: 1 }
    writer.bytes[0] = version
    for (const { tag, nights, from, to } of columns) {
      if (nights) {
        const length = lastSet(nights)
        if (length === 0) continue
        writeVarint(writer, tag)
        writeColumn(writer, nights, length)
        continue
      }
      writeVarint(writer, tag)
      writeVarint(writer, to - from)
      this.#bytes.copy(writer.bytes, writer.at, from, to)
      writer.at += to - from
    }
    return Buffer.from(writer.bytes.subarray(0, writer.at))
  }
}
