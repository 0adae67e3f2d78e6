import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { idOf, openShop, room } from '../../test/stage/scenes/booking.ts'
import { until } from '../../test/stage/scenes/deliveries.ts'
import { gatewayForTests } from '../../test/stage/harness.ts'
import { expectOk, pushStoryHotel } from '../../test/stage/story.ts'
import { axe, openConsole } from '../../test/stage/browser/browser.ts'

/** A manager asks for the numbers of a month. */

describe('numbers in the console', async () => {
  const gateway = await gatewayForTests()
  before(async () => {
    const acme = await openShop(gateway, '=Acme', { inventory: 99 })
    const beta = await openShop(gateway, 'Beta', { inventory: 99 })
    await pushStoryHotel(beta.supplier, { hotelId: 'H2', currency: 'JPY' })
    const nights = { roomId: 'DBL', startDate: '2027-04-01', endDate: '2027-04-30', inventory: 9 }
    const ari = [{ ...nights, rates: [{ rateId: 'BAR', price: 15_000 }] }]
    expectOk(await beta.supplier.post('/push/ari', { hotelId: 'H2', pricingModel: 'unit', ari }))
    idOf(await acme.book({ rooms: [room(), room()] }))
    const cancelled = idOf(await acme.book())
    expectOk(await acme.platform.post(`/booking/reservations/${cancelled}/cancel`, {}))
    idOf(await beta.book())
    idOf(await beta.book({ hotel: { supplier: 'Beta', hotelId: 'H2' } }))
    gateway.clock.set('2027-04-01T00:00:00Z')
    idOf(await beta.book())
  })

  const lines = async (page: Page, part: string): Promise<string[]> => {
    const rows = await page.locator(`${part} tr`).allInnerTexts()
    return rows.map((row) => row.replaceAll('\u202f', ' ').replaceAll(/[\s]+/g, ' ').trim())
  }
  const shows = (page: Page, expected: readonly string[]): Promise<void> =>
    until(
      `the rows are ${expected.join()}`,
      async () => (await lines(page, 'tbody')).join() === expected.join(),
    )
  const march = ['=Acme USD 1 1 4 440.00 USD', 'Beta JPY 1 0 2 30 000 JPY', 'Beta USD 1 0 2 220.00 USD']

  test('the search finds the page, which shows the last complete month with a total of each currency', async () => {
    const { page, goto, close } = await openConsole(gateway, 'viewer')
    await goto('/')
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox', { name: /^Hotel, supplier/ }).fill('numb')
    await page.getByRole('option', { name: 'Numbers' }).waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Numbers' }).waitFor()
    await shows(page, march)
    assert.equal(await page.getByLabel('Month', { exact: true }).inputValue(), '2027-03')
    assert.deepEqual(await lines(page, 'tfoot'), ['Total JPY USD 1 2 0 1 2 6 30 000 JPY 660.00 USD'])
    await axe(page, ['light', 'dark'])
    await page.getByRole('button', { name: 'Value' }).click()
    await page.getByRole('button', { name: 'Value' }).click()
    await shows(page, [march[0], march[2], march[1]].map(String))
    await close()
  })

  test('a supplier leads to the reservations that were counted, by booking and by arrival', async () => {
    const { page, goto, close } = await openConsole(gateway, 'viewer')
    await goto('/numbers?month=2027-03')
    await page.getByRole('link', { name: '=Acme' }).click()
    await page.getByRole('heading', { level: 1, name: 'Reservations' }).waitFor()
    await until('both are listed', async () => (await page.locator('tbody tr').count()) === 2)
    assert.equal(await page.getByLabel('Booked since').inputValue(), '2027-03-01')
    assert.equal(await page.getByLabel('Booked until').inputValue(), '2027-03-31')
    await page.goBack()
    await page.getByRole('link', { name: 'Month of arrival' }).click()
    await page.getByText('No guests arrive in March 2027').waitFor()
    await page.getByText('The first ones arrive in April 2027.').waitFor()
    await axe(page, ['light', 'dark'])
    await page.getByRole('link', { name: 'Show April 2027' }).click()
    await shows(page, [...march.slice(0, 2), 'Beta USD 2 0 4 440.00 USD'])
    await page.getByRole('link', { name: 'Beta' }).first().click()
    await page.getByRole('heading', { level: 1, name: 'Reservations' }).waitFor()
    await until('three are listed', async () => (await page.locator('tbody tr').count()) === 3)
    assert.equal(await page.getByLabel('Arrival until').inputValue(), '2027-04-30')
    await close()
  })

  test('months follow each other, one is typed, and what the URL calls a month but is none is explained', async () => {
    const { page, goto, close } = await openConsole(gateway, 'viewer')
    await goto('/numbers')
    await shows(page, march)
    const month = page.getByLabel('Month', { exact: true })
    const next = page.getByRole('button', { name: 'Next month' })
    assert.equal((await next.boundingBox())?.height, (await month.boundingBox())?.height)
    await next.click()
    await page.waitForURL(/\?month=2027-04$/)
    await shows(page, ['Beta USD 1 0 2 220.00 USD'])
    await page.getByLabel('Month', { exact: true }).fill('2026-01')
    await page.getByText('No reservations were booked in January 2026').waitFor()
    await page.getByRole('button', { name: 'Previous month' }).click()
    await page.waitForURL(/\?month=2025-12$/)
    await goto('/numbers?month=spring')
    await page.getByText('month must be a month in the form YYYY-MM').waitFor()
    await close()
  })

  test('the file for a spreadsheet has all rows, and no name that would be a formula', async () => {
    const { page, goto, close } = await openConsole(gateway, 'viewer')
    await goto('/numbers?month=2027-03')
    await shows(page, march)
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Export as CSV' }).click(),
    ])
    assert.equal(download.suggestedFilename(), 'numbers-2027-03-booked.csv')
    assert.deepEqual((await readFile(await download.path(), 'utf8')).trimEnd().split('\r\n'), [
      '\ufeffMonth,Counted by,Supplier,Currency,Bookings,Cancelled,Room nights,Value',
      "2027-03,Month booked (UTC),'=Acme,USD,1,1,4,440.00",
      '2027-03,Month booked (UTC),Beta,JPY,1,0,2,30000',
      '2027-03,Month booked (UTC),Beta,USD,1,0,2,220.00',
    ])
    await close()
  })

  test('people of a supplier have the numbers of their own supplier', async () => {
    const { rows } = await gateway.db.query<{ id: number }>(`select id from supplier where name = 'Beta'`)
    const supplierId = rows[0]?.id ?? assert.fail()
    const { page, goto, close } = await openConsole(gateway, 'viewer', { supplierId })
    await goto('/reservations')
    await page.getByRole('link', { name: 'Numbers' }).click()
    await shows(page, march.slice(1))
    await close()
  })

  test('on a phone it is cards, and nothing scrolls sideways', async () => {
    const { page, goto, close } = await openConsole(gateway, 'viewer', { width: 390, height: 844 })
    await goto('/numbers')
    await page.getByText('3 in all').waitFor()
    const beyond = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'
    assert.equal(await page.evaluate(beyond), 0)
    await axe(page, ['light', 'dark'])
    await page.getByText('March 2027').waitFor()
    await close()
  })
})
