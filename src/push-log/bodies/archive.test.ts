import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { gatewayForTests, type TestGateway, type TestSupplier } from '../../../test/stage/harness.ts'
import { isSigned, startTestStore, type TestStore } from '../../../test/stage/servers/object-store.ts'
import { expectOk, pushStoryHotel } from '../../../test/stage/story.ts'
import { telemetry } from '../../base/telemetry.ts'
import { ObjectStoreAway } from '../../outbound/object-store.ts'
import { archiveBodies } from './archive-bodies.ts'
import { noArchive, openArchive, type Archive } from './archive.ts'
import { dropOldPartitions, preparePartitions } from './housekeeping.ts'
import { packBodies } from './pack-bodies.ts'

/** Bodies of days that are over move to an S3-compatible store, and are read back byte for byte. */

const hourMs = 3_600_000
const now = '2027-03-01T12:00:00Z'

type Scene = {
  store: TestStore
  archive: Archive
  gateway: TestGateway
  supplier: TestSupplier
  bodies: Map<string, string>
  /** A run of the chore. */
  move: () => Promise<number>
  /** As the service does when it stops. */
  stop: () => void
  /** A run of the chore in the next service. */
  restarted: () => Promise<number>
  metric: (name: string) => Promise<number>
}

/** Pushes of a day that is over, packed and not moved yet. */
async function scene(): Promise<Scene> {
  const store = await startTestStore()
  const metrics = telemetry()
  const openAnew = () =>
    openArchive(store.address, { clock: { now: () => Date.parse(now) }, telemetry: metrics })
  const archive = openAnew()
  // As in the service, housekeeping has an archive of its own, which it closes first.
  const [moved, movedLater] = [openAnew(), openAnew()]
  const stopping = new AbortController()
  after(async () => {
    for (const one of [archive, moved, movedLater]) one.close()
    await store.stop().catch(() => undefined)
  })
  const gateway = await gatewayForTests({ now, archive })
  const supplier = await gateway.supplier('archived')
  await pushStoryHotel(supplier, { hotelId: 'H1' })
  const bodies = new Map<string, string>()
  for (let index = 0; index < 20; index++) {
    const body = `{"hotelId": "H1", "pricingModel":"unit", "ari": [{"roomId":"DBL","rateId":"BAR","date":"2027-03-10","price":${100 + index}.50}]}`
    bodies.set(`r-${index}`, body)
    expectOk(await supplier.post('/push/ari', body, { 'x-request-id': `r-${index}` }))
  }
  gateway.clock.set('2027-03-02T02:00:00Z')
  await packBodies(gateway.db, gateway.clock.now() + hourMs)
  return {
    store,
    archive,
    gateway,
    supplier,
    bodies,
    move: () =>
      archiveBodies(
        { db: gateway.db, archive: moved, telemetry: metrics, stopping: stopping.signal },
        gateway.clock.now(),
      ),
    stop: () => {
      stopping.abort()
      moved.close()
    },
    restarted: () =>
      archiveBodies(
        { db: gateway.db, archive: movedLater, telemetry: metrics, stopping: new AbortController().signal },
        gateway.clock.now(),
      ),
    metric: async (name) => {
      const { values } = (await metrics.registry.getSingleMetric(name)?.get()) ?? { values: [] }
      return values.reduce((sum, { value }) => sum + value, 0)
    },
  }
}

async function assertReadable({ supplier, bodies }: Scene): Promise<void> {
  for (const [id, body] of bodies) {
    const { text } = expectOk(await supplier.get(`/push/log/${id}`))
    assert.ok(text.includes(`"body":${body},"answer":`), id)
  }
}

/** Bytes of segments in the store. */
async function storedBytes({ gateway }: Scene): Promise<number> {
  const { rows } = await gateway.db.query<{ bytes: number }>(
    'select coalesce(sum(octet_length(bytes)), 0)::float8 as bytes from push_body_segment',
  )
  return rows[0]?.bytes ?? Number.NaN
}

test('bodies of a day that is over leave the store, and are read from the archive byte for byte', async () => {
  const stage = await scene()
  const before = await storedBytes(stage)
  assert.ok(before > 0)
  assert.equal(await stage.move(), before)
  assert.equal(await storedBytes(stage), 0)
  assert.equal(
    [...stage.store.objects.values()].reduce((sum, { length }) => sum + length, 0),
    before,
  )
  assert.match([...stage.store.objects.keys()].join(), /^\/bucket\/prefix\/2027-03-01\/[0-9a-f]{64}$/)
  assert.deepEqual(stage.store.refused, [])
  await assertReadable(stage)
  const viewer = await stage.gateway.operator('viewer')
  const { pushes } = Object(expectOk(await viewer.get('/pushes?limit=1')).body)
  const { text } = expectOk(await viewer.get(`/pushes/${pushes[0].pushId}/body`))
  assert.equal(text, stage.bodies.get('r-19'))
  assert.equal(await stage.move(), 0)
})

test('bodies of the present day stay', async () => {
  const stage = await scene()
  stage.gateway.clock.set('2027-03-01T23:59:59Z')
  assert.equal(await stage.move(), 0)
  assert.equal(stage.store.objects.size, 0)
})

test('while the archive is away, pushes go on, nothing leaves the store, and moving is resumed', async () => {
  const stage = await scene()
  const before = await storedBytes(stage)
  await stage.store.stop()
  await assert.rejects(stage.move(), ObjectStoreAway)
  assert.equal(await storedBytes(stage), before)
  assert.equal(await stage.metric('ari_archive_waiting_bytes'), before)
  assert.equal(await stage.metric('ari_archive_failures_total'), 1)
  await assertReadable(stage)
  expectOk(await stage.supplier.post('/push/ari', stage.bodies.get('r-0') ?? ''))
  await stage.store.start()
  stage.store.failing.status = 500
  await assert.rejects(stage.move(), ObjectStoreAway)
  assert.equal(await storedBytes(stage), before)
  stage.store.failing.status = undefined
  assert.equal(await stage.move(), before)
  assert.equal(await stage.metric('ari_archive_waiting_bytes'), 0)
  await assertReadable(stage)
})

test('a body in an archive that is away is answered by 503, which says why; all else is answered', async () => {
  const stage = await scene()
  await stage.move()
  await stage.store.stop()
  const { status, headers, body } = await stage.supplier.get('/push/log/r-3')
  assert.deepEqual([status, headers.get('retry-after')], [503, '30'])
  assert.deepEqual(body['errors'], [
    {
      type: 'ARCHIVE_UNAVAILABLE',
      message: 'The archive of bodies does not answer',
      hint: 'Send the same again after Retry-After; pushes and newer bodies are not affected',
      docUrl: '/docs/guides/errors#ARCHIVE_UNAVAILABLE',
    },
  ])
  expectOk(await stage.supplier.get('/push/log'))
  await stage.store.start()
  await assertReadable(stage)
})

test('while the archive is away, a night of the calendar is shown with its values, and its history ends with the stored bodies', async () => {
  const stage = await scene()
  await stage.move()
  const { gateway, supplier, bodies } = stage
  expectOk(
    await supplier.post('/push/ari', (bodies.get('r-0') ?? '').replace('100.50', '99'), {
      'x-request-id': 'new',
    }),
  )
  const viewer = await gateway.operator('viewer')
  const { rows } = await gateway.db.query<{ id: number }>(`select id from hotel where code = 'H1'`)
  const path = `/hotels/${rows[0]?.id}/calendar/cell?room=DBL&rate=BAR&night=2027-03-10`
  const shown = async (): Promise<unknown[]> => {
    const { values, history, isWhole, archiveAwayAt } = Object(expectOk(await viewer.get(path)).body)
    return [values.length, history[0].requestId, history.length, isWhole, archiveAwayAt]
  }
  const whole = await shown()
  assert.deepEqual(whole.slice(1), ['new', 21, true, null])
  await stage.store.stop()
  assert.deepEqual(await shown(), [whole[0], 'new', 1, false, '2027-03-01T12:00:00.000Z'])
})

test('while the archive is away, a new push is shown, without the changes since an archived one', async () => {
  const stage = await scene()
  await stage.move()
  const hotel = { hotelId: 'H1', hotelName: 'New name', currency: 'USD', isAvailable: true }
  expectOk(await stage.supplier.post('/push/hotels', [{ ...hotel, minChildAge: 3, maxChildAge: 12 }]))
  const viewer = await stage.gateway.operator('viewer')
  const { pushes } = Object(expectOk(await viewer.get('/pushes?kind=hotels&limit=1')).body)
  const changes = async (): Promise<string> =>
    Object(expectOk(await viewer.get(`/pushes/${pushes[0].pushId}`)).body).changes.kind
  assert.equal(await changes(), 'members')
  await stage.store.stop()
  assert.equal(await changes(), 'none')
})

test('a body whose object is gone is not found', async () => {
  const stage = await scene()
  await stage.move()
  stage.store.objects.clear()
  assert.equal((await stage.supplier.get('/push/log/r-3')).status, 404)
})

test('a service without its archive does not ask to send the same again', async () => {
  const stage = await scene()
  await stage.move()
  const { url } = await stage.gateway.second({ archive: noArchive })
  const headers = { 'x-api-key': stage.supplier.apiKey }
  const response = await fetch(`${url}/v1/push/log/r-3`, { headers })
  const { errors } = Object(await response.json())
  assert.deepEqual(
    [response.status, errors],
    [
      503,
      [
        {
          type: 'ARCHIVE_UNAVAILABLE',
          message: 'The body is in an archive that is not set for this service',
          hint: 'Ask the operator of the gateway to set ARI_ARCHIVE_URL again; pushes and newer bodies are not affected',
          docUrl: '/docs/guides/errors#ARCHIVE_UNAVAILABLE',
        },
      ],
    ],
  )
})

test('a bucket that is not there is an archive that is away: its bodies are not gone', async () => {
  const stage = await scene()
  const before = await storedBytes(stage)
  const missing = { status: 404, code: 'NoSuchBucket' }
  Object.assign(stage.store.failing, missing)
  await assert.rejects(stage.move(), /^ObjectStoreAway: the store answered 404 \(NoSuchBucket\)$/)
  assert.equal(await storedBytes(stage), before)
  stage.store.failing.status = undefined
  await stage.move()
  Object.assign(stage.store.failing, missing)
  assert.equal((await stage.supplier.get('/push/log/r-3')).status, 503)
})

test('several processes move each segment once', async () => {
  const stage = await scene()
  const before = await storedBytes(stage)
  const moved = await Promise.all([stage.move(), stage.move(), stage.move()])
  assert.equal(
    moved.reduce((sum, bytes) => sum + bytes, 0),
    before,
  )
  await assertReadable(stage)
})

/** A run that waits for the archive; `go` ends the waiting. */
async function moveSlowly(stage: Scene): Promise<{ moving: Promise<number>; go: () => void }> {
  const { promise, resolve: go } = Promise.withResolvers<void>()
  const began = Promise.withResolvers<void>()
  Object.assign(stage.store.slow, { until: promise, onRequest: began.resolve })
  const moving = stage.move()
  moving.catch(() => {})
  await began.promise
  return { moving, go }
}

test('while the archive is slow, days of the log are created and dropped', async () => {
  const stage = await scene()
  const { db } = stage.gateway
  const { moving, go } = await moveSlowly(stage)
  const laterMs = Date.parse('2027-03-20T12:00:00Z')
  assert.equal((await preparePartitions(db, laterMs)).at(-1), '2027-04-03')
  const { days, postponed } = await dropOldPartitions(db, laterMs, 14)
  assert.deepEqual([days.includes('2027-03-01'), postponed], [true, []])
  go()
  // Its segments are gone.
  assert.equal(await moving, 0)
})

test('a stop of the service while bodies move is not a failure, and the next run moves them', async () => {
  const stage = await scene()
  const before = await storedBytes(stage)
  const { moving, go } = await moveSlowly(stage)
  stage.stop()
  assert.equal(await moving, 0)
  assert.equal(await stage.metric('ari_archive_failures_total'), 0)
  go()
  assert.equal(await storedBytes(stage), before)
  assert.equal(await stage.restarted(), before)
  await assertReadable(stage)
})

test('an archive that refuses the credentials keeps everything in the store', async () => {
  const stage = await scene()
  const before = await storedBytes(stage)
  const address = { ...stage.store.address, secret: 'wrong' }
  const archive = openArchive(address, { clock: stage.gateway.clock, telemetry: telemetry() })
  after(archive.close)
  const { gateway } = stage
  await assert.rejects(
    archiveBodies(
      { db: gateway.db, archive, telemetry: telemetry(), stopping: new AbortController().signal },
      gateway.clock.now(),
    ),
    /^ObjectStoreAway: the store answered 403$/,
  )
  assert.equal(await storedBytes(stage), before)
})

test('the store of these tests judges signatures as the documentation of S3 does', () => {
  const account = {
    region: 'us-east-1',
    keyId: 'AKIAIOSFODNN7EXAMPLE',
    secret: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
  }
  const signed = (range: string): boolean =>
    isSigned(
      {
        method: 'GET',
        url: '/test.txt',
        headers: {
          host: 'examplebucket.s3.amazonaws.com',
          range,
          'x-amz-content-sha256': 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
          'x-amz-date': '20130524T000000Z',
          authorization:
            'AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request,SignedHeaders=host;range;x-amz-content-sha256;x-amz-date,Signature=f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
        },
      },
      Buffer.alloc(0),
      account,
    )
  assert.deepEqual([signed('bytes=0-9'), signed('bytes=0-8')], [true, false])
})
