import type { MonthNumber } from '../../base/calendar.ts'
import type { Block } from '../blocks/block.ts'
import type { DigestGroup } from './digest-contract.ts'
import { groupDigest, groupLines, groupOf, type ByGroup, type LineOptions } from './digest.ts'

/** At most about 200 bytes each. */
const knownMax = 5_000

/**
 * The hashes of a hotel's months as it is read. Many of its room-rates have the same restrictions or units in a month,
 * and equal packed values have equal hashes: these are neither unpacked nor hashed again. Their prices differ, so
 * those are not remembered.
 */
export class MonthDigests {
  readonly #range: Pick<LineOptions, 'from' | 'to' | 'currencyRevision'>
  readonly #known = { inv: new Map<string, string>(), res: new Map<string, string>() }

  constructor(range: Pick<LineOptions, 'from' | 'to' | 'currencyRevision'>) {
    this.#range = range
  }

  of(block: Block, month: MonthNumber, row: Pick<LineOptions, 'isRoom' | 'guestsMax'>): ByGroup {
    const options = { ...this.#range, ...row }
    const computed = (group: DigestGroup): string =>
      groupDigest(month, groupLines(block, group, month, options))
    const { inv, res } = packedByGroup(block, options)
    const digestOf = (group: keyof Packed, packed: string): string => {
      if (packed === '') return ''
      const known = this.#known[group]
      const name = `${month}${options.isRoom ? ' room' : ''}${packed}`
      const before = known.get(name)
      if (before !== undefined) return before
      const digest = computed(group)
      if (known.size >= knownMax) known.clear()
      known.set(name, digest)
      return digest
    }
    return { inv: digestOf('inv', inv), res: digestOf('res', res), pri: computed('pri') }
  }
}

type Packed = { inv: string; res: string }

/** The packed values of the fields that count, but for prices. */
function packedByGroup(block: Block, options: LineOptions): Packed {
  const packed = { inv: '', res: '' }
  for (const field of block.fields()) {
    const group = groupOf(field, options)
    if (group === undefined || group === 'pri') continue
    const text = block.packed(field)
    packed[group] += ` ${field} ${text.length} ${text}`
  }
  return packed
}
