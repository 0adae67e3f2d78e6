/**
 * Price checks against servers of every kind: each is answered in time, with a live price or with the fault.
 */
import assert from 'node:assert/strict'
import { after, test, type TestContext } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { circuitLimits } from '../../src/outbound/circuit.ts'
import { roundsWithin, type Rounds } from '../../test/stage/pace.ts'
import { httpAnswer, startReceiver } from '../../test/stage/servers/receiver.ts'
import { endServices } from '../../test/stage/crash/service.ts'
import { servers } from '../../test/stage/price-check/behaviours.ts'
import { prove, type Proof } from '../../test/stage/price-check/prove.ts'
import { openWorld, type World } from '../../test/stage/price-check/world.ts'

const checks = { full: 5_000, floor: 480 }
/** No more than the client has connections, so that no queueing is measured. */
const lanes = 40
const warmingUp = 240

after(endServices)

async function inWorld<Found>(
  laneCount: number,
  broken: string | undefined,
  look: (world: World) => Promise<Found>,
): Promise<Found> {
  const world = await openWorld(laneCount, broken)
  try {
    return await look(world)
  } finally {
    await world.close()
  }
}

const exactly = (count: number): Rounds => roundsWithin({ full: count, floor: count, share: 1 })

function say(t: TestContext, { checks: made, slowestMs, findings }: Proof): void {
  t.diagnostic(`${made} checks, the slowest took ${Math.round(slowestMs)} ms; ${findings.length} findings`)
}

test(`${checks.full} checks against ${Object.keys(servers).length} kinds of servers: each is answered, for what it is or as late, sent once, and stored`, async (t) => {
  await inWorld(lanes, undefined, async (world) => {
    // A service that has just started is still compiling its code and opening its connections.
    const warm = await prove(world, exactly(warmingUp), ['after 5 ms', 'over TLS'])
    say(t, warm)
    const rounds = roundsWithin({ ...checks, share: 0.03 })
    const proof = await prove(world, rounds)
    t.diagnostic(rounds.summary())
    say(t, proof)
    assert.deepEqual(proof.findings, [])
    const expected = warm.checks + proof.checks
    assert.equal(await world.kept(expected), expected)
  })
})

test('a circuit opens after five failures in a row, keeps back all but one trial after its time, and closes with an answer', async () => {
  await inWorld(10, undefined, circuitHolds)
})

const failed = 'supplier_error/http_status'
const keptBack = 'circuit_open/circuit_open'
/** The endpoint works again; whether its answer is valid is another matter. */
const answered = 'invalid_response/wrong_shape'

/** One URL for all lanes' hotels; calls are counted where they arrive. */
async function circuitHolds(world: World): Promise<void> {
  const { failuresToOpen, openFirstMs } = circuitLimits
  let status = 503
  const receiver = await startReceiver((socket) => socket.write(httpAnswer(status, '{}')))
  const inTurn = async (count: number): Promise<string[]> => {
    const told: string[] = []
    for (let lane = 0; lane < count; lane++) told.push((await world.check(lane)).told)
    return told
  }
  const all = (told: string, length: number): string[] => Array.from({ length }, () => told)
  const until = (beganMs: number, ms: number) => wait(Math.max(0, beganMs + ms - performance.now()))
  try {
    for (let lane = 0; lane < world.lanes; lane++)
      await world.register(lane, `http://127.0.0.1:${receiver.port}/same`)
    assert.deepEqual(await inTurn(failuresToOpen), all(failed, failuresToOpen))
    let openedMs = performance.now()
    assert.deepEqual(await inTurn(3), all(keptBack, 3))
    await until(openedMs, openFirstMs / 2)
    assert.deepEqual(await inTurn(1), [keptBack])
    assert.equal(receiver.calls.length, failuresToOpen)

    await until(openedMs, openFirstMs)
    const together = await Promise.all(Array.from({ length: world.lanes }, (_, lane) => world.check(lane)))
    openedMs = performance.now()
    assert.deepEqual(
      together.map(({ told }) => told).sort(),
      [...all(keptBack, world.lanes - 1), failed].sort(),
    )
    assert.equal(receiver.calls.length, failuresToOpen + 1)

    // Twice as long this time: it is still open after the first period.
    await until(openedMs, openFirstMs * 1.2)
    assert.deepEqual(await inTurn(1), [keptBack])
    status = 200
    await until(openedMs, openFirstMs * 2)
    assert.deepEqual(await inTurn(world.lanes), all(answered, world.lanes))
  } finally {
    await receiver.close()
  }
}

const breaks: Readonly<Record<string, { names: readonly string[]; finding: RegExp }>> = {
  noTimeLimit: { names: ['after 2,300 ms'], finding: /^after 2,300 ms: available instead/ },
  anyRoom: { names: ['another room'], finding: /^another room: available instead/ },
  anyLength: { names: ['a night too many'], finding: /^a night too many: available instead/ },
  anyCertificate: {
    names: ['a certificate that has expired', 'a certificate for another name'],
    finding: /^a certificate .*: available instead/,
  },
  alwaysAgain: { names: ['a reset', 'the end before the answer'], finding: /was sent 2 times/ },
  anySize: { names: ['a body too large'], finding: /^a body too large: available instead/ },
}

for (const [broken, { names, finding }] of Object.entries(breaks)) {
  test(`the proof finds the break ${broken}`, async (t) => {
    const proof = await inWorld(4, broken, (world) => prove(world, exactly(4), [...names]))
    say(t, proof)
    assert.ok(
      proof.findings.some((line) => finding.test(line)),
      proof.findings.join('\n'),
    )
  })
}

for (const broken of ['neverOpens', 'neverCloses']) {
  test(`the proof finds the break ${broken}`, async () => {
    await assert.rejects(inWorld(10, broken, circuitHolds), { code: 'ERR_ASSERTION' })
  })
}
