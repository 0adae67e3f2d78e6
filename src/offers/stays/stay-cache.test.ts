import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { Block } from '../../ari/blocks/block.ts'
import { fieldNumber, guestPriceField } from '../../ari/fields.ts'
import { roomRateKey } from '../../products/store.ts'
import { bookingCatalogOf } from './booking-catalog.ts'
import { blockOf, hotelMonths } from './room-rate-days.ts'
import { StayCache, type HotelParts } from './stay-cache.ts'

const [rooms, rates] = [4, 3]
const numbers = (count: number) => Array.from({ length: count }, (_, index) => index + 1)

/** A hotel of usual size, as it is read from the store. */
function hotel(id: number, versions = { catalog: 1, ari: 1 }, months = [687, 688]): HotelParts {
  const policies = [
    [{ code: 'FLEX', description: `Free until ${id} days before`, cancelPenalties: [] }],
    [{ code: 'NRF', description: 'Nicht erstattbar – 返金不可' }],
  ]
  const catalog = {
    supplier: `Supplier ${id % 7}`,
    hotelCode: `H${id}`,
    currency: 'EUR',
    isAvailable: true,
    minChildAge: 2,
    maxChildAge: 12,
    timeZone: 'Europe/Paris',
    aheadMs: 0,
    rooms: numbers(rooms).map((no) => [no, `R${no}`, `Room ${no} of ${id}`]),
    rates: numbers(rates).map((no) => [no, `P${no}`, `Rate ${no} at ${versions.catalog}`]),
    policies,
    roomRates: numbers(rooms).flatMap((room) =>
      numbers(rates).map((rate) => [room, rate, true, 4, null, null, null, 'guest', rate % 2]),
    ),
    taxes: [
      {
        roomNo: 0,
        rateNo: 0,
        type: 'VAT',
        valueType: '%',
        value: '10',
        appliedOn: 'net',
        appliedPer: 'per_room_per_night',
        included: true,
        payNow: true,
        startDate: null,
        endDate: null,
      },
    ],
  }
  return {
    storeStamp: 'store',
    catalog: bookingCatalogOf(id, versions.catalog, JSON.stringify(catalog)),
    ariVersion: versions.ari,
    live: [],
    months: hotelMonths(Buffer.concat(months.flatMap((month) => blocks(id, month, versions.ari))), months),
  }
}

/** Blocks with a price for each night, in the form in which they are read. */
function blocks(id: number, month: number, revision: number): Buffer[] {
  const stamp = { revision, sequence: undefined, keyId: 1, currencyRevision: 0 }
  return numbers(rooms).flatMap((room) =>
    numbers(rates).flatMap((rate) => {
      const block = Block.empty()
      for (let night = 0; night < 31; night++) {
        const price = 10_000 + ((id * 31 + room * rate * night * month) % 9_000)
        block.set(guestPriceField('adult', 2), 1 << night, price, stamp)
      }
      block.set(fieldNumber.minLengthStay, 0x7fffffff, 2, stamp)
      const bytes = block.encode()
      const head = Buffer.alloc(10)
      for (const [at, value] of [month, room, rate].entries()) head.writeInt16BE(value, 2 * at)
      head.writeInt32BE(bytes.length, 6)
      return [head, bytes]
    }),
  )
}

/** Room for some opened hotels, and for all of them packed. */
const limits = { openedBytesMax: 200_000, packedBytesMax: 8_000_000 }

test('a hotel that made room for others is the same when it is wanted again', () => {
  const cache = new StayCache(limits)
  for (const id of numbers(200)) cache.add(hotel(id))
  for (const id of numbers(200))
    assert.deepEqual({ ...cache.get(id), bytes: undefined }, { ...hotel(id), bytes: undefined })
})

test('parts of one version come together, also in a hotel that was packed', () => {
  const cache = new StayCache(limits)
  for (const id of numbers(100)) cache.add(hotel(id, { catalog: 1, ari: 1 }, [687]))
  for (const id of numbers(100)) cache.add(hotel(id, { catalog: 1, ari: 1 }, [690]))
  for (const id of numbers(100)) {
    const { months } = hotel(id, { catalog: 1, ari: 1 }, [687, 690])
    assert.deepEqual(cache.get(id)?.months, months)
    const key = roomRateKey(rooms, rates)
    const blocksNow = [687, 690].map((month) =>
      blockOf(cache.get(id)?.months.get(month) ?? failed(), key)?.encode(),
    )
    assert.ok(blocksNow.every((block) => block && block.length > 30))
  }
})

function failed(): never {
  throw new Error('not cached')
}

test('newer parts replace older ones, older ones nothing, and those of another store all', () => {
  const cache = new StayCache(limits)
  const versionsOf = (id: number) => {
    const { catalog, ariVersion, months, storeStamp } = cache.get(id) ?? failed()
    return [catalog.version, ariVersion, [...months.keys()], storeStamp]
  }
  const [first, second, third] = [1, 2, 3].map((id) => id * 100)
  for (const id of numbers(300)) cache.add(hotel(id, { catalog: 2, ari: 2 }))
  cache.add(hotel(first ?? 0, { catalog: 3, ari: 2 }, [700]))
  cache.add(hotel(second ?? 0, { catalog: 1, ari: 3 }, [700]))
  cache.add(hotel(third ?? 0, { catalog: 3, ari: 1 }, [700]))
  assert.deepEqual(
    [first, second, third].map((id) => versionsOf(id ?? 0)),
    [
      [3, 2, [687, 688, 700], 'store'],
      [2, 3, [700], 'store'],
      [3, 2, [687, 688], 'store'],
    ],
  )
  cache.add({ ...hotel(5, { catalog: 1, ari: 1 }, [687]), storeStamp: 'other' })
  assert.deepEqual(versionsOf(5), [1, 1, [687], 'other'])
})

test('the memory of the cached hotels is what the limits allow', async () => {
  setFlagsFromString('--expose-gc')
  const collect: () => void = runInNewContext('gc')
  // Buffers are freed a moment after they were collected.
  const memory = async (): Promise<number> => {
    collect()
    await wait(500)
    collect()
    const { heapUsed, arrayBuffers } = process.memoryUsage()
    return heapUsed + arrayBuffers
  }
  const bounds = { openedBytesMax: 8_000_000, packedBytesMax: 4 * 1024 * 1024 }
  const cache = new StayCache(bounds)
  const before = await memory()
  for (const id of numbers(4_000)) cache.add(hotel(id))
  const used = (await memory()) - before
  assert.ok(used < (bounds.openedBytesMax + bounds.packedBytesMax) * 1.25, `${used} bytes are used`)
  const cached = numbers(4_000).filter((id) => cache.get(id) !== undefined)
  assert.ok(cached.length > 1_500, `${cached.length} hotels are cached`)
})
