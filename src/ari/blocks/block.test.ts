import fc from 'fast-check'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gatewayForTests } from '../../../test/stage/harness.ts'
import { amountMinorMax } from '../../base/money.ts'
import { Block } from './block.ts'
import type { Stamp } from './stamp.ts'
import { nightsMax, unset } from './block-codec.ts'
import { fieldNumber, guestPriceField, isGuestPriceField, isPriceField } from '../fields.ts'

const gateway = await gatewayForTests()

const { inventory, unitPrice, anyGuestPrice } = fieldNumber
const adult2 = guestPriceField('adult', 2)
const infant99 = guestPriceField('infant', 99)
const fields = [inventory, fieldNumber.closed, unitPrice, guestPriceField('adult', 1), adult2, infant99]

const mask = fc.oneof(fc.integer({ min: 1, max: 0x7fffffff }), fc.constantFrom(1, 1 << 30, 0x7fffffff))
const value = fc.oneof(
  fc.constant(unset),
  fc.integer({ min: 0, max: 3 }),
  fc.maxSafeNat().map((n) => n % amountMinorMax),
)
const sequence = fc.option(
  fc.oneof(fc.integer({ min: 0, max: 5 }), fc.constantFrom(0, Number.MAX_SAFE_INTEGER), fc.maxSafeNat()),
  {
    nil: undefined,
  },
)
const stamp = fc.record({
  revision: fc.integer({ min: 1, max: 2 ** 40 }),
  sequence,
  keyId: fc.constantFrom(1, 2, 2 ** 31 - 1),
  currencyRevision: fc.constantFrom(0, 0, 3, 2 ** 39),
})
const change = fc.record({
  field: fc.constantFrom(...fields),
  mask,
  value,
  stamp,
  clearsGuests: fc.integer({ max: 9, min: 0 }),
})
type Change = { field: number; mask: number; value: number; stamp: Stamp; clearsGuests: number }

/** One array of night values per column, named like in the SQL function: `field kind key`. */
class PlainBlock {
  columns = new Map<string, number[]>()

  night(field: number, kind: number, keyId: number, night: number): number {
    return this.columns.get(`${field} ${kind} ${keyId}`)?.[night] ?? unset
  }

  put(field: number, kind: number, keyId: number, night: number, put: number): void {
    const name = `${field} ${kind} ${keyId}`
    const nights = this.columns.get(name) ?? new Array<number>(nightsMax).fill(unset)
    nights[night] = put
    this.columns.set(name, nights)
  }

  set(
    field: number,
    night: number,
    put: number,
    { sequence: sent, keyId, revision, currencyRevision }: Stamp,
  ): 'changed' | 'superseded' | 'same' {
    if (sent !== undefined) {
      const known = this.night(field, 2, keyId, night)
      const all = isGuestPriceField(field) ? this.night(anyGuestPrice, 2, keyId, night) : unset
      if (sent < known || sent < all) return 'superseded'
      this.put(field, 2, keyId, night, sent)
    }
    const isFormer =
      isPriceField(field) &&
      put !== unset &&
      this.night(field, 1, 0, night) <= currencyRevision &&
      currencyRevision > 0
    if (this.night(field, 0, 0, night) === put && !isFormer) return 'same'
    this.put(field, 0, 0, night, put)
    this.put(field, 1, 0, night, revision)
    return 'changed'
  }

  guestPricesHeld(): number[] {
    const held = [...this.columns].filter(([, nights]) => nights.some((night) => night !== unset))
    const numbers = held.map(([name]) => name.split(' ').map(Number))
    return numbers.flatMap(([field = 0, kind]) => (kind === 0 && isGuestPriceField(field) ? [field] : []))
  }

  cells(): string[] {
    const cells: string[] = []
    for (const [name, nights] of this.columns) {
      for (const [night, held] of nights.entries()) if (held !== unset) cells.push(`${name} ${night} ${held}`)
    }
    return cells.sort()
  }
}

function applyBoth(
  block: Block,
  plain: PlainBlock,
  { field, mask: nights, value: put, stamp: by, clearsGuests }: Change,
): void {
  const expected = { changed: 0, superseded: 0 }
  const each = (one: number, night: number, clears: boolean): void => {
    const stays = plain.night(one, 0, 0, night) !== unset
    const outcome = plain.set(one, night, clears ? unset : put, by)
    if (outcome === 'changed') expected.changed |= 1 << night
    if (outcome === 'superseded' && (!clears || stays)) expected.superseded |= 1 << night
  }
  const others = plain.guestPricesHeld().filter((one) => one !== field)
  for (let night = 0; night < nightsMax; night++) {
    if (((nights >> night) & 1) === 0) continue
    if (clearsGuests > 0) {
      each(field, night, false)
      continue
    }
    for (const one of others) each(one, night, true)
    const known = plain.night(anyGuestPrice, 2, by.keyId, night)
    if (by.sequence !== undefined && by.sequence > known)
      plain.put(anyGuestPrice, 2, by.keyId, night, by.sequence)
  }
  const result =
    clearsGuests > 0
      ? block.set(field, nights, put, by)
      : block.clearGuestPrices(nights, new Set([field]), by)
  assert.deepEqual(result, expected)
}

async function cellsInSql(blocks: readonly Buffer[]): Promise<string[][]> {
  const { rows } = await gateway.db.query<{ at: number; cells: string[] | null }>(
    `select at, (select array_agg(cell.field || ' ' || cell.kind || ' ' || cell.key_id || ' ' || cell.night || ' ' || cell.value)
       from ari_block_cells(block) as cell) as cells
     from unnest($1::bytea[]) with ordinality as held (block, at) order by at`,
    [blocks],
  )
  return rows.map(({ cells }) => (cells ?? []).sort())
}

test('a block sets, clears and supersedes like one array per field, in every encoding, and SQL reads the same', async () => {
  const encoded: Buffer[] = []
  const expected: string[][] = []
  fc.assert(
    fc.property(fc.array(change, { minLength: 1, maxLength: 12 }), (changes) => {
      let block = Block.empty()
      const plain = new PlainBlock()
      for (const one of changes) {
        applyBoth(block, plain, one)
        block = Block.decode(block.encode())
        for (const field of fields) {
          for (let night = 0; night < nightsMax; night++) {
            assert.equal(block.values(field)?.[night] ?? unset, plain.night(field, 0, 0, night))
            assert.equal(block.revisions(field)?.[night] ?? unset, plain.night(field, 1, 0, night))
          }
        }
      }
      encoded.push(block.encode())
      expected.push(plain.cells())
    }),
    { numRuns: 200 },
  )
  assert.deepEqual(await cellsInSql(encoded), expected)
})

test('extreme numbers survive next to each other: 0 and 2^53 − 1, rising and falling', async () => {
  const block = Block.empty()
  const far = { revision: Number.MAX_SAFE_INTEGER, keyId: 2 ** 31 - 1, currencyRevision: 0 }
  for (let night = 0; night < nightsMax; night++) {
    const extreme = night % 2 === 0 ? Number.MAX_SAFE_INTEGER : 0
    block.set(infant99, 1 << night, night % 3 === 0 ? amountMinorMax : 0, { ...far, sequence: extreme })
  }
  const bytes = block.encode()
  const decoded = Block.decode(bytes)
  assert.deepEqual(decoded.values(infant99), block.values(infant99))
  const [cells = [], again = []] = await cellsInSql([bytes, decoded.encode()])
  assert.deepEqual(cells, again)
  const sequences = cells
    .filter((cell) => cell.startsWith(`${infant99} 2 ${far.keyId} `))
    .map((cell) => cell.split(' ').slice(3).join(' '))
  const written = Array.from(
    { length: nightsMax },
    (_, night) => `${night} ${night % 2 === 0 ? Number.MAX_SAFE_INTEGER : 0}`,
  )
  assert.deepEqual(sequences, written.sort())
  // Superseded exactly on the nights with the furthest sequence.
  assert.equal(decoded.set(infant99, 0x7fffffff, 7, { ...far, sequence: 1 }).superseded, 0x55555555)
})

test('a column that is encoded again equals one that was copied without decoding', async () => {
  const unread: Buffer[] = []
  const written: Buffer[] = []
  fc.assert(
    fc.property(fc.array(change, { maxLength: 8 }), (changes) => {
      const block = Block.empty()
      for (const one of changes) block.set(one.field, one.mask, one.value, one.stamp)
      const bytes = block.encode()
      unread.push(Block.decode(bytes).encode())
      const read = Block.decode(bytes)
      for (const field of read.fields()) {
        read.values(field)
        read.revisions(field)
      }
      written.push(read.encode())
      assert.equal(read.dirty, false)
    }),
  )
  assert.deepEqual(await cellsInSql(unread), await cellsInSql(written))
})

const now: Stamp = { revision: 5, sequence: undefined, keyId: 1, currencyRevision: 0 }

test('a block is dirty only if its bytes would differ', () => {
  const block = Block.empty()
  assert.deepEqual(block.set(inventory, 6, unset, now), { changed: 0, superseded: 0 })
  assert.equal(block.dirty, false)
  assert.deepEqual(block.set(inventory, 6, 3, now), { changed: 6, superseded: 0 })
  assert.equal(block.dirty, true)
  const again = Block.decode(block.encode())
  assert.deepEqual(again.set(inventory, 6, 3, { ...now, revision: 6 }), { changed: 0, superseded: 0 })
  assert.equal(again.dirty, false)
  // The same value with a sequence must still be remembered.
  assert.deepEqual(again.set(inventory, 2, 3, { ...now, sequence: 9 }), { changed: 0, superseded: 0 })
  assert.equal(again.dirty, true)
})

test('changes to a copy do not affect the original', () => {
  const block = Block.empty()
  block.set(inventory, 7, 3, now)
  const copy = Block.decode(block.encode()).copy()
  const original = Block.decode(block.encode())
  const second = original.copy()
  copy.set(inventory, 1, 9, now)
  original.set(inventory, 2, 8, now)
  assert.deepEqual(second.values(inventory)?.slice(0, 4), [3, 3, 3, unset])
  assert.deepEqual(copy.values(inventory)?.slice(0, 4), [9, 3, 3, unset])
  assert.deepEqual(original.values(inventory)?.slice(0, 4), [3, 8, 3, unset])
})

test('clearing all guest prices supersedes older pushes of prices that were never set', () => {
  const block = Block.empty()
  assert.deepEqual(block.clearGuestPrices(3, new Set(), { ...now, sequence: 7 }), {
    changed: 0,
    superseded: 0,
  })
  const kept = Block.decode(block.encode())
  assert.deepEqual(kept.set(adult2, 7, 100, { ...now, sequence: 6 }), { changed: 4, superseded: 3 })
  assert.deepEqual(kept.set(adult2, 1, 100, { ...now, sequence: 7 }), { changed: 1, superseded: 0 })
  assert.deepEqual(kept.set(adult2, 2, 100, { ...now, sequence: 1, keyId: 2 }), { changed: 2, superseded: 0 })
  assert.deepEqual(kept.set(unitPrice, 2, 100, { ...now, sequence: 1 }), { changed: 2, superseded: 0 })
})

test('a price in a former currency counts as another one even with the same number; other fields do not', () => {
  const block = Block.empty()
  block.set(unitPrice, 3, 100, { ...now, revision: 4 })
  block.set(inventory, 3, 100, { ...now, revision: 4 })
  const later = { ...now, revision: 9, currencyRevision: 4 }
  assert.equal(block.set(inventory, 3, 100, later).changed, 0)
  assert.equal(block.set(unitPrice, 1, 100, later).changed, 1)
  assert.equal(block.set(unitPrice, 3, 100, { ...later, revision: 10 }).changed, 2)
})

test('bytes of another version are refused, also by SQL', async () => {
  assert.throws(() => Block.decode(Buffer.from([2])), /unknown version 2/)
  assert.throws(() => Block.decode(Buffer.from([1, 200])), /ends early/)
  await assert.rejects(cellsInSql([Buffer.from([2])]), /unknown version 2/)
})

test('an empty block and one whose nights were all cleared', () => {
  assert.equal(Block.empty().isEmpty(), true)
  const block = Block.empty()
  block.set(inventory, 5, 1, now)
  block.set(inventory, 5, unset, now)
  // The revision that cleared it is still known.
  assert.equal(block.isEmpty(), false)
  assert.deepEqual(Block.decode(block.encode()).revisions(inventory)?.slice(0, 4), [5, unset, 5, unset])
})
