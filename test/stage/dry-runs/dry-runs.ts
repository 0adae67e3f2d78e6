import assert from 'node:assert/strict'
import { seeded } from '../fuzz/random.ts'
import { inTurns } from '../in-turns.ts'
import type { Reply } from '../harness.ts'
import { randomChange, randomStay } from '../ledger/asked.ts'
import { expectStatus, newHistory, refusalOf, type History } from '../ledger/history.ts'
import { Hotel } from '../ledger/hotel.ts'
import { bodyOf } from '../sale/asks.ts'
import { withoutRooms } from '../sale/claims.ts'
import { booked, changed } from '../sale/sale.ts'
import type { Asked, State } from '../sale/state.ts'
import { allOf, differing, penaltyOf, plain, type Kind, type Pair } from './shown-pair.ts'
import { openStage } from '../ledger/stage.ts'

/**
 * Pairs of a dry run and the call. Between the two, time passes or the hotel pushes, or neither. A call with what the dry run
 * said does what it said, or nothing.
 */

const hotelsPerBatch = 12
const ticks = 13
export const pairsPerBatch = hotelsPerBatch * ticks
const hotelsAtOnce = 4
const hourMs = 3_600_000

const countedKinds = [
  'booked',
  'changed',
  'cancelled',
  'cancelledRooms',
  'unchanged',
  'askedTotal',
  'askedTerms',
  'askedForfeit',
  'agedAndTheSame',
  'aged PRICE_CHANGED',
  'aged TERMS_CHANGED',
  'aged PENALTY_DUE',
  'aged PENALTY_CHANGED',
] as const
export type CountedPairs = Record<(typeof countedKinds)[number], number>

/** The reservation of a hotel that can still be changed. */
type Open = { id: string; state: State }
type Place = { history: History; open: Open | undefined; pair: Pair | undefined }

export async function openDryRuns(seed: number) {
  const { stage, close } = await openStage(seed)
  const { gateway } = stage
  stage.receiver.heal(true)
  const failures: string[] = []
  const counted: CountedPairs = {
    booked: 0,
    changed: 0,
    cancelled: 0,
    cancelledRooms: 0,
    unchanged: 0,
    askedTotal: 0,
    askedTerms: 0,
    askedForfeit: 0,
    agedAndTheSame: 0,
    'aged PRICE_CHANGED': 0,
    'aged TERMS_CHANGED': 0,
    'aged PENALTY_DUE': 0,
    'aged PENALTY_CHANGED': 0,
  }
  let pairs = 0
  const batch = async (number: number): Promise<void> => {
    const clock = seeded(seed + number)
    let places: Place[] = []
    const each = async (work: (place: Place) => Promise<void>): Promise<void> => {
      await inTurns(places, hotelsAtOnce, async (place) => {
        try {
          await work(place)
        } catch (error) {
          failures.push(error instanceof Error ? (error.stack ?? error.message) : String(error))
          places = places.filter((one) => one !== place)
        }
      })
    }
    const all = Array.from({ length: hotelsPerBatch }, (_, index) => index)
    await inTurns(all, hotelsAtOnce, async (index) => {
      const own = seeded((seed + number) * 1_000 + index)
      const hotel = await Hotel.open(stage, own, `D${seed + number}-${index}`)
      places[index] = { history: newHistory(stage, hotel, own), open: undefined, pair: undefined }
    })
    for (let tick = 0; tick < ticks; tick++) {
      const pass = (ms: number): void => gateway.clock.set(new Date(gateway.clock.now() + ms).toISOString())
      pass(clock.pick([1_000, 60_000, hourMs]))
      await each(async (place) => {
        place.pair = await show(place)
      })
      pairs += places.filter(({ pair }) => pair).length
      const hasTimePassed = clock.chance(0.6)
      if (hasTimePassed) pass(untilDeadline(places, clock.pick([hourMs, 12 * hourMs]), gateway.clock.now()))
      await each(async (place) => {
        const { pair, history } = place
        if (!pair) return
        const isAged = history.random.chance(0.4)
        if (isAged) await age(history)
        await follow(place, pair, { isAged: isAged || hasTimePassed, counted })
      })
    }
  }
  return { batch, counted, failures, close, pairs: () => pairs }
}

/** As long as it takes until the next deadline of somebody. */
function untilDeadline(places: readonly Place[], otherwiseMs: number, nowMs: number): number {
  const ahead = places
    .flatMap(({ open }) => open?.state.rooms ?? [])
    .flatMap(({ steps = [] }) => steps.map(({ fromMs }) => fromMs - nowMs))
    .filter((ms) => ms > 0 && ms < 30 * hourMs)
  return ahead.length > 0 ? Math.min(...ahead) : otherwiseMs
}

async function age({ hotel, random, note }: History): Promise<void> {
  const kind = random.pick(['price', 'policy', 'policy', 'mealPlan', 'taxes', 'currency'])
  const pushed =
    kind === 'price'
      ? hotel.pushPrices()
      : kind === 'policy'
        ? hotel.pushPolicy()
        : kind === 'mealPlan'
          ? hotel.pushMealPlan()
          : kind === 'taxes'
            ? hotel.pushTaxes()
            : hotel.pushCurrency()
  note({ [kind]: await pushed })
}

/** Shows a guest what a call would do. */
async function show(place: Place): Promise<Pair> {
  const { history } = place
  const { hotel, random } = history
  if (random.chance(0.3)) await age(history)
  if (place.open && hotel.today > place.open.state.checkin) place.open = undefined
  const { open } = place
  if (!open || random.chance(0.1)) return shown(history, 'book', randomStay(history), undefined)
  if (random.chance(0.3)) return shownCancel(history, open)
  return shown(history, 'change', randomChange(history, open.state), open)
}

async function shown(
  history: History,
  kind: 'book' | 'change',
  asked: Asked,
  open: Open | undefined,
): Promise<Pair> {
  const { platform } = history.stage
  const call = (more: Record<string, unknown>): Promise<Reply> => {
    const body = bodyOf(history.hotel.named, asked, more, open?.id)
    return open
      ? platform.put(`/booking/reservations/${open.id}`, body)
      : platform.post('/booking/reservations', body)
  }
  const ask = (): Promise<Reply> => call({ dryRun: true })
  const now = { hotel: history.hotel.naive, nowMs: history.stage.gateway.clock.now() }
  const change = open ? changed(open.state, asked, now) : undefined
  const after = open ? (change?.isRefused === false ? change.after : undefined) : booked(asked, now)
  const reply = await ask()
  history.note({ [kind]: asked, id: open?.id, shown: reply.status, asks: reply.body['asks'] })
  return { kind, ask, call, shown: reply, after, rooms: undefined }
}

async function shownCancel(history: History, { id, state }: Open): Promise<Pair> {
  const { platform, gateway } = history.stage
  const isPart = state.rooms.length > 1 && history.random.chance(0.5)
  const rooms = isPart ? [history.random.pick(state.rooms).number] : undefined
  const ids = rooms?.map((number) => `${id}-${number}`)
  const query = ids ? `?rooms=${ids.join()}` : ''
  const ask = (): Promise<Reply> => platform.get(`/booking/reservations/${id}/cancellation${query}`)
  const call = (more: Record<string, unknown>): Promise<Reply> =>
    platform.post(`/booking/reservations/${id}/cancel`, { ...(ids ? { rooms: ids } : {}), ...more })
  const reply = await ask()
  history.note({ cancel: id, rooms, shown: reply.body['penalty'] })
  const after = rooms && withoutRooms(state, rooms, gateway.clock.now())
  return { kind: 'cancel', ask, call, shown: reply, after, rooms }
}

type Followed = { isAged: boolean; counted: CountedPairs }

/** Calls with what was shown. */
async function follow(place: Place, pair: Pair, { isAged, counted }: Followed): Promise<void> {
  const { history, open } = place
  const { shown: said } = pair
  place.pair = undefined
  const before = open && (await read(history, open.id))
  const now = isAged ? await pair.ask() : said
  if (said.status > 299) {
    if (!isAged) assert.equal(refusalOf(history, await pair.call({})), refusalOf(history, said), history.text)
    return
  }
  const consents = pair.kind === 'cancel' ? penaltyOf(said) : isAged ? allOf(pair) : Object(said.body['asks'])
  const reply = await pair.call(consents)
  history.note({ with: consents, answered: reply.status })
  // Nothing is agreed to where nothing changes.
  const isSame = now.body['message'] === 'Reservation unchanged'
  const refused =
    now.status > 299 ? refusalOf(history, now) : isSame ? undefined : differing(pair.kind, said, now)
  if (refused) {
    assert.ok(isAged, `what was shown differs, after\n${history.text}`)
    assert.equal(refusalOf(history, reply), refused, `an aged ${pair.kind}, after\n${history.text}`)
    count(counted, `aged ${refused}`)
    if (open) assert.deepEqual(await read(history, open.id), before, history.text)
    return
  }
  if (isAged) counted.agedAndTheSame++
  expectStatus(history, reply, pair.kind === 'book' ? 201 : 200)
  if (pair.kind === 'cancel') {
    assert.deepEqual(reply.body['penalty'], now.body['penalty'], `cancelled, after\n${history.text}`)
    counted[pair.rooms ? 'cancelledRooms' : 'cancelled']++
  } else {
    assert.deepEqual(plain(reply), plain(now), `${pair.kind}, after\n${history.text}`)
    countAsks(counted, said, pair.kind, reply)
  }
  place.open = next(history, pair, reply)
}

function count(counted: CountedPairs, kind: string): void {
  for (const known of countedKinds) if (known === kind) counted[known]++
}

function countAsks(counted: CountedPairs, said: Reply, kind: Kind, reply: Reply): void {
  if (kind === 'book') counted.booked++
  else if (reply.body['message'] === 'Reservation unchanged') counted.unchanged++
  else counted.changed++
  const { expectedTotal, expectedTerms, acceptForfeit } = Object(said.body['asks'] ?? {})
  if (expectedTotal) counted.askedTotal++
  if (expectedTerms) counted.askedTerms++
  if (acceptForfeit !== undefined) counted.askedForfeit++
}

/** What the reservation is by now, for the next pair: in the ledger, and only where it is as it was computed. */
function next(history: History, { after, kind }: Pair, reply: Reply): Open | undefined {
  if (!after) return undefined
  const id = String(reply.body['reservationId'])
  if (kind === 'cancel' && reply.body['status'] === 'Cancel') return undefined
  history.note({ is: id })
  return { id, state: after }
}

async function read({ stage }: History, id: string): Promise<unknown> {
  const { body } = await stage.platform.get(`/booking/reservations/${id}`)
  const { version, status, total, forfeited } = Object(body['reservation'])
  return { version, status, total, forfeited }
}
