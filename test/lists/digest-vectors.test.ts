import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { test } from 'node:test'
import { supplierClient, type SupplierClient } from '../../packages/client/src/clients.ts'
import { hotelDigests, nightLines, type StoredNight } from '../../packages/client/src/digest.ts'
import { reconcile } from '../../packages/client/src/reconcile.ts'
import { pushedRestrictions } from '../../src/ari/restrictions.ts'
import {
  hasDigests,
  inOrder,
  openHotel,
  samples,
  vectors,
  whatIsSet,
} from '../stage/scenes/digest-vectors.ts'
import { fencedFiles } from '../stage/docs-pages.ts'
import { gatewayForTests } from '../stage/harness.ts'

/** The vectors of the guide “Finding differences”, by the client and the service. */

const gateway = await gatewayForTests()
const hidden = { from: '2027-04-01', to: '2028-12-31' }

test('the vectors have titles of their own, and set every restriction that is pushed', () => {
  assert.equal(new Set(vectors.map(({ title }) => title)).size, vectors.length)
  const set = new Set(
    vectors.flatMap(({ nights }) =>
      nights.flatMap((night) => Object.entries(night).flatMap(([name, value]) => (value ? [name] : []))),
    ),
  )
  const missing = pushedRestrictions.filter((name) => !set.has(name))
  assert.deepEqual(missing, [], 'docs/samples/ari-digest-vectors.json needs a vector that sets it')
})

test('the guide shows the Python program as it is', () => {
  const displayed = fencedFiles(resolve(samples, '../differences.md')).get('samples/ari_digest.py')
  assert.equal(displayed, readFileSync(join(samples, 'ari_digest.py'), 'utf8'))
})

test('the client computes them', async () => {
  for (const { title, nights, lines, months, products, hotel } of vectors) {
    assert.deepEqual(nights.map(nightLines), lines, title)
    assert.deepEqual(await hotelDigests(nights), { hotel, products, months }, title)
  }
})

test('the service computes them from what was pushed', async () => {
  const supplier = await gateway.supplier('Vectors')
  const client = supplierClient({ url: gateway.url, apiKey: supplier.apiKey })
  for (const [number, { title, nights, lines, months, products, hotel }] of vectors.entries()) {
    const hotelId = `V${number}`
    await openHotel(supplier, hotelId, nights)
    assert.deepEqual(
      (await reconcile(client, { ...hidden, hotelId, nights, minorDigits: 2 })).failed,
      [],
      title,
    )
    const digests = (level: DigestLevel) => digestsAt(client, hotelId, level)
    const named = nights.map((night, index) => ({ ...nameOf(night), date: night.date, ...lines[index] }))
    assert.deepEqual(inOrder(await digests('day')), inOrder(named.map(whatIsSet).filter(hasDigests)), title)
    assert.deepEqual(await digests('month'), months.map(whatIsSet), title)
    assert.deepEqual(await digests('product'), products.map(whatIsSet), title)
    const { hotel: ofHotel } = await client.getAriDigest({ ...hidden, hotelId, level: 'hotel' })
    assert.deepEqual(ofHotel, whatIsSet(hotel), title)
  }
})

type DigestLevel = 'day' | 'month' | 'product'

async function digestsAt(client: SupplierClient, hotelId: string, level: DigestLevel): Promise<object[]> {
  return (await client.getAriDigest({ ...hidden, hotelId, level })).digests ?? []
}

function nameOf({ roomId, rateId }: StoredNight): object {
  return rateId === undefined ? { roomId } : { roomId, rateId }
}
