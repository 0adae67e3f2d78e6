import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { startGateway, type TestGateway } from '../harness.ts'
import { bigFrom, pushBigHotel } from './big-calendar.ts'
import { openConsole, withoutChromium } from './browser.ts'

const bars = { frameP95Ms: 20, firstPaintMs: 500 }
const framesMeasured = 240
const roundsMax = 4
/** Pixels a frame: a night and more, most of a row, and both. */
const directions = {
  across: { left: 45, top: 0 },
  down: { left: 0, top: 30 },
  both: { left: 35, top: 15 },
} as const

describe('the calendar of 200 room-rates and 760 nights', { skip: withoutChromium }, () => {
  let gateway: TestGateway
  let hotel: number
  before(async () => {
    gateway = await startGateway()
    ;({ hotel } = await pushBigHotel(gateway))
  })
  after(() => gateway.stop())

  test('is painted 500 ms after its data, and scrolls at 60 frames a second', async (context) => {
    const { page, goto, close } = await openConsole(gateway, 'viewer', { width: 1440, height: 900 })
    await page.addInitScript(watchFirstPaint)
    await goto(`/hotels/${hotel}/calendar?from=${bigFrom}&density=month`)
    await page.getByRole('grid').waitFor()
    const paintedMs = Number(await page.evaluate('window.calendarPainted'))
    // What a program does first is slower than what it does ever after.
    await page.evaluate(scrollAndMeasure({ left: 40, top: 20 }))
    const told: Record<string, number> = { paintedMs: Math.round(paintedMs) }
    for (const [name, steps] of Object.entries(directions)) told[name] = await bestP95(page, steps)
    context.diagnostic(JSON.stringify(told))
    assert.ok(paintedMs <= bars.firstPaintMs, JSON.stringify(told))
    for (const name of Object.keys(directions))
      assert.ok((told[name] ?? Infinity) <= bars.frameP95Ms, JSON.stringify(told))
    await close()
  })
})

/** Whatever else runs on the machine makes frames late, and none early: the best of some rounds is the page's own. */
async function bestP95(page: Page, steps: { left: number; top: number }): Promise<number> {
  const rounds: number[] = []
  while (rounds.length < roundsMax && Math.min(...rounds) > bars.frameP95Ms) {
    const frames: number[] = await page.evaluate(scrollAndMeasure(steps))
    const sorted = frames.toSorted((one, other) => one - other)
    rounds.push(Math.round((sorted[Math.floor(sorted.length * 0.95)] ?? 0) * 10) / 10)
  }
  return Math.min(...rounds)
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

/** Scrolls a step a frame, back and forth where it ends; the times between frames. */
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
