import assert from 'node:assert/strict'
import { test } from 'node:test'
import { firstDay, monthOf, parseNight, type DayNumber } from '../../src/base/calendar.ts'
import { applyPush } from '../../src/ari/commit/apply.ts'
import { BeforeValues, decodeBefore, type BlockBefore } from '../../src/ari/blocks/before-values.ts'
import { unset } from '../../src/ari/blocks/block-codec.ts'
import { Block, type Blocks } from '../../src/ari/blocks/block.ts'
import type { HotelCatalog } from '../../src/ari/catalog/catalog.ts'
import { fieldNumber } from '../../src/ari/fields.ts'
import { blockAt, pastBlocks, putBack, type PastBlocks } from '../../src/ari/history/history.ts'
import { planPush } from '../../src/ari/judge/plan.ts'
import type { ReadableItem, ReadableLine, ReadablePush } from '../../src/ari/judge/readable.ts'
import { packBlockKey, type LockedHotel } from '../../src/ari/blocks/store.ts'
import { noWarnings } from '../../src/http/calls/warnings.ts'
import { firstSeed, repeatedSeed, roundsWithin } from '../../test/stage/pace.ts'
import { Chance } from '../../test/stage/models/ari-operations.ts'

/**
 * Long histories in memory, with the code that plans and applies pushes: put back one after another, the values before
 * the changes lead through every state that there was. What a push, a booking or a stop-sell stores is decoded from its
 * bytes. proofs/models/every-revision.proof.ts proves the same through the service, with undos.
 */

const histories = { full: 500, floor: 40, share: 0.01 }
const changesPerHistory = 200

const hotelId = 1
const nights = ['2027-04-28', '2027-04-29', '2027-04-30', '2027-05-01', '2027-05-02']
const nowMs = Date.parse('2027-03-01T12:00:00Z')
const rates = ['A', 'B']

const catalog: HotelCatalog = {
  storeStamp: 'store',
  supplierId: 1,
  hotelCode: 'H1',
  hotelId,
  version: 1,
  timeZone: 'Europe/Paris',
  aheadMs: 0,
  currency: 'EUR',
  minorDigits: 2,
  roomNoByCode: new Map([['R', 1]]),
  rateNoByCode: new Map(rates.map((code, index) => [code, index + 1])),
  productOf: (roomNo, rateNo) => ({
    roomNo,
    rateNo,
    isAvailable: true,
    maxOccupancy: 3,
    maxAdult: null,
    maxChild: null,
    maxInfant: null,
    pricingModel: 'guest',
  }),
  priceFloor: undefined,
  guard: undefined,
}

type Hotel = { locked: LockedHotel; blocks: PastBlocks }
type Change = { revision: number; since: number; blocks: BlockBefore[] }

test('put back one after another, the values before 200 changes lead through every state to the first', async (t) => {
  const { next, done, summary } = roundsWithin(
    repeatedSeed === undefined ? histories : { full: 1, floor: 1, share: 1 },
  )
  let operations = 0
  let bytes = 0
  for (let round = next(); round !== undefined; round = next()) {
    const seed = firstSeed + round
    const found = await proveHistory(seed).catch((cause: unknown) => {
      t.diagnostic(`ARI_PROOF_SEED=${seed} npm run test:proof -- proofs/models/long-history.proof.ts`)
      throw cause
    })
    operations += found.operations
    bytes += found.bytes
  }
  const changes = done() * changesPerHistory
  t.diagnostic(
    `${summary()}: ${operations} operations, of which ${changes} changed something; ${Math.round(bytes / changes)} bytes a change`,
  )
})

async function proveHistory(seed: number): Promise<{ operations: number; bytes: number }> {
  const chance = new Chance(seed)
  const hotel = newHotel()
  const states = [textOf(hotel.blocks)]
  const changes: Change[] = []
  let [operations, bytes] = [0, 0]
  for (; changes.length < changesPerHistory; operations++) {
    const before = await operate(hotel, chance)
    if (!before) {
      assert.equal(
        textOf(hotel.blocks),
        states.at(-1),
        `seed ${seed}: operation ${operations} changed something`,
      )
      continue
    }
    const { revisionsSince, blocks } = decodeBefore(before)
    changes.push({ revision: hotel.locked.revision, since: revisionsSince, blocks })
    states.push(textOf(hotel.blocks))
    bytes += before.length
  }
  const past = pastBlocks(
    [...hotel.blocks.blocks.values()].map(({ key, block }) => ({ key, block: Block.decode(block.encode()) })),
    () => true,
  )
  for (const [index, { revision, since, blocks }] of [...changes.entries()].reverse()) {
    assert.equal(textOf(past), states[index + 1], `seed ${seed}: as of revision ${revision}`)
    assert.equal(since, revision - (changes[index - 1]?.revision ?? 0), `seed ${seed}: before ${revision}`)
    putBack(past, hotelId, { revision, blocks })
  }
  assert.equal(textOf(past), states[0], `seed ${seed}: at first`)
  return { operations, bytes }
}

function newHotel(): Hotel {
  return {
    locked: {
      id: hotelId,
      storeStamp: 'store',
      revision: 0,
      revisionBefore: 0,
      catalogVersion: 1,
      currencyRevision: 0,
      cellsRevision: 0,
      ariVersion: 1,
      liveUntilMs: null,
    },
    blocks: pastBlocks([], () => true),
  }
}

/** Returns the values before it; undefined if it changed nothing. */
async function operate(hotel: Hotel, chance: Chance): Promise<Buffer | undefined> {
  // Now and then something else raises the revision, such as a push of products.
  if (chance.percent(5)) hotel.locked.revision++
  const kind = chance.below(100)
  if (kind < 15) return setOneNight(hotel, chance, fieldNumber.inventory)
  if (kind < 20) return setOneNight(hotel, chance, fieldNumber.stopSell)
  const body = makePush(chance)
  const stored: Blocks = {
    of: (roomNo, rateNo, month) => blockAt(hotel.blocks, hotelId, { roomNo, rateNo, month }),
  }
  const ready = {
    push: {
      kind: 'ari',
      requestId: 'r',
      caller: caller(1 + chance.below(2)),
      rawBody: undefined,
      receivedAtMs: nowMs,
      startedMs: 0,
      idempotencyKey: undefined,
      warnings: noWarnings(),
    },
    body,
    problemsByItem: new Map(),
    catalog,
    plan: planPush(body, new Map(), catalog, nowMs),
  }
  return (await applyPush(ready, hotel.locked, stored, new Map())).before
}

const caller = (keyId: number) =>
  ({
    keyId,
    supplierId: 1,
    supplier: 's',
    channelManager: '',
    unknownFields: 'warn',
    echo: false,
    limits: { rate: undefined, bodyBytesMax: 0, ariItemsMax: 0, ariCellsMax: 0 },
  }) as const

/** A booking takes a unit, or a stop-sell begins or ends, as these write it. */
function setOneNight({ locked, blocks }: Hotel, chance: Chance, field: number): Buffer | undefined {
  const day = dayOf(chance.of(nights))
  const month = monthOf(day)
  const night = day - firstDay(month)
  const block = blockAt(blocks, hotelId, { roomNo: 1, rateNo: 0, month })
  const now = block.values(field)?.[night] ?? unset
  if (field === fieldNumber.inventory && now <= 0) return undefined
  const value = field === fieldNumber.inventory ? now - 1 : now === unset ? 1 : unset
  const before = new BeforeValues()
  before.at({ roomNo: 1, rateNo: 0 }, month)
  const revision = locked.revision + 1
  block.set(field, 1 << night, value, {
    revision,
    sequence: undefined,
    keyId: 0,
    currencyRevision: 0,
    before,
  })
  const encoded = before.encode(revision, locked.cellsRevision)
  locked.revision = revision
  locked.cellsRevision = revision
  return encoded
}

function makePush(chance: Chance): ReadablePush {
  return {
    hotelId: 'H1',
    pricingModel: chance.percent(25) ? 'unit' : 'guest',
    ari: Array.from({ length: chance.of([1, 1, 1, 2, 3, 6]) }, () => makeItem(chance)),
    ...(chance.percent(20) ? { mode: 'overlay' as const } : {}),
    ...(chance.percent(10) ? { atomic: true } : {}),
    ...(chance.percent(5) ? { dryRun: true } : {}),
    ...(chance.percent(30) ? { sequence: chance.below(60) } : {}),
  }
}

function makeItem(chance: Chance): ReadableItem {
  const first = chance.below(nights.length)
  const last = first + chance.below(nights.length - first)
  return {
    roomId: 'R',
    startDate: nights[first] ?? '',
    endDate: nights[last] ?? '',
    ...(chance.percent(50) ? { inventory: some(chance) } : {}),
    ...(chance.percent(20) ? { closed: chance.percent(50) } : {}),
    ...(chance.percent(70) ? { rates: [makeLine(chance)] } : {}),
  }
}

function makeLine(chance: Chance): ReadableLine {
  const kind = chance.below(6)
  return {
    rateId: chance.of(rates),
    ...(kind === 0 ? { inventory: some(chance) } : {}),
    ...(kind === 1 ? { closedToArrival: chance.percent(50) } : {}),
    ...(kind === 2 ? { minLengthStay: some(chance) } : {}),
    ...(kind === 3 ? { pricingModel: 'unit' as const, prices: [{ amount: 90 + chance.below(3) }] } : {}),
    ...(kind === 4 ? { pricingModel: 'guest' as const, prices: [bucket(chance)] } : {}),
    ...(kind === 5 ? { pricingModel: 'guest' as const, prices: null } : {}),
  }
}

function some(chance: Chance): number | null {
  return chance.percent(25) ? null : 1 + chance.below(4)
}

function bucket(chance: Chance) {
  const amount = 90 + chance.below(3)
  return { guests: 1 + chance.below(2), ageCategory: chance.of(['adult', 'child'] as const), amount }
}

function dayOf(date: string): DayNumber {
  return parseNight(date) ?? 0
}

/** Every value of every night. */
function textOf({ blocks }: PastBlocks): string {
  const lines: string[] = []
  for (const { key, block } of blocks.values())
    for (const field of block.fields()) {
      const values = block.values(field) ?? []
      if (values.some((value) => value !== unset))
        lines.push(`${packBlockKey(key)} ${field}: ${values.join()}`)
    }
  return lines.sort().join('\n')
}
