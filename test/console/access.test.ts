import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { startGateway, type TestGateway } from '../harness.ts'
import { linkOf, withPassword } from '../sign-in.ts'
import { axe, openConsole, typeIn, withoutChromium, type WindowOptions } from './browser.ts'

const password = 'correct horse battery'

describe('signing in, operators and the audit log', { skip: withoutChromium }, () => {
  let gateway: TestGateway
  before(async () => {
    gateway = await startGateway({ systemTime: true })
  })
  after(() => gateway.stop())

  test('a link signs in, a password is chosen, and signs in from then on, by keyboard alone', async () => {
    const { name } = await gateway.operator('operator')
    const { page, goto, close } = await openConsole(gateway, 'nobody')
    await goto(`/sign-in#token=${await linkOf(gateway, name)}`)
    await page.getByRole('button', { name: 'Sign in by link' }).waitFor()
    assert.equal(page.url().includes('token='), false)
    await axe(page, { scheme: 'light' })
    await page.getByRole('button', { name: 'Sign in by link' }).press('Enter')
    await page.getByRole('heading', { name: 'Choose a password' }).waitFor()
    await axe(page, { scheme: 'dark' })
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
    await axe(page, { scheme: 'light' })
    await page.getByLabel('Password', { exact: true }).fill(password)
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name }).waitFor()
    await close()
  })

  test('whoever is not signed in comes back to the page that was asked for', async () => {
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
    await page.getByRole('button', { name: 'Sign in by link' }).click()
    await page.getByText('The sign-in link is not valid (any more)').waitFor()
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
    await axe(page, { scheme: 'light' })
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
    for (const scheme of ['light', 'dark'] as const) await axe(page, { scheme })

    await goto('/audit?subject=onerror')
    await page.getByText('role: operator → viewer').waitFor()
    for (const scheme of ['light', 'dark'] as const) await axe(page, { scheme })
    await page.getByRole('button', { name: /^Show operator\.role/ }).click()
    const compared = page.getByRole('dialog').getByRole('row', { name: /^role/ })
    assert.deepEqual(await compared.getByRole('cell').allInnerTexts(), ['operator', 'viewer'])
    await axe(page, { scheme: 'dark' })
    await page.keyboard.press('Escape')
    await close()
  })

  test('somebody changes the own password from the menu', async () => {
    const { page, goto, operator, close } = await openConsole(gateway, 'viewer')
    await goto('/audit')
    await page.getByRole('button', { name: operator?.name ?? '' }).click()
    await page.getByRole('menuitem', { name: 'Change my password' }).click()
    await page.getByLabel('New password').fill('a new and longer one')
    await axe(page, { scheme: 'light' })
    await page.keyboard.press('Enter')
    await page.getByText('Your password is changed').waitFor()
    await page.reload()
    await page.getByRole('heading', { name: 'Audit log' }).waitFor()
    await close()
  })

  test('who is no admin is told that only admins see operators', async () => {
    const { page, goto, close } = await openConsole(gateway, 'operator')
    await goto('/operators')
    await page.getByText('Only admins see the operators').waitFor()
    await axe(page, { scheme: 'light' })
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
