import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { stageBookings } from '../../test/stage/browser/bookings-stage.ts'
import {
  faultsOn,
  linksOn,
  openConsole,
  supportedWindows,
  type ConsoleWindow,
  type SupportedWindow,
} from '../../test/stage/browser/browser.ts'

/**
 * Every page that links of the console lead to, with each of its tabs, in all windows that are supported.
 * `every-dialog.proof.ts` does the same with the dialogs.
 */

/** No link leads to these where everything is as it should be, or where nothing has been set up. */
const alsoVisited = [
  '/alerts',
  '/holds',
  '/stop-sells',
  '/calendars',
  '/numbers',
  '/reference',
  '/no-such-page',
]
const pages = 22

describe('every page of the console', async () => {
  const { gateway, acme } = await stageBookings()
  await acme.supplier.post('/push/ari', { hotelId: 'Acme', ari: 'none' })
  await acme.supplier.post('/push/hotels', { hotels: [{ hotelId: 'X' }] })

  for (const [name, size] of Object.entries(supportedWindows))
    test(`has no findings of axe, and scrolls nothing sideways: ${name}`, async () => {
      const window = await openConsole(gateway, 'admin', size)
      const found = new Set(['/', ...alsoVisited])
      const seen = new Set<string>()
      const faults: string[] = []
      for (const path of found) {
        const kind = kindOf(path)
        if (seen.has(kind)) continue
        seen.add(kind)
        await window.goto(path)
        await window.page.waitForLoadState('networkidle')
        for (const next of await linksOn(window.page)) found.add(next)
        faults.push(...(await faultsOf(window, path, size)))
      }
      assert.equal(faults.join('\n'), '')
      assert.ok(seen.size >= pages, [...seen].join(' '))
      await window.close()
    })
})

async function faultsOf({ page }: ConsoleWindow, path: string, size: SupportedWindow): Promise<string[]> {
  const faults: string[] = []
  const tabs = page.locator('main [role=tab]')
  const count = await tabs.count()
  for (let tab = 0; tab < Math.max(1, count); tab++) {
    if (count > 0) {
      await tabs.nth(tab).click()
      await page.waitForLoadState('networkidle')
    }
    const where = count > 0 ? `${path}, ${await tabs.nth(tab).innerText()}` : path
    faults.push(...(await faultsOn(page, where, size)))
  }
  return faults
}

/** Pages that differ only in what they show are looked at once. */
function kindOf(path: string): string {
  return path.replace(/[?#].*/, '').replaceAll(/\d+/g, 'N')
}
