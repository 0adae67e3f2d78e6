import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import {
  book,
  deliveriesOf,
  namedIn,
  startDeliveryTest,
  until,
  type DeliverySupplier,
  type DeliveryTest,
} from '../../../test/stage/scenes/deliveries.ts'
import type { Reply, TestOperator } from '../../../test/stage/harness.ts'
import { pagesOf, expectOk, problemsOf } from '../../../test/stage/story.ts'
import { httpAnswer, startReceiver, type Receiver } from '../../../test/stage/servers/receiver.ts'
import type { ListedDelivery } from './contract.ts'

let stage: DeliveryTest
let viewer: TestOperator
let operator: TestOperator
/** Answers 500 until it is repaired. */
let broken: Receiver
let isMended = false
let acme: DeliverySupplier
let beta: DeliverySupplier
/** For acme: one failed twice and close to arrival, one dead letter; for beta: one without a URL. */
let ids: { far: number; near: number; dead: number; nowhere: number; arrived: number }

before(async () => {
  stage = await startDeliveryTest()
  const { gateway } = stage
  viewer = await gateway.operator('viewer')
  operator = await gateway.operator('operator')
  broken = await startReceiver((socket) => socket.write(httpAnswer(isMended ? 200 : 500, '{"sorry":1}')))
  acme = await stage.supplierAt('Acme', undefined)
  beta = await stage.supplierAt('Beta', undefined)
  const [nowhere] = await book(gateway, beta)
  isMended = true
  expectOk(
    await acme.post('/push/webhook/pushbook', { webhook: `http://127.0.0.1:${broken.port}/in?key=theirs` }),
  )
  const [arrived] = await book(gateway, acme)
  stage.worker()
  await until('one arrived', async () => (await statusOf(arrived?.reservationId ?? 0)) === 'delivered')
  isMended = false
  const [far] = await book(gateway, acme)
  const [near] = await book(gateway, acme, { arrival: '2027-03-02' })
  const [dead] = await book(gateway, acme)
  assert.ok(nowhere && arrived && far && near && dead)
  ids = {
    far: far.reservationId,
    near: near.reservationId,
    dead: dead.reservationId,
    nowhere: nowhere.reservationId,
    arrived: arrived.reservationId,
  }
  for (const one of [far, near, dead])
    await until('it failed', async () => (await rowOf(one.reservationId))?.state === 'failing')
  await gateway.db.query(`update delivery set status = 'dead' where reservation_id = $1`, [ids.dead])
})
after(async () => {
  await stage.stop()
  await broken.close()
})

const statusOf = async (reservationId: number): Promise<string | undefined> =>
  (await deliveriesOf(stage.gateway, reservationId)).at(-1)?.status

const listOf = ({ body }: Reply): ListedDelivery[] => Object(body)['deliveries']

async function search(query = ''): Promise<ListedDelivery[]> {
  return listOf(expectOk(await viewer.get(`/deliveries?${query}`)))
}

async function rowOf(reservationId: number): Promise<ListedDelivery | undefined> {
  return (await search()).find((one) => one.reservationId === reservationId)
}

async function audited(): Promise<unknown[]> {
  const { rows } = await stage.gateway.db.query<Record<string, unknown>>(
    `select operator_name, action, subject, after from audit_log where action like 'delivery.%' order by id`,
  )
  return rows.map((row) => Object.values(row))
}

test('deliveries are found by state, supplier, endpoint, age, arrival and alert', async () => {
  await until('an alert is raised', async () => (await search('alerted=true')).length > 0)
  const { endpoint, hotelId: acmesHotel } = (await rowOf(ids.far)) ?? assert.fail()
  const { hotelId: betasHotel } = (await rowOf(ids.nowhere)) ?? assert.fail()
  assert.equal(endpoint?.place, `127.0.0.1:${broken.port}/in`)
  const nameById = new Map(Object.entries(ids).map(([name, id]) => [id, name]))
  const named = async (query: string): Promise<string[]> =>
    (await search(query)).map(({ reservationId }) => nameById.get(reservationId) ?? '').sort()
  assert.deepEqual(
    {
      all: await named(''),
      undelivered: await named('state=undelivered'),
      failing: await named('state=failing'),
      dead: await named('state=dead'),
      noUrl: await named('state=no_url'),
      queued: await named('state=queued'),
      delivered: await named('state=delivered'),
      superseded: await named('state=superseded'),
      ofSupplier: await named(`state=undelivered&supplierId=${beta.supplierId}`),
      deliveredOfSupplier: await named(`state=delivered&supplierId=${beta.supplierId}`),
      ofHotel: await named(`state=undelivered&hotelId=${betasHotel}`),
      allOfHotel: await named(`hotelId=${acmesHotel}`),
      deliveredOfHotel: await named(`state=delivered&hotelId=${acmesHotel}`),
      ofHotelOfAnother: await named(`supplierId=${beta.supplierId}&hotelId=${acmesHotel}`),
      ofEndpoint: await named(`endpoint=${endpoint.id}`),
      older: await named('olderThanMinutes=30'),
      near: await named('arrivalWithinHours=48'),
      alerted: await named('alerted=true'),
    },
    {
      all: ['arrived', 'dead', 'far', 'near', 'nowhere'],
      undelivered: ['dead', 'far', 'near', 'nowhere'],
      failing: ['far', 'near'],
      dead: ['dead'],
      noUrl: ['nowhere'],
      queued: [],
      delivered: ['arrived'],
      superseded: [],
      ofSupplier: ['nowhere'],
      deliveredOfSupplier: [],
      ofHotel: ['nowhere'],
      allOfHotel: ['arrived', 'dead', 'far', 'near'],
      deliveredOfHotel: ['arrived'],
      ofHotelOfAnother: [],
      ofEndpoint: ['dead', 'far', 'near'],
      older: [],
      near: ['near'],
      alerted: ['near'],
    },
  )
  const { dueAt, deliveryId, hotelId, ...row } = (await rowOf(ids.near)) ?? assert.fail()
  assert.match(`${deliveryId} ${String(dueAt)}`, /^dlv_[0-9a-f-]{36} 2027-03-01T12:00:1/)
  const now = '2027-03-01T12:00:00.000Z'
  assert.deepEqual(row, {
    reservationId: ids.near,
    version: 1,
    reservationStatus: 'Confirm',
    supplierId: acme.supplierId,
    supplier: 'Acme',
    hotelName: 'Sea View',
    timeZone: 'Europe/Paris',
    state: 'failing',
    attempts: 1,
    outcome: 'unavailable',
    httpStatus: 500,
    isForHourlyRun: false,
    isRepeat: false,
    isPresent: true,
    lastNote: null,
    endpoint,
    createdAt: now,
    undeliveredSince: now,
    giveUpAt: '2027-03-04T12:00:00.000Z',
    deliveredAt: null,
    alertedAt: now,
    arrivesAt: '2027-03-01T23:00:00.000Z',
  })
  assert.equal(hotelId, acme.hotelId)
})

test('pages follow each other without a gap, for undelivered and for all deliveries', async () => {
  for (const filter of ['', 'state=undelivered&']) {
    const all = (await search(filter)).map(({ deliveryId }) => deliveryId)
    const pages = await pagesOf(viewer, `/deliveries?${filter}limit=1`)
    const seen = pages.flatMap((body): ListedDelivery[] => Object(body)['deliveries'])
    assert.deepEqual(
      seen.map(({ deliveryId }) => deliveryId),
      all,
    )
  }
})

test('an impossible filter is refused', async () => {
  const wrong = await viewer.get(
    '/deliveries?state=delivered&alerted=true&endpoint=x&olderThanMinutes=-1&cursor=abc',
  )
  assert.equal(wrong.status, 400)
  assert.deepEqual(
    problemsOf(wrong).map((problem) => Object.values(Object(problem))[0]),
    ['?endpoint', '?olderThanMinutes', '?alerted', '?olderThanMinutes', '?endpoint', '?cursor'],
  )
  const counted = await viewer.get('/deliveries/count-to-send?state=delivered')
  assert.deepEqual(problemsOf(counted), [
    ['?state', 'UNDELIVERED_ONLY', 'A filter can send only undelivered deliveries again'],
  ])
})

test('a viewer cannot send anything again', async () => {
  const { deliveryId } = (await rowOf(ids.dead)) ?? assert.fail()
  const replies = [
    await viewer.post(`/deliveries/${deliveryId}/send-again`, {}),
    await viewer.post('/deliveries/send-again', { deliveryIds: [deliveryId] }),
    await viewer.post('/deliveries/send-again', { filter: { state: 'dead' }, count: 1 }),
  ]
  assert.deepEqual(
    replies.map(({ status }) => status),
    [403, 403, 403],
  )
  assert.deepEqual(await audited(), [])
})

test('a dead letter is sent again and arrives; the audit log has the operator', async () => {
  isMended = true
  broken.calls.length = 0
  const { deliveryId } = (await rowOf(ids.dead)) ?? assert.fail()
  const sent = expectOk(await operator.post(`/deliveries/${deliveryId}/send-again`, {}))
  assert.deepEqual(sent.body, { again: 1, repeated: 0, nowhere: 0 })
  await until('it arrived', async () => (await statusOf(ids.dead)) === 'delivered')
  assert.deepEqual(broken.calls.flatMap(namedIn), [`${ids.dead}.1`])
  assert.deepEqual(await audited(), [
    [operator.name, 'delivery.send-again', `delivery ${deliveryId}`, { again: 1, repeated: 0, nowhere: 0 }],
  ])
})

test('selected deliveries are sent again together, an already delivered one as a repeat; an unknown one stops all', async () => {
  const chosen = [await rowOf(ids.far), await rowOf(ids.arrived)].flatMap((row) => row?.deliveryId ?? [])
  const unknown = `dlv_${'0'.repeat(8)}-0000-0000-0000-${'0'.repeat(12)}`
  const refused = await operator.post('/deliveries/send-again', { deliveryIds: [...chosen, unknown, 'x'] })
  assert.deepEqual([refused.status, problemsOf(refused).length, await statusOf(ids.far)], [404, 2, 'queued'])
  const sent = expectOk(await operator.post('/deliveries/send-again', { deliveryIds: chosen }))
  assert.deepEqual(sent.body, { again: 1, repeated: 1, nowhere: 0 })
  await until('it arrived', async () => (await statusOf(ids.far)) === 'delivered')
  await until(
    'the repeat arrived',
    async () =>
      (await deliveriesOf(stage.gateway, ids.arrived)).filter((one) => one.status === 'delivered').length ===
      2,
  )
})

test('a filter is counted first, and nothing is sent if more match by then', async () => {
  const { hotelId } = (await rowOf(ids.nowhere)) ?? assert.fail()
  const { hotelId: anothers } = (await rowOf(ids.far)) ?? assert.fail()
  const filter = { state: 'undelivered', supplierId: beta.supplierId, hotelId } as const
  const query = `state=undelivered&supplierId=${beta.supplierId}&hotelId=${hotelId}`
  const counted = expectOk(await viewer.get(`/deliveries/count-to-send?${query}`))
  assert.deepEqual(counted.body, { count: 1, isMore: false })
  const [another] = await book(stage.gateway, beta)
  const more = await operator.post('/deliveries/send-again', { filter, count: 1 })
  assert.deepEqual(
    [more.status, problemsOf(more)],
    [409, [[undefined, 'MORE_BY_NOW', 'More deliveries match than were counted; none was sent']]],
  )
  const none = await operator.post('/deliveries/send-again', { filter, count: 2 })
  assert.deepEqual([none.status, Object(problemsOf(none)[0])[1]], [409, 'NO_URL'])
  isMended = false
  expectOk(await beta.post('/push/webhook/pushbook', { webhook: `http://127.0.0.1:${broken.port}/beta` }))
  // What waits for a URL doesn't wait for a proof of a secret that isn't new.
  await stage.gateway.db.query('update api_key set signing_secret_at = null where id = $1', [beta.keyId])
  for (const id of [ids.nowhere, another?.reservationId ?? 0])
    await until('it left by itself and failed', async () => (await rowOf(id))?.state === 'failing')
  const sent = expectOk(await operator.post('/deliveries/send-again', { filter, count: 2 }))
  assert.deepEqual(sent.body, { again: 2, repeated: 0, nowhere: 0 })
  assert.equal((await audited()).length, 3)
  for (const narrower of [{ olderThanMinutes: 10_000 }, { hotelId: anothers }]) {
    const nothing = await operator.post('/deliveries/send-again', {
      filter: { ...filter, ...narrower },
      count: 5,
    })
    assert.deepEqual(problemsOf(nothing), [[undefined, 'NOTHING_TO_SEND', 'Nothing was sent']])
  }
  for (const body of [{}, { filter }, { deliveryIds: ['x'], filter, count: 1 }])
    assert.deepEqual(
      problemsOf(await operator.post('/deliveries/send-again', body)).map(
        (one) => Object.values(Object(one))[1],
      ),
      ['CHOICE_REQUIRED'],
    )
})
