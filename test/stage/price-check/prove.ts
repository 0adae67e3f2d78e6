/** Runs checks against servers of every kind; returns one line for each unexpected outcome. */
import { connectWithinMs } from '../../../src/price-check/contract.ts'
import type { Rounds } from '../pace.ts'
import { startReceiver, type Receiver } from '../servers/receiver.ts'
import { servers, type Server } from './behaviours.ts'
import type { World } from './world.ts'

const late = 'timeout/timeout'

export type Proof = {
  findings: string[]
  checks: number
  slowestMs: number
  /** Servers that gave the expected outcome at least once. */
  asExpected: Set<string>
}

/**
 * One check per round on the servers of these names, each at its own URL, one after another in each lane.
 */
export async function prove(world: World, rounds: Rounds, names = Object.keys(servers)): Promise<Proof> {
  const receivers = new Map<string, Receiver>()
  const ports = new Map<string, number>()
  for (const name of names) {
    const { behave, options } = serverOf(name)
    const receiver = await startReceiver(behave, options)
    ports.set(name, receiver.port)
    receivers.set(name, receiver)
  }
  const proof: Proof = { findings: [], checks: 0, slowestMs: 0, asExpected: new Set() }
  const work = async (lane: number): Promise<void> => {
    for (let number = rounds.next(); number !== undefined; number = rounds.next()) {
      const name = names[number % names.length] ?? ''
      await checkAt(world, lane, { name, number, port: ports.get(name) ?? 0 }, proof)
    }
  }
  await Promise.all(Array.from({ length: world.lanes }, (_, lane) => work(lane)))
  for (const name of names) if (!proof.asExpected.has(name)) proof.findings.push(`${name}: never what it is`)
  for (const [name, { calls, close }] of receivers) {
    const timesByPath = Map.groupBy(calls, ({ line }) => line)
    for (const [line, sent] of timesByPath)
      if (sent.length > 1) proof.findings.push(`${name}: ${line} was sent ${sent.length} times`)
    await close()
  }
  return proof
}

async function checkAt(
  world: World,
  lane: number,
  { name, number, port }: { name: string; number: number; port: number },
  proof: Proof,
): Promise<void> {
  const { isSecure, host = '127.0.0.1', expected } = serverOf(name)
  await world.register(lane, `${isSecure ? 'https' : 'http'}://${host}:${port}/${number}`)
  const { told, tookMs } = await world.check(lane)
  proof.checks++
  proof.slowestMs = Math.max(proof.slowestMs, tookMs)
  if (expected.includes(told)) proof.asExpected.add(name)
  // Whatever the server does, if the machine let the time to connect pass, the check counts as late.
  else if (told !== late || tookMs < connectWithinMs)
    proof.findings.push(`${name}: ${told} instead of ${expected.join(' or ')}`)
}

function serverOf(name: string): Server {
  const server = servers[name]
  if (!server) throw new Error(`no server ${name}`)
  return server
}
