import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startGateway } from '../../test/stage/harness.ts'
import { firstSeed, repeatedSeed, roundsWithin } from '../../test/stage/pace.ts'
import { openPast, proveRound, type Counted } from '../../test/stage/history/rounds.ts'

const rounds = { full: 40, floor: 10 }
/** What a round does at least, on average; fewer prove too little. */
const floors: Readonly<Record<keyof Counted, number>> = {
  operations: 30,
  states: 8,
  bookings: 0.5,
  stops: 0.5,
  undos: 4,
  conflicts: 0.5,
}
const counts = ['operations', 'states', 'bookings', 'stops', 'undos', 'conflicts'] as const

test('the ARI as of every revision and time is what was read then, whatever pushes, bookings, stop-sells and undos followed', async (t) => {
  const count = repeatedSeed === undefined ? rounds : { full: 1, floor: 1 }
  t.diagnostic(`rounds from seed ${firstSeed}`)
  const gateway = await startGateway()
  try {
    const past = await openPast(gateway)
    const { next, done, summary } = roundsWithin({ ...count, share: 0.02 })
    const sum: Counted = { operations: 0, states: 0, bookings: 0, stops: 0, undos: 0, conflicts: 0 }
    for (let round = next(); round !== undefined; round = next()) {
      const seed = firstSeed + round
      const counted = await proveRound(past, seed).catch((cause: unknown) => {
        t.diagnostic(`ARI_PROOF_SEED=${seed} npm run test:proof -- proofs/models/history.proof.ts`)
        throw cause
      })
      for (const name of counts) sum[name] += counted[name]
    }
    t.diagnostic(`${summary()}: ${JSON.stringify(sum)}`)
    if (repeatedSeed !== undefined) return
    for (const name of counts)
      assert.ok(sum[name] >= floors[name] * done(), `${name}: ${sum[name]} in ${done()} rounds`)
  } finally {
    await gateway.stop()
  }
})
