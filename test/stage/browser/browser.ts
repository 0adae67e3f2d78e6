import type { Browser, BrowserContext, Locator, Page } from 'playwright-core'
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { after } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import type { OperatorRole } from '../../../src/http/route.ts'
import type { TestGateway, TestOperator } from '../harness.ts'
import { minutes, seconds } from '../pace.ts'
import { launchChromium } from './chromium.ts'

/** The console in a real Chromium over the real service: one Chromium per test file, closed at its end. */

const builtWithinMs = minutes(3)
const waitMaxMs = minutes(2)
const followsWithinMs = seconds(2)

let built: Promise<unknown> | undefined
let running: Promise<Browser> | undefined

after(async () => {
  await (await running)?.close()
})

export type ConsoleWindow = {
  page: Page
  /** Who is signed in; undefined with the role `nobody`. */
  operator: TestOperator | undefined
  /** Goes to a page of the console, as `/hotels?search=sea`, and waits until its title is there. */
  goto: (path: string) => Promise<void>
  /** Fails when a page asked another host for something, broke the content security policy, or threw. */
  assertClean: () => void
  /** Asserts that too. */
  close: () => Promise<void>
}

export type WindowOptions = {
  width?: number
  height?: number
  scheme?: 'light' | 'dark'
  /** The viewer's time zone. */
  zone?: string
  /** 2 is a zoom of 200 %. */
  zoom?: number
  /** Somebody of this supplier is signed in. */
  supplierId?: number
}

/**
 * What the console is made for. A wide window is narrowed as people do it, while it shows something: to a tablet's width,
 * and to what is left of it at a zoom of 200 %.
 */
export const supportedWindows = {
  'from 1440 px to 768 px, and at a zoom of 200 %': {
    width: 1440,
    height: 900,
    schemes: ['light', 'dark'],
    narrower: [768, 720],
  },
  'a phone': { width: 390, height: 844, schemes: ['light'], narrower: [] },
} as const satisfies Record<string, SupportedWindow>

/**
 * `schemes`: those in which axe looks at it. What it finds depends on the width or on the scheme, not on both together:
 * colours are the same at every width.
 */
export type SupportedWindow = {
  width: number
  height: number
  schemes: readonly Scheme[]
  narrower: readonly number[]
}

/** A window in which somebody of this role is signed in. */
export async function openConsole(
  gateway: TestGateway,
  role: OperatorRole | 'nobody',
  options: WindowOptions = {},
): Promise<ConsoleWindow> {
  const { width = 1280, height = 900, scheme = 'light', zone = 'Europe/Berlin', zoom = 1 } = options
  built ??= import('../../../scripts/build-console.ts').then(async ({ buildConsole }) => buildConsole())
  await built
  running ??= launchChromium()
  const browser = await running
  const context = await browser.newContext({
    viewport: { width: Math.round(width / zoom), height: Math.round(height / zoom) },
    deviceScaleFactor: zoom,
    colorScheme: scheme,
    reducedMotion: 'reduce',
    timezoneId: zone,
    locale: 'en-GB',
    // Of a proxy on this machine.
    ignoreHTTPSErrors: true,
  })
  context.setDefaultTimeout(waitMaxMs)
  const operator = role === 'nobody' ? undefined : await signIn(gateway, context, role, options.supplierId)
  const page = await context.newPage()
  const complaints = await watch(context, page, gateway.url)
  const assertClean = () => assert.deepEqual(complaints, [])
  return {
    page,
    operator,
    goto: async (path) => {
      await page.goto(`${gateway.url}/console${path}`)
      await page
        .locator('#app h1')
        .first()
        .waitFor({ timeout: builtWithinMs })
        .catch(async (error: unknown) => {
          // The page itself often says why.
          assertClean()
          throw new Error(`No page at ${page.url()}: ${await page.locator('body').innerText()}`, {
            cause: error,
          })
        })
    },
    assertClean,
    close: async () => {
      await context.close()
      assertClean()
    },
  }
}

/** Types where the page itself has put the focus: what is typed before that would be lost. */
export async function typeIn(field: Locator, text: string): Promise<void> {
  const page = field.page()
  await field.and(page.locator(':focus')).waitFor()
  await page.keyboard.type(text)
}

async function signIn(
  gateway: TestGateway,
  context: BrowserContext,
  role: OperatorRole,
  supplierId: number | undefined,
): Promise<TestOperator> {
  const operator = await gateway.operator(role, supplierId)
  const [name = '', value = ''] = operator.headers.cookie.split('=')
  await context.addCookies([{ name, value, url: gateway.url, httpOnly: true, sameSite: 'Strict' }])
  return operator
}

/** What no page may do; requests to other hosts, or outside the service's path, are not let out either. */
async function watch(context: BrowserContext, page: Page, own: string): Promise<string[]> {
  const complaints: string[] = []
  await context.route(
    ({ href, protocol }) => !`${href}/`.startsWith(`${own}/`) && protocol !== 'data:' && protocol !== 'blob:',
    async (route) => {
      complaints.push(`asked ${route.request().url()}`)
      await route.abort()
    },
  )
  await context.exposeFunction('complainOfPolicy', (text: string) => void complaints.push(text))
  await context.addInitScript(`addEventListener('securitypolicyviolation', (event) =>
    complainOfPolicy('policy ' + event.violatedDirective + ' ' + event.blockedURI + ' ' + event.sourceFile + ':' + event.lineNumber))`)
  page.on('pageerror', (error) => complaints.push(`threw ${error.stack ?? error.message}`))
  page.on('console', (message) => {
    if (/Content Security Policy/i.test(message.text())) complaints.push(message.text())
  })
  return complaints
}

let axeSource: Promise<string> | undefined
/**
 * Colours that are inherited follow those above them a frame later, level by level: until no frame changes one any more,
 * however long frames take.
 */
export const coloursSettled = settledWithin('body')

function settledWithin(selector: string): string {
  return `new Promise((settled) => {
  const isMoving = ({ playState, effect }) =>
    playState === 'running' && effect?.getComputedTiming().endTime !== Infinity
  let before
  let same = 0
  const look = () => {
    const now = [...document.querySelectorAll('${selector}, ${selector} *')].map((element) => {
      const { color, backgroundColor, borderTopColor } = getComputedStyle(element)
      return [color, backgroundColor, borderTopColor].join()
    }).join(';')
    same = now === before && !document.getAnimations().some(isMoving) ? same + 1 : 0
    before = now
    if (same === 3) settled()
    else requestAnimationFrame(look)
  }
  requestAnimationFrame(look)
})`
}

type Finding = { id: string; help: string; nodes: { target: string[]; failureSummary: string }[] }

/** The rules that a colour scheme matters to; to the others it makes no difference. */
export const colourRules = ['color-contrast', 'link-in-text-block']

type AxeOptions = {
  /** A part of the page. */
  within?: string
  /** Its colours were looked at before. */
  isColourKnown?: boolean
}

/**
 * Fails with everything that axe finds on the page, or in one part of it, as it is: in the first colour scheme by all
 * rules, in others by those about colours.
 */
export async function axe(
  page: Page,
  schemes: readonly Scheme[],
  { within = 'body', isColourKnown = false }: AxeOptions = {},
): Promise<void> {
  axeSource ??= readFile(fileURLToPath(import.meta.resolve('axe-core')), 'utf8')
  for (const [index, scheme] of schemes.entries()) {
    await page.emulateMedia({ colorScheme: scheme })
    await page.locator(`html[data-mantine-color-scheme=${scheme}]`).waitFor({ state: 'attached' })
    await page.evaluate(settledWithin(within))
    if (!(await page.evaluate('"axe" in window'))) await page.evaluate(await axeSource)
    const context = within === 'body' ? 'document' : `'${within}'`
    const rules = Object.fromEntries(colourRules.map((rule) => [rule, { enabled: !isColourKnown }]))
    const options = {
      resultTypes: ['violations'],
      ...(index === 0 ? { rules } : { runOnly: { type: 'rule', values: colourRules } }),
    }
    const findings: Finding[] = await page.evaluate(
      `axe.run(${context}, ${JSON.stringify(options)}).then((result) => result.violations)`,
    )
    const told = findings.flatMap(({ id, help, nodes }) =>
      nodes.map(
        ({ target, failureSummary }) => `${id}: ${help}\n  at ${target.join(' ')}\n  ${failureSummary}`,
      ),
    )
    assert.equal(told.join('\n'), '', `axe in ${scheme}`)
  }
}

export type Scheme = 'light' | 'dark'

/**
 * What axe finds, and whether the page scrolls sideways, in a window and narrower ones; `where` is named with each.
 * `look` finds more at each width.
 */
export async function faultsOn(
  page: Page,
  where: string,
  { width, height, schemes, narrower }: SupportedWindow,
  { within = 'body', look }: { within?: string; look?: () => Promise<string[]> } = {},
): Promise<string[]> {
  const faults: string[] = []
  // Until the console's font is there, another one of other widths stands in for it.
  await page.evaluate('document.fonts.ready')
  for (const now of [width, ...narrower]) {
    const tell = (fault: string): void => void faults.push(`${where}, ${now} px: ${fault}`)
    if (now !== width) await page.setViewportSize({ width: now, height })
    for (const fault of await misplaced(page, look)) tell(fault)
    const isColourKnown = now !== width
    const looked = schemesAt({ schemes, narrower }, now)
    await axe(page, looked, { within, isColourKnown }).catch((error: unknown) => tell(String(error)))
  }
  if (narrower.length > 0) await page.setViewportSize({ width, height })
  return faults
}

/** What stays beyond the window, and what `look` finds: an open list follows its field some frames after the window's change. */
async function misplaced(page: Page, look?: () => Promise<string[]>): Promise<string[]> {
  const endMs = performance.now() + followsWithinMs
  for (;;) {
    const { beyond } = await widthsOf(page)
    const faults = [...(beyond > 0 ? [`${beyond} px beyond the window`] : []), ...((await look?.()) ?? [])]
    if (faults.length === 0 || performance.now() > endMs) return faults
    await wait(50)
  }
}

/** Of the narrower widths, the first: the layouts of those below it are the same. */
function schemesAt(
  { schemes, narrower }: Pick<SupportedWindow, 'schemes' | 'narrower'>,
  width: number,
): readonly Scheme[] {
  if (!narrower.includes(width)) return schemes
  return width === narrower[0] ? ['light'] : []
}

/** How far the page goes beyond the window, and the narrowest value of its lists. */
export async function widthsOf(page: Page): Promise<{ beyond: number; narrowest: number }> {
  return page.evaluate(`({
    beyond: document.documentElement.scrollWidth - document.documentElement.clientWidth,
    narrowest: Math.min(9999, ...[...document.querySelectorAll('[role=group] > * table > tbody > tr > td, [role=group] > table > tbody > tr > td')]
      .filter((cell) => cell.childNodes.length > 0)
      .map((cell) => cell.getBoundingClientRect().width)),
  })`)
}

/** The pages of the console that this one leads to; not its downloads. */
export async function linksOn(page: Page): Promise<string[]> {
  return page
    .locator('#app a[href^="/console"]:not([href^="/console/api/"])')
    .evaluateAll((links) =>
      links.map((link) => (link.getAttribute('href') ?? '').replace(/^\/console/, '') || '/'),
    )
}
