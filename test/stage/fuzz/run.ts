import assert from 'node:assert/strict'
import { setTimeout as wait } from 'node:timers/promises'
import { routes, type RouteName } from '../../../src/contract.ts'
import type { PublicRoute } from '../../../src/http/route.ts'
import { client, startGateway, type TestGateway, type TestSupplier } from '../harness.ts'
import { minutes, type Rounds } from '../pace.ts'
import { environOf } from '../postgres.ts'
import { startProgram, type Running } from '../programs/programs.ts'
import { rawConnection, type RawConnection, type RawOutcome } from '../raw-http.ts'
import { pushStoryHotel, product, expectOk } from '../story.ts'
import { complaintsAbout } from './judge.ts'
import { seeded } from './random.ts'
import { curlOf, fuzzCase, routeNames } from './requests.ts'
import type { FuzzCase, Seat } from './case.ts'
import { assertEveryTableIsKnown, commonDigest, supplierDigests } from '../stored-state.ts'
import { exchangeNames, smuggledHotel } from './wire.ts'
import { nightAhead } from '../nights.ts'

export type FuzzReport = {
  requests: number
  accepted: number
  refused: number
  statuses: Record<string, number>
}

/** One supplier with a connection of its own: what it may have changed is told apart from all others'. */
type Lane = { supplier: TestSupplier; supplierId: number; seat: Seat; connection: RawConnection }

/** In each of the rounds every lane sends one request. */
export type FuzzOptions = { rounds: Rounds; seed: number }

/** As many requests at once, each on hotels of its own. */
export const lanesCount = 16
/** Suppliers are replaced now and then, so that a digest stays cheap. */
const roundsPerSupplier = 400
const serviceEndsWithinMs = minutes(30)

/**
 * Sends generated requests to a service in a process of its own, and throws at the first that is answered wrongly, or
 * refused with an effect on what is stored.
 */
export async function fuzz(options: FuzzOptions): Promise<FuzzReport> {
  const gateway = await startGateway({ systemTime: true })
  try {
    await assertEveryTableIsKnown(gateway.db)
    const service = startProgram('serve', environ(gateway), [], serviceEndsWithinMs)
    try {
      const url = /at (http:\/\/\S+)/.exec(await service.printed(/ready in .* at (http:\/\/\S+)/))?.[1] ?? ''
      const report = await fuzzService(gateway, service, url, options)
      await assertIsWell(gateway, service, url)
      return report
    } finally {
      service.child.kill('SIGKILL')
      await service.ended
    }
  } finally {
    await gateway.stop()
  }
}

function environ({ db }: TestGateway): Record<string, string> {
  const { address } = db
  if (!('host' in address)) throw new TypeError('the test database has no host')
  return { PORT: '0', LOG_LEVEL: 'error', ...environOf(address) }
}

async function fuzzService(
  gateway: TestGateway,
  service: Running,
  url: string,
  options: FuzzOptions,
): Promise<FuzzReport> {
  const port = Number(new URL(url).port)
  const { rounds, seed } = options
  const random = seeded(seed)
  const report: FuzzReport = { requests: 0, accepted: 0, refused: 0, statuses: {} }
  const covered = new Set<string>()
  let lanes: Lane[] = []
  let common = ''
  let digests: ReadonlyMap<number, string> = new Map()
  const ids = (): number[] => lanes.map(({ supplierId }) => supplierId)
  const fail = (fuzzed: FuzzCase, complaints: readonly string[]): never => {
    const lines = [
      `seed ${seed}, request ${report.requests}, ${fuzzed.what}: ${complaints.join('; ')}`,
      curlOf(fuzzed, port),
      service.output.stdout.slice(-2_000),
      service.output.stderr,
    ]
    return assert.fail(lines.join('\n'))
  }

  for (let round = rounds.next(); round !== undefined; round = rounds.next()) {
    if (round % roundsPerSupplier === 0) {
      if (round > 0)
        assert.equal(await commonDigest(gateway.db), common, 'what belongs to no supplier has changed')
      for (const { connection } of lanes) connection.destroy()
      lanes = await newLanes(gateway, url, port, round)
      common = await commonDigest(gateway.db)
      digests = await supplierDigests(gateway.db, ids())
    }
    const cases = lanes.map(({ seat }) => fuzzCase(random, seat))
    const outcomes = await Promise.all(lanes.map((lane, index) => sendCase(lane, port, cases[index])))
    const after = await supplierDigests(gateway.db, ids())
    // The platform books in anybody's hotels.
    const isBooked = outcomes.some(
      (outcome, index) => outcome?.replies.some(({ status }) => status < 300) && books(cases[index]),
    )
    for (const [index, fuzzed] of cases.entries()) {
      const outcome = outcomes[index]
      const supplierId = lanes[index]?.supplierId ?? 0
      report.requests++
      if (!outcome) continue
      const complaints = complaintsAbout(fuzzed, outcome)
      const mayHaveWritten =
        isBooked || (outcome.replies.some(({ status }) => status < 300) && writes(fuzzed))
      if (!mayHaveWritten && digests.get(supplierId) !== after.get(supplierId))
        complaints.push(
          `what is stored has changed (${outcome.replies.map(({ status }) => status).join() || 'no answer'})`,
        )
      if (complaints.length > 0) fail(fuzzed, complaints)
      count(report, covered, fuzzed, outcome)
    }
    if (service.child.exitCode !== null || service.child.signalCode !== null)
      assert.fail(`the service ended: ${service.output.stdout}${service.output.stderr}`)
    digests = after
  }
  for (const { connection } of lanes) connection.destroy()
  assert.equal(await commonDigest(gateway.db), common, 'what belongs to no supplier has changed')
  const wanted = [
    ...routeNames.flatMap((name) => [
      `${name} refused`,
      ...(neverAccepted.has(name) ? [] : [`${name} accepted`]),
    ]),
    ...exchangeNames,
  ]
  assert.deepEqual(
    wanted.filter((one) => !covered.has(one)),
    [],
    'not tried',
  )
  return report
}

/** Those that name a reservation, job, hold or alert of a supplier: seldom the right one. */
const neverAccepted: ReadonlySet<RouteName> = new Set([
  'uploadBulkData',
  'startBulkJob',
  'cancelBulkJob',
  'getBulkJob',
  'getBulkErrors',
  'getExportData',
  'discardHolds',
  'releaseHolds',
  'acknowledgeAlerts',
  'pushBooking',
  'acknowledgeReservations',
  'sendDeliveriesAgain',
  'modifyReservation',
  'reportStay',
])

const booking: ReadonlySet<string | undefined> = new Set([
  'createReservation',
  'modifyReservation',
  'cancelReservation',
])

function books(fuzzed: FuzzCase | undefined): boolean {
  return booking.has(fuzzed?.route)
}

function writes({ route, request, what }: FuzzCase): boolean {
  if (route === undefined) return what.startsWith('pipelined')
  const described: PublicRoute = routes[route]
  return described.pushKind !== undefined || request?.method === 'POST'
}

async function sendCase(
  lane: Lane,
  port: number,
  fuzzed: FuzzCase | undefined,
): Promise<RawOutcome | undefined> {
  if (!fuzzed) return undefined
  if (!lane.connection.isOpen()) lane.connection = rawConnection(port)
  const { parts, replies, pauseMs, isHead, halfClose, isClosed } = fuzzed
  const outcome = await lane.connection.exchange({
    parts,
    // Where the connection must end, all is read that comes before.
    repliesWanted: halfClose || isClosed ? replies.most + 1 : replies.most,
    ...(halfClose === undefined ? {} : { halfClose }),
    ...(pauseMs === undefined ? {} : { pauseMs }),
    ...(isHead === undefined ? {} : { isHead }),
  })
  const ends = outcome.replies.some(({ headers }) => headers.get('connection') === 'close')
  if (ends || halfClose || outcome.closed) {
    lane.connection.destroy()
    lane.connection = rawConnection(port)
  }
  return outcome
}

async function newLanes(gateway: TestGateway, url: string, port: number, round: number): Promise<Lane[]> {
  const lanes: Lane[] = []
  const platformToken = await gateway.token('platform')
  for (let index = 0; index < lanesCount; index++) {
    const supplier = await gateway.supplier(`fuzz ${round}/${index}`, {
      requestsPerMinute: 0,
      bodyBytesMax: 10 * 1024 * 1024,
    })
    const { rows } = await gateway.db.query<{ id: number }>('select id from supplier where name = $1', [
      supplier.name,
    ])
    // By the process under test, so that it is the only one that writes.
    const calls = { ...supplier, ...client(url, { 'x-api-key': supplier.apiKey }) }
    for (const hotelId of ['H1', 'H2']) {
      await pushStoryHotel(calls, { hotelId })
      expectOk(
        await calls.post('/push/products', {
          hotelId,
          products: [product('TWN', 'BAR'), product('TWN', 'NRF')],
        }),
      )
      const rates = [
        { rateId: 'BAR', price: 50 },
        { rateId: 'NRF', price: 40 },
      ]
      const year = { startDate: nightAhead(0), endDate: nightAhead(365), inventory: 9_000, rates }
      const ari = ['DBL', 'TWN'].map((roomId) => ({ roomId, ...year }))
      expectOk(await calls.post('/push/ari', { hotelId, pricingModel: 'unit', ari }))
    }
    lanes.push({
      supplier,
      supplierId: rows[0]?.id ?? 0,
      seat: {
        apiKey: supplier.apiKey,
        platformToken,
        supplier: supplier.name,
        host: `127.0.0.1:${port}`,
      },
      connection: rawConnection(port),
    })
  }
  return lanes
}

function count(report: FuzzReport, covered: Set<string>, fuzzed: FuzzCase, outcome: RawOutcome): void {
  const [first] = outcome.replies
  const isAccepted = first !== undefined && first.status < 300
  if (isAccepted) report.accepted++
  else report.refused++
  const status = String(first?.status ?? 'none')
  report.statuses[status] = (report.statuses[status] ?? 0) + 1
  covered.add(
    fuzzed.route === undefined ? fuzzed.what : `${fuzzed.route} ${isAccepted ? 'accepted' : 'refused'}`,
  )
}

/** The service is as it was before: nothing left in flight, nothing in its log, and it stops in good order. */
async function assertIsWell(gateway: TestGateway, service: Running, url: string): Promise<void> {
  const { rows } = await gateway.db.query('select code from hotel where code = $1', [smuggledHotel])
  assert.deepEqual(rows, [], 'a smuggled request was run')
  // This request is in flight itself.
  let metrics = ''
  for (let tries = 0; tries < 50 && !/^ari_requests_in_flight 1$/m.test(metrics); tries++) {
    metrics = await (await fetch(`${url}/metrics`)).text()
    await wait(20)
  }
  assert.match(metrics, /^ari_requests_in_flight 1$/m)
  assert.match(metrics, /^ari_commit_queue_depth 0$/m)
  assert.match(metrics, /^ari_pool_waiting 0$/m)
  assert.equal((await fetch(`${url}/readyz`)).status, 200)
  // Bookings that arrive soon, in hotels of which nobody takes reservations, are rightly reported; so are deliveries whose
  // 72 hours the test clock leaped over.
  const reported = /"msg":"a (?:reservation is not delivered|delivery was given up)"/
  const errors = service.output.stdout
    .split('\n')
    .filter((line) => /"level":[56]0/.test(line) && !reported.test(line))
  assert.deepEqual(errors, [], 'the service logged an error')
  service.child.kill('SIGTERM')
  const { code, stderr } = await service.ended
  assert.deepEqual([code, stderr], [0, ''])
}
