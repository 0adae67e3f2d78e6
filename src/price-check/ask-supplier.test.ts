import assert from 'node:assert/strict'
import { performance } from 'node:perf_hooks'
import { after, test } from 'node:test'
import { gatewayForTests } from '../../test/stage/harness.ts'
import { minutes } from '../../test/stage/pace.ts'
import { httpAnswer, startReceiver } from '../../test/stage/servers/receiver.ts'
import { openLog } from '../base/log.ts'
import { telemetry } from '../base/telemetry.ts'
import { loopbackNetworks, resolveAsSystem } from '../outbound/vet-url.ts'
import { supplierCalls } from './ask-supplier.ts'

const { db, clock } = await gatewayForTests()

test('a check that shares the call of another is answered within its own time', async () => {
  let answer = (): void => {}
  const isTime = new Promise<void>((resolve) => (answer = resolve))
  const receiver = await startReceiver((socket) => void isTime.then(() => socket.write(httpAnswer(503, ''))))
  after(() => receiver.close())
  const outbound = { privateNetworks: loopbackNetworks, resolve: resolveAsSystem }
  const calls = supplierCalls({ db, clock, log: openLog('fatal'), telemetry: telemetry(), outbound })
  after(() => calls.close())
  const asked = {
    callback: {
      keyId: 1,
      url: `http://127.0.0.1:${receiver.port}/check`,
      secrets: ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'],
    },
    hotelId: 1,
    request: {
      hotelId: 'H1',
      roomId: 'DBL',
      rateId: 'BAR',
      checkin: '2027-04-20',
      checkout: '2027-04-21',
      roomCount: 1,
      adultCount: 2,
      childAges: [],
    },
    expected: { roomId: 'DBL', rateId: 'BAR', currency: 'EUR', minorDigits: 2, nightCount: 1 },
    callId: 'first',
    requestId: 'first',
  }
  const patient = calls.ask({ ...asked, untilMs: performance.now() + minutes(1) })
  // The supplier answers only after this check has timed out.
  const hurried = await calls.ask({ ...asked, callId: 'second', untilMs: performance.now() + 1 })
  assert.deepEqual(
    [hurried.callId, hurried.failure?.outcome, hurried.failure?.reason],
    [undefined, 'timeout', 'timeout'],
  )
  answer()
  const answered = await patient
  assert.deepEqual([answered.callId, answered.failure?.reason], ['first', 'http_status'])
  assert.equal(receiver.calls.length, 1)
})
