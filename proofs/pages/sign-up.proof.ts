import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { gatewayForTests } from '../../test/stage/harness.ts'
import { startMailServer } from '../../test/stage/servers/mail-server.ts'
import { minutes } from '../../test/stage/pace.ts'
import { eventually } from '../../test/stage/crash/world.ts'
import { axe, openConsole, typeIn } from '../../test/stage/browser/browser.ts'

describe('an account of the sandbox that a developer makes', async () => {
  const mailServer = await startMailServer()
  after(() => mailServer.close())
  const gateway = await gatewayForTests({
    systemTime: true,
    allowsSignUp: true,
    publicUrl: 'http://127.0.0.1:1',
    mail: { smtpUrl: mailServer.url, from: 'sandbox@gateway.example' },
  })

  test('from the sign-in page over the mailed link to a key, by keyboard alone up to the link', async () => {
    const { page, goto, close } = await openConsole(gateway, 'nobody')
    await goto('/sign-in')
    await page.getByRole('button', { name: /create a sandbox account/ }).press('Enter')
    await page.getByRole('heading', { name: 'Create a sandbox account' }).waitFor()
    await axe(page, ['light', 'dark'])
    await typeIn(page.getByLabel('E-mail address'), 'dev@company.example')
    await page.keyboard.press('Tab')
    await page.keyboard.type('Sea View Systems')
    await page.keyboard.press('Enter')
    await page.getByText('Check your mailbox').waitFor()
    await axe(page, ['light', 'dark'])
    await eventually('the mail arrives', minutes(1), () => mailServer.mails.length > 0)
    const mail = (mailServer.mails[0]?.text ?? '').replaceAll('=\r\n', '').replaceAll('=3D', '=')
    const token = /#token=([\w-]{43})/.exec(mail)?.[1]
    assert.ok(token)
    await goto(`/sign-in#token=${token}`)
    await page.getByRole('button', { name: 'Sign in with link' }).click()
    await typeIn(page.getByLabel('New password'), 'correct horse battery')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'dev@company.example' }).waitFor()
    await page.getByRole('link', { name: 'Account' }).first().click()
    await page.getByRole('heading', { name: 'Sea View Systems' }).waitFor()
    await close()
  })
})
