import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  answering,
  asPushed,
  outcomeOf,
  gatewayForPriceChecks,
  priceCheckStage,
  pushPrice,
  stay,
} from '../../test/stage/scenes/price-checks.ts'
import { nightAhead } from '../../test/stage/nights.ts'
import { expectOk, problemsOf } from '../../test/stage/story.ts'

/** How price checks are stored and listed, and the drift that they show. */

const gateway = await gatewayForPriceChecks()
const { supplierWith, check } = await priceCheckStage(gateway)

test('the drift names the nights on which live and stored prices differ, how often, how far, and since which push', async () => {
  let roomRate = asPushed
  const { supplier } = await supplierWith((socket, ...call) => answering(roomRate)(socket, ...call))
  const [first, second] = [stay.checkin, nightAhead(21)]
  const drift = async (): Promise<Record<string, unknown>> =>
    Object(Object(expectOk(await supplier.get('/push/priceChecks?hotelId=H1')).body)['drift'])
  const shown = async () => {
    const { worst, ...totals } = await drift()
    const nights: Record<string, unknown>[] = Object(worst)
    return {
      totals,
      nights: nights.map(({ date, differing, soldOut, largest, stored, live, setBy, differsSince }) => [
        date,
        differing,
        soldOut,
        largest,
        stored,
        live,
        Object(setBy).requestId,
        Object(Object(differsSince).setBy).requestId,
      ]),
    }
  }
  await check(supplier)
  const same = { mealPlanDiffers: 0, cancelPolicyDiffers: 0 }
  const none = { currency: 'USD', nights: 2, differingNights: 0, differing: 0, soldOut: 0, ...same }
  assert.deepEqual(await shown(), { totals: { ...none, checks: 2 }, nights: [] })
  roomRate = { ...asPushed, amountBeforeTax: [100, 95], amountAfterTax: [110, 104.5] }
  await check(supplier)
  await check(supplier)
  assert.deepEqual(await shown(), {
    totals: { ...none, differingNights: 1, checks: 6, differing: 2 },
    nights: [[second, 2, 0, '-5.50', '110.00', '104.50', 'prices', 'prices']],
  })
  // Another push that doesn't correct it: it has differed since the first one.
  await pushPrice(supplier, 96, 'prices-2')
  roomRate = { ...asPushed, amountBeforeTax: [96, 95], amountAfterTax: [105.6, 104.5] }
  await check(supplier)
  assert.deepEqual(await shown(), {
    totals: { ...none, differingNights: 1, checks: 8, differing: 3 },
    nights: [[second, 3, 0, '-5.50', '105.60', '104.50', 'prices-2', 'prices']],
  })
  roomRate = { ...asPushed, inventory: 0, amountBeforeTax: [0, 0], amountAfterTax: [0, 0] }
  await check(supplier)
  await pushPrice(supplier, 95, 'prices-3')
  roomRate = { ...asPushed, amountBeforeTax: [95, 95], amountAfterTax: [104.5, 104.5] }
  await check(supplier)
  assert.deepEqual(await shown(), {
    totals: { ...none, checks: 12, differing: 3, soldOut: 2 },
    nights: [
      [second, 3, 1, '-5.50', '104.50', '104.50', 'prices-3', undefined],
      [first, 0, 1, '0.00', '104.50', '104.50', 'prices-3', undefined],
    ],
  })
  const narrowed = expectOk(await supplier.get('/push/priceChecks?hotelId=H1&rateId=NRF')).body
  assert.deepEqual(narrowed['priceChecks'], [])
  assert.equal(Object(narrowed['drift']).nights, 0)
})

test('a stay whose total is the stored one differs on no night, however its taxes are spread', async () => {
  let roomRate = asPushed
  const { supplier } = await supplierWith((socket, ...call) => answering(roomRate)(socket, ...call))
  /** How many comparisons of a night have differed so far. */
  const differing = async () => {
    const { body } = expectOk(await supplier.get('/push/priceChecks?hotelId=H1'))
    return Object(body['drift']).differing
  }
  // 33.33 plus 10 %, twice: 73.326 in total, of which the supplier rounds each night separately.
  await pushPrice(supplier, 33.33)
  const withNights = (...amountAfterTax: number[]) => ({
    ...asPushed,
    amountBeforeTax: [33.33, 33.33],
    amountAfterTax,
  })
  roomRate = withNights(36.66, 36.67)
  const first = await check(supplier)
  assert.deepEqual([first.body['outcome'], first.body['difference']], ['available', '0.00'])
  roomRate = withNights(36.67, 36.66)
  await check(supplier)
  assert.equal(await differing(), 0)
  // A cent more in total: no night is off by more than a cent, so the one that is off differs.
  roomRate = withNights(36.67, 36.67)
  await check(supplier)
  assert.equal(await differing(), 1)
  // One night is off by more than rounding; the other doesn't count as different for a cent.
  roomRate = withNights(36.68, 40)
  await check(supplier)
  assert.equal(await differing(), 2)
})

test('checks are listed newest first, page by page, by hotel, room, rate, outcome and time, each supplier its own', async () => {
  let roomRate = asPushed
  const { supplier } = await supplierWith((socket, ...call) => answering(roomRate)(socket, ...call))
  const began = new Date().toISOString()
  const ids: unknown[] = []
  for (let count = 0; count < 5; count++) {
    roomRate = { ...asPushed, inventory: count === 2 ? 0 : 5 }
    ids.unshift((await check(supplier)).body['priceCheckId'])
  }
  const listed = async (query: string, by = supplier): Promise<{ found: unknown[]; nextCursor: unknown }> => {
    const { body } = expectOk(await by.get(`/push/priceChecks?${query}`))
    const checks: Record<string, unknown>[] = Object(body['priceChecks'])
    return { found: checks.map(({ priceCheckId }) => priceCheckId), nextCursor: body['nextCursor'] }
  }
  const first = await listed('limit=2')
  const second = await listed(`limit=2&cursor=${String(first.nextCursor)}`)
  const third = await listed(`limit=2&cursor=${String(second.nextCursor)}`)
  assert.deepEqual([...first.found, ...second.found, ...third.found, third.nextCursor], [...ids, null])
  assert.deepEqual((await listed('hotelId=H1&roomId=DBL&rateId=BAR')).found, ids)
  assert.deepEqual((await listed('outcome=sold_out')).found, [ids[2]])
  assert.deepEqual((await listed(`since=${began}`)).found, ids)
  assert.deepEqual((await listed(`until=${began}`)).found, [])
  assert.deepEqual((await listed('roomId=TWN')).found, [])
  const other = await gateway.supplier('Somebody else')
  assert.deepEqual((await listed('', other)).found, [])
  const foreign = await other.get('/push/priceChecks?hotelId=H1&limit=0&outcome=none')
  assert.deepEqual([foreign.status, problemsOf(foreign).length], [400, 3])
  const { text } = expectOk(await supplier.get('/push/priceChecks?limit=1'))
  const [newest] = JSON.parse(text).priceChecks
  assert.deepEqual(
    {
      ...newest,
      priceCheckId: '',
      webhookId: '',
      at: '',
      durationMs: 0,
      stored: { ...newest.stored, revision: 0 },
    },
    {
      priceCheckId: '',
      webhookId: '',
      at: '',
      hotelId: 'H1',
      ...stay,
      outcome: 'available',
      bookable: true,
      live: {
        currency: 'USD',
        inventory: 5,
        amountBeforeTax: ['100.00', '100.00'],
        amountAfterTax: ['110.00', '110.00'],
      },
      stored: {
        currency: 'USD',
        inventory: 5,
        amountBeforeTax: ['100.00', '100.00'],
        amountAfterTax: ['110.00', '110.00'],
        bookable: true,
        revision: 0,
      },
      difference: '0.00',
      durationMs: 0,
    },
  )
})

test('while a hotel is locked by a push, checks of it are answered and stored', async () => {
  const { supplier } = await supplierWith(answering(asPushed))
  await check(supplier)
  const holder = await gateway.db.pool.connect()
  try {
    await holder.query('begin')
    await holder.query(
      'select from hotel where supplier_id = (select id from supplier where name = $1) for update',
      [supplier.name],
    )
    assert.equal(Object(outcomeOf(await check(supplier))).outcome, 'available')
    const { body } = expectOk(await supplier.get('/push/priceChecks'))
    assert.equal(Object(body['priceChecks']).length, 2)
  } finally {
    await holder.query('rollback')
    holder.release()
  }
})

test('an answer does not wait for its check to be written; it is written when it can be', async () => {
  const { supplier } = await supplierWith(answering(asPushed))
  const holder = await gateway.db.pool.connect()
  try {
    await holder.query('begin')
    await holder.query('lock table price_check')
    for (let count = 0; count < 3; count++)
      assert.equal(Object(outcomeOf(await check(supplier))).outcome, 'available')
  } finally {
    await holder.query('rollback')
    holder.release()
  }
  const { body } = expectOk(await supplier.get('/push/priceChecks'))
  assert.equal(Object(body['priceChecks']).length, 3)
})

test('a check that PostgreSQL refuses is answered, counted as lost, and takes no other with it', async () => {
  const { supplier } = await supplierWith(answering(asPushed))
  await gateway.db.query('alter table price_check add constraint refused check (adults <> 1)')
  const replies = await Promise.all([1, 2, 1, 2].map((adultCount) => check(supplier, { adultCount })))
  assert.deepEqual(
    replies.map((reply) => Object(outcomeOf(reply)).outcome),
    ['available', 'available', 'available', 'available'],
  )
  const { body } = expectOk(await supplier.get('/push/priceChecks'))
  assert.equal(Object(body['priceChecks']).length, 2)
  const metrics = await (await fetch(`${gateway.url}/metrics`)).text()
  assert.match(metrics, /^ari_price_checks_lost_total 2$/m)
})
