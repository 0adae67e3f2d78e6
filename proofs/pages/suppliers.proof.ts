import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import { client, gatewayForTests } from '../../test/stage/harness.ts'
import { httpAnswer, startReceiver } from '../../test/stage/servers/receiver.ts'
import { expectOk, pushStoryHotel } from '../../test/stage/story.ts'
import { axe, openConsole, typeIn } from '../../test/stage/browser/browser.ts'

/** Suppliers and keys, by mouse and by keyboard. */

describe('suppliers in the console', async () => {
  const gateway = await gatewayForTests({ allowPrivate: true, outbound: { reach: (vetted) => vetted } })
  const receiver = await startReceiver((socket, { line }) =>
    socket.write(httpAnswer(line.includes('/knows-no-pings') ? 404 : 204, '')),
  )
  after(() => receiver.close())
  const acme = await gateway.supplier('Acme')
  await pushStoryHotel(acme)
  const booked = `http://127.0.0.1:${receiver.port}/booked`
  expectOk(await acme.post('/push/webhook/pushbook', { webhook: booked }))

  const statusWith = async (apiKey: string): Promise<number> =>
    (await client(gateway.url, { 'x-api-key': apiKey }).get('/push/limits')).status

  const secretShown = (page: Page): Promise<string> =>
    page.getByRole('dialog').locator('code').first().innerText()

  const refusedShown = (page: Page, text: RegExp): Promise<void> =>
    page
      .getByText('Last request refused')
      .locator('xpath=following-sibling::dd[1]')
      .filter({ hasText: text })
      .waitFor()

  test('a key is rotated: the old one works during the overlap and not after; the new one is shown once', async () => {
    const { page, goto, close } = await openConsole(gateway, 'admin')
    await goto('/suppliers')
    await page.getByRole('link', { name: 'Acme' }).click()
    await page.getByRole('heading', { level: 1, name: 'Acme' }).waitFor()
    await page.getByRole('button', { name: 'Rotate', exact: true }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Keep the old key working for').selectOption('60')
    await dialog.getByText('The old key works until').waitFor()
    await dialog.getByRole('button', { name: 'Create new key' }).click()
    await dialog.getByText('Copy it now').waitFor()
    const newer = await secretShown(page)
    assert.match(newer, /^ari_sbx_/)
    await dialog.getByText(`curl ${gateway.url}/v1/push/limits -H 'x-api-key: ${newer}'`).waitFor()
    assert.deepEqual([await statusWith(acme.apiKey), await statusWith(newer)], [200, 200])
    await page.keyboard.press('Escape')
    assert.ok(await dialog.isVisible(), 'it does not close by a slip')
    await dialog.getByRole('button', { name: 'I have saved it' }).click()
    await dialog.waitFor({ state: 'detached' })
    await page.getByText('two active secrets').waitFor()
    assert.ok(!(await page.content()).includes(newer))
    assert.ok(!page.url().includes(newer))

    gateway.clock.set('2027-03-01T13:00:01Z')
    await wait(600)
    assert.deepEqual([await statusWith(acme.apiKey), await statusWith(newer)], [401, 200])
    // The page reads again by itself, what was refused too.
    await refusedShown(page, /\. It came with a secret that was replaced/)
    gateway.clock.set('2027-03-01T12:00:00Z')
    await close()
  })

  test('by keyboard alone: a supplier is made, gets a key, and the key is revoked in two steps', async () => {
    const { page, goto, close } = await openConsole(gateway, 'admin')
    await goto('/suppliers')
    await page.getByRole('button', { name: 'Create supplier' }).press('Enter')
    await typeIn(page.getByRole('dialog').getByLabel('Name'), '<img src=x onerror=alert(1)>')
    await page.keyboard.press('Enter')
    await page.getByText('Copy it now').waitFor()
    assert.equal(await statusWith(await secretShown(page)), 200)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: '<img src=x onerror=alert(1)>' }).waitFor()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Revoke' }).press('Enter')
    await page.getByRole('button', { name: 'Revoke permanently' }).press('Enter')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Create key' }).press('Enter')
    await typeIn(page.getByRole('dialog').getByLabel('Used by'), 'direct')
    await page.keyboard.press('Enter')
    await page.getByText('Copy it now').waitFor()
    const apiKey = await secretShown(page)
    assert.equal(await statusWith(apiKey), 200)
    await page.keyboard.press('Enter')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Revoke' }).press('Enter')
    const revoke = page.getByRole('button', { name: 'Revoke permanently' })
    await revoke.waitFor()
    assert.match(await page.getByRole('dialog').innerText(), /of <img src=x onerror=alert\(1\)>/)
    await revoke.press('Enter')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Show inactive keys (2)' }).waitFor()
    await wait(600)
    assert.equal(await page.getByText('Last request refused').count(), 0)
    assert.equal(await statusWith(apiKey), 401)
    await page.getByRole('button', { name: 'Show inactive keys (2)' }).press('Enter')
    await refusedShown(page, /\. It came after the key was revoked/)
    assert.equal(await page.getByText('Last request refused').count(), 1, 'of the other key none was refused')
    assert.equal(await page.locator('#app img').count(), 0)
    await close()
  })

  test('a leaked key is found by pasting it, and revoked in two steps; it is in no address', async () => {
    const { apiKey } = await gateway.supplier('Leaky')
    const { page, goto, close } = await openConsole(gateway, 'admin')
    const addresses: string[] = []
    page.on('request', (request) => addresses.push(request.url()))
    await goto('/')
    await page.keyboard.press('Control+k')
    await typeIn(page.getByRole('combobox'), `curl -H 'x-api-key: ${apiKey}'`)
    await page.getByText(/^Key \d+ of Leaky/).waitFor()
    await axe(page, ['light'])
    await page.getByRole('button', { name: 'Look at this key' }).press('Enter')
    await page.getByRole('button', { name: 'Revoke now' }).press('Enter')
    await axe(page, ['dark'])
    await page.getByRole('button', { name: 'Revoke permanently' }).press('Enter')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await wait(600)
    assert.equal(await statusWith(apiKey), 401)
    assert.deepEqual(
      addresses.filter((address) => address.includes(apiKey.slice(0, 12))),
      [],
    )
    await close()
  })

  test('a webhook that may no longer be called says so beside its URL and on the checklist, without colour too', async () => {
    // The setting that allowed its address is gone.
    const strict = await gateway.second({ allowPrivate: false })
    for (const width of [1280, 390]) {
      const { page, goto, close } = await openConsole(strict, 'operator', { width })
      await goto('/suppliers')
      await page.getByRole('link', { name: 'Acme' }).focus()
      await page.keyboard.press('Enter')
      await page.getByRole('heading', { level: 1, name: 'Acme' }).waitFor()
      const badge = page.getByText(/^not called: /)
      await badge.waitFor()
      assert.match(await badge.innerText(), /HTTPS|private/)
      const box = await badge.boundingBox()
      assert.ok(box && box.x >= 0 && box.x + box.width <= width, JSON.stringify(box))
      await axe(page, ['light'])
      await goto('/hotels')
      await page
        .getByRole('link', { name: /H1|Sea View/ })
        .first()
        .click()
      await page
        .getByText(/^Registered but not called: /)
        .first()
        .waitFor()
      await close()
    }
  })

  test('people and exports are above the certification, which is a summary; a row says who is live', async () => {
    const { page, goto, close } = await openConsole(gateway, 'viewer')
    await goto(`/suppliers/${await idOf('Acme')}`)
    await page.getByText('not live yet').waitFor()
    await page.getByRole('link', { name: /^1 hotel needs / }).waitFor()
    const show = page.getByRole('button', { name: /^Show all \d+ checks$/ })
    await show.waitFor()
    const headings = await page.getByRole('heading', { level: 2 }).allInnerTexts()
    assert.deepEqual(headings.slice(0, 4), ['Keys', 'People', 'Exports', 'Certification'])
    const counted = page.getByRole('region', { name: 'Certification' }).getByText(/^\d+ (failing|not|proven)/)
    const counts = (await counted.allInnerTexts()).map((text) => Number.parseInt(text, 10))
    assert.equal(
      counts.reduce((sum, count) => sum + count, 0),
      Number(/\d+/.exec(await show.innerText())?.[0]),
    )
    const table = page.getByRole('table', { name: 'Certification' })
    assert.equal(await table.count(), 0)
    await show.press('Enter')
    await table.waitFor()
    await page.getByRole('button', { name: 'Hide the checks' }).press('Enter')
    await table.waitFor({ state: 'detached' })
    await close()
  })

  test('the badge of failing pushes leads to them', async () => {
    await acme.post('/push/hotels', '{"hotelId', { 'x-request-id': 'no-json' })
    const { page, goto, close } = await openConsole(gateway, 'viewer')
    for (const path of ['/suppliers', `/suppliers/${await idOf('Acme')}`]) {
      await goto(path)
      await page.getByRole('link', { name: /^1 of \d+ refused$/ }).click()
      await page.getByRole('heading', { level: 1, name: 'Push log' }).waitFor()
      await page.getByRole('row').filter({ hasText: 'no-json' }).waitFor()
      assert.equal(await page.getByRole('row').count(), 2)
    }
    await close()
  })

  test('a webhook is called, and settings are saved; an operator may do the first, a viewer neither', async () => {
    const id = await idOf('Acme')
    const admin = await openConsole(gateway, 'admin')
    await admin.goto(`/suppliers/${id}`)
    await admin.page.getByLabel('When a price check fails').selectOption('use_stored')
    await admin.page.getByRole('button', { name: 'Save changes' }).click()
    await admin.page.getByText('Saved', { exact: true }).waitFor()
    await admin.close()
    const { rows } = await gateway.db.query<{ on_failure: string }>(
      'select on_failure from supplier where id = $1',
      [id],
    )
    assert.equal(rows[0]?.on_failure, 'use_stored')

    const operator = await openConsole(gateway, 'operator')
    await operator.goto(`/suppliers/${id}`)
    const called = receiver.calls.length
    await operator.page.getByRole('button', { name: /^Send test call: Push booking/ }).click()
    await operator.page.getByText(/^answered 204 in \d+ ms$/).waitFor()
    assert.equal(receiver.calls.length, called + 1)
    assert.equal(await operator.page.getByRole('button', { name: 'Rotate', exact: true }).count(), 0)
    await operator.close()

    const viewer = await openConsole(gateway, 'viewer')
    await viewer.goto(`/suppliers/${id}`)
    await viewer.page
      .getByRole('heading', { name: /^Key \d+$/ })
      .first()
      .waitFor()
    assert.equal(await viewer.page.getByRole('button', { name: /test call|Rotate|Revoke|Create/ }).count(), 0)
    await viewer.close()
  })

  test('a test call that reaches the endpoint and is answered otherwise is a warning here and in the sandbox', async () => {
    const register = async (webhook: string) =>
      expectOk(await acme.post('/push/webhook/availability', { webhook }))
    await register(`http://127.0.0.1:${receiver.port}/knows-no-pings`)
    const { page, goto, close } = await openConsole(gateway, 'operator')
    const id = await idOf('Acme')
    const testCall = async () => {
      await goto(`/suppliers/${id}`)
      await page.getByRole('button', { name: /^Send test call: Price check/ }).click()
    }
    const badge = (text: RegExp, icon: string) =>
      page
        .locator('.mantine-Badge-root', { hasText: text })
        .and(page.locator(`:has(.lucide-${icon})`))
        .first()
    await testCall()
    await badge(/^reached, but it answered 404 in \d+ ms$/, 'triangle-alert').waitFor()
    await goto(`/sandbox?supplierId=${id}`)
    await badge(/^reached, but 404$/, 'triangle-alert').waitFor()
    const gone = await startReceiver()
    await gone.close()
    await register(`http://127.0.0.1:${gone.port}/`)
    await testCall()
    await badge(/^failed after \d+ ms/, 'circle-alert').waitFor()
    await goto(`/sandbox?supplierId=${id}`)
    await badge(/^No connection$/, 'circle-alert').waitFor()
    await close()
  })

  test('there are no findings of axe in light and dark, with dialogs too, and 768 px suffice', async () => {
    const id = await idOf('Acme')
    const { page, goto, close } = await openConsole(gateway, 'admin', { width: 768 })
    await goto('/suppliers')
    await page.getByRole('link', { name: 'Acme' }).waitFor()
    await axe(page, ['light', 'dark'])
    await goto(`/suppliers/${id}`)
    await page
      .getByRole('heading', { name: /^Key \d+$/ })
      .first()
      .waitFor()
    await axe(page, ['light', 'dark'])
    assert.ok(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), 'nothing sticks out')
    await page.getByRole('button', { name: 'Set limits' }).first().click()
    await page.getByRole('dialog').getByLabel('Requests per minute').waitFor()
    await axe(page, ['light', 'dark'])
    await close()
  })

  test('at a zoom of 200 % nothing sticks out', async () => {
    const { page, goto, close } = await openConsole(gateway, 'admin', { zoom: 2 })
    for (const path of [
      '/suppliers',
      `/suppliers/${await idOf('Acme')}`,
      '/reference',
      '/sandbox?supplierId=1',
    ]) {
      await goto(path)
      await page.locator('main table, main section').first().waitFor()
      assert.ok(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), path)
    }
    await close()
  })

  async function idOf(name: string): Promise<number> {
    const { rows } = await gateway.db.query<{ id: number }>('select id from supplier where name = $1', [name])
    return Number(rows[0]?.id)
  }
})
