import assert from 'node:assert/strict'
import { hotelDigests } from '../../../packages/client/src/digest.ts'
import { storedNights } from '../../../packages/client/src/stored-nights.ts'
import type { TestClient } from '../harness.ts'
import { addDays, type ItemSent } from '../models/naive-ari.ts'
import { readBackNights, type Value } from '../models/read-back-nights.ts'
import type { Party } from '../sale/state.ts'
import { readTerms, shown } from '../sale/shown.ts'
import type { Stay } from '../sale/stays.ts'
import { whatIsSet } from '../scenes/digest-vectors.ts'
import { expectOk } from '../story.ts'
import type { Account } from './account.ts'
import { nightOf } from './changes.ts'
import { stayOf } from './naive-account.ts'

/** What is stored, sold and hashed, compared with the model. */

/** All nights that anything touches. */
const readNights = 26

const parties = [
  { adults: 2, childAges: [] },
  { adults: 1, childAges: [5] },
] as const
/** First night and number of nights, which meet all that changes. */
const stays = [
  [4, 1],
  [6, 2],
  [8, 3],
  [10, 2],
  [14, 2],
  [16, 2],
] as const
/** Those with nights of the push that is undone. */
export const staysOfUndo = [stays[1], stays[2]]

/** Returns what is stored, as read back. */
export async function compareStored(account: Account): Promise<Map<string, Map<string, Value>>> {
  const { body, read } = await readBack(account)
  const [found, expected] = [linesOf(read), linesOf(account.model.read())]
  const differing = [found, expected].map((some, index) =>
    some.filter((line) => ![found, expected][1 - index]?.includes(line)),
  )
  assert.deepEqual(differing, [[], []], `read back, after\n${account.history}`)
  await compareDigest(account, body)
  return read
}

/** The ARI as read back, without a comparison. */
export async function readBack(account: Account) {
  const reply = expectOk(await reader(account).post('/push/getAri', { hotelId: 'H1', ...rangeOf(account) }))
  const { ari, pricingModel }: { ari: ItemSent[]; pricingModel: 'unit' | 'guest' } = Object(reply.body)
  return { body: { ari, pricingModel }, read: readBackNights(ari) }
}

const reader = ({ supplier }: Account): TestClient => supplier

export function rangeOf({ model }: Account): { startDate: string; endDate: string } {
  const startDate = addDays(model.today, -1)
  return { startDate, endDate: addDays(startDate, readNights) }
}

async function compareDigest(
  account: Account,
  body: { ari: ItemSent[]; pricingModel: 'unit' | 'guest' },
): Promise<void> {
  const { startDate: from, endDate: to } = rangeOf(account)
  const asked = { hotelId: 'H1', level: 'hotel', from, to }
  const { hotel } = expectOk(await reader(account).post('/push/getAriDigest', asked)).body
  const today = account.model.today
  // Past nights are in no digest.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- What the service answers, in the client's form.
  const nights = storedNights(body as Parameters<typeof storedNights>[0], account.model.digits)
  const expected = await hotelDigests(nights.filter(({ date }) => date >= today))
  assert.deepEqual(hotel, whatIsSet(expected.hotel), `digest, after\n${account.history}`)
}

function linesOf(read: ReadonlyMap<string, ReadonlyMap<string, Value>>): string[] {
  return [...read]
    .map(
      ([key, values]) =>
        `${key}: ${[...values]
          .map((one) => one.join('='))
          .sort()
          .join(' ')}`,
    )
    .sort()
}

type Offer = { rateId: string; unitsLeft: number; mealPlan: string }
type Unavailable = { rateId: string; rules: { rule: string; pass: boolean }[] }

/** What is offered, at which price and on which terms, and why the rest is not. */
export async function compareOffers(
  account: Account,
  first: string,
  of: readonly (readonly [number, number])[] = stays,
): Promise<void> {
  const { platform } = account.stage
  for (const [index, [from, count]] of of.entries()) {
    const room = parties[index % parties.length] ?? parties[0]
    const stay = { checkin: nightOf(first, from), checkout: nightOf(first, from + count) }
    const reply = await platform.post('/booking/offers', {
      hotels: [account.named],
      ...stay,
      rooms: [room],
      explain: true,
    })
    const [found]: [{ currency: string; offers: Offer[]; unavailable: Unavailable[] }] = Object(
      expectOk(reply).body,
    ).hotels
    assert.deepEqual(
      { currency: found.currency, ...saidOf(found) },
      { currency: account.model.hotel.currency, ...expectedOf(account, stay, room) },
      `offers of ${JSON.stringify({ ...stay, room })}, after\n${account.history}`,
    )
  }
}

function saidOf({ offers, unavailable }: { offers: Offer[]; unavailable: Unavailable[] }) {
  return {
    offers: offers
      .map((offer) => {
        const { rateId, unitsLeft, mealPlan } = offer
        return { rateId, unitsLeft, mealPlan, ...readTerms(offer) }
      })
      .sort((one, other) => one.rateId.localeCompare(other.rateId)),
    broken: unavailable
      .map(
        ({ rateId, rules }) =>
          `${rateId}: ${namesOf(rules.filter(({ pass }) => !pass).map(({ rule }) => rule))}`,
      )
      .sort(),
  }
}

function expectedOf({ model }: Account, stay: Stay, party: Party) {
  const offers = []
  const broken = []
  for (const rateId of model.rates.map((one) => one.rateId).sort()) {
    const { sold, unitsLeft, broken: rules } = model.answer(stayOf(rateId, stay, party))
    const [room] = sold ? shown('', sold, model.nowMs).rooms : []
    if (room) {
      const { mealPlan, total, fees, cancellation, freeUntil, penalties } = room
      offers.push({ rateId, unitsLeft, mealPlan, total, fees, cancellation, freeUntil, penalties })
    } else broken.push(`${rateId}: ${namesOf(rules)}`)
  }
  return { offers, broken }
}

const namesOf = (rules: Iterable<string>): string => [...new Set(rules)].sort().join(' ')
