import assert from 'node:assert/strict'
import { rateRestrictions, isSwitch } from '../../../src/ari/restrictions.ts'
import { formatNight, hourMs, parseNight } from '../../../src/base/calendar.ts'
import type { CheckId } from '../../../src/certification/contract.ts'
import { readFaultOrder } from '../../../src/simulate/faults.ts'
import { startSupplier, type SimulatedSupplier } from '../../../src/simulate/supplier.ts'
import { platformOf } from '../scenes/booking.ts'
import { until } from '../scenes/deliveries.ts'
import type { Reply, TestClient, TestGateway, TestSupplier } from '../harness.ts'
import { expectOk, product, storyHotel } from '../story.ts'

/**
 * A supplier that does everything as the guides say, with a simulated supplier at its URLs; its traffic proves every check
 * of the certification. With `fails` it does the one thing wrong that this check is about.
 */
export async function liveAsSupplier(
  gateway: TestGateway,
  name: string,
  fails?: CheckId,
): Promise<TestSupplier> {
  const supplier = await gateway.supplier(name, { requestsPerMinute: 0 })
  // Refused deliveries are repeated in the run of a full hour: that of this one is over, and this life ends before the next.
  pass(gateway, (hourMs - (gateway.clock.now() % hourMs)) / 1_000)
  await until('the run of this hour is over', async () => {
    const { rows } = await gateway.db.query('select from hourly_run where hour = instant($1)', [
      gateway.clock.now(),
    ])
    return rows.length > 0
  })
  const life = new Life(gateway, supplier, fails)
  await life.load()
  await life.pushThroughTheYear()
  await life.repeatAndRetry()
  await life.answerCalls()
  await life.setDurations()
  pass(gateway, 20 * 60)
  return supplier
}

/** The ids of the checks that are not proven. */
export async function notProven(supplier: TestClient): Promise<unknown[]> {
  const { body } = expectOk(await supplier.get('/push/certification'))
  assert.ok(Array.isArray(body['checks']))
  return body['checks']
    .filter(({ state }) => state !== 'proven')
    .map(({ id, state, why }) => [id, state, why])
}

/** Moves the service's clock: time passes only here. */
function pass(gateway: TestGateway, seconds: number): void {
  gateway.clock.set(new Date(gateway.clock.now() + seconds * 1_000).toISOString())
}

const firstNight = '2027-03-01'
const nightAfter = (days: number): string => formatNight((parseNight(firstNight) ?? 0) + days)
const stay = { checkin: '2027-04-20', checkout: '2027-04-22' }

class Life {
  readonly #gateway: TestGateway
  readonly #supplier: TestSupplier
  readonly #fails: CheckId | undefined
  #sequence = 1_000
  #units = 10

  constructor(gateway: TestGateway, supplier: TestSupplier, fails: CheckId | undefined) {
    this.#gateway = gateway
    this.#supplier = supplier
    this.#fails = fails
  }

  /** Two hotels with a year of ARI: H1 with a price for the unit, H2 with prices by number of guests. */
  async load(): Promise<void> {
    expectOk(await this.#post('/push/hotels', [storyHotel(), storyHotel({ hotelId: 'H2' })]))
    expectOk(await this.#post('/push/products', { hotelId: 'H1', products: [product('DBL', 'BAR')] }))
    expectOk(await this.#pushYear())
    const guests = () => this.#pushGuestPrices()
    if (this.#fails === 'order-of-static-data') assert.notEqual((await guests()).status, 200)
    expectOk(await this.#post('/push/products', { hotelId: 'H2', products: [product('DBL', 'BAR')] }))
    expectOk(await guests())
  }

  /** Deltas, restrictions, closures. */
  async pushThroughTheYear(): Promise<void> {
    const repeats = this.#fails === 'deltas' ? 30 : 0
    for (let round = 0; round < repeats; round++) expectOk(await this.#pushYear())
    const singles = this.#fails === 'batch-sizes' ? 40 : 3
    for (let night = 0; night < singles; night++)
      expectOk(await this.#ari([{ ...dblBar, date: nightAfter(100 + night), price: 150 }]))
    const value = (of: (restriction: (typeof rateRestrictions)[number]) => unknown, without: CheckId) =>
      Object.fromEntries(
        rateRestrictions
          .filter((restriction) => this.#fails !== without || restriction !== 'maxStayArrival')
          .map((restriction) => [restriction, of(restriction)]),
      )
    const some = { startDate: nightAfter(200), endDate: nightAfter(210) }
    const set = value((one) => (isSwitch(one) ? true : 5), 'restrictions-set')
    expectOk(await this.#ari([{ ...dblBar, ...some, ...set }]))
    const cleared = value((one) => (isSwitch(one) ? false : null), 'restrictions-cleared')
    expectOk(await this.#ari([{ ...dblBar, ...some, ...cleared }]))
    if (this.#fails !== 'closed') expectOk(await this.#ari([{ roomId: 'DBL', ...some, closed: true }]))
    if (this.#fails !== 'reopened') expectOk(await this.#ari([{ roomId: 'DBL', ...some, closed: false }]))
    if (this.#fails === 'sequences') {
      const nights = [300, 301, 302, 303]
      for (const night of nights)
        expectOk(await this.#ari([{ ...dblBar, date: nightAfter(night), price: 120 }], { sequence: 1 }))
    }
  }

  /** What goes wrong once, and is done right then. */
  async repeatAndRetry(): Promise<void> {
    const key = { 'idempotency-key': 'repeated-1' }
    const price = (amount: number) => ({
      hotelId: 'H1',
      pricingModel: 'unit',
      sequence: this.#sequence,
      ari: [{ ...dblBar, date: nightAfter(120), price: amount }],
    })
    this.#sequence++
    const first = price(160)
    for (const replayed of [null, 'true']) {
      const { headers } = expectOk(await this.#post('/push/ari', first, key))
      assert.equal(headers.get('idempotency-replayed'), replayed)
    }
    if (this.#fails === 'idempotency-keys')
      assert.equal((await this.#post('/push/ari', price(161), key)).status, 422)

    const taxes = (value: number) => ({
      hotelId: 'H1',
      taxes: [
        {
          type: 'VAT',
          valueType: '%',
          value,
          appliedOn: 'net',
          appliedPer: 'per_room_per_night',
          included: false,
          payNow: true,
        },
      ],
    })
    const times = this.#fails === 'no-retry-storm' ? 6 : 1
    for (let time = 0; time < times; time++)
      assert.equal((await this.#post('/push/taxes', taxes(-1))).status, 400)
    if (this.#fails !== 'errors-mended') expectOk(await this.#post('/push/taxes', taxes(10)))
    await this.#exceedRate()
  }

  async #exceedRate(): Promise<void> {
    const limits = { requestsPerMinute: 60, requestsBurst: 2 }
    const limited = await this.#gateway.supplier(this.#supplier.name, limits)
    let reply: Reply | undefined
    while (reply?.status !== 429) reply = await limited.get('/push/limits')
    const early = this.#fails === 'retry-after' ? 20 : 0
    for (let time = 0; time < early; time++) assert.equal((await limited.get('/push/limits')).status, 429)
    pass(this.#gateway, Number(reply.headers.get('retry-after')))
    expectOk(await limited.get('/push/limits'))
  }

  /** Price checks, reservations and a forgery at its URLs. */
  async answerCalls(): Promise<void> {
    const { clock, url } = this.#gateway
    const { apiKey } = this.#supplier
    const options = { url, apiKey, host: '127.0.0.1', port: 0, faults: [], clock, onCall: () => {} }
    // It learns the secret with the registration; then a second one, which has forgotten it, takes its place.
    let simulated = await startSupplier({ ...options, secrets: [] })
    if (this.#fails === 'forgery-refused') {
      await simulated.close()
      simulated = await startSupplier({ ...options, secrets: [] })
    }
    try {
      await this.#checkPrices(simulated)
      await this.#takeReservations(simulated)
      for (const kind of ['availability', 'pushbook'])
        expectOk(await this.#supplier.post('/push/sandbox/forgery', { kind }))
    } finally {
      await simulated.close()
    }
  }

  /** As they were on an idle machine: a busy one must not decide. */
  async setDurations(): Promise<void> {
    // It waits until all checks are stored.
    expectOk(await this.#supplier.get('/push/priceChecks'))
    const { db } = this.#gateway
    const of = `supplier_id = (select id from supplier where name = $1)`
    const set = async (statement: string, slowest: number): Promise<void> =>
      void (await db.query(statement, [this.#supplier.name, slowest]))
    await set(
      `update price_check set duration_ms = case when id = (select max(id) from price_check where ${of})
         then $2 else 100 end where ${of}`,
      this.#fails === 'price-check-time' ? 2_000 : 1_999,
    )
    await set(
      `update delivery_attempt set duration_ms = case when delivery.reservation_status = 'Cancel' then $2 else 100 end
       from delivery where delivery.id = delivery_id and ${of}`,
      this.#fails === 'deliveries-acknowledged' ? 10_000 : 9_999,
    )
  }

  async #checkPrices(simulated: SimulatedSupplier): Promise<void> {
    const platform = await platformOf(this.#gateway)
    const check = async (checkout: string): Promise<Reply> =>
      expectOk(
        await platform.post('/booking/priceCheck', {
          hotel: { supplier: this.#supplier.name, hotelId: 'H1' },
          roomId: 'DBL',
          rateId: 'BAR',
          checkin: stay.checkin,
          checkout,
          adultCount: 2,
          childAges: [],
        }),
      )
    for (const day of [21, 22, 23, 24, 25, 26]) await check(`2027-04-${day}`)
    if (this.#fails === 'price-check-price') order(simulated, 'dearer:check:1')
    await check('2027-04-27')
  }

  async #takeReservations(simulated: SimulatedSupplier): Promise<void> {
    const first = await this.#book()
    const second = await this.#book()
    if (this.#fails === 'modification-handled') order(simulated, 'bad-signature:booking:1')
    const modified = { reservation_id: second, ...stay, rooms: [{ ...room, adults: 1 }] }
    expectOk(await this.#bookTest(modified))
    await this.#settled(second, '2', this.#fails === 'modification-handled' ? 'failing' : 'delivered')
    if (this.#fails === 'cancellation-handled') order(simulated, 'bad-signature:booking:1')
    expectOk(await this.#bookTest({ reservation_id: second, status: 'Cancel' }))
    await this.#settled(second, '3', this.#fails === 'cancellation-handled' ? 'failing' : 'delivered')
    this.#units++
    await this.#pushUnits()
    if (this.#fails === 'duplicate-accepted') order(simulated, 'bad-signature:booking')
    await this.#sendAgain(first)
  }

  /** Books, waits for the delivery, and pushes the lower availability. */
  async #book(): Promise<string> {
    const reply = await this.#bookTest({ ...stay, rooms: [room] })
    assert.equal(reply.status, 201, reply.text)
    const id = String(reply.body['reservationId'])
    await this.#settled(id, '1', 'delivered')
    this.#units--
    await this.#pushUnits()
    return id
  }

  #bookTest(body: object): Promise<Reply> {
    return this.#post('/push/sandbox/booking', { hotelId: 'H1', ...body })
  }

  async #settled(id: string, version: string, status: string): Promise<void> {
    await until(`reservation ${id}, version ${version} is ${status}`, async () => {
      const rows = await this.#deliveries(id)
      return rows.some(
        (one) => one['reservation_version'] === version && one['status'] === status && hasAttempt(one),
      )
    })
  }

  async #deliveries(id: string): Promise<Record<string, unknown>[]> {
    const { body } = expectOk(await this.#supplier.get(`/push/deliveries?reservation_id=${id}`))
    assert.ok(Array.isArray(body['deliveries']))
    return body['deliveries']
  }

  /** As an operator does when the supplier lost it. */
  async #sendAgain(id: string): Promise<void> {
    const before = (await this.#deliveries(id)).length
    const operator = await this.#gateway.operator('operator')
    const [newest] = (await this.#deliveries(id)).filter(({ status }) => status === 'delivered')
    expectOk(await operator.post(`/deliveries/${String(newest?.['deliveryId'])}/send-again`, undefined))
    await until('it is sent again', async () => {
      const all = await this.#deliveries(id)
      return all.length > before && all.every(hasAttempt)
    })
  }

  #pushYear(): Promise<Reply> {
    const nights = this.#fails === 'days-covered' ? 200 : 370
    const items = Array.from({ length: 12 }, (_, index) => ({
      ...dblBar,
      startDate: nightAfter(Math.floor((nights * index) / 12)),
      endDate: nightAfter(Math.floor((nights * (index + 1)) / 12) - 1),
      inventory: this.#units,
      price: 100 + index,
    }))
    return this.#ari([
      { roomId: 'DBL', startDate: firstNight, endDate: nightAfter(nights - 1), inventory: this.#units },
      ...items,
    ])
  }

  #pushGuestPrices(): Promise<Reply> {
    const buckets = [
      ['adult', 1],
      ['adult', 2],
      ['child', 1],
      ['child', 2],
    ] as const
    const prices = buckets
      .filter(([category, guests]) => this.#fails !== 'guest-buckets' || category !== 'adult' || guests !== 1)
      .map(([ageCategory, guests]) => ({ ageCategory, guests, amount: 90 + guests }))
    const nights = { startDate: firstNight, endDate: nightAfter(369) }
    const rates = [{ rateId: 'BAR', pricingModel: 'guest', prices }]
    return this.#ari([{ roomId: 'DBL', ...nights, inventory: 4, rates }], { hotelId: 'H2' })
  }

  async #pushUnits(): Promise<void> {
    if (this.#fails === 'availability-after-booking') return
    const nights = { startDate: stay.checkin, endDate: '2027-04-21' }
    expectOk(await this.#ari([{ roomId: 'DBL', ...nights, inventory: this.#units }]))
  }

  #ari(ari: readonly object[], more: object = {}): Promise<Reply> {
    const sequence = this.#sequence++
    return this.#post('/push/ari', { hotelId: 'H1', pricingModel: 'unit', sequence, ...more, ari })
  }

  /** A second passes before each. */
  #post(path: string, body: unknown, headers?: Record<string, string>): Promise<Reply> {
    pass(this.#gateway, 1)
    return this.#supplier.post(path, body, headers)
  }
}

const dblBar = { roomId: 'DBL', rateId: 'BAR' }
const room = { ...dblBar, adults: 2, childAges: [] }

function hasAttempt({ attempts }: Record<string, unknown>): boolean {
  return Array.isArray(attempts) && attempts.length > 0
}

function order(simulated: SimulatedSupplier, text: string): void {
  const wanted = readFaultOrder(text)
  if ('problem' in wanted) throw new Error(wanted.problem)
  simulated.order(wanted)
}
