import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { after, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { idOf, openShop } from '../../test/stage/scenes/booking.ts'
import { until } from '../../test/stage/scenes/deliveries.ts'
import { gatewayForTests } from '../../test/stage/harness.ts'
import { httpAnswer, startReceiver } from '../../test/stage/servers/receiver.ts'
import { expectOk } from '../../test/stage/story.ts'
import { statusOf } from '../../test/stage/browser/bookings-stage.ts'
import { axe, linksOn, openConsole } from '../../test/stage/browser/browser.ts'

/** The console as somebody of a supplier sees it: only what they may open. */

describe('the console of people of a supplier', async () => {
  const gateway = await gatewayForTests({ allowPrivate: true, outbound: { reach: (to) => to } })
  let isMended = false
  const receiver = await startReceiver((socket) => socket.write(httpAnswer(isMended ? 200 : 503, '{}')))
  after(() => receiver.close())
  gateway.app.startBulk()
  const { book, supplier } = await openShop(gateway, 'Alpha Hotels')
  const webhook = `http://127.0.0.1:${receiver.port}/book`
  expectOk(await supplier.post('/push/webhook/pushbook', { webhook }))
  const reservationId = idOf(await book())
  await openShop(gateway, 'Beta Rooms')
  const { rows } = await gateway.db.query<{ supplierId: number; hotelId: number }>(
    `select supplier.id as "supplierId", hotel.id as "hotelId"
     from hotel join supplier on supplier.id = supplier_id where supplier.name = 'Alpha Hotels'`,
  )
  const [{ supplierId, hotelId } = { supplierId: 0, hotelId: 0 }] = rows

  /** What the service refused while the pages were looked at. */
  function refusals(page: Page): string[] {
    const refused: string[] = []
    page.on('response', (response) => {
      if (response.status() >= 400) refused.push(`${response.status()} ${new URL(response.url()).pathname}`)
    })
    return refused
  }

  test('a page that only operators see says so, and nothing is asked that the service would refuse', async () => {
    const { page, goto, close } = await openConsole(gateway, 'viewer', { supplierId })
    const refused = refusals(page)
    for (const path of ['/audit', '/alerts', '/holds', '/stop-sells', '/reference', '/operators']) {
      await goto(path)
      await page
        .getByRole('heading', { level: 1, name: 'This page is for the platform’s operators' })
        .waitFor()
    }
    await axe(page, ['light'])
    await page.getByRole('link', { name: 'Go to your account' }).click()
    await page.getByRole('heading', { level: 1, name: 'Alpha Hotels' }).waitFor()
    assert.deepEqual(refused, [])
    for (const [path, title] of [
      ['/no-such-page', 'Page not found'],
      ['/hotels/999999', 'No such hotel'],
    ] as const) {
      await goto(path)
      await page.getByRole('heading', { level: 1, name: title }).waitFor()
      await page.getByRole('link', { name: 'Go to your account' }).click()
      await page.getByRole('heading', { level: 1, name: 'Alpha Hotels' }).waitFor()
    }
    await close()
  })

  for (const role of ['viewer', 'operator'] as const)
    test(`every page and link that a ${role === 'viewer' ? 'viewer' : 'manager'} is shown can be opened`, async () => {
      const { page, goto, close } = await openConsole(gateway, role, { supplierId })
      const refused = refusals(page)
      await goto('/')
      await page.getByRole('heading', { level: 1, name: 'Alpha Hotels' }).waitFor()
      const found = new Set([`/hotels/${hotelId}/calendar?from=2027-04-01`, ...(await linksOn(page))])
      const seen = new Set<string>()
      for (const path of found) {
        const kind = path.replace(/\?.*/, '').replaceAll(/\d+/g, 'N')
        if (seen.has(kind)) continue
        seen.add(kind)
        await goto(path)
        await page.waitForLoadState('networkidle')
        for (const next of await linksOn(page)) found.add(next)
        assert.ok(!(await page.content()).includes('Beta Rooms'), path)
      }
      assert.deepEqual(refused, [])
      assert.ok(seen.size >= 8, [...seen].join(' '))
      await close()
    })

  test('a manager sends a reservation again, and sees the endpoint’s answer; a viewer is offered nothing', async () => {
    gateway.app.startDeliveries()
    await until('it failed', async () => (await statusOf(gateway, reservationId)).at(-1) === 'queued')
    const viewer = await openConsole(gateway, 'viewer', { supplierId })
    await viewer.goto(`/reservations/${reservationId}`)
    await viewer.page.getByRole('heading', { name: 'Guest' }).waitFor()
    assert.equal(await viewer.page.getByRole('button', { name: /send/i }).count(), 0)
    for (const name of ['Notes', 'Card'])
      assert.equal(await viewer.page.getByText(name, { exact: true }).count(), 0)
    await viewer.close()
    const { page, goto, close } = await openConsole(gateway, 'operator', { supplierId })
    await goto('/reservations')
    await axe(page, ['light'])
    await page.getByRole('link', { name: reservationId }).click()
    await page.getByRole('heading', { level: 1, name: `Reservation ${reservationId}` }).waitFor()
    await axe(page, ['light'])
    isMended = true
    await page.getByRole('button', { name: 'Send again' }).click()
    await page.getByRole('button', { name: 'Send now' }).click()
    await page.getByText('The endpoint accepted it').waitFor()
    await page.getByRole('button', { name: 'Close' }).click()
    await page.getByText('The hotel has it').waitFor()
    await close()
  })

  test('a manager makes a key within the limit, and tests the URL of another', async () => {
    const { page, goto, close } = await openConsole(gateway, 'operator', { supplierId })
    await goto(`/suppliers/${supplierId}`)
    const keys = page.getByRole('region', { name: 'Keys' })
    await keys.getByRole('button', { name: 'Create key' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Used by').fill('direct')
    await dialog.getByRole('button', { name: 'Create key' }).click()
    await dialog.getByText('Copy it now').waitFor()
    await axe(page, ['light'])
    await dialog.getByRole('button').last().click()
    await keys.getByText('At most 2 keys may be active').waitFor()
    assert.equal(await keys.getByRole('button', { name: 'Create key' }).count(), 0)
    assert.equal(await keys.getByRole('button', { name: 'Set limits' }).count(), 0)
    await keys.getByRole('button', { name: /^Send test call/ }).click()
    await keys.getByRole('status').getByText('200').waitFor()
    await axe(page, ['light'])
    await close()
  })

  test('a manager makes an account for somebody, and disables it after a question', async () => {
    const { page, goto, close } = await openConsole(gateway, 'operator', { supplierId })
    await goto(`/suppliers/${supplierId}`)
    const people = page.getByRole('region', { name: 'People' })
    await people.getByRole('button', { name: 'Add', exact: false }).first().click()
    await page.getByRole('dialog').getByLabel('Name').fill('pia@alpha.example')
    await axe(page, ['light'])
    await page.getByRole('dialog').getByRole('button', { name: 'Add' }).click()
    await page.getByText('/console/sign-in#token=').waitFor()
    await page.getByRole('dialog').getByRole('button').last().click()
    await people.getByText('pia@alpha.example').waitFor()
    await people.getByRole('button', { name: 'Disable pia@alpha.example' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Disable' }).click()
    await people.getByText('disabled').waitFor()
    await axe(page, ['light'])
    await close()
  })

  test('a manager exports what is stored, and downloads the file', async () => {
    const { page, goto, close } = await openConsole(gateway, 'operator', { supplierId })
    await goto(`/suppliers/${supplierId}`)
    const exports = page.getByRole('region', { name: 'Exports' })
    await exports.getByRole('button', { name: 'Start export' }).click()
    await exports.getByText('done', { exact: true }).waitFor()
    await axe(page, ['light'])
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      exports.locator('a[download]').click(),
    ])
    assert.match(download.suggestedFilename(), /^ari-[0-9a-f]{8}\.csv$/)
    assert.match(await readFile(await download.path(), 'utf8'), /^hotelId,.*\nH1,/)
    await close()
  })

  test('sales that an operator stopped were stopped by the platform, with the reason', async () => {
    const operator = await gateway.operator('operator')
    const order = { action: 'stop', targets: [{ roomId: 'DBL' }], from: '2027-04-20', to: '2027-04-21' }
    expectOk(await operator.post(`/hotels/${hotelId}/stop-sell`, { ...order, reason: 'Water damage' }))
    const { page, goto, close } = await openConsole(gateway, 'viewer', { supplierId })
    await goto(`/hotels/${hotelId}/calendar?from=2027-04-20`)
    await page
      .getByRole('gridcell', { name: /^Tue, 20 Apr 2027/ })
      .first()
      .click()
    const panel = page.getByRole('region', { name: 'Tue, 20 Apr 2027' })
    await panel.getByText('the platform, stop-sell: “Water damage”').waitFor()
    assert.equal((await page.content()).includes(operator.name), false)
    await close()
  })

  test('a manager moves the clock of the own sandbox, and resets it after a question', async () => {
    const { page, goto, close } = await openConsole(gateway, 'operator', { supplierId })
    await goto(`/suppliers/${supplierId}`)
    await page.getByRole('link', { name: 'Open in sandbox' }).click()
    await page.getByRole('heading', { level: 1, name: 'Sandbox' }).waitFor()
    const clock = page.getByRole('region', { name: 'Clock' })
    await clock.getByRole('button', { name: 'Advance' }).click()
    await clock.getByRole('status').getByText('ahead').waitFor()
    await axe(page, ['light'])
    await clock.getByRole('button', { name: 'Remove all hotels…' }).click()
    await axe(page, ['light'])
    await page.getByRole('dialog').getByRole('button', { name: 'Remove all hotels' }).click()
    await clock.getByText('Removed: 1 hotels').waitFor()
    await close()
  })
})
