import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import { gatewayForTests } from '../../test/stage/harness.ts'
import { colourRules, coloursSettled, openConsole, type Scheme } from '../../test/stage/browser/browser.ts'

/** The guides as people read them, in a browser. */

const docs = resolve(import.meta.dirname, '../../docs')
const slugs = globSync('*.md', { cwd: docs })
  .filter((file) => file !== 'README.md')
  .map((file) => `/${file.replace(/\.md$/, '')}`)
  .sort()

const gateway = await gatewayForTests()

const axe = readFileSync(fileURLToPath(import.meta.resolve('axe-core')), 'utf8')
const guide = (path: string) => `${gateway.url}/docs/guides${path}`

/** In the second scheme, only the rules that it matters to. */
const rulesOf = (scheme: Scheme) =>
  scheme === 'light' ? {} : { runOnly: { type: 'rule', values: colourRules } }

async function findings(page: Page, scheme: Scheme): Promise<string[]> {
  await page.evaluate(coloursSettled)
  await page.evaluate(axe)
  return page.evaluate(
    `axe.run(${JSON.stringify(rulesOf(scheme))}).then(({ violations }) => violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => id + ': ' + html)))`,
  )
}

test('every guide is accessible, in light and dark', async () => {
  const { page, close } = await openConsole(gateway, 'nobody')
  for (const slug of ['', ...slugs]) {
    await page.goto(guide(slug))
    for (const scheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme: scheme })
      assert.deepEqual(await findings(page, scheme), [], `${slug} in ${scheme}`)
    }
  }
  await close()
})

for (const scheme of ['light', 'dark'] as const) {
  test(`the API reference is accessible, ${scheme}`, async () => {
    const { page } = await openConsole(gateway, 'nobody', { scheme })
    await page.goto(`${gateway.url}/docs/reference`)
    await page.getByRole('heading', { level: 1, name: 'ARI gateway' }).waitFor()
    await page.waitForLoadState('networkidle')
    assert.deepEqual(await findings(page, scheme), [])
    // Not by `close`, which complains that the reference tries whether eval is allowed: it isn't.
    await page.context().close()
  })
}

test('a narrow window scrolls no guide sideways', async () => {
  for (const options of [{ width: 768 }, { width: 1280, zoom: 2 }, { width: 390 }]) {
    const { page, close } = await openConsole(gateway, 'nobody', options)
    for (const slug of ['', ...slugs]) {
      await page.goto(guide(slug))
      const [wide, seen] = await page.evaluate<[number, number]>(
        '[document.documentElement.scrollWidth, document.documentElement.clientWidth]',
      )
      assert.ok(wide <= seen, `${slug} at ${JSON.stringify(options)}: ${wide} > ${seen}`)
    }
    await close()
  }
})

test('a heading is found, and gone to, by keyboard alone', async () => {
  const { page, close } = await openConsole(gateway, 'nobody')
  await page.goto(guide(''))
  await page.getByRole('searchbox').focus()
  await page.keyboard.type('vault key')
  await page.getByRole('link', { name: 'The vault key' }).waitFor()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await page.waitForURL(guide('/security#the-vault-key'))
  await close()
})

test('copying a terminal block copies only the commands', async () => {
  const { page, close } = await openConsole(gateway, 'nobody')
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'], { origin: gateway.url })
  await page.goto(guide('/getting-started'))
  await page.getByRole('button', { name: 'Copy' }).first().click()
  await page.getByRole('button', { name: 'Copied' }).waitFor()
  assert.equal(await page.evaluate('navigator.clipboard.readText()'), 'npm ci && npm start')
  await close()
})
