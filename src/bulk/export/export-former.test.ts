import assert from 'node:assert/strict'
import { test } from 'node:test'
import { load } from '../../../test/stage/scenes/bulk.ts'
import { exported } from '../../../test/stage/scenes/exports.ts'
import { gatewayForTests, type TestSupplier } from '../../../test/stage/harness.ts'
import { april, offersStage, push, type Fields } from '../../../test/stage/scenes/offers.ts'
import { expectOk, storyHotel } from '../../../test/stage/story.ts'

/** Where an export is loaded, nothing is sold that isn't sold where it was made: an infant's unknown price is not free. */

const gateway = await gatewayForTests({ now: '2027-03-01T12:00:00Z' })
gateway.app.startBulk()
const stage = await offersStage(gateway)

const adults = (amount: number) => ({ ageCategory: 'adult', guests: 2, amount })
const infant = (amount: number) => ({ ageCategory: 'infant', guests: 1, amount })
const secondHalf = { startDate: '2027-04-16', endDate: '2027-04-30' }

const pushPrices = async (supplier: TestSupplier, nights: Fields, prices: Fields[]): Promise<unknown> =>
  push(supplier, [
    {
      roomId: 'DBL',
      ...nights,
      inventory: 5,
      rates: [
        { rateId: 'BAR', minLengthStay: 1, prices },
        { rateId: 'NRF', prices: [adults(150)] },
      ],
    },
  ])

/** In yen since its prices were pushed; infants have a price in yen in the second half of April alone. */
async function moved(): Promise<TestSupplier> {
  const supplier = await stage.storySupplier({ currency: 'EUR' })
  await pushPrices(supplier, april, [adults(200), infant(10)])
  expectOk(await supplier.post('/push/hotels', [storyHotel({ currency: 'JPY' })]))
  await pushPrices(supplier, april, [adults(20_000)])
  await pushPrices(supplier, secondHalf, [infant(900)])
  return supplier
}

/** What couples and families with an infant pay, in each half of April. */
async function sold(supplier: TestSupplier): Promise<Fields> {
  const pay = (checkin: string, checkout: string, childAges: number[]): Promise<Fields> =>
    stage.pricesOf(supplier, { checkin, checkout, rooms: [{ adults: 2, childAges }] })
  return {
    couple: await pay('2027-04-10', '2027-04-11', []),
    family: await pay('2027-04-10', '2027-04-11', [1]),
    laterCouple: await pay('2027-04-20', '2027-04-21', []),
    laterFamily: await pay('2027-04-20', '2027-04-21', [1]),
  }
}

const later = {
  laterCouple: { BAR: '20000', NRF: '150' },
  laterFamily: { BAR: '20900', NRF: '150' },
}
const nrf = { NRF: '150' }

for (const format of ['ndjson', 'csv'] as const) {
  test(`${format}: nights with an infant's price of a former currency are refused where they are loaded, until it is mended`, async () => {
    const source = await moved()
    assert.deepEqual(await sold(source), { couple: { BAR: '20000', ...nrf }, family: nrf, ...later })
    const { text } = await exported(source, { kind: 'ari', format })
    const target = await stage.storySupplier({ currency: 'JPY' })
    const job = await load(target, { kind: 'ari', format }, text)
    assert.deepEqual([job.state, Number(job['partial']) + Number(job['refused'])], ['done', 1])
    assert.deepEqual(await sold(target), { couple: nrf, family: nrf, ...later })

    const errors = await target.get(`/push/bulk/${job.jobId}/errors`)
    assert.match(errors.text, /INVALID_AMOUNT/)
    const amount = format === 'csv' ? /FORMER_CURRENCY(?=,|\n)/ : /(?<="amount":)"FORMER_CURRENCY"/
    assert.match(errors.text, amount)
    const mended = errors.text.replace(amount, '800')
    assert.equal((await load(target, { kind: 'ari', format }, mended))['refused'], 0)
    assert.deepEqual(await sold(target), {
      couple: { BAR: '20000', ...nrf },
      family: { BAR: '20800', ...nrf },
      ...later,
    })
  })
}

test('nights that are not sold at all keep the rest of what they have, and an infant’s price is not forgotten', async () => {
  const source = await stage.storySupplier({ currency: 'EUR' })
  await pushPrices(source, april, [adults(200), infant(10)])
  expectOk(await source.post('/push/hotels', [storyHotel({ currency: 'JPY' })]))
  const { text } = await exported(source, { kind: 'ari' })
  const target = await stage.storySupplier({ currency: 'JPY' })
  await load(target, { kind: 'ari' }, text)
  const digestOf = async (supplier: TestSupplier): Promise<unknown> =>
    expectOk(
      await supplier.post('/push/getAriDigest', {
        hotelId: 'H1',
        from: '2027-03-02',
        to: '2027-04-30',
        level: 'hotel',
      }),
    ).body['hotel']
  assert.deepEqual(await digestOf(target), await digestOf(source))
  assert.match(text, /"FORMER_CURRENCY"/)
})
