import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { promisify } from 'node:util'
import { supplierClient } from '../../packages/client/src/clients.ts'
import { hotelDigests } from '../../packages/client/src/digest.ts'
import { storedNights } from '../../packages/client/src/stored-nights.ts'
import {
  hasDigests,
  inOrder,
  openHotel,
  samples,
  vectors,
  whatIsSet,
  type Texts,
} from '../../test/stage/scenes/digest-vectors.ts'
import { gatewayForTests } from '../../test/stage/harness.ts'
import { missing } from '../../test/stage/programs/programs.ts'
import { expectOk } from '../../test/stage/story.ts'

/** The programs of the guide “Finding differences”, in the languages that suppliers write. */

const run = promisify(execFile)
/** Python would leave what it compiles beside the samples. */
const environ = { ...process.env, PYTHONDONTWRITEBYTECODE: '1' }
const gateway = await gatewayForTests()
const folder = await mkdtemp(join(tmpdir(), 'ari-digest-'))

after(() => rm(folder, { recursive: true }))

const languages = [
  {
    program: 'python3',
    debianPackage: 'python3',
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
    debianPackage: 'php-cli',
    vectors: `<?php require $argv[1] . '/ari-digest.php';
$stored = json_decode(file_get_contents($argv[1] . '/ari-digest-vectors.json'), true);
echo json_encode(array_map(fn($one) => [array_map('lines', $one['nights']), ...digests($one['nights'])], $stored));`,
    extension: 'php',
    reconcile: 'reconcile.php',
  },
]

describe('the programs of the guide', async () => {
  for (const { program, debianPackage, vectors: text, extension, reconcile: file } of languages) {
    const why = await missing(program, debianPackage)
    test(`${program} computes the vectors`, async (t) => {
      if (why !== undefined) return t.skip(why)
      const script = join(folder, `vectors.${extension}`)
      await writeFile(script, text)
      const { stdout } = await run(program, [script, samples], { env: environ, maxBuffer: 64 * 1024 * 1024 })
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
      if (why !== undefined) return t.skip(why)
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
        const env = { ...environ, ARI_URL: gateway.url, ARI_KEY: supplier.apiKey }
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
