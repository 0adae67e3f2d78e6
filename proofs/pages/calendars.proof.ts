import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { openShop } from '../../test/stage/scenes/booking.ts'
import { gatewayForTests } from '../../test/stage/harness.ts'
import { expectOk, pushStoryHotel } from '../../test/stage/story.ts'
import { axe, openConsole } from '../../test/stage/browser/browser.ts'

describe('the calendar of several hotels', async () => {
  const gateway = await gatewayForTests()
  const { supplier } = await openShop(gateway)
  for (const [hotelId, hotelName] of [
    ['H2', 'Sky View'],
    ['H3', 'Alp View'],
  ] as const)
    await pushStoryHotel(supplier, { hotelId, hotelName })
  await pushStoryHotel(await gateway.supplier('Other'), { hotelId: 'H1', hotelName: 'Elsewhere' })
  const ari = [
    { roomId: 'DBL', date: '2027-04-10', rates: [{ rateId: 'BAR', closed: true }] },
    { roomId: 'DBL', date: '2027-04-11', inventory: 0 },
  ]
  expectOk(await supplier.post('/push/ari', { hotelId: 'H1', ari }))
  const idOf = async (code: string): Promise<number> => {
    const { body } = expectOk(await supplier.post('/push/getHotels', { hotelIds: [code] }))
    return Number(Object(body['hotels'])[0].platformHotelId)
  }
  const [seaView, skyView] = [await idOf('H1'), await idOf('H2')]
  const cell = (page: Page, name: RegExp) => page.getByRole('gridcell', { name })
  const head = (page: Page, name: string) => page.getByRole('rowheader', { name })
  const unfold = (page: Page, name: string) =>
    page.getByRole('button', { name: `Rooms and rates of ${name}` })

  test("a supplier's hotels stand one below the other, each as bad as its worst room-rate, and open to their rooms and rates", async () => {
    const { page, goto, close } = await openConsole(gateway, 'viewer')
    await goto('/suppliers')
    await page.getByRole('link', { name: 'Acme' }).click()
    await page.getByRole('link', { name: 'View calendar' }).click()
    await page.getByLabel('From').fill('2027-04-08')
    await cell(page, /^Sat, 10 Apr 2027 · USD 80\.00 · 1 room-rate cannot be sold: rate closed$/).waitFor()
    await cell(page, /^Sun, 11 Apr 2027 · Not sellable: no units$/).waitFor()
    const names = await page.getByRole('rowheader').getByRole('link').allInnerTexts()
    assert.deepEqual(names, ['Alp View', 'Sea View', 'Sky View'])
    await unfold(page, 'Sea View').click()
    await head(page, 'Rate BAR').waitFor()
    await cell(page, /^Sat, 10 Apr 2027 · USD 100\.00 · Not sellable: rate closed$/).click()
    const panel = page.getByRole('region', { name: 'Sat, 10 Apr 2027' })
    await panel
      .getByRole('row', { name: /Closed \(rate\)|Closed/ })
      .first()
      .waitFor()
    await page.waitForURL(new RegExp(`open=${seaView}.*hotel=${seaView}&room=DBL&rate=BAR&night=2027-04-10`))
    await page.reload()
    await panel.waitFor()
    await unfold(page, 'Sea View').click()
    await head(page, 'Rate BAR').waitFor({ state: 'detached' })
    await close()
  })

  test('what is pushed appears by itself, and a set is chosen hotel by hotel and kept in the URL', async () => {
    const { page, goto, close } = await openConsole(gateway, 'viewer')
    await goto(`/calendars?hotelIds=${skyView}&density=month&from=2027-04-08`)
    await head(page, 'Sky View').waitFor()
    assert.equal(await page.getByRole('rowheader').count(), 1)
    const hotels = page.getByRole('combobox', { name: 'Only these hotels' })
    await hotels.fill('sea')
    await page.getByRole('option', { name: /Sea View/ }).click()
    await head(page, 'Sea View').waitFor()
    assert.match(decodeURIComponent(page.url()), new RegExp(`hotelIds=${skyView},${seaView}`))
    await cell(page, /^Mon, 12 Apr 2027 · USD 80\.00$/)
      .first()
      .waitFor()
    const stopped = [{ roomId: 'DBL', date: '2027-04-12', closed: true }]
    expectOk(await supplier.post('/push/ari', { hotelId: 'H1', ari: stopped }))
    await cell(page, /^Mon, 12 Apr 2027 · Not sellable: room closed$/).waitFor()
    await page.getByRole('button', { name: 'Remove Sea View' }).click()
    await head(page, 'Sea View').waitFor({ state: 'detached' })
    await close()
  })

  test('is moved through and unfolded by keyboard alone', async () => {
    const { page, goto, close } = await openConsole(gateway, 'viewer')
    await goto(`/calendars?hotelIds=${seaView},${skyView}&from=2027-04-08`)
    const grid = page.getByRole('grid')
    await grid.press('Control+Home')
    await page.keyboard.press('Enter')
    await head(page, 'Rate NRF').waitFor()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    const panel = page.getByRole('region', { name: /2027$/ })
    await panel.waitFor()
    await page.keyboard.press('Escape')
    await panel.waitFor({ state: 'detached' })
    await page.keyboard.press('Control+Home')
    await page.keyboard.press('Enter')
    await head(page, 'Rate NRF').waitFor({ state: 'detached' })
    await close()
  })

  test('has no findings of axe, light and dark, wide, narrow and enlarged, and nothing to scroll sideways', async () => {
    for (const [width, zoom] of [
      [1440, 1],
      [768, 1],
      [390, 1],
      [1280, 2],
    ] as const) {
      const { page, goto, close } = await openConsole(gateway, 'operator', { width, zoom })
      await goto(`/calendars?from=2027-04-08&open=${seaView}`)
      await head(page, 'Rate BAR').waitFor()
      await axe(page, ['light', 'dark'])
      await close()
    }
  })
})
