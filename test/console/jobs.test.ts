import assert from 'node:assert/strict'
import { describe, test, type TestContext } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { expectStatus } from '../booking.ts'
import { operatorOf } from '../calendar.ts'
import { until } from '../deliveries.ts'
import { client } from '../harness.ts'
import { expectOk, storyHotel } from '../story.ts'
import { stageBookings } from './bookings-stage.ts'
import { openConsole, withoutChromium } from './browser.ts'

/**
 * What people open the console for, done as somebody does it who has never seen it: from the first page, by visible
 * names alone, each click and each field that is filled counted. No job may take more steps than this.
 */
const stepsMax = 6

class Newcomer {
  readonly #steps: string[] = []
  readonly page: Page
  readonly #startedMs = Date.now()

  constructor(page: Page) {
    this.page = page
  }

  async click(target: Locator): Promise<void> {
    await target.click()
    this.#steps.push('click')
  }

  async fill(field: Locator, text: string): Promise<void> {
    await field.fill(text)
    this.#steps.push('field')
  }

  async search(text: string): Promise<void> {
    await this.click(this.page.getByRole('button', { name: /^Search/ }))
    await this.fill(this.page.getByRole('combobox', { name: /Hotel, supplier/ }), text)
  }

  menu(name: string): Locator {
    return this.page.getByRole('navigation', { name: 'Main menu' }).getByRole('link', { name, exact: true })
  }

  report(t: TestContext): void {
    const seconds = ((Date.now() - this.#startedMs) / 1000).toFixed(1)
    const count = (kind: string): number => this.#steps.filter((one) => one === kind).length
    t.diagnostic(`${count('click')} clicks, ${count('field')} fields; ${seconds} s in the browser alone`)
    assert.ok(this.#steps.length <= stepsMax, `${this.#steps.length} steps: ${this.#steps.join(', ')}`)
  }
}

describe('jobs', { skip: withoutChromium }, async () => {
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

  const job =
    (role: 'viewer' | 'operator' | 'admin', does: (newcomer: Newcomer) => Promise<void>) =>
    async (t: TestContext): Promise<void> => {
      const { page, goto, close } = await openConsole(gateway, role)
      await goto('/')
      const newcomer = new Newcomer(page)
      await does(newcomer)
      newcomer.report(t)
      await close()
    }

  test(
    'a hotel can’t be booked from the 12th to the 15th of next month',
    job('viewer', async (newcomer) => {
      const { page } = newcomer
      await newcomer.search('Sea View')
      await newcomer.click(
        page.getByRole('option', { name: /Why can’t guests book Sea View[^]*Acme/ }).first(),
      )
      await newcomer.fill(page.getByLabel('Arrival', { exact: true }), '2027-04-12')
      await newcomer.fill(page.getByLabel('Departure', { exact: true }), '2027-04-15')
      const reason = page.getByRole('region', { name: 'Closed' })
      await reason.getByText(/closed on Mon, 12 Apr 2027 – Wed, 14 Apr 2027/).waitFor()
      await reason.getByRole('link', { name: /^push/ }).first().waitFor()
    }),
  )

  test(
    'a supplier’s pushes fail since this morning',
    job('operator', async (newcomer) => {
      const { page } = newcomer
      await newcomer.click(page.getByRole('link', { name: /× 4/ }))
      await page.getByRole('heading', { level: 1, name: 'Push log' }).waitFor()
      await newcomer.click(page.getByRole('row').filter({ hasText: 'Acme' }).getByRole('link').first())
      await page.getByText('/ari/0/inventory').first().waitFor()
    }),
  )

  test(
    'a booking didn’t reach the hotel',
    job('operator', async (newcomer) => {
      const { page } = newcomer
      stage.mend(true)
      await newcomer.search(stage.failing)
      await newcomer.click(page.getByRole('option', { name: new RegExp(stage.failing) }).first())
      await page.getByRole('status').filter({ hasText: 'The hotel does not have it yet' }).waitFor()
      await newcomer.click(page.getByRole('button', { name: 'Send again' }))
      await newcomer.click(page.getByRole('button', { name: 'Send now' }))
      await page.getByText('The endpoint accepted it').waitFor()
    }),
  )

  test(
    'a new supplier, from its account to its hotel’s progress towards going live',
    job('admin', async (newcomer) => {
      const { page } = newcomer
      await newcomer.click(newcomer.menu('Suppliers'))
      await newcomer.click(page.getByRole('button', { name: 'Create supplier' }))
      await newcomer.fill(page.getByRole('dialog').getByLabel('Name'), 'Newcomer')
      await newcomer.click(page.getByRole('button', { name: 'Create', exact: true }))
      await page.getByText('Copy it now').waitFor()
      await newcomer.click(page.getByRole('button', { name: 'I have saved it' }))
      await page.getByRole('heading', { level: 1, name: 'Newcomer' }).waitFor()
      await page.getByRole('heading', { name: 'Certification' }).waitFor()
      // Meanwhile, with its key.
      const { apiKey } = await gateway.supplier('Newcomer')
      const own = client(gateway.url, { 'x-api-key': apiKey })
      expectOk(await own.post('/push/hotels', [storyHotel({ hotelName: 'First Hotel' })]))
      await newcomer.click(page.getByRole('link', { name: '1 hotel needs products' }))
      await page.getByRole('heading', { level: 1, name: 'First Hotel' }).waitFor()
      await page.getByRole('heading', { name: 'Rooms and rates' }).waitFor()
    }),
  )

  test(
    'a key has leaked',
    job('admin', async (newcomer) => {
      const { page } = newcomer
      const { apiKey } = await gateway.supplier('Leaky')
      await newcomer.search(apiKey)
      await newcomer.click(page.getByRole('button', { name: 'Look at this key' }))
      await newcomer.click(page.getByRole('button', { name: 'Revoke now' }))
      await newcomer.click(page.getByRole('button', { name: 'Revoke permanently' }))
      await page.getByRole('dialog').waitFor({ state: 'detached' })
      await until('the key is refused', async () => {
        const answer = await fetch(`${gateway.url}/v1/push/limits`, { headers: { 'x-api-key': apiKey } })
        return answer.status === 401
      })
    }),
  )

  test(
    'who stopped this, and why',
    job('operator', async (newcomer) => {
      const { page } = newcomer
      await newcomer.click(newcomer.menu('Stop-sells'))
      await page.getByRole('heading', { level: 1, name: 'Stop-sells' }).waitFor()
      const row = page.getByRole('row').filter({ hasText: 'Water damage' })
      assert.match(await row.innerText(), /Sea View[^]*DBL[^]*Water damage/)
      assert.ok((await row.innerText()).includes(call.id), 'the operator')
    }),
  )

  test(
    'numbers for a manager',
    job('viewer', async (newcomer) => {
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
    }),
  )
})
