import assert from 'node:assert/strict'
import { verifyCallback } from '../../../packages/client/src/verify-callback.ts'
import { client, type Reply, type TestClient, type TestGateway, type TestOperator } from '../harness.ts'
import type { ItemSent } from '../models/naive-ari.ts'
import type { ReceivedCall } from '../servers/receiver.ts'
import { expectOk, product, storyHotel } from '../story.ts'
import { amountText } from '../sale/exact.ts'
import { priceOf } from '../sale/price.ts'
import type { Asked } from '../sale/state.ts'
import { pushedPolicies } from '../sale/terms.ts'
import { NaiveAccount, stayOf } from './naive-account.ts'
import type { Place, Said, SupplierServer } from './supplier-server.ts'

/** An account of the service under test, with all that is known of it. */

export type Stage = {
  gateway: TestGateway
  platform: TestClient
  admin: TestOperator
  server: SupplierServer
}
export type Key = { apiKey: string; keyId: number }
type Delivered = { reservation: Record<string, unknown>; id: string; status: number }
export type AriSent = { sequence?: number; pricingModel?: string; ari: ItemSent[] }

/** Characters of a request and of an answer that a failure shows. */
const shownMax = 200

/** The tolerance in per cent that an account may have, and by how much its supplier's prices then differ. */
export const tolerance = { allowed: 5, differs: 0.03 }

export class Account {
  readonly name: string
  readonly stage: Stage
  readonly model: NaiveAccount
  readonly supplierId: number
  platformHotelId = ''
  readonly #keys: readonly Key[]
  /** Which key the supplier uses, from 0. */
  key = 0
  apiKey: string
  /** Where the supplier is called, and with which secret; undefined: no URL is registered yet. */
  place: Place | undefined
  secret: string | undefined
  hasTolerance = false
  usesStored = false
  rejectsUnknown = false
  /** While it is set, price checks wait for it. */
  holding: Promise<void> | undefined
  checksHeld = 0
  /** The first call about these reservations is refused. */
  readonly refusedOnce = new Set<string>()
  /** Those that were refused. */
  readonly refused = new Set<string>()
  /** Those of them that were not delivered since. */
  readonly waiting = new Set<string>()
  readonly delivered: Delivered[] = []
  readonly faults: string[] = []
  readonly #history: unknown[] = []
  #settingUp = 0

  constructor(stage: Stage, name: string, ids: { supplierId: number; keys: readonly Key[] }) {
    this.stage = stage
    this.name = name
    this.supplierId = ids.supplierId
    this.#keys = ids.keys
    this.apiKey = ids.keys[0]?.apiKey ?? ''
    this.model = new NaiveAccount(() => stage.gateway.clock.now())
    stage.server.listen(name, {
      called: (place, call) => this.#called(place, call),
      checked: (asked) => this.#checked(asked),
      delivered: (reservations, id) => this.#delivered(reservations, id),
    })
  }

  get supplier(): TestClient {
    return client(this.stage.gateway.url, { 'x-api-key': this.apiKey })
  }

  /** As requests name its hotel. */
  get named(): { supplier: string; hotelId: string } {
    return { supplier: this.name, hotelId: 'H1' }
  }

  get keyId(): number {
    return this.#keys[this.key]?.keyId ?? 0
  }

  get isLastKey(): boolean {
    return this.key === this.#keys.length - 1
  }

  /** Goes on with the other key. */
  useOtherKey(): void {
    this.key++
    const next = this.#keys[this.key]
    assert.ok(next)
    this.apiKey = next.apiKey
  }

  note(what: string, reply?: Reply, more: object = {}): void {
    this.#history.push({
      what,
      ...more,
      ...(reply ? { status: reply.status, text: reply.text.slice(0, shownMax) } : {}),
    })
  }

  /** Since everything is under way. */
  get history(): string {
    return this.#history
      .slice(this.#settingUp)
      .map((one) => JSON.stringify(one).slice(0, 2 * shownMax))
      .join('\n')
  }

  /** What is noted until now is the same in every round. */
  isSetUp(): void {
    this.#settingUp = this.#history.length
  }

  async post(path: string, body: unknown, headers: Record<string, string> = {}): Promise<Reply> {
    const reply = await this.supplier.post(path, body, headers)
    this.note(path, reply, { body })
    return reply
  }

  async pushHotel(): Promise<void> {
    expectOk(await this.post('/push/hotels', [storyHotel(this.model.hotel)]))
    if (this.platformHotelId !== '') return
    const { hotels } = Object(expectOk(await this.post('/push/getHotels', { hotelIds: ['H1'] })).body)
    this.platformHotelId = hotels[0].platformHotelId
  }

  async pushProducts(): Promise<void> {
    const products = this.model.rates.map(({ rateId, isAvailable, mealPlan, occupancy, policy }) =>
      product('DBL', rateId, { isAvailable, mealPlan, occupancy, cancelPolicies: pushedPolicies(policy) }),
    )
    expectOk(await this.post('/push/products', { hotelId: 'H1', products }))
    this.model.rates = this.model.rates.map((rate) => ({ ...rate, isFormer: false }))
  }

  async pushTaxes(): Promise<void> {
    const taxes = this.model.taxes.map(({ isFormer: _, ...tax }) => tax)
    expectOk(await this.post('/push/taxes', { hotelId: 'H1', taxes }))
    this.model.taxes = taxes
  }

  /** Returns the answer, and the push's number in the model. */
  async pushAri(
    sent: AriSent,
    headers: Record<string, string> = {},
  ): Promise<{ reply: Reply; number: number }> {
    const reply = await this.post('/push/ari', { hotelId: 'H1', ...sent }, headers)
    const isAnswered = reply.status < 300 || reply.text.includes('GUARD_REJECTED')
    assert.ok(isAnswered, `${reply.text}, after\n${this.history}`)
    const number = this.model.push(sent, { key: this.key, sequence: sent.sequence })
    return { reply, number }
  }

  async pushGuard(): Promise<void> {
    expectOk(await this.post('/push/guard', { hotelId: 'H1', ...this.model.guard.settings }))
  }

  /** Both URLs, at a place; a secret that is made then is used from then on. */
  async register(place: Place): Promise<void> {
    this.place = place
    for (const kind of ['pushbook', 'availability'] as const) {
      const webhook = this.stage.server.url(this.name, place, kind)
      const { body } = expectOk(await this.post(`/push/webhook/${kind}`, { webhook }))
      if (typeof body['signingSecret'] === 'string') this.secret = body['signingSecret']
      await this.testWebhook(kind)
    }
  }

  /** A call that the supplier answers proves that it has the secret. */
  async testWebhook(kind: 'pushbook' | 'availability'): Promise<void> {
    expectOk(await this.post('/push/webhook/test', { kind }))
  }

  async #called(place: string, call: ReceivedCall): Promise<void> {
    if (place !== this.place) this.faults.push(`called at the ${place} place: ${call.line}`)
    const { secret } = this
    // The ping of a registration comes before its answer.
    if (secret === undefined || call.body.toString().includes('"ping"')) return
    const anyTime = { toleranceSeconds: Infinity }
    await verifyCallback(
      { headers: Object.fromEntries(call.headers), body: call.body },
      { secrets: secret, ...anyTime },
    ).catch((error: unknown) => this.faults.push(`${String(error)}: ${call.line}`))
  }

  /** The supplier's prices are the stored ones, unless the account may have others. */
  async #checked({
    rateId,
    checkin,
    checkout,
    adultCount,
    childAges,
  }: Record<string, unknown>): Promise<Said> {
    const ages = Array.isArray(childAges) ? childAges.map(Number) : []
    const party = { adults: Number(adultCount), childAges: ages }
    const stay = { checkin: String(checkin), checkout: String(checkout) }
    const { usesStored } = this
    const body = this.#live(stayOf(String(rateId), stay, party))
    if (this.holding) {
      this.checksHeld++
      await this.holding
      this.checksHeld--
    }
    return usesStored ? { status: 500 } : { status: 200, body }
  }

  #live(asked: Asked): object {
    const { model } = this
    const { digits, once } = model
    const [room] = asked.rooms
    assert.ok(room)
    const { adults, children } = model.countsOf(room)
    const nights = model.nightsOf(room, asked)
    let { afterTax, tax } = priceOf({ nights, once, persons: adults + children, digits })
    if (this.hasTolerance) afterTax += Math.floor(afterTax * tolerance.differs)
    const amountAfterTax = spread(afterTax, nights.length)
    const amountBeforeTax = amountAfterTax.map((amount) => {
      const taken = Math.min(amount, tax)
      tax -= taken
      return amount - taken
    })
    const written = (all: readonly number[]) => all.map((amount) => amountText(amount, digits))
    return {
      roomRate: {
        roomId: room.roomId,
        rateId: room.rateId,
        currency: model.currency,
        inventory: 5,
        amountBeforeTax: written(amountBeforeTax),
        amountAfterTax: written(amountAfterTax),
      },
    }
  }

  #delivered(reservations: readonly Record<string, unknown>[], id: string): Said {
    const isRefused = reservations.some((one) => this.refusedOnce.delete(String(one['reservation_id'])))
    const status = isRefused ? 503 : 200
    for (const reservation of reservations) {
      this.delivered.push({ reservation, id, status })
      const reservationId = String(reservation['reservation_id'])
      if (isRefused) this.refused.add(reservationId)
      if (isRefused) this.waiting.add(reservationId)
      else this.waiting.delete(reservationId)
    }
    return { status }
  }
}

function spread(sum: number, count: number): number[] {
  const each = Math.floor(sum / count)
  return Array.from({ length: count }, (_, index) => (index === 0 ? sum - each * (count - 1) : each))
}
