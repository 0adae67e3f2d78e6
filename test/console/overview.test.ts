import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { openShop, type Shop } from '../booking.ts'
import { gatewayForTests, startGateway } from '../harness.ts'
import { axe, openConsole, withoutChromium } from './browser.ts'

describe('the overview', { skip: withoutChromium }, async () => {
  let shop: Shop
  const gateway = await gatewayForTests()

  test('says what to do first in a service without hotels', async () => {
    // One of its own: for some seconds an overview says again what it said.
    const empty = await startGateway()
    const { page, goto, close } = await openConsole(empty, 'viewer')
    await goto('/')
    await page.getByText('Nothing here yet').waitFor()
    await axe(page, { scheme: 'light' })
    await axe(page, { scheme: 'dark' })
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
        await axe(page, { scheme: 'light' })
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
    await undelivered.getByText('No URL').waitFor()
    const refusing = page.getByRole('region', { name: 'Suppliers with refused or partly applied pushes' })
    await refusing
      .getByText(/\d+% of \d+/)
      .first()
      .waitFor()
    assert.match(await refusing.innerText(), /Acme\s+\d+% of \d+/)
    await axe(page, { scheme: 'light' })
    await axe(page, { scheme: 'dark' })

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
    await axe(page, { scheme: 'light' })
    await close()
  })
})
