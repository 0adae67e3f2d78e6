import assert from 'node:assert/strict'
import { platformOf } from '../scenes/booking.ts'
import { seeded, type Random } from '../fuzz/random.ts'
import type { TestGateway } from '../harness.ts'
import { Account, type Stage } from './account.ts'
import { change } from './changes.ts'
import { end, endLoad } from './end.ts'
import type { Combination, Kind } from './kinds.ts'
import type { Reservation } from '../sale/reservation.ts'
import { untilDelivered } from './reservations.ts'
import { actions, type Action, type Settled } from './settle.ts'
import { SupplierServer } from './supplier-server.ts'
import { open, type UnderWay } from './under-way.ts'

/**
 * A round is one combination of changes, an account for each of its orders: everything is under way in it, the changes
 * come in that order, and then all that was under way goes on.
 */

/** Longer than until the first retry of a delivery. */
const retriedAfterMs = 20_000
const actionsBetweenMax = 3

type Case = {
  kinds: readonly Kind[]
  account: Account
  underWay: UnderWay
  settled: Settled
  /** What has not gone on yet. */
  left: Action[]
}

type Pairs = {
  round: (combination: Combination, seed: number) => Promise<void>
  failures: string[]
  /** How often what was under way ended in which way. */
  outcomes: Map<string, number>
  close: () => Promise<void>
}

export async function openPairs(gateway: TestGateway): Promise<Pairs> {
  const server = new SupplierServer()
  await server.start()
  const stage: Stage = {
    gateway,
    platform: await platformOf(gateway),
    admin: await gateway.operator('admin'),
    server,
  }
  gateway.app.startDeliveries()
  const failures: string[] = []
  const outcomes = new Map<string, number>()
  let accounts = 0
  return {
    failures,
    outcomes,
    round: async ({ orders }, seed) => {
      let cases: Case[] = []
      const step = async (work: (one: Case) => Promise<unknown>): Promise<void> => {
        await Promise.all(
          cases.map(async (one) => {
            try {
              await work(one)
            } catch (error) {
              failures.push(
                `${one.kinds.join(', ')}: ${error instanceof Error ? error.message : String(error)}`,
              )
              cases = cases.filter((other) => other !== one)
            }
          }),
        )
      }
      cases = await Promise.all(
        orders.map(async (kinds): Promise<Case> => {
          const account = await newAccount(stage, `pairs ${++accounts}`.replace(' ', '-'))
          const underWay = await open(account)
          account.isSetUp()
          const left = shuffled(actions, seeded(seed))
          return { kinds, account, underWay, settled: { booked: [], outcomes: [] }, left }
        }),
      )
      await step((one) => changeAll(one, seed))
      gateway.clock.set(new Date(gateway.clock.now() + retriedAfterMs).toISOString())
      await step((one) => goOn(one, Infinity))
      const bulk = gateway.app.startBulk()
      await step(({ account, underWay }) => endLoad(account, underWay))
      await bulk.close()
      await step((one) => end(one.account, one.underWay, reservationsOf(one)))
      for (const { settled } of cases)
        for (const outcome of settled.outcomes) outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
      for (const { account } of cases) server.forget(account.name)
    },
    close: () => server.close(),
  }
}

/** The changes, between which some of what is under way goes on. */
async function changeAll(one: Case, seed: number): Promise<void> {
  const { kinds, account, underWay } = one
  // The same draws whatever the order.
  const random = seeded(seed)
  for (const [index, kind] of kinds.entries()) {
    if (index > 0) await goOn(one, random.below(actionsBetweenMax + 1))
    const { waiting } = underWay.reservations
    const isCalled = (other: Reservation): boolean => other !== waiting
    // URLs and secrets change while nothing is on its way to them.
    await untilDelivered(account, reservationsOf(one).filter(isCalled))
    await change(account, kind, seeded(seed), underWay.first)
  }
}

async function goOn({ account, underWay, settled, left }: Case, count: number): Promise<void> {
  for (const action of left.splice(0, count)) await action(account, underWay, settled)
}

function reservationsOf({ underWay, settled }: Case): Reservation[] {
  return [...Object.values(underWay.reservations), ...settled.booked]
}

function shuffled<Value>(values: readonly Value[], random: Random): Value[] {
  return values
    .map((value) => ({ value, place: random.fraction() }))
    .sort((one, other) => one.place - other.place)
    .map(({ value }) => value)
}

/** With two keys, of which the first is used. */
async function newAccount(stage: Stage, name: string): Promise<Account> {
  const { gateway } = stage
  const keys = [
    await gateway.supplier(name, { requestsPerMinute: 0 }),
    await gateway.supplier(name, { requestsPerMinute: 0 }),
  ]
  const [first] = keys
  assert.ok(first)
  const { rows } = await gateway.db.query<{ supplierId: number }>(
    'select supplier_id as "supplierId" from api_key where id = $1',
    [first.keyId],
  )
  return new Account(stage, name, { supplierId: rows[0]?.supplierId ?? 0, keys })
}
