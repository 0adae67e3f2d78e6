import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { startSupplier } from '../../src/simulate/supplier.ts'
import { startGateway, gatewayForTests } from '../../test/stage/harness.ts'
import { expectOk, pushStoryHotel } from '../../test/stage/story.ts'
import { axe, openConsole } from '../../test/stage/browser/browser.ts'

/** A go-live in the sandbox, with a simulated supplier on the other side. */

describe('the sandbox in the console', async () => {
  const gateway = await gatewayForTests({ allowPrivate: true, outbound: { reach: (vetted) => vetted } })
  gateway.app.startDeliveries()
  const supplier = await gateway.supplier('Acme')
  const there = { host: '127.0.0.1', port: 0, secrets: [], faults: [], onCall: () => {} }
  const { url, clock } = gateway
  const simulated = await startSupplier({ url, clock, apiKey: supplier.apiKey, ...there })
  after(() => simulated.close())

  test('a go-live checklist is finished: the example hotel is pushed, a booking ordered, its calls seen to arrive', async () => {
    const { page, goto, close } = await openConsole(gateway, 'operator')
    await goto('/sandbox')
    await page.getByRole('button', { name: 'Push example hotel' }).click()
    await page.getByRole('table', { name: 'Pushes of the example hotel' }).waitFor()
    await page.getByRole('button', { name: 'Book', exact: true }).click()
    await page.getByText(/^Reservation \d+, version 1: confirmed$/).waitFor()
    const calls = page.getByRole('table', { name: 'Calls to this supplier’s webhooks, newest first' })
    await calls.getByText('Push booking').first().waitFor()
    await calls.getByText('Price check').first().waitFor()
    const delivered = calls.getByRole('row').filter({ hasText: 'Push booking' }).first()
    await delivered.getByRole('button', { name: /^Show call/ }).click()
    const detail = page.getByRole('dialog')
    await detail.getByText('Request', { exact: true }).waitFor()
    await detail
      .getByText(/^reservations/)
      .first()
      .waitFor()
    await page.keyboard.press('Escape')
    await detail.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: /^Cancel reservation for / }).click()
    await page.getByText(/^Reservation \d+, version 2: cancelled$/).waitFor()

    await page.getByRole('link', { name: 'Open hotel' }).click()
    await page.getByRole('heading', { level: 1, name: /Example Hotel/ }).waitFor()
    const steps = page.getByRole('list', { name: 'Steps to the first booking' }).getByRole('listitem')
    await steps.first().waitFor()
    const states = await steps.allInnerTexts()
    assert.equal(states.length, 6)
    for (const text of states) assert.match(text, /\bDone\b/, text)
    await close()
  })

  test('what its webhooks were called for is one step away: the reservation, the price checks of the hotel', async () => {
    const { page, goto, close } = await openConsole(gateway, 'viewer')
    await goto('/suppliers')
    await page.getByRole('link', { name: 'Acme' }).click()
    const calls = page.getByRole('table', { name: 'Latest price checks and deliveries of this supplier' })
    const delivery = calls.getByRole('link', { name: /^Reservation \d+$/ }).first()
    const [, number] = (await delivery.innerText()).split(' ')
    await delivery.click()
    await page.waitForURL(new RegExp(`/reservations/${number}$`))
    await page.goBack()
    await calls
      .getByRole('link', { name: /^Checks of .*Example Hotel/ })
      .first()
      .click()
    await page.waitForURL(/\/price-checks\?supplierId=\d+&hotelId=\d+$/)
    await page.getByRole('heading', { level: 1, name: 'Price checks' }).waitFor()
    await close()
  })

  test('every hotel of the supplier can be found and chosen for a booking', async () => {
    await pushStoryHotel(supplier, { hotelId: 'OLD', hotelName: 'Old Inn' })
    const newer = Array.from({ length: 40 }, (_, index) => ({
      hotelId: `N${index}`,
      hotelName: `New Inn ${index}`,
      currency: 'USD',
      isAvailable: true,
      minChildAge: 2,
      maxChildAge: 12,
      timezone: 'Europe/Paris',
    }))
    expectOk(await supplier.post('/push/hotels', newer))
    const { page, goto, close } = await openConsole(gateway, 'operator')
    await goto('/sandbox')
    const hotel = page.getByRole('combobox', { name: 'Hotel' })
    const product = page.getByLabel('Room and rate')
    const book = page.getByRole('button', { name: 'Book', exact: true })
    const choose = async (typed: string, option: string) => {
      await hotel.fill(typed)
      await page.getByRole('option', { name: option }).click()
    }
    await choose('old', 'Old Inn (OLD)')
    await product.getByRole('option', { name: 'Room DBL, Rate NRF' }).waitFor({ state: 'attached' })
    assert.equal(await hotel.inputValue(), 'Old Inn (OLD)')
    assert.ok(await book.isEnabled())
    await choose('N37', 'New Inn 37 (N37)')
    await product.getByRole('option', { name: 'none bookable yet' }).waitFor({ state: 'attached' })
    assert.ok(await book.isDisabled())
    await hotel.fill('nowhere')
    await page.getByRole('option', { name: 'No hotels match' }).waitFor()
    await axe(page, ['light'])
    await close()
  })

  test('by keyboard: a fault is ordered, suffered by the next booking, and what is left is cleared', async () => {
    const { page, goto, close } = await openConsole(gateway, 'operator')
    await goto('/sandbox')
    await page.getByRole('heading', { name: 'Simulated faults' }).waitFor()
    await page.getByLabel('Fault', { exact: true }).selectOption('status500')
    await page.getByLabel('Number of calls').fill('2')
    await page.keyboard.press('Enter')
    await page.getByText('2 calls left').waitFor()
    await page.getByRole('button', { name: 'Book', exact: true }).press('Enter')
    await page
      .getByRole('alert')
      .getByText('The price could not be checked with the supplier')
      .first()
      .waitFor()
    await page.getByText('answered 500').first().waitFor()
    await page.getByText('1 call left').waitFor()
    await page.getByRole('button', { name: 'Clear all faults' }).press('Enter')
    await page.getByText('No faults: calls go through unchanged').waitFor()
    await close()
  })

  test('there are no findings of axe in light and dark, and 768 px suffice; a viewer only watches', async () => {
    const { page, goto, close } = await openConsole(gateway, 'operator', { width: 768 })
    await goto('/sandbox')
    await page
      .getByRole('button', { name: /^Show call/ })
      .first()
      .waitFor()
    await axe(page, ['light', 'dark'])
    assert.ok(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), 'nothing sticks out')
    await page
      .getByRole('button', { name: /^Show call/ })
      .first()
      .click()
    await page.getByRole('dialog').getByText('Request', { exact: true }).waitFor()
    await axe(page, ['light', 'dark'])
    await close()
    const watching = await openConsole(gateway, 'viewer')
    await watching.goto('/sandbox')
    await watching.page.getByText('You can watch').waitFor()
    assert.equal(await watching.page.getByRole('button', { name: /Push|Book$|Add/ }).count(), 0)
    await watching.close()
  })

  test('the clock is advanced and shown, and all hotels are removed after a question', async () => {
    const { page, goto, close } = await openConsole(gateway, 'operator')
    await goto('/sandbox')
    await page.getByText('It shows the current time.').waitFor()
    await page.getByRole('button', { name: 'Advance', exact: true }).click()
    await page.getByText('2 Mar 2027').first().waitFor()
    await page.getByRole('button', { name: 'Remove all hotels…', exact: true }).click()
    await page.getByRole('dialog').getByText('Keys, webhooks and the push log stay.').waitFor()
    await axe(page, ['light'])
    await page.getByRole('button', { name: 'Remove all hotels', exact: true }).click()
    await page.getByText(/^Removed: \d+ hotels/).waitFor()
    await page.getByText('It shows the current time.').waitFor()
    await close()
  })

  test('in production there is no sandbox', async () => {
    const production = await startGateway({ environment: 'production' })
    const { page, goto, close } = await openConsole(production, 'operator')
    await goto('/sandbox')
    await page.getByText('No sandbox here').waitFor()
    await close()
    await production.stop()
  })
})
