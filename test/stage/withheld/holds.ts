import type { Value } from '../models/read-back-nights.ts'
import { adults, isPrice, type Line, type Prices } from './lines.ts'
import type { Order } from './night.ts'

/** A night's value that is held: of a field, or of all prices together. */
export type Part = {
  push: number
  order: Order
  rate: string
  date: string
  expiresAtMs: number
  onExpiry: 'discard' | 'apply'
  era: number
  field: string | undefined
  sets: ReadonlyMap<string, Value>
  /** What was stored then, of the field or of all prices. */
  before: ReadonlyMap<string, Value>
}

/** What is held of a hotel, in the order of its pushes. Its list is never changed, but replaced. */
export class NaiveHolds {
  parts: readonly Part[] = []

  /** The pushes of which something is held. */
  get pushes(): number[] {
    return [...new Set(this.parts.map(({ push }) => push))]
  }

  /** What newer pushes of the key hold of the night. */
  newer({ rate, date }: Line, { key, sequence }: Order): Part[] {
    return this.parts.filter(
      (part) =>
        part.rate === rate &&
        part.date === date &&
        sequence !== undefined &&
        part.order.key === key &&
        (part.order.sequence ?? -1) > sequence,
    )
  }

  /** A push replaces what is held of these fields, unless that is newer; a price, whatever is held as one thing. */
  end(line: Line, order: Order, fields: string[] | ((field: string) => boolean)): void {
    const has = typeof fields === 'function' ? fields : (field: string) => fields.includes(field)
    const isOfPrice = typeof fields === 'function' ? [...adults, 'unit'].some(has) : fields.some(isPrice)
    const newer = new Set(this.newer(line, order))
    this.parts = this.parts.filter((part) => {
      if (part.rate !== line.rate || part.date !== line.date || newer.has(part)) return true
      return !(part.field === undefined ? isOfPrice : has(part.field))
    })
  }

  add(part: Part): void {
    this.parts = [...this.parts, part]
  }

  /** Ends what is held of a push. */
  giveUp(push: number): void {
    this.parts = this.parts.filter((part) => part.push !== push)
  }

  /** What expires, push by push: those that are applied. The others are given up. */
  expire(nowMs: number): number[] {
    const due = new Set(this.parts.filter((part) => part.expiresAtMs <= nowMs).map(({ push }) => push))
    const applied = this.parts.filter(({ push, onExpiry }) => due.has(push) && onExpiry === 'apply')
    this.parts = this.parts.filter(({ push, onExpiry }) => !due.has(push) || onExpiry === 'apply')
    return [...new Set(applied.map(({ push }) => push))]
  }
}

/** What a release of it says. */
export function lineOfPart({ rate, date, field, sets }: Part): Line {
  if (field !== undefined && !isPrice(field))
    return { rate, date, fields: new Map([[field, sets.get(field) ?? null]]), prices: undefined }
  // Infants would be free.
  if (field !== undefined && sets.size === 0)
    return {
      rate,
      date,
      fields: new Map(),
      prices: { model: undefined, sets: new Map([[field, null]]), clearsBut: undefined },
    }
  const [first = 'unit'] = sets.keys()
  const prices: Prices =
    first === 'unit'
      ? { model: 'unit', sets: numbersOf(sets), clearsBut: new Set(['unit']) }
      : { model: 'guest', sets: numbersOf(sets).set('unit', null), clearsBut: undefined }
  return { rate, date, fields: new Map(), prices }
}

function numbersOf(sets: ReadonlyMap<string, Value>): Map<string, number | null> {
  return new Map([...sets].map(([field, value]) => [field, Number(value)]))
}
