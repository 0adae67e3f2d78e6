import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { openShop } from '../../test/stage/scenes/booking.ts'
import { gatewayForTests } from '../../test/stage/harness.ts'
import { expectOk } from '../../test/stage/story.ts'
import { axe, openConsole } from '../../test/stage/browser/browser.ts'

describe('held values', async () => {
  const gateway = await gatewayForTests()

  test('lead from the overview to the list, where an operator releases one and discards another', async () => {
    const { supplier } = await openShop(gateway)
    const rules = [
      { kind: 'priceDrop', percent: 30, action: 'hold' },
      { kind: 'inventoryJump', units: 5, action: 'hold' },
    ]
    expectOk(await supplier.post('/push/guard', { rules }))
    const ari = [{ roomId: 'DBL', date: '2027-04-10', inventory: 50, rates: [{ rateId: 'BAR', price: 10 }] }]
    await supplier.post('/push/ari', { hotelId: 'H1', pricingModel: 'unit', ari })
    const { page, goto, close } = await openConsole(gateway, 'operator')
    await goto('/')
    await page.getByRole('link', { name: /^Held by the guard/ }).click()
    await page.getByRole('heading', { level: 1, name: 'Held values' }).waitFor()
    await page.getByText('DBL / BAR, Sat, 10 Apr 2027 · Price of the unit: 100 → 10 USD (limit 70)').waitFor()
    assert.doesNotMatch(await page.locator('#app').innerText(), /priceDrop|inventoryJump|2027-04-10/)
    await axe(page, ['light', 'dark'])
    await page.getByRole('button', { name: 'Discard: Many more units, Sea View' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Discard' }).click()
    await page.getByText('DBL, Sat, 10 Apr 2027 · Units: 2 → 50 (limit 7)').waitFor({ state: 'detached' })
    await page.getByRole('link', { name: 'Sea View' }).click()
    await page.getByRole('heading', { level: 2, name: 'Held values of this hotel' }).waitFor()
    await page.getByRole('button', { name: 'Release: Price falls sharply, Sea View' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Reason, for the audit log').fill('The hotel called')
    await dialog.getByRole('button', { name: 'Release' }).click()
    await page.getByText('1 night changed').waitFor()
    await goto('/holds?state=released')
    await page.getByText('by an operator').waitFor()
    await close()
  })

  test('an admin sets the guard of new accounts, and changes that of one', async () => {
    const { page, goto, close } = await openConsole(gateway, 'admin')
    await goto('/suppliers')
    await page.getByRole('button', { name: 'Guard for new accounts' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'Add a rule' }).click()
    const first = dialog.getByRole('group', { name: 'Rule 1' })
    await first.getByLabel('Rule', { exact: true }).selectOption('priceFloor')
    await first.getByLabel('Amount').fill('39.9')
    await first.getByLabel('Only in').fill('eur')
    await axe(page, ['light'])
    await dialog.getByRole('button', { name: 'Save guard' }).click()
    await page.getByText('Guard saved').waitFor()
    const late = await gateway.supplier('Late')
    assert.deepEqual(Object(expectOk(await late.get('/push/guard')).body).rules, [
      { kind: 'priceFloor', amount: 39.9, currency: 'EUR', action: 'hold' },
    ])

    await page.reload()
    await page.getByRole('link', { name: 'Late' }).click()
    await page.getByText('Price below 39.9 EUR: hold').waitFor()
    await page.getByRole('button', { name: 'Change guard' }).click()
    await dialog.getByRole('button', { name: 'Remove rule 1' }).click()
    await dialog.getByRole('button', { name: 'Save guard' }).click()
    await page.getByText('Off: every push is applied as it comes.').waitFor()
    assert.deepEqual(Object(expectOk(await late.get('/push/guard')).body).rules, [])
    await close()
  })
})
