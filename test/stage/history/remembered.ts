import assert from 'node:assert/strict'
import type { Reply } from '../harness.ts'
import { expectOk, product } from '../story.ts'
import { Chance, makeSequence, type HotelSpec, type Operation } from '../models/ari-operations.ts'
import { addDays } from '../models/naive-ari.ts'
import { bookStay, clientOf, hotelBody, stopSell, type Past } from './rounds.ts'
import {
  isOfAnyPrice,
  keysOf,
  listOf,
  makeUndo,
  proveUndo,
  valuesOf,
  type Fields,
  type Values,
  type Witness,
} from './undos.ts'

/**
 * Random operations on one small hotel, one after another. Each state is read as soon as it is there and
 * remembered with what made it; the proof knows everything else from that alone: what an undo must leave, what
 * each conflict must name, every difference between two states.
 */

export type Counts = {
  operations: number
  pushes: number
  bookings: number
  stops: number
  /** Releases of values that the guard held. */
  releases: number
  undos: number
  /** Undos of the newest change: but for units, the state before it must come back. */
  identities: number
  conflicts: number
  /** All whose differences were compared, and those that were also read as history. */
  states: number
  readAgain: number
  /** Values of nights that differ between a state and the next. */
  changes: number
}

export const noCounts: Readonly<Counts> = {
  operations: 0,
  pushes: 0,
  bookings: 0,
  stops: 0,
  releases: 0,
  undos: 0,
  identities: 0,
  conflicts: 0,
  states: 0,
  readAgain: 0,
  changes: 0,
}

/** `text`: the pricing model and the ARI that getAri answered with. */
type State = { text: string; maker: Fields; values?: Values }
type PushOperation = Extract<Operation, { kind: 'ari' }>

/** A push of so many nights at most: wider ones make every later state long. */
const nightsPerItemMax = 100
const nightsOnSale = 45
/** The changes between all states are compared; as history, these many of the newest are read, and some of the others. */
const newestStates = 5
const shareOfOlderStates = 20
/** Of a hotel whose guard is on: it holds much. */
const guard = {
  rules: [
    { kind: 'priceDrop', percent: 20, action: 'hold' },
    { kind: 'priceRise', percent: 20, action: 'hold' },
    { kind: 'inventoryJump', units: 2, action: 'hold' },
    { kind: 'massOpen', nights: 5, action: 'hold' },
  ],
}

export async function proveHotel(past: Past, seed: number, operations: number): Promise<Counts> {
  const nowMs = past.gateway.clock.now()
  const today = new Date(nowMs).toISOString().slice(0, 10)
  // The hotel gets at least a third of the operations of its sequence, the others are left out.
  const { hotels, operations: made } = makeSequence(seed, nowMs, 4 * operations)
  const [spec] = hotels
  if (!spec) throw new RangeError('a sequence without a hotel')
  const pushes = made.filter((one): one is PushOperation => isPush(one))
  const hotel = new RememberedHotel(past, new Chance(seed + 1), spec, today)
  await hotel.open()
  for (const push of pushes) {
    if (hotel.counts.operations >= operations) break
    await hotel.push(push)
    await hotel.doOneMore()
  }
  await hotel.compareStates()
  await hotel.compareChanges()
  return hotel.counts
}

function isPush(operation: Operation): boolean {
  return (
    operation.kind === 'ari' &&
    operation.hotel === 0 &&
    operation.body.ari.every(
      ({ startDate, endDate }) =>
        startDate === undefined || endDate === undefined || endDate <= addDays(startDate, nightsPerItemMax),
    )
  )
}

class RememberedHotel {
  readonly counts = { ...noCounts }
  readonly #past: Past
  readonly #chance: Chance
  readonly #spec: HotelSpec
  readonly #today: string
  readonly #isGuarded: boolean
  readonly #range: { startDate: string; endDate: string }
  readonly #states = new Map<number, State>()
  #first = 0
  #present = 0

  constructor(past: Past, chance: Chance, spec: HotelSpec, today: string) {
    // Most hotels stay with one process, as behind a balancer that knows them; the others use both in turn.
    this.#past = chance.percent(75) ? { ...past, clients: past.clients.slice(0, 1) } : past
    this.#chance = chance
    this.#spec = spec
    this.#today = today
    this.#isGuarded = chance.percent(25)
    this.#range = { startDate: addDays(today, -3), endDate: addDays(today, 762) }
  }

  async open(): Promise<void> {
    const { hotelId, products } = this.#spec
    const supplier = clientOf(this.#past, this.#chance)
    expectOk(await supplier.post('/push/hotels', [hotelBody(this.#spec)]))
    const pushed = products.map((one) => product(one.roomId, one.rateId, { occupancy: one.occupancy }))
    expectOk(await supplier.post('/push/products', { hotelId, products: pushed }))
    const ari = products.map(({ roomId, rateId }) => ({
      roomId,
      startDate: this.#today,
      endDate: addDays(this.#today, nightsOnSale),
      inventory: 9,
      rates: [{ rateId, price: 100 }],
    }))
    expectOk(await supplier.post('/push/ari', { hotelId, pricingModel: 'unit', ari }))
    if (this.#isGuarded) expectOk(await supplier.post('/push/guard', { hotelId, ...guard }))
    const { revision, text } = await this.#read()
    this.#states.set(revision, { text, maker: {} })
    this.#first = this.#present = revision
  }

  async push({ keyNo, body }: PushOperation): Promise<void> {
    const reply = await clientOf(this.#past, this.#chance, keyNo).post('/push/ari', body)
    assert.ok(reply.status < 500, reply.text)
    if (reply.status < 300) {
      this.counts.operations++
      this.counts.pushes++
    }
    await this.#remember(reply, { by: 'push', requestId: reply.body['requestId'] })
  }

  /** After most pushes something else happens to the hotel. */
  async doOneMore(): Promise<void> {
    const kind = this.#chance.below(100)
    if (kind < 30) await this.#book()
    else if (kind < 37) await this.#stop()
    else if (kind < 67) await this.#undo()
    else if (kind < 80 && this.#isGuarded) await this.#release()
  }

  async #book(): Promise<void> {
    const { platform } = this.#past
    const { hotelId, products } = this.#spec
    const checkin = addDays(this.#today, 1 + this.#chance.below(nightsOnSale))
    const checkout = addDays(checkin, this.#chance.of([1, 1, 2, 3]))
    const reply = await bookStay(platform, hotelId, { ...this.#chance.of(products), checkin, checkout })
    if (reply.status !== 201) return
    const { reservationId } = reply.body
    const noted = async (booked: Reply): Promise<void> => {
      this.counts.operations++
      this.counts.bookings++
      await this.#remember(booked, { by: 'booking', reservationId })
    }
    await noted(reply)
    if (!this.#chance.percent(30)) return
    await noted(expectOk(await platform.post(`/booking/reservations/${String(reservationId)}/cancel`, {})))
  }

  async #stop(): Promise<void> {
    const reply = await stopSell(this.#past, this.#spec, this.#chance, this.#today)
    if (reply.status === 200) {
      this.counts.operations++
      this.counts.stops++
    }
    await this.#remember(reply, { by: 'stop' })
  }

  async #release(): Promise<void> {
    const { hotelId } = this.#spec
    const reply = await clientOf(this.#past, this.#chance).post('/push/guard/release', { hotelId })
    assert.ok(reply.status < 500, reply.text)
    if (reply.status < 300) {
      this.counts.operations++
      this.counts.releases++
    }
    await this.#remember(reply, { by: 'push', requestId: reply.body['requestId'] })
  }

  async #undo(): Promise<void> {
    const present = this.#present
    const body = makeUndo(this.#chance, this.#spec.hotelId, present)
    // What came before the hotel was opened isn't remembered.
    body.revision = Math.max(body.revision, this.#first)
    if (body.revision === this.#first) return
    const reply = await clientOf(this.#past, this.#chance).post('/push/undo', body)
    await this.#remember(reply, { by: 'undo', requestId: reply.body['requestId'] })
    const { undos, conflicts } = await proveUndo(this.#witness(), body, reply, this.#past.gateway.clock.now())
    this.counts.operations += undos
    this.counts.undos += undos
    this.counts.conflicts += conflicts
    if (undos === 0 || body.revision !== present || body.fields || body.dryRun) return
    assert.equal(conflicts, 0, reply.text)
    assert.deepEqual(this.#withoutUnits(this.#present), this.#withoutUnits(present - 1), reply.text)
    this.counts.identities++
  }

  #withoutUnits(revision: number): Values {
    return new Map([...this.#valuesAt(revision)].filter(([key]) => !key.includes('|inventory|')))
  }

  #witness(): Witness {
    return {
      valuesAt: async (revision) => this.#valuesAt(revision),
      changerOf: async (conflict, revision) => this.#changerOf(conflict, revision),
      makerOf: async (revision) => String(this.#stateAt(revision).maker['by']),
      timeZone: async () => this.#spec.timeZone,
      conflictsMax: Infinity,
    }
  }

  /** Every night of a conflict names the same change. */
  #changerOf(conflict: Fields, revision: number): Fields {
    const newest = keysOf([conflict]).map((key) => {
      const ofNight = key.split('|', 4).join('|')
      for (let at = revision; at > this.#first; at--) {
        const [after, before] = [this.#valuesAt(at), this.#valuesAt(at - 1)]
        const keys = isOfAnyPrice(conflict)
          ? [...new Set([...after.keys(), ...before.keys()])].filter((one) => one.startsWith(`${ofNight}|`))
          : [key]
        if (keys.some((one) => after.get(one) !== before.get(one))) return at
      }
      return 0
    })
    assert.equal(new Set(newest).size, 1, JSON.stringify(conflict))
    const [changedAt = 0] = newest
    return { ...this.#stateAt(changedAt).maker, revision: changedAt }
  }

  #stateAt(revision: number): State {
    const state = this.#states.get(revision)
    if (!state) throw new RangeError(`revision ${revision} of ${this.#spec.hotelId} is not remembered`)
    return state
  }

  #valuesAt(revision: number): Values {
    const state = this.#stateAt(revision)
    return (state.values ??= valuesOf(JSON.parse(state.text)[1]))
  }

  async #read(asOf?: object): Promise<{ revision: number; text: string }> {
    const body = { hotelId: this.#spec.hotelId, ...this.#range, ...(asOf ? { asOf } : {}) }
    const { revision, pricingModel, ari } = expectOk(
      await clientOf(this.#past, this.#chance).post('/push/getAri', body),
    ).body
    return { revision: Number(revision), text: JSON.stringify([pricingModel ?? null, ari]) }
  }

  /**
   * What an operation left: one revision more, unless it was refused or its answer says that nothing changed. If that
   * wasn't so, the state before it would be another one when it is read as history.
   */
  async #remember({ status, body }: Reply, maker: Fields): Promise<void> {
    if (status >= 400 || body['revision'] === this.#present) return
    const { revision, text } = await this.#read()
    if (revision === this.#present) return
    assert.equal(revision, this.#present + 1, this.#spec.hotelId)
    this.#states.set(revision, { text, maker })
    this.#present = revision
  }

  /** The newest states are read again as history, and a share of the others. */
  async compareStates(): Promise<void> {
    for (const [revision, { text }] of this.#states) {
      if (this.#present - revision > newestStates && !this.#chance.percent(shareOfOlderStates)) continue
      const read = await this.#read({ revision })
      assert.deepEqual(read, { revision, text }, `${this.#spec.hotelId}, revision ${revision}`)
      this.counts.readAgain++
    }
  }

  /** All differences between the first state and the last, with what made them. */
  async compareChanges(): Promise<void> {
    const listed = new Map<number, string[]>()
    let cursor: unknown
    do {
      const { body } = expectOk(
        await clientOf(this.#past, this.#chance).post('/push/getAriDiff', {
          hotelId: this.#spec.hotelId,
          from: { revision: this.#first },
          limit: 200,
          ...(typeof cursor === 'string' ? { cursor } : {}),
        }),
      )
      for (const change of listOf(body['changes'])) {
        // The platform's own closures are not what getAri answers with.
        if (change['field'] === 'stopSell') continue
        const revision = Number(change['revision'])
        const { by, requestId, reservationId } = change
        const named = Object.entries({ by, requestId, reservationId }).filter(
          ([name]) => name in this.#stateAt(revision).maker,
        )
        assert.deepEqual(Object.fromEntries(named), this.#stateAt(revision).maker, JSON.stringify(change))
        const values = `${shown(change['before'])} → ${shown(change['after'])}`
        const lines = listed.get(revision) ?? []
        listed.set(revision, lines)
        for (const key of keysOf([change])) lines.push(`${key} ${values}`)
      }
      cursor = body['nextCursor']
    } while (cursor !== null)
    for (let revision = this.#first + 1; revision <= this.#present; revision++) {
      const [before, after] = [this.#valuesAt(revision - 1), this.#valuesAt(revision)]
      const expected = [...new Set([...before.keys(), ...after.keys()])]
        .filter((key) => before.get(key) !== after.get(key))
        .map((key) => `${key} ${shown(before.get(key))} → ${shown(after.get(key))}`)
      assert.deepEqual(
        (listed.get(revision) ?? []).toSorted(),
        expected.toSorted(),
        `${this.#spec.hotelId}, changes of revision ${revision}`,
      )
      this.counts.changes += expected.length
      this.counts.states++
    }
  }
}

/** What isn't set is not listed by getAri; in a change it is null, of a switch false. */
function shown(value: unknown): string {
  return value === undefined || value === null || value === false ? '–' : JSON.stringify(value)
}
