import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import type { Locator, Page } from 'playwright-core'
import { openShop } from '../../test/stage/scenes/booking.ts'
import { calendarOf, operatorOf } from '../../test/stage/scenes/calendar.ts'
import { gatewayForTests } from '../../test/stage/harness.ts'
import { expectOk, product, pushStoryHotel } from '../../test/stage/story.ts'
import { axe, openConsole } from '../../test/stage/browser/browser.ts'
import { minutes } from '../../test/stage/pace.ts'

/** The signs that reach beyond their cells. */
const clipped = `[...document.querySelectorAll('[role=gridcell]')].flatMap((cell) => {
  const { left, right } = cell.getBoundingClientRect()
  return [...cell.querySelectorAll('[data-text]')].flatMap((sign) => {
    const box = sign.getBoundingClientRect()
    return box.left < left - 0.5 || box.right > right + 0.5 ? [cell.getAttribute('aria-label') + ': ' + sign.dataset.text] : []
  })
})`

const hostile = '<img src=x onerror="document.title=\'owned\'">'

describe('the calendar', async () => {
  const gateway = await gatewayForTests()
  const { supplier } = await openShop(gateway)
  const products = [
    product('DBL', 'BAR'),
    product('DBL', 'NRF'),
    product('TWN', 'BAR', { roomName: hostile, rateName: 'Rate BAR' }),
  ]
  expectOk(await supplier.post('/push/products', { hotelId: 'H1', products }))
  const ari = [
    {
      roomId: 'DBL',
      startDate: '2027-04-10',
      endDate: '2027-04-12',
      rates: [{ rateId: 'BAR', minStayArrival: 3, closedToArrival: false }],
    },
    { roomId: 'DBL', date: '2027-04-15', closed: true },
    { roomId: 'DBL', date: '2027-04-16', rates: [{ rateId: 'BAR', closedToArrival: true }] },
    { roomId: 'TWN', startDate: '2027-04-01', endDate: '2027-04-30', inventory: 1 },
  ]
  expectOk(await supplier.post('/push/ari', { hotelId: 'H1', ari }, { 'x-request-id': 'restricted' }))
  const { body } = expectOk(await supplier.post('/push/getHotels', { hotelIds: ['H1'] }))
  const hotel = Number(Object(body['hotels'])[0].platformHotelId)

  const cell = (page: Page, name: RegExp) => page.getByRole('gridcell', { name })
  const path = (more: string): string => `/hotels/${hotel}/calendar?from=2027-04-08${more}`

  test('shows prices, units, restrictions and why nothing is sold; a night tells who set it', async () => {
    const { page, goto, close } = await openConsole(gateway, 'viewer')
    await goto(path(''))
    await cell(page, /Sat, 10 Apr 2027 · USD 100\.00 · at least 3 nights on arrival$/).waitFor()
    await cell(page, /Thu, 15 Apr 2027 · USD 80\.00 · Not sellable: room closed$/).waitFor()
    await cell(page, /Fri, 16 Apr 2027 · USD 100\.00 · closed to arrival$/).waitFor()
    await cell(page, /Thu, 15 Apr 2027 · 2 units · Not sellable: room closed$/).waitFor()
    await cell(page, /Sat, 10 Apr 2027 · USD 100\.00/).click()
    const panel = page.getByRole('region', { name: 'Sat, 10 Apr 2027' })
    await panel.getByRole('row', { name: /Minimum stay on arrival 3 push, item 0 with key/ }).waitFor()
    const push = panel.getByRole('listitem').getByRole('link').first()
    assert.match((await push.getAttribute('href')) ?? '', /^\/console\/pushes\/\d+$/)
    assert.equal(await push.getAttribute('title'), 'restricted')
    assert.match(page.url(), /room=DBL&rate=BAR&night=2027-04-10/)
    assert.equal(await page.getByRole('button', { name: 'Stop or resume sales' }).count(), 0)
    await close()
  })

  test('names the hotel, its supplier and its own time, and leads to the next and the previous one; the legend folds away for good', async () => {
    const named = { hotelName: 'Sky View', hotelId: 'H2' }
    await pushStoryHotel(supplier, named)
    const { page, goto, close } = await openConsole(gateway, 'viewer')
    await goto(path(''))
    const header = page.getByRole('main')
    await header.getByText(/Mon, 1 Mar 2027, 13:\d\d at the hotel \(Europe\/Paris\)/).waitFor()
    await header.getByRole('link', { name: 'Acme' }).waitFor()
    await header.getByText('H1', { exact: true }).waitFor()
    await page.getByText('Legend', { exact: true }).click()
    await page.getByText('closed to arrival').waitFor({ state: 'hidden' })
    await page.getByRole('link', { name: 'Next hotel: Sky View' }).click()
    await page.getByRole('heading', { level: 1, name: 'Calendar of Sky View' }).waitFor()
    assert.match(page.url(), /from=2027-04-08/)
    assert.equal(await page.getByText('closed to arrival').isVisible(), false)
    await page.getByRole('link', { name: 'Previous hotel: Sea View' }).press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Calendar of Sea View' }).waitFor()
    await axe(page, ['light'])
    await close()
  })

  test('explains a stay that is dragged over, and one that its panel suggests', async () => {
    const { page, goto, close } = await openConsole(gateway, 'viewer')
    await goto(path(''))
    const first = await cell(page, /Sat, 10 Apr 2027 · USD 100\.00/).boundingBox()
    assert.ok(first)
    const [x, y] = [first.x + first.width / 2, first.y + first.height / 2]
    await page.mouse.move(x, y)
    await page.mouse.down()
    await page.mouse.move(x + first.width, y, { steps: 4 })
    await page.mouse.up()
    const panel = page.getByRole('region', { name: 'Is it bookable?' })
    await panel.getByText('Cannot be booked').waitFor()
    await panel.getByText('Needs 3 nights for arrival on Sat, 10 Apr 2027; requested: 2').waitFor()
    await panel.getByText('Bookable with 3 nights instead of 2.').waitFor()
    await panel.getByRole('button', { name: 'Show that stay' }).click()
    await panel.getByText('Can be booked', { exact: true }).waitFor()
    assert.match(page.url(), /checkin=2027-04-10&checkout=2027-04-13/)
    await panel.getByRole('row', { name: /Total after tax 330\.00/ }).waitFor()
    await close()
  })

  test('a stay that is chosen on the row of a room is explained at a rate, and at another one', async () => {
    const { page, goto, close } = await openConsole(gateway, 'viewer')
    await goto(path('&adults=1&childAges=6&room=DBL&checkin=2027-04-16&checkout=2027-04-18'))
    const panel = page.getByRole('region', { name: 'Is it bookable?' })
    const rate = panel.getByLabel('Rate', { exact: true })
    await panel.getByText('For 1 adult, 1 child aged 6').waitFor()
    assert.equal(await rate.inputValue(), 'BAR')
    await panel.getByText('Closed to arrival on Fri, 16 Apr 2027').waitFor()
    await rate.selectOption('Rate NRF (NRF)')
    await panel.getByText('Can be booked', { exact: true }).waitFor()
    assert.match(page.url(), /rate=NRF/)
    await page.getByLabel('Rows').selectOption('Rooms only')
    await page.waitForURL(/rows=rooms/)
    assert.equal(await rate.inputValue(), 'NRF')
    await close()
  })

  test('what is chosen stays in sight when its panel takes room, and so does the cell that keys lead to', async () => {
    for (const width of [1280, 768]) {
      const { page, goto, close } = await openConsole(gateway, 'viewer', { width })
      await goto(path(''))
      await page.getByRole('gridcell').first().waitFor()
      const name = await page.evaluate<string>(lastInSight)
      await page.getByRole('gridcell', { name }).first().click()
      await page.getByRole('region').getByRole('table').waitFor()
      const isSeen = (mark: 'chosen' | 'active') => async (): Promise<boolean> =>
        page.evaluate<boolean>(seen(mark))
      await until(isSeen('chosen'), `the chosen night at ${width}`)
      for (let press = 0; press < 12; press++) await page.keyboard.press('ArrowRight')
      await until(isSeen('active'), `the night at hand at ${width}`)
      await close()
    }
  })

  test('is read, explained and left by keyboard alone', async () => {
    const { page, goto, close } = await openConsole(gateway, 'viewer')
    await goto(path('&room=DBL&rate=BAR&night=2027-04-09'))
    const grid = page.getByRole('grid')
    await page.getByRole('region', { name: 'Fri, 9 Apr 2027' }).waitFor()
    await grid.press('ArrowRight')
    const isAt = async (name: RegExp): Promise<void> => {
      const named = `document.getElementById(document.querySelector('[role=grid]').getAttribute('aria-activedescendant'))?.getAttribute('aria-label')`
      await until(async () => name.test(String(await page.evaluate(named))), String(name))
    }
    await isAt(/^Sat, 10 Apr 2027 · USD 100\.00/)
    await page.keyboard.press('Enter')
    const panel = page.getByRole('region', { name: 'Sat, 10 Apr 2027' })
    await panel.waitFor()
    const focused = 'document.activeElement?.textContent'
    await until(async () => (await page.evaluate(focused)) === 'Sat, 10 Apr 2027', 'the focus')
    await page.keyboard.press('Escape')
    await panel.waitFor({ state: 'detached' })
    assert.equal(await page.evaluate(`document.activeElement.getAttribute('role')`), 'grid')
    await page.keyboard.press('Shift+ArrowRight')
    await page.getByRole('region', { name: 'Is it bookable?' }).getByText('Cannot be booked').waitFor()
    await page.keyboard.press('Escape')
    await page.keyboard.press('ArrowUp')
    await isAt(/Apr 2027 · 2 units$/)
    await page.keyboard.press('Control+End')
    await isAt(/^Fri, 30 Mar 2029/)
    await page.keyboard.press('Control+Home')
    await isAt(/^Mon, 22 Feb 2027/)
    await close()
  })

  test('in the panel of a night, each time is in one line, on a phone too, wherever the hotel is', async () => {
    for (const width of [1280, 390]) {
      const { page, goto, close } = await openConsole(gateway, 'viewer', { width, zone: 'America/New_York' })
      await goto(path('&room=DBL&rate=BAR&night=2027-04-10'))
      const panel = page.getByRole('region', { name: 'Sat, 10 Apr 2027' })
      await panel.getByRole('row', { name: /Minimum stay on arrival 3 push, item 0 with key/ }).waitFor()
      const times = panel.locator('time, time + span')
      assert.deepEqual(new Set(await linesOf(times)), new Set([1]), `at ${width}`)
      await close()
    }
  })

  test('an operator stops the sale after seeing what it touches, and opens it again', async () => {
    const { page, goto, close, operator } = await openConsole(gateway, 'operator')
    await goto(path('&room=DBL&rate=&night=2027-04-20'))
    await page.getByRole('button', { name: 'Stop or resume sales' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Last night').fill('2027-04-21')
    await dialog.getByLabel('Reason').fill('Burst pipe')
    await dialog.getByText('Stops sales of 2 nights; none already stopped.').waitFor()
    await dialog.getByRole('button', { name: 'Stop sales' }).click()
    await page.getByText('Sales of 2 nights stopped').waitFor()
    await cell(page, /Tue, 20 Apr 2027 · USD 100\.00 · Not sellable: stop-sell of the room$/).waitFor()
    const row = page.getByRole('row', {
      name: /Stop-sell \(room\) yes operator .*, stop-sell: “Burst pipe”/,
    })
    await row.waitFor()
    assert.ok((await row.innerText()).includes(operator?.name ?? '?'))
    const stopped = cell(page, /Tue, 20 Apr 2027 · USD 100\.00/)
    assert.equal(await stopped.locator('[data-text]').getAttribute('data-text'), 'S')
    await page.getByRole('button', { name: 'Stop or resume sales' }).click()
    await dialog.getByLabel('Resume sales').check()
    await dialog.getByText('Resumes sales of 1 night; none without stop-sell.').waitFor()
    await dialog.getByRole('button', { name: 'Resume sales' }).click()
    await cell(page, /Tue, 20 Apr 2027 · USD 100\.00$/).waitFor()
    const { rooms } = await calendarOf(await operatorOf(gateway), hotel, '2027-04-20', '2027-04-21')
    assert.deepEqual(rooms[0]?.stopSell, [-1, 1])
    await close()
  })

  test('names that suppliers push are text, wherever they are shown', async () => {
    const { page, goto, close } = await openConsole(gateway, 'operator')
    await goto(path('&room=TWN&rate=BAR&night=2027-04-10'))
    await page.getByRole('rowheader', { name: hostile }).waitFor()
    await page.getByRole('region', { name: 'Sat, 10 Apr 2027' }).getByText(hostile).waitFor()
    await page.getByRole('button', { name: 'Stop or resume sales' }).click()
    await page.getByRole('dialog').getByLabel(hostile).waitFor()
    assert.equal(await page.locator('img[src=x]').count(), 0)
    assert.match(await page.title(), /^Calendar of Sea View/)
    await close()
  })

  test('goes to dates, to today and to other densities, and keeps all of it in the URL', async () => {
    const { page, goto, close } = await openConsole(gateway, 'viewer')
    await goto(path('&density=week'))
    await page.getByLabel('From').fill('2027-06-01')
    await cell(page, /Tue, 1 Jun 2027/)
      .first()
      .waitFor()
    assert.match(page.url(), /from=2027-06-01/)
    await page.getByRole('button', { name: 'Today' }).click()
    await page.waitForURL(/from=2027-03-01/)
    await page.getByText('Month', { exact: true }).click()
    await page.waitForURL(/density=month/)
    await page.getByLabel('Room or rate').fill('NRF')
    await page.waitForURL(/rooms=NRF/)
    await page.getByRole('rowheader', { name: 'Rate BAR' }).first().waitFor({ state: 'detached' })
    await page.reload()
    await page.getByRole('rowheader', { name: 'Rate NRF' }).waitFor()
    assert.equal(await page.getByRole('rowheader', { name: 'Rate BAR' }).count(), 0)
    await page.getByLabel('Rows').selectOption('Rooms only')
    await page.waitForURL(/rows=rooms/)
    await page.getByRole('rowheader', { name: 'Rate NRF' }).waitFor({ state: 'detached' })
    assert.equal(await page.getByRole('rowheader', { name: 'DBL' }).count(), 1)
    await close()
  })

  test('has no findings of axe, light and dark, wide and narrow, with its panels and its dialog', async () => {
    for (const [width, zoom] of [
      [1280, 1],
      [768, 1],
      [1280, 2],
    ] as const) {
      const { page, goto, close } = await openConsole(gateway, 'operator', { width, zoom })
      for (const shown of ['', '&room=DBL&rate=BAR&night=2027-04-10']) {
        await goto(path(shown))
        await page.getByRole('gridcell').first().waitFor()
        if (shown !== '') await page.getByRole('region').getByRole('table').first().waitFor()
        await axe(page, ['light', 'dark'])
      }
      const stay = '&room=DBL&rate=BAR&checkin=2027-04-10&checkout=2027-04-12'
      await goto(path(stay))
      await page.getByText('Cannot be booked').waitFor()
      await axe(page, ['light', 'dark'])
      await page.getByRole('button', { name: 'Close' }).click()
      await page.getByRole('button', { name: 'Stop or resume sales' }).click()
      await page.getByRole('dialog').getByText('All rooms').waitFor()
      if (width * zoom === 1280) await axe(page, ['light', 'dark'])
      await close()
    }
  })

  test('no sign is clipped by its cell, in any density and at any width', async () => {
    const all = {
      minStayArrival: 14,
      maxLengthStay: 28,
      minAdvanceDays: 10,
      closedToArrival: true,
      inventory: 12,
    }
    const crowded = [
      {
        roomId: 'DBL',
        date: '2027-04-13',
        inventory: 120,
        rates: [{ rateId: 'BAR', price: 12345.5, ...all }],
      },
      {
        roomId: 'DBL',
        date: '2027-04-14',
        closed: true,
        inventory: 120,
        rates: [{ rateId: 'NRF', price: 1234.5, closedToDeparture: true, closedToArrival: true }],
      },
    ]
    expectOk(await supplier.post('/push/ari', { hotelId: 'H1', pricingModel: 'unit', ari: crowded }))
    for (const width of [1280, 390]) {
      const { page, goto, close } = await openConsole(gateway, 'viewer', { width })
      for (const density of ['week', 'fortnight', 'month']) {
        await goto(path(`&density=${density}`))
        await page.getByRole('gridcell').first().waitFor()
        await page.waitForFunction(`document.fonts.status === 'loaded'`)
        assert.deepEqual(await page.evaluate<string[]>(clipped), [], `${density} at ${width}`)
      }
      await close()
    }
  })
})

/** How many lines of text each takes. */
const linesOf = (times: Locator): Promise<number[]> =>
  times.evaluateAll((texts) =>
    texts.map((text) => {
      const { lineHeight } = text.ownerDocument.defaultView.getComputedStyle(text)
      return Math.round(text.getBoundingClientRect().height / Number.parseFloat(lineHeight))
    }),
  )

/** The label of the last night of the first row that is wholly seen. */
const lastInSight = `(() => {
  const right = document.querySelector('[role=grid]').parentElement.parentElement.getBoundingClientRect().right
  const cells = [...document.querySelectorAll('[data-row="1"] [data-night]')]
  return cells.findLast((cell) => cell.getBoundingClientRect().right <= right).getAttribute('aria-label')
})()`

/** Whether what marks the night lies beside the heads of rows, left of the panel and above the end of the page. */
const seen = (mark: 'chosen' | 'active'): string => `(() => {
  const night = document.querySelector('[role=grid] > [class*=${mark}]').getBoundingClientRect()
  const head = document.querySelector('[role=rowheader]').getBoundingClientRect()
  const panel = document.querySelector('main section[aria-label]').getBoundingClientRect()
  return night.left >= head.right - 1 && night.right <= panel.left && night.bottom <= innerHeight
})()`

const waitMs = minutes(2)

/** Looked at again and again from here: the page's policy lets nothing be evaluated that it does not bring along. */
async function until(isSo: () => Promise<boolean>, what: string): Promise<void> {
  const endMs = Date.now() + waitMs
  while (!(await isSo())) {
    if (Date.now() > endMs) assert.fail(`waited for ${what} in vain`)
    await pause(50)
  }
}
