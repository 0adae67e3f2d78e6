import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Locator } from 'playwright-core'
import { openShop, type Shop } from '../../test/stage/scenes/booking.ts'
import { gatewayForTests, startGateway } from '../../test/stage/harness.ts'
import { pushStoryHotel } from '../../test/stage/story.ts'
import { axe, openConsole } from '../../test/stage/browser/browser.ts'

describe('the overview', async () => {
  let shop: Shop
  const gateway = await gatewayForTests()

  test('says what to do first in a service without hotels', async () => {
    // One of its own: for some seconds an overview says again what it said.
    const empty = await startGateway()
    const { page, goto, close } = await openConsole(empty, 'viewer')
    await goto('/')
    await page.getByText('Nothing here yet').waitFor()
    await axe(page, ['light', 'dark'])
    await page.getByRole('link', { name: 'Create a supplier and a key' }).click()
    await page.getByRole('heading', { level: 1, name: 'Suppliers' }).waitFor()
    await close()
    await empty.stop()
  })

  test('says in words and to screen readers that the vault key is missing or another one, on a narrow screen too', async () => {
    const sealing = await startGateway({ vaultKey: Buffer.alloc(32, 1) })
    const without = await sealing.second({ vaultKey: undefined })
    const wrong = await sealing.second({ vaultKey: Buffer.alloc(32, 2) })
    const notes = [
      { at: without, title: 'The vault key is not set', means: /Set ARI_VAULT_KEY, then restart it/ },
      {
        at: wrong,
        title: 'The vault key does not match the store',
        means: /Set the correct ARI_VAULT_KEY, then restart it/,
      },
    ]
    for (const { at, title, means } of notes) {
      for (const width of [1280, 390]) {
        const { page, goto, close } = await openConsole(at, 'viewer', { width })
        await goto('/')
        const note = page.getByRole('alert', { name: title })
        assert.match(await note.innerText(), means)
        const box = await note.boundingBox()
        assert.ok(box && box.x >= 0 && box.x + box.width <= width, JSON.stringify(box))
        await axe(page, ['light'])
        await close()
      }
    }
    const { page, goto, close } = await openConsole(sealing, 'viewer')
    await goto('/')
    await page.getByText('Nothing here yet').waitFor()
    assert.equal(await page.getByRole('alert').count(), 0)
    await close()
    await sealing.stop()
  })

  test('leads from what is wrong to the page that shows all of it', async () => {
    shop = await openShop(gateway, 'Acme')
    await shop.book()
    for (let count = 0; count < 4; count++) await shop.supplier.post('/push/ari', { hotelId: 'H1' })
    gateway.clock.set('2027-03-01T12:30:00Z')
    const { page, goto, close } = await openConsole(gateway, 'viewer')
    await goto('/')
    const undelivered = page.getByRole('region', { name: 'Undelivered, nearest arrival first' })
    await undelivered.getByText('No URL registered').waitFor()
    const refusing = page.getByRole('region', { name: 'Suppliers with refused or partly applied pushes' })
    await refusing
      .getByText(/\d+% of \d+/)
      .first()
      .waitFor()
    assert.match(await refusing.innerText(), /Acme\s+\d+% of \d+/)
    await axe(page, ['light', 'dark'])

    await refusing.getByRole('link', { name: 'Acme' }).click()
    await page.getByRole('heading', { level: 1, name: 'Push log' }).waitFor()
    const { searchParams } = new URL(page.url())
    assert.equal(searchParams.get('outcome'), 'rejected')
    assert.match(searchParams.get('supplierId') ?? '', /^\d+$/)

    await page.goBack()
    await page.getByRole('link', { name: /^Undelivered/ }).click()
    await page.getByRole('heading', { level: 1, name: 'Deliveries' }).waitFor()
    assert.equal(new URL(page.url()).search, '?state=undelivered')
    await close()
  })

  test('has the figures of its charts as a table', async () => {
    const { page, goto, close } = await openConsole(gateway, 'viewer')
    await goto('/')
    const panel = page.getByRole('region', { name: 'Pushes, last 24 hours', exact: true }).first()
    await panel.getByRole('img', { name: /Applied 4, .*Refused 4/ }).waitFor()
    await panel.getByRole('button', { name: 'Show as table' }).press('Enter')
    const row = panel.getByRole('row').nth(1)
    assert.deepEqual((await row.innerText()).split(/\t/).slice(1), ['4', '0', '0', '0', '4'])
    await axe(page, ['light'])
    await close()
  })

  test('with more to do than fits the window, every figure is above the fold, and most of the queue', async () => {
    for (let count = 1; count <= 14; count++)
      await pushStoryHotel(await gateway.supplier(`Careless ${count}`))
    const { page, goto, close } = await openConsole(gateway, 'operator', { width: 1440, height: 860 })
    await goto('/')
    const work = page.getByRole('region', { name: 'To do' }).getByRole('listitem')
    await work.nth(11).waitFor()
    const tiles = page.getByRole('list', { name: 'Figures' }).getByRole('listitem')
    assert.deepEqual(await inWindow(tiles), Array(10).fill(true))
    assert.deepEqual((await inWindow(work)).slice(0, 10), Array(10).fill(true))
    await page.getByRole('button', { name: /^Show all/ }).click()
    await work.nth(13).waitFor()
    assert.deepEqual(await inWindow(tiles), Array(10).fill(true))
    await close()
  })

  test('on a phone, only the figures of what is wrong come before what is to be done', async () => {
    const { page, goto, close } = await openConsole(gateway, 'operator', { width: 390, height: 844 })
    await goto('/')
    const work = page.getByRole('region', { name: 'To do' }).getByRole('listitem')
    await work.first().waitFor()
    // For some seconds an overview says again what it said.
    await page.getByRole('link', { name: /^Never pushed\s*14/ }).waitFor()
    const tiles = page.getByRole('list', { name: 'Figures' }).getByRole('listitem')
    const figures = (await tiles.allInnerTexts()).map((text) => text.split('\n').slice(0, 2).join(' '))
    assert.deepEqual(figures, ['Undelivered 1', 'Refused pushes 1', 'Never pushed 14', 'ARI ends soon 1'])
    assert.equal((await inWindow(work))[0], true)
    await axe(page, ['light', 'dark'])
    await close()
  })
})

/** Of each, whether all of it is seen before anybody scrolls. */
function inWindow(parts: Locator): Promise<boolean[]> {
  return parts.evaluateAll((elements) =>
    elements.map((element) => {
      const { scrollY, innerHeight } = element.ownerDocument.defaultView
      return element.getBoundingClientRect().bottom + scrollY <= innerHeight
    }),
  )
}
