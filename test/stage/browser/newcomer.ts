import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import type { Locator, Page } from 'playwright-core'

/** No job may take more clicks and fields than this. */
const stepsMax = 6
/** Nor may anything be further away by keyboard than this many presses. */
const pressesMax = 60

/** How a newcomer does a step: with the mouse, or with the keyboard alone. */
type Hands = {
  click: (target: Locator) => Promise<void>
  fill: (field: Locator, text: string) => Promise<void>
  openSearch: () => Promise<void>
  /** The presses that it took to get to each target. */
  presses: number[]
}

const handsOf = { mouse: mouseOf, keyboard: keyboardOf }
export const devices = ['mouse', 'keyboard'] as const
type Device = (typeof devices)[number]

/** Somebody who has never seen the console: finds things by their visible names, and counts the steps. */
export class Newcomer {
  readonly #steps: string[] = []
  readonly #startedMs = Date.now()
  readonly #hands: Hands
  readonly page: Page
  readonly device: Device

  constructor(page: Page, device: Device) {
    this.page = page
    this.device = device
    this.#hands = handsOf[device](page)
  }

  async click(target: Locator): Promise<void> {
    await this.#hands.click(target)
    this.#steps.push('click')
  }

  async fill(field: Locator, text: string): Promise<void> {
    await this.#hands.fill(field, text)
    this.#steps.push('field')
  }

  async search(text: string): Promise<void> {
    await this.#hands.openSearch()
    this.#steps.push('click')
    await this.fill(this.page.getByRole('combobox', { name: /Hotel, supplier/ }), text)
  }

  menu(name: string): Locator {
    return this.page.getByRole('navigation', { name: 'Main menu' }).getByRole('link', { name, exact: true })
  }

  report(t: TestContext): void {
    const seconds = ((Date.now() - this.#startedMs) / 1000).toFixed(1)
    const count = (kind: string): number => this.#steps.filter((one) => one === kind).length
    const { presses } = this.#hands
    const ways = presses.length > 0 ? `, ${presses.join(' + ')} presses to get there` : ''
    t.diagnostic(
      `${count('click')} clicks, ${count('field')} fields${ways}; ${seconds} s in the browser alone`,
    )
    assert.ok(this.#steps.length <= stepsMax, `${this.#steps.length} steps: ${this.#steps.join(', ')}`)
  }
}

function mouseOf(page: Page): Hands {
  return {
    click: (target) => target.click(),
    fill: (field, text) => field.fill(text),
    openSearch: () => page.getByRole('button', { name: /^Search/ }).click(),
    presses: [],
  }
}

function keyboardOf(page: Page): Hands {
  const presses: number[] = []
  const reach = async (target: Locator): Promise<void> => {
    await target.waitFor()
    let count = 0
    for (;;) {
      const key = await nextKey(target)
      if (key === '') break
      assert.ok(count < pressesMax, `${String(target)} is more than ${pressesMax} presses away`)
      await page.keyboard.press(key)
      count++
    }
    assert.equal(await whyUnseen(target), '', `the focus on ${String(target)}`)
    presses.push(count)
  }
  return {
    presses,
    click: async (target) => {
      await reach(target)
      await page.keyboard.press('Enter')
    },
    fill: async (field, text) => {
      await reach(field)
      if ((await field.getAttribute('type')) === 'date') await typeDate(field, text)
      else await page.keyboard.type(text)
      assert.equal(await field.inputValue(), text)
    },
    openSearch: () => page.keyboard.press('Control+k'),
  }
}

/** The order of day and month is that of the browser's own language: whoever sees that it is the other one types again. */
async function typeDate(field: Locator, date: string): Promise<void> {
  const { keyboard } = field.page()
  const [year = '', month = '', day = ''] = date.split('-')
  for (const typed of [day + month + year, month + day + year]) {
    // From the year to the first part.
    await keyboard.press('ArrowLeft')
    await keyboard.press('ArrowLeft')
    await keyboard.type(typed)
    if ((await field.inputValue()) === date) return
  }
}

/** The key that brings somebody nearer who sees where the focus is and where the target is; '' is there already. */
function nextKey(target: Locator): Promise<string> {
  return target.evaluate((element) => {
    const at = element.ownerDocument.activeElement
    if (element.role === 'option')
      return at.getAttribute('aria-activedescendant') === element.id ? '' : 'ArrowDown'
    if (at === element) return ''
    if (at.getAttribute('href') === '#content' && element.closest('#content')) return 'Enter'
    return at.compareDocumentPosition(element) & at.DOCUMENT_POSITION_PRECEDING ? 'Shift+Tab' : 'Tab'
  })
}

/** Why somebody would not see that the focus is on the target: it has no mark, or something lies over it. */
function whyUnseen(target: Locator): Promise<string> {
  return target.evaluate((element) => {
    const { outlineStyle, outlineWidth, outlineColor, backgroundColor, caretColor } =
      element.ownerDocument.defaultView.getComputedStyle(element)
    const isClear = (colour: string): boolean => /transparent|, 0\)$/.test(colour)
    const isOutlined =
      outlineStyle !== 'none' && Number.parseFloat(outlineWidth) >= 1 && !isClear(outlineColor)
    const isMarked =
      element.role === 'option'
        ? element.ariaSelected === 'true' && !isClear(backgroundColor)
        : element.matches('input, textarea')
          ? !isClear(caretColor)
          : element.matches(':focus-visible') && isOutlined
    if (!isMarked) return `no mark: ${[outlineStyle, outlineWidth, outlineColor, backgroundColor].join(' ')}`
    const [{ left, top, width, height }] = element.getClientRects()
    const shown = element.ownerDocument.elementFromPoint(left + width / 2, top + height / 2)
    return element.contains(shown) ? '' : `covered by ${shown?.outerHTML ?? 'the edge of the window'}`
  })
}
