import { unset } from '../blocks/block-codec.ts'
import type { Blocks } from '../blocks/block.ts'
import { countNights } from '../blocks/month.ts'
import { packBlockKey, type BlockKey } from '../blocks/store.ts'
import { fieldNumber } from '../fields.ts'
import type { UndoBlock, UndoField } from './undo-plan.ts'

type Row = Omit<BlockKey, 'hotelId'>

/**
 * The units of a room and of its rates once an undo is applied. The smaller of the two numbers counts, so more is sold
 * where one that is above its own number is left alone.
 */
export class UndoneUnits {
  readonly #fieldByRow: ReadonlyMap<number, UndoField>
  readonly #stored: Blocks
  readonly #ratesOf: (roomNo: number) => readonly number[]

  constructor(blocks: readonly UndoBlock[], stored: Blocks, ratesOf: (roomNo: number) => readonly number[]) {
    this.#fieldByRow = new Map(
      blocks.flatMap(({ key, fields }) =>
        fields
          .filter(({ field }) => field === fieldNumber.inventory)
          .map((field) => [packBlockKey(key), field] as const),
      ),
    )
    this.#stored = stored
    this.#ratesOf = ratesOf
  }

  /** Whether more units can be sold on the night without the row's number than with it. */
  areMoreWithout(row: Row, night: number): boolean {
    const now = this.#present(row, night)
    const others =
      row.rateNo === 0
        ? this.#ratesOf(row.roomNo).map((rateNo) => this.#restored({ ...row, rateNo }, night))
        : [this.#ofRoom({ ...row, rateNo: 0 }, night)]
    return others.some((units) => units > now)
  }

  #ofRoom(room: Row, night: number): number {
    const restored = this.#restored(room, night)
    return restored === unset && this.areMoreWithout(room, night) ? this.#present(room, night) : restored
  }

  /** What the undo puts back, if only the row's own number counts. */
  #restored(row: Row, night: number): number {
    const now = this.#present(row, night)
    const field = this.#fieldByRow.get(packBlockKey(row))
    if (!field || (field.mask & (1 << night)) === 0) return now
    const index = countNights(field.mask & ((1 << night) - 1))
    const before = field.values[index] ?? unset
    return field.written[index] === now && before < now ? before : now
  }

  #present({ roomNo, rateNo, month }: Row, night: number): number {
    return this.#stored.of(roomNo, rateNo, month).values(fieldNumber.inventory)?.[night] ?? unset
  }
}

/** The rows that `areMoreWithout` reads besides those of the undo. */
export function* rowsBesideUnits(
  blocks: readonly UndoBlock[],
  ratesOf: (roomNo: number) => readonly number[],
): Generator<Row> {
  for (const { key, fields } of blocks) {
    const goes = fields.some(({ field, values }) => field === fieldNumber.inventory && values.includes(unset))
    if (!goes) continue
    const { roomNo, month } = key
    for (const rateNo of [0, ...ratesOf(roomNo)]) yield { roomNo, rateNo, month }
  }
}
