import type { MonthNumber } from '../base/calendar.ts'
import type { Block } from './block.ts'
import type { DigestGroup } from './digest-contract.ts'
import { groupDigest, groupLines, groupOf, nothingSet, type ByGroup, type LineOptions } from './digest.ts'
import { isPriceField } from './fields.ts'

/** At most about 200 bytes each. */
const knownMax = 5_000

/**
 * The hashes of a hotel's months as it is read. Many of its room-rates have the same restrictions or units in a month,
 * and equal packed values have equal hashes: these are neither unpacked nor hashed again.
 */
export class MonthDigests {
  readonly #range: Pick<LineOptions, 'from' | 'to' | 'currencyRevision'>
  readonly #known: Readonly<Record<DigestGroup, Map<string, string>>> = {
    inv: new Map(),
    res: new Map(),
    pri: new Map(),
  }

  constructor(range: Pick<LineOptions, 'from' | 'to' | 'currencyRevision'>) {
    this.#range = range
  }

  of(block: Block, month: MonthNumber, row: Pick<LineOptions, 'isRoom' | 'guestsMax'>): ByGroup {
    const options = { ...this.#range, ...row }
    const { inv, res, pri } = packedByGroup(block, options)
    const digestOf = (group: DigestGroup, packed: string): string =>
      packed === '' ? '' : this.#digestOf(group, packed, block, month, options)
    return { inv: digestOf('inv', inv), res: digestOf('res', res), pri: digestOf('pri', pri) }
  }

  #digestOf(
    group: DigestGroup,
    packed: string,
    block: Block,
    month: MonthNumber,
    options: LineOptions,
  ): string {
    const known = this.#known[group]
    const name = `${month}${options.isRoom ? ' room' : ''}${packed}`
    const digest = known.get(name)
    if (digest !== undefined) return digest
    const computed = groupDigest(month, groupLines(block, group, month, options))
    if (known.size >= knownMax) known.clear()
    known.set(name, computed)
    return computed
  }
}

/** The packed values of the fields that count; of prices also their revisions, where these decide whether they do. */
function packedByGroup(block: Block, options: LineOptions): ByGroup {
  const packed = { ...nothingSet }
  const add = (group: DigestGroup, field: number, text: string): void => {
    packed[group] += ` ${field} ${text.length} ${text}`
  }
  for (const field of block.fields()) {
    const group = groupOf(field, options)
    if (group === undefined) continue
    add(group, field, block.packed(field, 'value'))
    if (options.currencyRevision > 0 && isPriceField(field))
      add(group, field, block.packed(field, 'revision'))
  }
  return packed
}
