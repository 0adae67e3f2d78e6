import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { generate } from 'otplib'
import { defaultSignInRules } from '../../src/operators/sign-in-rules.ts'
import { gatewayForTests } from '../../test/stage/harness.ts'
import { linkOf, withPassword } from '../../test/stage/sign-in.ts'
import { openShop } from '../../test/stage/scenes/booking.ts'
import { expectOk } from '../../test/stage/story.ts'
import { axe, openConsole, typeIn, type WindowOptions } from '../../test/stage/browser/browser.ts'

const password = 'correct horse battery'

describe('signing in, operators and the audit log', async () => {
  const gateway = await gatewayForTests({ systemTime: true })

  test('a link signs in, a password is chosen, and signs in from then on, by keyboard alone', async () => {
    const { name } = await gateway.operator('operator')
    const { page, goto, close } = await openConsole(gateway, 'nobody')
    await goto(`/sign-in#token=${await linkOf(gateway, name)}`)
    await page.getByRole('button', { name: 'Sign in with link' }).waitFor()
    assert.equal(page.url().includes('token='), false)
    await axe(page, ['light'])
    await page.getByRole('button', { name: 'Sign in with link' }).press('Enter')
    await page.getByRole('heading', { name: 'Choose a password' }).waitFor()
    await axe(page, ['dark'])
    await typeIn(page.getByLabel('New password'), password)
    await page.keyboard.press('Enter')
    await page.getByRole('navigation').first().waitFor()

    await page.getByRole('button', { name }).press('Enter')
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await typeIn(page.getByLabel('Name'), name)
    await page.keyboard.press('Tab')
    await page.keyboard.type('wrong horse battery')
    await page.keyboard.press('Enter')
    await page.getByText('Name or password is wrong').waitFor()
    await axe(page, ['light'])
    await page.getByLabel('Password', { exact: true }).fill(password)
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name }).waitFor()
    await close()
  })

  test('the token of a link is out of the address before anything else is loaded', async () => {
    const { page, close } = await openConsole(gateway, 'nobody')
    const held: string[] = []
    await page.route('**/*', async (route) => {
      const url = route.request().url()
      if (url.endsWith('/console/sign-in')) return route.continue()
      held.push(url)
    })
    const token = 'B'.repeat(43)
    await page.goto(`${gateway.url}/console/sign-in#token=${token}`, { waitUntil: 'commit' })
    await page.waitForFunction('document.readyState !== "loading" || document.scripts.length > 1')
    assert.deepEqual(
      [page.url(), held.some((url) => url.includes(token))],
      [`${gateway.url}/console/sign-in`, false],
    )
    assert.ok(held.length > 0, 'files of the page wait')
    await page.unrouteAll({ behavior: 'ignoreErrors' })
    await close()
  })

  test('a link that is opened where the sign-in is shown already counts too', async () => {
    const { page, goto, close } = await openConsole(gateway, 'nobody')
    await goto('/sign-in')
    await page.getByLabel('Name or e-mail address').waitFor()
    await page.evaluate(`location.hash = 'token=${'A'.repeat(43)}'`)
    await page.getByRole('button', { name: 'Sign in with link' }).waitFor()
    assert.equal(page.url().includes('token='), false)
    await close()
  })

  test('a second factor is set up from the menu, asked for at the sign-in, and reset by an admin', async () => {
    const { name } = await gateway.operator('viewer')
    await withPassword(gateway, name, password)
    const { page, goto, close } = await openConsole(gateway, 'nobody')
    const signIn = async () => {
      await goto('/sign-in')
      await page.getByLabel('Name or e-mail address').fill(name)
      await page.getByLabel('Password', { exact: true }).fill(password)
      await page.keyboard.press('Enter')
    }
    await signIn()
    await page.getByRole('button', { name }).click()
    await page.getByRole('menuitem', { name: 'Second factor' }).click()
    await page.getByRole('button', { name: 'Show QR code' }).click()
    await page.getByRole('img', { name: /^QR code/ }).waitFor()
    await axe(page, ['light', 'dark'])
    const secret = (await page.locator('code').innerText()).replaceAll(' ', '')
    await page.getByLabel('Code', { exact: true }).fill(await generate({ secret }))
    await page.keyboard.press('Enter')
    await page.getByRole('list', { name: 'Recovery codes' }).waitFor()
    const codes = await page
      .getByRole('list', { name: 'Recovery codes' })
      .getByRole('listitem')
      .allInnerTexts()
    assert.equal(codes.length, 10)
    await axe(page, ['light'])
    await page.getByRole('button', { name: 'I have saved them' }).click()
    await page.getByRole('button', { name }).click()
    await page.getByRole('menuitem', { name: 'Second factor' }).click()
    await page.getByText('You have a second factor and 10 recovery codes.').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await page.getByLabel('Name or e-mail address').waitFor()

    await signIn()
    await page.getByLabel('Code', { exact: true }).waitFor()
    await axe(page, ['light'])
    await page.getByLabel('Code', { exact: true }).fill('123456')
    await page.keyboard.press('Enter')
    await page.getByText('The code is wrong, too old, or already used').waitFor()
    await page.getByLabel('Code', { exact: true }).fill(codes[0] ?? '')
    await page.keyboard.press('Enter')
    await page.getByRole('navigation').first().waitFor()
    await close()

    const admin = await openConsole(gateway, 'admin')
    await admin.goto('/operators')
    const row = admin.page.getByRole('row', { name: new RegExp(name) })
    await row.getByText('password + second factor').waitFor()
    await row.getByRole('button', { name: /^Actions for/ }).click()
    await admin.page.getByRole('menuitem', { name: 'Reset second factor' }).click()
    await admin.page.getByRole('button', { name: 'Reset second factor' }).click()
    await row.getByText('password', { exact: true }).waitFor()
    await admin.close()
  })

  test('where a second factor is required, it is set up before anything else is shown', async () => {
    const strict = await gateway.second({
      systemTime: true,
      console: { signIn: { ...defaultSignInRules.production } },
    })
    const { page, goto, close } = await openConsole(strict, 'operator')
    await goto('/audit')
    await page.getByRole('heading', { name: 'Second factor' }).waitFor()
    await axe(page, ['light'])
    await page.getByRole('button', { name: 'Show QR code' }).click()
    const secret = (await page.locator('code').innerText()).replaceAll(' ', '')
    await page.getByLabel('Code', { exact: true }).fill(await generate({ secret }))
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'I have saved them' }).click()
    await page.getByRole('heading', { name: 'Audit log' }).waitFor()
    await close()
  })

  test('a visitor who is not signed in comes back to the requested page after the sign-in', async () => {
    const { name } = await gateway.operator('viewer')
    await withPassword(gateway, name, password)
    const { page, goto, close } = await openConsole(gateway, 'nobody')
    await goto('/audit?action=operator.')
    await page.getByLabel('Name or e-mail address').fill(name)
    await page.getByLabel('Password', { exact: true }).fill(password)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByRole('heading', { name: 'Audit log' }).waitFor()
    assert.match(page.url(), /\/console\/audit\?action=operator\.$/)
    await close()
  })

  test('a link that was used says so, and leads to the password', async () => {
    const { page, goto, close } = await openConsole(gateway, 'nobody')
    await goto(`/sign-in#token=${'A'.repeat(43)}`)
    await page.getByRole('button', { name: 'Sign in with link' }).click()
    await page.getByText('The sign-in link is not valid or has expired').waitFor()
    await page.getByRole('button', { name: 'Sign in with a password instead' }).click()
    await page.getByLabel('Password', { exact: true }).waitFor()
    await close()
  })

  test('an admin makes an operator, gives another role, disables, enables; the log shows before and after', async () => {
    const { page, goto, close } = await openConsole(gateway, 'admin')
    await goto('/operators')
    await page.getByRole('button', { name: 'Create operator' }).click()
    await page.getByRole('textbox', { name: 'Name' }).fill('<img src=x onerror=alert(1)>')
    await page.getByRole('radio', { name: 'Operator' }).check()
    await page.getByRole('button', { name: 'Create', exact: true }).click()
    await page.getByText(/\/console\/sign-in#token=[A-Za-z0-9_-]{43}$/).waitFor()
    await axe(page, ['light'])
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'I have copied it' }).click()

    const row = page.getByRole('row', { name: /onerror/ })
    await row.getByText('Not yet signed in').waitFor()
    const act = async (what: string) => {
      await row.getByRole('button', { name: /^Actions for/ }).click()
      await page.getByRole('menuitem', { name: what }).click()
    }
    await act('Change role')
    await page.getByRole('radio', { name: 'Viewer' }).check()
    await page.getByRole('button', { name: 'Change role' }).click()
    await row.getByText('Viewer').waitFor()
    await act('Disable')
    await page.getByRole('button', { name: 'Disable' }).click()
    await row.getByText('Disabled').waitFor()
    await act('Enable')
    await row.getByText('Not yet signed in').waitFor()
    await axe(page, ['light', 'dark'])

    await goto('/audit?subject=onerror')
    await page.getByText('role: operator → viewer').waitFor()
    await axe(page, ['light', 'dark'])
    await page.getByRole('button', { name: /^Show operator\.role/ }).click()
    const compared = page.getByRole('dialog').getByRole('row', { name: /^role/ })
    assert.deepEqual(await compared.getByRole('cell').allInnerTexts(), ['operator', 'viewer'])
    await axe(page, ['dark'])
    await page.keyboard.press('Escape')
    await close()
  })

  test('the log says in sentences who did what, with links to what was changed', async () => {
    // Its sentences name dates, so its clock stands still.
    const still = await gatewayForTests()
    const { supplier } = await openShop(still, 'Sentences')
    const { body } = expectOk(await supplier.post('/push/getHotels', { hotelIds: ['H1'] }))
    const hotelId = Number(Object(body['hotels'])[0].platformHotelId)
    const { page, goto, close, operator } = await openConsole(still, 'admin')
    const targets = [
      { roomId: 'DBL', rateId: 'BAR' },
      { roomId: 'DBL', rateId: 'NRF' },
    ]
    const stop = { action: 'stop', targets, from: '2027-04-12', to: '2027-04-14', reason: 'Water damage <b>' }
    expectOk((await operator?.post(`/hotels/${hotelId}/stop-sell`, stop)) ?? assert.fail())
    await goto(`/hotels/${hotelId}`)
    await page.getByRole('link', { name: 'Operators’ changes' }).click()
    await page.getByRole('heading', { name: 'Audit log' }).waitFor()
    const cell = page.getByRole('cell').filter({ hasText: 'stopped' })
    assert.equal(
      (await cell.innerText()).replace(/\s–\s/, '–'),
      `${operator?.name ?? ''} stopped Room DBL / Rate BAR, Room DBL / Rate NRF at Sea View, 12–14 Apr 2027: “Water damage <b>”`,
    )
    await axe(page, ['light', 'dark'])
    await cell.getByRole('link', { name: 'Sea View' }).click()
    await page.getByRole('heading', { level: 1, name: 'Sea View' }).waitFor()

    const { rows } = await still.db.query<{ id: number }>("select id from supplier where name = 'Sentences'")
    const manager = await still.operator('operator', rows[0]?.id)
    const mia = { name: 'mia@example.com', role: 'manager' }
    expectOk(await manager.post(`/suppliers/${rows[0]?.id}/people`, mia))
    await goto(`/audit?operator=${manager.name}`)
    await page.getByText(`${manager.name} of Sentences created account mia@example.com`).waitFor()
    await page.getByText('role: manager').waitFor()
    await page.getByRole('button', { name: /^Show operator\.create/ }).click()
    await page.getByRole('dialog').getByText('Manager of Sentences').waitFor()
    await close()
  })

  test('somebody changes the own password from the menu', async () => {
    const { page, goto, operator, close } = await openConsole(gateway, 'viewer')
    await goto('/audit')
    await page.getByRole('button', { name: operator?.name ?? '' }).click()
    await page.getByRole('menuitem', { name: 'Change my password' }).click()
    await page.getByLabel('New password').fill('a new and longer one')
    await axe(page, ['light'])
    await page.keyboard.press('Enter')
    await page.getByText('Password changed').waitFor()
    await page.reload()
    await page.getByRole('heading', { name: 'Audit log' }).waitFor()
    await close()
  })

  test('an operator who is no admin reads that only admins see operators', async () => {
    const { page, goto, close } = await openConsole(gateway, 'operator')
    await goto('/operators')
    await page.getByText('Only admins can see operators').waitFor()
    await axe(page, ['light'])
    await close()
  })

  async function fits(options: WindowOptions): Promise<void> {
    const { page, goto, close } = await openConsole(gateway, 'admin', options)
    for (const path of ['/operators', '/audit', '/sign-in']) {
      await goto(path)
      await page.waitForLoadState('networkidle')
      const isWider: unknown = await page.evaluate(
        'document.documentElement.scrollWidth > document.documentElement.clientWidth',
      )
      assert.deepEqual([path, isWider], [path, false])
    }
    await close()
  }
  test('nothing is cut off at 768 pixels', () => fits({ width: 768 }))
  test('nothing is cut off at a zoom of 200 %', () => fits({ zoom: 2 }))
})
