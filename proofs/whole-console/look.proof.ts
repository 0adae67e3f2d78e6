import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { openShop } from '../../test/stage/scenes/booking.ts'
import { gatewayForTests } from '../../test/stage/harness.ts'
import { axe, openConsole, widthsOf } from '../../test/stage/browser/browser.ts'

/** What all pages share: font, mark, tables on a phone, fields that are only read, things that don't exist. */

describe('the look of the console', async () => {
  const gateway = await gatewayForTests()
  const { supplier, book } = await openShop(gateway, 'Acme')
  await book()
  await supplier.post('/push/ari', { hotelId: 'H1' })

  test('Latin text has the console’s own font, which comes from the service itself', async () => {
    const { page, goto, close } = await openConsole(gateway, 'viewer')
    const fonts: string[] = []
    page.on('response', (response) => {
      if (response.url().endsWith('.woff2') && response.ok()) fonts.push(new URL(response.url()).pathname)
    })
    await goto('/')
    await page.waitForFunction(`document.fonts.check('14px "Inter Variable"')`)
    assert.equal(fonts.length, 1)
    assert.match(fonts[0] ?? '', /^\/console\/assets\/inter-latin/)
    await close()
  })

  test('on a phone every list is cards: no page scrolls sideways, and no value is squeezed', async () => {
    const { page, goto, close } = await openConsole(gateway, 'operator', {
      width: 390,
      height: 844,
    })
    for (const path of [
      '/hotels',
      '/suppliers',
      '/pushes',
      '/reservations',
      '/numbers',
      '/deliveries',
      '/price-checks',
      '/alerts',
      '/holds',
      '/audit',
      '/reference',
    ]) {
      await goto(path)
      await page.waitForLoadState('networkidle')
      const { beyond, narrowest } = await widthsOf(page)
      assert.equal(beyond, 0, `${path} is wider than the phone`)
      assert.ok(narrowest >= 150, `a value of ${path} has ${narrowest} pixels`)
      await axe(page, ['light', 'dark'])
    }
    await close()
  })

  test('a reservation is a number in a table, and the title of a card on a phone', async () => {
    for (const [width, name] of [
      [1280, /^\d+$/],
      [390, /^Reservation \d+$/],
    ] as const) {
      const { page, goto, close } = await openConsole(gateway, 'viewer', { width, height: 844 })
      await goto('/reservations')
      await page.getByRole('table').getByRole('link', { name }).first().waitFor()
      await close()
    }
  })

  test('every status begins with a capital', async () => {
    const { page, goto, close } = await openConsole(gateway, 'viewer')
    await goto('/pushes')
    const rows = page.locator('tbody')
    await rows.getByText('refused', { exact: true }).first().waitFor()
    const text = await rows.innerText()
    assert.match(text, /\bRefused\b/)
    assert.match(text, /\bApplied\b/)
    assert.doesNotMatch(text, /\b(refused|applied)\b/)
    await close()
  })

  test('on a phone the filters of a list are behind one button, which says how many are set', async () => {
    const { page, goto, close } = await openConsole(gateway, 'viewer', { width: 390, height: 844 })
    await goto('/hotels')
    const row = page.getByRole('row').filter({ hasText: 'Sea View' })
    await row.waitFor()
    assert.ok(((await row.boundingBox())?.y ?? 9999) < 844, 'the first hotel is on the first screen')
    const search = page.getByRole('textbox', { name: 'Search' })
    assert.equal(await search.isVisible(), false)
    await page.getByRole('button', { name: 'Filters' }).click()
    await page.getByLabel('Country').fill('FR')
    await page.getByRole('button', { name: 'Filters (1)' }).waitFor()
    await axe(page, ['light'])
    await close()
  })

  test('the rows of tables come closer in the compact density, and stay so', async () => {
    const { page, goto, close, operator } = await openConsole(gateway, 'viewer')
    await goto('/hotels')
    const row = page.getByRole('row').filter({ hasText: 'Sea View' })
    const height = async (): Promise<number> => (await row.boundingBox())?.height ?? 0
    const before = await height()
    await page.getByRole('button', { name: operator?.name ?? '' }).click()
    await page.getByText('Compact', { exact: true }).click()
    await page.keyboard.press('Escape')
    assert.ok((await height()) < before)
    await page.reload()
    await row.waitFor()
    assert.ok((await height()) < before)
    await close()
  })

  test('a viewer reads the settings that only admins change, in full contrast', async () => {
    const { page, goto, close } = await openConsole(gateway, 'viewer')
    await goto('/suppliers')
    await page.getByRole('link', { name: 'Acme' }).click()
    const field = page.getByLabel('Price tolerance')
    await field.first().waitFor()
    const id = (await field.first().getAttribute('id')) ?? ''
    const { isDisabled, opacity, colour, text } = await page.evaluate<Record<string, unknown>>(`(() => {
      const input = document.getElementById('${id}')
      const { opacity, color } = getComputedStyle(input)
      return { isDisabled: input.disabled, opacity, colour: color, text: getComputedStyle(document.body).color }
    })()`)
    assert.deepEqual([isDisabled, opacity, colour], [true, '1', text])
    await close()
  })

  test('what doesn’t exist is a page of the console, with a way on and no hints for programs', async () => {
    const { page, goto, close } = await openConsole(gateway, 'viewer')
    for (const [path, title] of [
      ['/hotels/999999', 'No such hotel'],
      ['/hotels/999999/calendar', 'No such hotel'],
      ['/hotels/nonsense', 'No such hotel'],
      ['/suppliers/999999', 'No such supplier'],
      ['/pushes/999999', 'No such push'],
      ['/reservations/999999', 'No such reservation'],
    ] as const) {
      await goto(path)
      await page.getByRole('heading', { level: 1, name: title }).waitFor()
      const text = await page.getByRole('main').innerText()
      assert.doesNotMatch(text, /platformHotelId|GET |POST |\/console\/api/, path)
      await page.getByRole('link', { name: 'Go to the overview' }).waitFor()
      await axe(page, ['light'])
    }
    await close()
  })
})
