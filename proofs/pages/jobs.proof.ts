import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { expectStatus } from '../../test/stage/scenes/booking.ts'
import { operatorOf } from '../../test/stage/scenes/calendar.ts'
import { until } from '../../test/stage/scenes/deliveries.ts'
import { client } from '../../test/stage/harness.ts'
import { expectOk, storyHotel } from '../../test/stage/story.ts'
import { stageBookings } from '../../test/stage/browser/bookings-stage.ts'
import { openConsole } from '../../test/stage/browser/browser.ts'
import { devices, Newcomer } from '../../test/stage/browser/newcomer.ts'

/**
 * What people open the console for, done as somebody does it who has never seen it: from the first page, by visible
 * names alone; once with the mouse, and once with the keyboard alone.
 */
describe('jobs', async () => {
  const stage = await stageBookings()
  const { gateway } = stage
  const { supplier } = stage.acme
  // Each of them is a day in the life of a supplier: a closure by mistake, pushes that fail, sales that somebody stopped.
  const closed = [{ roomId: 'DBL', startDate: '2027-04-12', endDate: '2027-04-14', closed: true }]
  expectOk(await supplier.post('/push/ari', { hotelId: 'H1', ari: closed }, { 'x-request-id': 'by-mistake' }))
  for (let count = 0; count < 4; count++) {
    const wrong = { hotelId: 'H1', ari: [{ roomId: 'DBL', date: '2027-05-05', inventory: 'four' }] }
    expectStatus(await supplier.post('/push/ari', wrong), 400)
  }

  const { rows } = await gateway.db.query<{ id: number }>(
    `select hotel.id from hotel join supplier on supplier.id = supplier_id where supplier.name = 'Acme'`,
  )
  const call = await operatorOf(gateway)
  const order = { action: 'stop', targets: [{ roomId: 'DBL' }], from: '2027-06-01', to: '2027-06-02' }
  expectOk(await call('POST', `/hotels/${rows[0]?.id}/stop-sell`, { ...order, reason: 'Water damage' }))

  const job = (
    name: string,
    role: 'viewer' | 'operator' | 'admin',
    does: (newcomer: Newcomer) => Promise<void>,
  ): void => {
    for (const device of devices)
      test(`${name}: by ${device}`, async (t) => {
        const { page, goto, close } = await openConsole(gateway, role)
        await goto('/')
        const newcomer = new Newcomer(page, device)
        await does(newcomer)
        newcomer.report(t)
        await close()
      })
  }

  job('a hotel can’t be booked from the 12th to the 15th of next month', 'viewer', async (newcomer) => {
    const { page } = newcomer
    await newcomer.search('Sea View')
    await newcomer.click(page.getByRole('option', { name: /Why can’t guests book Sea View[^]*Acme/ }).first())
    await newcomer.fill(page.getByLabel('Arrival', { exact: true }), '2027-04-12')
    await newcomer.fill(page.getByLabel('Departure', { exact: true }), '2027-04-15')
    const reason = page.getByRole('region', { name: 'Closed' })
    await reason.getByText(/closed on Mon, 12 Apr 2027 – Wed, 14 Apr 2027/).waitFor()
    await reason.getByRole('link', { name: /^push/ }).first().waitFor()
  })

  job('a supplier’s pushes fail since this morning', 'operator', async (newcomer) => {
    const { page } = newcomer
    await newcomer.click(page.getByRole('link', { name: /× 4/ }))
    await page.getByRole('heading', { level: 1, name: 'Push log' }).waitFor()
    await newcomer.click(page.getByRole('row').filter({ hasText: 'Acme' }).getByRole('link').first())
    await page.getByText('/ari/0/inventory').first().waitFor()
  })

  job('a booking didn’t reach the hotel', 'operator', async (newcomer) => {
    const { page, device } = newcomer
    const reservation = { mouse: stage.failing, keyboard: stage.other }[device]
    stage.mend(true)
    await newcomer.search(reservation)
    await newcomer.click(page.getByRole('option', { name: new RegExp(reservation) }).first())
    await page.getByRole('status').filter({ hasText: 'The hotel does not have it yet' }).waitFor()
    await newcomer.click(page.getByRole('button', { name: 'Send again' }))
    await newcomer.click(page.getByRole('button', { name: 'Send now' }))
    await page.getByText('The endpoint accepted it').waitFor()
  })

  job(
    'a new supplier, from its account to its hotel’s progress towards going live',
    'admin',
    async (newcomer) => {
      const { page, device } = newcomer
      const name = `New by ${device}`
      await newcomer.click(newcomer.menu('Suppliers'))
      await newcomer.click(page.getByRole('button', { name: 'Create supplier' }))
      await newcomer.fill(page.getByRole('dialog').getByLabel('Name'), name)
      await newcomer.click(page.getByRole('button', { name: 'Create', exact: true }))
      await page.getByText('Copy it now').waitFor()
      await newcomer.click(page.getByRole('button', { name: 'I have saved it' }))
      await page.getByRole('heading', { level: 1, name }).waitFor()
      await page.getByRole('heading', { name: 'Certification' }).waitFor()
      // Meanwhile, with its key.
      const { apiKey } = await gateway.supplier(name)
      const own = client(gateway.url, { 'x-api-key': apiKey })
      expectOk(await own.post('/push/hotels', [storyHotel({ hotelName: 'First Hotel' })]))
      await newcomer.click(page.getByRole('link', { name: '1 hotel needs products' }))
      await page.getByRole('heading', { level: 1, name: 'First Hotel' }).waitFor()
      await page.getByRole('heading', { name: 'Rooms and rates' }).waitFor()
    },
  )

  job('a key has leaked', 'admin', async (newcomer) => {
    const { page, device } = newcomer
    const { apiKey } = await gateway.supplier(`Leaky by ${device}`)
    await newcomer.search(apiKey)
    await newcomer.click(page.getByRole('button', { name: 'Look at this key' }))
    await newcomer.click(page.getByRole('button', { name: 'Revoke now' }))
    await newcomer.click(page.getByRole('button', { name: 'Revoke permanently' }))
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await until('the key is refused', async () => {
      const answer = await fetch(`${gateway.url}/v1/push/limits`, { headers: { 'x-api-key': apiKey } })
      return answer.status === 401
    })
  })

  job('who stopped this, and why', 'operator', async (newcomer) => {
    const { page } = newcomer
    await newcomer.click(newcomer.menu('Stop-sells'))
    await page.getByRole('heading', { level: 1, name: 'Stop-sells' }).waitFor()
    const row = page.getByRole('row').filter({ hasText: 'Water damage' })
    assert.match(await row.innerText(), /Sea View[^]*DBL[^]*Water damage/)
    assert.ok((await row.innerText()).includes(call.id), 'the operator')
  })

  job('numbers for a manager', 'viewer', async (newcomer) => {
    const { page } = newcomer
    await newcomer.click(newcomer.menu('Numbers'))
    await page.getByRole('heading', { level: 1, name: 'Numbers' }).waitFor()
    // The page begins with the last month, in which nothing was booked here.
    await newcomer.click(page.getByRole('link', { name: /^Show Mar/ }))
    await page.getByRole('row').filter({ hasText: 'Acme' }).waitFor()
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      newcomer.click(page.getByRole('button', { name: 'Export as CSV' })),
    ])
    assert.equal(file.suggestedFilename(), 'numbers-2027-03-booked.csv')
    await newcomer.click(newcomer.menu('Price checks'))
    await newcomer.click(page.getByRole('link', { name: 'Latency and outcomes' }))
    await page.getByRole('row').filter({ hasText: 'Acme' }).waitFor()
  })
})
