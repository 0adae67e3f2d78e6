/** A service with its data folder (or its database), a supplier on it, and the supplier's load. */
import assert from 'node:assert/strict'
import { setTimeout as wait } from 'node:timers/promises'
import { runAri } from '../programs/programs.ts'
import { clientOf, type Client } from './http.ts'
import { check, newLedger, type Finding, type Ledger } from './ledger.ts'
import { pushOnce, startLoad, writersOf, type Load, type Writers } from './load.ts'
import { startService, type Service } from './service.ts'
import { allSlots, catalogHotels, hotelBody, productsBody, type Slot } from './slots.ts'

export type World = {
  services: Service[]
  slots: readonly Slot[]
  writers: Writers
  ledger: Ledger
  /** Values that readers saw although no push ever wrote them. */
  found: Finding[]
  /** Starts a service with the world's settings; `more` overrides them. */
  start: (more?: Readonly<Record<string, string>>) => Promise<Service>
  load: () => Load
  /** A client of the first service. */
  client: () => Client
  apiKey: string
}

/** `running`: services that exist already, instead of one of its own. */
export async function openWorld(
  environ: Readonly<Record<string, string>>,
  running?: Service[],
): Promise<World> {
  const slots = allSlots()
  const start = (more = {}): Promise<Service> => startService({ ...environ, ...more })
  const services = running ?? [await start()]
  const made = await runAri(environ, 'key', 'create', '--supplier', 'crash', '--rate-limit', '0')
  assert.equal(made.code, 0, made.stderr)
  const { apiKey }: { apiKey: string } = JSON.parse(made.stdout)
  const urls = (): string[] => services.map(({ url }) => url)
  const world: World = {
    services,
    slots,
    writers: writersOf(slots),
    ledger: newLedger(),
    found: [],
    start,
    apiKey,
    client: () => clientOf(urls()[0] ?? '', apiKey),
    load: () => {
      const { writers, ledger, found } = world
      return startLoad({ urls: urls(), apiKey, slots, writers, ledger, found })
    },
  }
  await fill(world)
  return world
}

async function fill(world: World): Promise<void> {
  const client = world.client()
  for (const hotelId of catalogHotels) {
    for (const [path, body] of [
      ['/push/hotels', [hotelBody(hotelId, 0)]],
      ['/push/products', productsBody(hotelId, 0)],
    ] as const) {
      const answered = await client.send(path, body)
      const isDone = answered.isAnswered && answered.status === 200
      assert.ok(isDone, `${JSON.stringify(answered)}\n${world.services[0]?.output().slice(-3_000)}`)
    }
  }
  for (const slot of world.slots) {
    const writer = world.writers.all.find((one) => one.slot === slot)
    assert.ok(writer)
    await pushOnce(writer, world.writers, client, world.ledger)
  }
  client.close()
  assert.deepEqual(await findings(world), [])
}

/** The violations since the last call, with those that readers saw meanwhile. */
export async function findings(world: World): Promise<Finding[]> {
  const client = world.client()
  try {
    const found = await check(world.ledger, client, world.slots)
    return [...world.found.splice(0), ...found]
  } finally {
    client.close()
  }
}

export function kindsOf(found: readonly Finding[]): string[] {
  return [...new Set(found.map(({ kind }) => kind))].sort()
}

/** Fails with the first findings and the services' latest output. */
export function assertNone(found: readonly Finding[], world: World, where: string): void {
  if (found.length === 0) return
  const shown = found.slice(0, 12).map(({ kind, text }) => `  ${kind}: ${text}`)
  const outputs = world.services.map((service) => service.output().slice(-3_000))
  assert.fail(`${where}: ${found.length} findings\n${shown.join('\n')}\n${outputs.join('\n')}`)
}

/** Numbers of pushes acknowledged, refused with 503 and left open, from this attempt on. */
export function tally(ledger: Ledger, from: number) {
  const attempts = ledger.attempts.slice(from)
  const count = (matches: (status: number | undefined) => boolean): number =>
    attempts.filter(({ status }) => matches(status)).length
  return {
    acknowledged: count((status) => status !== undefined && status < 300),
    refused: count((status) => status === 503),
    open: count((status) => status === undefined),
  }
}

export async function eventually(what: string, withinMs: number, holds: () => boolean | Promise<boolean>) {
  const untilMs = performance.now() + withinMs
  while (!(await holds())) {
    if (performance.now() > untilMs) assert.fail(`${what}: not within ${withinMs} ms`)
    await wait(5)
  }
}

export function between(least: number, most: number): number {
  return least + Math.random() * (most - least)
}
