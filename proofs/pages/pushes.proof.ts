import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { gatewayForTests } from '../../test/stage/harness.ts'
import { expectOk, product, pushStoryHotel } from '../../test/stage/story.ts'
import { axe, openConsole } from '../../test/stage/browser/browser.ts'

const hostile = '<img src=x onerror="window.hacked = true">'
const sent = (requestId: string) => ({ 'x-request-id': requestId })
const isSeen = (page: Page): Promise<boolean> =>
  page.evaluate(`(() => {
    const { top, bottom } = document.querySelector('[data-sought]').getBoundingClientRect()
    return top >= 0 && bottom <= innerHeight
  })()`)
const nights = { startDate: '2027-03-05', endDate: '2027-03-09' }

describe('the pages of the push log', async () => {
  const gateway = await gatewayForTests()
  const supplier = await gateway.supplier('Channel One')
  await pushStoryHotel(supplier, { hotelName: 'Before' })
  expectOk(
    await supplier.post(
      '/push/products',
      {
        hotelId: 'H1',
        products: [product('DBL', 'BAR', { occupancy: { maxOccupancy: 2 }, roomName: hostile })],
      },
      sent('products-changed'),
    ),
  )
  const sold = { roomId: 'DBL', rateId: 'BAR', price: 110, inventory: 3, ...nights }
  const items = Array.from({ length: 120 }, (_, index) =>
    index === 77 ? { ...sold, roomId: hostile } : sold,
  )
  const partly = await supplier.post(
    '/push/ari',
    { hotelId: 'H1', pricingModel: 'unit', ari: items },
    sent('ari-partly'),
  )
  assert.equal(partly.status, 207)
  await supplier.post('/push/hotels', '{"hotelId', sent('no-json'))

  test('a push is found by its outcome, and its broken item is shown where it is', async () => {
    const { page, goto, close } = await openConsole(gateway, 'viewer')
    await goto('/pushes')
    await page.getByText('no-json').waitFor()
    await page.getByLabel('Outcome').selectOption('partial')
    await page.getByText('no-json').waitFor({ state: 'detached' })
    assert.match(page.url(), /outcome=partial/)
    await page.locator('tbody tr a').first().click()
    await page.getByRole('heading', { level: 1, name: 'Push of ARI' }).waitFor()
    await page.getByLabel('Items', { exact: true }).selectOption('failed')
    await page.getByText('RoomID not found').first().waitFor()
    assert.deepEqual(await page.locator('ol > li code').first().innerText(), '/ari/77')
    assert.match(await page.locator('mark').innerText(), /"roomId": "<img/)
    assert.equal(await page.evaluate('window.hacked'), undefined)
    await close()
  })

  test('the list says why a push was refused or applied in part, and fits 1280 px', async () => {
    const { page, goto, close } = await openConsole(gateway, 'viewer')
    await goto('/pushes')
    const row = (requestId: string) => page.getByRole('row').filter({ hasText: requestId })
    await row('ari-partly').getByText('ROOM_NOT_FOUND', { exact: true }).waitFor()
    await row('ari-partly').getByText('RoomID not found', { exact: true }).waitFor()
    await row('no-json').getByText('MALFORMED_JSON', { exact: true }).waitFor()
    const beyond = await page
      .getByRole('group', { name: 'Pushes, newest first' })
      .evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)
    assert.equal(beyond, 0)
    await row('ari-partly').getByRole('link', { name: 'ROOM_NOT_FOUND' }).click()
    await row('no-json').waitFor({ state: 'detached' })
    assert.equal(new URL(page.url()).searchParams.get('problem'), 'ROOM_NOT_FOUND')
    assert.equal(await page.getByLabel('Problem').inputValue(), 'ROOM_NOT_FOUND')
    await close()
  })

  test('a refused push leads to what the guides say of its error, and to the key it came with', async () => {
    const { page, goto, close } = await openConsole(gateway, 'viewer')
    await goto('/pushes')
    await page.getByRole('row').filter({ hasText: 'no-json' }).getByRole('link').first().click()
    await page.getByRole('heading', { level: 1, name: 'Push of hotels' }).waitFor()
    const key = page.getByRole('link', { name: /^key \d+ of / })
    const guide = page.getByRole('link', { name: 'Guide: what MALFORMED_JSON means' }).first()
    const address = await guide.getAttribute('href')
    assert.equal(address, '/docs/guides/errors#MALFORMED_JSON')
    await key.click()
    await page.getByRole('heading', { level: 1, name: 'Channel One' }).waitFor()
    await page
      .locator('[data-sought]')
      .getByRole('heading', { name: /^Key \d+$/ })
      .waitFor()
    assert.ok(await isSeen(page))
    await page.goto(`${gateway.url}${address}`)
    await page.locator('tr:target').getByText('MALFORMED_JSON', { exact: true }).waitFor()
    await close()
  })

  test('a sorted list does not go on with a search that finds little: that takes a click', async () => {
    const { page, goto, close } = await openConsole(gateway, 'viewer')
    const asked: string[] = []
    await page.route(/\/console\/api\/pushes\?.*outcome=rejected/, async (route) => {
      // The watch for new pushes asks too, without a cursor.
      const url = new URL(route.request().url())
      const cursor = url.searchParams.get('cursor')
      if (cursor !== null) asked.push(cursor)
      url.searchParams.delete('cursor')
      const answer = await route.fetch({ url: url.href })
      const found: { pushes: { pushId: number }[] } = await answer.json()
      const pushes = found.pushes
        .slice(0, 1)
        .map((push) => ({ ...push, pushId: push.pushId * 1000 + asked.length }))
      await route.fulfill({ json: { ...found, pushes, nextCursor: `after-${asked.length}` } })
    })
    await goto('/pushes?outcome=rejected')
    await page.getByText('1 shown; there are more').waitFor()
    await page.getByRole('columnheader', { name: 'Size' }).getByRole('button').click()
    await page.getByText('1 shown and sorted; there are more').waitFor()
    await page.waitForTimeout(1_000)
    assert.deepEqual(asked, [])
    await page.getByRole('button', { name: 'Show more' }).click()
    await page.getByText('The first 2 are sorted; there are more').waitFor()
    assert.deepEqual(asked, ['after-0'])
    await close()
  })

  test('pushes that come while somebody reads are offered, and the list moves only on a click', async () => {
    const { page, goto, close } = await openConsole(gateway, 'viewer')
    await page.clock.install()
    await goto('/pushes')
    await page.getByText('no-json').waitFor()
    await supplier.post('/push/hotels', '{"hotelId', sent('while-reading'))
    await page.clock.runFor(11_000)
    await page.getByRole('status').getByRole('button', { name: '1 new: show' }).waitFor()
    assert.equal(await page.getByText('while-reading').count(), 0)
    await axe(page, ['light'])
    await page.getByRole('button', { name: '1 new: show' }).press('Enter')
    await page.getByText('while-reading').waitFor()
    await page.getByRole('button', { name: '1 new: show' }).waitFor({ state: 'detached' })
    await close()
  })

  test('nights that were applied and can never be booked are marked at their item, and the search finds them by type', async () => {
    const ari = [
      { roomId: 'DBL', rateId: 'BAR', price: 110, date: '2027-04-01', closedToDeparture: true },
      { roomId: 'DBL', date: '2027-04-02', inventory: 3 },
    ]
    const push = { hotelId: 'H1', pricingModel: 'unit', ari }
    expectOk(await supplier.post('/push/ari', push, sent('never-bookable')))
    const { page, goto, close } = await openConsole(gateway, 'viewer')
    for (const problem of ['NEVER_BOOKABLE', 'DEPARTURE_RULE_UNUSED']) {
      await goto(`/pushes?problem=${problem}`)
      await page.getByText('never-bookable').waitFor()
      assert.equal(await page.locator('tbody tr').count(), 1)
    }
    await page.locator('tbody tr a').first().click()
    const item = page.locator('ol > li').first()
    await item.getByText('Warning: 1 night cannot be booked: there is a price but no inventory').waitFor()
    await item.getByText('Warning: closedToDeparture has no effect on 1 day').waitFor()
    assert.equal(await page.getByText('Warning:').count(), 2)
    await close()
  })

  test('a pointer in the URL opens the page of items that holds it', async () => {
    const { page, goto, close } = await openConsole(gateway, 'viewer')
    await goto('/pushes?requestId=ari-partly')
    await page.locator('tbody tr a').first().click()
    await page.waitForURL(/pushes\/\d+/)
    await page.goto(`${page.url()}?at=/ari/77/roomId`)
    await page.getByText('Items 51 to 100 of 120').waitFor()
    await page.waitForFunction('document.activeElement?.dataset.sought === "true"')
    assert.ok(await isSeen(page), 'it is scrolled to')
    await page.getByRole('link', { name: 'Push log' }).first().click()
    await page.getByText('no-json').waitFor()
    await page.goBack()
    await page.waitForFunction('document.activeElement?.dataset.sought === "true"')
    assert.ok(await isSeen(page), 'when its push is held already too')
    await close()
  })

  test('the figures of the rows that are shown are added up below them', async () => {
    const { page, goto, close } = await openConsole(gateway, 'viewer')
    await goto('/pushes')
    await page.locator('tfoot').waitFor()
    const headers = await page.locator('thead th').allInnerTexts()
    const cells = headers.findIndex((header) => header.trim() === 'Cells') + 1
    const figure = (text: string): number => Number(text.replaceAll(',', ''))
    const shown = (await page.locator(`tbody td:nth-child(${cells})`).allInnerTexts()).map(figure)
    assert.ok(shown.some((changed) => changed > 0))
    assert.equal(
      figure(await page.locator(`tfoot td:nth-child(${cells})`).innerText()),
      shown.reduce((sum, changed) => sum + changed, 0),
    )
    await axe(page, ['light', 'dark'])
    await close()
  })

  test('what a push changed leads to its cells in the calendar, by the keyboard too', async () => {
    const { page, goto, close } = await openConsole(gateway, 'viewer')
    await goto('/pushes?requestId=ari-partly')
    await page.locator('tbody tr a').first().press('Enter')
    await page.getByRole('tab', { name: /^Items/ }).press('ArrowRight')
    await page.getByText('All 10 changed cells still have the values from this push.').waitFor()
    const cells = page.getByRole('table', { name: 'Nights that still have values from this push' })
    assert.deepEqual(await cells.locator('tbody td:last-child').allInnerTexts(), ['units', 'price'])
    await cells.getByRole('link').last().press('Enter')
    await page.waitForURL(/\/hotels\/\d+\/calendar\?/)
    const { searchParams } = new URL(page.url())
    assert.deepEqual(
      ['from', 'room', 'rate', 'night'].map((name) => searchParams.get(name)),
      ['2027-03-05', 'DBL', 'BAR', '2027-03-05'],
    )
    await close()
  })

  test('an operator sees what an undo of a push would do, undoes it, and comes there from the calendar too', async () => {
    const shop = await gateway.supplier('Channel Undo')
    await pushStoryHotel(shop, { hotelName: 'Undone' })
    const priced = async (dates: object, price: number, requestId: string) => {
      const ari = [{ roomId: 'DBL', rateId: 'BAR', price, ...dates }]
      expectOk(await shop.post('/push/ari', { hotelId: 'H1', pricingModel: 'unit', ari }, sent(requestId)))
    }
    await priced(nights, 110, 'undo-first')
    await priced(nights, 11, 'undo-mistake')
    await priced({ date: '2027-03-06' }, 115, 'undo-repair')
    const viewer = await openConsole(gateway, 'viewer')
    await viewer.goto('/pushes?requestId=undo-mistake')
    await viewer.page.locator('tbody tr a').first().click()
    await viewer.page.getByRole('tab', { name: /^Items/ }).waitFor()
    assert.equal(await viewer.page.getByRole('button', { name: 'Undo…' }).count(), 0)
    await viewer.close()

    const { page, goto, close } = await openConsole(gateway, 'operator')
    await goto('/pushes?requestId=undo-mistake')
    await page.locator('tbody tr a').first().click()
    await page.getByRole('button', { name: 'Undo…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Undo this push' })
    await dialog.getByText('4 nights get former values back').waitFor()
    await dialog.getByText('1 night was changed since and stays as it is').waitFor()
    await dialog.getByText('DBL / BAR, 2027-03-07 – 2027-03-09: price 11 → 110').waitFor()
    await axe(page, ['light'])
    await dialog.getByLabel('Reason, for the audit log').fill('Wrong import')
    await dialog.getByRole('button', { name: 'Undo the push' }).click()
    await page.getByText('4 nights are as they were before the push').waitFor()
    await dialog.waitFor({ state: 'detached' })

    const { rows } = await gateway.db.query<{ id: number }>(
      `select hotel.id from hotel join supplier on supplier.id = supplier_id where supplier.name = 'Channel Undo'`,
    )
    await goto(`/hotels/${rows[0]?.id}/calendar?from=2027-03-05&room=DBL&rate=BAR&night=2027-03-06`)
    await page.getByRole('link', { name: 'Undo this push…' }).first().click()
    await dialog.getByText('1 night gets former values back').waitFor()
    await goto(`/hotels/${rows[0]?.id}/calendar?from=2027-03-05&room=DBL&rate=BAR&night=2027-03-07`)
    await page.getByText('undone: ["price"]').waitFor()
    await close()
  })

  test('the page states how much of the push is still in force: all, some or nothing', async () => {
    const { page, goto, close } = await openConsole(gateway, 'viewer')
    const item = { roomId: 'DBL', rateId: 'BAR', price: 120, inventory: 4 }
    const later = async (dates: object) =>
      expectOk(
        await supplier.post('/push/ari', {
          hotelId: 'H1',
          pricingModel: 'unit',
          ari: [{ ...item, ...dates }],
        }),
      )
    await later({ date: '2027-03-05' })
    await goto('/pushes?requestId=ari-partly')
    await page.locator('tbody tr a').first().click()
    await page.getByRole('tab', { name: 'Changes' }).click()
    await page
      .getByText('8 of 10 changed cells still have the values from this push; the others have')
      .waitFor()
    await later(nights)
    await page.reload()
    await page.getByText('None of the 10 changed cells still has the values from this push').waitFor()
    await close()
  })

  test('a push of products is compared with the one before it', async () => {
    const { page, goto, close } = await openConsole(gateway, 'viewer')
    await goto('/pushes?requestId=products-changed')
    await page.locator('tbody tr a').first().click()
    await page.getByRole('tab', { name: 'Changes' }).click()
    const changed = page.getByRole('table', { name: 'DBL / BAR' })
    assert.deepEqual(await changed.locator('tbody tr').first().locator('td').allInnerTexts(), [
      'roomName',
      '"Room DBL"',
      JSON.stringify(hostile),
    ])
    assert.equal(await page.evaluate('window.hacked'), undefined)
    await close()
  })

  test('request and answer are shown as they were, whatever they are, and can be downloaded', async () => {
    const { page, goto, close } = await openConsole(gateway, 'viewer')
    await goto('/pushes?requestId=no-json')
    await page.locator('tbody tr a').first().click()
    assert.equal(await page.getByRole('tab', { name: 'Request' }).getAttribute('aria-selected'), 'true')
    await page.getByRole('tab', { name: /^Items/ }).click()
    await page.getByText('There are no items to show').waitFor()
    await page.getByRole('tab', { name: 'Request' }).click()
    await page.getByText('{"hotelId', { exact: true }).waitFor()
    await page.getByRole('tab', { name: 'Response' }).click()
    await page.getByRole('region', { name: 'Response' }).waitFor()
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Download full body' }).click(),
    ])
    assert.match(download.suggestedFilename(), /^push-\d+-answer\.json$/)
    await close()
  })

  test('there are no findings of axe in light and dark, on any tab', async () => {
    const { page, goto, close } = await openConsole(gateway, 'viewer')
    await goto('/pushes')
    await page.getByText('no-json').waitFor()
    await axe(page, ['light', 'dark'])
    for (const requestId of ['ari-partly', 'products-changed', 'no-json']) {
      await goto(`/pushes?requestId=${requestId}`)
      await page.locator('tbody tr a').first().click()
      for (const tab of [/^Items/, 'Changes', 'Request', 'Response']) {
        await page.getByRole('tab', { name: tab }).click()
        await axe(page, ['light', 'dark'])
      }
    }
    await close()
  })

  test('at 768 px and at a zoom of 200 % the pages do not scroll sideways', async () => {
    for (const size of [{ width: 768 }, { width: 1280, zoom: 2 }]) {
      const { page, goto, close } = await openConsole(gateway, 'viewer', size)
      const beyond = () =>
        page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')
      await goto('/pushes')
      await page.getByText('no-json').waitFor()
      assert.equal(await beyond(), 0)
      await goto('/pushes?requestId=ari-partly')
      await page.locator('tbody tr a').first().click()
      await page.getByRole('tab', { name: /^Items/ }).waitFor()
      assert.equal(await beyond(), 0)
      await close()
    }
  })
})
