import { firstDay, formatNight } from '../../base/calendar.ts'
import { fromMinor } from '../../base/money.ts'
import { fieldNumber, guestBucket } from '../fields.ts'
import type { namesOf } from '../catalog/row-names.ts'
import type { TouchedMonth } from './changed-cells.ts'
import { impactLimits, type Impact } from './contract.ts'

/** A price that changes; `pct` is negative where it falls. */
type Move = { at: TouchedMonth; field: number; night: number; old: number; now: number; pct: number }

/** Collects how far prices move. A price of 0 has no percentage: it counts as a cell, and nothing else. */
export class PriceMoves {
  readonly up = new Direction()
  readonly down = new Direction()
  /** The largest first; of equal ones, the first that was added. */
  readonly #worst: Move[] = []

  add(at: TouchedMonth, field: number, night: number, old: number, now: number): void {
    const direction = now > old ? this.up : this.down
    direction.cells++
    if (old === 0) return
    const pct = Math.round(((now - old) * 10_000) / old) / 100
    direction.pcts.push(Math.abs(pct))
    const worst = this.#worst
    const isFull = worst.length === impactLimits.worstListedMax
    if (isFull && Math.abs(pct) <= Math.abs(worst.at(-1)?.pct ?? 0)) return
    if (isFull) worst.pop()
    const place = worst.findIndex((other) => Math.abs(other.pct) < Math.abs(pct))
    worst.splice(place === -1 ? worst.length : place, 0, { at, field, night, old, now, pct })
  }

  summary({ roomCode, rateCode, minorDigits }: ReturnType<typeof namesOf>): Impact['price'] {
    return {
      up: this.up.summary(),
      down: this.down.summary(),
      worst: this.#worst.map(({ at, field, night, old, now, pct }) => ({
        roomId: roomCode(at.roomNo),
        rateId: rateCode(at.rateNo),
        date: formatNight(firstDay(at.month) + night),
        bucket: bucketOf(field),
        before: fromMinor(old, minorDigits),
        after: fromMinor(now, minorDigits),
        pct,
      })),
    }
  }
}

class Direction {
  cells = 0
  readonly pcts: number[] = []

  summary(): Impact['price']['up'] {
    const rising = new Float64Array(this.pcts).sort()
    const middle = rising.length >> 1
    const upper = rising[middle]
    if (upper === undefined) return { cells: this.cells, medianPct: null, maxPct: null }
    const lower = rising.length % 2 === 1 ? upper : (rising[middle - 1] ?? upper)
    const medianPct = Math.round((lower + upper) * 50) / 100
    return { cells: this.cells, medianPct, maxPct: rising.at(-1) ?? upper }
  }
}

/** As in the lines of a digest. */
function bucketOf(field: number): string {
  if (field === fieldNumber.unitPrice) return 'u'
  const { ageCategory, guests } = guestBucket(field)
  return `${ageCategory.charAt(0)}${guests}`
}
