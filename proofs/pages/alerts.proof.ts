import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { raiseFindings } from '../../src/findings/store.ts'
import { gatewayForTests } from '../../test/stage/harness.ts'
import { pushStoryHotel } from '../../test/stage/story.ts'
import { axe, openConsole } from '../../test/stage/browser/browser.ts'

describe('alerts', async () => {
  const gateway = await gatewayForTests()
  const { db, clock } = gateway

  test('lead from the overview to the list, where an operator acknowledges one; the hotel shows its own', async () => {
    await pushStoryHotel(await gateway.supplier('Acme'))
    const { rows } = await db.query<{ supplierId: number; hotelId: number }>(
      'select supplier_id as "supplierId", id as "hotelId" from hotel',
    )
    const [hotel] = rows
    assert.ok(hotel)
    const evidence = { sellableDays: 3 }
    await raiseFindings(db, [{ ...hotel, kind: 'booking.undelivered', count: 2 }], clock.now())
    await raiseFindings(db, [{ ...hotel, kind: 'coverage.low', evidence }], clock.now() + 1_000)
    const { page, goto, close } = await openConsole(gateway, 'operator')
    await goto('/')
    await page.getByRole('link', { name: /^Open alerts/ }).click()
    await page.getByRole('heading', { level: 1, name: 'Alerts' }).waitFor()
    await page.getByText('sellable days: 3').waitFor()
    const listed = page.getByRole('row')
    assert.match(
      await listed.nth(1).innerText(),
      /2 reservations are not delivered/,
      'critical ones are first',
    )
    assert.match(await listed.nth(2).innerText(), /Prices and inventory for only a few days ahead/)
    assert.doesNotMatch(await page.locator('#app').innerText(), /[a-z]\.(low|undelivered)/)
    await axe(page, ['light', 'dark'])
    await goto(`/hotels/${hotel.hotelId}`)
    await page.getByRole('heading', { level: 2, name: 'Open alerts of this hotel' }).waitFor()
    await goto('/alerts')
    for (const kind of ['Reservations not delivered', 'Few days for sale'])
      await page.getByRole('button', { name: `Acknowledge: ${kind}, Acme` }).click()
    await page.getByText('No alerts').waitFor()
    await goto('/alerts?state=unresolved')
    await page
      .getByText(/^Acknowledged by /)
      .first()
      .waitFor()
    await close()
  })
})
