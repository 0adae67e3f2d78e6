import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { describe, test } from 'node:test'
import { gatewayForTests } from '../../test/stage/harness.ts'
import { expectOk, product } from '../../test/stage/story.ts'
import { axe, openConsole, typeIn } from '../../test/stage/browser/browser.ts'

const hostile = '<img src=x onerror="window.hacked = true">'

const hotel = (hotelId: string, hotelName: string, more: object = {}) => ({
  hotelId,
  hotelName,
  currency: 'EUR',
  isAvailable: true,
  minChildAge: 2,
  maxChildAge: 12,
  timezone: 'America/New_York',
  countryCodeISO2: 'FR',
  city: 'Paris',
  ...more,
})

const policies = [
  {
    code: 'NRF',
    description: hostile,
    cancelPenalties: [{ noShow: true, penaltyCharge: { chargeBase: 'FullStay', percent: 100 } }],
  },
]
const vat = {
  type: 'VAT',
  valueType: '%',
  value: 10,
  appliedOn: 'net',
  appliedPer: 'per_room_per_night',
  included: true,
  payNow: true,
}

describe('the pages of hotels', async () => {
  const gateway = await gatewayForTests()
  const supplier = await gateway.supplier('Channel One')
  const others = Array.from({ length: 60 }, (_, index) =>
    hotel(`M${index}`, `Maison ${index + 10}`, index === 59 ? { city: 'Aachen' } : {}),
  )
  expectOk(await supplier.post('/push/hotels', [hotel('ETOILE', "Hôtel de l'Étoile"), ...others]))
  expectOk(await supplier.post('/push/hotels', [hotel('X1', hostile)]))
  const products = [
    product('DBL', 'BAR', { roomName: hostile, cancelPolicies: policies }),
    product('DBL', 'NRF'),
  ]
  for (const hotelId of ['X1', 'ETOILE']) {
    expectOk(await supplier.post('/push/products', { hotelId, products }))
    expectOk(
      await supplier.post('/push/taxes', {
        hotelId,
        taxes: [vat],
        products: [{ roomId: 'DBL', taxes: [vat] }],
      }),
    )
  }
  const item = {
    roomId: 'DBL',
    rateId: 'BAR',
    startDate: '2027-03-05',
    endDate: '2027-04-10',
    price: 110,
    inventory: 3,
  }
  expectOk(await supplier.post('/push/ari', { hotelId: 'ETOILE', pricingModel: 'unit', ari: [item] }))

  test('a viewer finds a hotel while typing, without accents, and the URL keeps what was typed', async () => {
    const { page, goto, close } = await openConsole(gateway, 'viewer')
    await goto('/hotels')
    await page.getByRole('link', { name: 'Maison 10' }).waitFor()
    await page.getByRole('textbox', { name: 'Search' }).pressSequentially('etoi')
    await page.getByText('1 hotel shown').waitFor()
    assert.match(page.url(), /[?&]search=etoi(&|$)/)
    assert.deepEqual(await page.locator('tbody tr a').allInnerTexts(), ["Hôtel de l'Étoile", 'Channel One'])
    await page.getByLabel('Next step').selectOption('products')
    await page.getByText('No hotels match').waitFor()
    await page.goBack()
    await close()
  })

  test('with the keyboard alone a hotel is found, opened, and its tabs are read', async () => {
    const { page, goto, close } = await openConsole(gateway, 'viewer')
    await goto('/hotels?search=etoile')
    await page.getByRole('link', { name: "Hôtel de l'Étoile" }).waitFor()
    await page.getByRole('textbox', { name: 'Search' }).focus()
    const focused = () => page.evaluate('document.activeElement?.textContent')
    for (let presses = 0; presses < 40 && (await focused()) !== "Hôtel de l'Étoile"; presses++) {
      await page.keyboard.press('Tab')
    }
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: "Hôtel de l'Étoile" }).waitFor()
    await page.getByRole('tab', { name: 'Go-live checklist' }).press('ArrowRight')
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('ArrowRight')
    await page.getByRole('table', { name: 'Rooms with their rates' }).waitFor()
    assert.match(page.url(), /tab=products/)
    await close()
  })

  test('the arrow keys go from hotel to hotel', async () => {
    const { page, goto, close } = await openConsole(gateway, 'viewer')
    await goto('/hotels?search=maison')
    await page.getByRole('link', { name: 'Maison 10' }).press('ArrowDown')
    assert.equal(await page.evaluate('document.activeElement?.textContent'), 'Maison 11')
    await page.getByRole('button', { name: 'Show more' }).click()
    await page.getByRole('link', { name: 'Maison 69' }).waitFor()
    await close()
  })

  test('an operator marks a step as not needed, with a reason, and takes it back', async () => {
    const { page, goto, close, operator } = await openConsole(gateway, 'operator')
    await goto('/hotels?search=etoile')
    await page.getByRole('link', { name: "Hôtel de l'Étoile" }).click()
    await page.getByText('2 steps are missing.', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Price check webhook is not needed…' }).press('Enter')
    const dialog = page.getByRole('dialog', { name: 'Price check webhook is not needed' })
    await dialog.getByText('for all hotels of Channel One').waitFor()
    await axe(page, ['light'])
    await typeIn(dialog.getByLabel('Reason'), 'Prices are fixed')
    await page.keyboard.press('Enter')
    await page.getByText('1 step is missing.', { exact: true }).waitFor()
    await page.getByText(`“Prices are fixed”, ${operator?.name}`).waitFor()
    await goto('/audit')
    await page.getByText('marked a go-live step of').waitFor()
    await page.goBack()
    await page.getByRole('button', { name: 'Price check webhook is needed after all' }).click()
    await page.getByText('2 steps are missing.', { exact: true }).waitFor()
    await close()
  })

  test('the checklist says what is missing, and each step that is done leads to its push', async () => {
    const { page, goto, close } = await openConsole(gateway, 'viewer')
    await goto('/hotels?search=etoile')
    await page.getByRole('link', { name: "Hôtel de l'Étoile" }).click()
    await page.getByText('2 steps are missing.', { exact: true }).waitFor()
    const webhook = 'https://supplier.example/ari'
    for (const kind of ['availability', 'pushbook']) {
      expectOk(await supplier.post(`/push/webhook/${kind}`, { webhook }))
    }
    await page.reload()
    await page.getByText('All required steps are done').waitFor()
    const step = page.getByRole('listitem').filter({ hasText: 'Push booking webhook' })
    await step.getByRole('link').click()
    await page.getByRole('heading', { level: 1, name: 'Push of push booking URL' }).waitFor()
    await close()
  })

  test('why guests can’t book is told for every room-rate at once, by reason, with the push and the nearest dates', async () => {
    const ari = [{ ...item, startDate: '2027-03-10', endDate: '2027-03-12', closed: true }]
    const push = { hotelId: 'ETOILE', pricingModel: 'unit', ari }
    expectOk(await supplier.post('/push/ari', push, { 'x-request-id': 'closed-by-mistake' }))
    const { page, goto, close } = await openConsole(gateway, 'viewer')
    await goto('/hotels?search=etoile')
    await page.getByRole('link', { name: "Hôtel de l'Étoile" }).click()
    await page.getByRole('tab', { name: 'Why can’t guests book?' }).click()
    await page.getByLabel('Arrival').fill('2027-03-20')
    assert.equal(await page.getByLabel('Departure').inputValue(), '2027-03-21', 'the stay keeps its nights')
    await page.getByLabel('Arrival').fill('2027-03-10')
    await page.getByLabel('Departure').fill('2027-03-12')
    await page.getByText('0 of 2 room-rates can be booked').waitFor()
    const closed = page.getByRole('region', { name: 'Closed' })
    await closed.getByText('The rate is closed on Wed, 10 Mar 2027 – Thu, 11 Mar 2027').waitFor()
    await closed.getByRole('link', { name: /^push/ }).waitFor()
    await page
      .getByRole('region', { name: 'Price' })
      .getByText(/There is no price on/)
      .waitFor()
    await page
      .getByRole('region', { name: 'Nearest dates that can be booked' })
      .getByRole('link')
      .first()
      .waitFor()
    await axe(page, ['light', 'dark'])
    assert.match(page.url(), /tab=why.*checkin=2027-03-10|checkin=2027-03-10.*tab=why/)
    await closed.getByRole('link', { name: /^push/ }).click()
    await page.getByText('closed-by-mistake').first().waitFor()
    await close()
  })

  test('a list is ordered by the header of a column, by the keyboard too', async () => {
    const { page, goto, close } = await openConsole(gateway, 'viewer')
    await goto('/hotels?search=maison')
    await page.getByRole('link', { name: 'Maison 10' }).waitFor()
    const header = page.getByRole('columnheader', { name: 'Hotel' })
    assert.equal(await header.getAttribute('aria-sort'), 'ascending')
    await header.getByRole('button').press('Enter')
    await page.getByRole('link', { name: 'Maison 69' }).waitFor()
    assert.equal(await header.getAttribute('aria-sort'), 'descending')
    assert.match(page.url(), /sort=nameLast/)
    await close()
  })

  test('a column that the service has no order by sorts all rows, those of later pages too', async () => {
    const { page, goto, close } = await openConsole(gateway, 'viewer')
    await goto('/hotels?search=maison')
    await page.getByText('50 shown; there are more').waitFor()
    const [name, place] = ['Hotel', 'City'].map((title) => page.getByRole('columnheader', { name: title }))
    await place?.getByRole('button').press('Enter')
    await page.getByText('60 in all').waitFor()
    const first = page.getByRole('row').nth(1)
    await first.getByRole('link', { name: 'Maison 69' }).waitFor()
    assert.equal(await place?.getAttribute('aria-sort'), 'ascending')
    assert.equal(await name?.getAttribute('aria-sort'), 'none')
    await name?.getByRole('button').press('Enter')
    await first.getByRole('link', { name: 'Maison 10' }).waitFor()
    assert.equal(await place?.getAttribute('aria-sort'), 'none')
    await close()
  })

  test('an order that is chosen beside the headers counts from then on', async () => {
    const { page, goto, close } = await openConsole(gateway, 'viewer')
    await goto('/hotels?search=maison')
    await page.getByText('50 shown; there are more').waitFor()
    const place = page.getByRole('columnheader', { name: 'City' })
    await place.getByRole('button').click()
    await page.getByText('60 in all').waitFor()
    await page.getByLabel('Sort by').selectOption('newest')
    await page.getByText('50 shown; there are more').waitFor()
    assert.equal(await place.getAttribute('aria-sort'), 'none')
    await close()
  })

  test('filters are kept under a name, and the list is exported as CSV without formulas', async () => {
    const { page, goto, close } = await openConsole(gateway, 'viewer')
    await goto('/hotels?search=maison')
    await page.getByRole('button', { name: 'Views' }).click()
    await page.getByLabel('Save these filters as a view').fill('The maisons')
    await page.keyboard.press('Enter')
    await axe(page, ['light'])
    await goto('/hotels')
    await page.getByRole('button', { name: 'Views' }).click()
    await page.getByRole('link', { name: 'The maisons' }).click()
    await page.waitForURL(/search=maison/)
    await page.getByRole('link', { name: 'Maison 10' }).waitFor()
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Export as CSV' }).click(),
    ])
    const lines = (await readFile(await download.path(), 'utf8')).trim().split('\r\n')
    assert.equal(lines.length, 61)
    assert.match(lines[1] ?? '', /^\d+,M0,Maison 10,Channel One,/)
    await close()
  })

  test('pushes are named by their time, and mappings by whose code it is', async () => {
    const { page, goto, close } = await openConsole(gateway, 'viewer')
    await goto('/hotels?search=etoile')
    await page.getByRole('link', { name: "Hôtel de l'Étoile" }).click()
    const time = /^\d+ \w+ 20\d\d, \d\d:\d\d:\d\d your time/
    const steps = page.getByRole('list', { name: 'Steps to the first booking' })
    await steps.getByRole('link', { name: time }).first().waitFor()
    await page.getByRole('tab', { name: 'Details' }).click()
    const links = page.locator('dd').getByRole('link', { name: time })
    await links.first().waitFor()
    assert.equal(await links.count(), 4)
    assert.doesNotMatch(await page.getByRole('main').innerText(), /[\da-f]{8}-[\da-f]{4}-/)
    await links.first().click()
    await page.getByRole('heading', { level: 1, name: 'Push of ARI' }).waitFor()
    await page.goBack()
    await page.getByRole('tab', { name: 'Mappings' }).click()
    const headers = page.getByRole('columnheader')
    await headers.first().waitFor()
    assert.deepEqual((await headers.allInnerTexts()).slice(0, 4), [
      'Supplier’s room',
      'Platform’s room',
      'Supplier’s rate',
      'Platform’s rate',
    ])
    await close()
  })

  test('names of hotels, rooms and policies are text, whatever they spell', async () => {
    const { page, goto, close } = await openConsole(gateway, 'viewer')
    await goto('/hotels?search=img')
    await page.getByRole('link', { name: hostile }).click()
    await page.getByRole('heading', { level: 1, name: hostile }).waitFor()
    for (const tab of ['Details', 'Taxes', 'Mappings', 'Products']) {
      await page.getByRole('tab', { name: tab }).click()
    }
    await page.getByText('1 policy').first().click()
    await page.getByText('onerror').last().waitFor()
    assert.equal(await page.evaluate('window.hacked'), undefined)
    assert.equal(await page.locator('img').count(), 0)
    await close()
  })

  test('there are no findings of axe in light and dark, on any tab', async () => {
    const { page, goto, close } = await openConsole(gateway, 'viewer')
    await goto('/hotels')
    await page.getByRole('link', { name: 'Maison 10' }).waitFor()
    await axe(page, ['light', 'dark'])
    await goto('/hotels?search=nothing-like-this')
    await page.getByText('No hotels match').waitFor()
    await axe(page, ['dark'])
    await page.goto(`${gateway.url}/console/hotels?search=etoile`)
    await page.getByRole('link', { name: "Hôtel de l'Étoile" }).click()
    for (const tab of ['Go-live checklist', 'Details', 'Products', 'Taxes', 'Mappings']) {
      await page.getByRole('tab', { name: tab }).click()
      await axe(page, ['light', 'dark'])
    }
    await close()
  })

  test('at 768 px and at a zoom of 200 % the pages do not scroll sideways', async () => {
    for (const size of [{ width: 768 }, { width: 1280, zoom: 2 }]) {
      const { page, goto, close } = await openConsole(gateway, 'viewer', size)
      await goto('/hotels')
      await page.getByRole('link', { name: 'Maison 10' }).waitFor()
      await assertFits(page)
      await page.getByRole('link', { name: 'Maison 10' }).click()
      for (const tab of ['Details', 'Products', 'Go-live checklist']) {
        await page.getByRole('tab', { name: tab }).click()
        await assertFits(page)
      }
      await close()
    }
  })
})

async function assertFits(page: { evaluate: (script: string) => Promise<unknown> }): Promise<void> {
  const beyond = await page.evaluate(
    'document.documentElement.scrollWidth - document.documentElement.clientWidth',
  )
  assert.equal(beyond, 0, 'wider than the window')
}
