import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { after, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { openShop } from '../../test/stage/scenes/booking.ts'
import { gatewayForTests } from '../../test/stage/harness.ts'
import { startPathProxy } from '../../test/stage/servers/path-proxy.ts'
import { linkOf } from '../../test/stage/sign-in.ts'
import { openConsole, type ConsoleWindow } from '../../test/stage/browser/browser.ts'

/**
 * Everything that people open, in a browser, below a path of another host, which serves something else at its other paths.
 * The proxy in between removes the path, as nginx usually does, or passes it on: pages are the same then, so a few are opened.
 */

describe('below a path of another host', () => {
  for (const what of ['removed', 'passed'] as const)
    test(`nothing is asked outside the path, and nothing fails; the path is ${what}`, () => walk(what))
})

async function walk(what: 'removed' | 'passed'): Promise<void> {
  const proxy = await startPathProxy('/ari', what)
  after(proxy.close)
  const { publicUrl } = proxy
  const gateway = await gatewayForTests({ publicUrl })
  proxy.forwardTo(gateway.url)
  await openShop(gateway, 'Acme')
  const { name } = await gateway.operator('admin')
  const token = await linkOf(gateway, name)
  const open = () => openConsole({ ...gateway, url: publicUrl }, 'nobody')

  const console = await open()
  const failedInConsole = failuresOf(console.page)
  await signIn(console.page, publicUrl, token)
  if (what === 'removed') await openEveryPage(console)
  await openDeepLinks(console)
  await keepChoices(console, name)
  await saveFiles(console, publicUrl)
  await console.close()
  // The console asks who is signed in before anybody is.
  assert.deepEqual(
    failedInConsole.filter((failure) => failure !== `401 ${publicUrl}/console/api/me`),
    [],
  )

  // Not closed like the console: the reference tries whether eval is allowed, and is told that it isn't.
  const { page } = await open()
  const failedInDocs = failuresOf(page)
  await readDocs(page, publicUrl, what === 'removed' ? Infinity : 1)
  await page.context().close()
  assert.deepEqual(failedInDocs, [])
  assert.deepEqual(proxy.outside, [])
}

function failuresOf(page: Page): string[] {
  const failures: string[] = []
  page.on('response', (response) => {
    if (response.status() >= 400) failures.push(`${response.status()} ${response.url()}`)
  })
  page.on('requestfailed', (request) => {
    // A page that is left gives up what it still waits for.
    const why = request.failure()?.errorText
    if (why !== 'net::ERR_ABORTED') failures.push(`${why} ${request.url()}`)
  })
  return failures
}

const title = (page: Page, name: string | RegExp) => page.getByRole('heading', { level: 1, name }).waitFor()

async function signIn(page: Page, publicUrl: string, token: string): Promise<void> {
  await page.goto(`${publicUrl}/console/sign-in#token=${token}`)
  await page.getByRole('button', { name: 'Sign in with link' }).click()
  await page.getByRole('button', { name: 'Not now' }).click()
  await page.waitForURL((url) => !url.pathname.endsWith('/sign-in'))
  await page.getByRole('navigation', { name: 'Main menu' }).waitFor()
  const cookies = await page.context().cookies()
  assert.deepEqual(
    cookies.map(({ name, path, secure, httpOnly }) => ({ name, path, secure, httpOnly })),
    [{ name: '__Secure-ari_console', path: '/ari', secure: true, httpOnly: true }],
  )
}

/** Each page of the menu, by a click, then by loading it. */
async function openEveryPage({ page, goto }: ConsoleWindow): Promise<void> {
  const links = page.getByRole('navigation', { name: 'Main menu' }).getByRole('link')
  const paths: string[] = []
  for (let at = 0; at < (await links.count()); at++) {
    await links.nth(at).click()
    await page.waitForLoadState('networkidle')
    await page.locator('#app h1').first().waitFor()
    paths.push(pathBelowConsole(page))
  }
  assert.equal(new Set(paths).size, paths.length)
  assert.ok(paths.length >= 12, paths.join())
  for (const path of paths) {
    await goto(path)
    await page.waitForLoadState('networkidle')
  }
}

function pathBelowConsole(page: Page): string {
  const { pathname } = new URL(page.url())
  assert.match(pathname, /^\/ari\/console(?:\/|$)/)
  return pathname.slice('/ari/console'.length)
}

async function openDeepLinks({ page, goto }: ConsoleWindow): Promise<void> {
  await goto('/hotels')
  await page.getByRole('link', { name: 'Sea View' }).first().click()
  await title(page, /Sea View/)
  await page.reload()
  await title(page, /Sea View/)
  await goto(`${pathBelowConsole(page)}/calendar?from=2027-04-01`)
  await page.reload()
  await page.waitForLoadState('networkidle')
  await title(page, /Sea View/)
}

/** What the browser keeps of this console isn't that of another one of the same host. */
async function keepChoices({ page }: ConsoleWindow, operator: string): Promise<void> {
  await page.getByText('Legend', { exact: true }).click()
  await page.getByRole('button', { name: operator }).click()
  await page.getByText('Compact', { exact: true }).click()
  await page.getByText('Dark', { exact: true }).click()
  await page.keyboard.press('Escape')
  const kept = await page.evaluate<string[]>('Object.keys(localStorage).sort()')
  assert.deepEqual(
    kept,
    ['density', 'legend', 'scheme', 'visits'].map((name) => `ari-console-${name}/ari`),
  )
}

/** A list that the page writes, and a body that the service sends. */
async function saveFiles({ page, goto }: ConsoleWindow, publicUrl: string): Promise<void> {
  await goto('/hotels')
  const [csv] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Export as CSV' }).click(),
  ])
  assert.match(await readFile(await csv.path(), 'utf8'), /Sea View/)
  await goto('/pushes')
  await page.locator('tbody tr a').first().click()
  await page.getByRole('tab', { name: 'Response' }).click()
  const [body] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'Download full body' }).click(),
  ])
  assert.ok(body.url().startsWith(`${publicUrl}/console/api/`), body.url())
}

/** The front page, the reference, from there the guides, so many of them with their pictures, and the search in them. */
async function readDocs(page: Page, publicUrl: string, guidesRead: number): Promise<void> {
  await page.goto(`${publicUrl}/`)
  await page.waitForURL(`${publicUrl}/docs`)
  await page.getByRole('link', { name: 'API reference' }).first().click()
  await title(page, 'ARI gateway')
  // The reference writes the heading into the URL.
  assert.equal(page.url().replace(/#.*/, ''), `${publicUrl}/docs/reference`)
  await page.getByRole('link', { name: 'all guides' }).click()
  await page.waitForURL(`${publicUrl}/docs/guides`)
  const guides = await page.locator('nav.guides a').evaluateAll((links) => links.map(String))
  assert.ok(guides.length >= 20)
  for (const guide of guides.slice(0, guidesRead)) await page.goto(guide)
  await page.goto(`${publicUrl}/docs/guides`)
  await page.getByRole('searchbox').fill('vault key')
  await page.locator('#found').getByRole('link', { name: 'The vault key' }).click()
  await page.waitForURL(`${publicUrl}/docs/guides/security#the-vault-key`)
}
