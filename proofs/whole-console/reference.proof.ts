import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { gatewayForTests } from '../../test/stage/harness.ts'
import { expectOk, product, pushStoryHotel } from '../../test/stage/story.ts'
import { axe, openConsole, typeIn } from '../../test/stage/browser/browser.ts'

describe('reference data in the console', async () => {
  const gateway = await gatewayForTests()
  const supplier = await gateway.supplier('Acme <img src=x onerror=alert(1)>')
  await pushStoryHotel(supplier, { hotelName: 'Sea <img src=x onerror=alert(1)> View' })

  const push = async (roomType: string): Promise<number> =>
    (
      await supplier.post('/push/products', {
        hotelId: 'H1',
        products: [product('NEW', 'BAR', { roomType })],
      })
    ).status

  test('an entry is added, retired with a warning of who uses it, and brought back, all by keyboard', async () => {
    const { page, goto, close } = await openConsole(gateway, 'admin')
    await goto('/reference')
    await page.getByRole('button', { name: 'Add room type' }).press('Enter')
    await typeIn(page.getByRole('dialog').getByLabel('Name'), 'Igloo')
    await page.keyboard.press('Tab')
    await page.keyboard.type('House of snow')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    assert.equal(await push('Igloo'), 200)

    await page.getByLabel('Find').fill('igloo')
    await page.getByRole('button', { name: 'Retire Igloo' }).press('Enter')
    const dialog = page.getByRole('dialog')
    await dialog.getByText('Rooms that use it: 1').waitFor()
    await dialog.getByText('Acme <img src=x onerror=alert(1)>: 1').waitFor()
    await dialog.getByText('Sea <img src=x onerror=alert(1)> View').waitFor()
    assert.equal(await page.locator('img').count(), 0)
    await axe(page, ['light', 'dark'])
    await dialog.getByRole('button', { name: 'Retire' }).press('Enter')
    await dialog.waitFor({ state: 'detached' })
    const back = page.getByRole('button', { name: 'Restore Igloo' })
    await back.waitFor()
    const other = { hotelId: 'H1', products: [product('OTHER', 'BAR', { roomType: 'Igloo' })] }
    assert.equal((await supplier.post('/push/products', other)).status, 400)
    await back.press('Enter')
    await page.getByRole('button', { name: 'Retire Igloo' }).waitFor()
    expectOk(await supplier.post('/push/products', other))
    await close()
  })

  test('there are no findings of axe in light and dark, and 768 px suffice; a viewer changes nothing', async () => {
    const { page, goto, close } = await openConsole(gateway, 'viewer', { width: 768 })
    await goto('/reference?list=mealPlans')
    await page.getByText('Room only').waitFor()
    assert.equal(await page.getByRole('button', { name: /Retire|Add/ }).count(), 0)
    await axe(page, ['light', 'dark'])
    assert.ok(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), 'nothing sticks out')
    await close()
  })
})
