import { setTimeout as wait } from 'node:timers/promises'
import type { Browser, Page } from 'playwright-core'
import { buildConsole } from '../scripts/build-console.ts'
import { bigFrom, pushBigHotel } from '../test/stage/browser/big-calendar.ts'
import { launchChromium } from '../test/stage/browser/chromium.ts'
import { startGateway } from '../test/stage/harness.ts'
import type { TestAddress } from '../test/stage/postgres.ts'
import { quantile } from './stage/client.ts'
import { row, type Row } from './stage/table.ts'

const size = { roomRates: 200, nights: 760 }
const viewport = { width: 1440, height: 900 }
const paintsMeasured = 5
const framesMeasured = 120
const rounds = 3
/** Pixels a frame: more than a night, most of a row, and both. */
const directions = {
  across: { left: 45, top: 0 },
  down: { left: 0, top: 30 },
  'both ways': { left: 35, top: 15 },
} as const

/**
 * The console's calendar against a bare list: one line of text per room-rate with as many numbers, without
 * cells, colours, signs and events, in the same browser at the same size.
 */
export async function calendar(_server: TestAddress): Promise<Row[]> {
  await buildConsole()
  const gateway = await startGateway()
  const browser = await launchChromium()
  try {
    const { hotel } = await pushBigHotel(gateway)
    const { headers } = await gateway.operator('viewer')
    const [name = '', value = ''] = headers.cookie.split('=')
    const cookie = { name, value, url: gateway.url, httpOnly: true, sameSite: 'Strict' } as const
    const url = `${gateway.url}/console/hotels/${hotel}/calendar?from=${bigFrom}&density=month`
    const ours = await measure(browser, async (page) => {
      await page.context().addCookies([cookie])
      await page.addInitScript(watchFirstPaint)
      await page.goto(url)
      await page.getByRole('grid').waitFor()
      return Number(await page.evaluate('window.calendarPainted'))
    })
    const bare = await measure(browser, async (page) => Number(await page.evaluate(bareList)))
    return [
      row(
        `calendar of ${size.roomRates} room-rates and ${size.nights} nights: painted after its data`,
        `${Math.round(ours.paintedMs)} ms`,
        `bare list ${Math.round(bare.paintedMs)} ms`,
        ours.paintedMs / bare.paintedMs,
        { atMost: 2 },
      ),
      ...Object.keys(directions).map((direction) => {
        const [mine = noFrames, theirs = noFrames] = [ours.frames.get(direction), bare.frames.get(direction)]
        return row(
          `the same: frames when it scrolls ${direction}`,
          framesText(mine),
          `bare list ${framesText(theirs)}`,
          mine.p95Ms / theirs.p95Ms,
          { atMost: 1.25 },
        )
      }),
    ]
  } finally {
    await browser.close()
    await gateway.stop()
  }
}

/** Half of the frames, and 19 of 20. */
type Frames = { p50Ms: number; p95Ms: number }
type Measured = { paintedMs: number; frames: Map<string, Frames> }

const noFrames: Frames = { p50Ms: Number.NaN, p95Ms: Number.NaN }

function framesText({ p50Ms, p95Ms }: Frames): string {
  return `p50 ${p50Ms.toFixed(1)} ms, p95 ${p95Ms.toFixed(1)} ms`
}

/**
 * The median of several first paints, each in its own window; then, in the last one, frames by direction.
 */
async function measure(browser: Browser, open: (page: Page) => Promise<number>): Promise<Measured> {
  const paintedMs: number[] = []
  const frames = new Map<string, Frames>()
  for (let paint = 1; paint <= paintsMeasured; paint++) {
    const context = await browser.newContext({ viewport, reducedMotion: 'reduce', locale: 'en-GB' })
    const page = await context.newPage()
    paintedMs.push(await open(page))
    if (paint === paintsMeasured) {
      // The first run of a program is slower than all later ones.
      await page.evaluate(scrollAndMeasure({ left: 40, top: 20 }))
      for (const [name, steps] of Object.entries(directions)) frames.set(name, await framesOn(page, steps))
    }
    await context.close()
    await wait(100)
  }
  return { paintedMs: quantile(paintedMs, 0.5), frames }
}

/** The medians of several rounds. */
async function framesOn(page: Page, steps: { left: number; top: number }): Promise<Frames> {
  const inRounds: Frames[] = []
  for (let round = 0; round < rounds; round++) {
    const frames: number[] = await page.evaluate(scrollAndMeasure(steps))
    inRounds.push({ p50Ms: quantile(frames, 0.5), p95Ms: quantile(frames, 0.95) })
  }
  const middle = (of: (one: Frames) => number): number => quantile(inRounds.map(of), 0.5)
  return { p50Ms: middle(({ p50Ms }) => p50Ms), p95Ms: middle(({ p95Ms }) => p95Ms) }
}

/** From the last byte of the calendar's answer to the frame that shows a cell. */
const watchFirstPaint = `
  window.calendarPainted = new Promise((resolve) => {
    const look = () => {
      if (document.querySelector('[role=gridcell]') === null) return requestAnimationFrame(look)
      requestAnimationFrame(() => {
        const [answer] = performance.getEntriesByType('resource').filter(({ name }) => /\\/calendar(\\?|$)/.test(name))
        resolve(performance.now() - answer.responseEnd)
      })
    }
    look()
  })`

/** From the data, one number a night, to the frame that shows them. */
const bareList = `
  new Promise((resolve) => {
    const rows = Array.from({ length: ${size.roomRates} }, (_, row) =>
      Array.from({ length: ${size.nights} }, (_, night) => 90 + row + (night % 7)))
    const startedMs = performance.now()
    const line = (prices) => '<div style="white-space:pre;height:40px;font:14px monospace">' + prices.join('  ') + '</div>'
    document.body.innerHTML =
      '<div style="overflow:auto;width:100%;height:90vh"><div><div role="grid">' + rows.map(line).join('') + '</div></div></div>'
    requestAnimationFrame(() => requestAnimationFrame(() => resolve(performance.now() - startedMs)))
  })`

/** Scrolls one step a frame, and reverses at the end; returns the times between frames. */
const scrollAndMeasure = ({ left, top }: { left: number; top: number }): string => `
  new Promise((resolve) => {
    const surface = document.querySelector('[role=grid]').parentElement.parentElement
    const frames = []
    let [left, top] = [${left}, ${top}]
    let before
    const step = (now) => {
      if (before !== undefined) frames.push(now - before)
      before = now
      if (frames.length >= ${framesMeasured}) return resolve(frames)
      const [wasLeft, wasTop] = [surface.scrollLeft, surface.scrollTop]
      surface.scrollBy(left, top)
      if (left !== 0 && surface.scrollLeft === wasLeft) left = -left
      if (top !== 0 && surface.scrollTop === wasTop) top = -top
      requestAnimationFrame(step)
    }
    requestAnimationFrame(step)
  })`
