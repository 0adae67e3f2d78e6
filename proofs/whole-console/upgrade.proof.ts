import assert from 'node:assert/strict'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import type { Page } from 'playwright-core'
import { buildConsole } from '../../scripts/build-console.ts'
import { projectFiles, root } from '../../scripts/project-files.ts'
import { webFolder } from '../../src/console-api/web/build.ts'
import { until } from '../../test/stage/scenes/deliveries.ts'
import { freePort } from '../../test/stage/programs/free-port.ts'
import { minutes } from '../../test/stage/pace.ts'
import { programsForTests, startProgram, type Running } from '../../test/stage/programs/programs.ts'
import { launchChromium } from '../../test/stage/browser/chromium.ts'

/** The service as a program, from a copy of the project, so that another build can take the place of the first. */

const { newFolder, track } = programsForTests()
const copy = mkdtempSync(join(tmpdir(), 'ari-upgrade-'))
after(() => rmSync(copy, { recursive: true, force: true }))

const titles = 'web/src/text/en/price-checks.ts'

function change(from: string, to: string): void {
  const file = join(copy, titles)
  const text = readFileSync(file, 'utf8')
  assert.ok(text.includes(from))
  writeFileSync(file, text.replace(from, to))
}

/** Undefined while it is being built. */
async function buildAt(port: string): Promise<string | undefined> {
  const answer = await fetch(`http://127.0.0.1:${port}/console`, { method: 'HEAD' })
  return answer.headers.get('x-console-build') ?? undefined
}

/** Where nobody reloads by hand: neither the test nor a click on the button that offers it. */
const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name, exact: true })
const goTo = (page: Page, name: string) => page.getByRole('link', { name, exact: true }).click()

test('the service is restarted and upgraded under open pages, and nobody has to reload by hand', async () => {
  await buildConsole()
  for (const path of projectFiles()) cpSync(join(root, path), join(copy, path))
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'))
  cpSync(webFolder, join(copy, 'dist/console-web'), { recursive: true })
  const [folder, port] = [await newFolder(), String(await freePort())]
  const start = (): Running => {
    const environ = { ARI_DATA_DIR: folder, PORT: port, LOG_LEVEL: 'warn' }
    return track(startProgram('serve', environ, [], minutes(10), copy))
  }
  const ready = /ready in/
  const first = start()
  const [link = ''] = /http:\S+#token=\S+/.exec(await first.printed(/#token=\S+\s/)) ?? []
  const stop = async (running: Running): Promise<void> => {
    running.child.kill('SIGTERM')
    assert.equal((await running.ended).code, 0)
  }

  const browser = await launchChromium()
  try {
    const context = await browser.newContext({ locale: 'en-GB', viewport: { width: 1280, height: 900 } })
    context.setDefaultTimeout(minutes(3))
    const page = await context.newPage()
    await page.goto(link)
    await page.getByRole('button', { name: 'Sign in with link' }).click()
    await page.getByLabel('New password').fill('correct horse battery')
    await page.keyboard.press('Enter')
    await page.getByRole('link', { name: 'Suppliers', exact: true }).waitFor()
    const at = async (path: string, title: string): Promise<Page> => {
      const tab = await context.newPage()
      await tab.goto(`http://127.0.0.1:${port}/console${path}`)
      await heading(tab, title).waitFor()
      return tab
    }
    const list = await at('/hotels', 'Hotels')
    const log = await at('/pushes', 'Push log')
    const form = await at('/suppliers', 'Suppliers')
    await form.getByRole('button', { name: 'Create supplier' }).click()
    await form.getByRole('dialog').getByLabel('Name').fill('Half typed')

    await stop(first)
    // While it is away: to a page that has not been fetched yet.
    await goTo(list, 'Reservations')
    const second = start()
    await second.printed(ready)
    await heading(list, 'Reservations').waitFor()

    const build = await buildAt(port)
    await stop(second)
    change(`title: 'Price checks'`, `title: 'Checked prices'`)
    const third = start()
    await third.printed(ready)
    await until('the other build is served', async () => ![undefined, build].includes(await buildAt(port)))
    // Its script has another name by now, and the old one is gone.
    await goTo(log, 'Price checks')
    await heading(log, 'Checked prices').waitFor()

    const field = form.getByRole('dialog').getByLabel('Name')
    assert.equal(await field.inputValue(), 'Half typed', 'what is typed is never lost to a reload')
    await form.getByRole('dialog').getByRole('button', { name: 'Create' }).click()
    await form.getByText('Copy it now').waitFor()
    await form.getByRole('button', { name: 'I have saved it' }).click()
    await heading(form, 'Half typed').waitFor()
    await stop(third)
  } finally {
    await browser.close()
  }
})
