import assert from 'node:assert/strict'
import type { Random } from '../fuzz/random.ts'
import type { Reply, TestClient } from '../harness.ts'
import { addDays } from '../models/naive-ari.ts'
import { bookingBody, room } from '../scenes/booking.ts'
import { expectOk, pushStoryHotel } from '../story.ts'
import { setGuard, type Hotel } from './hotel.ts'
import { rateIds } from './lines.ts'
import { randomPush, randomSettings } from './pushes.ts'
import type { Stage } from './stage.ts'

/** What happens to a hotel and its twin. */

/** Of the last pushes, which are undone now and then. */
const undoneOf = 6
/** More open holds are not released at once. */
const releasedAtOnce = 100

export async function stepOf(stage: Stage, hotel: Hotel, round: number, random: Random): Promise<void> {
  stage.counted.steps++
  const kind = random.below(100)
  if (kind < 7) await release(stage, hotel, random)
  else if (kind < 11) await discard(stage, hotel, random)
  else if (kind < 20) await undo(stage, hotel, random)
  else if (kind < 24) {
    hotel.naive.settings = randomSettings(random)
    hotel.note({ settings: hotel.naive.settings })
    expectOk(await setGuard(stage, hotel))
  } else if (kind < 26) await changeCurrency(stage, hotel, random)
  else if (kind < 31) await book(stage, hotel, random)
  else await push(stage, hotel, round, random)
}

function keyOf(keys: readonly TestClient[], key: number): TestClient {
  const client = keys[key]
  if (!client) throw new RangeError(`no key ${key}`)
  return client
}

async function push(stage: Stage, hotel: Hotel, round: number, random: Random): Promise<void> {
  const { guarded, counted } = stage
  const key = random.below(guarded.length)
  const sent = randomPush(random, hotel.hotelId, hotel.today, round)
  const nowMs = hotel.tick()
  const number = hotel.pushes++
  const reply = await keyOf(guarded, key).post('/push/ari', sent)
  hotel.note({ push: number, key, sent, status: reply.status, ...statusesOf(reply) })
  assert.ok(reply.status < 300 || reply.text.includes('GUARD_REJECTED'), reply.text)
  const order = { key, sequence: sent.sequence }
  const { ari, sharedChanges } = hotel.naive.push(sent, order, number, nowMs)
  hotel.note(ari ? { remains: { ari } } : { remains: 'all' })
  const isSent = ari === undefined || ari.length > 0
  const free = isSent ? await hotel.sendTwin(order, ari ? { hotelId: hotel.hotelId, ari } : sent) : undefined
  const requestId = String(reply.body['requestId'])
  hotel.requestIdOf.set(number, requestId)
  hotel.done.push({ push: number, guarded: requestId, free })
  counted.pushes++
  counted.steps += sent.ari.length - 1
  if (ari) counted.withheld++
  counted.sharedChanges += sharedChanges
  counted.heldItems += reply.text.split('"status":"held"').length - 1
  counted.superseded += reply.text.split('"status":"superseded"').length - 1
  await hotel.compare()
  if (random.chance(0.1)) await hotel.openHolds()
}

async function release(stage: Stage, hotel: Hotel, random: Random): Promise<void> {
  const held = await hotel.openHolds()
  const pushes = hotel.naive.holds.pushes
  if (pushes.length === 0) return
  hotel.tick()
  const isAll = random.chance(0.4) && [...held.values()].flat().length <= releasedAtOnce
  const chosen = isAll ? pushes : [random.pick(pushes)]
  const holdIds = chosen.flatMap((one) => held.get(hotel.requestIdOf.get(one) ?? '') ?? [])
  const asked = { hotelId: hotel.hotelId, ...(isAll ? {} : { holdIds }) }
  const { status, body, text } = await keyOf(stage.guarded, 0).post('/push/guard/release', asked)
  hotel.note({ release: chosen, body })
  assert.ok(status < 300, text)
  const sent = await hotel.releaseToTwin(chosen)
  stage.counted.releases++
  if (sent.length < 2) hotel.done.push({ push: undefined, guarded: String(body['requestId']), free: sent[0] })
  await hotel.compare()
}

async function discard(stage: Stage, hotel: Hotel, random: Random): Promise<void> {
  const held = await hotel.openHolds()
  const pushes = hotel.naive.holds.pushes
  if (pushes.length === 0) return
  hotel.tick()
  const chosen = random.pick(pushes)
  const holdIds = held.get(hotel.requestIdOf.get(chosen) ?? '')
  hotel.note({ discard: chosen })
  expectOk(await keyOf(stage.guarded, 1).post('/push/guard/discard', { hotelId: hotel.hotelId, holdIds }))
  hotel.naive.holds.giveUp(chosen)
  stage.counted.discards++
  await hotel.compare()
}

/** The twin undoes what it was sent of the push; what is held of the push ends. */
async function undo(stage: Stage, hotel: Hotel, random: Random): Promise<void> {
  const done = hotel.done.slice(-undoneOf)
  if (done.length === 0) return
  const { push: number, guarded, free } = random.pick(done)
  const onConflict = random.pick(['abort', 'skip'])
  const undone = (keys: readonly TestClient[], requestId: string): Promise<Reply> =>
    keyOf(keys, 0).post('/push/undo', { hotelId: hotel.hotelId, requestId, onConflict })
  hotel.tick()
  const reply = await undone(stage.guarded, guarded)
  const twin = free === undefined ? undefined : await undone(stage.free, free)
  const isHeld = number !== undefined && hotel.naive.holds.pushes.includes(number)
  const isRefused = twin?.status === 409 && Array.isArray(twin.body['conflicts'])
  const expected = twin && (twin.status < 300 || isRefused) ? twin.status : isHeld ? 200 : 409
  hotel.note({ undo: number ?? guarded, onConflict, body: reply.body, twin: twin?.status })
  assert.equal(reply.status, expected, `${reply.text}, and the twin ${twin?.text}, after\n${hotel.history()}`)
  if (reply.status < 300) {
    if (isHeld) stage.counted.holdsUndone++
    if (number !== undefined) hotel.naive.holds.giveUp(number)
    const requestIds = [reply, twin].map((one) => one && String(one.body['requestId']))
    hotel.done.push({ push: undefined, guarded: requestIds[0] ?? '', free: requestIds[1] })
  }
  stage.counted.undos++
  await hotel.compare({ isAsNaive: false })
}

async function changeCurrency(stage: Stage, hotel: Hotel, random: Random): Promise<void> {
  const { hotelId } = hotel
  const currency = random.pick(['USD', 'EUR', 'JPY'].filter((other) => other !== hotel.currency))
  hotel.currency = currency
  hotel.note({ currency })
  for (const keys of [stage.guarded, stage.free]) await pushStoryHotel(keyOf(keys, 0), { hotelId, currency })
  hotel.naive.changeCurrency()
  hotel.done = []
  stage.counted.currencies++
  await hotel.compare()
}

/** One is booked exactly if the other is. */
async function book(stage: Stage, hotel: Hotel, random: Random): Promise<void> {
  const { platform, counted } = stage
  const checkin = addDays(hotel.today, random.below(6))
  const stay = { checkin, checkout: addDays(checkin, random.pick([1, 1, 2])) }
  const rooms = [room({ rateId: random.pick(rateIds), adults: random.pick([1, 2]) })]
  hotel.tick()
  const bookingOf = (supplier: string) => {
    const { hotelId } = hotel
    const body = bookingBody(supplier, { ...stay, hotel: { supplier, hotelId }, rooms })
    return platform.post('/booking/reservations', body)
  }
  const [reply, twin] = [await bookingOf('guarded'), await bookingOf('free')]
  hotel.note({ stay, rooms, status: reply.status })
  assert.equal(reply.status, twin.status, `${reply.text} and ${twin.text}, after\n${hotel.history()}`)
  if (reply.status === 201) counted.bookings++
  await hotel.compare({ isAsNaive: false })
}

/** What became of the items of a push. */
function statusesOf({ body }: Reply) {
  const results: { status: string; holds?: { rule: string }[] }[] = Object(body).results ?? []
  return {
    results: results.map(({ status, holds }) =>
      [status, ...(holds?.map(({ rule }) => rule) ?? [])].join(' '),
    ),
  }
}
