import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { after, describe, test } from 'node:test'
import { promisify } from 'node:util'
import { supplierClient, type SupplierClient } from '../packages/client/src/clients.ts'
import { hotelDigests, nightLines, type StoredNight } from '../packages/client/src/digest.ts'
import { reconcile } from '../packages/client/src/reconcile.ts'
import { fencedFiles } from './docs-pages.ts'
import { gatewayForTests } from './harness.ts'
import { isInstalled } from './programs.ts'
import { storedNights } from '../packages/client/src/stored-nights.ts'
import { expectOk, product, storyHotel } from './story.ts'

/** The vectors of the guide “Finding differences”, by all who compute digests, and its programs. */

type Texts = { inv: string; res: string; pri: string }
type Vector = {
  title: string
  nights: StoredNight[]
  lines: Texts[]
  months: (Texts & { month: string })[]
  products: Texts[]
  hotel: Texts
}

const samples = resolve(import.meta.dirname, '../docs/samples')
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- A file of our own; wrong content fails below.
const vectors = JSON.parse(readFileSync(join(samples, 'ari-digest-vectors.json'), 'utf8')) as Vector[]
const run = promisify(execFile)
const gateway = await gatewayForTests()
const hidden = { from: '2027-04-01', to: '2028-12-31' }
const folder = await mkdtemp(join(tmpdir(), 'ari-digest-'))

after(() => rm(folder, { recursive: true }))

test('there are 30 vectors, each with a title of its own', () => {
  assert.deepEqual([vectors.length, new Set(vectors.map(({ title }) => title)).size], [30, 30])
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

function whatIsSet(entry: object): object {
  return Object.fromEntries(Object.entries(entry).filter(([, text]) => text !== ''))
}

function hasDigests(entry: object): boolean {
  return 'inv' in entry || 'res' in entry || 'pri' in entry
}

/** As sorted texts: programs of other languages list in another order. */
function inOrder(entries: readonly object[]): string[] {
  return entries.map((entry) => JSON.stringify(entry, Object.keys(entry).sort())).sort()
}

function nameOf({ roomId, rateId }: StoredNight): object {
  return rateId === undefined ? { roomId } : { roomId, rateId }
}

async function openHotel(
  supplier: Awaited<ReturnType<typeof gateway.supplier>>,
  hotelId: string,
  nights: readonly StoredNight[],
): Promise<void> {
  expectOk(await supplier.post('/push/hotels', [storyHotel({ hotelId })]))
  const occupancy = { maxOccupancy: 20, maxAdult: 20, maxChild: 20 }
  const names = new Map([['DBL BAR', { roomId: 'DBL', rateId: 'BAR' }]])
  for (const { roomId, rateId = 'BAR' } of nights) names.set(`${roomId} ${rateId}`, { roomId, rateId })
  const products = [...names.values()].map(({ roomId, rateId }) => product(roomId, rateId, { occupancy }))
  expectOk(await supplier.post('/push/products', { hotelId, products }))
}

const languages = [
  {
    program: 'python3',
    vectors: `import json, sys
sys.path.insert(0, sys.argv[1])
from ari_digest import digests, lines
stored = json.load(open(sys.argv[1] + "/ari-digest-vectors.json", encoding="utf-8"))
print(json.dumps([[[lines(night) for night in one["nights"]], *digests(one["nights"])] for one in stored]))`,
    extension: 'py',
    reconcile: 'reconcile.py',
  },
  {
    program: 'php',
    vectors: `<?php require $argv[1] . '/ari-digest.php';
$stored = json_decode(file_get_contents($argv[1] . '/ari-digest-vectors.json'), true);
echo json_encode(array_map(fn($one) => [array_map('lines', $one['nights']), ...digests($one['nights'])], $stored));`,
    extension: 'php',
    reconcile: 'reconcile.php',
  },
]

describe('the programs of the guide', () => {
  for (const { program, vectors: text, extension, reconcile: file } of languages) {
    test(`${program} computes the vectors`, async (t) => {
      if (!(await isInstalled(program))) return t.skip(`${program} is not installed`)
      const script = join(folder, `vectors.${extension}`)
      await writeFile(script, text)
      const { stdout } = await run(program, [script, samples], { maxBuffer: 64 * 1024 * 1024 })
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- What the program above writes; wrong content fails below.
      const computed = JSON.parse(stdout) as [Texts[], Texts, Texts[]][]
      for (const [number, { title, lines, months, hotel }] of vectors.entries()) {
        const [computedLines, computedHotel, computedMonths] = computed[number] ?? []
        assert.deepEqual([computedLines, computedHotel], [lines, hotel], title)
        const stored = (computedMonths ?? []).filter((month) => hasDigests(whatIsSet(month)))
        assert.deepEqual(inOrder(stored), inOrder(months), title)
      }
    })

    test(`${file} makes the platform equal by one push, and finds nothing afterwards`, async (t) => {
      if (!(await isInstalled(program))) return t.skip(`${program} is not installed`)
      const supplier = await gateway.supplier(`Programs in ${program}`)
      const nights = vectors
        .flatMap(({ nights: some }) => some)
        .filter(({ roomId, date }) => roomId === 'DBL' && date < '2028')
      const stored = [...new Map(nights.map((night) => [`${night.rateId} ${night.date}`, night])).values()]
      await openHotel(supplier, 'H1', stored)
      const rates = [
        {
          rateId: 'BAR',
          pricingModel: 'guest',
          prices: [{ ageCategory: 'adult', guests: 7, amount: 1 }],
          maxLengthStay: 9,
        },
      ]
      const there = {
        roomId: 'DBL',
        startDate: '2027-04-10',
        endDate: '2027-05-20',
        inventory: 9,
        closed: true,
        rates,
      }
      expectOk(await supplier.post('/push/ari', { hotelId: 'H1', ari: [there] }))
      await writeFile(join(folder, `${program}.json`), JSON.stringify(stored))
      const pushAgain = async (): Promise<number> => {
        const env = { ...process.env, ARI_URL: gateway.url, ARI_KEY: supplier.apiKey }
        const { stdout } = await run(
          program,
          [join(samples, file), 'H1', join(folder, `${program}.json`), '2'],
          { env },
        )
        return Number(/^(\d+) nights pushed again$/m.exec(stdout)?.[1])
      }
      assert.ok((await pushAgain()) > 100)
      const range = { startDate: '2027-04-01', endDate: '2027-12-31' }
      const client = supplierClient({ url: gateway.url, apiKey: supplier.apiKey })
      const { hotel } = await hotelDigests(storedNights(await client.getAri({ hotelId: 'H1', ...range }), 2))
      const ours = await hotelDigests(stored)
      assert.deepEqual(hotel, ours.hotel)
      assert.equal(await pushAgain(), 0)
    })
  }
})
