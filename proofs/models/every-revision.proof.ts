import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startGateway, type TestGateway } from '../../test/stage/harness.ts'
import { firstSeed, repeatedSeed, roundsWithin } from '../../test/stage/pace.ts'
import { noCounts, proveHotel, type Counts } from '../../test/stage/history/remembered.ts'
import { openPast } from '../../test/stage/history/rounds.ts'

/**
 * 100,000 operations on many small hotels at once, through two processes: pushes in all modes, bookings, stop-sells,
 * undos, deltas and sequences. A round is a hotel. proofs/models/history.proof.ts adds what needs more time for each
 * operation: changes of currency, operations on one hotel at the same moment, states by time.
 */

const hotels = { full: 1_200, floor: 12, share: 0.015 }
const hotelsAtOnce = 60
const operationsOf = (hotel: number): number => (hotel % 50 === 49 ? 400 : 80)
/** What a hotel's history has at least, on average; fewer prove too little. */
const floors: Readonly<Partial<Counts>> = {
  operations: 80,
  pushes: 30,
  bookings: 3,
  stops: 2,
  releases: 0.2,
  undos: 8,
  identities: 1,
  conflicts: 1,
  states: 40,
  readAgain: 10,
}
const bytesMax = 60
/** Up to a week of a room and of one of its rates. */
const smallCells = 14

test('the ARI as of every revision is what was read then, and every undo, conflict and change follows from these states', async (t) => {
  t.diagnostic(`hotels from seed ${firstSeed}`)
  const gateway = await startGateway()
  try {
    const past = await openPast(gateway)
    const { next, done, summary } = roundsWithin(
      repeatedSeed === undefined ? hotels : { full: 1, floor: 1, share: 1 },
    )
    const sum = { ...noCounts }
    const names = Object.keys(noCounts).filter((name): name is keyof Counts => name in noCounts)
    const proveSome = async (): Promise<void> => {
      for (let round = next(); round !== undefined; round = next()) {
        const seed = firstSeed + round
        const counts = await proveHotel(past, seed, operationsOf(round)).catch((cause: unknown) => {
          t.diagnostic(`ARI_PROOF_SEED=${seed} npm run test:proof -- proofs/models/every-revision.proof.ts`)
          throw cause
        })
        for (const name of names) sum[name] += counts[name]
        if (round % 100 === 99) process.stderr.write(`${round + 1} hotels, ${sum.operations} operations\n`)
      }
    }
    await Promise.all(Array.from({ length: hotelsAtOnce }, proveSome))
    const bytes = await storedBytes(gateway)
    t.diagnostic(`${summary()}: ${JSON.stringify(sum)}`)
    t.diagnostic(`bytes before: ${JSON.stringify(bytes)}`)
    assert.ok(bytes.small <= bytesMax, `${bytes.small} bytes before a small push`)
    if (repeatedSeed !== undefined) return
    for (const name of names)
      assert.ok(sum[name] >= (floors[name] ?? 0) * done(), `${name}: ${sum[name]} of ${done()} hotels`)
  } finally {
    await gateway.stop()
  }
})

type StoredBytes = { small: number; smallMost: number; all: number; bookings: number }

/** Bytes of the values before a change: of small pushes on average and at most, of all pushes, and of bookings. */
async function storedBytes({ db }: TestGateway): Promise<StoredBytes> {
  const { rows } = await db.query<StoredBytes>(
    `select avg(octet_length(before)) filter (where cells_changed <= $1)::int as small,
       max(octet_length(before)) filter (where cells_changed <= $1) as "smallMost",
       avg(octet_length(before))::int as all,
       (select avg(octet_length(before))::int from reservation_version) as bookings
     from push_log where before is not null`,
    [smallCells],
  )
  const [row] = rows
  if (!row) throw new Error('an aggregate without a row')
  return row
}
