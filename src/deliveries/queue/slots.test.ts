import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Lane } from '../../bookings/outbox/delivery-schedule.ts'
import { DeliverySlots, type Slot } from './slots.ts'

function roomsOf(
  slots: DeliverySlots,
  endpoints: readonly number[],
  nowMs = 0,
  lane: Lane = 'first',
): number[] {
  const allotted = slots.allot(
    endpoints.map((endpoint) => ({ lane, endpoint })),
    nowMs,
  )
  return endpoints.map((endpoint) => allotted.find((one) => one.endpoint === endpoint)?.room ?? 0)
}

/** Makes this many calls, each answered at once. */
function answer(slots: DeliverySlots, endpoint: number, times: number): void {
  for (let call = 0; call < times; call++) slots.leave(slots.take(endpoint, 'first', 0), 'good', 5)
}

test('an endpoint begins with two calls, has up to 64 as it answers, and loses half with a failure', () => {
  const slots = new DeliverySlots()
  const rooms = [roomsOf(slots, [1])]
  answer(slots, 1, 10)
  rooms.push(roomsOf(slots, [1]))
  answer(slots, 1, 100)
  rooms.push(roomsOf(slots, [1]))
  slots.leave(slots.take(1, 'first', 0), 'bad', 5)
  rooms.push(roomsOf(slots, [1]))
  for (let failure = 0; failure < 9; failure++) slots.leave(slots.take(1, 'first', 0), 'bad', 5)
  rooms.push(roomsOf(slots, [1]))
  assert.deepEqual(rooms.flat(), [2, 12, 64, 32, 1])
})

test('however many endpoints hang, one that has shown that it answers finds room; a new one waits', () => {
  const slots = new DeliverySlots()
  answer(slots, 1, 10)
  const hanging = Array.from({ length: 1_000 }, (_, index) => 100 + index)
  const wanted = hanging.map((endpoint) => ({ lane: 'first' as const, endpoint }))
  for (const one of slots.allot(wanted, 0))
    for (let call = 0; call < one.room; call++) slots.take(one.endpoint, 'first', 0)
  assert.deepEqual([slots.underWay(), roomsOf(slots, [1, 2])], [512, [12, 0]])
})

test('an endpoint that begins to hang takes no room from those that answer', () => {
  const slots = new DeliverySlots()
  for (let endpoint = 1; endpoint <= 20; endpoint++) answer(slots, endpoint, 100)
  for (let endpoint = 1; endpoint <= 8; endpoint++)
    for (let call = 0; call < 64; call++) slots.take(endpoint, 'first', 0)
  // The whole budget is in use until the calls are old.
  assert.deepEqual([roomsOf(slots, [20], 1_000), roomsOf(slots, [20], 3_000)], [[0], [64]])
  assert.deepEqual([slots.isPrompt(1, 3_000), slots.isPrompt(20, 3_000)], [false, true])
})

test('retries and the hourly run have budgets of their own, and of one endpoint a part', () => {
  const slots = new DeliverySlots()
  answer(slots, 1, 100)
  const both = (): number[][] => [roomsOf(slots, [1], 0, 'retry'), roomsOf(slots, [1], 0, 'hourly')]
  assert.deepEqual(both(), [[16], [1]])
  for (let call = 0; call < 16; call++) slots.take(1, 'retry', 0)
  slots.take(1, 'hourly', 0)
  // Late retries leave first attempts all their room.
  assert.deepEqual(
    [...both(), roomsOf(slots, [1]), roomsOf(slots, [1], 1_000, 'retry')],
    [[0], [0], [64], [1]],
  )
})

/** Starts every permitted call, each 10 ms, and answers none; returns how many start in each second. */
function begunEachSecond(
  slots: DeliverySlots,
  endpoints: readonly number[],
  { seconds, lane = 'first' }: { seconds: number; lane?: Lane },
): number[] {
  const underWay: { slot: ReturnType<DeliverySlots['take']>; untilMs: number }[] = []
  return Array.from({ length: seconds }, (_, second) => {
    let begun = 0
    for (let nowMs = second * 1_000; nowMs < (second + 1) * 1_000; nowMs += 10) {
      while (underWay[0] && underWay[0].untilMs <= nowMs) {
        const [over] = underWay.splice(0, 1)
        if (over) slots.leave(over.slot, 'bad', nowMs)
      }
      const wanted = endpoints.map((endpoint) => ({ lane, endpoint }))
      for (const { endpoint, room } of slots.allot(wanted, nowMs)) {
        begun += room
        for (let call = 0; call < room; call++)
          underWay.push({ slot: slots.take(endpoint, lane, nowMs), untilMs: nowMs + 10_000 })
      }
    }
    return begun
  })
}

test('however many calls of an endpoint hang, some more begin in each second, and one of its others finds room', () => {
  const slots = new DeliverySlots()
  const begun = begunEachSecond(slots, [1], { seconds: 60 })
  assert.deepEqual([Math.min(...begun) >= 4, slots.underWay() <= 120], [true, true])
  // Retries hang in a lane of their own.
  const before = slots.underWay()
  const retried = begunEachSecond(slots, [1], { seconds: 60, lane: 'retry' })
  assert.deepEqual([Math.min(...retried) >= 1, slots.underWay() - before <= 30], [true, true])
})

test('endpoints whose calls all hang leave a new endpoint its initial room, and share the rest evenly', () => {
  const slots = new DeliverySlots()
  const dead = Array.from({ length: 100 }, (_, index) => 100 + index)
  begunEachSecond(slots, dead, { seconds: 9 })
  const underWay = dead.map((endpoint) => slots.underWayOf(endpoint))
  assert.deepEqual([roomsOf(slots, [1], 9_000), Math.min(...underWay) >= 3], [[2], true])
  assert.ok(slots.underWay() <= 1_024, String(slots.underWay()))
})

function aheadOf(slots: DeliverySlots, endpoint: number, nowMs = 10): { room: number; ahead: number } {
  const [one] = slots.allot([{ lane: 'first', endpoint }], nowMs)
  return { room: one?.room ?? 0, ahead: one?.ahead ?? 0 }
}

/** An endpoint with all its 64 calls in progress, and as many deliveries ahead of them as wanted. */
function busy(ahead: number): { slots: DeliverySlots; calls: Slot[]; waiting: Slot[] } {
  const slots = new DeliverySlots()
  answer(slots, 1, 200)
  const calls = Array.from({ length: 64 }, () => slots.take(1, 'first', 10))
  const waiting = Array.from({ length: ahead }, () => slots.take(1, 'first', 10, { isAhead: true }))
  return { slots, calls, waiting }
}

test('an endpoint that answers quickly is given deliveries ahead, again when half of them have begun', () => {
  const { slots, calls } = busy(128)
  const before = aheadOf(slots, 1)
  for (const call of calls) slots.leave(call, 'good', 20)
  assert.deepEqual(
    [before, aheadOf(slots, 1)],
    [
      { room: 0, ahead: 0 },
      { room: 0, ahead: 64 },
    ],
  )
  assert.deepEqual([slots.underWayOf(1), slots.underWay()], [64, 64])
})

test('one that is new, or slow, or hangs, is given none ahead', () => {
  const slots = new DeliverySlots()
  const ofNew = aheadOf(slots, 1)
  answer(slots, 2, 100)
  slots.leave(slots.take(2, 'first', 0), 'good', 150)
  const hanging = busy(0).slots
  assert.deepEqual(
    [ofNew, aheadOf(slots, 2), aheadOf(hanging, 1, 3_000)].map(({ ahead }) => ahead),
    [0, 0, 0],
  )
})

test('no more are claimed ahead than answers came quickly in a row since the last failure, slow answer or late turn', async () => {
  const slots = new DeliverySlots()
  const ahead: number[] = []
  const look = (): number => ahead.push(aheadOf(slots, 1).ahead)
  answer(slots, 1, 200)
  look()
  slots.leave(slots.take(1, 'first', 0), 'bad', 5)
  answer(slots, 1, 10)
  look()
  slots.leave(slots.take(1, 'first', 0), 'good', 150)
  answer(slots, 1, 5)
  look()
  for (let call = 0; call < 64; call++) slots.take(1, 'first', 10)
  await slots.mayBegin(slots.take(1, 'first', 10, { isAhead: true }))
  look()
  assert.deepEqual(ahead, [128, 10, 5, 0])
})

test('those ahead of a worker that stops do not begin', async () => {
  const { slots, waiting } = busy(2)
  slots.dropAhead()
  assert.deepEqual(await Promise.all(waiting.map((slot) => slots.mayBegin(slot))), [false, false])
})

test('deliveries ahead of many endpoints leave half of the budget free', () => {
  const slots = new DeliverySlots()
  for (let endpoint = 1; endpoint <= 20; endpoint++) answer(slots, endpoint, 200)
  const wanted = Array.from({ length: 4 }, (_, index) => ({ lane: 'first' as const, endpoint: index + 1 }))
  const ahead = slots.allot(wanted, 10).map((one) => one.ahead)
  assert.deepEqual([ahead, roomsOf(slots, [20], 10)], [[0, 0, 0, 0], [64]])
})

test('those ahead begin one by one, in their order, as calls end; when the endpoint fails, the others do not', async () => {
  const { slots, calls, waiting } = busy(3)
  const [first, second, third] = waiting
  const [one, other] = calls
  if (!first || !second || !third || !one || !other) return assert.fail()
  slots.leave(one, 'good', 20)
  const begun = await slots.mayBegin(first)
  slots.leave(other, 'bad', 20)
  const others = await Promise.all([second, third].map((slot) => slots.mayBegin(slot)))
  assert.deepEqual([begun, first.startedMs, others], [true, 20, [false, false]])
  assert.equal(slots.underWayOf(1), 63)
})

test('one whose turn does not come in time does not begin', async () => {
  const { slots, waiting } = busy(1)
  const mayBegin = await Promise.all(waiting.map((slot) => slots.mayBegin(slot)))
  assert.deepEqual([mayBegin, slots.underWayOf(1)], [[false], 64])
})
