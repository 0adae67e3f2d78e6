import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import type { Locator, Page } from 'playwright-core'
import { seconds, until } from '../../test/stage/pace.ts'
import {
  faultsOn,
  openConsole,
  supportedWindows,
  type ConsoleWindow,
  type SupportedWindow,
} from '../../test/stage/browser/browser.ts'
import { stageDialogs } from '../../test/stage/browser/dialogs-stage.ts'
import type { Dialog, Step } from '../../test/stage/browser/dialogs.ts'

/**
 * Every dialog, menu and panel, opened by its visible name in all windows that are supported.
 * Escape closes it, and the focus is where it was before.
 */

const source = new URL('../../web/src/', import.meta.url)
/** Where a dialog is used or, with those that several places use, made. */
const uses =
  /<(?:Dialog|Confirm|FormDialog|Modal\.Root)\s+(?:isOpen|opened)|<Panel\s+title=\{.+\} takesFocus|<Select\s|<(?:Menu|Popover)\.Dropdown/g
const closedWithinMs = seconds(60)

/** An element of the page. */
type Clicked = NonNullable<Awaited<ReturnType<Locator['elementHandle']>>>

// One window after the other: what one does, another would see in the middle of its own.
describe('every dialog of the console', async () => {
  const { gateway, supplierId, dialogs, ofManagers } = await stageDialogs()

  test('is in the table', () => {
    const files = globSync('**/*.tsx', { cwd: source }).filter((file) => file !== 'parts/dialogs.tsx')
    const inSource = files.flatMap((file) =>
      [...readFileSync(new URL(file, source), 'utf8').matchAll(uses)].map(() => file.replace('.tsx', '')),
    )
    const inTable = dialogs.flatMap((dialog) => dialog.source ?? [])
    assert.deepEqual(inTable.sort(), inSource.sort())
  })

  for (const [name, size] of Object.entries(supportedWindows))
    test(`has no findings of axe, fits, and gives the focus back: ${name}`, async () => {
      await assertClean(await openConsole(gateway, 'admin', size), dialogs, size)
    })

  test('does so for a manager of a supplier, on a phone', async () => {
    const size = supportedWindows['a phone']
    await assertClean(await openConsole(gateway, 'operator', { ...size, supplierId }), ofManagers, size)
  })
})

async function assertClean(
  window: ConsoleWindow,
  dialogs: readonly Dialog[],
  size: SupportedWindow,
): Promise<void> {
  const faults: string[] = []
  let at = ''
  for (const dialog of dialogs) {
    if (at !== dialog.path) await window.goto(dialog.path)
    const found = await faultsOf(window.page, dialog, size).catch((error: unknown) => [
      `${whereOf(dialog)}: ${String(error)}`,
    ])
    faults.push(...found)
    // What didn't close is in the way of the next.
    at = found.length > 0 || dialog.leadsOn ? '' : dialog.path
  }
  assert.equal(faults.join('\n'), '')
  await window.close()
}

async function faultsOf(page: Page, dialog: Dialog, size: SupportedWindow): Promise<string[]> {
  const { name, role = 'dialog', steps, closedBy, leadsOn } = dialog
  const where = whereOf(dialog)
  // The element itself: what others do meanwhile may put another row first.
  let opener: Clicked | undefined
  for (const step of steps) {
    const clicked = await take(page, step)
    opener ??= clicked
  }
  const shown = page.getByRole(role, typeof name === 'string' ? { name, exact: true } : { name })
  await shown.waitFor()
  const waiting = page.locator('.mantine-Loader-root, .mantine-Skeleton-root, [data-loading]')
  await until(async () => (await waiting.count()) === 0)
  const look = async (): Promise<string[]> => {
    // What came in meanwhile may have rendered it anew.
    await shown.evaluate((box) => box.setAttribute('data-looked-at', ''))
    return page.evaluate(beyondIt)
  }
  // A menu closes when the window is narrowed to where its button stands elsewhere.
  const window = role === 'menu' ? { ...size, narrower: [] } : size
  const faults = await faultsOn(page, where, window, { within: '[data-looked-at]', look })
  if (closedBy === undefined) await page.keyboard.press('Escape')
  else await shown.getByRole('button', { name: closedBy }).click()
  const closed = async (): Promise<void> => {
    await shown.waitFor({ state: 'detached', timeout: closedWithinMs })
    if (opener && !leadsOn) await focused(opener)
  }
  await closed().catch((error: unknown) => faults.push(`${where}: ${String(error)}`))
  return faults
}

async function focused(opener: Clicked): Promise<void> {
  const endMs = performance.now() + closedWithinMs
  while (!(await opener.evaluate((element) => element.matches(':focus')))) {
    if (performance.now() > endMs) throw new Error('the focus is not given back')
    await wait(50)
  }
}

const whereOf = ({ path, steps }: Dialog): string => `${path}, ${steps.map(textOf).join(' › ')}`

function textOf(step: Step): string {
  if (typeof step === 'function') return step.name
  return typeof step === 'object' && 'label' in step ? step.label : String(step)
}

/** Returns what it clicked. */
async function take(page: Page, step: Step): Promise<Clicked | undefined> {
  if (typeof step === 'function') return (await (await step(page))?.elementHandle()) ?? undefined
  const open = page.locator('[role=dialog], [role=menu]').filter({ visible: true })
  const within = (await open.count()) > 0 ? open.last() : page
  if (typeof step === 'object' && 'label' in step) {
    await within.getByLabel(step.label, { exact: true }).fill(step.text)
    return undefined
  }
  const named = typeof step === 'string' ? { name: step, exact: true } : { name: step }
  const target = within
    .getByRole('button', named)
    .or(within.getByRole('menuitem', named))
    .filter({ visible: true })
    .first()
  const element = await target.elementHandle()
  await target.click()
  return element
}

/** What is outside the window or the dialog, and what scrolls sideways in it. */
const beyondIt = `(() => {
  const box = document.querySelector('[data-looked-at]')
  const outer = box.getBoundingClientRect()
  const isFixed = box.matches('[aria-modal], [role=menu]')
  const faults = []
  const tell = (element, what) => faults.push(element.tagName + '.' + element.className + ' ' + what)
  if (outer.left < 0 || outer.right > innerWidth) tell(box, 'is wider than the window')
  if (isFixed && (outer.top < 0 || outer.bottom > innerHeight)) tell(box, 'is higher than the window')
  for (const element of [box, ...box.querySelectorAll('*:not(input)')]) {
    const { left, right, width } = element.getBoundingClientRect()
    const { overflowX } = getComputedStyle(element)
    if (element.scrollWidth > element.clientWidth && ['auto', 'scroll'].includes(overflowX)) tell(element, 'scrolls sideways')
    if (width > 1 && (left < outer.left - 1 || right > outer.right + 1)) tell(element, 'is outside the dialog')
  }
  return faults
})()`
