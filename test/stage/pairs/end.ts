import assert from 'node:assert/strict'
import { proveUndo, valuesOf, type Fields, type Witness } from '../history/undos.ts'
import { ended } from '../scenes/bulk.ts'
import { expectOk } from '../story.ts'
import { roomId } from '../withheld/lines.ts'
import type { Account } from './account.ts'
import { nights } from './changes.ts'
import { sendUnknown } from './changes-of-settings.ts'
import { compareOffers, staysOfUndo, compareStored, rangeOf, readBack } from './compare.ts'
import { copyOf } from './naive-account.ts'
import type { Reservation } from '../sale/reservation.ts'
import { compareDeliveries, compareReservations, untilDelivered } from './reservations.ts'
import type { UnderWay } from './under-way.ts'

/** How what is under way ends, and what is stored, sold, hashed and delivered then. */

/** Pushes that the guard judges by its rules of now. */
export async function pushOn(account: Account, { first }: UnderWay): Promise<void> {
  const status = await sendUnknown(account)
  assert.equal(status, account.rejectsUnknown ? 400 : 200, account.history)
  const rates = [{ rateId: 'BAR', price: 260 }]
  const ari = [{ roomId, ...nights(first, 17, 18), inventory: 8, rates }]
  await account.pushAri({ sequence: 200, pricingModel: 'unit', ari })
  await compareStored(account)
}

/** The load is applied when its turn comes, by its key. */
export async function endLoad(account: Account, { load: { jobId, sent } }: UnderWay): Promise<void> {
  const { state } = await ended(account.supplier, jobId)
  account.note(`the load is ${state}`)
  assert.equal(state, account.key === 0 ? 'done' : 'failed', account.history)
  if (account.key === 0) account.model.push(sent, { key: 0, sequence: undefined })
}

export async function end(account: Account, underWay: UnderWay, all: readonly Reservation[]): Promise<void> {
  await compareStored(account)
  await compareOffers(account, underWay.first)
  await undo(account, underWay)
  await compareOffers(account, underWay.first, staysOfUndo)
  await compareReservations(account, all)
  await untilDelivered(account, all)
  for (const reservation of all) compareDeliveries(account, reservation)
  assert.deepEqual(account.faults, [], account.history)
}

export async function releaseHeld(account: Account): Promise<void> {
  const { guard, today } = account.model
  const reply = await account.post('/push/guard/release', { hotelId: 'H1' })
  assert.ok(reply.status < 300 || guard.holds.pushes.length === 0, `${reply.text}, after\n${account.history}`)
  // What is held is of BAR, which must be on sale.
  const isOnSale = account.model.rates.some(({ rateId, isAvailable }) => rateId === 'BAR' && isAvailable)
  for (const push of guard.holds.pushes) {
    if (isOnSale) guard.release(push, today)
    else guard.holds.giveUp(push)
  }
  account.model.adopt(copyOf(account.model.read()))
}

/** What a push set is undone as the model of undos says, which reads it. */
async function undo(account: Account, { undone: { revision } }: UnderWay): Promise<void> {
  const body = { hotelId: 'H1', revision, onConflict: 'skip' }
  const reply = await account.post('/push/undo', body)
  await proveUndo(witnessOf(account), body, reply, account.model.nowMs)
  account.model.adopt((await readBack(account)).read)
  await compareStored(account)
}

function witnessOf(account: Account): Witness {
  const { supplier, model } = account
  const hotelId = 'H1'
  return {
    valuesAt: async (revision) => {
      const asked = { hotelId, ...rangeOf(account), asOf: { revision } }
      return valuesOf(expectOk(await supplier.post('/push/getAri', asked)).body['ari'])
    },
    changerOf: async (): Promise<Fields> => ({}),
    makerOf: async (revision) => {
      const diff = { hotelId, from: { revision: revision - 1 }, to: { revision }, limit: 1 }
      const { status, body } = await supplier.post('/push/getAriDiff', diff)
      const [change] = Array.isArray(body['changes']) ? body['changes'] : []
      return status === 410 ? undefined : (change?.by ?? 'nothing')
    },
    timeZone: async () => model.hotel.timezone,
    conflictsMax: 0,
  }
}
