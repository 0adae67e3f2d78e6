import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { openShop } from '../../test/stage/scenes/booking.ts'
import { gatewayForTests, startGateway } from '../../test/stage/harness.ts'
import { expectOk, product } from '../../test/stage/story.ts'
import { axe, openConsole, typeIn, type WindowOptions } from '../../test/stage/browser/browser.ts'

/** As names of everything that suppliers name; when it runs, the page's policy or a dialog says so. */
const hostile = '<img src=x onerror=alert(1)><script>alert(2)</script>'

describe('the console', async () => {
  const gateway = await gatewayForTests()
  const { supplier } = await openShop(gateway)
  const hotel = { hotelId: 'XSS', currency: 'EUR', isAvailable: true, minChildAge: 2, maxChildAge: 12 }
  const places = { timezone: 'Europe/Paris', city: hostile }
  expectOk(await supplier.post('/push/hotels', [{ ...hotel, ...places, hotelName: hostile }]))
  const products = [product('DBL', 'BAR', { roomName: hostile, rateName: hostile })]
  expectOk(await supplier.post('/push/products', { hotelId: 'XSS', products }))
  const nights = { roomId: 'DBL', startDate: '2027-03-02', endDate: '2027-03-09', inventory: 2 }
  expectOk(await supplier.post('/push/ari', { hotelId: 'XSS', pricingModel: 'unit', ari: [nights] }))

  test('pages can be used by keyboard alone: skip link, menu, search, and the new page has the focus', async () => {
    const { page, goto, close } = await openConsole(gateway, 'viewer')
    await goto('/')
    await page.keyboard.press('Tab')
    const skip = page.getByRole('link', { name: 'Skip to content' })
    assert.equal(await skip.evaluate((link) => link.matches(':focus')), true)
    await page.keyboard.press('Enter')
    assert.equal(await page.evaluate('document.activeElement.id'), 'content')

    await page.getByRole('link', { name: 'Hotels', exact: true }).press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Hotels' }).waitFor()
    assert.equal(await page.evaluate('document.activeElement.id'), 'content')
    assert.match(await page.title(), /^Hotels · /)

    await page.keyboard.press('Control+k')
    await typeIn(page.getByRole('combobox', { name: /Hotel, supplier/ }), 'sea view')
    await page.getByRole('option', { name: /^Sea View/ }).waitFor()
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/console\/hotels\/\d+$/)
    await page.getByRole('heading', { level: 1, name: 'Sea View' }).waitFor()
    await close()
  })

  test('Ctrl+K leads to pages, to what was looked at last, and to what is to be done', async () => {
    const { page, operator, goto, close } = await openConsole(gateway, 'admin')
    const ask = async (typed: string): Promise<void> => {
      await page.keyboard.press('Control+k')
      await typeIn(page.getByRole('combobox', { name: /Hotel, supplier/ }), typed)
    }
    await goto('/')
    await ask('price ch')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Price checks' }).waitFor()

    await ask('stop BAR at sea view')
    await page.getByRole('option', { name: /Stop BAR at Sea View/ }).waitFor()
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog')
    await dialog.getByText('Stop or resume sales').waitFor()
    assert.equal(await dialog.getByLabel('Rate BAR').isChecked(), true)
    assert.equal(await dialog.getByLabel('Rate NRF').isChecked(), false)
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })

    await ask('rotate key of acme')
    await page.getByRole('option', { name: /Rotate a key of Acme/ }).waitFor()
    await page.keyboard.press('Enter')
    await page
      .getByRole('dialog')
      .getByText(/Rotate/)
      .first()
      .waitFor()
    await page.keyboard.press('Escape')

    await ask('why sea view')
    await page.getByRole('option', { name: /Why can’t guests book Sea View/ }).waitFor()
    await page.keyboard.press('Enter')
    await page.getByText(/room-rates can be booked/).waitFor()

    await page.keyboard.press('Control+k')
    await page.getByRole('option', { name: /^Acme Recent/ }).waitFor()
    await axe(page, ['light', 'dark'])
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: operator?.name ?? '' }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor()
    assert.equal(await page.evaluate(`localStorage.getItem('ari-console-visits')`), null)
    await close()
  })

  test('a viewer is offered no action that only others may take', async () => {
    const { page, goto, close } = await openConsole(gateway, 'viewer')
    await goto('/')
    await page.keyboard.press('Control+k')
    await typeIn(page.getByRole('combobox', { name: /Hotel, supplier/ }), 'stop sea view')
    await page
      .getByRole('option', { name: /Sea View/ })
      .first()
      .waitFor()
    assert.equal(await page.getByRole('option', { name: /^Stop/ }).count(), 0)
    await close()
  })

  test('a search without results says what can be found, and goes on in the guides', async () => {
    const { page, goto, close } = await openConsole(gateway, 'viewer')
    await goto('/')
    await page.keyboard.press('Control+K')
    const search = page.getByRole('combobox', { name: 'Hotel, supplier, reservation, request ID or key' })
    await typeIn(search, 'WRONG_TYPE')
    await page.getByText('No results for “WRONG_TYPE”.').waitFor()
    await page.getByText('Suppliers: part of the name').waitFor()
    await axe(page, ['light'])
    await page.getByRole('link', { name: 'Search the guides for “WRONG_TYPE”' }).click()
    await page
      .getByRole('list', { name: 'Headings found' })
      .getByRole('link', { name: /WRONG_TYPE/ })
      .click()
    await page.locator('tr:target').getByText('WRONG_TYPE', { exact: true }).waitFor()
    await close()
  })

  test('the search is closed by Escape and gives the focus back', async () => {
    const { page, goto, close } = await openConsole(gateway, 'viewer')
    await goto('/')
    const open = page.getByRole('button', { name: /^Search/ }).first()
    await open.press('Enter')
    await page.getByRole('combobox', { name: /Hotel, supplier/ }).waitFor()
    await axe(page, ['light'])
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    assert.equal(await open.evaluate((button) => button.matches(':focus')), true)
    await close()
  })

  test('what suppliers push is text wherever it is shown', async () => {
    const { page, goto, close } = await openConsole(gateway, 'viewer')
    let alerted = 0
    page.on('dialog', (dialog) => {
      alerted++
      void dialog.dismiss()
    })
    await goto('/')
    // Its ARI ends within days, so that the overview names it.
    await page.getByRole('link', { name: hostile }).first().waitFor()
    await page.keyboard.press('Control+k')
    await typeIn(page.getByRole('combobox', { name: /Hotel, supplier/ }), 'onerror')
    const option = page.getByRole('option').first()
    await option.waitFor()
    assert.ok((await option.innerText()).includes(hostile))
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1 }).filter({ hasText: hostile }).waitFor()
    assert.equal(await page.locator('img[src=x]').count(), 0)
    assert.equal(alerted, 0)
    await close()
  })

  test('a page whose script cannot be loaded comes back by itself when the service answers again', async () => {
    const { page, goto, close } = await openConsole(gateway, 'viewer')
    await goto('/')
    let isAway = true
    // As while the service restarts: neither scripts nor the page itself.
    await page.route(/\/console(\/assets\/.*)?$/, (route) => (isAway ? route.abort() : route.continue()))
    await page.getByRole('link', { name: 'Price checks', exact: true }).click()
    await page.getByRole('heading', { level: 1, name: 'This page comes back by itself' }).waitFor()
    await axe(page, ['light'])
    isAway = false
    await page.getByRole('heading', { level: 1, name: 'Price checks' }).waitFor()
    await close()
  })

  test('a console whose first script cannot be loaded loads again by itself', async () => {
    const { page, goto, close } = await openConsole(gateway, 'viewer')
    let refused = 0
    await page.route(/\/console\/assets\/.*\.js$/, (route) =>
      refused++ === 0 ? route.abort() : route.continue(),
    )
    await goto('/hotels')
    await page.getByRole('heading', { level: 1, name: 'Hotels' }).waitFor()
    assert.ok(refused > 1)
    await close()
  })

  test('after an upgrade an open page offers to load the new console, and keeps what is typed until then', async () => {
    const { page, goto, close } = await openConsole(gateway, 'viewer')
    await page.route('**/console', async (route) => {
      if (route.request().method() !== 'HEAD') return route.continue()
      return route.fulfill({ status: 200, headers: { 'x-console-build': 'another' } })
    })
    await goto('/hotels')
    await page.getByRole('status').filter({ hasText: 'A new version of the console' }).waitFor()
    await axe(page, ['light'])
    const search = page.getByRole('textbox', { name: 'Search' })
    await search.fill('sea')
    assert.equal(await search.inputValue(), 'sea')
    await page.getByRole('button', { name: 'Reload page' }).click()
    await page.getByRole('heading', { level: 1, name: 'Hotels' }).waitFor()
    await close()
  })

  test('nobody who is not signed in sees a page, and comes back to where they were', async () => {
    const { page, close } = await openConsole(gateway, 'nobody')
    await page.goto(`${gateway.url}/console/hotels?search=sea`)
    await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor()
    assert.equal(new URL(page.url()).searchParams.get('to'), '/hotels?search=sea')
    await close()
  })

  test('after signing out, no page opens', async () => {
    const { page, operator, goto, close } = await openConsole(gateway, 'operator')
    await goto('/')
    await page.getByRole('button', { name: operator?.name ?? '' }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor()
    assert.equal((await operator?.get('/me'))?.status, 401)
    await close()
  })

  test('a page that is not there says so, and a service that fails says its request id', async () => {
    const { page, goto, close } = await openConsole(gateway, 'viewer')
    await goto('/no/such/page')
    await page.getByRole('heading', { level: 1, name: 'Page not found' }).waitFor()
    await page.route('**/console/api/overview', (route) =>
      route.fulfill({
        status: 400,
        headers: { 'x-request-id': 'req-17', 'content-type': 'application/json' },
        body: JSON.stringify({
          code: '400',
          message: 'It is broken',
          errors: [{ type: 'BROKEN', message: 'It is broken', hint: 'Mend it' }],
        }),
      }),
    )
    await page.getByRole('link', { name: 'Go to the overview' }).click()
    const note = page.getByRole('alert')
    await note.waitFor()
    assert.match(await note.innerText(), /It is broken[^]*Mend it[^]*req-17/)
    await axe(page, ['dark'])
    await close()
  })

  test('sandbox and production are told apart; a viewer has no menu of operators', async () => {
    const { page, goto, close } = await openConsole(gateway, 'viewer')
    await goto('/')
    const badge = page.locator('[data-environment]').filter({ visible: true })
    assert.deepEqual(await badge.allInnerTexts(), ['Sandbox'])
    assert.equal(await page.getByRole('link', { name: 'Operators' }).count(), 0)
    assert.equal(await page.getByRole('link', { name: 'Sandbox', exact: true }).count(), 1)
    await close()
    const production = await startGateway({ environment: 'production' })
    const other = await openConsole(production, 'viewer')
    await other.goto('/')
    const otherBadge = other.page.locator('[data-environment]').filter({ visible: true })
    assert.deepEqual(await otherBadge.allInnerTexts(), ['Production'])
    assert.equal(await other.page.getByRole('link', { name: 'Sandbox', exact: true }).count(), 0)
    await axe(other.page, ['light'])
    await other.close()
    await production.stop()
  })

  const usable = async (options: WindowOptions) => {
    const { page, goto, close } = await openConsole(gateway, 'viewer', options)
    await goto('/')
    await page.getByRole('button', { name: 'Open menu' }).click()
    await page.getByRole('link', { name: 'Push log' }).click()
    await page.getByRole('heading', { level: 1, name: 'Push log' }).waitFor()
    await goto('/')
    const beyond = await page.evaluate(
      'document.documentElement.scrollWidth - document.documentElement.clientWidth',
    )
    assert.equal(beyond, 0)
    await axe(page, ['light'])
    await close()
  }
  test('768 px wide, the menu opens over the page, and nothing runs out of it', () => usable({ width: 768 }))
  test('zoomed to 200 %, the same holds', () => usable({ zoom: 2 }))

  test('the look is chosen in the menu of the account and stays', async () => {
    const { page, goto, close } = await openConsole(gateway, 'viewer')
    await goto('/')
    const isDark = () => page.evaluate(`document.documentElement.dataset.mantineColorScheme === 'dark'`)
    assert.equal(await isDark(), false)
    await page.getByRole('button', { name: /^viewer-/ }).click()
    await page.getByText('Dark', { exact: true }).click()
    assert.equal(await isDark(), true)
    await page.reload()
    await page.getByRole('heading', { level: 1 }).waitFor()
    assert.equal(await isDark(), true)
    await close()
  })
})
