import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { namedIn, until } from '../../test/stage/scenes/deliveries.ts'
import { card, evilName, stageBookings, statusOf } from '../../test/stage/browser/bookings-stage.ts'
import { axe, openConsole, type ConsoleWindow } from '../../test/stage/browser/browser.ts'

/** What people do with reservations, deliveries and price checks. */

describe('bookings in the console', async () => {
  const stage = await stageBookings()

  async function withWindow(
    role: 'viewer' | 'operator',
    work: (window: ConsoleWindow) => Promise<void>,
    options: Parameters<typeof openConsole>[2] = {},
  ): Promise<void> {
    const window = await openConsole(stage.gateway, role, options)
    await work(window)
    await window.close()
  }

  const arrives = (id: string): Promise<void> =>
    until(`${id} arrives`, async () => (await statusOf(stage.gateway, id)).at(-1) === 'delivered')

  const pages = (): string[] => [
    '/reservations',
    `/reservations/${stage.arrived}`,
    `/reservations/${stage.failing}`,
    '/deliveries',
    '/deliveries?state=dead',
    '/price-checks',
    '/price-checks?view=latency',
    '/price-checks?view=drift',
  ]

  test('a reservation is found by its number, and says whether the hotel knows of it', async () => {
    await withWindow('viewer', async ({ page, goto }) => {
      await goto('/reservations')
      await page.getByLabel('Reservation number').fill(stage.failing)
      await page.waitForURL(/reservation=/)
      await until('one is left', async () => (await page.locator('tbody tr').count()) === 1)
      await page.getByRole('link', { name: stage.failing, exact: true }).click()
      await page.getByRole('heading', { name: `Reservation ${stage.failing}` }).waitFor()
      const banner = page.getByRole('status').filter({ hasText: 'The hotel' })
      assert.match(await banner.innerText(), /The hotel does not have it yet\s+Version 1 failed once/)
      await goto(`/reservations/${stage.nowhere}`)
      await page.getByText('no URL to send it to').waitFor()
      await goto('/reservations/999999')
      await page.getByRole('heading', { level: 1, name: 'No such reservation' }).waitFor()
    })
  })

  test('the list is saved as it is narrowed, for a spreadsheet', async () => {
    await withWindow('viewer', async ({ page, goto }) => {
      await goto(`/reservations?reservation=${stage.failing}`)
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: 'Export as CSV' }).click(),
      ])
      assert.equal(download.suggestedFilename(), 'reservations.csv')
      const [head, ...rows] = (await readFile(await download.path(), 'utf8')).trimEnd().split('\r\n')
      assert.match(
        String(head),
        /^\ufeffReservation,Version,Platform’s reference,Channel,Status,Reached hotel,Guest,/,
      )
      assert.equal(rows.length, 1)
      assert.match(String(rows[0]), new RegExp(`^${stage.failing},1,,[^,]*,Confirmed,`))
    })
  })

  test('a hotel is chosen by a part of its name, is there after a reload, and is cleared by the keyboard', async () => {
    await withWindow('viewer', async ({ page, goto }) => {
      const rows = page.locator('tbody tr')
      const hotel = page.getByRole('combobox', { name: 'Hotel', exact: true })
      await goto('/reservations')
      await until('all are there', async () => (await rows.count()) === 5)
      await hotel.pressSequentially('ea vie')
      const options = page.getByRole('listbox', { name: 'Hotel' }).getByRole('option')
      await options.first().waitFor()
      assert.deepEqual(await options.allInnerTexts(), ['Sea View (H1) Acme', 'Sea View (H1) Beta'])
      await page.keyboard.press('ArrowDown')
      await page.keyboard.press('ArrowDown')
      await axe(page, ['light', 'dark'])
      await page.keyboard.press('Enter')
      await page.waitForURL(/\?hotelId=\d+$/)
      await until('one is left', async () => (await rows.count()) === 1)
      assert.match(await rows.innerText(), new RegExp(`^${stage.nowhere}\\s[^]*Sea View\\s+Beta`))
      await page.reload()
      await until('its name is there', async () => (await hotel.inputValue()) === 'Sea View (H1)')
      await until('one is left', async () => (await rows.count()) === 1)
      await axe(page, ['dark'])
      await hotel.fill('nowhere')
      await page.getByText('No hotels match').waitFor()
      await axe(page, ['light', 'dark'])
      await page.keyboard.press('Tab')
      await page.keyboard.press('Enter')
      await until('all are there', async () => (await rows.count()) === 5)
      assert.deepEqual([new URL(page.url()).search, await hotel.inputValue()], ['', ''])
    })
  })

  test('a hotel that was chosen goes with its supplier, and one that there is not is a number', async () => {
    await withWindow('viewer', async ({ page, goto }) => {
      const hotel = page.getByRole('combobox', { name: 'Hotel', exact: true })
      const shown = (text: string) => until(`it is ${text}`, async () => (await hotel.inputValue()) === text)
      await goto('/reservations?hotelId=1')
      await shown('Sea View (H1)')
      await page.getByLabel('Supplier').selectOption('Acme')
      await page.waitForURL(/\?hotelId=1&supplierId=\d+$/)
      await page.getByLabel('Supplier').selectOption('Beta')
      await page.waitForURL(/\?supplierId=\d+$/)
      await shown('')
      await hotel.click()
      const options = page.getByRole('listbox', { name: 'Hotel' }).getByRole('option')
      await until('only its own are offered', async () => (await options.count()) === 1)
      await goto('/reservations?hotelId=999')
      await shown('999')
      await page.getByText('No reservation').first().waitFor()
    })
  })

  test('versions show what differs, and the card is its brand and four digits, in the page and on the wire', async () => {
    await withWindow('operator', async ({ page, goto }) => {
      const bodies: Promise<string>[] = []
      page.on('response', (response) => void bodies.push(response.text().catch(() => '')))
      await goto(`/reservations/${stage.arrived}`)
      await page.getByText('VI ending in 1111').waitFor()
      await page.getByText('The hotel has it').waitFor()
      const changed = page.getByRole('table', { name: 'Version 2' })
      assert.match(await changed.innerText(), /Departure\s+2027-04-22\s+2027-04-23/)
      await goto('/reservations')
      await goto('/deliveries?state=all')
      await page.locator('tbody tr a').first().waitFor()
      await goto(`/reservations/${stage.arrived}`)
      const seen = [await page.content(), ...(await Promise.all(bodies))].join('\n')
      assert.ok(seen.includes('1111') && seen.length > 10_000)
      for (const secret of [card.number, card.number.slice(0, 8), 'paymentcarddetail', '"cvv"'])
        assert.ok(!seen.includes(secret), secret)
    })
  })

  test('names that guests choose stay text', async () => {
    await withWindow('viewer', async ({ page, goto }) => {
      for (const path of ['/reservations', `/reservations/${stage.failing}`, '/deliveries']) {
        await goto(path)
        await page.locator('table').first().waitFor()
        if (!path.startsWith('/deliveries')) await page.getByText(evilName).first().waitFor()
        assert.equal(await page.locator('img[src=x]').count(), 0)
        assert.equal(await page.evaluate('window.evil'), undefined)
      }
    })
  })

  test('a viewer is offered nothing to send', async () => {
    await withWindow('viewer', async ({ page, goto }) => {
      for (const path of ['/deliveries', `/reservations/${stage.failing}`]) {
        await goto(path)
        await page.locator('table').first().waitFor()
        assert.equal(await page.getByRole('button', { name: /send/i }).count(), 0)
        assert.equal(await page.getByRole('checkbox').count(), 0)
      }
    })
  })

  test('a note is written by an operator, read by all, and stands in the list of deliveries', async () => {
    await withWindow('operator', async ({ page, goto }) => {
      await goto(`/reservations/${stage.failing}`)
      const field = page.getByLabel('Note for colleagues')
      await field.fill('guest pays with 4111 1111 1111 1111')
      await field.press('Enter')
      await page.getByText('A note or a reason must not contain a card number').waitFor()
      await field.fill(`Called them ${evilName}`)
      await field.press('Enter')
      const notes = page.getByRole('region', { name: 'Notes' })
      await notes.getByText(`Called them ${evilName}`).waitFor()
      await until('the field is empty', async () => (await field.inputValue()) === '')
      await axe(page, ['light', 'dark'])
    })
    await withWindow('viewer', async ({ page, goto }) => {
      await goto('/deliveries')
      await page
        .getByText(/^operator-\w+: Called them/)
        .first()
        .waitFor()
      await goto(`/reservations/${stage.failing}`)
      await page
        .getByRole('region', { name: 'Notes' })
        .getByText(/^Called them/)
        .waitFor()
      assert.equal(await page.getByRole('button', { name: 'Add note' }).count(), 0)
    })
  })

  test('on a phone what selects a delivery is in the corner of its card, on no line of its own', async () => {
    await withWindow(
      'operator',
      async ({ page, goto }) => {
        await goto('/deliveries')
        const row = page
          .locator('tbody tr')
          .filter({ has: page.getByRole('checkbox') })
          .first()
        const choice = await row.getByRole('checkbox').boundingBox()
        const number = await row.getByRole('link', { name: /^\d+$/ }).boundingBox()
        assert.ok(choice && number && choice.x > number.x && Math.abs(choice.y - number.y) < number.height)
      },
      { width: 390, height: 844 },
    )
  })

  test('the latest calls of a supplier have the words and the colours of the lists', async () => {
    await withWindow('viewer', async ({ page, goto }) => {
      await goto('/suppliers')
      await page.getByRole('link', { name: 'Acme', exact: true }).click()
      const calls = page.getByRole('table', { name: 'Latest price checks and deliveries of this supplier' })
      await calls.getByText('Price changed', { exact: true }).first().waitFor()
      await calls.getByText('Unavailable', { exact: true }).first().waitFor()
      assert.doesNotMatch(await calls.innerText(), /price changed|unavailable/)
    })
  })

  test('price checks stand side by side, drift leads to the push that set the price, latency is drawn', async () => {
    await withWindow('viewer', async ({ page, goto }) => {
      await goto('/price-checks?outcome=price_changed')
      await settled(page)
      const row = page.locator('tbody tr').first()
      assert.match(await row.innerText(), /110\.00\s*USD\s+132\.00\s*USD\s+22\.00 USD higher/)
      await row.getByRole('button', { name: 'Show the nights' }).click()
      await page.getByRole('table', { name: 'Stored and live price of each night' }).waitFor()
      await page.getByRole('link', { name: 'Latency and outcomes' }).click()
      await page.getByRole('img', { name: 'How long suppliers take to answer' }).locator('canvas').waitFor()
      await page.getByText('Price changed 2').first().waitFor()
      await page.getByRole('link', { name: 'Drift' }).click()
      await page.getByText('22.00 USD (20%) higher').first().waitFor()
      const cell = page.getByRole('link', { name: 'Show Mon, 12 Apr 2027 in the calendar' })
      assert.match(
        String(await cell.getAttribute('href')),
        /\/hotels\/\d+\/calendar\?from=2027-04-12&room=DBL/,
      )
      await page
        .getByRole('link', { name: /the push of revision/ })
        .first()
        .click()
      await page.waitForURL(/\/pushes\/\d+$/)
    })
  })

  test('axe finds nothing, in light and dark', async () => {
    await withWindow('operator', async ({ page, goto }) => {
      for (const path of pages()) {
        await goto(path)
        await settled(page)
        await axe(page, ['light', 'dark'])
      }
      await goto('/deliveries')
      await page.getByRole('button', { name: 'Send all matching again…' }).click()
      await page
        .getByRole('dialog')
        .getByRole('button', { name: /^Send \d+ again$/ })
        .waitFor()
      await axe(page, ['light', 'dark'])
    })
  })

  for (const size of [{ width: 768 }, { width: 1280, zoom: 2 }])
    test(`nothing is cut at ${size.width} px${size.zoom === undefined ? '' : ' and 200 %'}`, async () => {
      await withWindow(
        'operator',
        async ({ page, goto }) => {
          for (const path of pages()) {
            await goto(path)
            await settled(page)
            const beyond = await page.evaluate('document.documentElement.scrollWidth - innerWidth')
            assert.ok(Number(beyond) <= 0, `${path} is ${String(beyond)} px too wide`)
          }
        },
        size,
      )
    })

  test('sending again shows what the endpoint answered, in its own words, and when the next attempt is', async () => {
    await withWindow('operator', async ({ page, goto }) => {
      await goto(`/reservations/${stage.late}`)
      // Of the attempt before, at the top of the page.
      await page.getByRole('status').getByText('{"taken":false}').waitFor()
      await page.getByRole('button', { name: 'Send again' }).click()
      await page.getByRole('button', { name: 'Send now' }).click()
      const dialog = page.getByRole('dialog', { name: `Reservation ${stage.late} is sent again` })
      await dialog.getByText('The endpoint did not accept it').waitFor()
      await dialog.getByText('{"taken":false}').waitFor()
      await axe(page, ['light'])
      await dialog.getByRole('button', { name: 'Close' }).click()
      assert.equal(await page.getByText('sec. ago', { exact: false }).count(), 0)
    })
  })

  test('what has no URL can not be sent, and the page says why', async () => {
    await withWindow('operator', async ({ page, goto }) => {
      await goto(`/reservations/${stage.nowhere}`)
      await page.getByText('The supplier has no URL to send it to.').waitFor()
      assert.ok(await page.getByRole('button', { name: 'Send again' }).isDisabled())
    })
  })

  // These change what the others look at.
  test('the total below the list is of reservations that were not cancelled', async () => {
    await withWindow('viewer', async ({ page, goto }) => {
      await page.route(/\/console\/api\/reservations(\?|$)/, async (route) => {
        const answer = await route.fetch()
        const found: { reservations: { reservationId: number }[] } = await answer.json()
        const reservations = ['10.10', '20.20', '40.40'].map((afterTax, index) => ({
          ...found.reservations[0],
          reservationId: index + 1,
          status: index === 2 ? 'Cancel' : 'Confirm',
          afterTax,
          currency: 'EUR',
        }))
        await route.fulfill({ json: { ...found, reservations, nextCursor: null } })
      })
      await goto('/reservations')
      const total = page.locator('tfoot')
      await total.getByText('without cancelled ones').waitFor()
      assert.match(await total.innerText(), /30\.30/)
    })
  })

  test('of very many rows as many are selected as can be sent at once', async () => {
    await withWindow('operator', async ({ page, goto }) => {
      await page.route(/\/console\/api\/deliveries(\?|$)/, async (route) => {
        const answer = await route.fetch()
        const found: { deliveries: { deliveryId: string }[] } = await answer.json()
        const deliveries = Array.from({ length: 230 }, (_, index) => ({
          ...found.deliveries[0],
          state: 'dead',
          isPresent: true,
          deliveryId: String(index + 1),
        }))
        await route.fulfill({ json: { ...found, deliveries } })
      })
      await goto('/deliveries?state=all')
      const all = page.getByLabel('Select all rows')
      await all.check()
      await page.getByRole('button', { name: 'Send 200 again' }).waitFor()
      assert.ok(await all.isChecked())
      await all.uncheck()
      await page.getByRole('button', { name: 'Send 200 again' }).waitFor({ state: 'detached' })
    })
  })

  test('a failed delivery is sent again by the keyboard alone, and arrives', async () => {
    await withWindow('operator', async ({ page, goto }) => {
      stage.mend(true)
      stage.receiver.calls.length = 0
      await goto(`/reservations/${stage.other}`)
      const button = page.getByRole('button', { name: 'Send again' })
      await button.waitFor()
      await tabTo(page, 'Send again')
      await page.keyboard.press('Enter')
      await page.getByRole('dialog', { name: `Send reservation ${stage.other} again?` }).waitFor()
      await tabTo(page, 'Send now')
      await page.keyboard.press('Enter')
      await page.getByText('The endpoint accepted it').waitFor()
      await page.getByRole('button', { name: 'Close' }).press('Enter')
      await page.getByText('The hotel has it').waitFor()
      assert.deepEqual(stage.receiver.calls.flatMap(namedIn), [`${stage.other}.1`])
    })
  })

  test('all that fail are sent again, after a question that says how many, and arrive', async () => {
    await withWindow('operator', async ({ page, goto, operator }) => {
      stage.mend(true)
      stage.receiver.calls.length = 0
      await goto('/deliveries?state=failing')
      await settled(page)
      await page.getByLabel('Select all rows').check()
      await page.getByRole('button', { name: 'Send 2 again' }).click()
      const dialog = page.getByRole('dialog', { name: 'Send 2 reservations again?' })
      await dialog.getByRole('button', { name: 'Send 2 again' }).click()
      await page.getByText('Sending 2 reservations again').waitFor()
      await Promise.all([stage.failing, stage.late].map(arrives))
      await page.getByText('No deliveries match').waitFor()
      assert.deepEqual(
        stage.receiver.calls.flatMap(namedIn).sort(),
        [`${stage.failing}.1`, `${stage.late}.1`].sort(),
      )
      const { rows } = await stage.gateway.db.query(
        `select subject, operator_name as name from audit_log where action = 'delivery.send-again' order by id desc limit 1`,
      )
      assert.deepEqual(rows, [{ subject: '2 deliveries', name: operator?.name }])
    })
  })
})

/** No list is being waited for any more. */
async function settled(page: Page): Promise<void> {
  await page.waitForLoadState('networkidle')
  await until('it is there', async () => (await page.locator('[aria-busy=true]').count()) === 0)
}

const tabsMax = 80

async function tabTo(page: Page, name: string): Promise<void> {
  for (let step = 0; step < tabsMax; step++) {
    const focused = String(await page.evaluate('document.activeElement?.textContent'))
    if (focused.trim() === name) return
    await page.keyboard.press('Tab')
  }
  throw new Error(`${name} is not reached by the keyboard`)
}
