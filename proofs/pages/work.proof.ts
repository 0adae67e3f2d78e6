import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { openShop } from '../../test/stage/scenes/booking.ts'
import { operatorOf } from '../../test/stage/scenes/calendar.ts'
import { gatewayForTests } from '../../test/stage/harness.ts'
import { expectOk, product, pushStoryHotel } from '../../test/stage/story.ts'
import { axe, openConsole, typeIn } from '../../test/stage/browser/browser.ts'

describe('the work queue and stop-sells', async () => {
  const gateway = await gatewayForTests()
  const { supplier } = await openShop(gateway, 'Acme')
  for (let count = 0; count < 4; count++)
    await supplier.post('/push/ari', { hotelId: 'H1', ari: [{ roomId: 'NOPE', date: '2027-03-05' }] })
  for (let count = 0; count < 2; count++)
    await supplier.post('/push/ari', { hotelId: 'NONE', ari: [{ roomId: 'DBL', date: '2027-03-05' }] })
  await pushStoryHotel(await gateway.supplier('Careless'))
  const { rows } = await gateway.db.query<{ id: number }>(
    `select hotel.id from hotel join supplier on supplier.id = supplier_id where supplier.name = 'Acme'`,
  )
  const hotel = rows[0]?.id ?? 0
  const operatorsCall = await operatorOf(gateway)
  const order = { action: 'stop', targets: [{ roomId: 'DBL' }], from: '2027-04-20', to: '2027-04-21' }
  expectOk(await operatorsCall('POST', `/hotels/${hotel}/stop-sell`, { ...order, reason: 'Water damage' }))

  test('the first page says what to do; by keyboard alone it is taken, noted and done, and others see it', async () => {
    const { page, goto, close, operator } = await openConsole(gateway, 'operator')
    await goto('/')
    const queue = page.getByRole('region', { name: 'To do' })
    const line = queue
      .locator('li')
      .filter({ hasText: '6 pushes refused: ROOM_NOT_FOUND × 4, HOTEL_NOT_FOUND × 2' })
    await line.waitFor()
    assert.match(await line.innerText(), /Acme .*in 1 hotel/)
    await line.getByText('2 errors').press('Enter')
    await line.getByText('in 1 hotel: RoomID not found').waitFor()
    const each = line.getByRole('link', { name: 'HOTEL_NOT_FOUND × 2', exact: true })
    assert.match((await each.getAttribute('href')) ?? '', /problem=HOTEL_NOT_FOUND/)
    await queue.getByRole('listitem').filter({ hasText: '1 hotel on sale without any ARI' }).waitFor()
    await axe(page, ['light', 'dark'])
    await line.getByRole('button', { name: 'Take' }).press('Enter')
    await line.getByText('You have it').waitFor()
    await line.getByRole('button', { name: /^More for/ }).press('Enter')
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await page.getByRole('menuitem', { name: 'Copy a message for the supplier' }).press('Enter')
    await page.getByText('The message is copied.').waitFor()
    const message = String(await page.evaluate('navigator.clipboard.readText()'))
    assert.match(message, /6 of your pushes in 1 hotel were refused .*:\n\n {4}ROOM_NOT_FOUND in 4 pushes:\n/)
    assert.match(message, / {4}HOTEL_NOT_FOUND in 2 pushes:\n {4}Hotel ID is not found\n {4}Request IDs, /)
    await line.getByRole('button', { name: /^More for/ }).press('Enter')
    await page.getByRole('menuitem', { name: 'Note' }).press('Enter')
    await typeIn(page.getByLabel('Note', { exact: true }), 'They look into it')
    await axe(page, ['light'])
    await page.getByRole('button', { name: 'Save note' }).press('Enter')
    await line.getByText('They look into it').waitFor()

    const other = await openConsole(gateway, 'viewer')
    await other.goto('/')
    await other.page.getByText(`${operator?.name} has it`).waitFor()
    assert.equal(await other.page.getByRole('button', { name: 'Take' }).count(), 0)
    await other.close()

    await line.getByRole('button', { name: 'Done' }).press('Enter')
    await line.waitFor({ state: 'detached' })
    await queue.getByRole('link', { name: 'Done (1)' }).press('Enter')
    await queue.getByRole('button', { name: 'Open again' }).waitFor()
    await close()
  })

  test('the hotel and its calendar show the stop-sell, and sales resume in one step and a confirmation', async () => {
    const { page, goto, close } = await openConsole(gateway, 'operator')
    await goto(`/hotels/${hotel}/calendar`)
    await page.getByRole('link', { name: '1 stop-sell' }).waitFor()
    await goto(`/hotels/${hotel}`)
    await page.getByRole('link', { name: '1 stop-sell' }).press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Stop-sells' }).waitFor()
    const row = page.getByRole('row').filter({ hasText: 'Water damage' })
    await row.waitFor()
    await axe(page, ['light', 'dark'])
    await row.getByRole('button', { name: /^Resume sales: Water damage/ }).press('Enter')
    await page.getByRole('dialog').getByRole('button', { name: 'Resume sales' }).press('Enter')
    await page.getByText('2 nights are on sale again.').waitFor()
    await page.getByText('No sales are stopped').waitFor()
    await close()
  })

  test('the same nights of several rooms are one line, and each night counts once', async () => {
    expectOk(
      await supplier.post('/push/products', {
        hotelId: 'H1',
        products: ['TWN', 'SUI'].map((roomId) => product(roomId, 'BAR')),
      }),
    )
    const { page, goto, close } = await openConsole(gateway, 'operator')
    await goto(`/hotels/${hotel}/calendar?room=DBL&rate=&night=2027-05-01`)
    await page.getByRole('button', { name: 'Stop or resume sales' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('All rooms').check()
    await dialog.getByLabel('First night').fill('2027-05-01')
    await dialog.getByLabel('Last night').fill('2027-05-28')
    await dialog.getByLabel('Reason').fill('Renovation')
    await dialog.getByText('Stops sales of 28 nights in 3 rooms; none already stopped.').waitFor()
    await dialog.getByRole('button', { name: 'Stop sales' }).click()
    await page.getByText('Sales of 28 nights in 3 rooms stopped').waitFor()
    await goto('/stop-sells')
    const row = page.getByRole('row').filter({ hasText: 'Renovation' })
    await row.getByText(/^(\w+, ){3}all rates: /).waitFor()
    assert.equal((await row.innerText()).match(/28 May 2027/g)?.length, 1)
    await row.getByRole('button', { name: /^Resume sales: Renovation/ }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Resume sales' }).click()
    await page.getByText('28 nights in 3 rooms are on sale again.').waitFor()
    await close()
  })

  test('a hotel of which every room is stopped says by whom, until when and why', async () => {
    const { page, goto, close, operator } = await openConsole(gateway, 'operator')
    const targets = ['DBL', 'TWN', 'SUI'].map((roomId) => ({ roomId }))
    const today = new Date(gateway.clock.now()).toISOString().slice(0, 10)
    const stop = { action: 'stop', targets, from: today, to: '2027-06-01', reason: 'Fire' }
    assert.ok(operator)
    expectOk(await operator.post(`/hotels/${hotel}/stop-sell`, stop))
    await goto(`/hotels/${hotel}`)
    await page.getByText('sales stopped', { exact: true }).waitFor()
    await page.getByText(`by ${operator.name} until Tue, 1 Jun 2027: “Fire”`).waitFor()
    assert.equal(await page.getByText('open for bookings').count(), 0)
    await axe(page, ['light', 'dark'])
    await close()
  })

  test('the pages fit a narrow screen', async () => {
    for (const options of [{ width: 390 }, { width: 768 }, { width: 1280, zoom: 2 }]) {
      const { page, goto, close } = await openConsole(gateway, 'operator', options)
      for (const path of ['/', '/stop-sells', '/stop-sells?state=ended', `/hotels/${hotel}`]) {
        await goto(path)
        await page.locator('table, ul').first().waitFor()
        const beyond = await page.evaluate('document.documentElement.scrollWidth - innerWidth')
        assert.ok(Number(beyond) <= 0, `${path} is ${String(beyond)} px too wide at ${options.width}`)
        await axe(page, ['light', 'dark'])
      }
      await close()
    }
  })
})
