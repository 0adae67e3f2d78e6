import { spawn, type ChildProcessByStdio } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { setTimeout as wait } from 'node:timers/promises'
import { crashSteps } from '../../../src/deliveries/queue/needs.ts'
import {
  book,
  namedIn,
  startDeliveryTest,
  until,
  type Booked,
  type DeliverySupplier,
  type DeliveryTest,
} from '../scenes/deliveries.ts'
import { minutes, seconds } from '../pace.ts'
import { httpAnswer, startReceiver, type Receiver } from '../servers/receiver.ts'
import { breakable, type Break } from './breaks.ts'

/** Rounds in which a worker is killed at a named step, and another one takes over its deliveries. */

/** Those of the worker, and one at which the supplier has the call and has not answered yet. */
export const steps = [...crashSteps, 'during call'] as const
export type Step = (typeof steps)[number]

const program = resolve(import.meta.dirname, 'worker.ts')
/** Long enough that no call of a living worker outlasts it, even on a slow machine. */
const leaseMs = seconds(2.5)
const reservationsPerRound = 5
/**
 * Between the answers of a round: calls answered together are settled together, which leaves no second
 * settlement.
 */
const betweenAnswersMs = 40

export type Stage = { stage: DeliveryTest; supplier: DeliverySupplier; receiver: Receiver; killOnCall: Kill }
type Kill = { now: (() => void) | undefined }

export async function openStage(broken?: Break): Promise<Stage> {
  const stage = await startDeliveryTest({ systemTime: true })
  const killOnCall: Kill = { now: undefined }
  const receiver = await startReceiver((socket) => {
    if (killOnCall.now) return killOnCall.now()
    // Longer than the interval between two polls for expired leases.
    const nextMs = (receiver.calls.length % reservationsPerRound) * betweenAnswersMs
    setTimeout(() => socket.write(httpAnswer(200, '{}')), broken === 'leases too short' ? 1_200 : nextMs)
  })
  const db = breakable(stage.gateway.db, broken)
  // Otherwise the store itself would refuse to have two versions in progress at once.
  if (broken === 'older versions stay') await db.query('drop index delivery_under_way')
  const supplier = await stage.supplierAt('crash', `http://127.0.0.1:${receiver.port}/book`)
  return {
    stage: { ...stage, gateway: { ...stage.gateway, db } },
    supplier,
    receiver,
    killOnCall,
  }
}

export async function closeStage({ stage, receiver }: Stage): Promise<void> {
  await stage.stop()
  await receiver.close()
}

export type Finding =
  | 'not killed'
  | 'lost'
  | 'out of order'
  | 'sent too often'
  | 'another body'
  | 'another id'

/** All failures, with the details of each. */
export async function crashRound(
  on: Stage,
  { step, at, broken }: { step: Step; at: number; broken?: Break },
): Promise<[Finding, string][]> {
  const { stage, supplier, receiver, killOnCall } = on
  const { gateway } = stage
  receiver.calls.length = 0
  const child = await spawnWorker(gateway.db.address, { step, at, broken })
  const booked = await book(gateway, supplier, { count: reservationsPerRound })
  const ended = once(child, 'exit')
  if (step === 'during call') {
    let calls = 0
    killOnCall.now = () => {
      if (++calls === at) child.kill('SIGKILL')
    }
  }
  child.stdin.write('go\n')
  const isKilled = await Promise.race([ended.then(() => true), wait(minutes(2), false, { ref: false })])
  killOnCall.now = undefined
  if (!isKilled) child.kill('SIGKILL')
  // The state changes before the dead worker's lease ends.
  const changed = booked.filter((_, index) => index % 2 === 0)
  const later: Booked[] = []
  for (const { reservationId } of changed)
    later.push(...(await book(gateway, supplier, { reservationId, status: 'Cancel' })))
  const survivor = stage.worker({ leaseMs, db: gateway.db })
  await settled(on, broken !== undefined)
  await survivor.close()
  const found: [Finding, string][] = isKilled ? [] : [['not killed', `${step} ${at}`]]
  const changedIds = new Set(changed.map(({ reservationId }) => reservationId))
  const lasting = [...booked.filter(({ reservationId }) => !changedIds.has(reservationId)), ...later]
  return [...found, ...findings(receiver, lasting)]
}

export async function spawnWorker(
  address: unknown,
  more: object,
): Promise<ChildProcessByStdio<Writable, Readable, null>> {
  const settings = JSON.stringify({ address, leaseMs, ...more })
  const child = spawn(process.execPath, [program, settings], { stdio: ['pipe', 'pipe', 'inherit'] })
  await once(child.stdout, 'data')
  return child
}

/**
 * Waits until nothing is in progress or due; gives up after some time if a break keeps deliveries from ever
 * ending.
 */
async function settled({ stage, receiver }: Stage, isBroken: boolean): Promise<void> {
  const isOver = async (): Promise<boolean> => {
    const { rows } = await stage.gateway.db.query<{ open: number }>(
      "select count(*)::int as open from delivery where status in ('queued', 'sending')",
    )
    return rows[0]?.open === 0
  }
  if (!isBroken) return await until('all is settled', isOver)
  await until('all is settled', isOver, 2 * leaseMs).catch(() => {})
  let calls = -1
  while (calls !== receiver.calls.length && calls < 500) {
    calls = receiver.calls.length
    await wait(300)
  }
}

/** Compares the calls that the supplier received with those it should have received. */
function findings({ calls }: Receiver, lasting: readonly Booked[]): [Finding, string][] {
  const found: [Finding, string][] = []
  const arrivals = new Map<string, { id: string; body: string }[]>()
  const versionById = new Map<string, number>()
  for (const call of calls) {
    const [name = ''] = namedIn(call)
    const [reservationId = '', version = ''] = name.split('.')
    if (name === '') continue
    const before = versionById.get(reservationId) ?? 0
    if (Number(version) < before) found.push(['out of order', `${name} after version ${before}`])
    versionById.set(reservationId, Math.max(before, Number(version)))
    const arrived = { id: call.headers.get('webhook-id') ?? '', body: call.body.toString() }
    arrivals.set(name, [...(arrivals.get(name) ?? []), arrived])
  }
  for (const [name, all] of arrivals) {
    // One killed process: one repeat of the call it was making.
    if (all.length > 2) found.push(['sent too often', `${name}: ${all.length} times`])
    if (new Set(all.map(({ body }) => body)).size > 1) found.push(['another body', name])
    if (new Set(all.map(({ id }) => id)).size > 1) found.push(['another id', name])
  }
  for (const { reservationId, version } of lasting) {
    const name = `${reservationId}.${version}`
    if (!arrivals.has(name)) found.push(['lost', name])
  }
  return found
}
