import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import {
  book,
  deliveriesOf,
  startDeliveryTest,
  until,
  type DeliveryTest,
} from '../../../test/stage/scenes/deliveries.ts'
import { httpAnswer, startReceiver } from '../../../test/stage/servers/receiver.ts'
import { openLog } from '../../base/log.ts'
import { cardExpiresAtMs } from '../../bookings/book/book.ts'
import { saveCard } from '../../cards/store.ts'
import { setAccount } from '../../keys/suppliers.ts'
import { telemetry } from '../../base/telemetry.ts'
import { openCardVault } from '../../cards/card-vault.ts'

let stage: DeliveryTest
before(async () => {
  stage = await startDeliveryTest()
})
after(() => stage.stop())

function later(ms: number): void {
  stage.gateway.clock.set(new Date(stage.gateway.clock.now() + ms).toISOString())
}

const statusOf = async (reservationId: number): Promise<string | undefined> =>
  (await deliveriesOf(stage.gateway, reservationId)).at(-1)?.status

test('an endpoint that begins to fail is one warning, and one line when it takes reservations again, without its query', async () => {
  const lines: Record<string, unknown>[] = []
  const log = openLog('info', { write: (line) => void lines.push(JSON.parse(line)) })
  let status = 503
  const receiver = await startReceiver((socket) => socket.write(httpAnswer(status, '{}')))
  const place = `127.0.0.1:${receiver.port}/book`
  const supplier = await stage.supplierAt('trouble', `http://${place}?token=secret-of-theirs`)
  const worker = stage.worker({ log })
  const booked = await book(stage.gateway, supplier, { count: 3 })
  // Counted when claimed; it waits again once settled, and then the time of its next attempt is known.
  const haveFailed = async (times: number): Promise<boolean> =>
    (await Promise.all(booked.map((one) => deliveriesOf(stage.gateway, one.reservationId))))
      .flat()
      .every(({ attempts, status: standing }) => attempts === times && standing === 'queued')
  await until('each has failed once', () => haveFailed(1))
  later(12_000)
  await until('each has failed twice', () => haveFailed(2))
  status = 200
  later(40_000)
  await until('all are delivered', async () => {
    const statuses = await Promise.all(booked.map((one) => statusOf(one.reservationId)))
    return statuses.every((one) => one === 'delivered')
  })
  await worker.close()
  await receiver.close()
  const said = lines
    .filter(({ msg }) => String(msg).startsWith('deliveries '))
    .map(({ level, msg, endpoint, outcome, httpStatus, failures }) => [
      [level, msg, endpoint],
      [outcome, httpStatus, failures],
    ])
  assert.deepEqual(said, [
    [
      [40, 'deliveries begin to fail', place],
      ['unavailable', 503, undefined],
    ],
    [
      [30, 'deliveries arrive again', place],
      [undefined, undefined, 6],
    ],
  ])
  assert.ok(!JSON.stringify(lines).includes('secret-of-theirs'))
})

test('a card whose time is over goes with no delivery, also before it is destroyed', async () => {
  const { db, clock } = stage.gateway
  const vault = await openCardVault(
    { db, log: openLog('fatal'), telemetry: telemetry() },
    { present: Buffer.alloc(32, 7), previous: [] },
  )
  const receiver = await startReceiver()
  const supplier = await stage.supplierAt('late card', undefined)
  await setAccount(stage.gateway.db, 'late card', { deliversCards: true })
  const card = { holderName: 'Ada', type: 'VI', number: '4111111111111111', expiry: '01/2030' }
  const keepUntilMs = cardExpiresAtMs(Math.floor(stage.gateway.clock.now() / 86_400_000) + 1)
  const [kept, over] = await book(stage.gateway, supplier, { count: 2 })
  assert.ok(kept && over)
  for (const [{ reservationId }, untilMs] of [
    [kept, keepUntilMs],
    [over, stage.gateway.clock.now() + 60_000],
  ] as const)
    await saveCard(db, reservationId, vault.seal(String(reservationId), card), {
      version: 1,
      nowMs: clock.now(),
      keepUntilMs: untilMs,
    })
  await supplier.post('/push/webhook/pushbook', { webhook: `http://127.0.0.1:${receiver.port}/book` })
  receiver.calls.length = 0
  // Moves to the hourly run, before housekeeping has run.
  later(3_600_000)
  const worker = stage.worker({ vault })
  for (const { reservationId } of [kept, over])
    await until('it is delivered', async () => (await statusOf(reservationId)) === 'delivered')
  await worker.close()
  await vault.close()
  await receiver.close()
  const carried = receiver.calls.flatMap(({ body }) =>
    Object.values(Object(JSON.parse(body.toString())).reservations.reservation).map((one) => [
      Number(Object(one).reservation_id),
      Object(one).paymentcarddetail?.CardNumber,
    ]),
  )
  // The two reservations may come in either order.
  carried.sort(([left = 0], [right = 0]) => left - right)
  assert.deepEqual(carried, [
    [kept.reservationId, card.number],
    [over.reservationId, undefined],
  ])
})
