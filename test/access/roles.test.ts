import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import {
  book,
  deliveriesOf,
  namedIn,
  startDeliveryTest,
  until,
  type DeliveryTest,
} from '../stage/scenes/deliveries.ts'
import { httpAnswer, startReceiver, type Receiver } from '../stage/servers/receiver.ts'

/** Processes that each run a part of the service. */

let stage: DeliveryTest
let receiver: Receiver
before(async () => {
  stage = await startDeliveryTest()
  receiver = await startReceiver((socket) => socket.write(httpAnswer(200, '{}')))
})
after(async () => {
  await stage.stop()
  await receiver.close()
})

const statusesOf = async (url: string): Promise<unknown> => {
  const paths = [
    '/livez',
    '/readyz',
    '/metrics',
    '/v1/push/limits',
    '/docs',
    '/openapi.json',
    '/console/api/me',
  ]
  return Object.fromEntries(
    await Promise.all(paths.map(async (path) => [path, (await fetch(url + path)).status] as const)),
  )
}
const probes = { '/livez': 200, '/readyz': 200, '/metrics': 200 }

test('a process that only delivers answers probes, and delivers what another one has booked', async () => {
  const part = await stage.gateway.second({ isGateway: false, console: undefined })
  assert.deepEqual(await statusesOf(part.url), {
    ...probes,
    '/v1/push/limits': 404,
    '/docs': 404,
    '/openapi.json': 404,
    '/console/api/me': 404,
  })
  const supplier = await stage.supplierAt('roles', `http://127.0.0.1:${receiver.port}/book`)
  receiver.calls.length = 0
  const worker = part.app.startDeliveries()
  try {
    const [booked] = await book(stage.gateway, supplier)
    assert.ok(booked)
    await until('it is delivered', async () => {
      const [delivery] = await deliveriesOf(stage.gateway, booked.reservationId)
      return delivery?.status === 'delivered'
    })
    assert.deepEqual(receiver.calls.flatMap(namedIn), [`${booked.reservationId}.1`])
  } finally {
    await worker.close()
  }
})

test('one that has only the console answers its API, and nothing of that of suppliers and the platform', async () => {
  const part = await stage.gateway.second({ isGateway: false })
  assert.deepEqual(await statusesOf(part.url), {
    ...probes,
    '/v1/push/limits': 404,
    '/docs': 200,
    '/openapi.json': 200,
    '/console/api/me': 401,
  })
})
