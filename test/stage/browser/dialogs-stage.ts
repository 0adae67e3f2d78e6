import { generate } from 'otplib'
import type { TestGateway, TestOperator } from '../harness.ts'
import { expectOk } from '../story.ts'
import { stageBookings } from './bookings-stage.ts'
import { dialogsOfAdmins, dialogsOfManagers, type Dialog } from './dialogs.ts'

/** A store in which every dialog of the console can be opened. */

export type DialogStage = {
  gateway: TestGateway
  supplierId: number
  /** Of an admin, and those of them that a manager of the supplier opens too. */
  dialogs: readonly Dialog[]
  ofManagers: readonly Dialog[]
}

export async function stageDialogs(): Promise<DialogStage> {
  const { gateway, acme, failing, late } = await stageBookings()
  const { supplier } = acme
  const [supplierId, hotelId] = await idsOf(gateway, 'Acme')
  const [, unfinishedHotelId] = await idsOf(gateway, 'Beta')
  const priced = (date: string, price: number): object => ({
    hotelId: 'H1',
    pricingModel: 'unit',
    ari: [{ roomId: 'DBL', date, rates: [{ rateId: 'BAR', price }] }],
  })
  expectOk(await supplier.post('/push/ari', priced('2027-04-24', 120), { 'x-request-id': 'to-be-undone' }))
  const rules = [{ kind: 'priceDrop', percent: 30, action: 'hold' }]
  expectOk(await supplier.post('/push/guard', { rules }))
  await supplier.post('/push/ari', priced('2027-04-25', 10))
  await supplier.post('/push/ari', { hotelId: 'H1', ari: [{ roomId: 'NOPE', date: '2027-03-05' }] })
  const operator = await gateway.operator('operator')
  const stop = { action: 'stop', targets: [{ roomId: 'DBL' }], from: '2027-04-26', to: '2027-04-27' }
  expectOk(await operator.post(`/hotels/${hotelId}/stop-sell`, { ...stop, reason: 'W'.repeat(200) }))
  const { body } = expectOk(await operator.get('/pushes?requestId=to-be-undone'))
  const pushId = Number(Object(body['pushes'])[0].pushId)
  const person = await rename(gateway, await gateway.operator('viewer', supplierId))
  const colleague = await rename(gateway, await withSecondFactor(gateway))
  const staged = {
    gateway,
    supplierId,
    apiKey: supplier.apiKey,
    hotelId,
    unfinishedHotelId,
    pushId,
    failing,
    late,
    person,
    colleague,
  }
  const ofManagers = dialogsOfManagers(staged)
  return { gateway, supplierId, dialogs: [...ofManagers, ...dialogsOfAdmins(staged)], ofManagers }
}

async function idsOf({ db }: TestGateway, supplier: string): Promise<[supplierId: number, hotelId: number]> {
  const { rows } = await db.query<{ supplierId: number; hotelId: number }>(
    `select supplier.id as "supplierId", hotel.id as "hotelId"
     from hotel join supplier on supplier.id = supplier_id where supplier.name = $1`,
    [supplier],
  )
  return [rows[0]?.supplierId ?? 0, rows[0]?.hotelId ?? 0]
}

/** Gives an account the longest name, without a place to break it. */
async function rename({ db }: TestGateway, { operatorId, name }: TestOperator): Promise<string> {
  const longest = name.padEnd(100, 'W')
  await db.query('update operator set name = $2 where id = $1', [operatorId, longest])
  return longest
}

async function withSecondFactor(gateway: TestGateway): Promise<TestOperator> {
  const operator = await gateway.operator('viewer')
  const { body } = expectOk(await operator.post('/me/second-factor', {}))
  const code = await generate({
    secret: String(body['secret']),
    epoch: Math.floor(gateway.clock.now() / 1_000),
  })
  expectOk(await operator.post('/me/second-factor/confirm', { code }))
  return operator
}
