/**
 * Acknowledged data are durable and complete: the service and its PostgreSQL are killed, stopped, and starved
 * of disk space under load, and all acknowledgements are compared with the data found afterwards.
 */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request } from 'node:http'
import { text } from 'node:stream/consumers'
import { after, test, type TestContext } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { isAlive, processesOf } from '../../src/embedded-postgres/processes.ts'
import { minutes, roundsWithin } from '../../test/stage/pace.ts'
import { environOf, newTestDatabase } from '../../test/stage/postgres.ts'
import { dataFolder } from '../../test/stage/programs/programs.ts'
import {
  compareAccounts,
  disordered,
  openAccounts,
  undelivered,
  useAccounts,
  type Accounts,
} from '../../test/stage/crash/accounts.ts'
import { mountSmallDisk } from '../../test/stage/crash/disk.ts'
import {
  check,
  checkWholeLog,
  isAcknowledged,
  type Attempt,
  type Finding,
} from '../../test/stage/crash/ledger.ts'
import {
  killPostgresRound,
  killServiceRound,
  only,
  sayTimes,
  type Say,
} from '../../test/stage/crash/rounds.ts'
import {
  clusterOf,
  endServices,
  killPostgres,
  postgresVictims,
  startService,
  untilPostgresEnded,
  watchersOf,
  type Service,
} from '../../test/stage/crash/service.ts'
import { hotelBody } from '../../test/stage/crash/slots.ts'
import {
  assertNone,
  between,
  eventually,
  findings,
  kindsOf,
  openWorld,
  tally,
  type World,
} from '../../test/stage/crash/world.ts'

const kills = { service: 25, postgres: 15, accounts: 20 }
const floors = { service: 5, postgres: 4, accounts: 4 }

const undo: (() => Promise<void>)[] = []

after(async () => {
  await endServices()
  for (const step of undo.reverse()) await step()
})

async function newFolder(): Promise<string> {
  const { path, remove } = await dataFolder()
  undo.push(async () => {
    await untilPostgresEnded(path)
    await remove()
  })
  return path
}

/** On other systems the watcher can't be told from other processes. */
const onLinux = { skip: process.platform === 'linux' ? false : 'looks at processes by /proc' }

const sayTo = (t: TestContext) => (line: string) => t.diagnostic(line)

test(`${kills.service} × kill -9 of the service under load: nothing acknowledged is lost, nothing half-applied, and the next start is ready`, async (t) => {
  const beganMs = Date.now()
  const dataDir = await newFolder()
  const world = await openWorld({ ARI_DATA_DIR: dataDir })
  const timesMs: number[] = []
  const length = { leastMs: 300, mostMs: 3_500 }
  const rounds = roundsWithin({ full: kills.service, floor: floors.service, share: 0.04 })
  for (let kill = rounds.next(); kill !== undefined; kill = rounds.next()) {
    timesMs.push(await killServiceRound(world, { name: `kill ${kill + 1}`, length, say: sayTo(t) }))
  }
  t.diagnostic(rounds.summary())
  const client = world.client()
  assertNone(await checkWholeLog(world.ledger, client, beganMs), world, 'after all kills')
  client.close()
  sayTimes(timesMs, sayTo(t))
  await only(world).end('SIGTERM')
})

test(`${kills.postgres} × kill -9 of PostgreSQL under load: the same, 503 meanwhile, and the service heals by itself`, async (t) => {
  const dataDir = await newFolder()
  const world = await openWorld({ ARI_DATA_DIR: dataDir })
  const { pid } = only(world)
  const timesMs: number[] = []
  const length = { leastMs: 300, mostMs: 2_500 }
  const rounds = roundsWithin({ full: kills.postgres, floor: floors.postgres, share: 0.025 })
  for (let kill = rounds.next(); kill !== undefined; kill = rounds.next()) {
    const victim = postgresVictims[kill % postgresVictims.length] ?? 'all'
    const name = `kill ${kill + 1} (${victim})`
    timesMs.push(await killPostgresRound(world, { name, dataDir, victim, length, say: sayTo(t) }))
  }
  t.diagnostic(rounds.summary())
  assert.ok(tally(world.ledger, 0).refused > 0, 'no client met an outage')
  assert.equal(only(world).pid, pid)
  sayTimes(timesMs, sayTo(t))
  await only(world).end('SIGTERM')
})

/** Kills the service while its accounts are used, starts it again, and compares. Returns the contradictions. */
async function killUnderAccounts(
  accounts: Accounts,
  service: Service,
  start: () => Promise<Service>,
): Promise<{ next: Service; contradictions: string[] }> {
  const use = useAccounts(accounts, service.url)
  await wait(between(300, 3_000))
  service.signal('SIGKILL')
  const [, next] = await Promise.all([use.stop(), service.ended.then(start)])
  return { next, contradictions: await compareAccounts(accounts, next.url) }
}

test(`${kills.accounts} × kill -9 of the service under pushes, bookings, resets and clock moves: each is there or not, as it was answered, and every reservation arrives`, async (t) => {
  const environ = { ARI_DATA_DIR: await newFolder(), ARI_ALLOW_PRIVATE_WEBHOOKS: 'true' }
  let service = await startService(environ)
  const accounts = await openAccounts(environ, service.url)
  undo.push(accounts.receiver.close)
  const rounds = roundsWithin({ full: kills.accounts, floor: floors.accounts, share: 0.02 })
  for (let kill = rounds.next(); kill !== undefined; kill = rounds.next()) {
    const { next, contradictions } = await killUnderAccounts(accounts, service, () => startService(environ))
    assert.deepEqual(contradictions, [], `kill ${kill + 1}\n${next.output().slice(-3_000)}`)
    service = next
  }
  t.diagnostic(rounds.summary())
  const resets = `${accounts.resetsAcknowledged} of them resets`
  t.diagnostic(`${accounts.calls.acknowledged} calls acknowledged, ${resets}, ${accounts.calls.open} open`)
  const isDelivered = async (): Promise<boolean> => (await undelivered(accounts, service.url)).length === 0
  await eventually('all reservations are delivered', minutes(3), isDelivered)
  assert.deepEqual(disordered(accounts), [])
  await service.end('SIGTERM')
})

test('the comparison of accounts finds moves of a clock that are answered and not stored', async (t) => {
  const environ = { ARI_DATA_DIR: await newFolder(), ARI_ALLOW_PRIVATE_WEBHOOKS: 'true' }
  const preload = { NODE_OPTIONS: `--import=${import.meta.resolve('../../test/stage/crash/break-clock.ts')}` }
  const service = await startService({ ...environ, ...preload })
  const accounts = await openAccounts(environ, service.url)
  undo.push(accounts.receiver.close)
  const use = useAccounts(accounts, service.url)
  const hasMoved = () => accounts.all.some(({ states: [state] }) => (state?.aheadSeconds ?? 0) > 0)
  await eventually('a clock is moved', minutes(3), hasMoved)
  service.signal('SIGKILL')
  const [, next] = await Promise.all([use.stop(), service.ended.then(() => startService(environ))])
  const contradictions = await compareAccounts(accounts, next.url)
  t.diagnostic(`${contradictions.length} contradictions, such as: ${contradictions[0]}`)
  assert.ok(contradictions.some((one) => one.includes('by its answers')))
  await next.end('SIGTERM')
})

/**
 * Runs a service with a module that breaks it, under load until a crash; returns the findings of the
 * comparison.
 */
async function findingsWithBreak(
  name: string,
  crash: (world: World, dataDir: string) => Promise<void>,
): Promise<Finding[]> {
  const dataDir = await newFolder()
  const world = await openWorld({ ARI_DATA_DIR: dataDir })
  await only(world).end('SIGTERM')
  world.services[0] = await world.start({
    NODE_OPTIONS: `--import=${import.meta.resolve('../../test/stage/query-breaks.ts')}`,
    ARI_PROOF_BREAK: name,
  })
  only(world).signal('SIGUSR2')
  const load = world.load()
  const from = world.ledger.attempts.length
  await wait(1_500)
  // On a machine of any speed, it breaks acknowledgements to many clients.
  await eventually('pushes are acknowledged', minutes(3), () => tally(world.ledger, from).acknowledged > 200)
  const stopped = crash(world, dataDir)
  await Promise.all([stopped, load.stop()])
  // Readers' observations before the crash don't count here: the comparison after it must find the break on
  // its own.
  const client = world.client()
  const found = await check(world.ledger, client, world.slots)
  client.close()
  await only(world).end('SIGKILL')
  return found
}

function assertFound(found: readonly Finding[], kind: Finding['kind'], say: Say): void {
  const ofKind = found.filter((finding) => finding.kind === kind)
  say(`${ofKind.length} ${kind} of ${found.length} findings, such as: ${ofKind[0]?.text}`)
  assert.ok(ofKind.length > 0, kindsOf(found).join())
}

async function killAndRestart(world: World): Promise<void> {
  await only(world).end('SIGKILL')
  world.services[0] = await world.start()
}

test('the comparison finds pushes lost by a service that answers before it commits', async (t) => {
  const found = await findingsWithBreak('earlyAnswers', killAndRestart)
  assertFound(found, 'lost', sayTo(t))
})

test('the comparison finds pushes lost by commits that are not on disk when PostgreSQL is killed', async (t) => {
  const crash = async (world: World, dataDir: string): Promise<void> => {
    await killPostgres(dataDir, 'all')
    await killAndRestart(world)
  }
  // PostgreSQL writes such commits every 200 ms: a kill that comes right afterwards loses none of them.
  const mostKills = 5
  let found: Finding[] = []
  for (let kill = 1; kill <= mostKills && found.length === 0; kill++)
    found = await findingsWithBreak('volatileCommits', crash)
  assertFound(found, 'lost', sayTo(t))
})

test('the comparison finds pushes half-applied by a service without transactions', async (t) => {
  const found = await findingsWithBreak('halfPushes', killAndRestart)
  assertFound(found, 'half-applied', sayTo(t))
})

test(
  'SIGTERM under load: pushes under way finish, new ones get 503 or no connection, code 0, and no process is left',
  onLinux,
  async (t) => {
    const dataDir = await newFolder()
    const world = await openWorld({ ARI_DATA_DIR: dataDir })
    for (let stop = 1; stop <= 3; stop++) {
      const service = only(world)
      const from = world.ledger.attempts.length
      const watchers = watchersOf(service.pid)
      const load = world.load()
      const slow = await slowPush(service.url, world.apiKey)
      await wait(between(500, 1_500))
      const stopMs = performance.now()
      service.signal('SIGTERM')
      const isRefused = ({ status, why }: Attempt) => status === 503 && why === 'SHUTTING_DOWN'
      await eventually('new pushes are refused', minutes(2), () =>
        world.ledger.attempts.slice(from).some(isRefused),
      )
      slow.finish()
      const end = await service.ended
      const tookMs = performance.now() - stopMs
      await load.stop()
      assert.deepEqual(end, { code: 0, signal: null }, service.output().slice(-5_000))
      assert.deepEqual([await processesOf(clusterOf(dataDir)), watchers.filter(isAlive)], [[], []])
      assert.equal(await slow.status, 200)
      const met = world.ledger.attempts.slice(from).filter(({ endedMs }) => endedMs > stopMs)
      const underWay = met.filter(({ sentMs }) => sentMs < stopMs)
      const brokenOff = underWay.filter(({ status }) => status === undefined)
      assert.deepEqual(
        brokenOff.map(({ requestId, why }) => `${requestId}: ${why}`),
        [],
      )
      const finished = underWay.filter(isAcknowledged).length
      const refused = met.filter(isRefused).length
      assert.equal(met.filter(({ status }) => status === 503).length, refused)
      assert.ok(finished > 0 && refused > 0, `${finished} finished, ${refused} refused`)
      world.services[0] = await world.start()
      assertNone(await findings(world), world, `stop ${stop}`)
      t.diagnostic(
        `stop ${stop}: ${Math.round(tookMs)} ms, ${finished} under way finished, ${refused} refused`,
      )
    }
    await only(world).end('SIGTERM')
  },
)

/** A push that the service has begun to take, and whose body is sent later. */
async function slowPush(
  url: string,
  apiKey: string,
): Promise<{ finish: () => void; status: Promise<number | undefined> }> {
  const body = JSON.stringify([hotelBody('SLOW', Math.floor(performance.now()))])
  const sent = request(`${url}/v1/push/hotels`, {
    method: 'POST',
    headers: {
      'x-api-key': apiKey,
      'content-type': 'application/json',
      'content-length': body.length,
      expect: '100-continue',
    },
  })
  const status = new Promise<number | undefined>((resolve, reject) => {
    sent.once('response', (response) => void text(response).then(() => resolve(response.statusCode)))
    sent.once('error', reject)
  })
  sent.flushHeaders()
  await once(sent, 'continue')
  sent.write(body.slice(0, 10))
  return { finish: () => sent.end(body.slice(10)), status }
}

test(
  'kill -9 of the watcher, alone and with the service: it is replaced, PostgreSQL does not outlive its service, and the next start has everything',
  onLinux,
  async () => {
    const dataDir = await newFolder()
    const world = await openWorld({ ARI_DATA_DIR: dataDir })
    const killWatchers = (): void => {
      for (const pid of watchersOf(only(world).pid)) process.kill(pid, 'SIGKILL')
    }
    const first = watchersOf(only(world).pid)
    let load = world.load()
    await wait(700)
    killWatchers()
    const killedMs = performance.now()
    await eventually('the watcher is replaced', minutes(2), () =>
      watchersOf(only(world).pid).some((pid) => !first.includes(pid)),
    )
    await eventually('pushes go on', minutes(2), () => load.allAcknowledgedSince(killedMs))
    await Promise.all([only(world).end('SIGKILL'), load.stop()])
    await eventually(
      'PostgreSQL ends',
      minutes(2),
      async () => (await processesOf(clusterOf(dataDir))).length === 0,
    )
    world.services[0] = await world.start()
    assertNone(await findings(world), world, 'after the watcher and then the service')

    load = world.load()
    await wait(700)
    killWatchers()
    await Promise.all([only(world).end('SIGKILL'), load.stop()])
    world.services[0] = await world.start()
    assertNone(await findings(world), world, 'after the watcher with the service')
    await only(world).end('SIGTERM')
  },
)

test('a full disk: no false 2xx, 503 with Retry-After meanwhile, and it heals when there is room again', async (t) => {
  const disk = mountSmallDisk(320)
  if ('refused' in disk) return t.skip(`this user can't mount (${disk.refused})`)
  const dataDir = `${disk.path}/data`
  undo.push(async () => {
    await untilPostgresEnded(dataDir)
    disk.unmount()
  })
  const world = await openWorld({ ARI_DATA_DIR: dataDir })
  const service = only(world)
  // No room at all; then room for rows, but not for the next WAL segment.
  for (const megabytesLeft of [0, 8, 0]) {
    const from = world.ledger.attempts.length
    const load = world.load()
    await wait(700)
    disk.fill(megabytesLeft * 1024 * 1024)
    const refusedBefore = tally(world.ledger, from).refused
    await eventually(
      'clients are refused',
      minutes(3),
      () => tally(world.ledger, from).refused > refusedBefore + 50,
    )
    await wait(2_000)
    disk.free()
    const freedMs = performance.now()
    try {
      await eventually('every client is acknowledged again', minutes(3), () =>
        load.allAcknowledgedSince(freedMs),
      )
    } finally {
      await load.stop()
    }
    const healedMs = Math.round(performance.now() - freedMs)
    assert.ok(!service.hasEnded(), service.output().slice(-5_000))
    assertNone(await findings(world), world, `with ${megabytesLeft} MB left`)
    const { acknowledged, refused, open } = tally(world.ledger, from)
    assert.equal(open, 0)
    const told = `${acknowledged} acknowledged, ${refused} answered 503, healed after ${healedMs} ms`
    t.diagnostic(`${megabytesLeft} MB left: ${told}`)
  }
  const said = (words: string): number => service.output().split(words).length - 1
  t.diagnostic(
    `PostgreSQL panicked ${said('PANIC')} times and was started again ${said('is being restarted')} times`,
  )
  await service.end('SIGTERM')
})

test('two services on one database push to the same hotels: in one order, no 5xx, and the death of one harms no push of the other', async (t) => {
  const environ = await newDatabase()
  const world = await openWorld(environ, [await startService(environ), await startService(environ)])
  const [first, second] = world.services
  assert.ok(first && second)
  let load = world.load()
  await wait(4_000)
  await load.stop()
  assertNone(await findings(world), world, 'two services')
  const together = tally(world.ledger, 0)
  assert.deepEqual([together.refused, together.open], [0, 0])

  const from = world.ledger.attempts.length
  load = world.load()
  await wait(1_000)
  const killedMs = performance.now()
  await second.end('SIGKILL')
  await wait(1_500)
  const later = (): Attempt[] => world.ledger.attempts.slice(from)
  await eventually('the other serves on', minutes(2), () =>
    later().some((attempt) => isAcknowledged(attempt) && attempt.sentMs > killedMs),
  )
  await load.stop()
  assertNone(await findings(world), world, 'after the death of one')
  // Writers alternate between the first and the second service.
  const ofFirst = new Set(
    world.writers.all
      .filter((_, index) => index % 2 === 0)
      .map(({ slot, number }) => `${slot.name}.${number}`),
  )
  const harmed = later().filter(
    (attempt) =>
      !isAcknowledged(attempt) && ofFirst.has(`${attempt.slot.name}.${attempt.requestId.split('.').at(-1)}`),
  )
  assert.deepEqual(
    harmed.map(({ requestId, why }) => `${requestId}: ${why}`),
    [],
  )
  t.diagnostic(
    `${together.acknowledged} acknowledged by both, then ${tally(world.ledger, from).acknowledged}`,
  )
  await first.end('SIGTERM')
})

/** A database of its own on the run's PostgreSQL. */
async function newDatabase(): Promise<Record<string, string>> {
  const { address, drop } = await newTestDatabase()
  undo.push(drop)
  return environOf(address)
}
